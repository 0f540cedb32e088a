/* SPDX-License-Identifier: Apache-2.0 */
/* kprobes: one perf event a target, or one link for all (kprobe_multi).
 *
 * The kprobe event source came with Linux 4.17, which raw tracepoints need as well, so the older
 * text interface (kprobe_events) has no user here. */
#include <errno.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "kern/kallsyms.h"
#include "probes/attach_impl.h"
#include "probes/pmu.h"

struct source {
    struct zn_pmu pmu;
    char name[512]; /* the kernel copies it while the event is opened */
};

static int fill(void *arg, const struct zn_target *t, struct perf_event_attr *attr)
{
    struct source *s = arg;
    bool module = t->module && strcmp(t->module, "vmlinux") != 0;

    snprintf(s->name, sizeof(s->name), "%s%s%s", module ? t->module : "", module ? ":" : "",
             t->sym ? t->sym : "");
    attr->type = s->pmu.type;
    attr->config = t->provider == ZP_KRETPROBE ? 1ULL << s->pmu.retprobe_bit : 0;
    attr->config1 = t->sym ? (uint64_t)(uintptr_t)s->name : 0;
    attr->config2 = t->offset;
    return 0;
}

static const char *refused(int err)
{
    switch (err) {
    case -EADDRNOTAVAIL: return "several functions of this kernel have that name";
    case -ENOENT: return "no such function";
    case -EINVAL:
    case -EILSEQ:
    case -EADDRINUSE: return "the kernel allows no probe there";
    default: return NULL;
    }
}

int zn_attach_kprobe(struct zn_attach *a)
{
    static const struct zn_perf_way way = {.fill = fill, .refused = refused};
    struct source s;

    if (zn_pmu_read("kprobe", &s.pmu) < 0)
        return zn_attach_fail(a, -EOPNOTSUPP,
                              "this kernel has no kprobes (CONFIG_KPROBE_EVENTS is not set)");
    return zn_perf_each(a, &way, &s);
}

static int multi_link(struct zn_attach *a, const void *syms, const void *addrs,
                      const uint64_t *cookies)
{
    union bpf_attr attr = {0};
    int fd;

    attr.link_create.prog_fd = (uint32_t)a->prog_fd;
    attr.link_create.attach_type = BPF_TRACE_KPROBE_MULTI;
    attr.link_create.kprobe_multi.flags =
        a->prog->provider == ZP_KRETPROBE ? BPF_F_KPROBE_MULTI_RETURN : 0;
    attr.link_create.kprobe_multi.cnt = a->prog->natt;
    attr.link_create.kprobe_multi.syms = (uint64_t)(uintptr_t)syms;
    attr.link_create.kprobe_multi.addrs = (uint64_t)(uintptr_t)addrs;
    attr.link_create.kprobe_multi.cookies = (uint64_t)(uintptr_t)cookies;
    fd = zn_sys_bpf(BPF_LINK_CREATE, &attr, sizeof(attr));
    return fd < 0 ? fd : zn_link_add(a->links, fd, false, true);
}

static int addresses(const char *const *syms, uint32_t n, uint64_t *addrs)
{
    struct zn_kallsyms *k;
    int r = zn_kallsyms_load(NULL, &k);

    if (r)
        return r;
    for (uint32_t i = 0; !r && i < n; i++)
        r = zn_kallsyms_find(k, syms[i], &addrs[i]) ? 0 : -ENOENT;
    zn_kallsyms_free(k);
    return r;
}

/* By name first: the kernel resolves all in one pass. It refuses names that are twice or not
 * traceable; then by address, which needs a pass over kallsyms here. */
int zn_attach_kprobe_multi(struct zn_attach *a)
{
    uint32_t n = a->prog->natt;
    ZN_AUTOFREE const char **syms = calloc(n + 1, sizeof(*syms));
    ZN_AUTOFREE uint64_t *addrs = calloc(n + 1, sizeof(*addrs));
    ZN_AUTOFREE uint64_t *cookies = calloc(n + 1, sizeof(*cookies));
    int r;

    if (!syms || !addrs || !cookies)
        return -ENOMEM;
    for (uint32_t i = 0; i < n; i++) {
        syms[i] = a->prog->att[i].target->sym;
        cookies[i] = a->prog->att[i].cookie;
    }
    r = multi_link(a, syms, NULL, cookies);
    if (r == -ESRCH || r == -EINVAL || r == -ENOENT) {
        int found = addresses(syms, n, addrs);

        r = found ? r : multi_link(a, NULL, addrs, cookies);
    }
    if (r)
        return zn_attach_fail(a, r, "cannot attach to the %u functions of %s: %s", n,
                              n ? a->prog->att[0].target->name : a->prog->name, strerror(-r));
    return 0;
}
