// SPDX-License-Identifier: Apache-2.0
// usdt probes written by hand: notes of our own making, every kind of operand, known values.
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#define KEEP __attribute__((noinline, noclone))

// One place of a probe; args are operands as the note is to have them, sem a symbol or 0.
#define PLACE(name, sem, args, ...)                                \
    __asm__ volatile("990: nop\n"                                  \
                     ".pushsection .note.stapsdt,\"\",@note\n"     \
                     ".balign 4\n"                                 \
                     ".4byte 992f-991f, 994f-993f, 3\n"            \
                     "991: .asciz \"stapsdt\"\n"                   \
                     "992: .balign 4\n"                            \
                     "993: .8byte 990b, _.stapsdt.base, " sem "\n" \
                     ".asciz \"hand\"\n"                           \
                     ".asciz \"" name "\"\n"                       \
                     ".asciz \"" args "\"\n"                       \
                     "994: .balign 4\n"                            \
                     ".popsection\n"                               \
                     :                                             \
                     : __VA_ARGS__)

__asm__(".pushsection .stapsdt.base,\"aG\",@progbits,.stapsdt.base,comdat\n"
        ".weak _.stapsdt.base\n.hidden _.stapsdt.base\n_.stapsdt.base: .space 1\n"
        ".size _.stapsdt.base, 1\n.popsection\n");

volatile unsigned short hand_semaphore __attribute__((section(".probes"), used));
static volatile uint32_t known_global = 77777;
static volatile int16_t known_table[] = {-1, -2, -3, -4, -5, -6};
static char known_text[] = "a text";
static unsigned guarded;

KEEP static void plain(void)
{
    PLACE("plain", "0", "");
}

KEEP static void registers(int32_t i)
{
    PLACE("registers", "0", "-4@%[i] 8@%[big] 4@$7 -8@$-9 8@%[text]", [i] "r"(-i),
          [big] "r"(1ULL << 40 | (uint64_t)i), [text] "r"(known_text));
#ifdef __x86_64__
    PLACE("narrow", "0", "1@%%bl 1@%%bh -1@%%cl 2@%%dx -2@%%si",
          "b"(0xa1b2c3d4e5f60102 + ((uint64_t)i << 8)), "c"(-i), "d"(0xffff1234), "S"(-i - 1000));
#endif
}

KEEP static void memory(int32_t i)
{
    volatile int32_t local = i * -3;
    PLACE("memory", "0", "-4@%[local] 4@%[global]", [local] "m"(local), [global] "m"(known_global));
#ifdef __x86_64__
    PLACE("indexed", "0",
          "-2@(%%rax,%%rbx,2) -2@2(%%rax,%%rbx,2) -2@-2(%%rax) 4@known_global(%%rip)",
          "a"(known_table + 1), "b"((long)i % 4));
#endif
}

KEEP static void many(long i)
{
    PLACE("many", "0",
          "8@$0 8@$1 8@$2 8@$3 8@$4 8@$5 8@$6 8@$7 8@$8 8@$9 8@$10 8@%[i] 8f@%%xmm0", [i] "r"(i));
}

static inline __attribute__((always_inline)) void twice(long a, long b)
{
    PLACE("twice", "0", "8@%[a] 8@%[b]", [a] "nor"(a), [b] "nor"(b));
}

KEEP static void inlined(long i)
{
    twice(5, i);
    twice(i, 6);
}

KEEP static void with_semaphore(void)
{
    if (!hand_semaphore)
        return;
    guarded++;
    PLACE("guarded", "hand_semaphore", "2@%[s]", [s] "r"(hand_semaphore));
}

static void work(void)
{
    for (int i = 1; i <= 50; i++) {
        plain();
        registers(i);
        memory(i);
        many(i);
        inlined(i);
        with_semaphore();
    }
    printf("semaphore %u guarded %u\n", hand_semaphore, guarded);
    fflush(stdout);
    guarded = 0;
}

int main(int argc, char **argv)
{
    int alone = argc > 1; // nobody waits for us to stop
    (void)argv;
    printf("at %p\n", (void *)&hand_semaphore);
    fflush(stdout);
    if (!alone)
        kill(getpid(), SIGSTOP);
    work(); // traced
    if (!alone)
        kill(getpid(), SIGSTOP);
    work(); // and no more
    return 0;
}
