/* SPDX-License-Identifier: Apache-2.0 */
/* Reads kernel types (BTF) out of a memory blob; pure, allocates an index and nothing else.
 *
 * Cost is what counts here: a script that needs four names must not pay for 126,000. Opening walks
 * the type section once and keeps the offset of every eighth type; a name is found by searching the
 * string section for "\0NAME\0" (BTF strings are unique) and then comparing name offsets; who asks
 * for many names gets a hash table made on the way. */
#pragma once

#include <linux/btf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct zn_btf;

/* blob must outlive the result. base: vmlinux's BTF when blob is a module's split BTF, else NULL.
 * All lengths and offsets in the blob are checked here; -EINVAL when it is malformed. */
int zn_btf_open(const void *blob, size_t len, const struct zn_btf *base, struct zn_btf **ret);
void zn_btf_close(struct zn_btf *b);
uint32_t zn_btf_count(const struct zn_btf *b); /* ids are 1..count-1; 0 is void */
/* NULL for 0 (void) and for ids out of range. */
const struct btf_type *zn_btf_type(const struct zn_btf *b, uint32_t id);
const char *zn_btf_name(const struct zn_btf *b, uint32_t name_off); /* "" when out of range */
/* A module's own ids start at zn_btf_first_id(); lower ones are its base's (NULL for vmlinux). */
uint32_t zn_btf_first_id(const struct zn_btf *b);
const struct zn_btf *zn_btf_base(const struct zn_btf *b);
/* The offset of a string, or 0 when no type of b or its base is called so. */
uint32_t zn_btf_string(const struct zn_btf *b, const char *name);
/* The first type of that name whose kind is in kinds (bit 1 << BTF_KIND_X), or 0. A module's own
 * types come before those of its base. */
uint32_t zn_btf_find(const struct zn_btf *b, const char *name, uint32_t kinds);
/* Calls fn for every type whose kind is in kinds until it returns non-zero; returns that. Only b's
 * own types: not those of a module's base. */
int zn_btf_each(const struct zn_btf *b, uint32_t kinds,
                int (*fn)(void *arg, uint32_t id, const struct btf_type *t), void *arg);
/* Constants of an enum or enum64: how many (0 for other kinds), and number i. */
uint32_t zn_btf_enumerators(const struct btf_type *t);
void zn_btf_enumerator(const struct btf_type *t, uint32_t i, uint32_t *ret_name_off,
                       int64_t *ret_value);
/* The enum that has a constant of that name, or 0. */
uint32_t zn_btf_find_enumerator(const struct zn_btf *b, const char *name, int64_t *ret_value);
/* Follows typedef, const, volatile, restrict and type tags to the type itself. */
uint32_t zn_btf_skip(const struct zn_btf *b, uint32_t id);
/* Size in bytes (arrays and typedefs resolved), or -1 when it has none. */
int64_t zn_btf_size(const struct zn_btf *b, uint32_t id);

#define ZN_BTF_KIND(t)  (((t)->info >> 24) & 0x1f)
#define ZN_BTF_VLEN(t)  ((t)->info & 0xffff)
#define ZN_BTF_KFLAG(t) ((t)->info >> 31)
