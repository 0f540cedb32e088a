/* SPDX-License-Identifier: Apache-2.0 */
/* The image under construction: interned strings, maps, actions, constant data, cells of .data. */
#include "lang/image.h"

#include <linux/bpf.h>
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "lang/sema.h"

static uint32_t hash_bytes(const char *s, size_t len)
{
    uint32_t h = 2166136261u; /* FNV-1a */
    for (size_t i = 0; i < len; i++)
        h = (h ^ (uint8_t)s[i]) * 16777619u;
    return h;
}

static void rehash(struct zn_cc *cc)
{
    uint32_t n = cc->string_hash_n ? cc->string_hash_n * 2 : 256;
    uint32_t *t = zn_arena_array(cc->arena, uint32_t, n);
    for (uint32_t i = 0; i < cc->img->nstrings; i++) {
        const char *s = cc->img->strings[i];
        uint32_t h = hash_bytes(s, strlen(s)) & (n - 1);
        while (t[h])
            h = (h + 1) & (n - 1);
        t[h] = i + 1;
    }
    cc->string_hash = t;
    cc->string_hash_n = n;
}

uint32_t zn_intern(struct zn_cc *cc, const char *s, size_t len)
{
    if (cc->img->nstrings * 2 >= cc->string_hash_n)
        rehash(cc);
    uint32_t mask = cc->string_hash_n - 1, h = hash_bytes(s, len) & mask;
    for (; cc->string_hash[h]; h = (h + 1) & mask) {
        const char *o = cc->img->strings[cc->string_hash[h] - 1];
        if (strlen(o) == len && memcmp(o, s, len) == 0)
            return cc->string_hash[h] - 1;
    }
    zn_arena_grow(cc->arena, cc->img->strings, cc->img->nstrings, cc->cap_strings);
    cc->img->strings[cc->img->nstrings] = zn_arena_strndup(cc->arena, s, len);
    cc->string_hash[h] = ++cc->img->nstrings;
    return cc->img->nstrings - 1;
}

int32_t zn_image_map(struct zn_cc *cc, const char *name)
{
    zn_arena_grow(cc->arena, cc->img->maps, cc->img->nmaps, cc->cap_maps);
    struct zn_map *m = &cc->img->maps[cc->img->nmaps];
    memset(m, 0, sizeof(*m));
    m->name = name;
    m->touch_off = -1;
    m->overflow = -1;
    return (int32_t)cc->img->nmaps++;
}

uint32_t zn_image_action(struct zn_cc *cc, enum zn_action_kind kind, struct zn_pos pos)
{
    zn_arena_grow(cc->arena, cc->img->actions, cc->img->nactions, cc->cap_actions);
    struct zn_action *a = &cc->img->actions[cc->img->nactions];
    memset(a, 0, sizeof(*a));
    a->kind = kind;
    a->pos = pos;
    a->map = -1;
    return cc->img->nactions++;
}

uint32_t zn_rodata(struct zn_cc *cc, const void *p, uint32_t len, uint32_t align)
{
    uint32_t off = ZN_ALIGN_UP(cc->rodata_len, align);
    if (off + len > cc->rodata_cap) {
        uint32_t cap = ZN_MAX(4096u, cc->rodata_cap * 2);
        while (cap < off + len)
            cap *= 2;
        uint8_t *n = zn_arena_alloc(cc->arena, cap);
        if (cc->rodata_len)
            memcpy(n, cc->rodata, cc->rodata_len);
        cc->rodata = n;
        cc->rodata_cap = cap;
    }
    if (p)
        memcpy(cc->rodata + off, p, len);
    cc->rodata_len = off + len;
    return off;
}

uint32_t zn_rodata_zeroes(struct zn_cc *cc, uint32_t len)
{
    if (cc->zeroes_len < len) {
        cc->zeroes_off = zn_rodata(cc, NULL, len, 8);
        cc->zeroes_len = len;
    }
    return cc->zeroes_off;
}

uint32_t zn_cell_global(struct zn_cc *cc, uint32_t bytes)
{
    uint32_t off = cc->glob_used;
    cc->glob_used += ZN_ALIGN_UP(bytes, 8u);
    return off;
}

uint32_t zn_cell_percpu(struct zn_cc *cc, uint32_t bytes)
{
    uint32_t off = cc->cpu_used;
    cc->cpu_used += ZN_ALIGN_UP(bytes, 8u);
    return off;
}

static void ring(struct zn_map *m, const char *name, uint32_t bytes)
{
    m->name = name;
    m->bpf_type = BPF_MAP_TYPE_RINGBUF;
    m->max_entries = bytes;
}

/* Sizes of the fixed maps, known once everything is lowered. */
void zn_image_finish(struct zn_cc *cc)
{
    struct zn_image *img = cc->img;
    struct zn_map *data = &img->maps[ZN_MAP_DATA], *ro = &img->maps[ZN_MAP_RODATA];
    data->name = ".data";
    data->bpf_type = BPF_MAP_TYPE_ARRAY;
    data->key_size = 4;
    data->max_entries = 1;
    data->flags = BPF_F_MMAPABLE;
    data->val_size = img->data_size;
    if (cc->rodata_len) {
        ro->bpf_type = BPF_MAP_TYPE_ARRAY;
        ro->key_size = 4;
        ro->max_entries = 1;
        ro->flags = BPF_F_RDONLY_PROG;
        ro->val_size = ZN_ALIGN_UP(cc->rodata_len, 8u);
        ro->init = cc->rodata;
    }
    ro->name = ".rodata";
    ring(&img->maps[ZN_MAP_RING], ".ring", 0);
    ring(&img->maps[ZN_MAP_CTL], ".ctl", 0);
    bool data_rec = false, ctl_rec = false;
    for (uint32_t i = 0; i < img->nactions; i++) {
        if (img->actions[i].kind >= ZA_EXIT)
            ctl_rec = true;
        else
            data_rec = true;
    }
    /* What runs only at our own request needs no room for a storm. Both halves of the ring's mapping
     * count as our memory, twice its size. */
    bool hooks = false;
    for (uint32_t i = 0; i < img->nprogs; i++)
        hooks |= img->progs[i].how != ZH_NONE;
    uint32_t ring_bytes = hooks ? 4u << 20 : 1u << 20;
    if (cc->config.ring_pages) {
        ring_bytes = 4096;
        while (ring_bytes < cc->config.ring_pages * 4096u && ring_bytes < (1u << 30))
            ring_bytes *= 2;
    }
    /* A ring that nothing writes is not made. Control records need the data ring's position. */
    img->maps[ZN_MAP_RING].max_entries = data_rec ? ring_bytes : ctl_rec ? 4096 : 0;
    img->maps[ZN_MAP_CTL].max_entries = ctl_rec ? 64u << 10 : 0;
    for (int i = ZN_MAP_RING; i <= ZN_MAP_CTL; i++)
        if (!img->maps[i].max_entries)
            img->maps[i].bpf_type = 0;
    if (cc->scratch_map >= 0)
        img->maps[cc->scratch_map].val_size = 8 + ZN_ALIGN_UP(cc->scratch_size, 8u);
}
