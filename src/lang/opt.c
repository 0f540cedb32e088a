/* SPDX-License-Identifier: Apache-2.0 */
/* The optimiser: a few linear passes, run twice since branches folded in the first open up the
 * second. Only vregs that are written once take part in value propagation (opt_value.c); what is
 * written more often is still removed when nobody reads it. */
#include "lang/opt.h"

#include <string.h>

#include "base/arena.h"

/* Blocks nobody comes to are emptied; no jump leads to them. */
static void drop_unreachable(struct opt *o)
{
    zn_cfg_build(o->tmp, o->f, &o->cfg);
    for (uint32_t b = 0; b < o->f->nblocks; b++)
        if (o->cfg.num[b] < 0)
            o->f->blocks[b].n = 0;
}

static void find_defs(struct opt *o)
{
    struct zn_ir_fn *f = o->f;
    o->defs = zn_arena_array(o->tmp, uint8_t, f->nvregs + 1);
    o->def = (struct zn_ir_insn **)zn_arena_array(o->tmp, void *, f->nvregs + 1);
    o->same = zn_arena_array(o->tmp, zn_vreg, f->nvregs + 1);
    memset(o->same, 0xff, sizeof(zn_vreg) * (f->nvregs + 1));
    for (uint32_t b = 0; b < f->nblocks; b++)
        for (uint32_t n = 0; n < f->blocks[b].n; n++) {
            struct zn_ir_insn *i = &f->blocks[b].insns[n];
            if (i->dst < 0)
                continue;
            o->def[i->dst] = i;
            if (o->defs[i->dst] < 2)
                o->defs[i->dst]++;
        }
}

static void drop_nops(struct zn_ir_fn *f)
{
    for (uint32_t b = 0; b < f->nblocks; b++) {
        struct zn_ir_block *blk = &f->blocks[b];
        uint32_t kept = 0;
        for (uint32_t n = 0; n < blk->n; n++)
            if (blk->insns[n].op != IR_NOP)
                blk->insns[kept++] = blk->insns[n];
        blk->n = kept;
    }
}

/* The result of a call or an atomic that nobody reads. */
static void forget_result(struct zn_ir_insn *i)
{
    if (i->op == IR_CALL || i->op == IR_CALLSUB) {
        i->dst = ZN_NOREG;
    } else if (i->op == IR_ATOMIC && i->sub >= AT_FETCH_ADD) {
        if (i->sub <= AT_FETCH_AND)
            i->sub = (uint8_t)(i->sub - AT_FETCH_ADD + AT_ADD);
        i->dst = ZN_NOREG;
    }
}

static bool touches(struct zn_ir_insn *i, zn_vreg v)
{
    zn_vreg *use[5];
    for (int u = zn_ir_uses(i, use); u > 0; u--)
        if (*use[u - 1] == v)
            return true;
    return i->dst == v;
}

/* `t = x op y; v = t` with nothing else reading t becomes `v = x op y`. Only near each other. */
static void write_directly(struct opt *o, const uint32_t *reads, struct zn_ir_block *b, uint32_t at)
{
    zn_vreg t = b->insns[at].a, v = b->insns[at].dst;
    if (reads[t] != 1 || o->defs[t] != 1 || o->f->vregs[t].cls != o->f->vregs[v].cls)
        return;
    for (uint32_t n = at; n-- > 0 && at - n <= 8;) {
        struct zn_ir_insn *i = &b->insns[n];
        if (i->dst == t && i->op != IR_ARG) {
            i->dst = v;
            b->insns[at].op = IR_NOP;
            b->insns[at].dst = ZN_NOREG;
            return;
        }
        if (touches(i, v))
            return;
    }
}

/* Backwards, so that a chain goes in one sweep; few sweeps, for what the order missed. */
static void drop_dead(struct opt *o)
{
    struct zn_ir_fn *f = o->f;
    uint32_t *reads = zn_arena_array(o->tmp, uint32_t, f->nvregs + 1);
    zn_vreg *use[5];
    for (uint32_t b = 0; b < f->nblocks; b++)
        for (uint32_t n = 0; n < f->blocks[b].n; n++)
            for (int u = zn_ir_uses(&f->blocks[b].insns[n], use); u > 0; u--)
                reads[*use[u - 1]]++;
    for (uint32_t b = 0; b < f->nblocks; b++)
        for (uint32_t n = 0; n < f->blocks[b].n; n++)
            if (f->blocks[b].insns[n].op == IR_MOV)
                write_directly(o, reads, &f->blocks[b], n);
    bool changed = true;
    for (int sweep = 0; changed && sweep < 4; sweep++) {
        changed = false;
        for (uint32_t k = o->cfg.n; k-- > 0;) {
            struct zn_ir_block *b = &f->blocks[o->cfg.rpo[k]];
            for (uint32_t n = b->n; n-- > 0;) {
                struct zn_ir_insn *i = &b->insns[n];
                if (i->dst < 0 || reads[i->dst])
                    continue;
                if (!zn_ir_removable(i)) {
                    forget_result(i);
                    continue;
                }
                for (int u = zn_ir_uses(i, use); u > 0; u--)
                    reads[*use[u - 1]]--;
                i->op = IR_NOP;
                i->dst = ZN_NOREG;
                changed = true;
            }
        }
    }
    drop_nops(f);
}

/* A block that does nothing but test a vreg against a constant, reached from one that has just
 * written a constant to it: the answer is known there. */
static void skip_tests(struct zn_ir_fn *f)
{
    for (uint32_t b = 0; b < f->nblocks; b++) {
        struct zn_ir_block *blk = &f->blocks[b];
        if (!blk->n || blk->insns[blk->n - 1].op != IR_JMP)
            continue;
        struct zn_ir_insn *jmp = &blk->insns[blk->n - 1];
        const struct zn_ir_block *to = &f->blocks[jmp->t];
        if (to->n != 1 || to->insns[0].op != IR_BR || to->insns[0].b != ZN_NOREG)
            continue;
        const struct zn_ir_insn *br = &to->insns[0];
        uint32_t n = blk->n - 1;
        while (n > 0 && blk->insns[n - 1].dst != br->a)
            n--;
        if (!n || blk->insns[n - 1].op != IR_IMM)
            continue;
        int r = zn_fold_cmp((enum zn_cmp)br->sub, br->w, blk->insns[n - 1].imm, br->imm);
        if (r >= 0)
            jmp->t = r ? br->t : br->f;
    }
}

void zn_ir_optimise(struct zn_ir_fn *f)
{
    if (f->error)
        return;
    for (int round = 0; round < 2; round++) {
        struct zn_arena tmp;
        zn_arena_init(&tmp);
        struct opt o = {.f = f, .tmp = &tmp};
        drop_nops(f);
        zn_ir_thread_jumps(f);
        drop_unreachable(&o);
        find_defs(&o);
        zn_opt_values(&o);
        drop_nops(f);
        skip_tests(f);
        zn_ir_thread_jumps(f);
        drop_unreachable(&o);
        drop_dead(&o);
        zn_arena_fini(&tmp);
    }
    zn_ir_thread_jumps(f);
}
