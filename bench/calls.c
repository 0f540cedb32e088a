/* SPDX-License-Identifier: Apache-2.0 */
/* Makes one system call over and over on one CPU, and says how long one takes.
 *
 *   calls getppid|read COUNT ROUNDS CPU     prints the median of the rounds, in ns per call
 *   calls getppid|read COUNT all            one process on each CPU; prints calls and seconds */
#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAX_ROUNDS = 1000 };

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static int pin(int cpu)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    return sched_setaffinity(0, sizeof(set), &set);
}

static uint64_t loop(int fd, uint64_t count)
{
    char byte;
    uint64_t start = now_ns();
    if (fd < 0)
        for (uint64_t i = 0; i < count; i++)
            syscall(SYS_getppid);
    else
        for (uint64_t i = 0; i < count; i++)
            syscall(SYS_read, fd, &byte, 1);
    return now_ns() - start;
}

static int cmp(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static int on_all(int fd, uint64_t count)
{
    int cpus = (int)sysconf(_SC_NPROCESSORS_ONLN);
    uint64_t start = now_ns();
    for (int cpu = 0; cpu < cpus; cpu++) {
        pid_t pid = fork();
        if (pid < 0)
            return 1;
        if (!pid) {
            if (pin(cpu))
                _exit(1);
            loop(fd, count);
            _exit(0);
        }
    }
    while (wait(NULL) > 0)
        ;
    printf("%llu %.6f\n", (unsigned long long)count * (unsigned)cpus,
           (double)(now_ns() - start) / 1e9);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc < 4) {
        fprintf(stderr, "usage: calls getppid|read COUNT ROUNDS CPU | COUNT all\n");
        return 2;
    }
    int fd = strcmp(argv[1], "read") ? -1 : open("/dev/zero", O_RDONLY | O_CLOEXEC);
    uint64_t count = strtoull(argv[2], NULL, 10);
    if (!strcmp(argv[3], "all"))
        return on_all(fd, count);
    long rounds = strtol(argv[3], NULL, 10);
    if (!count || rounds < 1 || rounds > MAX_ROUNDS ||
        pin(argc > 4 ? (int)strtol(argv[4], NULL, 10) : 0))
        return 2;
    static double ns[MAX_ROUNDS];
    for (long i = 0; i < rounds; i++)
        ns[i] = (double)loop(fd, count) / (double)count;
    qsort(ns, (size_t)rounds, sizeof(*ns), cmp);
    printf("%.1f\n", ns[rounds / 2]);
    return 0;
}
