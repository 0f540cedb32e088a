/* SPDX-License-Identifier: Apache-2.0 */
/* uprobes and usdt: one perf event a target, or one link per file (uprobe_multi).
 *
 * The kernel itself counts a usdt probe's semaphore up in every process that has the file mapped, now
 * or later, and down again; with a process given only there, and no other pays for the probe. */
#include <errno.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "probes/attach_impl.h"
#include "probes/pmu.h"

/* The 6.1 headers lack uprobe_multi (6.6). */
enum { UPROBE_MULTI = 48, UPROBE_MULTI_RETURN = 1 };
struct link_uprobe_multi {
    uint32_t prog_fd, target_fd, attach_type, flags;
    uint64_t path, offsets, ref_ctr_offsets, cookies;
    uint32_t cnt, multi_flags, pid, pad;
};

static int fill(void *arg, const struct zn_target *t, struct perf_event_attr *attr)
{
    const struct zn_pmu *pmu = arg;

    attr->type = pmu->type;
    attr->config = t->provider == ZP_URETPROBE ? 1ULL << pmu->retprobe_bit : 0;
    attr->config1 = (uint64_t)(uintptr_t)t->module;
    attr->config2 = t->offset;
    if (t->provider == ZP_USDT) /* format/ref_ctr_offset: config:32-63 */
        attr->config |= t->value << 32;
    return 0;
}

static const char *refused(int err)
{
    return err == -EINVAL || err == -ENOTSUPP_KERNEL ? "the kernel allows no probe there" : NULL;
}

int zn_attach_uprobe(struct zn_attach *a)
{
    static const struct zn_perf_way way = {.fill = fill, .refused = refused};
    struct zn_pmu pmu;

    if (zn_pmu_read("uprobe", &pmu) < 0)
        return zn_attach_fail(a, -EOPNOTSUPP,
                              "this kernel has no uprobes (CONFIG_UPROBE_EVENTS is not set)");
    return zn_perf_each(a, &way, &pmu);
}

static int link_file(struct zn_attach *a, uint32_t first, uint32_t n, uint64_t *offsets,
                     uint64_t *cookies, uint64_t *semaphores)
{
    struct link_uprobe_multi attr = {
        .prog_fd = (uint32_t)a->prog_fd,
        .attach_type = UPROBE_MULTI,
        .path = (uint64_t)(uintptr_t)a->prog->att[first].target->module,
        .offsets = (uint64_t)(uintptr_t)offsets,
        .cookies = (uint64_t)(uintptr_t)cookies,
        .ref_ctr_offsets = a->prog->provider == ZP_USDT ? (uint64_t)(uintptr_t)semaphores : 0,
        .cnt = n,
        .multi_flags = a->prog->provider == ZP_URETPROBE ? UPROBE_MULTI_RETURN : 0,
    };
    int fd;

    for (uint32_t i = 0; i < n; i++) {
        offsets[i] = a->prog->att[first + i].target->offset;
        cookies[i] = a->prog->att[first + i].cookie;
        semaphores[i] = a->prog->att[first + i].target->value;
    }
    fd = zn_sys_bpf(BPF_LINK_CREATE, &attr, sizeof(attr));
    if (fd < 0)
        return zn_attach_fail(a, fd, "cannot attach to %u functions of %s: %s", n,
                              a->prog->att[first].target->module, strerror(-fd));
    return zn_link_add(a->links, fd, false, true);
}

/* Targets are sorted by name, hence by file. */
int zn_attach_uprobe_multi(struct zn_attach *a)
{
    uint32_t natt = a->prog->natt;
    ZN_AUTOFREE uint64_t *offsets = calloc(natt + 1, sizeof(*offsets));
    ZN_AUTOFREE uint64_t *cookies = calloc(natt + 1, sizeof(*cookies));
    ZN_AUTOFREE uint64_t *semaphores = calloc(natt + 1, sizeof(*semaphores));
    int r = 0;

    if (!offsets || !cookies || !semaphores)
        return -ENOMEM;
    for (uint32_t i = 0, n; !r && i < natt; i += n) {
        const char *file = a->prog->att[i].target->module;

        for (n = 1; i + n < natt && strcmp(a->prog->att[i + n].target->module, file) == 0; n++)
            ;
        r = link_file(a, i, n, offsets, cookies, semaphores);
    }
    return r;
}
