/* SPDX-License-Identifier: Apache-2.0 */
/* Copies and repeated results, found in one walk in reverse postorder.
 *
 * A vreg that is written once is written on every path to its uses, so its definition dominates
 * them and comes earlier in this order: whatever is learnt of it holds at every use. Vregs that are
 * written more often take no part. Results are kept in a hash table with the block they stand in; a
 * later equal instruction takes one whose block dominates its own.
 *
 * How far a result may reach depends on what it costs to have it twice. A pure helper, a load from
 * ctx, a division or a map address is kept for the whole function; other arithmetic only within its
 * block and the block that dominates it directly, since a value kept over calls needs one of three
 * registers; a pointer sum and a constant only within the block. */
#include "base/arena.h"
#include "lang/opt.h"

enum { CHAIN = 8 };

struct seen {
    struct zn_ir_insn *insn;
    uint32_t place; /* block, as its place in rpo */
    int32_t next;
};

struct table {
    struct seen *seen;
    uint32_t n, cap;
    int32_t *heads;
    uint32_t mask;
    const int32_t *idom;
    uint32_t *pre, *size; /* dominator tree: number in preorder, size of the subtree */
};

static void number_tree(struct opt *o, struct table *t)
{
    uint32_t n = o->cfg.n;
    uint32_t *next = zn_arena_array(o->tmp, uint32_t, n);
    t->pre = zn_arena_array(o->tmp, uint32_t, n);
    t->size = zn_arena_array(o->tmp, uint32_t, n);
    t->idom = zn_cfg_idom(o->tmp, o->f, &o->cfg);
    for (uint32_t k = n; k-- > 1;)
        t->size[t->idom[k]] += ++t->size[k];
    t->size[0]++;
    next[0] = 1;
    for (uint32_t k = 1; k < n; k++) {
        t->pre[k] = next[t->idom[k]];
        next[t->idom[k]] += t->size[k];
        next[k] = t->pre[k] + 1;
    }
}

static bool dominates(const struct table *t, uint32_t a, uint32_t b)
{
    return t->pre[b] - t->pre[a] < t->size[a];
}

enum reach { NOWHERE, BLOCK, PARENT, EVERYWHERE };

static enum reach reach_of(const struct opt *o, const struct zn_ir_insn *i)
{
    switch (i->op) {
    case IR_CTX:
    case IR_MAP:
    case IR_MAPVAL:
    case IR_FUNC: return EVERYWHERE;
    case IR_IMM:
    case IR_SLOT: return BLOCK;
    case IR_CALL: return zn_ir_pure_helper(i->imm) ? EVERYWHERE : NOWHERE;
    case IR_LD: {
        const struct zn_ir_insn *a = opt_def(o, i->a);
        return a && a->op == IR_CTX ? EVERYWHERE : NOWHERE;
    }
    case IR_ALU:
        if (o->f->vregs[i->dst].cls == ZN_V_PTR)
            return BLOCK;
        return i->sub >= ALU_MUL && i->sub <= ALU_SMOD ? EVERYWHERE : PARENT;
    case IR_NEG:
    case IR_BSWAP: return PARENT;
    default: return NOWHERE;
    }
}

static bool equal(const struct zn_ir_insn *x, const struct zn_ir_insn *y)
{
    return x->op == y->op && x->sub == y->sub && x->w == y->w && x->sgn == y->sgn && x->a == y->a &&
           x->b == y->b && x->off == y->off && (x->b != ZN_NOREG || x->imm == y->imm);
}

static uint32_t hash(const struct zn_ir_insn *i)
{
    uint64_t h = i->op | (uint64_t)i->sub << 8 | (uint64_t)i->w << 16;
    h = h * 0x9e3779b97f4a7c15ULL + (uint32_t)i->a;
    h = h * 0x9e3779b97f4a7c15ULL + (uint32_t)i->b;
    h = h * 0x9e3779b97f4a7c15ULL + (i->b == ZN_NOREG ? (uint64_t)i->imm : 0);
    h = h * 0x9e3779b97f4a7c15ULL + (uint32_t)i->off;
    return (uint32_t)(h >> 32) ^ (uint32_t)h;
}

static bool stable(const struct opt *o, zn_vreg v)
{
    return v == ZN_NOREG || opt_def(o, v);
}

static void remember(struct opt *o, struct table *t, struct zn_ir_insn *i, uint32_t place,
                     uint32_t h)
{
    zn_arena_grow(o->tmp, t->seen, t->n, t->cap);
    t->seen[t->n] = (struct seen){i, place, t->heads[h] - 1};
    t->heads[h] = (int32_t)++t->n;
}

/* Takes an earlier equal result, or remembers this one. One that is used again reaches on from
 * here. */
static void reuse(struct opt *o, struct table *t, struct zn_ir_insn *i, uint32_t place)
{
    if (i->dst < 0 || o->defs[i->dst] != 1 || !stable(o, i->a) || !stable(o, i->b))
        return;
    enum reach reach = reach_of(o, i);
    if (reach == NOWHERE)
        return;
    uint32_t h = hash(i) & t->mask;
    int32_t at = t->heads[h] - 1;
    for (int n = 0; at >= 0 && n < CHAIN; at = t->seen[at].next, n++) {
        const struct seen *s = &t->seen[at];
        if (!equal(s->insn, i) || !dominates(t, s->place, place) ||
            o->f->vregs[s->insn->dst].cls != o->f->vregs[i->dst].cls)
            continue;
        if (reach == EVERYWHERE || s->place == place ||
            (reach == PARENT && (uint32_t)t->idom[place] == s->place)) {
            o->same[i->dst] = s->insn->dst;
            i->op = IR_NOP;
            i->dst = ZN_NOREG;
            if (s->place != place)
                remember(o, t, s->insn, place, h);
            return;
        }
    }
    remember(o, t, i, place, h);
}

static void copy(struct opt *o, struct zn_ir_insn *i)
{
    if (o->defs[i->dst] != 1 || !opt_def(o, i->a))
        return;
    if (o->f->vregs[i->dst].cls == ZN_V_PTR)
        o->f->vregs[i->a].cls = ZN_V_PTR;
    o->same[i->dst] = i->a;
    i->op = IR_NOP;
    i->dst = ZN_NOREG;
}

void zn_opt_values(struct opt *o)
{
    uint32_t total = 0;
    for (uint32_t k = 0; k < o->cfg.n; k++)
        total += o->f->blocks[o->cfg.rpo[k]].n;
    struct table t = {.mask = 255};
    while (t.mask < total)
        t.mask = t.mask * 2 + 1;
    t.heads = zn_arena_array(o->tmp, int32_t, (size_t)t.mask + 1);
    number_tree(o, &t);
    zn_vreg *use[5];
    for (uint32_t k = 0; k < o->cfg.n; k++) {
        struct zn_ir_block *b = &o->f->blocks[o->cfg.rpo[k]];
        for (uint32_t n = 0; n < b->n; n++) {
            struct zn_ir_insn *i = &b->insns[n];
            for (int u = zn_ir_uses(i, use); u > 0; u--)
                if (o->same[*use[u - 1]] >= 0)
                    *use[u - 1] = o->same[*use[u - 1]];
            zn_opt_fold(o, i);
            if (i->op == IR_MOV)
                copy(o, i);
            else
                reuse(o, &t, i, k);
        }
    }
}
