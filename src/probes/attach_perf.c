/* SPDX-License-Identifier: Apache-2.0 */
/* Perf events: tracepoints by id, and clocks and counters on every CPU. */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "kern/tracefs.h"
#include "probes/attach_impl.h"
#include "probes/perf_event.h"

static int fill_tp(void *arg, const struct zn_target *t, struct perf_event_attr *attr)
{
    uint64_t id = 0;
    int r = zn_event_id(arg, t->module, t->sym, &id);

    attr->type = PERF_TYPE_TRACEPOINT;
    attr->config = id;
    attr->sample_period = 1;
    attr->wakeup_events = 1;
    return r;
}

int zn_attach_perf_tp(struct zn_attach *a)
{
    static const struct zn_perf_way way = {.fill = fill_tp};
    char tracefs[ZN_TRACEFS_PATH];

    if (zn_tracefs_find(tracefs) < 0)
        return zn_attach_fail(a, -ENODEV, "cannot attach to tracepoints: tracefs cannot be read");
    return zn_perf_each(a, &way, tracefs);
}

static int clock_attr(const struct zn_target *t, struct perf_event_attr *attr)
{
    attr->type = PERF_TYPE_SOFTWARE;
    attr->config = PERF_COUNT_SW_CPU_CLOCK;
    if (strcmp(t->sym, "hz") == 0) {
        attr->freq = 1;
        attr->sample_freq = t->value;
    } else {
        attr->sample_period = t->value;
    }
    return 0;
}

static int event_attr(const struct zn_target *t, struct perf_event_attr *attr)
{
    bool hw = t->provider == ZP_HARDWARE;
    const struct zn_perf_name *e = zn_perf_find(hw, t->sym);

    if (!e)
        return -EINVAL;
    attr->type = hw ? PERF_TYPE_HARDWARE : PERF_TYPE_SOFTWARE;
    attr->config = e->config;
    attr->sample_period = t->value;
    return 0;
}

/* One target on every CPU that is online; "0-3,8". An interval needs only one. */
int zn_perf_on_cpus(struct zn_attach *a, struct perf_event_attr *attr, uint64_t cookie, bool one)
{
    ZN_AUTOFREE char *online = NULL;
    int r = zn_file_read("/sys/devices/system/cpu/online", 65536, &online, NULL);
    const char *p = online;

    while (!r && p && *p >= '0' && *p <= '9') {
        char *end;
        long first = strtol(p, &end, 10), last = *end == '-' ? strtol(end + 1, &end, 10) : first;

        for (long cpu = first; !r && cpu <= last; cpu++) {
            r = zn_perf_attach(a, attr, (int)cpu, cookie);
            if (r == -ENODEV && !one) /* it went offline meanwhile */
                r = 0;
            if (one)
                return r;
        }
        p = *end == ',' ? end + 1 : NULL;
    }
    return r;
}

int zn_attach_perf_event(struct zn_attach *a)
{
    for (uint32_t i = 0; i < a->prog->natt; i++) {
        const struct zn_target *t = a->prog->att[i].target;
        struct perf_event_attr attr = {.size = sizeof(attr)};
        bool is_clock = t->provider == ZP_PROFILE || t->provider == ZP_INTERVAL;
        int r = is_clock ? clock_attr(t, &attr) : event_attr(t, &attr);

        if (!r)
            r = zn_perf_on_cpus(a, &attr, a->prog->att[i].cookie, t->provider == ZP_INTERVAL);
        if ((r == -ENOENT || r == -ENODEV || r == -EOPNOTSUPP) && t->provider == ZP_HARDWARE)
            return zn_attach_fail(a, r, "cannot attach to %s: this machine has no such counter",
                                  t->name);
        if (r)
            return zn_attach_fail(a, r, "cannot attach to %s: %s", t->name, strerror(-r));
    }
    return 0;
}
