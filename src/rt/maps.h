/* SPDX-License-Identifier: Apache-2.0 */
/* The script's maps as user space sees them: read and merged over CPUs, cleared, zeroed.
 *
 * Three kinds (lang/image.h): a cell and a range lie in .data, which is mapped; a hash is the
 * kernel's. A reading is a snapshot, so that sorting and printing don't race with the programs. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lang/image.h"

/* How a hash is read; the kernel's in hash_kernel.c, a test's own elsewhere. */
struct zn_hash_ops {
    /* Calls fn for each element (value: val_size bytes, or one such, rounded up to 8, per possible
     * CPU), deleting what it gave when `take`. Returns 0 or -errno. */
    int (*each)(void *arg, uint32_t map, bool take,
                void (*fn)(void *ctx, const void *key, const void *value), void *ctx);
    int (*lookup)(void *arg, uint32_t map, const void *key, void *value); /* -ENOENT: absent */
    int (*update)(void *arg, uint32_t map, const void *key, const void *value);
};

struct zn_mapset {
    const struct zn_image *img;
    uint8_t *data; /* .data */
    const struct zn_hash_ops *hash;
    void *hash_arg;
    uint8_t **shown; /* per image map, or NULL: entries that stay though their value is zero */
    int32_t *canon;  /* per interned string: the first one of the same text; NULL: all differ */
    bool canon_done;
};

struct zn_snap_entry {
    uint32_t key, value; /* offsets in bytes */
};

struct zn_snap {
    uint8_t *bytes; /* owned */
    size_t used, cap;
    struct zn_snap_entry *v; /* owned */
    uint32_t n, vcap;
    uint32_t key_size, val_size; /* stored sizes; key_size 0 for a scalar */
    bool failed;                 /* out of memory: incomplete */
};

int zn_mapset_init(struct zn_mapset *s, const struct zn_image *img, uint8_t *data,
                   const struct zn_hash_ops *hash, void *hash_arg);
void zn_mapset_fini(struct zn_mapset *s);

/* Reads a whole map; take: and empties it, so that no event falls between the two. */
int zn_maps_read(struct zn_mapset *s, uint32_t map, bool take, struct zn_snap *ret);
/* The element of one key (stored form), merged; -ENOENT when it is absent. value: val_size bytes. */
int zn_maps_get(struct zn_mapset *s, uint32_t map, const void *key, void *value);
int zn_maps_clear(struct zn_mapset *s, uint32_t map);
/* Sets all values to zero and keeps the keys. */
int zn_maps_zero(struct zn_mapset *s, uint32_t map);

void zn_snap_fini(struct zn_snap *s);
static inline const void *zn_snap_key(const struct zn_snap *s, uint32_t i)
{
    return s->bytes + s->v[i].key;
}
static inline const void *zn_snap_value(const struct zn_snap *s, uint32_t i)
{
    return s->bytes + s->v[i].value;
}

/* Adds one CPU's value to the sum in `into` (merge.c). `first`: into holds nothing yet. */
void zn_merge(const struct zn_type *t, uint32_t size, void *into, const void *from, bool first);

/* The kernel's hashes: arg is an array of map descriptors by image map. */
struct zn_hash_kernel {
    const struct zn_image *img;
    const int *fd;
};
extern const struct zn_hash_ops zn_hash_kernel_ops;
