/* SPDX-License-Identifier: Apache-2.0 */
/* Attaching by method: one table row each, everything undone when one target fails. */
#include "probes/attach.h"

#include <errno.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/mem.h"
#include "probes/attach_impl.h"

int zn_sys_bpf(int cmd, void *attr, unsigned size)
{
    long r = syscall(SYS_bpf, cmd, attr, size);

    return r < 0 ? -errno : (int)r;
}

int zn_sys_perf_open(struct perf_event_attr *attr, int pid, int cpu)
{
    long r = syscall(SYS_perf_event_open, attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);

    return r < 0 ? -errno : (int)r;
}

void zn_links_init(struct zn_links *links)
{
    *links = (struct zn_links){0};
}

int zn_link_add(struct zn_links *links, int fd, bool perf, bool slow)
{
    if (links->n == links->cap) {
        size_t cap = links->cap ? links->cap * 2 : 16;
        struct zn_link *v = realloc(links->v, cap * sizeof(*v));

        if (!v) {
            close(fd);
            return -ENOMEM;
        }
        links->v = v;
        links->cap = cap;
    }
    links->v[links->n++] = (struct zn_link){.fd = fd, .perf = perf, .slow = slow};
    return 0;
}

int zn_attach_fail(struct zn_attach *a, int err, const char *fmt, ...)
{
    va_list ap;

    if (a->why_len && !a->why[0]) {
        va_start(ap, fmt);
        vsnprintf(a->why, a->why_len, fmt, ap);
        va_end(ap);
    }
    return err;
}

/* -EINVAL: the kernel has no cookies for this. Then no program that asks for one could be loaded, and
 * nobody misses it. */
static int link_with_cookie(struct zn_attach *a, int fd, uint64_t cookie)
{
    union bpf_attr attr = {0};
    int link;

    attr.link_create.prog_fd = (uint32_t)a->prog_fd;
    attr.link_create.target_fd = (uint32_t)fd;
    attr.link_create.attach_type = BPF_PERF_EVENT;
    attr.link_create.perf_event.bpf_cookie = cookie;
    link = zn_sys_bpf(BPF_LINK_CREATE, &attr, sizeof(attr));
    return link < 0 ? link : zn_link_add(a->links, link, false, true);
}

int zn_perf_attach(struct zn_attach *a, struct perf_event_attr *attr, int cpu, uint64_t cookie)
{
    return zn_perf_attach_to(a, attr, -1, cpu, cookie);
}

int zn_perf_attach_to(struct zn_attach *a, struct perf_event_attr *attr, int pid, int cpu,
                      uint64_t cookie)
{
    int fd = zn_sys_perf_open(attr, pid, cpu), r;

    if (fd < 0)
        return fd;
    r = zn_link_add(a->links, fd, true, true);
    if (r)
        return r;
    r = cookie ? link_with_cookie(a, fd, cookie) : -EINVAL;
    if (r == -EINVAL || r == -E2BIG)
        r = ioctl(fd, PERF_EVENT_IOC_SET_BPF, a->prog_fd) < 0 ? -errno : 0;
    if (!r && ioctl(fd, PERF_EVENT_IOC_ENABLE, 0) < 0)
        r = -errno;
    return r;
}

static void close_from(struct zn_links *links, size_t n)
{
    while (links->n > n)
        close(links->v[--links->n].fd);
}

int zn_perf_each(struct zn_attach *a, const struct zn_perf_way *way, void *arg)
{
    uint32_t n = a->prog->natt, left_out = 0;
    const char *example = NULL;

    for (uint32_t i = 0; i < n; i++) {
        const struct zn_target *t = a->prog->att[i].target;
        struct perf_event_attr attr = {.size = sizeof(attr)};
        size_t before = a->links->n;
        int r = way->fill(arg, t, &attr);
        const char *refused;

        if (!r)
            r = zn_perf_attach_to(a, &attr, t->pid ? (int)t->pid : -1, t->pid ? -1 : 0,
                                  a->prog->att[i].cookie);
        if (!r)
            continue;
        close_from(a->links, before);
        refused = way->refused ? way->refused(r) : NULL;
        if (!refused || left_out + 1 == n)
            return zn_attach_fail(a, r, "cannot attach to %s: %s", t->name,
                                  refused ? refused : strerror(-r));
        left_out++;
        example = t->name;
    }
    if (left_out)
        (void)zn_attach_fail(a, 0, "left out %u of %u places that the kernel does not allow (%s)",
                             left_out, n, example);
    return 0;
}

static int attach_none(struct zn_attach *a)
{
    (void)a;
    return 0;
}

static int attach_raw_tp(struct zn_attach *a)
{
    union bpf_attr attr = {0};
    int fd;

    attr.raw_tracepoint.name = (uint64_t)(uintptr_t)a->prog->event;
    attr.raw_tracepoint.prog_fd = (uint32_t)a->prog_fd;
    fd = zn_sys_bpf(BPF_RAW_TRACEPOINT_OPEN, &attr, sizeof(attr));
    if (fd < 0)
        return zn_attach_fail(a, fd, "cannot attach to raw tracepoint %s: %s", a->prog->event,
                              strerror(-fd));
    return zn_link_add(a->links, fd, false, false);
}

/* The place is part of a tracing program; a cookie needs the newer call. */
static int attach_btf(struct zn_attach *a)
{
    uint64_t cookie = a->prog->natt ? a->prog->att[0].cookie : 0;
    const char *name = a->prog->natt ? a->prog->att[0].target->name : a->prog->event;
    bool function = a->prog->provider == ZP_FENTRY || a->prog->provider == ZP_FEXIT;
    union bpf_attr attr = {0};
    int fd = -EINVAL;

    if (cookie) {
        attr.link_create.prog_fd = (uint32_t)a->prog_fd;
        attr.link_create.attach_type = a->prog->expected_attach;
        attr.link_create.tracing.cookie = cookie;
        fd = zn_sys_bpf(BPF_LINK_CREATE, &attr, sizeof(attr));
    }
    if (!cookie || fd == -EINVAL || fd == -E2BIG) { /* see link_with_cookie */
        attr = (union bpf_attr){0};
        attr.raw_tracepoint.prog_fd = (uint32_t)a->prog_fd;
        fd = zn_sys_bpf(BPF_RAW_TRACEPOINT_OPEN, &attr, sizeof(attr));
    }
    if (fd == -ENOTSUPP_KERNEL)
        return zn_attach_fail(a, -EOPNOTSUPP,
                              "cannot attach to %s: this kernel cannot patch functions for BPF "
                              "(CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS)",
                              name);
    if (fd < 0)
        return zn_attach_fail(a, fd, "cannot attach to %s: %s", name, strerror(-fd));
    return zn_link_add(a->links, fd, false, function);
}

static int (*const methods[])(struct zn_attach *a) = {
    [ZH_NONE] = attach_none,
    [ZH_RAW_TP] = attach_raw_tp,
    [ZH_BTF] = attach_btf,
    [ZH_PERF_TP] = zn_attach_perf_tp,
    [ZH_KPROBE] = zn_attach_kprobe,
    [ZH_KPROBE_MULTI] = zn_attach_kprobe_multi,
    [ZH_UPROBE] = zn_attach_uprobe,
    [ZH_UPROBE_MULTI] = zn_attach_uprobe_multi,
    [ZH_PERF_EVENT] = zn_attach_perf_event,
    [ZH_WATCHPOINT] = zn_attach_watchpoint,
};

int zn_attach(const struct zn_prog *prog, int prog_fd, struct zn_links *links, char *why,
              size_t why_len)
{
    char dummy[1] = "";
    struct zn_attach a = {.prog = prog,
                          .prog_fd = prog_fd,
                          .links = links,
                          .why = why_len ? why : dummy,
                          .why_len = why_len};
    size_t before = links->n;
    int r;

    if (why_len)
        why[0] = '\0';
    if ((size_t)prog->how >= ZN_ARRAY_SIZE(methods))
        return -EINVAL;
    r = methods[prog->how](&a);
    if (r < 0) {
        close_from(links, before);
        zn_attach_fail(&a, r, "cannot attach %s: %s", prog->name, strerror(-r));
    }
    return r;
}

uint64_t zn_prog_missed(int prog_fd)
{
    struct bpf_prog_info info = {0};
    union bpf_attr attr = {0};

    attr.info.bpf_fd = (uint32_t)prog_fd;
    attr.info.info_len = sizeof(info);
    attr.info.info = (uint64_t)(uintptr_t)&info;
    if (zn_sys_bpf(BPF_OBJ_GET_INFO_BY_FD, &attr, sizeof(attr)) < 0)
        return 0;
    return info.recursion_misses;
}
