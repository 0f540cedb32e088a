/* SPDX-License-Identifier: Apache-2.0 */
/* Types of the kernel: from BTF, on demand, each id once. */
#include <string.h>

#include "base/arena.h"
#include "lang/btf.h"
#include "lang/type_impl.h"

enum { KIND_TYPE_TAG = 18, KIND_ENUM64 = 19 };

static uint32_t slot_hash(const struct zn_btf *btf, uint32_t id)
{
    return (uint32_t)(((uintptr_t)btf >> 4) + id) * 2654435761U;
}

static struct zn_btf_slot *find_slot(struct zn_btf_slot *slots, uint32_t cap,
                                     const struct zn_btf *btf, uint32_t id)
{
    uint32_t i = slot_hash(btf, id) & (cap - 1);

    while (slots[i].btf && (slots[i].btf != btf || slots[i].id != id))
        i = (i + 1) & (cap - 1);
    return &slots[i];
}

static struct zn_type *cached(const struct zn_type_cache *c, const struct zn_btf *btf, uint32_t id)
{
    return c->btf_cap ? find_slot(c->btf, c->btf_cap, btf, id)->type : NULL;
}

static void remember(struct zn_types *t, const struct zn_btf *btf, uint32_t id,
                     struct zn_type *type)
{
    struct zn_type_cache *c = t->cache;
    struct zn_btf_slot *slot;

    if (c->nbtf * 4 >= c->btf_cap * 3) {
        uint32_t cap = c->btf_cap ? c->btf_cap * 2 : 64;
        struct zn_btf_slot *slots = zn_arena_array(t->arena, struct zn_btf_slot, cap);

        for (uint32_t i = 0; i < c->btf_cap; i++)
            if (c->btf[i].btf)
                *find_slot(slots, cap, c->btf[i].btf, c->btf[i].id) = c->btf[i];
        c->btf = slots;
        c->btf_cap = cap;
    }
    slot = find_slot(c->btf, c->btf_cap, btf, id);
    c->nbtf += !slot->btf;
    *slot = (struct zn_btf_slot){btf, id, type};
}

static const char *name_or_null(const struct zn_btf *btf, uint32_t off)
{
    const char *name = zn_btf_name(btf, off);

    return *name ? name : NULL;
}

static struct zn_type *int_type(struct zn_types *t, const struct zn_btf *btf,
                                const struct btf_type *bt)
{
    uint32_t info = *(const uint32_t *)(bt + 1);
    const char *name = zn_btf_name(btf, bt->name_off);
    bool sign = BTF_INT_ENCODING(info) & BTF_INT_SIGNED;
    struct zn_type *type;

    if (BTF_INT_ENCODING(info) & BTF_INT_BOOL && bt->size == 1)
        return zn_type_simple(t, T_BOOL);
    if (bt->size == 1 && strcmp(name, "char") == 0) {
        type = zn_type_new(t, T_INT);
        type->size = 1;
        type->sign = sign;
        type->is_char = true;
        type->name = "char";
        return type;
    }
    switch (bt->size) {
    case 1:
    case 2:
    case 4:
    case 8: return zn_type_int(t, bt->size, sign);
    case 16: /* __int128: two words */ return zn_type_array(t, zn_type_int(t, 8, false), 2);
    default: return zn_type_simple(t, T_VOID);
    }
}

static struct zn_type *enum_type(struct zn_types *t, const struct zn_btf *btf, uint32_t id,
                                 const struct btf_type *bt)
{
    struct zn_type *type = zn_type_new(t, T_ENUM);

    if (bt->size == 1 || bt->size == 2 || bt->size == 8)
        type->size = bt->size;
    type->sign = ZN_BTF_KFLAG(bt);
    type->name = name_or_null(btf, bt->name_off);
    type->btf_id = id;
    type->btf = btf;
    type->nenums = zn_btf_enumerators(bt);
    type->enums = zn_arena_array(t->arena, struct zn_enumerator, type->nenums);
    for (uint32_t i = 0; i < type->nenums; i++) {
        uint32_t name_off;

        zn_btf_enumerator(bt, i, &name_off, &type->enums[i].value);
        type->enums[i].name = zn_btf_name(btf, name_off);
    }
    return type;
}

static struct zn_type *struct_type(struct zn_types *t, const struct zn_btf *btf, uint32_t id,
                                   const struct btf_type *bt)
{
    struct zn_type *type = zn_type_new(t, T_STRUCT);
    uint32_t kind = ZN_BTF_KIND(bt);

    type->name = name_or_null(btf, bt->name_off);
    type->btf_id = id;
    type->btf = btf;
    type->is_union = kind == BTF_KIND_UNION || (kind == BTF_KIND_FWD && ZN_BTF_KFLAG(bt));
    type->size = kind == BTF_KIND_FWD ? 0 : bt->size;
    type->fields_done = kind == BTF_KIND_FWD;
    return type;
}

static struct zn_type *from_btf(struct zn_types *t, const struct zn_btf *btf, uint32_t id,
                                unsigned depth);

/* True when one of the tags between a pointer and its pointee is "user". */
static bool has_user_tag(const struct zn_btf *btf, uint32_t id)
{
    for (unsigned depth = 0; depth < ZN_TYPE_MAX_DEPTH; depth++) {
        const struct btf_type *bt = zn_btf_type(btf, id);
        uint32_t kind = bt ? ZN_BTF_KIND(bt) : 0;

        if (kind == KIND_TYPE_TAG && strcmp(zn_btf_name(btf, bt->name_off), "user") == 0)
            return true;
        if (kind != KIND_TYPE_TAG && kind != BTF_KIND_CONST && kind != BTF_KIND_VOLATILE &&
            kind != BTF_KIND_RESTRICT && kind != BTF_KIND_TYPEDEF)
            return false;
        id = bt->type;
    }
    return false;
}

static struct zn_type *ptr_type(struct zn_types *t, const struct zn_btf *btf, uint32_t id,
                                const struct btf_type *bt, unsigned depth)
{
    bool user = has_user_tag(btf, bt->type);
    struct zn_type *type = zn_type_ptr(t, NULL, user ? ZN_SPACE_USER : ZN_SPACE_NONE);

    type->user_tag = user;
    type->elem = zn_type_simple(t, T_VOID);
    remember(t, btf, id, type); /* before its pointee, which may point back */
    type->elem = from_btf(t, btf, bt->type, depth + 1);
    return type;
}

static struct zn_type *array_type(struct zn_types *t, const struct zn_btf *btf,
                                  const struct btf_type *bt, unsigned depth)
{
    const struct btf_array *a = (const struct btf_array *)(bt + 1);
    struct zn_type *elem = from_btf(t, btf, a->type, depth + 1), *type;

    if (elem->kind == T_VOID)
        return elem;
    type = zn_type_array_checked(t, elem, a->nelems);
    return type ? type : zn_type_simple(t, T_VOID);
}

static struct zn_type *from_btf(struct zn_types *t, const struct zn_btf *btf, uint32_t id,
                                unsigned depth)
{
    const struct btf_type *bt;
    struct zn_type *type;

    if (!btf || depth > ZN_TYPE_MAX_DEPTH)
        return zn_type_simple(t, T_VOID);
    id = zn_btf_skip(btf, id);
    while (zn_btf_base(btf) && id < zn_btf_first_id(btf))
        btf = zn_btf_base(btf); /* modules share the types of vmlinux */
    bt = zn_btf_type(btf, id);
    if (!bt)
        return zn_type_simple(t, T_VOID);
    type = cached(t->cache, btf, id);
    if (type)
        return type;
    switch (ZN_BTF_KIND(bt)) {
    case BTF_KIND_INT: type = int_type(t, btf, bt); break;
    case BTF_KIND_PTR: return ptr_type(t, btf, id, bt, depth);
    case BTF_KIND_ARRAY: type = array_type(t, btf, bt, depth); break;
    case BTF_KIND_STRUCT:
    case BTF_KIND_UNION:
    case BTF_KIND_FWD: type = struct_type(t, btf, id, bt); break;
    case BTF_KIND_ENUM:
    case KIND_ENUM64: type = enum_type(t, btf, id, bt); break;
    default: type = zn_type_simple(t, T_VOID);
    }
    remember(t, btf, id, type);
    return type;
}

struct zn_type *zn_type_from_btf_of(struct zn_types *t, const struct zn_btf *btf, uint32_t id)
{
    return from_btf(t, btf, id, 0);
}

struct zn_type *zn_type_from_btf(struct zn_types *t, uint32_t id)
{
    return from_btf(t, t->btf, id, 0);
}

/* Old pahole puts a bit-field's width and extra offset into an integer type of its own. */
static unsigned int_bits(const struct zn_btf *btf, uint32_t id, uint64_t *bit)
{
    const struct btf_type *bt = zn_btf_type(btf, zn_btf_skip(btf, id));
    uint32_t info;

    if (!bt || ZN_BTF_KIND(bt) != BTF_KIND_INT)
        return 0;
    info = *(const uint32_t *)(bt + 1);
    if (BTF_INT_OFFSET(info) == 0 && BTF_INT_BITS(info) == bt->size * 8)
        return 0;
    *bit += BTF_INT_OFFSET(info);
    return BTF_INT_BITS(info);
}

static bool is_number(const struct zn_type *t)
{
    return t->kind == T_INT || t->kind == T_BOOL || t->kind == T_ENUM;
}

static void load_member(struct zn_types *t, const struct zn_btf *btf, const struct btf_type *bt,
                        const struct btf_member *m, struct zn_field *f)
{
    uint64_t bit = m->offset;
    unsigned bits = 0;

    f->name = name_or_null(btf, m->name_off);
    f->type = from_btf(t, btf, m->type, 0);
    if (ZN_BTF_KFLAG(bt)) {
        bits = BTF_MEMBER_BITFIELD_SIZE(m->offset);
        bit = BTF_MEMBER_BIT_OFFSET(m->offset);
    } else {
        bits = int_bits(btf, m->type, &bit);
        /* Before member flags, a bit-field of a plain type could lie at an odd bit only. */
        if (!bits && bit % 8 && is_number(f->type))
            bits = f->type->size * 8 > 64 ? 64 : f->type->size * 8;
    }
    f->off = (uint32_t)(bit / 8);
    if (bits && bits <= 64 && is_number(f->type))
        zn_field_set_bits(f, bit, bits);
}

void zn_type_load_btf_fields(struct zn_types *t, struct zn_type *st)
{
    const struct btf_type *bt = zn_btf_type(st->btf, st->btf_id);
    const struct btf_member *m = (const struct btf_member *)(bt + 1);
    uint32_t n = ZN_BTF_VLEN(bt);

    st->fields = zn_arena_array(t->arena, struct zn_field, n);
    for (uint32_t i = 0; i < n; i++)
        load_member(t, st->btf, bt, &m[i], &st->fields[i]);
    st->nfields = n;
}

struct zn_type *zn_type_btf_named(struct zn_types *t, const char *name, uint32_t kinds)
{
    uint32_t id = t->btf ? zn_btf_find(t->btf, name, kinds) : 0;

    return id ? from_btf(t, t->btf, id, 0) : NULL;
}

bool zn_type_btf_enumerator(struct zn_types *t, const char *name, struct zn_type **ret_enum,
                            int64_t *ret_value)
{
    uint32_t id = t->btf ? zn_btf_find_enumerator(t->btf, name, ret_value) : 0;

    if (!id)
        return false;
    *ret_enum = from_btf(t, t->btf, id, 0);
    return true;
}
