/* SPDX-License-Identifier: Apache-2.0 */
/* What the back end's files share: flow graph, liveness, legal instructions, register assignment.
 * Private to ir*.c, opt*.c, legal.c, regalloc.c and asm.c. */
#pragma once

#include "lang/ir.h"

/* Operands that are machine registers already; put in by zn_ir_legalise. */
#define ZN_FRAME (-2) /* r10; the instruction's off counts from the start of the slots */
#define ZN_CTX   (-3) /* r6 */

/* Instructions of the allocator's own, beyond those of ir.h. */
enum {
    RA_RELOAD = _ZN_IR_MAX, /* dst = the spill word of a */
    RA_SPILL,               /* spill word of dst = a */
};

/* Helpers that give the same answer however often a program asks, and change nothing. */
bool zn_ir_pure_helper(int64_t helper);
/* Whether the instruction may go when nobody reads its result. */
bool zn_ir_removable(const struct zn_ir_insn *i);

/* Pointers to the operands an instruction reads (pseudo registers included); at most 5. */
int zn_ir_uses(struct zn_ir_insn *i, zn_vreg *ret[5]);
/* Successors of a block by its terminator, 0 to 2; none when it has no terminator. */
int zn_ir_succs(const struct zn_ir_block *b, zn_block ret[2]);

/* Flow graph of the reachable blocks. */
struct zn_cfg {
    zn_block *rpo; /* reverse postorder; rpo[0] is the entry */
    uint32_t n;    /* reachable blocks */
    int32_t *num;  /* block -> its place in rpo, -1 when unreachable */
    zn_block *preds;
    uint32_t *pred_at; /* block -> first of its preds; nblocks + 1 entries */
};

void zn_cfg_build(struct zn_arena *a, const struct zn_ir_fn *f, struct zn_cfg *ret);
/* Immediate dominators as rpo places: idom[0] = 0. */
int32_t *zn_cfg_idom(struct zn_arena *a, const struct zn_ir_fn *f, const struct zn_cfg *cfg);

/* Liveness at block borders. Only vregs that pass a border have a bit. */
struct zn_live {
    uint32_t nglobal, words; /* words per block */
    int32_t *bit;            /* vreg -> its bit, -1 when local to a block */
    zn_vreg *vreg;           /* bit -> vreg */
    uint64_t *in, *out;      /* [block * words] */
};

void zn_live_build(struct zn_arena *a, const struct zn_ir_fn *f, const struct zn_cfg *cfg,
                   struct zn_live *ret);

/* Makes jumps to a block that only jumps on go to where it goes. True when anything changed. */
bool zn_ir_thread_jumps(struct zn_ir_fn *f);

/* Rewrites what BPF cannot say: signed division before cpu v4, immediates beyond 32 bits, a result
 * in the register of the right operand. Folds frame and ctx bases. */
void zn_ir_legalise(struct zn_ir_fn *f, bool cpu_v4);

enum zn_loc { LOC_NONE, LOC_REG, LOC_WORD, LOC_REMAT };

struct zn_alloc {
    zn_block *layout; /* order in which the blocks are emitted */
    uint32_t nlayout;
    uint8_t *loc;             /* vreg -> zn_loc */
    int8_t *at;               /* LOC_REG: 0..9; LOC_WORD: word, at r10 - 8 * (word + 1) */
    struct zn_ir_insn *remat; /* vreg -> the instruction that makes it again */
    uint32_t nwords;
    bool ctx; /* r6 = r1 at the start */
};

/* Assigns every vreg; inserts reloads and spills into the blocks. 0 or -errno with *why. */
int zn_ir_allocate(struct zn_ir_fn *f, struct zn_alloc *ret, const char **why);
