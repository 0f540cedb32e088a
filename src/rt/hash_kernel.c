/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel's hash maps, read in batches (5.6) or, where a map has none, key by key. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "rt/bpf.h"
#include "rt/maps.h"

enum { BATCH = 256, ENOTSUPP_KERNEL = 524 };

typedef void (*elem_fn)(void *ctx, const void *key, const void *value);

static size_t value_bytes(const struct zn_image *img, const struct zn_map *m)
{
    size_t one = ZN_ALIGN_UP((size_t)m->val_size, (size_t)8);
    return m->percpu ? one * img->ncpu_possible : m->val_size;
}

struct batch {
    char *keys, *values;
    uint32_t cap;
};

static void batch_fini(struct batch *b)
{
    free(b->keys);
    free(b->values);
}

static int batch_alloc(struct batch *b, uint32_t cap, size_t key, size_t value)
{
    batch_fini(b);
    b->cap = cap;
    b->keys = malloc(cap * key);
    b->values = malloc(cap * value);
    return b->keys && b->values ? 0 : -ENOMEM;
}

/* -ENOSPC: one bucket holds more than a batch; then the batch grows and the bucket is asked again. */
static int each_batch(int fd, const struct zn_map *m, size_t vbytes, bool take, elem_fn fn,
                      void *ctx)
{
    int cmd = take ? BPF_MAP_LOOKUP_AND_DELETE_BATCH : BPF_MAP_LOOKUP_BATCH;
    ZN_CLEANUP(batch_fini) struct batch b = {0};
    int r = batch_alloc(&b, ZN_MIN(BATCH, ZN_MAX(m->max_entries, 1u)), m->key_size, vbytes);
    uint64_t token = 0;
    int first = 1;
    while (!r) {
        uint32_t n = b.cap;
        r = zn_bpf_batch(cmd, fd, &token, first, b.keys, b.values, &n);
        if (r == -ENOSPC && b.cap < m->max_entries) {
            r = batch_alloc(&b, b.cap * 2, m->key_size, vbytes);
            continue;
        }
        if (r && r != -ENOENT)
            return r;
        for (uint32_t i = 0; i < n; i++)
            fn(ctx, b.keys + (size_t)i * m->key_size, b.values + i * vbytes);
        first = 0;
    }
    return r == -ENOENT ? 0 : r;
}

/* Without batches. The next key is asked for before the current one is deleted. */
static int each_key(int fd, const struct zn_map *m, size_t vbytes, bool take, elem_fn fn, void *ctx)
{
    ZN_AUTOFREE char *key = malloc(m->key_size), *next = malloc(m->key_size);
    ZN_AUTOFREE char *value = malloc(vbytes);
    if (!key || !next || !value)
        return -ENOMEM;
    int r = zn_bpf_next_key(fd, NULL, key);
    while (!r) {
        int more = zn_bpf_next_key(fd, key, next);
        if (!zn_bpf_lookup(fd, key, value)) {
            if (take)
                (void)zn_bpf_delete(fd, key);
            fn(ctx, key, value);
        }
        r = more;
        memcpy(key, next, m->key_size);
    }
    return r == -ENOENT ? 0 : r;
}

static int each(void *arg, uint32_t map, bool take, elem_fn fn, void *ctx)
{
    const struct zn_hash_kernel *k = arg;
    const struct zn_map *m = &k->img->maps[map];
    size_t vbytes = value_bytes(k->img, m);
    int fd = k->fd[map];
    if (fd < 0)
        return 0;
    int r = each_batch(fd, m, vbytes, take, fn, ctx);
    if (r == -EINVAL || r == -EOPNOTSUPP || r == -ENOTSUPP_KERNEL)
        r = each_key(fd, m, vbytes, take, fn, ctx);
    return r;
}

static int lookup(void *arg, uint32_t map, const void *key, void *value)
{
    const struct zn_hash_kernel *k = arg;
    return zn_bpf_lookup(k->fd[map], key, value);
}

static int update(void *arg, uint32_t map, const void *key, const void *value)
{
    const struct zn_hash_kernel *k = arg;
    return zn_bpf_update(k->fd[map], key, value, BPF_EXIST);
}

const struct zn_hash_ops zn_hash_kernel_ops = {.each = each, .lookup = lookup, .update = update};
