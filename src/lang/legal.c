/* SPDX-License-Identifier: Apache-2.0 */
/* Makes every instruction one that BPF can say in a handful of machine instructions.
 *
 * Before cpu v4 there is no signed division. It is worked out without branches: with s = x >> 63
 * (all ones when negative), |x| = (x ^ s) - s, and a result takes its sign back the same way. That
 * gives C's truncation, INT64_MIN / -1 = INT64_MIN, and BPF's x / 0 = 0 and x % 0 = x, since the
 * unsigned operations in the middle have the latter already. */
#include <string.h>

#include "base/arena.h"
#include "lang/back.h"

struct legal {
    struct zn_ir_fn *f;
    bool cpu_v4;
    uint8_t *defs;                  /* vreg -> number of definitions, stops at 2 */
    const struct zn_ir_insn **addr; /* vreg -> its IR_SLOT or IR_CTX, when that is its only one */
    uint32_t nvregs;                /* vregs there were before */
    struct zn_ir_insn *out;
    uint32_t n, cap;
    const struct zn_ir_insn *at; /* position of what is put out */
};

static struct zn_ir_insn *put(struct legal *l, struct zn_ir_insn i)
{
    zn_arena_grow(l->f->arena, l->out, l->n, l->cap);
    l->out[l->n] = i;
    return &l->out[l->n++];
}

static struct zn_ir_insn blank(const struct legal *l, enum zn_ir_op op, zn_vreg dst)
{
    return (struct zn_ir_insn){
        .op = (uint8_t)op,
        .w = 8,
        .dst = dst,
        .a = ZN_NOREG,
        .b = ZN_NOREG,
        .c = ZN_NOREG,
        .t = -1,
        .f = -1,
        .pos = l->at->pos,
        .note = l->at->note,
    };
}

static zn_vreg put_imm(struct legal *l, int64_t imm)
{
    struct zn_ir_insn i = blank(l, IR_IMM, zn_ir_vreg(l->f, ZN_V_SCALAR));
    i.imm = imm;
    return put(l, i)->dst;
}

static zn_vreg put_mov(struct legal *l, zn_vreg a)
{
    enum zn_vclass cls = a >= 0 ? (enum zn_vclass)l->f->vregs[a].cls : ZN_V_PTR;
    struct zn_ir_insn i = blank(l, IR_MOV, zn_ir_vreg(l->f, cls));
    i.a = a;
    return put(l, i)->dst;
}

static zn_vreg put_alu(struct legal *l, enum zn_alu op, zn_vreg dst, zn_vreg a, zn_vreg b,
                       int64_t imm)
{
    struct zn_ir_insn i = blank(l, IR_ALU, dst == ZN_NOREG ? zn_ir_vreg(l->f, ZN_V_SCALAR) : dst);
    i.sub = (uint8_t)op;
    i.w = l->at->w;
    i.a = a;
    i.b = b;
    i.imm = imm;
    return put(l, i)->dst;
}

/* |x|, and its sign as all ones or zero. */
static zn_vreg put_abs(struct legal *l, zn_vreg x, zn_vreg *ret_sign)
{
    *ret_sign = put_alu(l, ALU_SAR, ZN_NOREG, x, ZN_NOREG, l->at->w * 8 - 1);
    zn_vreg t = put_alu(l, ALU_XOR, ZN_NOREG, x, *ret_sign, 0);
    return put_alu(l, ALU_SUB, ZN_NOREG, t, *ret_sign, 0);
}

static void signed_division(struct legal *l, const struct zn_ir_insn *i)
{
    bool mod = i->sub == ALU_SMOD;
    zn_vreg sign, sign_b = ZN_NOREG, b = ZN_NOREG;
    zn_vreg a = put_abs(l, i->a, &sign);
    int64_t imm = i->w == 4 ? (int32_t)i->imm : i->imm;
    if (i->b != ZN_NOREG)
        b = put_abs(l, i->b, &sign_b);
    else if (imm < 0)
        b = put_imm(l, i->w == 4 ? (int64_t)(0U - (uint32_t)imm) : (int64_t)(0ULL - (uint64_t)imm));
    else if (imm != (int32_t)imm)
        b = put_imm(l, imm);
    if (b == ZN_NOREG && !imm) /* the verifier refuses a constant zero */
        b = put_imm(l, 0);
    zn_vreg q = put_alu(l, mod ? ALU_MOD : ALU_DIV, ZN_NOREG, a, b, imm);
    if (!mod && sign_b != ZN_NOREG)
        sign = put_alu(l, ALU_XOR, ZN_NOREG, sign, sign_b, 0);
    else if (!mod && i->b == ZN_NOREG && imm < 0)
        sign = put_alu(l, ALU_XOR, ZN_NOREG, sign, ZN_NOREG, -1);
    q = put_alu(l, ALU_XOR, ZN_NOREG, q, sign, 0);
    put_alu(l, ALU_SUB, i->dst, q, sign, 0);
}

static bool commutes(uint8_t alu)
{
    return alu == ALU_ADD || alu == ALU_MUL || alu == ALU_AND || alu == ALU_OR || alu == ALU_XOR;
}

static bool is_division(uint8_t alu)
{
    return alu >= ALU_DIV && alu <= ALU_SMOD;
}

static void alu(struct legal *l, struct zn_ir_insn i)
{
    if (!l->cpu_v4 && (i.sub == ALU_SDIV || i.sub == ALU_SMOD)) {
        signed_division(l, &i);
        return;
    }
    if (i.b == ZN_NOREG) {
        if (i.sub >= ALU_SHL)
            i.imm &= i.w * 8 - 1; /* as the machine does for a count in a register */
        if (i.w == 4)
            i.imm = (int32_t)i.imm;
        bool low32 = i.sub == ALU_AND && i.w == 8 && i.imm == 0xffffffff;
        if ((i.imm != (int32_t)i.imm && !low32) || (is_division(i.sub) && !i.imm))
            i.b = put_imm(l, i.imm);
    } else if (i.dst == i.b && i.dst != i.a) {
        if (commutes(i.sub)) {
            i.b = i.a;
            i.a = i.dst;
        } else {
            i.b = put_mov(l, i.b);
        }
    }
    put(l, i);
}

static void atomic(struct legal *l, struct zn_ir_insn i)
{
    if (i.sub >= AT_FETCH_ADD && i.dst == ZN_NOREG)
        i.dst = zn_ir_vreg(l->f, ZN_V_SCALAR);
    if (i.dst != ZN_NOREG && i.dst == i.a)
        i.a = put_mov(l, i.a);
    if (i.sub == AT_CMPXCHG && i.dst == i.b)
        i.b = put_mov(l, i.b);
    put(l, i);
}

/* Offsets have 16 bits. */
static void near_offset(struct legal *l, struct zn_ir_insn *i)
{
    if (i->off == (int16_t)i->off)
        return;
    struct zn_ir_insn add = blank(l, IR_ALU, zn_ir_vreg(l->f, ZN_V_PTR));
    add.sub = ALU_ADD;
    add.a = i->a;
    add.imm = i->off;
    i->a = put(l, add)->dst;
    i->off = 0;
}

static void one(struct legal *l, struct zn_ir_insn i)
{
    if (i.op == IR_LD || i.op == IR_ST || i.op == IR_ATOMIC)
        near_offset(l, &i);
    switch (i.op) {
    case IR_NOP: return;
    case IR_ALU: alu(l, i); return;
    case IR_ATOMIC: atomic(l, i); return;
    case IR_BR:
        if (i.b == ZN_NOREG && i.w == 4)
            i.imm = (int32_t)i.imm;
        if (i.b == ZN_NOREG && i.imm != (int32_t)i.imm)
            i.b = put_imm(l, i.imm);
        break;
    case IR_ST:
        if (i.b == ZN_NOREG && i.w == 8 && i.imm != (int32_t)i.imm)
            i.b = put_imm(l, i.imm);
        break;
    default: break;
    }
    put(l, i);
}

/* Loads and stores name r10 and r6 themselves; ctx is never in a vreg unless that is written more
 * than once. */
static void fold_bases(struct legal *l, struct zn_ir_insn *i)
{
    zn_vreg *use[5];
    for (int u = zn_ir_uses(i, use); u > 0; u--) {
        zn_vreg v = *use[u - 1];
        if (v < 0 || (uint32_t)v >= l->nvregs || l->defs[v] != 1 || !l->addr[v])
            continue;
        if (l->addr[v]->op == IR_CTX) {
            *use[u - 1] = ZN_CTX;
        } else if (use[u - 1] == &i->a &&
                   (i->op == IR_LD || i->op == IR_ST || i->op == IR_ATOMIC)) {
            i->a = ZN_FRAME;
            i->off += l->addr[v]->off;
        }
    }
}

static void find_addresses(struct legal *l)
{
    for (uint32_t b = 0; b < l->f->nblocks; b++)
        for (uint32_t n = 0; n < l->f->blocks[b].n; n++) {
            const struct zn_ir_insn *i = &l->f->blocks[b].insns[n];
            if (i->dst < 0)
                continue;
            if (l->defs[i->dst] < 2)
                l->defs[i->dst]++;
            if (i->op == IR_SLOT || i->op == IR_CTX)
                l->addr[i->dst] = i;
        }
}

/* Addresses and constants that nobody reads any more. */
static void drop_unread(struct zn_ir_fn *f, struct zn_arena *a)
{
    uint8_t *used = zn_arena_array(a, uint8_t, f->nvregs + 1);
    zn_vreg *use[5];
    for (uint32_t b = 0; b < f->nblocks; b++)
        for (uint32_t n = 0; n < f->blocks[b].n; n++)
            for (int u = zn_ir_uses(&f->blocks[b].insns[n], use); u > 0; u--)
                if (*use[u - 1] >= 0)
                    used[*use[u - 1]] = 1;
    for (uint32_t b = 0; b < f->nblocks; b++) {
        struct zn_ir_block *blk = &f->blocks[b];
        uint32_t kept = 0;
        for (uint32_t n = 0; n < blk->n; n++) {
            const struct zn_ir_insn *i = &blk->insns[n];
            if (i->dst < 0 || used[i->dst] || !zn_ir_removable(i))
                blk->insns[kept++] = *i;
        }
        blk->n = kept;
    }
}

void zn_ir_legalise(struct zn_ir_fn *f, bool cpu_v4)
{
    struct zn_arena tmp;
    zn_arena_init(&tmp);
    struct legal l = {
        .f = f,
        .cpu_v4 = cpu_v4,
        .defs = zn_arena_array(&tmp, uint8_t, f->nvregs + 1),
        .addr = (const struct zn_ir_insn **)zn_arena_array(&tmp, void *, f->nvregs + 1),
        .nvregs = f->nvregs,
    };
    find_addresses(&l);
    for (uint32_t b = 0; b < f->nblocks; b++) {
        struct zn_ir_block *blk = &f->blocks[b];
        l.out = NULL;
        l.n = l.cap = 0;
        for (uint32_t n = 0; n < blk->n; n++) {
            struct zn_ir_insn i = blk->insns[n];
            l.at = &blk->insns[n];
            fold_bases(&l, &i);
            one(&l, i);
        }
        blk->insns = l.out;
        blk->n = l.n;
        blk->cap = l.cap;
    }
    drop_unread(f, &tmp);
    zn_arena_fini(&tmp);
}
