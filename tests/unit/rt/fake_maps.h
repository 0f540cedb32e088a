/* SPDX-License-Identifier: Apache-2.0 */
/* A map set over plain memory: .data is an array, each hash a list of elements. */
#pragma once

#include <stdlib.h>

#include "rt/maps.h"

enum { FAKE_ELEMS = 32, FAKE_CPUS = 2, FAKE_MAPS = 8 };

struct fake_hash {
    unsigned n;
    uint64_t key[FAKE_ELEMS][4];
    uint64_t value[FAKE_ELEMS][FAKE_CPUS][4];
};

struct fake {
    struct zn_map maps[FAKE_MAPS];
    struct zn_image img;
    struct zn_mapset set;
    struct fake_hash hash[FAKE_MAPS];
    uint64_t data[1024];
};

static inline int fake_each(void *arg, uint32_t map, bool take,
                            void (*fn)(void *ctx, const void *key, const void *value), void *ctx)
{
    struct fake *f = arg;
    struct fake_hash *h = &f->hash[map];
    uint32_t words = f->maps[map].val_size / 8;
    for (unsigned i = 0; i < h->n; i++) {
        uint64_t v[FAKE_CPUS * 4];
        for (uint32_t cpu = 0; cpu < FAKE_CPUS; cpu++)
            memcpy(v + cpu * words, h->value[i][cpu], words * 8);
        fn(ctx, h->key[i], v);
    }
    if (take)
        h->n = 0;
    return 0;
}

static inline int fake_find(struct fake *f, uint32_t map, const void *key)
{
    struct fake_hash *h = &f->hash[map];
    for (unsigned i = 0; i < h->n; i++)
        if (!memcmp(h->key[i], key, f->maps[map].key_size))
            return (int)i;
    return -ENOENT;
}

static inline int fake_lookup(void *arg, uint32_t map, const void *key, void *value)
{
    struct fake *f = arg;
    int i = fake_find(f, map, key);
    if (i >= 0)
        memcpy(value, f->hash[map].value[i][0], f->maps[map].val_size);
    return i < 0 ? i : 0;
}

static inline int fake_update(void *arg, uint32_t map, const void *key, const void *value)
{
    struct fake *f = arg;
    int i = fake_find(f, map, key);
    if (i < 0)
        return i;
    for (int cpu = 0; cpu < FAKE_CPUS; cpu++)
        memcpy(f->hash[map].value[i][cpu], value, f->maps[map].val_size);
    return 0;
}

static const struct zn_hash_ops fake_ops = {fake_each, fake_lookup, fake_update};

static inline void fake_init(struct fake *f, const char **strings, uint32_t nstrings)
{
    memset(f, 0, sizeof(*f));
    f->img = (struct zn_image){.maps = f->maps,
                               .nmaps = FAKE_MAPS,
                               .strings = strings,
                               .nstrings = nstrings,
                               .cpu_off = 4096,
                               .cpu_stride = 2048,
                               .ncpu = FAKE_CPUS,
                               .ncpu_possible = FAKE_CPUS};
    for (int i = 0; i < FAKE_MAPS; i++)
        f->maps[i].overflow = -1;
    assert_int_equal(zn_mapset_init(&f->set, &f->img, (uint8_t *)f->data, &fake_ops, f), 0);
}

/* An element whose value is one word on the first CPU. */
static inline void fake_add(struct fake *f, uint32_t map, uint64_t k0, uint64_t k1, uint64_t value)
{
    struct fake_hash *h = &f->hash[map];
    h->key[h->n][0] = k0;
    h->key[h->n][1] = k1;
    memset(h->value[h->n], 0, sizeof(h->value[0]));
    h->value[h->n][0][0] = value;
    h->n++;
}

static inline uint64_t *fake_cpu(struct fake *f, unsigned cpu, unsigned off)
{
    return &f->data[(f->img.cpu_off + cpu * f->img.cpu_stride + off) / 8];
}
