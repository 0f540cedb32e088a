/* SPDX-License-Identifier: Apache-2.0 */
/* A view of a BTF blob: checked once from end to end, then read in place by id and by name. */
#include "lang/btf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* uapi headers as old as 5.10 lack the later kinds. */
enum {
    KIND_DECL_TAG = 17,
    KIND_TYPE_TAG = 18,
    KIND_ENUM64 = 19,
    KIND_COUNT,
};

#define STEP      8 /* types between two index entries; fewer cost page faults, which cost the most */
#define FEW_FINDS 8  /* names looked for one by one before a table of all names pays */
#define MAX_CHAIN 64 /* typedefs and qualifiers on top of each other; more is a loop */

/* Ids by name, made when many names are asked for ("kprobe:vfs_*" with arguments): 4 bytes a slot. */
struct name_table {
    unsigned finds;
    uint32_t *ids; /* counted from 1 in this blob; 0 is free. Equal names stand in order of ids */
    uint32_t mask;
};

struct zn_btf {
    const struct zn_btf *base;
    struct name_table *table; /* changes behind const: it only makes finding faster */
    const char *types;        /* the type section */
    const char *strs;         /* the string section; first and last byte are NUL */
    uint32_t types_len, strs_len;
    uint32_t first_id;  /* of this blob: 1, or the base's count */
    uint32_t first_str; /* offset that this blob's strings start at: 0, or the base's end */
    uint32_t n;         /* types in this blob */
    uint32_t *off;      /* the offset of every STEP-th of them in the type section */
};

/* Bytes after struct btf_type: fixed + each * vlen. */
static const struct {
    uint8_t fixed, each;
} kinds_tail[32] = {
    [BTF_KIND_INT] = {4, 0},
    [BTF_KIND_ARRAY] = {sizeof(struct btf_array), 0},
    [BTF_KIND_STRUCT] = {0, sizeof(struct btf_member)},
    [BTF_KIND_UNION] = {0, sizeof(struct btf_member)},
    [BTF_KIND_ENUM] = {0, sizeof(struct btf_enum)},
    [BTF_KIND_FUNC_PROTO] = {0, sizeof(struct btf_param)},
    [BTF_KIND_VAR] = {4, 0},
    [BTF_KIND_DATASEC] = {0, 12},
    [KIND_DECL_TAG] = {4, 0},
    [KIND_ENUM64] = {0, 12},
};

static uint32_t type_bytes(const struct btf_type *t)
{
    uint32_t kind = ZN_BTF_KIND(t);

    return (uint32_t)sizeof(*t) + kinds_tail[kind].fixed +
           kinds_tail[kind].each * (uint32_t)ZN_BTF_VLEN(t);
}

static int index_types(struct zn_btf *b)
{
    uint32_t at = 0, n = 0;

    /* Room for the most that could fit; pages that stay untouched cost nothing. */
    b->off = malloc(((size_t)b->types_len / sizeof(struct btf_type) / STEP + 1) * sizeof(*b->off));
    if (!b->off)
        return -ENOMEM;
    while (at < b->types_len) {
        const struct btf_type *t = (const struct btf_type *)(b->types + at);
        uint32_t left = b->types_len - at, kind, size;

        if (left < sizeof(*t))
            return -EINVAL;
        kind = ZN_BTF_KIND(t);
        if (kind == BTF_KIND_UNKN || kind >= KIND_COUNT)
            return -EINVAL;
        size = type_bytes(t);
        if (size > left)
            return -EINVAL;
        if (n % STEP == 0)
            b->off[n / STEP] = at;
        n++;
        at += size;
    }
    b->n = n;
    return n < UINT32_MAX - b->first_id ? 0 : -EINVAL;
}

/* Finds the two sections; every length is compared with what is left, so that no sum overflows. */
static int find_sections(struct zn_btf *b, const char *blob, size_t len)
{
    struct btf_header h;
    size_t body;

    if (len < sizeof(h) || (uintptr_t)blob % 4)
        return -EINVAL;
    memcpy(&h, blob, sizeof(h));
    if (h.magic != BTF_MAGIC || h.version != BTF_VERSION || h.hdr_len < sizeof(h) ||
        h.hdr_len > len || h.hdr_len % 4)
        return -EINVAL;
    body = len - h.hdr_len;
    if (h.type_off % 4 || h.type_off > body || h.type_len > body - h.type_off || h.str_off > body ||
        h.str_len > body - h.str_off)
        return -EINVAL;
    b->types = blob + h.hdr_len + h.type_off;
    b->types_len = h.type_len;
    b->strs = blob + h.hdr_len + h.str_off;
    b->strs_len = h.str_len;
    /* A module may bring no string of its own; then its section may be empty. */
    if (h.str_len == 0)
        return b->base ? 0 : -EINVAL;
    if (b->strs[h.str_len - 1] || (!b->base && b->strs[0]))
        return -EINVAL;
    return h.str_len > UINT32_MAX - b->first_str ? -EINVAL : 0;
}

int zn_btf_open(const void *blob, size_t len, const struct zn_btf *base, struct zn_btf **ret)
{
    struct zn_btf *b = calloc(1, sizeof(*b));
    int r;

    if (!b)
        return -ENOMEM;
    b->table = calloc(1, sizeof(*b->table));
    if (!b->table) {
        free(b);
        return -ENOMEM;
    }
    b->base = base;
    b->first_id = base ? base->first_id + base->n : 1;
    b->first_str = base ? base->first_str + base->strs_len : 0;
    r = find_sections(b, blob, len);
    if (r == 0)
        r = index_types(b);
    if (r < 0) {
        zn_btf_close(b);
        return r;
    }
    *ret = b;
    return 0;
}

void zn_btf_close(struct zn_btf *b)
{
    if (!b)
        return;
    free(b->table->ids);
    free(b->table);
    free(b->off);
    free(b);
}

uint32_t zn_btf_count(const struct zn_btf *b)
{
    return b->first_id + b->n;
}

uint32_t zn_btf_first_id(const struct zn_btf *b)
{
    return b->first_id;
}

const struct zn_btf *zn_btf_base(const struct zn_btf *b)
{
    return b->base;
}

static const struct btf_type *next_type(const struct btf_type *t)
{
    return (const struct btf_type *)((const char *)t + type_bytes(t));
}

static const struct btf_type *first_type(const struct zn_btf *b)
{
    return (const struct btf_type *)b->types;
}

static const struct btf_type *own_type(const struct zn_btf *b, uint32_t i)
{
    const struct btf_type *t = (const struct btf_type *)(b->types + b->off[i / STEP]);

    for (i %= STEP; i; i--)
        t = next_type(t);
    return t;
}

const struct btf_type *zn_btf_type(const struct zn_btf *b, uint32_t id)
{
    while (b && id < b->first_id)
        b = b->base;
    if (!b || id - b->first_id >= b->n)
        return NULL;
    return own_type(b, id - b->first_id);
}

const char *zn_btf_name(const struct zn_btf *b, uint32_t name_off)
{
    while (b && name_off < b->first_str)
        b = b->base;
    if (!b || name_off - b->first_str >= b->strs_len)
        return "";
    return b->strs + (name_off - b->first_str);
}

/* The offset of NAME in this blob's own strings, or 0. */
static uint32_t own_string(const struct zn_btf *b, const char *name, size_t n)
{
    const char *at = b->strs, *end = b->strs + b->strs_len;

    /* A module's first string has no NUL before it. */
    if (b->first_str && b->strs_len > n && memcmp(at, name, n + 1) == 0)
        return b->first_str;
    while (at < end) {
        const char *hit = memmem(at, (size_t)(end - at), name, n + 1);

        if (!hit)
            return 0;
        if (hit > b->strs && hit[-1] == '\0')
            return b->first_str + (uint32_t)(hit - b->strs);
        at = hit + n + 1;
    }
    return 0;
}

uint32_t zn_btf_string(const struct zn_btf *b, const char *name)
{
    size_t n = strlen(name);

    for (; b && n; b = b->base) {
        uint32_t off = own_string(b, name, n);

        if (off)
            return off;
    }
    return 0;
}

static uint32_t hash_name(const char *name)
{
    uint32_t h = 2166136261U;

    while (*name)
        h = (h ^ (uint8_t)*name++) * 16777619U;
    return h ^ h >> 15;
}

static void make_table(const struct zn_btf *b)
{
    const struct btf_type *t = first_type(b);
    struct name_table *table = b->table;
    uint32_t cap = 16;

    while (cap < b->n + b->n / 2)
        cap *= 2;
    table->ids = calloc(cap, sizeof(*table->ids));
    if (!table->ids)
        return; /* then each name is searched for, as before */
    table->mask = cap - 1;
    for (uint32_t i = 0; i < b->n; i++, t = next_type(t)) {
        const char *name = zn_btf_name(b, t->name_off);
        uint32_t at = hash_name(name) & table->mask;

        if (!*name)
            continue;
        while (table->ids[at])
            at = (at + 1) & table->mask;
        table->ids[at] = i + 1;
    }
}

/* The position in b, counted from 1, of the first type of that name and kind; 0: none. */
static uint32_t find_in_table(const struct zn_btf *b, const char *name, uint32_t kinds)
{
    const struct name_table *table = b->table;
    uint32_t at = hash_name(name) & table->mask;

    for (; table->ids[at]; at = (at + 1) & table->mask) {
        const struct btf_type *t = own_type(b, table->ids[at] - 1);

        if ((kinds >> ZN_BTF_KIND(t) & 1) && strcmp(zn_btf_name(b, t->name_off), name) == 0)
            return table->ids[at];
    }
    return 0;
}

static uint32_t find_by_walk(const struct zn_btf *b, uint32_t name_off, uint32_t kinds)
{
    const struct btf_type *t = first_type(b);

    for (uint32_t i = 0; i < b->n; i++, t = next_type(t))
        if (t->name_off == name_off && (kinds >> ZN_BTF_KIND(t) & 1))
            return i + 1;
    return 0;
}

uint32_t zn_btf_find(const struct zn_btf *b, const char *name, uint32_t kinds)
{
    uint32_t name_off = 0;

    for (; *name && b; b = b->base) {
        uint32_t i;

        if (!b->table->ids && b->table->finds++ == FEW_FINDS)
            make_table(b);
        if (b->table->ids) {
            i = find_in_table(b, name, kinds);
        } else {
            /* A module's types may be called by a string of its base, not the other way round. */
            if (!name_off || name_off >= b->first_str + b->strs_len)
                name_off = zn_btf_string(b, name);
            i = name_off ? find_by_walk(b, name_off, kinds) : 0;
        }
        if (i)
            return b->first_id + i - 1;
    }
    return 0;
}

int zn_btf_each(const struct zn_btf *b, uint32_t kinds,
                int (*fn)(void *arg, uint32_t id, const struct btf_type *t), void *arg)
{
    const struct btf_type *t = first_type(b);

    for (uint32_t i = 0; i < b->n; i++, t = next_type(t)) {
        if (kinds >> ZN_BTF_KIND(t) & 1) {
            int r = fn(arg, b->first_id + i, t);

            if (r)
                return r;
        }
    }
    return 0;
}

uint32_t zn_btf_enumerators(const struct btf_type *t)
{
    uint32_t kind = ZN_BTF_KIND(t);

    return kind == BTF_KIND_ENUM || kind == KIND_ENUM64 ? ZN_BTF_VLEN(t) : 0;
}

void zn_btf_enumerator(const struct btf_type *t, uint32_t i, uint32_t *ret_name_off,
                       int64_t *ret_value)
{
    const uint32_t *tail = (const uint32_t *)(t + 1);

    if (ZN_BTF_KIND(t) == BTF_KIND_ENUM) {
        uint32_t v = tail[i * 2 + 1];

        *ret_name_off = tail[i * 2];
        *ret_value = ZN_BTF_KFLAG(t) ? (int64_t)(int32_t)v : (int64_t)v;
        return;
    }
    *ret_name_off = tail[i * 3];
    *ret_value = (int64_t)((uint64_t)tail[i * 3 + 2] << 32 | tail[i * 3 + 1]);
}

uint32_t zn_btf_find_enumerator(const struct zn_btf *b, const char *name, int64_t *ret_value)
{
    uint32_t want = zn_btf_string(b, name);

    for (; b && want; b = b->base) {
        const struct btf_type *t = first_type(b);

        for (uint32_t i = 0; i < b->n; i++, t = next_type(t)) {
            uint32_t n = zn_btf_enumerators(t);

            for (uint32_t k = 0; k < n; k++) {
                uint32_t name_off;
                int64_t value;

                zn_btf_enumerator(t, k, &name_off, &value);
                if (name_off == want) {
                    *ret_value = value;
                    return b->first_id + i;
                }
            }
        }
    }
    return 0;
}

uint32_t zn_btf_skip(const struct zn_btf *b, uint32_t id)
{
    for (unsigned depth = 0; depth < MAX_CHAIN; depth++) {
        const struct btf_type *t = zn_btf_type(b, id);

        if (!t)
            return 0;
        switch (ZN_BTF_KIND(t)) {
        case BTF_KIND_TYPEDEF:
        case BTF_KIND_VOLATILE:
        case BTF_KIND_CONST:
        case BTF_KIND_RESTRICT:
        case KIND_TYPE_TAG: id = t->type; break;
        default: return id;
        }
    }
    return 0;
}

int64_t zn_btf_size(const struct zn_btf *b, uint32_t id)
{
    int64_t n = 1;

    for (unsigned depth = 0; depth < MAX_CHAIN; depth++) {
        const struct btf_type *t = zn_btf_type(b, zn_btf_skip(b, id));
        int64_t size;

        if (!t)
            return -1;
        switch (ZN_BTF_KIND(t)) {
        case BTF_KIND_ARRAY: {
            const struct btf_array *a = (const struct btf_array *)(t + 1);

            if (__builtin_mul_overflow(n, (int64_t)a->nelems, &n))
                return -1;
            id = a->type;
            continue;
        }
        case BTF_KIND_PTR: size = 8; break;
        case BTF_KIND_INT:
        case BTF_KIND_STRUCT:
        case BTF_KIND_UNION:
        case BTF_KIND_ENUM:
        case BTF_KIND_FLOAT:
        case BTF_KIND_DATASEC:
        case KIND_ENUM64: size = t->size; break;
        default: return -1;
        }
        return __builtin_mul_overflow(n, size, &n) ? -1 : n;
    }
    return -1;
}
