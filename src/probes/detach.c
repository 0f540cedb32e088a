/* SPDX-License-Identifier: Apache-2.0 */
/* Letting go quickly: a process of its own holds what is slow to close.
 *
 * It is a grandchild, so that nobody has to wait for it, and keeps no descriptor but these: an
 * inherited pipe would otherwise look open to whoever reads our output. It waits until we have
 * closed our copies, since the last one to close pays. */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "probes/attach.h"

static int cmp_fd(const void *a, const void *b)
{
    const struct zn_link *x = a, *y = b;

    return (x->fd > y->fd) - (x->fd < y->fd);
}

static void close_span(unsigned from, unsigned to)
{
    if (from > to || syscall(SYS_close_range, from, to, 0) == 0)
        return;
    if (to > 65536)
        to = 65536;
    for (unsigned fd = from; fd <= to; fd++)
        close((int)fd);
}

/* Closes all descriptors but the slow ones (sorted) and `keep`. Only system calls from here on:
 * other threads of the parent may have held locks when it forked. */
static void keep_only(const struct zn_links *links, int keep)
{
    unsigned from = 0;
    bool kept = false;

    for (size_t i = 0; i <= links->n; i++) {
        int fd = i < links->n ? links->v[i].fd : -1;

        if (i < links->n && !links->v[i].slow)
            continue;
        if (!kept && (fd < 0 || fd > keep)) {
            if (keep > 0)
                close_span(from, (unsigned)keep - 1);
            from = (unsigned)keep + 1;
            kept = true;
        }
        if (fd > 0)
            close_span(from, (unsigned)fd - 1);
        from = fd >= 0 ? (unsigned)fd + 1 : from;
    }
    close_span(from, ~0U);
}

/* Returns the write end of a pipe whose closing lets the process go on, or -1. */
static int fork_closer(struct zn_links *links)
{
    int ends[2], status;
    pid_t pid;

    if (pipe2(ends, O_CLOEXEC) < 0)
        return -1;
    pid = fork();
    if (pid == 0) {
        char c;

        if (fork() != 0)
            _exit(0);
        signal(SIGINT, SIG_IGN);
        signal(SIGTERM, SIG_DFL);
        keep_only(links, ends[0]);
        while (read(ends[0], &c, 1) > 0)
            ;
        _exit(0);
    }
    close(ends[0]);
    if (pid < 0) {
        close(ends[1]);
        return -1;
    }
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return ends[1];
}

void zn_links_detach(struct zn_links *links)
{
    bool slow = false;
    ZN_AUTOCLOSE int hold = -1;

    for (size_t i = 0; i < links->n; i++) {
        if (links->v[i].perf)
            (void)ioctl(links->v[i].fd, PERF_EVENT_IOC_DISABLE, 0);
        slow |= links->v[i].slow;
    }
    if (links->n)
        qsort(links->v, links->n, sizeof(*links->v), cmp_fd);
    if (slow)
        hold = fork_closer(links);
    for (size_t i = 0; i < links->n; i++)
        close(links->v[i].fd);
    free(links->v);
    zn_links_init(links);
}
