/* SPDX-License-Identifier: Apache-2.0 */
/* Reads, clears and zeroes the script's maps. */
#include "rt/maps.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "rt/intern.h"

int zn_mapset_init(struct zn_mapset *s, const struct zn_image *img, uint8_t *data,
                   const struct zn_hash_ops *hash, void *hash_arg)
{
    *s = (struct zn_mapset){.img = img, .data = data, .hash = hash, .hash_arg = hash_arg};
    s->shown = calloc(img->nmaps + 1, sizeof(*s->shown));
    return s->shown ? 0 : -ENOMEM;
}

void zn_mapset_fini(struct zn_mapset *s)
{
    for (uint32_t i = 0; s->shown && i < s->img->nmaps; i++)
        free(s->shown[i]);
    free(s->shown);
    free(s->canon);
    *s = (struct zn_mapset){0};
}

void zn_snap_fini(struct zn_snap *s)
{
    free(s->bytes);
    free(s->v);
    *s = (struct zn_snap){0};
}

/* Room for one more element, zeroed; NULL when memory is out. */
static uint8_t *snap_add(struct zn_snap *s)
{
    size_t need = (size_t)s->key_size + s->val_size;
    if (s->n == s->vcap) {
        uint32_t cap = s->vcap ? s->vcap * 2 : 64;
        struct zn_snap_entry *v = realloc(s->v, cap * sizeof(*v));
        if (!v) {
            s->failed = true;
            return NULL;
        }
        s->v = v;
        s->vcap = cap;
    }
    if (s->used + need > s->cap) {
        size_t cap = ZN_MAX(s->cap * 2, need * 64);
        uint8_t *b = cap > UINT32_MAX ? NULL : realloc(s->bytes, cap);
        if (!b) {
            s->failed = true;
            return NULL;
        }
        s->bytes = b;
        s->cap = cap;
    }
    uint8_t *p = s->bytes + s->used;
    memset(p, 0, need);
    s->v[s->n++] = (struct zn_snap_entry){(uint32_t)s->used, (uint32_t)(s->used + s->key_size)};
    s->used += need;
    return p;
}

static void snap_drop_last(struct zn_snap *s)
{
    s->n--;
    s->used -= (size_t)s->key_size + s->val_size;
}

/* --- cells and ranges, in .data --- */

static uint32_t entries_of(const struct zn_map *m)
{
    return m->kind == ZM_RANGE ? m->range_n : 1;
}

static uint8_t *cell(const struct zn_mapset *s, const struct zn_map *m, uint32_t k, uint32_t cpu)
{
    uint32_t base = m->percpu ? s->img->cpu_off + cpu * s->img->cpu_stride : 0;
    return s->data + base + m->cell_off + (size_t)k * m->cell_stride;
}

static uint64_t word_get(uint64_t *p, bool take)
{
    return take ? __atomic_exchange_n(p, 0, __ATOMIC_ACQ_REL)
                : __atomic_load_n(p, __ATOMIC_RELAXED);
}

/* Merges entry k over the CPUs into value; whether it was ever written. When taking, the mark is
 * cleared before the value is fetched: an event in between leaves a marked zero, never a lost count. */
static bool read_cell(const struct zn_mapset *s, uint32_t map, uint32_t k, bool take, void *value,
                      uint32_t size)
{
    const struct zn_map *m = &s->img->maps[map];
    bool touched = s->shown[map] && s->shown[map][k];
    uint64_t *one = m->percpu ? malloc(size) : NULL;
    for (uint32_t cpu = 0; cpu < (m->percpu ? s->img->ncpu : 1); cpu++) {
        uint8_t *p = cell(s, m, k, cpu);
        uint64_t *src = (uint64_t *)(void *)p, *dst = cpu && one ? one : value;
        if (m->touch_off >= 0 && word_get((uint64_t *)(void *)(p + m->touch_off), take))
            touched = true;
        for (uint32_t i = 0; i < size / 8; i++) {
            dst[i] = word_get(&src[i], take);
            if (m->touch_off < 0 && dst[i])
                touched = true;
        }
        if (cpu && one)
            zn_merge(m->value, size, value, one, false);
    }
    free(one);
    if (take && s->shown[map])
        s->shown[map][k] = 0;
    return touched;
}

static void read_range(struct zn_mapset *s, uint32_t map, bool take, struct zn_snap *snap)
{
    const struct zn_map *m = &s->img->maps[map];
    for (uint32_t k = 0; k < entries_of(m); k++) {
        uint8_t *e = snap_add(snap);
        if (!e)
            return;
        uint64_t key = k;
        if (snap->key_size)
            memcpy(e, &key, sizeof(key));
        if (!read_cell(s, map, k, take, e + snap->key_size, snap->val_size))
            snap_drop_last(snap);
    }
}

/* --- hashes --- */

struct hash_reader {
    const struct zn_image *img;
    const struct zn_map *m;
    struct zn_snap *snap;
};

static void merge_cpus(const struct zn_image *img, const struct zn_map *m, const void *from,
                       void *into, uint32_t size)
{
    size_t stride = ZN_ALIGN_UP((size_t)m->val_size, (size_t)8);
    for (uint32_t cpu = 0; cpu < (m->percpu ? img->ncpu_possible : 1); cpu++)
        zn_merge(m->value, size, into, (const uint8_t *)from + cpu * stride, cpu == 0);
}

static void hash_elem(void *ctx, const void *key, const void *value)
{
    struct hash_reader *h = ctx;
    uint8_t *e = h->snap ? snap_add(h->snap) : NULL;
    if (!e)
        return;
    memcpy(e, key, ZN_MIN(h->m->key_size, h->snap->key_size));
    merge_cpus(h->img, h->m, value, e + h->snap->key_size, h->snap->val_size);
}

static int read_hash(struct zn_mapset *s, uint32_t map, bool take, struct zn_snap *snap)
{
    struct hash_reader h = {s->img, &s->img->maps[map], snap};
    return s->hash->each(s->hash_arg, map, take, hash_elem, &h);
}

int zn_maps_read(struct zn_mapset *s, uint32_t map, bool take, struct zn_snap *ret)
{
    const struct zn_map *m = &s->img->maps[map];
    struct zn_snap snap = {
        .key_size = m->key ? zn_type_stored(m->key) : 0,
        .val_size = zn_type_stored(m->value),
    };
    int r = 0;
    if (m->kind == ZM_HASH)
        r = read_hash(s, map, take, &snap);
    else if (m->kind == ZM_CELL || m->kind == ZM_RANGE)
        read_range(s, map, take, &snap);
    if (!r && m->kind == ZM_RANGE && m->overflow >= 0)
        r = read_hash(s, (uint32_t)m->overflow, take, &snap);
    if (!r && snap.failed)
        r = -ENOMEM;
    if (!r)
        r = zn_intern_unify(s, m, &snap);
    if (r) {
        zn_snap_fini(&snap);
        return r;
    }
    *ret = snap;
    return 0;
}

static int get_hash(struct zn_mapset *s, uint32_t map, const void *key, void *value)
{
    const struct zn_map *m = &s->img->maps[map];
    size_t one = ZN_ALIGN_UP((size_t)m->val_size, (size_t)8);
    ZN_AUTOFREE uint8_t *buf = calloc(m->percpu ? s->img->ncpu_possible : 1, one);
    if (!buf)
        return -ENOMEM;
    int r = s->hash->lookup(s->hash_arg, map, key, buf);
    if (!r)
        merge_cpus(s->img, m, buf, value, zn_type_stored(m->value));
    return r;
}

int zn_maps_get(struct zn_mapset *s, uint32_t map, const void *key, void *value)
{
    const struct zn_map *m = &s->img->maps[map];
    uint64_t k = 0;
    if (m->kind == ZM_HASH)
        return get_hash(s, map, key, value);
    if (m->kind == ZM_RANGE) {
        memcpy(&k, key, sizeof(k));
        if (k >= m->range_n)
            return m->overflow >= 0 ? get_hash(s, (uint32_t)m->overflow, key, value) : -ENOENT;
    }
    return read_cell(s, map, (uint32_t)k, false, value, zn_type_stored(m->value)) ? 0 : -ENOENT;
}

int zn_maps_clear(struct zn_mapset *s, uint32_t map)
{
    struct zn_snap snap = {0};
    int r = zn_maps_read(s, map, true, &snap);
    zn_snap_fini(&snap);
    return r;
}

static int zero_hash(struct zn_mapset *s, uint32_t map)
{
    const struct zn_map *m = &s->img->maps[map];
    struct zn_snap snap = {.key_size = m->key_size, .val_size = zn_type_stored(m->value)};
    size_t one = ZN_ALIGN_UP((size_t)m->val_size, (size_t)8);
    ZN_AUTOFREE uint8_t *zero = calloc(m->percpu ? s->img->ncpu_possible : 1, one);
    if (!zero)
        return -ENOMEM;
    int r = read_hash(s, map, false, &snap);
    for (uint32_t i = 0; i < snap.n && !r; i++) {
        r = s->hash->update(s->hash_arg, map, zn_snap_key(&snap, i), zero);
        if (r == -ENOENT) /* deleted meanwhile */
            r = 0;
    }
    zn_snap_fini(&snap);
    return r;
}

static int zero_range(struct zn_mapset *s, uint32_t map)
{
    const struct zn_map *m = &s->img->maps[map];
    uint32_t n = entries_of(m), size = zn_type_stored(m->value);
    ZN_AUTOFREE uint64_t *value = malloc(size);
    if (!s->shown[map])
        s->shown[map] = calloc(n, 1);
    if (!s->shown[map] || !value)
        return -ENOMEM;
    for (uint32_t k = 0; k < n; k++)
        s->shown[map][k] = read_cell(s, map, k, true, value, size);
    return 0;
}

int zn_maps_zero(struct zn_mapset *s, uint32_t map)
{
    const struct zn_map *m = &s->img->maps[map];
    int r = 0;
    if (m->kind == ZM_HASH)
        return zero_hash(s, map);
    if (m->kind == ZM_CELL || m->kind == ZM_RANGE)
        r = zero_range(s, map);
    if (!r && m->overflow >= 0 && m->kind == ZM_RANGE)
        r = zero_hash(s, (uint32_t)m->overflow);
    return r;
}
