/* SPDX-License-Identifier: Apache-2.0 */
/* Where each map lives: a cell, a range of cells, or a kernel hash. One table of rules.
 *
 *   scalar                                   cell in .data, one per CPU when it aggregates
 *   keys known to be in [0, n), n <= 4096    cells in .data (+ a hash for what lies beyond)
 *   keys that are target constants           the same, indexed by interned string
 *   aggregating, small, never read by the    per-CPU hash
 *     program
 *   anything else                            shared hash, updated by atomic adds */
#include <linux/bpf.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "lang/lower.h"
#include "lang/sema.h"

enum {
    RANGE_MAX = 4096,         /* entries */
    RANGE_BYTES = 512u << 10, /* bytes per CPU of a range */
    PERCPU_BYTES = 1u << 20,  /* entries * value * CPUs of a per-CPU hash */
    GROWING_KEYS = 65536,     /* cap of a map that is not preallocated */
    DEFAULT_KEYS = 4096,
};

/* A written key says nothing by being zero for these. */
static bool value_shows_touch(const struct zn_type *t)
{
    return t->kind == T_COUNT || t->kind == T_AVG || t->kind == T_STATS || t->kind == T_HIST ||
           t->kind == T_LHIST;
}

static uint32_t key_bytes(const struct zn_type *k)
{
    return k ? zn_type_stored(k) : 4;
}

static bool wants_percpu(const struct zn_mapsym *s)
{
    return zn_type_is_agg(s->value) && !s->sync_read && !s->presence && !s->iterated;
}

static void place_cell(struct zn_cc *cc, struct zn_map *m, struct zn_mapsym *s, uint32_t n)
{
    uint32_t size = zn_type_stored(s->value);
    if (!value_shows_touch(s->value)) {
        m->touch_off = (int32_t)size;
        size += 8;
    }
    m->percpu = wants_percpu(s);
    m->cell_stride = size;
    m->range_n = n;
    n = zn_pow2_up(n); /* the index is masked */
    m->cell_off = m->percpu ? zn_cell_percpu(cc, size * n) : zn_cell_global(cc, size * n);
}

static uint32_t max_keys(struct zn_cc *cc, const struct zn_mapsym *s, uint32_t *flags)
{
    bool grows = zn_has(cc, ZF_KTIME_TAI); /* 6.1: allocation is safe in every context */
    if (grows)
        *flags |= BPF_F_NO_PREALLOC;
    if (s->decl_max)
        return (uint32_t)ZN_MIN(s->decl_max, (int64_t)1 << 24);
    if (cc->config.max_map_keys)
        return cc->config.max_map_keys;
    return grows ? GROWING_KEYS : DEFAULT_KEYS;
}

static void place_hash(struct zn_cc *cc, struct zn_map *m, struct zn_mapsym *s, uint32_t extra)
{
    m->bpf_type = BPF_MAP_TYPE_HASH;
    m->key_size = key_bytes(m->key);
    m->val_size = zn_type_stored(s->value) + extra;
    m->max_entries = max_keys(cc, s, &m->flags);
    uint64_t bytes = (uint64_t)DEFAULT_KEYS * m->val_size * cc->img->ncpu;
    bool percpu = wants_percpu(s) && bytes <= PERCPU_BYTES;
    if (s->decl_kind) {
        bool lru = strstr(s->decl_kind, "lru") != NULL;
        percpu = strstr(s->decl_kind, "percpu") && zn_type_is_agg(s->value) && !s->sync_read;
        if (lru) {
            m->bpf_type = percpu ? BPF_MAP_TYPE_LRU_PERCPU_HASH : BPF_MAP_TYPE_LRU_HASH;
            m->flags &= ~(uint32_t)BPF_F_NO_PREALLOC;
        }
    }
    if (percpu && m->bpf_type == BPF_MAP_TYPE_HASH)
        m->bpf_type = BPF_MAP_TYPE_PERCPU_HASH;
    m->percpu = percpu;
    if (m->val_size > 1024) /* large values: take room as they come */
        m->max_entries = ZN_MIN(m->max_entries, (uint32_t)DEFAULT_KEYS);
}

/* Interns every string that a map's keys can be, so that its range is known. */
static void intern_keys(struct zn_cc *cc, const struct zn_mapsym *s)
{
    for (struct zn_keyuse *u = s->keyuses; u; u = u->next) {
        for (uint32_t i = 0; i < u->body->ntargets; i++) {
            const char *z;
            size_t len;
            if (zn_const_str(cc, u->body, &u->body->targets[i], u->key, &z, &len))
                zn_intern(cc, z, len);
            if (u->key->kind == N_STR)
                break;
        }
    }
}

/* Fields of all structs within a type, for printing. */
void zn_load_all(struct zn_cc *cc, struct zn_type *t)
{
    if (t->kind == T_STRUCT && !t->fields_done)
        zn_type_load_fields(&cc->types, t);
    else if (t->kind == T_STRUCT)
        return; /* seen */
    if (t->kind == T_ARRAY && t->elem)
        zn_load_all(cc, t->elem);
    if (t->kind == T_STRUCT || t->kind == T_TUPLE || t->kind == T_RECORD)
        for (uint32_t i = 0; i < t->nfields; i++)
            zn_load_all(cc, t->fields[i].type);
}

static void place(struct zn_cc *cc, struct zn_mapsym *s)
{
    if (!s->value)
        return;
    zn_load_all(cc, s->value);
    if (s->key)
        zn_load_all(cc, s->key);
    int32_t no = zn_image_map(cc, s->name);
    struct zn_map *m = &cc->img->maps[no];
    s->image_map = no;
    m->key = s->key;
    m->value = s->value;
    uint32_t cell = zn_type_stored(s->value) + 8;
    if (!s->keyed) {
        m->kind = ZM_CELL;
        place_cell(cc, m, s, 1);
        return;
    }
    bool plain = !s->decl_kind && !s->presence && !s->iterated;
    if (plain && s->key_strs && s->key->kind == T_STR && s->key->interned) {
        intern_keys(cc, s);
        uint32_t n = cc->img->nstrings;
        if (n && n <= RANGE_MAX && n * cell <= RANGE_BYTES) {
            m->kind = ZM_RANGE;
            place_cell(cc, m, s, n);
            return;
        }
    }
    bool ints = s->key->kind == T_INT || s->key->kind == T_BOOL;
    if (plain && ints && s->range_ok && s->key_range > 0 && s->key_range <= RANGE_MAX &&
        (uint64_t)s->key_range * cell <= RANGE_BYTES) {
        m->kind = ZM_RANGE;
        place_cell(cc, m, s, (uint32_t)s->key_range);
        if (s->key_range_exact < 0) { /* the range is only likely */
            int32_t rest = zn_image_map(cc, s->name);
            m = &cc->img->maps[no];
            struct zn_map *h = &cc->img->maps[rest];
            h->kind = ZM_HASH;
            h->hidden = true;
            h->key = s->key;
            h->value = s->value;
            place_hash(cc, h, s, m->touch_off >= 0 ? 8 : 0);
            m->overflow = rest;
        }
        return;
    }
    m->kind = ZM_HASH;
    place_hash(cc, m, s, 0);
}

void zn_pass_map(struct zn_cc *cc)
{
    struct zn_image *img = cc->img;
    static const char *const internal[ZN_MAP_FIRST] = {
        [ZN_MAP_DATA] = ".data",
        [ZN_MAP_RODATA] = ".rodata",
        [ZN_MAP_RING] = ".ring",
        [ZN_MAP_CTL] = ".ctl",
    };
    for (int i = 0; i < ZN_MAP_FIRST; i++)
        zn_image_map(cc, internal[i]);
    img->ncpu_possible = cc->env->ncpu_possible;
    img->ncpu = 1;
    while (img->ncpu < cc->env->ncpu_possible)
        img->ncpu *= 2;
    img->loss_off = 64;
    cc->glob_used = img->loss_off + cc->nbodies * _ZL_MAX * 8;
    for (struct zn_mapsym *s = cc->maps; s; s = s->next)
        place(cc, s);
    img->cpu_off = ZN_ALIGN_UP(cc->glob_used, 64u);
    img->cpu_stride = ZN_ALIGN_UP(ZN_MAX(cc->cpu_used, 8u), 64u);
    img->data_size = img->cpu_off + (cc->cpu_used ? img->ncpu * img->cpu_stride : 64);
    cc->scratch_map = cc->stacks_map = -1;
}
