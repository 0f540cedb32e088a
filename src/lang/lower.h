/* SPDX-License-Identifier: Apache-2.0 */
/* From the typed tree to IR (private to lang/).
 *
 * One zn_lower exists per program; it lowers the program's bodies one after the other. Values of
 * expressions are described by zn_val and stay as lazy as they can: a string that lies in kernel
 * memory is an address until something needs its bytes, so that printf reads it straight into its
 * ring record.
 *
 * Memory that a body needs for itself comes as zn_mem: on the stack while there is room and the
 * object is small, else in the CPU's scratch slot, which is taken after the predicate. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lang/builtin.h"
#include "lang/ir.h"
#include "lang/sema.h"

/* BPF helper ids (include/uapi/linux/bpf.h). */
enum {
    H_map_lookup_elem = 1,
    H_map_update_elem = 2,
    H_map_delete_elem = 3,
    H_ktime_get_ns = 5,
    H_get_prandom_u32 = 7,
    H_get_smp_processor_id = 8,
    H_get_current_pid_tgid = 14,
    H_get_current_uid_gid = 15,
    H_get_current_comm = 16,
    H_get_current_task = 35,
    H_get_numa_node_id = 42,
    H_get_stack = 67,
    H_get_current_cgroup_id = 80,
    H_send_signal = 109,
    H_probe_read_user = 112,
    H_probe_read_kernel = 113,
    H_probe_read_user_str = 114,
    H_probe_read_kernel_str = 115,
    H_jiffies64 = 118,
    H_ktime_get_boot_ns = 125,
    H_ringbuf_output = 130,
    H_ringbuf_reserve = 131,
    H_ringbuf_submit = 132,
    H_ringbuf_discard = 133,
    H_ringbuf_query = 134,
    H_get_current_task_btf = 158,
    H_get_attach_cookie = 174,
    H_ktime_get_tai_ns = 208,
};

enum zn_val_kind {
    V_NONE,
    V_REG,  /* a scalar (or interned string id) in reg */
    V_IMM,  /* the same, constant */
    V_ADDR, /* bytes at reg + off, in memory of sort mem */
    V_COMM, /* the current task's name, not read yet */
};

enum zn_mem_sort {
    M_DIRECT, /* stack, map value, scratch, ring record: plain loads */
    M_KERNEL, /* needs probe_read_kernel */
    M_USER,   /* needs probe_read_user */
    M_BTF,    /* the verifier knows the type: plain loads of scalars, else probe_read_kernel */
};

struct zn_val {
    enum zn_val_kind kind;
    struct zn_type *type;
    int64_t imm;
    zn_vreg reg;
    int32_t off;
    enum zn_mem_sort mem;
    bool btf;    /* V_REG of pointer type: the verifier knows what it points to */
    bool padded; /* V_ADDR of a direct string: zero after its end, up to the stored size */
};

struct zn_mem {
    bool scratch;
    int32_t off;
};

struct zn_loop {
    zn_block brk, cont;
    struct zn_loop *outer;
};

struct zn_lower {
    struct zn_cc *cc;
    struct zn_ir_fn *f;
    struct zn_cc_body *body;
    struct zn_target *targets; /* those of the body that this program serves */
    uint32_t ntargets;
    enum zn_ctx ctx;    /* what ctx is in this program */
    bool fast_syscall;  /* sys_enter/sys_exit through the raw hook: ctx[0] regs, ctx[1] id/ret */
    zn_vreg target_idx; /* which of targets, or ZN_NOREG when there is one */
    zn_block end;       /* leaves the body */
    zn_vreg scratch;    /* pointer to the slot's bytes, ZN_NOREG when not taken (yet) */
    uint32_t scratch_top, scratch_peak;
    struct zn_loop *loop;
    zn_vreg ctx_reg; /* the context in a loop's subprogram; ZN_NOREG: ctx itself */
    bool has_for;    /* the body loops over a map: variables in memory go to scratch */
    int32_t depth;   /* of loops over maps */
};

static inline struct zn_val zn_none(void)
{
    return (struct zn_val){.kind = V_NONE, .reg = ZN_NOREG};
}
static inline struct zn_val zn_vimm(struct zn_type *t, int64_t v)
{
    return (struct zn_val){.kind = V_IMM, .type = t, .imm = v, .reg = ZN_NOREG};
}
static inline struct zn_val zn_vreg_val(struct zn_type *t, zn_vreg r)
{
    return (struct zn_val){.kind = V_REG, .type = t, .reg = r};
}
static inline struct zn_val zn_vaddr(struct zn_type *t, zn_vreg base, int32_t off,
                                     enum zn_mem_sort m)
{
    return (struct zn_val){.kind = V_ADDR, .type = t, .reg = base, .off = off, .mem = m};
}

/* lower_expr.c */
struct zn_val zn_lower_expr(struct zn_lower *l, struct zn_node *n);
zn_vreg zn_lower_int(struct zn_lower *l, struct zn_node *n); /* the value as a 64-bit scalar */
/* What a step of 1 adds to a value of type t: the size of what a pointer points to, else 1. */
uint32_t zn_pointee_size(const struct zn_type *t);
/* A scalar variable, in its register or in memory; setting cuts to the declared width. */
zn_vreg zn_var_get(struct zn_lower *l, const struct zn_varsym *v);
void zn_var_set(struct zn_lower *l, const struct zn_varsym *v, zn_vreg r);
/* Branches on n's truth. */
void zn_lower_cond(struct zn_lower *l, struct zn_node *n, zn_block t, zn_block f);
/* Writes n's value to base + off in the stored form of type. pad: strings are zero-filled. */
void zn_store_expr(struct zn_lower *l, struct zn_node *n, struct zn_type *type, zn_vreg base,
                   int32_t off, bool pad);
struct zn_node *zn_arg(struct zn_node *call, unsigned i); /* i-th argument or NULL */

/* lower_mem.c */
struct zn_mem zn_mem(struct zn_lower *l, uint32_t size);
struct zn_mem zn_mem_scratch(struct zn_lower *l, uint32_t size); /* in any case in scratch */
void zn_mem_addr(struct zn_lower *l, struct zn_mem m, zn_vreg *base, int32_t *off);
zn_vreg zn_mem_ptr(struct zn_lower *l, struct zn_mem m); /* base + off in one register */
zn_vreg zn_ptr_add(struct zn_lower *l, zn_vreg base, int32_t off);
struct zn_marks {
    int32_t slot;
    uint32_t scratch;
};
struct zn_marks zn_mem_mark(struct zn_lower *l);
void zn_mem_release(struct zn_lower *l, struct zn_marks m);
void zn_zero(struct zn_lower *l, zn_vreg base, int32_t off, uint32_t bytes);
void zn_copy(struct zn_lower *l, zn_vreg dst, int32_t doff, zn_vreg src, int32_t soff,
             uint32_t bytes);
void zn_store_val(struct zn_lower *l, struct zn_val v, struct zn_type *type, zn_vreg base,
                  int32_t off, bool pad);
zn_vreg zn_to_reg(struct zn_lower *l, struct zn_val v);
/* A scalar of type t at an address of any sort. */
struct zn_val zn_load(struct zn_lower *l, struct zn_type *t, struct zn_val addr, uint8_t bit_off,
                      uint8_t bits);
/* The bytes of a string (padded to type's stored size) in direct memory. */
struct zn_val zn_materialise(struct zn_lower *l, struct zn_val v, struct zn_type *type);
/* Reads `bytes` bytes from v (V_ADDR) into direct memory. */
void zn_read_bytes(struct zn_lower *l, struct zn_val v, zn_vreg base, int32_t off, uint32_t bytes);
struct zn_val zn_struct_field(struct zn_lower *l, struct zn_val addr, const struct zn_field *f);
struct zn_val zn_deref(struct zn_lower *l, struct zn_val ptr); /* pointer → V_ADDR of its pointee */
enum zn_mem_sort zn_default_sort(struct zn_lower *l); /* what a bare address means in this probe */
struct zn_val zn_trunc(struct zn_lower *l, zn_vreg r,
                       struct zn_type *t); /* to t's width and sign */

/* lower_map.c */
struct zn_val zn_map_read(struct zn_lower *l, struct zn_node *n);
void zn_map_write(struct zn_lower *l, struct zn_node *map, struct zn_node *val);
void zn_map_update_op(struct zn_lower *l, struct zn_node *map, enum zn_op op, struct zn_node *val);
struct zn_val zn_map_incdec(struct zn_lower *l, struct zn_node *n);
/* @m[k] = agg(...): the place of the value is handed to fn, at base + off. */
void zn_map_aggregate(struct zn_lower *l, struct zn_node *map, struct zn_node *call);
void zn_map_delete(struct zn_lower *l, struct zn_node *map, struct zn_node *key, zn_vreg ret);
zn_vreg zn_map_has(struct zn_lower *l, struct zn_node *map, struct zn_node *key);
/* The number that an aggregation at p + off stands for. */
zn_vreg zn_agg_value(struct zn_lower *l, const struct zn_type *t, zn_vreg p, int32_t off);

/* lower_rec.c: records to user space */
struct zn_rec_out {
    zn_vreg rec;
    zn_block done;
    bool ctl;
};
/* Reserves and writes the header; emits into the "got room" block. Payload from base offset
 * zn_rec_payload(kind). */
struct zn_rec_out zn_rec_begin(struct zn_lower *l, uint32_t action, uint32_t size, bool ctl);
void zn_rec_end(struct zn_lower *l, struct zn_rec_out *o);
void zn_loss(struct zn_lower *l, enum zn_loss kind);

/* The program's context, wherever the code at hand keeps it. */
zn_vreg zn_ctx(struct zn_lower *l);

/* lower_prog.c: gives the variables declared at n a place (a zn_walk callback, arg: zn_lower). */
void zn_collect_vars(void *arg, struct zn_node *n);

/* lower_for.c */
void zn_lower_loop(struct zn_lower *l, struct zn_node *n);
/* Finishes s->f as a subprogram of the image; its number, or -EINVAL when that was said. */
int zn_lower_sub(struct zn_lower *s);
/* lower_search.c */
struct zn_val zn_lower_strcontains(struct zn_lower *l, struct zn_node *n);
zn_vreg zn_map_len(struct zn_lower *l, struct zn_mapsym *m);
/* lower_stmt.c: whether loop n is lowered as a callback (else turn by turn) */
bool zn_loop_is_callback(struct zn_cc *cc, const struct zn_node *n);

/* lower_stmt.c */
void zn_lower_stmts(struct zn_lower *l, struct zn_node *n);

/* builtin_*.c */
zn_vreg zn_stack_id(struct zn_lower *l, bool user, uint32_t depth);
zn_vreg zn_current_task(struct zn_lower *l, bool *btf);
struct zn_val zn_lower_args_field(struct zn_lower *l, struct zn_node *n);
/* Element n->b of the registers that n->a, a field of args, stands for. False: it is something else. */
bool zn_lower_sysarg_at(struct zn_lower *l, struct zn_node *n, struct zn_val *ret);
/* A string that is constant per target: the id of the one at hand. */
struct zn_val zn_target_str(struct zn_lower *l, struct zn_node *n);
