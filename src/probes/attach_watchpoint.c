/* SPDX-License-Identifier: Apache-2.0 */
/* Watchpoints: breakpoint events, on the threads of one process or on every CPU.
 *
 * An event of a thread is inherited by the threads and processes that it makes later, with its
 * program; those that a process has already get one each. */
#include <dirent.h>
#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probes/attach_impl.h"

static struct perf_event_attr describe(const struct zn_target *t)
{
    struct perf_event_attr attr = {.size = sizeof(attr), .type = PERF_TYPE_BREAKPOINT};

    attr.bp_addr = t->value;
    attr.bp_len = t->len;
    attr.bp_type = (t->mode & ZN_WATCH_R ? HW_BREAKPOINT_R : 0u) |
                   (t->mode & ZN_WATCH_W ? HW_BREAKPOINT_W : 0u) |
                   (t->mode & ZN_WATCH_X ? HW_BREAKPOINT_X : 0u);
    attr.sample_period = 1;
    attr.inherit = t->pid != 0;
    return attr;
}

/* Threads that start meanwhile inherit, or are met by the directory's next turn. */
static int on_threads(struct zn_attach *a, const struct zn_target *t, uint64_t cookie)
{
    struct perf_event_attr attr = describe(t);
    char path[64];
    struct dirent *d;
    uint32_t n = 0;
    int r = 0;
    DIR *dir;

    snprintf(path, sizeof(path), "/proc/%u/task", t->pid);
    dir = opendir(path);
    if (!dir)
        return -errno;
    while (!r && (d = readdir(dir))) {
        if (d->d_name[0] < '1' || d->d_name[0] > '9')
            continue;
        r = zn_perf_attach_to(a, &attr, (int)strtol(d->d_name, NULL, 10), -1, cookie);
        n += !r;
        if (r == -ESRCH) /* it has just ended */
            r = 0;
    }
    closedir(dir);
    return r ? r : n ? 0 : -ESRCH;
}

static const char *in_words(int err)
{
    switch (err) {
    case -ENOSPC: return "all debug registers of the processor are in use";
    case -ENODEV:
    case -ENOENT:
    case -EOPNOTSUPP:
        return "this machine has no hardware breakpoints (a virtual machine may hide them)";
    case -EINVAL: return "the kernel or the processor cannot watch that address in that way";
    default: return strerror(-err);
    }
}

int zn_attach_watchpoint(struct zn_attach *a)
{
    for (uint32_t i = 0; i < a->prog->natt; i++) {
        const struct zn_target *t = a->prog->att[i].target;
        struct perf_event_attr attr = describe(t);
        int r = t->pid ? on_threads(a, t, a->prog->att[i].cookie)
                       : zn_perf_on_cpus(a, &attr, a->prog->att[i].cookie, false);

        if (r)
            return zn_attach_fail(a, r, "cannot attach to %s: %s", t->name, in_words(r));
    }
    return 0;
}
