/* SPDX-License-Identifier: Apache-2.0 */
/* The account of what was lost, by probe and reason. */
#include <string.h>

#include "base/mem.h"
#include "rt/session.h"

static const char *const reasons[_ZL_MAX] = {
    [ZL_RING] = "no room in the ring buffer",
    [ZL_FULL] = "map full",
    [ZL_NESTED] = "interrupted itself too deeply",
    [ZL_STACK] = "stack not kept",
    [ZL_LOOP] = "loop stopped after 8 million turns",
    [ZL_TRUNC] = "strings cut short",
    [ZL_UNREAD] = "strings not readable (shown as empty)",
};

static uint64_t loss(const struct zn_session *s, uint32_t probe, unsigned why)
{
    const struct zn_image *img = s->img;
    uint64_t *v = (uint64_t *)(void *)(s->ld.data + img->loss_off);
    return __atomic_load_n(&v[(size_t)probe * _ZL_MAX + why], __ATOMIC_RELAXED);
}

/* Events lost; cut or unread strings are no lost events. */
static uint64_t lost_of(const struct zn_session *s, uint32_t probe)
{
    uint64_t n = 0;
    for (unsigned i = 0; i < _ZL_MAX; i++)
        n += i == ZL_TRUNC || i == ZL_UNREAD ? 0 : loss(s, probe, i);
    return n;
}

static uint64_t lost_total(const struct zn_session *s)
{
    uint64_t n = 0;
    for (uint32_t i = 0; s->ld.data && i < s->img->nprobes; i++)
        n += lost_of(s, i);
    return n;
}

/* A full map is told once for each probe, as bpftrace tells it. */
static void say_full(struct zn_session *s, uint32_t probe)
{
    uint64_t bit = 1ULL << probe % 64;
    if (s->out->json || s->opts->no_warnings || (s->full_shown & bit) || !loss(s, probe, ZL_FULL))
        return;
    s->full_shown |= bit;
    struct zn_diag d = {
        .severity = ZN_WARNING,
        .pos = s->img->probes[probe].pos,
        .msg =
            "Map full; can't update element. Try increasing max_map_keys config or manually setting "
            "the max entries in a map declaration e.g. `let @a = hash(5000)`",
    };
    ZN_AUTOSTR struct zn_str out;
    zn_str_init(&out);
    zn_diag_render(&s->img->src, &d, s->opts->color, &out);
    zn_out_notice(s->out, "%s", zn_str_c(&out));
}

static void say(struct zn_session *s, uint64_t n)
{
    if (s->out->json) {
        zn_str_printf(
            &s->out->buf,
            "{\"type\": \"lost_events\", \"count\": %llu, \"data\": {\"events\": %llu}}\n",
            (unsigned long long)n, (unsigned long long)n);
        return;
    }
    zn_out_notice(s->out, "Lost %llu events\n", (unsigned long long)n);
}

void zn_losses_live(struct zn_session *s)
{
    uint64_t n = lost_total(s);
    if (n > s->lost_shown) {
        for (uint32_t i = 0; i < s->img->nprobes; i++)
            say_full(s, i);
        say(s, n - s->lost_shown);
    }
    s->lost_shown = n;
}

static void say_probe(struct zn_session *s, uint32_t probe)
{
    ZN_AUTOSTR struct zn_str t;
    zn_str_init(&t);
    const char *name = s->img->probes[probe].name;
    for (unsigned i = 0; i < _ZL_MAX; i++) {
        uint64_t n = loss(s, probe, i);
        if (n)
            zn_str_printf(&t, "%s%llu %s", t.len ? ", " : "", (unsigned long long)n, reasons[i]);
    }
    if (t.len)
        zn_out_notice(s->out, "  %s: %s\n", name ? name : "?", zn_str_c(&t));
}

static void say_missed(struct zn_session *s)
{
    for (uint32_t i = 0; i < s->img->nprogs; i++) {
        const struct zn_prog *p = &s->img->progs[i];
        uint64_t n = p->how == ZH_NONE ? 0 : zn_prog_missed(s->ld.prog_fd[i]);
        uint32_t probe = p->natt ? p->att[0].probe : 0;
        const char *name =
            p->natt && probe < s->img->nprobes ? s->img->probes[probe].name : p->name;
        if (n)
            zn_out_notice(s->out, "  %s: %llu hits not seen, the program was already running\n",
                          name ? name : "?", (unsigned long long)n);
    }
}

void zn_losses_final(struct zn_session *s)
{
    zn_losses_live(s);
    if (s->lost_shown)
        zn_out_notice(s->out, "WARNING: Total lost event count: %llu\n",
                      (unsigned long long)s->lost_shown);
    for (uint32_t i = 0; s->ld.data && i < s->img->nprobes; i++)
        say_probe(s, i);
    say_missed(s);
    if (s->not_run)
        zn_out_notice(s->out, "WARNING: %llu calls of system() were not run\n",
                      (unsigned long long)s->not_run);
    if (s->bad_records)
        zn_out_notice(s->out, "WARNING: %llu malformed records\n",
                      (unsigned long long)s->bad_records);
}
