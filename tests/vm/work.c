/* SPDX-License-Identifier: Apache-2.0 */
/* A workload for the guests whose numbers are known: what a script counts must be what stands here.
 *
 * usage: work calls       1,000 getppid, 125 writes of 1,175 bytes, 50 reads of 3,200,
 *                         15 opens of which 5 fail, 8 closes, 4 futexes, 300 steps, 100 32-bit calls
 *        work tcp         3 connections over loopback to port 7777
 *        work vfs         20 reads of 100 bytes of /tmp/zhen-known
 *        work load MS N   N threads call zhen_step and openat on names of many lengths, for MS ms;
 *                         prints how often each was done
 *        work exec        a child that runs /bin/true, 5 times */
#include <arpa/inet.h>
#include <err.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { N_GETPPID = 1000, N_STEP = 300, N_COMPAT = 100 };

struct point {
    int x;
    long y;
    char tag[8];
};

/* What uprobes hang on. */
long zhen_step(long n, const char *name, const struct point *p);
int zhen_other(int n);

__attribute__((noinline, noclone)) long zhen_step(long n, const char *name, const struct point *p)
{
    __asm__ volatile("" : : "r"(name), "r"(p) : "memory");
    return n * 2;
}

__attribute__((noinline, noclone)) int zhen_other(int n)
{
    __asm__ volatile("" : "+r"(n));
    return n - 5;
}

static int open_or_die(const char *path, int flags)
{
    int fd = open(path, flags | O_CLOEXEC, 0600);

    if (fd < 0)
        err(1, "%s", path);
    return fd;
}

/* From a 64-bit program: number 20 is getpid to the 32-bit table, writev to the 64-bit one. */
static void compat_calls(void)
{
#if defined(__x86_64__)
    for (int i = 0; i < N_COMPAT; i++) {
        long r;

        __asm__ volatile("int $0x80" : "=a"(r) : "a"(20L) : "memory", "r8", "r9", "r10", "r11");
    }
#endif
}

static void calls(void)
{
    char buffer[64] = {0};
    int null = open_or_die("/dev/null", O_WRONLY), zero = open_or_die("/dev/zero", O_RDONLY);
    long sum = 0;

    for (int i = 0; i < N_GETPPID; i++)
        syscall(SYS_getppid);
    for (int i = 0; i < 100; i++)
        sum += write(null, buffer, 10);
    for (int i = 0; i < 25; i++)
        sum += write(null, buffer, 7);
    for (int i = 0; i < 50; i++)
        sum += read(zero, buffer, 64);
    for (int i = 0; i < 8; i++)
        close(open_or_die("/dev/null", O_RDONLY));
    for (int i = 0; i < 5; i++)
        if (open("/no/such/file", O_RDONLY) >= 0)
            errx(1, "that file should not be there");
    for (int i = 0; i < 4; i++)
        syscall(SYS_futex, &null, FUTEX_WAKE, 1, NULL, NULL, 0);
    for (int i = 0; i < N_STEP; i++) {
        struct point p = {i, i * 3L, "tag"};

        sum += zhen_step(i, i % 3 ? "alpha" : "beta", &p);
        sum += zhen_other(i % 10);
    }
    compat_calls();
    if (sum == 42)
        puts("");
}

static void tcp(void)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(7777)};
    int server = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), one = 1;

    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    setsockopt(server, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
    if (bind(server, (void *)&a, sizeof(a)) || listen(server, 8))
        err(1, "listen");
    for (int i = 0; i < 3; i++) {
        int c = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), s;

        if (connect(c, (void *)&a, sizeof(a)))
            err(1, "connect");
        s = accept(server, NULL, NULL);
        close(c);
        close(s);
    }
    close(server);
}

static void vfs(void)
{
    char buffer[100] = {0};
    int fd = open_or_die("/tmp/zhen-known", O_RDWR | O_CREAT);

    if (pwrite(fd, buffer, sizeof(buffer), 0) != sizeof(buffer))
        err(1, "pwrite");
    for (int i = 0; i < 20; i++) {
        lseek(fd, 0, SEEK_SET);
        if (read(fd, buffer, sizeof(buffer)) != sizeof(buffer))
            err(1, "read");
    }
    close(fd);
}

static void children(void)
{
    for (int i = 0; i < 5; i++) {
        pid_t pid = fork();

        if (pid == 0) {
            /* On the stack, so that a tracer finds the words in memory. */
            char path[] = "/bin/true", a[] = "true", b[] = "an", c[] = "argument";
            char *words[] = {a, b, c, NULL};

            execv(path, words);
            _exit(127);
        }
        waitpid(pid, NULL, 0);
    }
}

static atomic_ulong opens, steps;
static long long deadline_ms;

static long long now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000LL + t.tv_nsec / 1000000;
}

static void *load_thread(void *argument)
{
    char path[4096];
    unsigned long i = (unsigned long)argument * 7919, n = 0;

    while (now_ms() < deadline_ms) {
        unsigned long length = 1 + i % 900;
        struct point p = {0};

        snprintf(path, sizeof(path), "/no/%0*lu", (int)length, i % 40);
        if (open(path, O_RDONLY | O_CLOEXEC) >= 0)
            errx(1, "that file should not be there");
        zhen_step((long)i, path, &p);
        i++;
        n++;
    }
    atomic_fetch_add(&opens, n);
    atomic_fetch_add(&steps, n);
    return NULL;
}

static void load(int ms, int n_threads)
{
    pthread_t threads[64];

    deadline_ms = now_ms() + ms;
    for (int i = 0; i < n_threads && i < 64; i++)
        pthread_create(&threads[i], NULL, load_thread, (void *)(long)(i + 1));
    for (int i = 0; i < n_threads && i < 64; i++)
        pthread_join(threads[i], NULL);
    printf("load-opens %lu\nload-steps %lu\n", opens, steps);
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";

    if (!strcmp(mode, "calls"))
        calls();
    else if (!strcmp(mode, "tcp"))
        tcp();
    else if (!strcmp(mode, "vfs"))
        vfs();
    else if (!strcmp(mode, "exec"))
        children();
    else if (!strcmp(mode, "load") && argc == 4)
        load((int)strtol(argv[2], NULL, 10), (int)strtol(argv[3], NULL, 10));
    else
        errx(2, "usage: work calls|tcp|vfs|exec|load MS THREADS");
    return 0;
}
