/* SPDX-License-Identifier: Apache-2.0 */
/* Making types, and what can be said of any type: stored size, equality, fields by name. */
#include "lang/type.h"

#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "lang/type_impl.h"

#define FIELD_DEPTH 16 /* anonymous members in each other; C programs have three */

void zn_types_init(struct zn_types *t, struct zn_arena *arena, const struct zn_btf *btf,
                   const struct zn_cdecl *cdecls)
{
    *t = (struct zn_types){
        .arena = arena,
        .btf = btf,
        .cdecls = cdecls,
        .cache = zn_arena_new(arena, struct zn_type_cache),
    };
}

static uint32_t default_size(enum zn_type_kind kind)
{
    switch (kind) {
    case T_BOOL: return 1;
    case T_ENUM: return 4;
    case T_MAC: return 6;
    case T_STRERROR:
    case T_SYSCALL:
    case T_SIGNAME:
    case T_USERNAME: return 4;
    case T_PTR:
    case T_KSYM:
    case T_KSTACK:
    case T_TIMESTAMP:
    case T_CGPATH:
    case T_COUNT:
    case T_SUM: return 8;
    case T_USYM:
    case T_USTACK:
    case T_MIN:
    case T_MAX:
    case T_AVG:
    case T_STATS: return 16;
    case T_INET: return 24;
    default: return 0;
    }
}

struct zn_type *zn_type_new(struct zn_types *t, enum zn_type_kind kind)
{
    struct zn_type *type = zn_arena_new(t->arena, struct zn_type);

    type->kind = kind;
    type->size = default_size(kind);
    type->fmt = -1;
    return type;
}

struct zn_type *zn_type_int(struct zn_types *t, unsigned size, bool sign)
{
    unsigned log = size >= 8 ? 3 : size >= 4 ? 2 : size >= 2 ? 1 : 0;
    struct zn_type **slot = &t->cache->ints[log][sign];

    if (!*slot) {
        *slot = zn_type_new(t, T_INT);
        (*slot)->size = 1U << log;
        (*slot)->sign = sign;
    }
    return *slot;
}

struct zn_type *zn_type_char(struct zn_types *t)
{
    if (!t->cache->chars) {
        t->cache->chars = zn_type_new(t, T_INT);
        t->cache->chars->size = 1;
        t->cache->chars->sign = true;
        t->cache->chars->is_char = true;
        t->cache->chars->name = "char";
    }
    return t->cache->chars;
}

struct zn_type *zn_type_simple(struct zn_types *t, enum zn_type_kind kind)
{
    if (!t->cache->simple[kind])
        t->cache->simple[kind] = zn_type_new(t, kind);
    return t->cache->simple[kind];
}

struct zn_type *zn_type_str(struct zn_types *t, uint32_t cap, bool interned)
{
    struct zn_type *type = zn_type_new(t, T_STR);

    type->size = cap;
    type->interned = interned;
    return type;
}

struct zn_type *zn_type_ptr(struct zn_types *t, struct zn_type *elem, enum zn_space space)
{
    struct zn_type *type = zn_type_new(t, T_PTR);

    type->elem = elem;
    type->space = (uint8_t)space;
    return type;
}

struct zn_type *zn_type_array_checked(struct zn_types *t, struct zn_type *elem, uint32_t n)
{
    struct zn_type *type;
    uint32_t size;

    if (__builtin_mul_overflow(elem->size, n, &size))
        return NULL;
    type = zn_type_new(t, T_ARRAY);
    type->elem = elem;
    type->nelem = n;
    type->size = size;
    return type;
}

struct zn_type *zn_type_array(struct zn_types *t, struct zn_type *elem, uint32_t n)
{
    struct zn_type *type = zn_type_array_checked(t, elem, n);

    return type ? type : zn_type_array_checked(t, elem, 0);
}

struct zn_type *zn_type_tuple(struct zn_types *t, struct zn_type *const *elems,
                              const char *const *names, uint32_t n)
{
    struct zn_type *type = zn_type_new(t, names ? T_RECORD : T_TUPLE);

    type->fields = zn_arena_array(t->arena, struct zn_field, n);
    type->nfields = n;
    type->fields_done = true;
    for (uint32_t i = 0; i < n; i++) {
        type->fields[i].name = names ? names[i] : NULL;
        type->fields[i].type = elems[i];
        type->fields[i].off = type->size;
        type->size += zn_type_stored(elems[i]);
    }
    return type;
}

void zn_type_load_fields(struct zn_types *t, struct zn_type *st)
{
    if (st->kind != T_STRUCT || st->fields_done)
        return;
    st->fields_done = true;
    if (st->btf)
        zn_type_load_btf_fields(t, st);
}

enum { MAX_STRUCTS = 4096 }; /* looked into for one name: types of a hostile file may fan out */

static bool find_field(struct zn_types *t, struct zn_type *st, const char *name, unsigned depth,
                       unsigned *left, struct zn_field *ret)
{
    zn_type_load_fields(t, st);
    for (uint32_t i = 0; i < st->nfields; i++) {
        if (st->fields[i].name && strcmp(st->fields[i].name, name) == 0) {
            *ret = st->fields[i];
            return true;
        }
    }
    if (st->kind != T_STRUCT || depth >= FIELD_DEPTH)
        return false;
    for (uint32_t i = 0; i < st->nfields && *left; i++) {
        const struct zn_field *f = &st->fields[i];

        if (f->name || f->type->kind != T_STRUCT)
            continue;
        (*left)--;
        if (find_field(t, f->type, name, depth + 1, left, ret)) {
            ret->off += f->off;
            return true;
        }
    }
    return false;
}

bool zn_type_field(struct zn_types *t, struct zn_type *st, const char *name, struct zn_field *ret)
{
    unsigned left = MAX_STRUCTS;
    return find_field(t, st, name, 0, &left, ret);
}

void zn_field_set_bits(struct zn_field *f, uint64_t bit, unsigned bits)
{
    uint64_t unit = (uint64_t)f->type->size * 8;

    f->bits = (uint8_t)bits;
    if (unit && bit % unit + bits <= unit) {
        f->off = (uint32_t)(bit / unit * f->type->size);
        f->bit_off = (uint8_t)(bit % unit);
    } else {
        f->off = (uint32_t)(bit / 8);
        f->bit_off = (uint8_t)(bit % 8);
    }
}

static uint32_t struct_align(struct zn_types *t, struct zn_type *st)
{
    uint32_t align = 1;

    if (st->align)
        return st->align;
    st->align = 1; /* stops at structs that a broken BTF puts into themselves */
    zn_type_load_fields(t, st);
    for (uint32_t i = 0; i < st->nfields; i++) {
        uint32_t a = zn_type_align(t, st->fields[i].type);

        /* BTF knows no alignment: a misplaced member or end tells a packed struct. */
        if ((!st->fields[i].bits && st->fields[i].off % a) || st->size % a)
            return 1;
        align = ZN_MAX(align, a);
    }
    st->align = align;
    return align;
}

uint32_t zn_type_align(struct zn_types *t, struct zn_type *type)
{
    while (type->kind == T_ARRAY)
        type = type->elem;
    switch (type->kind) {
    case T_STRUCT: return struct_align(t, type);
    case T_BOOL:
    case T_INT:
    case T_ENUM:
    case T_PTR: return type->size ? type->size : 1;
    case T_VOID:
    case T_STR:
    case T_BUF:
    case T_MAC: return 1;
    default: return 8;
    }
}

bool zn_type_enumerator(struct zn_types *t, const char *name, struct zn_type **ret_enum,
                        int64_t *ret_value)
{
    return zn_type_cdecl_enumerator(t, name, ret_enum, ret_value) ||
           zn_type_btf_enumerator(t, name, ret_enum, ret_value);
}

uint32_t zn_type_stored(const struct zn_type *t)
{
    switch (t->kind) {
    case T_NONE:
    case T_VOID: return 0;
    case T_STR: return t->interned ? 8 : ZN_ALIGN_UP(t->size, 8);
    case T_BUF: return 8 + ZN_ALIGN_UP(t->size, 8);
    case T_ARRAY:
    case T_STRUCT:
    case T_TUPLE:
    case T_RECORD: return ZN_ALIGN_UP(t->size, 8);
    case T_INET: return 24;
    case T_USYM:
    case T_USTACK:
    case T_MIN:
    case T_MAX:
    case T_AVG:
    case T_STATS: return 16;
    case T_HIST: return 8 * zn_hist_buckets(t->size);
    case T_LHIST: return 8 * zn_lhist_buckets(t->lo, t->hi, t->step);
    default: return 8;
    }
}

bool zn_type_is_agg(const struct zn_type *t)
{
    return t->kind >= T_COUNT && t->kind <= T_TSERIES;
}

bool zn_type_is_scalar(const struct zn_type *t)
{
    switch (t->kind) {
    case T_BOOL:
    case T_INT:
    case T_ENUM:
    case T_PTR:
    case T_KSYM:
    case T_KSTACK:
    case T_MAC:
    case T_TIMESTAMP:
    case T_CGPATH:
    case T_STRERROR:
    case T_SYSCALL:
    case T_SIGNAME:
    case T_USERNAME: return true;
    case T_STR: return t->interned;
    default: return false;
    }
}

static bool equal_at(const struct zn_type *a, const struct zn_type *b, unsigned depth);

static bool equal_struct(const struct zn_type *a, const struct zn_type *b)
{
    if (a->btf_id || b->btf_id)
        return a->btf == b->btf && a->btf_id == b->btf_id;
    return a->name && b->name && a->is_union == b->is_union && strcmp(a->name, b->name) == 0;
}

static bool equal_fields(const struct zn_type *a, const struct zn_type *b, unsigned depth)
{
    if (a->nfields != b->nfields)
        return false;
    for (uint32_t i = 0; i < a->nfields; i++) {
        const struct zn_field *f = &a->fields[i], *g = &b->fields[i];

        if (f->name && g->name ? strcmp(f->name, g->name) != 0 : f->name != g->name)
            return false;
        if (!equal_at(f->type, g->type, depth + 1))
            return false;
    }
    return true;
}

static bool equal_at(const struct zn_type *a, const struct zn_type *b, unsigned depth)
{
    if (a == b)
        return true;
    if (a->kind != b->kind || depth > ZN_TYPE_MAX_DEPTH)
        return false;
    switch (a->kind) {
    case T_INT: return a->size == b->size && a->sign == b->sign;
    case T_ENUM:
    case T_STRUCT: return equal_struct(a, b);
    case T_PTR: return equal_at(a->elem, b->elem, depth + 1);
    case T_ARRAY: return a->nelem == b->nelem && equal_at(a->elem, b->elem, depth + 1);
    case T_STR: return a->size == b->size && a->interned == b->interned;
    case T_BUF:
    case T_HIST: return a->size == b->size;
    case T_TUPLE:
    case T_RECORD: return equal_fields(a, b, depth);
    case T_KSTACK:
    case T_USTACK: return a->stack_mode == b->stack_mode && a->stack_depth == b->stack_depth;
    case T_TIMESTAMP: return a->ts_mode == b->ts_mode && a->fmt == b->fmt;
    case T_SUM:
    case T_MIN:
    case T_MAX:
    case T_AVG:
    case T_STATS: return a->sign == b->sign;
    case T_LHIST: return a->lo == b->lo && a->hi == b->hi && a->step == b->step;
    default: return true;
    }
}

bool zn_type_equal(const struct zn_type *a, const struct zn_type *b)
{
    return equal_at(a, b, 0);
}
