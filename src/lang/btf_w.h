/* SPDX-License-Identifier: Apache-2.0 */
/* Writes BTF: types by appending, strings once each, and for a program the tables that tie its
 * instructions to functions and to lines of the script, so that the verifier's log quotes it.
 *
 * Type ids count from 1; 0 is void. All memory is the arena's. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct zn_arena;
struct zn_source;
struct zn_code;
struct zn_btf_w;

struct zn_btf_member {
    const char *name;
    uint32_t type;
    uint32_t bit_off; /* members of structs only */
};

struct zn_btf_secinfo {
    uint32_t var; /* id of a variable */
    uint32_t off, size;
};

struct zn_btf_w *zn_btf_w_new(struct zn_arena *arena);
/* Offset of a string; the same one for the same text. */
uint32_t zn_btf_w_str(struct zn_btf_w *w, const char *s, size_t n);
/* Types; each returns its id. Names may be NULL where C allows none. */
uint32_t zn_btf_w_int(struct zn_btf_w *w, const char *name, uint32_t bytes, bool sgn);
uint32_t zn_btf_w_ptr(struct zn_btf_w *w, uint32_t to);
uint32_t zn_btf_w_array(struct zn_btf_w *w, uint32_t of, uint32_t index, uint32_t n);
uint32_t zn_btf_w_struct(struct zn_btf_w *w, const char *name, uint32_t bytes,
                         const struct zn_btf_member *members, uint32_t n);
uint32_t zn_btf_w_proto(struct zn_btf_w *w, uint32_t ret, const struct zn_btf_member *params,
                        uint32_t n);
/* A static function, as programs' own are. */
uint32_t zn_btf_w_func(struct zn_btf_w *w, const char *name, uint32_t proto);
uint32_t zn_btf_w_var(struct zn_btf_w *w, const char *name, uint32_t type);
uint32_t zn_btf_w_datasec(struct zn_btf_w *w, const char *name, uint32_t bytes,
                          const struct zn_btf_secinfo *vars, uint32_t n);

/* One function of a linked program. */
struct zn_btf_part {
    const struct zn_code *code;
    uint32_t insn_off; /* where it starts in the linked program */
    uint32_t func;     /* type id of its FUNC */
};

struct zn_btf_info {
    struct bpf_func_info *funcs; /* linux/bpf.h */
    struct bpf_line_info *lines;
    uint32_t nfuncs, nlines;
};

/* parts in the order in which they are linked; the first at 0. */
struct zn_btf_info zn_btf_w_info(struct zn_btf_w *w, const struct zn_source *src,
                                 const struct zn_btf_part *parts, uint32_t n);
/* The blob for BPF_BTF_LOAD. The writer may be added to and finished again. */
const void *zn_btf_w_finish(struct zn_btf_w *w, size_t *ret_len);
