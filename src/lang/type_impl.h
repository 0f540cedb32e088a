/* SPDX-License-Identifier: Apache-2.0 */
/* What the type*.c files share: the cache, and the way from each source of types to struct zn_type. */
#pragma once

#include "lang/type.h"

enum { ZN_TYPE_MAX_DEPTH = 32 }; /* pointers and arrays nested in each other */

struct zn_btf_slot {
    const struct zn_btf *btf; /* NULL: free */
    uint32_t id;
    struct zn_type *type;
};

struct zn_cdecl_slot {
    const struct zn_cdecl *decl;
    struct zn_type *type; /* NULL while members are being laid out, or when that failed */
    bool busy;
    const char *why;
};

struct zn_type_cache {
    struct zn_type *ints[4][2]; /* by log2 of size, by sign */
    struct zn_type *simple[_ZN_TYPE_MAX];
    struct zn_type *chars;   /* C's char */
    struct zn_btf_slot *btf; /* open addressing, cap a power of two */
    uint32_t nbtf, btf_cap;
    struct zn_cdecl_slot **decls;
    uint32_t ndecls, decls_cap;
};

struct zn_type *zn_type_char(struct zn_types *t);
/* Bytes that a type is aligned to in C; computed for structs that BTF describes. */
uint32_t zn_type_align(struct zn_types *t, struct zn_type *type);
/* An array whose size is checked: NULL when it does not fit 32 bits. */
struct zn_type *zn_type_array_checked(struct zn_types *t, struct zn_type *elem, uint32_t n);
/* Places a bit-field that starts at bit `bit` of its struct, `bits` wide. */
void zn_field_set_bits(struct zn_field *f, uint64_t bit, unsigned bits);

/* type_ctype.c: the pointers and dimensions of c, put on a type. */
struct zn_type *zn_type_derive(struct zn_types *t, struct zn_type *type, const struct zn_ctype *c,
                               const char **why);

/* type_btf.c: fields of a struct that BTF describes. */
void zn_type_load_btf_fields(struct zn_types *t, struct zn_type *st);
/* By kernel name: a typedef, or a struct, union or enum tag ("struct foo"). NULL when unknown. */
struct zn_type *zn_type_btf_named(struct zn_types *t, const char *name, uint32_t kinds);

/* type_cdecl.c: the script's own. kind is CD_STRUCT, CD_UNION, CD_ENUM or CD_TYPEDEF. *ret_found says
 * whether there is such a definition; NULL with *ret_found: it is wrong, *why. */
struct zn_type *zn_type_cdecl_named(struct zn_types *t, int kind, const char *name, bool *ret_found,
                                    const char **why);
/* A constant of one of the script's enums. */
bool zn_type_cdecl_enumerator(struct zn_types *t, const char *name, struct zn_type **ret_enum,
                              int64_t *ret_value);
bool zn_type_btf_enumerator(struct zn_types *t, const char *name, struct zn_type **ret_enum,
                            int64_t *ret_value);
