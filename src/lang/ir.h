/* SPDX-License-Identifier: Apache-2.0 */
/* The compiler's middle language: three-address code over basic blocks.
 *
 * A function (`zn_ir_fn`) is a BPF program or subprogram. It has virtual registers (vregs), basic
 * blocks, and one stack frame of slots. Every vreg is 64 bits wide. Unlike SSA a vreg may be
 * assigned more than once (both arms of a ternary write the same one); it must be assigned on every
 * path to a use.
 *
 * Register convention of the generated code (assumed by lower and by the allocator):
 *   r6      ctx for the program's life
 *   r7-r9   vregs that live across calls
 *   r0-r5   vregs within calls' gaps; r1-r5 die at every call, r0 is the result
 *   r10     frame pointer
 *
 * Vreg classes matter for spilling only: a ZN_V_PTR (map value, ring record, BTF pointer, stack
 * address) spills as a whole aligned 8-byte stack word, since elsewhere the verifier forgets what
 * it is; addresses of slots, maps and ctx are rematerialised, not spilled. Null and bound checks
 * stand in the block of the use.
 *
 * Frame: spill words lie next to r10 (at most 256 bytes), the slots made by zn_ir_slot below them;
 * the frame is only as deep as both need, since callees share the 512 bytes.
 * Slots are handed out by a mark/release discipline (zn_ir_slot_mark), so that nested expressions
 * reuse the space.
 *
 * Builders latch the first error (`fn->error`, `fn->error_pos`): emit calls then do nothing. Nor do
 * they behind a block's terminator (code after a `return` is dropped). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lang/diag.h"

struct zn_arena;
struct zn_str;

typedef int32_t zn_vreg;  /* index into fn->vregs; ZN_NOREG = none */
typedef int32_t zn_block; /* index into fn->blocks */
#define ZN_NOREG (-1)

enum zn_vclass { ZN_V_SCALAR, ZN_V_PTR };

enum zn_ir_op {
    IR_NOP,
    IR_IMM,    /* dst = imm (64 bits) */
    IR_MOV,    /* dst = a */
    IR_ALU,    /* dst = a alu (b or imm when b == ZN_NOREG); w: 8 or 4 (32-bit op, zero-extends) */
    IR_NEG,    /* dst = -a; w 8 or 4 */
    IR_BSWAP,  /* dst = byte swap of the low w bytes of a (2, 4, 8), zero-extended; to big endian */
    IR_LD,     /* dst = *(w bytes *)(a + off); sgn: sign-extended (emitted as shifts) */
    IR_ST,     /* *(w bytes *)(a + off) = b, or imm (32-bit, sign-extended) when b == ZN_NOREG */
    IR_ATOMIC, /* atomic op at (a + off), width w (4, 8), operand b; see zn_atomic. FETCH forms and
                 * XCHG: dst = old value. CMPXCHG: compares with c, stores b, dst = old value */
    IR_CALL,   /* dst = helper imm(args[0..nargs)); dst may be ZN_NOREG */
    IR_CALLSUB, /* dst = fn[imm](args…): BPF-to-BPF call of the image's subprogram number imm */
    IR_SLOT,    /* dst = address of frame offset off (off is the slot's offset from zn_ir_slot) */
    IR_MAP,     /* dst = map pointer of image map number imm */
    IR_MAPVAL,  /* dst = address of byte off of the value of image map imm (array of one entry) */
    IR_FUNC,    /* dst = address of subprogram imm (a callback) */
    IR_CTX,     /* dst = ctx */
    IR_ARG, /* subprograms: dst = argument number imm (0-based); only in the entry block, first */
    /* terminators: exactly one, last in its block */
    IR_JMP, /* to block t */
    IR_BR,  /* if (a cmp (b or imm)) goto t else f; w 8 or 4 (compares the low 32 bits) */
    IR_RET, /* return a, or imm when a == ZN_NOREG */
    _ZN_IR_MAX,
};

enum zn_alu {
    ALU_ADD,
    ALU_SUB,
    ALU_MUL,
    ALU_DIV,
    ALU_MOD, /* unsigned */
    ALU_SDIV,
    ALU_SMOD, /* signed: lowered by the back end to branches round unsigned ones */
    ALU_AND,
    ALU_OR,
    ALU_XOR,
    ALU_SHL,
    ALU_SHR,
    ALU_SAR,
    _ZN_ALU_MAX
};

/* BPF gives x / 0 = 0 and x % 0 = x; the back end relies on that and adds no check. */

enum zn_cmp {
    CMP_EQ,
    CMP_NE,
    CMP_LT,
    CMP_LE,
    CMP_GT,
    CMP_GE, /* unsigned */
    CMP_SLT,
    CMP_SLE,
    CMP_SGT,
    CMP_SGE,
    CMP_SET /* a & b != 0 */,
    _ZN_CMP_MAX
};

enum zn_atomic {
    AT_ADD,
    AT_OR,
    AT_AND,
    AT_XOR,
    AT_FETCH_ADD,
    AT_FETCH_OR,
    AT_FETCH_AND,
    AT_XCHG,
    AT_CMPXCHG
};

struct zn_ir_insn {
    uint8_t op;  /* enum zn_ir_op */
    uint8_t sub; /* zn_alu, zn_cmp or zn_atomic */
    uint8_t w;   /* width in bytes */
    bool sgn;
    uint8_t nargs;
    zn_vreg dst, a, b, c;
    zn_vreg args[5];
    int32_t off;
    int64_t imm;
    zn_block t, f;
    struct zn_pos pos;
    const char *note; /* comment in dumps, or NULL */
};

struct zn_ir_block {
    struct zn_ir_insn *insns;
    uint32_t n, cap;
    const char *name; /* for dumps */
    bool cold;        /* placed after the hot blocks */
};

struct zn_ir_vreg {
    uint8_t cls; /* enum zn_vclass */
};

struct zn_ir_fn {
    struct zn_arena *arena;
    const char *name;
    struct zn_ir_block *blocks; /* block 0 is the entry */
    uint32_t nblocks, capblocks;
    struct zn_ir_vreg *vregs;
    uint32_t nvregs, capvregs;
    zn_block cur;                 /* where zn_ir_* emit */
    struct zn_pos pos;            /* position given to emitted instructions */
    int32_t slot_used, slot_peak; /* bytes of slots */
    int32_t slot_limit;           /* 256 */
    const char *error;            /* first error, latched */
    struct zn_pos error_pos;
};

/* Comes with its entry block (block 0), which is the current one. */
struct zn_ir_fn *zn_ir_fn_new(struct zn_arena *arena, const char *name);
zn_vreg zn_ir_vreg(struct zn_ir_fn *f, enum zn_vclass cls);
zn_block zn_ir_block(struct zn_ir_fn *f, const char *name);
void zn_ir_at(struct zn_ir_fn *f, zn_block b); /* further emits go there */
void zn_ir_fail(struct zn_ir_fn *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Whether the current block already ends in a terminator. */
bool zn_ir_done(const struct zn_ir_fn *f);

/* A frame slot of `size` bytes, 8-aligned; returns its offset for IR_SLOT. Latches an error when
 * the frame is full ("too much on the stack"). */
int32_t zn_ir_slot(struct zn_ir_fn *f, int32_t size);
bool zn_ir_slot_fits(const struct zn_ir_fn *f, int32_t size);
int32_t zn_ir_slot_mark(const struct zn_ir_fn *f);
void zn_ir_slot_release(struct zn_ir_fn *f, int32_t mark);

/* Emitters; each appends to the current block at f->pos. Those that return a vreg make a new one;
 * the _to forms write an existing one. */
struct zn_ir_insn *zn_ir_emit(struct zn_ir_fn *f, enum zn_ir_op op); /* raw; never NULL */
zn_vreg zn_ir_imm(struct zn_ir_fn *f, int64_t imm);
void zn_ir_imm_to(struct zn_ir_fn *f, zn_vreg dst, int64_t imm);
void zn_ir_mov_to(struct zn_ir_fn *f, zn_vreg dst, zn_vreg src);
zn_vreg zn_ir_alu(struct zn_ir_fn *f, enum zn_alu op, int w, zn_vreg a, zn_vreg b);
zn_vreg zn_ir_alui(struct zn_ir_fn *f, enum zn_alu op, int w, zn_vreg a, int64_t imm); /* any imm */
/* A pointer moved on by a register: class PTR, which zn_ir_alu does not give. */
zn_vreg zn_ir_padd(struct zn_ir_fn *f, zn_vreg p, zn_vreg bytes);
zn_vreg zn_ir_neg(struct zn_ir_fn *f, zn_vreg a);
zn_vreg zn_ir_bswap(struct zn_ir_fn *f, zn_vreg a, int w);
zn_vreg zn_ir_ld(struct zn_ir_fn *f, zn_vreg base, int32_t off, int w, bool sgn);
zn_vreg zn_ir_ldptr(struct zn_ir_fn *f, zn_vreg base, int32_t off); /* 8 bytes, class PTR */
void zn_ir_st(struct zn_ir_fn *f, zn_vreg base, int32_t off, int w, zn_vreg val);
void zn_ir_sti(struct zn_ir_fn *f, zn_vreg base, int32_t off, int w, int64_t imm); /* any imm */
zn_vreg zn_ir_atomic(struct zn_ir_fn *f, enum zn_atomic op, zn_vreg base, int32_t off, int w,
                     zn_vreg val, zn_vreg cmp); /* ZN_NOREG for the forms without a result */
/* helper id; args end at the first ZN_NOREG or five. Result class SCALAR or PTR as told. */
zn_vreg zn_ir_call(struct zn_ir_fn *f, int helper, enum zn_vclass cls, int nargs, ...);
zn_vreg zn_ir_callsub(struct zn_ir_fn *f, int sub, int nargs, ...);
zn_vreg zn_ir_slotaddr(struct zn_ir_fn *f, int32_t slot, int32_t plus);
zn_vreg zn_ir_map(struct zn_ir_fn *f, int map);
zn_vreg zn_ir_mapval(struct zn_ir_fn *f, int map, int32_t off);
zn_vreg zn_ir_func(struct zn_ir_fn *f, int sub);
zn_vreg zn_ir_ctx(struct zn_ir_fn *f);
zn_vreg zn_ir_arg(struct zn_ir_fn *f, int n, enum zn_vclass cls);
void zn_ir_jmp(struct zn_ir_fn *f, zn_block t);
void zn_ir_br(struct zn_ir_fn *f, enum zn_cmp cmp, int w, zn_vreg a, zn_vreg b, zn_block t,
              zn_block fl);
void zn_ir_bri(struct zn_ir_fn *f, enum zn_cmp cmp, int w, zn_vreg a, int64_t imm, zn_block t,
               zn_block fl); /* any imm */
void zn_ir_ret(struct zn_ir_fn *f, int64_t imm);
void zn_ir_retv(struct zn_ir_fn *f, zn_vreg a);

/* Checks the rules above (terminators, operands defined on all paths, widths). Returns 0, or
 * -EINVAL with *why an arena string: a compiler bug, reported as such. */
int zn_ir_verify(const struct zn_ir_fn *f, const char **why);
/* Folds constants, propagates copies, merges repeated loads of pure values (IR_CTX, IR_MAP,
 * pure helper calls: pid_tgid, uid_gid, smp_processor_id, current_task are read once a program),
 * removes dead code and unreachable blocks, threads jumps. */
void zn_ir_optimise(struct zn_ir_fn *f);
/* One line an instruction:  `%3 = add %1, 7    ; note`  under `block2 (name):`. */
void zn_ir_dump(const struct zn_ir_fn *f, struct zn_str *out);

/* Assembled code. */
struct zn_code {
    struct bpf_insn *insns; /* arena; linux/bpf.h */
    uint32_t n;
    struct zn_pos *pos; /* per instruction */
    struct zn_reloc *relocs;
    uint32_t nrelocs;
};

enum zn_reloc_kind {
    RL_MAP,    /* ld_imm64: src_reg = BPF_PSEUDO_MAP_FD, imm = fd of image map `target` */
    RL_MAPVAL, /* ld_imm64: BPF_PSEUDO_MAP_VALUE, imm = fd, second imm = offset (already there) */
    RL_FUNC,   /* ld_imm64: BPF_PSEUDO_FUNC, imm = insn delta to subprogram `target` */
    RL_CALL,   /* call: BPF_PSEUDO_CALL to subprogram `target` */
};

struct zn_reloc {
    enum zn_reloc_kind kind;
    uint32_t insn;
    int32_t target;
};

/* Allocates registers and assembles. cpu_v4: the target has sdiv/smod and long jumps (6.6).
 * Returns 0 or -errno (-E2BIG: more than a program may have; -ENOSPC: out of stack), with *why an
 * arena string. */
int zn_ir_assemble(struct zn_ir_fn *f, bool cpu_v4, struct zn_code *ret, const char **why);
/* BPF instructions as text in the kernel log's notation: `3: r1 = *(u64 *)(r6 +8)`. map_name gives
 * names for the relocated loads, or NULL. */
void zn_disasm(const struct zn_code *code, const char *(*map_name)(void *, int), void *arg,
               struct zn_str *out);
