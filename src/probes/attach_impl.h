/* SPDX-License-Identifier: Apache-2.0 */
/* What the ways of attaching share. */
#pragma once

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>

#include "lang/image.h"
#include "probes/attach.h"

/* The kernel's own ENOTSUPP, which user space has no name for. */
enum { ENOTSUPP_KERNEL = 524 };

struct zn_attach {
    const struct zn_prog *prog;
    int prog_fd;
    struct zn_links *links;
    char *why;
    size_t why_len;
};

/* Takes the descriptor; closes it when there is no memory. */
int zn_link_add(struct zn_links *links, int fd, bool perf, bool slow);
/* Fills why unless it is filled and returns err. */
int zn_attach_fail(struct zn_attach *a, int err, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* The system calls, 0/fd or -errno. */
int zn_sys_bpf(int cmd, void *attr, unsigned size);
int zn_sys_perf_open(struct perf_event_attr *attr, int pid, int cpu);
/* Opens an event and puts the program on it: with a cookie through a link where the kernel has
 * that (5.15), else by ioctl. */
int zn_perf_attach(struct zn_attach *a, struct perf_event_attr *attr, int cpu, uint64_t cookie);
/* The same for one thread (pid of it, cpu -1). */
int zn_perf_attach_to(struct zn_attach *a, struct perf_event_attr *attr, int pid, int cpu,
                      uint64_t cookie);
/* On every CPU that is online; one: on the first only. */
int zn_perf_on_cpus(struct zn_attach *a, struct perf_event_attr *attr, uint64_t cookie, bool one);

/* Attaches every target through an event of its own. */
struct zn_perf_way {
    /* Describes the event (size is set). */
    int (*fill)(void *arg, const struct zn_target *t, struct perf_event_attr *attr);
    /* Why such an error concerns one place only, so that others go on without it; NULL: it does not.
     * May be NULL: every target counts. */
    const char *(*refused)(int err);
};
int zn_perf_each(struct zn_attach *a, const struct zn_perf_way *way, void *arg);

/* attach_kprobe.c, attach_uprobe.c, attach_perf.c, attach_watchpoint.c */
int zn_attach_kprobe(struct zn_attach *a);
int zn_attach_kprobe_multi(struct zn_attach *a);
int zn_attach_uprobe(struct zn_attach *a);
int zn_attach_uprobe_multi(struct zn_attach *a);
int zn_attach_perf_tp(struct zn_attach *a);
int zn_attach_perf_event(struct zn_attach *a);
int zn_attach_watchpoint(struct zn_attach *a);
