// SPDX-License-Identifier: Apache-2.0
// Functions whose arguments, results and numbers of calls are known, for probes of user programs.
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#define KEEP __attribute__((noinline, noclone))

struct inner {
    int16_t small;
    uint64_t large;
};
struct record {
    uint32_t low : 3, middle : 7, high : 22;
    int32_t sbits : 5;
    struct inner inner;
    struct inner *pointer;
    char name[16];
    int32_t values[4];
    union {
        uint32_t whole;
        uint8_t bytes[4];
    };
};

KEEP long target_add(long a, long b, long c)
{
    __asm__ volatile("" ::: "memory");
    return a + b + c;
}
KEEP int target_text(const char *text)
{
    __asm__ volatile("" : : "r"(text) : "memory");
    return -3;
}
KEEP int target_record(struct record *r)
{
    __asm__ volatile("" : : "r"(r) : "memory");
    return r->values[0];
}
KEEP void inner_most(void)
{
    __asm__ volatile("" ::: "memory");
}
KEEP void inner_middle(void)
{
    inner_most();
    __asm__ volatile("" ::: "memory");
}
KEEP void inner_outer(void)
{
    inner_middle();
    __asm__ volatile("" ::: "memory");
}
KEEP void many_a(void)
{
    __asm__ volatile("" ::: "memory");
}
KEEP void many_b(void)
{
    __asm__ volatile("" ::: "memory");
}
KEEP void many_c(void)
{
    __asm__ volatile("" ::: "memory");
}

int main(void)
{
    static char odd[] = "odd one",
                even[] = "even one"; // written below: text in memory that is there
    static struct inner far = {-7, 0x123456789abcdefULL};
    struct record r = {.low = 5,
                       .middle = 100,
                       .high = 3000000,
                       .sbits = -9,
                       .inner = {-2, 1ULL << 40},
                       .pointer = &far,
                       .name = "a record",
                       .values = {10, -20, 30, -40},
                       .whole = 0x04030201};
    odd[0] = 'o', even[0] = 'e';
    kill(getpid(), SIGSTOP);
    for (long i = 1; i <= 100; i++)
        target_add(i, -i * 2, 1000);
    for (int i = 0; i < 40; i++)
        target_text(i % 2 ? odd : even);
    for (int i = 0; i < 7; i++)
        target_record(&r);
    for (int i = 0; i < 30; i++)
        inner_outer();
    for (int i = 0; i < 11; i++)
        many_a();
    for (int i = 0; i < 22; i++)
        many_b();
    for (int i = 0; i < 33; i++)
        many_c();
    long page = sysconf(_SC_PAGESIZE);
    char *area = mmap(NULL, 500 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    madvise(area, 500 * page, MADV_NOHUGEPAGE);
    for (int i = 0; i < 500; i++)
        area[i * page] = 1;
    write(1, "done\n", 5);
    kill(getpid(), SIGSTOP);
    return 0;
}
