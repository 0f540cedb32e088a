/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel mutex that is contended: threads read one large file through one descriptor, so that
 * each waits for the lock of the file's position until another's megabyte is copied.
 *
 * usage: contend MS [THREADS] */
#include <err.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { BYTES = 1 << 20 };

static int fd;
static long long deadline_ms;

static long long now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000LL + t.tv_nsec / 1000000;
}

static void *hammer(void *buffer)
{
    while (now_ms() < deadline_ms) {
        lseek(fd, 0, SEEK_SET);
        if (read(fd, buffer, BYTES) < 0)
            err(1, "read");
    }
    return NULL;
}

int main(int argc, char **argv)
{
    long ms = argc > 1 ? strtol(argv[1], NULL, 10) : 1000;
    long n = argc > 2 ? strtol(argv[2], NULL, 10) : 4;
    char path[] = "/tmp/zhen-contend.XXXXXX";
    pthread_t threads[16];

    fd = mkstemp(path);
    if (fd < 0 || ftruncate(fd, BYTES))
        err(1, "%s", path);
    unlink(path);
    deadline_ms = now_ms() + ms;
    for (long i = 0; i < n && i < 16; i++)
        if (pthread_create(&threads[i], NULL, hammer, calloc(1, BYTES)))
            errx(1, "no thread");
    for (long i = 0; i < n && i < 16; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
