/* SPDX-License-Identifier: Apache-2.0 */
/* The script's own structs, unions, enums and typedefs, laid out as gcc does on x86-64 and arm64. */
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "lang/ast.h"
#include "lang/type_impl.h"

#define MAX_STRUCT_BYTES (1U << 28)
#define DECL_DEPTH       32 /* definitions inside definitions */

/* A struct while its members are being placed. */
struct layout {
    struct zn_type *st;
    bool packed;
    uint64_t bit; /* first free bit; unions: 0 */
    uint64_t end; /* bits used so far by the largest member */
    uint32_t align;
    uint32_t cap;
};

static struct zn_type *decl_type(struct zn_types *t, const struct zn_cdecl *d, const char **why);

static struct zn_cdecl_slot *slot_of(struct zn_types *t, const struct zn_cdecl *d)
{
    struct zn_type_cache *c = t->cache;
    struct zn_cdecl_slot *slot;

    for (uint32_t i = 0; i < c->ndecls; i++)
        if (c->decls[i]->decl == d)
            return c->decls[i];
    zn_arena_grow(t->arena, c->decls, c->ndecls, c->decls_cap);
    slot = zn_arena_new(t->arena, struct zn_cdecl_slot);
    slot->decl = d;
    c->decls[c->ndecls++] = slot;
    return slot;
}

static struct zn_type *member_type(struct zn_types *t, const struct zn_cmember *m, const char **why)
{
    if (m->inner) {
        struct zn_type *type = decl_type(t, m->inner, why);

        return type && m->ctype ? zn_type_derive(t, type, m->ctype, why) : type;
    }
    if (!m->ctype) {
        *why = "a member without a type";
        return NULL;
    }
    /* The language has no floating point; a member of it takes its room and shows its bits. */
    if (!m->ctype->ptr && m->ctype->name) {
        bool is_float = strcmp(m->ctype->name, "float") == 0;

        if (is_float || strcmp(m->ctype->name, "double") == 0)
            return zn_type_derive(t, zn_type_int(t, is_float ? 4 : 8, false), m->ctype, why);
    }
    return zn_type_from_ctype(t, m->ctype, why);
}

/* Where the next member goes. A bit-field that would cross the units of its type starts a new one
 * (PCC_BITFIELD_TYPE_MATTERS); packed structs leave no gap at all. */
static uint64_t place(const struct layout *l, const struct zn_type *type, uint32_t align,
                      unsigned bits)
{
    uint64_t unit = (uint64_t)align * 8, at = l->bit;

    if (!bits)
        return ZN_ALIGN_UP(at, l->packed ? 8 : unit);
    if (!l->packed && at % unit + bits > (uint64_t)type->size * 8)
        return ZN_ALIGN_UP(at, unit);
    return at;
}

static bool add_member(struct zn_types *t, struct layout *l, const struct zn_cmember *m,
                       const char **why)
{
    struct zn_type *type = member_type(t, m, why);
    struct zn_field *f;
    uint32_t align;
    uint64_t at, used;

    if (!type)
        return false;
    if (m->inner && !m->name && m->inner->kind == CD_ENUM)
        return true; /* declares constants only */
    if (type->kind == T_VOID || (type->kind == T_STRUCT && !type->size && !type->fields_done)) {
        *why =
            zn_arena_printf(t->arena, "member '%s' has an incomplete type", m->name ? m->name : "");
        return false;
    }
    if (m->bits < 0 || (uint64_t)m->bits > (uint64_t)type->size * 8 ||
        (m->bits && type->kind != T_INT && type->kind != T_ENUM && type->kind != T_BOOL)) {
        *why = zn_arena_printf(t->arena, "bit-field '%s' does not fit its type",
                               m->name ? m->name : "");
        return false;
    }
    align = zn_type_align(t, type);
    at = place(l, type, align, (unsigned)m->bits);
    used = at + (m->bits ? (uint64_t)m->bits : (uint64_t)type->size * 8);
    l->end = ZN_MAX(l->end, used);
    if (!l->st->is_union)
        l->bit = used;
    if (l->end / 8 > MAX_STRUCT_BYTES) {
        *why = "the struct is too large";
        return false;
    }
    if (!l->packed && (m->name || !m->bits))
        l->align = ZN_MAX(l->align, align);
    if (!m->name && m->bits)
        return true; /* padding */
    zn_arena_grow(t->arena, l->st->fields, l->st->nfields, l->cap);
    f = &l->st->fields[l->st->nfields++];
    *f = (struct zn_field){.name = m->name, .type = type, .off = (uint32_t)(at / 8)};
    if (m->bits)
        zn_field_set_bits(f, at, (unsigned)m->bits);
    return true;
}

static struct zn_type *struct_of(struct zn_types *t, const struct zn_cdecl *d,
                                 struct zn_cdecl_slot *slot, const char **why)
{
    struct zn_type *st = zn_type_new(t, T_STRUCT);
    struct layout l = {.st = st, .packed = d->packed, .align = 1};

    st->name = d->name;
    st->is_union = d->kind == CD_UNION;
    slot->type = st; /* members may point to it */
    for (const struct zn_cmember *m = d->members; m; m = m->next)
        if (!add_member(t, &l, m, why))
            return NULL;
    st->align = l.align;
    st->size = (uint32_t)ZN_ALIGN_UP((l.end + 7) / 8, l.align);
    st->fields_done = true;
    return st;
}

/* gcc: unsigned int when no constant is negative, int when all fit, else 64 bits wide. */
static struct zn_type *enum_of(struct zn_types *t, const struct zn_cdecl *d,
                               struct zn_cdecl_slot *slot)
{
    struct zn_type *e = zn_type_new(t, T_ENUM);
    int64_t lo = 0, hi = 0;
    uint32_t cap = 0;

    slot->type = e;
    e->name = d->name;
    for (const struct zn_cmember *m = d->members; m; m = m->next) {
        zn_arena_grow(t->arena, e->enums, e->nenums, cap);
        e->enums[e->nenums++] = (struct zn_enumerator){m->name, m->value};
        lo = ZN_MIN(lo, m->value);
        hi = ZN_MAX(hi, m->value);
    }
    e->sign = lo < 0;
    if (lo < INT32_MIN || hi > (e->sign ? INT32_MAX : (int64_t)UINT32_MAX))
        e->size = 8;
    else
        e->size = d->packed ? (hi > UINT16_MAX || lo < INT16_MIN ? 4 : hi > UINT8_MAX ? 2 : 1) : 4;
    return e;
}

static struct zn_type *decl_type(struct zn_types *t, const struct zn_cdecl *d, const char **why)
{
    struct zn_cdecl_slot *slot = slot_of(t, d);
    struct zn_type *type = NULL;
    unsigned depth = 0;

    if (slot->why) {
        *why = slot->why;
        return NULL;
    }
    if (slot->type)
        return slot->type;
    for (uint32_t i = 0; i < t->cache->ndecls; i++)
        depth += t->cache->decls[i]->busy;
    if (slot->busy || depth > DECL_DEPTH) {
        *why = slot->busy ? "the type contains itself" : "types are nested too deeply";
        return NULL;
    }
    slot->busy = true;
    switch (d->kind) {
    case CD_STRUCT:
    case CD_UNION: type = struct_of(t, d, slot, why); break;
    case CD_ENUM: type = enum_of(t, d, slot); break;
    case CD_TYPEDEF:
        if (d->members)
            type = member_type(t, d->members, why);
        else
            *why = "a typedef without a type";
        break;
    }
    slot->busy = false;
    slot->type = type;
    if (!type)
        slot->why = *why ? *why : "the definition is wrong";
    return type;
}

/* Definitions inside definitions are visible everywhere, as in C. */
static const struct zn_cdecl *find_decl(const struct zn_cdecl *d, int kind, const char *name,
                                        unsigned depth)
{
    for (; d && depth < DECL_DEPTH; d = d->next) {
        if ((int)d->kind == kind && d->name && strcmp(d->name, name) == 0)
            return d;
        for (const struct zn_cmember *m = d->kind == CD_ENUM ? NULL : d->members; m; m = m->next) {
            const struct zn_cdecl *in;

            in = m->inner ? find_decl(m->inner, kind, name, depth + 1) : NULL;
            if (in)
                return in;
        }
        if (depth)
            break; /* an inner definition is one, not a list */
    }
    return NULL;
}

struct zn_type *zn_type_cdecl_named(struct zn_types *t, int kind, const char *name, bool *ret_found,
                                    const char **why)
{
    const struct zn_cdecl *d = find_decl(t->cdecls, kind, name, 0);

    *ret_found = d != NULL;
    return d ? decl_type(t, d, why) : NULL;
}

static const struct zn_cdecl *find_constant(const struct zn_cdecl *d, const char *name,
                                            unsigned depth, int64_t *ret_value)
{
    for (; d && depth < DECL_DEPTH; d = d->next) {
        for (const struct zn_cmember *m = d->members; m; m = m->next) {
            const struct zn_cdecl *in;

            if (d->kind == CD_ENUM && m->name && strcmp(m->name, name) == 0) {
                *ret_value = m->value;
                return d;
            }
            in = m->inner ? find_constant(m->inner, name, depth + 1, ret_value) : NULL;
            if (in)
                return in;
        }
        if (depth)
            break;
    }
    return NULL;
}

bool zn_type_cdecl_enumerator(struct zn_types *t, const char *name, struct zn_type **ret_enum,
                              int64_t *ret_value)
{
    const struct zn_cdecl *d = find_constant(t->cdecls, name, 0, ret_value);
    const char *why = NULL;

    if (!d)
        return false;
    *ret_enum = decl_type(t, d, &why);
    return *ret_enum != NULL;
}
