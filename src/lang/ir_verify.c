/* SPDX-License-Identifier: Apache-2.0 */
/* Checks that a function keeps the rules of ir.h; a breach is a bug of the compiler. */
#include <errno.h>

#include "base/arena.h"
#include "lang/back.h"

static bool is_terminator(uint8_t op)
{
    return op == IR_JMP || op == IR_BR || op == IR_RET;
}

static bool valid_width(const struct zn_ir_insn *i)
{
    switch (i->op) {
    case IR_ALU:
    case IR_NEG:
    case IR_BR:
    case IR_ATOMIC: return i->w == 4 || i->w == 8;
    case IR_BSWAP: return i->w == 2 || i->w == 4 || i->w == 8;
    case IR_LD:
    case IR_ST: return i->w == 1 || i->w == 2 || i->w == 4 || i->w == 8;
    default: return true;
    }
}

static bool valid_sub(const struct zn_ir_insn *i)
{
    switch (i->op) {
    case IR_ALU: return i->sub < _ZN_ALU_MAX;
    case IR_BR: return i->sub < _ZN_CMP_MAX;
    case IR_ATOMIC: return i->sub <= AT_CMPXCHG;
    default: return true;
    }
}

static const char *check_operands(const struct zn_ir_fn *f, struct zn_ir_insn *i)
{
    zn_vreg *use[5];
    for (int u = zn_ir_uses(i, use); u > 0; u--)
        if (*use[u - 1] < 0 || (uint32_t)*use[u - 1] >= f->nvregs)
            return "operand is no vreg";
    if (i->dst != ZN_NOREG && (i->dst < 0 || (uint32_t)i->dst >= f->nvregs))
        return "result is no vreg";
    switch (i->op) {
    case IR_MOV:
    case IR_ALU:
    case IR_NEG:
    case IR_BSWAP:
    case IR_LD:
        if (i->a == ZN_NOREG)
            return "no operand";
        /* fall through */
    case IR_IMM:
    case IR_SLOT:
    case IR_MAP:
    case IR_MAPVAL:
    case IR_FUNC:
    case IR_CTX:
    case IR_ARG: return i->dst == ZN_NOREG ? "no result" : NULL;
    case IR_ATOMIC:
        if (i->b == ZN_NOREG || (i->sub == AT_CMPXCHG) != (i->c != ZN_NOREG))
            return "wrong operands of an atomic";
        if (i->sub < AT_FETCH_ADD && i->dst != ZN_NOREG)
            return "atomic without a result has one";
        return i->a == ZN_NOREG ? "no base" : NULL;
    case IR_ST: return i->a == ZN_NOREG ? "no base" : NULL;
    case IR_BR: return i->a == ZN_NOREG ? "no operand" : NULL;
    default: return i->nargs > 5 ? "too many arguments" : NULL;
    }
}

static const char *check_insn(const struct zn_ir_fn *f, zn_block b, struct zn_ir_insn *i)
{
    if (i->op >= _ZN_IR_MAX)
        return "unknown operation";
    if (!valid_width(i))
        return "wrong width";
    if (!valid_sub(i))
        return "unknown sub-operation";
    if ((i->op == IR_JMP || i->op == IR_BR) && (i->t < 0 || (uint32_t)i->t >= f->nblocks))
        return "jump to no block";
    if (i->op == IR_BR && (i->f < 0 || (uint32_t)i->f >= f->nblocks))
        return "branch to no block";
    if (i->op == IR_SLOT && (i->off < 0 || i->off > f->slot_peak))
        return "slot outside the frame";
    if (i->op == IR_ARG && (b != 0 || i->imm < 0 || i->imm > 4))
        return "argument outside the entry block";
    return check_operands(f, i);
}

static const char *check_block(const struct zn_ir_fn *f, zn_block b, uint32_t *ret_at)
{
    const struct zn_ir_block *blk = &f->blocks[b];
    for (uint32_t n = 0; n < blk->n; n++) {
        *ret_at = n;
        const char *bad = check_insn(f, b, &blk->insns[n]);
        if (bad)
            return bad;
        if (is_terminator(blk->insns[n].op) && n + 1 < blk->n)
            return "terminator before the end of its block";
    }
    return NULL;
}

static int complain(const struct zn_ir_fn *f, zn_block b, uint32_t at, const char *what,
                    const char **why)
{
    *why = zn_arena_printf(f->arena, "%s: block%d (%s), instruction %u: %s",
                           f->name ? f->name : "function", b,
                           f->blocks[b].name ? f->blocks[b].name : "", at, what);
    return -EINVAL;
}

/* A vreg that is alive at the entry is read on some path before it is written. */
static int check_defined(const struct zn_ir_fn *f, const struct zn_cfg *cfg, struct zn_arena *tmp,
                         const char **why)
{
    struct zn_live live;
    zn_live_build(tmp, f, cfg, &live);
    for (uint32_t w = 0; w < live.words; w++) {
        if (!live.in[w])
            continue;
        zn_vreg v = live.vreg[w * 64 + (uint32_t)__builtin_ctzll(live.in[w])];
        for (uint32_t k = 0; k < cfg->n; k++) {
            const struct zn_ir_block *b = &f->blocks[cfg->rpo[k]];
            zn_vreg *use[5];
            for (uint32_t n = 0; n < b->n; n++)
                for (int u = zn_ir_uses(&b->insns[n], use); u > 0; u--)
                    if (*use[u - 1] == v)
                        return complain(
                            f, cfg->rpo[k], n,
                            zn_arena_printf(f->arena, "%%%d may be read before it is written", v),
                            why);
        }
    }
    return 0;
}

int zn_ir_verify(const struct zn_ir_fn *f, const char **why)
{
    for (uint32_t b = 0; b < f->nblocks; b++) {
        uint32_t at = 0;
        const char *bad = check_block(f, (zn_block)b, &at);
        if (bad)
            return complain(f, (zn_block)b, at, bad, why);
    }
    struct zn_arena tmp;
    zn_arena_init(&tmp);
    struct zn_cfg cfg;
    zn_cfg_build(&tmp, f, &cfg);
    int r = 0;
    for (uint32_t k = 0; k < cfg.n && !r; k++) {
        const struct zn_ir_block *b = &f->blocks[cfg.rpo[k]];
        if (!b->n || !is_terminator(b->insns[b->n - 1].op))
            r = complain(f, cfg.rpo[k], b->n, "block without a terminator", why);
    }
    if (!r)
        r = check_defined(f, &cfg, &tmp, why);
    zn_arena_fini(&tmp);
    return r;
}
