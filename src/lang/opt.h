/* SPDX-License-Identifier: Apache-2.0 */
/* What the optimiser's files share. */
#pragma once

#include "lang/back.h"

struct opt {
    struct zn_ir_fn *f;
    struct zn_arena *tmp;
    struct zn_cfg cfg;
    uint8_t *defs;           /* vreg -> definitions, stops at 2 */
    struct zn_ir_insn **def; /* vreg -> its definition, when there is just one */
    zn_vreg *same;           /* vreg -> the vreg that is read instead of it */
};

/* The definition of a vreg that is written once, or NULL. */
static inline const struct zn_ir_insn *opt_def(const struct opt *o, zn_vreg v)
{
    return v >= 0 && o->defs[v] == 1 ? o->def[v] : NULL;
}

static inline bool opt_const(const struct opt *o, zn_vreg v, int64_t *ret)
{
    const struct zn_ir_insn *i = opt_def(o, v);
    if (!i || i->op != IR_IMM)
        return false;
    *ret = i->imm;
    return true;
}

/* Exact results of the machine. False: left alone (a shift by the width or more). */
bool zn_fold_alu(enum zn_alu op, int w, int64_t a, int64_t b, int64_t *ret);
/* 1, 0, or -1 when unknown. */
int zn_fold_cmp(enum zn_cmp cmp, int w, int64_t a, int64_t b);
/* Makes an instruction simpler in place, by what is known of its operands. */
void zn_opt_fold(struct opt *o, struct zn_ir_insn *i);
/* Walks the blocks along dominance: folds, propagates copies, reuses earlier results. */
void zn_opt_values(struct opt *o);
