/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a command several times: median wall time in ms, and its largest resident set in KiB.
 *
 *   timeit RUNS COMMAND [ARG…]     prints "MS KIB"; the command's output goes to /dev/null */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAX_RUNS = 1000 };

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static int cmp(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static int run(char **argv, double *ret_ms, long *ret_kib)
{
    double start = now_ms();
    pid_t pid = vfork();
    if (pid < 0)
        return -errno;
    if (!pid) {
        int null = open("/dev/null", O_RDWR);
        dup2(null, 0);
        dup2(null, 1);
        dup2(null, 2);
        execvp(argv[0], argv);
        _exit(127);
    }
    int status;
    struct rusage usage;
    if (wait4(pid, &status, 0, &usage) < 0)
        return -errno;
    *ret_ms = now_ms() - start;
    *ret_kib = usage.ru_maxrss;
    return WIFEXITED(status) && !WEXITSTATUS(status) ? 0 : -1;
}

int main(int argc, char **argv)
{
    long runs = argc > 2 ? strtol(argv[1], NULL, 10) : 0;
    if (runs < 1 || runs > MAX_RUNS) {
        fprintf(stderr, "usage: timeit RUNS COMMAND [ARG…]\n");
        return 2;
    }
    static double ms[MAX_RUNS];
    long most = 0, kib = 0;
    for (long i = 0; i < runs; i++) {
        if (run(argv + 2, &ms[i], &kib)) {
            printf("failed failed\n");
            return 1;
        }
        most = kib > most ? kib : most;
    }
    qsort(ms, (size_t)runs, sizeof(*ms), cmp);
    printf("%.2f %ld\n", ms[runs / 2], most);
    return 0;
}
