// SPDX-License-Identifier: Apache-2.0
// Reads, writes and executes known places a known number of times, in two threads and a child.
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

volatile uint64_t watched __attribute__((aligned(8)));
volatile uint32_t watched_small __attribute__((aligned(8)));

__attribute__((noinline, noclone)) void executed(void)
{
    __asm__ volatile("" ::: "memory");
}

static int go[2];

static void write_some(int n)
{
    for (int i = 0; i < n; i++)
        watched = (uint64_t)i;
}

static void *early_thread(void *arg)
{
    char c;
    (void)!read(go[0], &c, 1);
    write_some(30);
    return arg;
}

static void *late_thread(void *arg)
{
    write_some(20);
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t early, late;
    uint64_t sum = 0;
    (void)!pipe(go);
    pthread_create(&early, NULL, early_thread, NULL);
    printf("watched %p small %p executed %p\n", (void *)&watched, (void *)&watched_small,
           (void *)executed);
    fflush(stdout);
    if (argc == 1)
        kill(getpid(), SIGSTOP);
    write_some(100);
    for (int i = 0; i < 40; i++)
        sum += watched;
    for (int i = 0; i < 25; i++)
        executed();
    for (int i = 0; i < 7; i++)
        watched_small++;
    (void)!write(go[1], "g", 1);
    pthread_join(early, NULL);
    pthread_create(&late, NULL, late_thread, NULL);
    pthread_join(late, NULL);
    if (fork() == 0) {
        write_some(10); // a process of its own
        _exit(0);
    }
    wait(NULL);
    printf("done %d\n", (int)(sum != 0));
    fflush(stdout);
    if (argc == 1)
        kill(getpid(), SIGSTOP);
    (void)argv;
    return 0;
}
