/* SPDX-License-Identifier: Apache-2.0 */
/* Function prototypes in BTF as argument records, and the BTF of kernel modules. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct zn_arch;
struct zn_btf;
struct zn_list;
struct zn_modbtf;
struct zn_probes;
struct zn_str;
struct zn_target;
struct zn_types;

enum zn_args_at {
    ZN_ARGS_CTX64, /* u64 slots of the context (raw tracepoints, fentry, fexit) */
    ZN_ARGS_REGS,  /* argument registers of a pt_regs context (kprobe) */
};

/* Fills t->args from a FUNC_PROTO. Parameters that do not fit (by-value structs above 16 bytes, past
 * the last register) are left out. Returns the number of u64 slots that the parameters take. */
unsigned zn_proto_args(struct zn_types *types, struct zn_target *t, uint32_t proto, bool skip_first,
                       enum zn_args_at at, unsigned nregs);
/* The FUNC_PROTO behind a FUNC, or behind a typedef of a pointer to one; 0 when there is none. */
uint32_t zn_btf_proto(const struct zn_btf *b, uint32_t id);
/* "struct file *" */
void zn_btf_cname(const struct zn_btf *b, uint32_t id, struct zn_str *out);
/* The parameters of a prototype as `-lv` shows them; retval too when asked for. */
int zn_list_proto(struct zn_list *l, const struct zn_btf *b, uint32_t proto, bool skip_first,
                  bool retval);

/* A kernel module's types, opened once; NULL when it has none. */
const struct zn_modbtf *zn_modbtf_get(struct zn_probes *p, const char *module);
const struct zn_btf *zn_modbtf_types(const struct zn_modbtf *m);
/* A type set over a module's types, in the arena of `types`; NULL when it has none. */
struct zn_types *zn_modbtf_typeset(struct zn_probes *p, struct zn_types *types, const char *module);
int zn_modbtf_fd(const struct zn_modbtf *m);
void zn_modbtf_free(struct zn_modbtf *m);
