/* SPDX-License-Identifier: Apache-2.0 */
/* software:EVENT[:COUNT] and hardware:EVENT[:COUNT]: the events of perf, by the names people use. */
#include "probes/perf_event.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probes/kind.h"

static const struct zn_perf_name software[] = {
    {"alignment-faults", NULL, PERF_COUNT_SW_ALIGNMENT_FAULTS, 1},
    {"bpf-output", NULL, PERF_COUNT_SW_BPF_OUTPUT, 1},
    {"context-switches", "cs", PERF_COUNT_SW_CONTEXT_SWITCHES, 1000},
    {"cpu-clock", "cpu", PERF_COUNT_SW_CPU_CLOCK, 1000000},
    {"cpu-migrations", NULL, PERF_COUNT_SW_CPU_MIGRATIONS, 1},
    {"dummy", NULL, PERF_COUNT_SW_DUMMY, 1},
    {"emulation-faults", NULL, PERF_COUNT_SW_EMULATION_FAULTS, 1},
    {"major-faults", NULL, PERF_COUNT_SW_PAGE_FAULTS_MAJ, 1},
    {"minor-faults", NULL, PERF_COUNT_SW_PAGE_FAULTS_MIN, 100},
    {"page-faults", "faults", PERF_COUNT_SW_PAGE_FAULTS, 100},
    {"task-clock", NULL, PERF_COUNT_SW_TASK_CLOCK, 1000000},
};

static const struct zn_perf_name hardware[] = {
    {"backend-stalls", NULL, PERF_COUNT_HW_STALLED_CYCLES_BACKEND, 1000000},
    {"branch-instructions", "branches", PERF_COUNT_HW_BRANCH_INSTRUCTIONS, 100000},
    {"branch-misses", NULL, PERF_COUNT_HW_BRANCH_MISSES, 100000},
    {"bus-cycles", NULL, PERF_COUNT_HW_BUS_CYCLES, 100000},
    {"cache-misses", NULL, PERF_COUNT_HW_CACHE_MISSES, 1000000},
    {"cache-references", NULL, PERF_COUNT_HW_CACHE_REFERENCES, 1000000},
    {"cpu-cycles", "cycles", PERF_COUNT_HW_CPU_CYCLES, 1000000},
    {"frontend-stalls", NULL, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND, 1000000},
    {"instructions", NULL, PERF_COUNT_HW_INSTRUCTIONS, 1000000},
    {"ref-cycles", NULL, PERF_COUNT_HW_REF_CPU_CYCLES, 1000000},
};

static const struct zn_perf_name *find(const struct zn_perf_name *v, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(v[i].name, name) == 0 || (v[i].alias && strcmp(v[i].alias, name) == 0))
            return &v[i];
    return NULL;
}

const struct zn_perf_name *zn_perf_find(bool hw, const char *name)
{
    return hw ? find(hardware, ZN_ARRAY_SIZE(hardware), name)
              : find(software, ZN_ARRAY_SIZE(software), name);
}

static int unknown(struct zn_expand *x, const struct zn_perf_name *v, size_t n)
{
    const char *names[2 * ZN_MAX(ZN_ARRAY_SIZE(software), ZN_ARRAY_SIZE(hardware))];
    size_t k = 0;

    for (size_t i = 0; i < n; i++) {
        names[k++] = v[i].name;
        if (v[i].alias)
            names[k++] = v[i].alias;
    }
    zn_suggest(x, x->spec->parts[0], names, k);
    return zn_fail(x, -ENOENT, "unknown %s event: '%s'", x->spec->provider->name,
                   x->spec->parts[0]);
}

static int expand(struct zn_expand *x, const struct zn_perf_name *v, size_t n)
{
    const struct zn_attach_spec *s = x->spec;
    const struct zn_perf_name *e;
    uint64_t count;

    if (s->nparts == 0 || s->nparts > 2)
        return zn_fail(x, -EINVAL, "%s needs an event: %s", s->provider->name, s->provider->syntax);
    if (zn_is_glob(s->parts[0]))
        return zn_fail(x, -EINVAL, "%s events take no wildcards", s->provider->name);
    e = find(v, n, s->parts[0]);
    if (!e)
        return unknown(x, v, n);
    count = e->count;
    if (s->nparts == 2 && *s->parts[1]) {
        char *end;

        errno = 0;
        count = strtoull(s->parts[1], &end, 10);
        if (*end == 'e' && end[1] >= '0' && end[1] <= '9' && !end[2]) { /* 1e6 */
            for (int i = end[1] - '0'; i && count < INT64_MAX / 10; i--)
                count *= 10;
            end += 2;
        }
        if (*end || errno || count == 0 || count > INT64_MAX)
            return zn_fail(x, -EINVAL, "invalid count of %s:%s: '%s'", s->provider->name,
                           s->parts[0], s->parts[1]);
    }

    struct zn_target *t = zn_push(x);

    t->sym = e->name;
    t->value = count;
    t->name = s->nparts == 2 ? zn_arena_printf(x->arena, "%s:%s:%s", s->provider->name, s->parts[0],
                                               s->parts[1])
                             : zn_arena_printf(x->arena, "%s:%s:", s->provider->name, s->parts[0]);
    return 0;
}

int zn_expand_software(struct zn_expand *x)
{
    return expand(x, software, ZN_ARRAY_SIZE(software));
}

int zn_expand_hardware(struct zn_expand *x)
{
    return expand(x, hardware, ZN_ARRAY_SIZE(hardware));
}

static int list(struct zn_list *l, const struct zn_perf_name *v, size_t n)
{
    char name[64];
    int r = 0;

    for (size_t i = 0; !r && i < n; i++) {
        snprintf(name, sizeof(name), "%s:%s:", l->provider->name, v[i].name);
        r = zn_list_emit(l, name);
        if (r || !v[i].alias)
            continue;
        snprintf(name, sizeof(name), "%s:%s:", l->provider->name, v[i].alias);
        r = zn_list_emit(l, name);
    }
    return r;
}

int zn_list_software(struct zn_list *l)
{
    return list(l, software, ZN_ARRAY_SIZE(software));
}

int zn_list_hardware(struct zn_list *l)
{
    return list(l, hardware, ZN_ARRAY_SIZE(hardware));
}
