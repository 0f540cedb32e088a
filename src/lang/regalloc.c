/* SPDX-License-Identifier: Apache-2.0 */
/* Registers for vregs, by packing live ranges into the columns of a table.
 *
 * Instructions get three positions each, in the order in which they will stand in the program: at
 * 3i operands are read, at 3i+1 a call destroys r0-r5, at 3i+2 the result is written. A vreg's life
 * is a list of position ranges (with holes, so that a value used in a far cold block costs nothing
 * between). Each register is a bit set over all positions; a vreg fits when none of its bits is
 * taken. What crosses a call covers its 3i+1 and therefore fits r6-r9 only; no rule is needed.
 *
 * Vregs are placed heaviest first (uses, weighted by loop depth and coldness, over length). Hints
 * put a call's arguments into r1-r5 and its result into r0, and join copies. One that fits nowhere
 * is *spilled*: rematerialised when it is an address or a constant, else kept in a stack word. Its
 * uses and definitions then go through new vregs that live from one instruction to the next (call
 * arguments are loaded by the call itself), and everything is placed anew; that ends because the
 * new ones come first and are never spilled. Stack words are packed in the same way. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "lang/back.h"

enum { NREGS = 10, NWORDS = 32, MAX_ROUNDS = 12 };

struct range {
    uint32_t from, to; /* both included */
    int32_t next;      /* index into ranges, -1 at the end; ascending */
};

/* What is known of a vreg in one round. */
struct life {
    int32_t ranges; /* first range, -1 when never alive */
    uint32_t open;  /* while building: end of the range being built, plus 1 */
    uint32_t length;
    uint32_t defs, uses;
    float weight, def_weight;
    int8_t hint;    /* preferred register or -1 */
    zn_vreg kin[2]; /* joined by a copy */
    bool other_use; /* read by something else than a call */
    bool compared;  /* read by a branch */
};

struct ra {
    struct zn_ir_fn *f;
    struct zn_alloc *out;
    uint8_t *pinned; /* vreg -> must have a register; grows with the vregs */
    uint32_t cap;    /* entries in pinned, out->loc, at, remat */
    /* one round's */
    struct zn_arena *tmp;
    struct zn_cfg cfg;
    struct zn_live live;
    struct life *life;
    struct range *ranges;
    uint32_t nranges, capranges;
    uint32_t *first; /* layout place -> number of its first instruction */
    uint8_t *depth;  /* layout place -> loop depth */
    uint32_t ninsns;
    size_t words; /* per bit set */
    uint64_t *taken[NREGS + NWORDS];
};

/* Per-vreg tables follow the vregs that spilling adds. */
static void fit_tables(struct ra *r)
{
    uint32_t n = r->f->nvregs;
    if (n <= r->cap)
        return;
    uint32_t cap = n + n / 2 + 16;
    struct zn_arena *a = r->f->arena;
    uint8_t *pinned = zn_arena_array(a, uint8_t, cap), *loc = zn_arena_array(a, uint8_t, cap);
    int8_t *at = zn_arena_array(a, int8_t, cap);
    struct zn_ir_insn *remat = zn_arena_array(a, struct zn_ir_insn, cap);
    if (r->cap) {
        memcpy(pinned, r->pinned, r->cap);
        memcpy(loc, r->out->loc, r->cap);
        memcpy(at, r->out->at, r->cap);
        memcpy(remat, r->out->remat, r->cap * sizeof(*remat));
    }
    r->pinned = pinned;
    r->out->loc = loc;
    r->out->at = at;
    r->out->remat = remat;
    r->cap = cap;
}

enum { WINDOW_INSNS = 4000 };

/* Cold blocks go behind the hot ones of their window: behind all of a large function they would be
 * further away than the kernel's 16-bit jumps reach once it has inlined its helpers. */
static void lay_out(struct ra *r)
{
    zn_cfg_build(r->f->arena, r->f, &r->cfg);
    r->out->layout = zn_arena_array(r->f->arena, zn_block, r->cfg.n);
    r->out->nlayout = 0;
    for (uint32_t from = 0, to; from < r->cfg.n; from = to) {
        uint32_t insns = 0;
        for (to = from; to < r->cfg.n && insns < WINDOW_INSNS; to++)
            insns += r->f->blocks[r->cfg.rpo[to]].n;
        for (int cold = 0; cold < 2; cold++)
            for (uint32_t k = from; k < to; k++)
                if ((r->f->blocks[r->cfg.rpo[k]].cold && k) == cold)
                    r->out->layout[r->out->nlayout++] = r->cfg.rpo[k];
    }
}

/* A jump backwards spans a loop; depth is how many spans cover a block. */
static void find_depth(struct ra *r)
{
    uint32_t n = r->out->nlayout;
    uint32_t *place = zn_arena_array(r->tmp, uint32_t, r->f->nblocks);
    int32_t *delta = zn_arena_array(r->tmp, int32_t, n + 1);
    for (uint32_t k = 0; k < n; k++)
        place[r->out->layout[k]] = k;
    for (uint32_t k = 0; k < n; k++) {
        const struct zn_ir_block *b = &r->f->blocks[r->out->layout[k]];
        zn_block s[2];
        for (int u = zn_ir_succs(b, s); u > 0; u--)
            if (place[s[u - 1]] <= k && !b->cold) {
                delta[place[s[u - 1]]]++;
                delta[k + 1]--;
            }
    }
    int32_t depth = 0;
    for (uint32_t k = 0; k < n; k++) {
        depth += delta[k];
        r->depth[k] = (uint8_t)ZN_MIN(depth, 4);
    }
}

static void number(struct ra *r)
{
    uint32_t n = r->out->nlayout;
    r->first = zn_arena_array(r->tmp, uint32_t, n + 1);
    r->depth = zn_arena_array(r->tmp, uint8_t, n + 1);
    for (uint32_t k = 0; k < n; k++)
        r->first[k + 1] = r->first[k] + r->f->blocks[r->out->layout[k]].n;
    r->ninsns = r->first[n];
    find_depth(r);
}

static void add_range(struct ra *r, struct life *l, uint32_t from, uint32_t to)
{
    l->length += to - from + 1;
    if (l->ranges >= 0 && r->ranges[l->ranges].from == to + 1) {
        r->ranges[l->ranges].from = from;
        return;
    }
    zn_arena_grow(r->tmp, r->ranges, r->nranges, r->capranges);
    r->ranges[r->nranges] = (struct range){from, to, l->ranges};
    l->ranges = (int32_t)r->nranges++;
}

static void kin(struct ra *r, zn_vreg x, zn_vreg y)
{
    if (x < 0 || y < 0 || x == y)
        return;
    struct life *a = &r->life[x], *b = &r->life[y];
    a->kin[a->kin[0] >= 0] = y;
    b->kin[b->kin[0] >= 0] = x;
    /* The walk is backwards, so what comes later in the program has its hint already. */
    if (b->hint < 0)
        b->hint = a->hint;
}

static void hint(struct ra *r, zn_vreg v, int reg)
{
    if (v >= 0)
        r->life[v].hint = (int8_t)reg;
}

static void find_hints(struct ra *r, const struct zn_ir_insn *i)
{
    switch (i->op) {
    case IR_MOV:
    case IR_ALU:
    case IR_NEG:
    case IR_BSWAP: kin(r, i->dst, i->a); break;
    case IR_ATOMIC:
        if (i->sub == AT_CMPXCHG)
            hint(r, i->dst, 0);
        else
            kin(r, i->dst, i->b);
        break;
    case IR_CALL:
    case IR_CALLSUB:
        if (i->dst >= 0 && r->life[i->dst].hint < 0)
            hint(r, i->dst, 0);
        for (int k = 0; k < i->nargs; k++)
            hint(r, i->args[k], k + 1);
        break;
    case IR_RET: hint(r, i->a, 0); break;
    case IR_ARG: hint(r, i->dst, (int)i->imm + 1); break;
    default: break;
    }
}

/* Operands that must outlive the write of the result, since the result is made in its register
 * before they are read. */
static bool read_late(const struct zn_ir_insn *i, const zn_vreg *use)
{
    if (i->op == IR_ALU && use == &i->b)
        return i->sub != ALU_ADD && i->sub != ALU_MUL && i->sub != ALU_AND && i->sub != ALU_OR &&
               i->sub != ALU_XOR && i->a != i->b && i->dst != i->b;
    return i->op == IR_ATOMIC && use == &i->a && i->dst != ZN_NOREG && i->sub != AT_CMPXCHG;
}

static void live_insn(struct ra *r, struct zn_ir_insn *i, uint32_t at, float weight)
{
    if (i->dst >= 0) {
        struct life *l = &r->life[i->dst];
        add_range(r, l, 3 * at + 2, l->open ? l->open - 1 : 3 * at + 2);
        l->open = 0;
        l->defs++;
        l->weight += weight;
        l->def_weight += weight;
    }
    find_hints(r, i);
    zn_vreg *use[5];
    bool call = i->op == IR_CALL || i->op == IR_CALLSUB;
    for (int u = zn_ir_uses(i, use); u > 0; u--) {
        if (*use[u - 1] < 0)
            continue;
        struct life *l = &r->life[*use[u - 1]];
        uint32_t to = 3 * at + (read_late(i, use[u - 1]) ? 2 : 0);
        if (l->open < to + 1)
            l->open = to + 1;
        l->uses++;
        l->weight += weight;
        l->other_use |= !call;
        l->compared |= i->op == IR_BR;
    }
}

static void build_lives(struct ra *r)
{
    r->life = zn_arena_array(r->tmp, struct life, r->f->nvregs);
    for (uint32_t v = 0; v < r->f->nvregs; v++)
        r->life[v] = (struct life){.ranges = -1, .hint = -1, .kin = {-1, -1}};
    zn_live_build(r->tmp, r->f, &r->cfg, &r->live);
    const struct zn_live *live = &r->live;
    for (uint32_t k = r->out->nlayout; k-- > 0;) {
        zn_block id = r->out->layout[k];
        struct zn_ir_block *b = &r->f->blocks[id];
        static const float by_depth[] = {8, 64, 512, 4096, 32768};
        float weight = b->cold ? 1 : by_depth[r->depth[k]];
        uint32_t end = 3 * r->first[k + 1]; /* one past the last position */
        for (uint32_t w = 0; w < live->words; w++)
            for (uint64_t m = live->out[(size_t)id * live->words + w]; m; m &= m - 1)
                r->life[live->vreg[w * 64 + (uint32_t)__builtin_ctzll(m)]].open = end;
        for (uint32_t n = b->n; n-- > 0;)
            live_insn(r, &b->insns[n], r->first[k] + n, weight);
        for (uint32_t w = 0; w < live->words; w++)
            for (uint64_t m = live->in [(size_t)id * live->words + w]; m; m &= m - 1) {
                struct life *l = &r->life[live->vreg[w * 64 + (uint32_t)__builtin_ctzll(m)]];
                add_range(r, l, 3 * r->first[k], l->open - 1);
                l->open = 0;
            }
    }
}

/* Bits from..to of a set: test, or set. */
static bool any_taken(const uint64_t *set, uint32_t from, uint32_t to)
{
    uint32_t w = from / 64, last = to / 64;
    uint64_t head = ~0ULL << (from % 64), tail = ~0ULL >> (63 - to % 64);
    if (w == last)
        return set[w] & head & tail;
    if (set[w++] & head)
        return true;
    for (; w < last; w++)
        if (set[w])
            return true;
    return set[last] & tail;
}

static void take(uint64_t *set, uint32_t from, uint32_t to)
{
    uint32_t w = from / 64, last = to / 64;
    uint64_t head = ~0ULL << (from % 64), tail = ~0ULL >> (63 - to % 64);
    if (w == last) {
        set[w] |= head & tail;
        return;
    }
    set[w++] |= head;
    for (; w < last; w++)
        set[w] = ~0ULL;
    set[last] |= tail;
}

static bool fits(const struct ra *r, zn_vreg v, int column)
{
    for (int32_t g = r->life[v].ranges; g >= 0; g = r->ranges[g].next)
        if (any_taken(r->taken[column], r->ranges[g].from, r->ranges[g].to))
            return false;
    return true;
}

static void place(struct ra *r, zn_vreg v, int column)
{
    for (int32_t g = r->life[v].ranges; g >= 0; g = r->ranges[g].next)
        take(r->taken[column], r->ranges[g].from, r->ranges[g].to);
    r->out->loc[v] = column < NREGS ? LOC_REG : LOC_WORD;
    r->out->at[v] = (int8_t)(column < NREGS ? column : column - NREGS);
}

/* What calls destroy, where arguments wait to be read, and ctx. */
static void take_fixed(struct ra *r)
{
    r->words = ((size_t)r->ninsns * 3 + 63) / 64 + 1;
    for (int c = 0; c < NREGS + NWORDS; c++)
        r->taken[c] = zn_arena_array(r->tmp, uint64_t, r->words);
    if (r->out->ctx)
        memset(r->taken[6], 0xff, r->words * 8);
    for (uint32_t k = 0; k < r->out->nlayout; k++) {
        const struct zn_ir_block *b = &r->f->blocks[r->out->layout[k]];
        for (uint32_t n = 0; n < b->n; n++) {
            uint32_t at = 3 * (r->first[k] + n);
            const struct zn_ir_insn *i = &b->insns[n];
            if (i->op == IR_CALL || i->op == IR_CALLSUB)
                for (int c = 0; c <= 5; c++)
                    take(r->taken[c], at + 1, at + 1);
            else if (i->op == IR_ATOMIC && i->sub == AT_CMPXCHG)
                take(r->taken[0], at, at + 1);
            else if (i->op == IR_ARG && k == 0)
                take(r->taken[i->imm + 1], 0, at + 1);
        }
    }
}

/* Whether two are alive at once; a long search is taken for yes. */
static bool together(const struct ra *r, zn_vreg x, zn_vreg y)
{
    int32_t a = r->life[x].ranges, b = r->life[y].ranges;
    for (int steps = 0; a >= 0 && b >= 0; steps++) {
        const struct range *p = &r->ranges[a], *q = &r->ranges[b];
        if (steps == 64 || (p->from <= q->to && q->from <= p->to))
            return true;
        if (p->to < q->from)
            a = p->next;
        else
            b = q->next;
    }
    return false;
}

static bool try_place(struct ra *r, zn_vreg v)
{
    static const int8_t order[NREGS] = {0, 5, 4, 3, 2, 1, 7, 8, 9, 6};
    const struct life *l = &r->life[v];
    int8_t want[5];
    int n = 0;
    if (l->hint >= 0)
        want[n++] = l->hint;
    for (int k = 0; k < 2; k++)
        if (l->kin[k] >= 0) {
            if (r->out->loc[l->kin[k]] == LOC_REG)
                want[n++] = r->out->at[l->kin[k]];
            else if (r->life[l->kin[k]].hint >= 0 && !together(r, v, l->kin[k]))
                want[n++] = r->life[l->kin[k]].hint;
        }
    for (int k = 0; k < n; k++)
        if (fits(r, v, want[k])) {
            place(r, v, want[k]);
            return true;
        }
    for (int k = 0; k < NREGS; k++)
        if (fits(r, v, order[k])) {
            place(r, v, order[k]);
            return true;
        }
    return false;
}

/* A load from ctx costs what a reload does, and saves the store (but see find_remat). */
static bool can_remat(const struct zn_ir_insn *i)
{
    return i->op == IR_IMM || i->op == IR_SLOT || i->op == IR_MAP || i->op == IR_MAPVAL ||
           i->op == IR_FUNC || i->op == IR_CTX || (i->op == IR_LD && i->a == ZN_CTX);
}

struct order {
    double weight;
    zn_vreg v;
};

static int by_weight(const void *x, const void *y)
{
    const struct order *a = x, *b = y;
    if (a->weight != b->weight)
        return a->weight < b->weight ? 1 : -1;
    return a->v < b->v ? -1 : a->v > b->v;
}

/* What the verifier learns of a value by a comparison belongs to that value, not to a second load
 * of it; and a second load of a pointer is another pointer. */
static bool loses_knowledge(const struct ra *r, const struct zn_ir_insn *i)
{
    return i->op == IR_LD && (r->life[i->dst].compared || r->f->vregs[i->dst].cls == ZN_V_PTR);
}

/* Defining instructions of the vregs that can be made again. */
static void find_remat(struct ra *r)
{
    for (uint32_t k = 0; k < r->out->nlayout; k++) {
        const struct zn_ir_block *b = &r->f->blocks[r->out->layout[k]];
        for (uint32_t n = 0; n < b->n; n++) {
            const struct zn_ir_insn *i = &b->insns[n];
            if (i->dst >= 0 && can_remat(i) && r->life[i->dst].defs == 1 && !r->pinned[i->dst] &&
                !loses_knowledge(r, i))
                r->out->remat[i->dst] = *i;
        }
    }
}

/* What only calls read is made at the call; what is read once, where it is read, unless that is in
 * a loop that its definition is not in. */
static bool better_made_again(const struct ra *r, zn_vreg v)
{
    const struct life *l = &r->life[v];
    if (!can_remat(&r->out->remat[v]))
        return false;
    return !l->other_use || (l->uses == 1 && l->weight <= 2 * l->def_weight && l->length > 4);
}

/* Returns how many vregs found no register, or -1 when a pinned one did not. */
static int place_all(struct ra *r)
{
    struct order *order = zn_arena_array(r->tmp, struct order, r->f->nvregs);
    uint32_t n = 0;
    int spilled = 0;
    for (uint32_t v = 0; v < r->f->nvregs; v++) {
        struct life *l = &r->life[v];
        bool remat = can_remat(&r->out->remat[v]);
        if (l->ranges < 0 || r->out->loc[v] == LOC_WORD || r->out->loc[v] == LOC_REMAT)
            continue;
        if (better_made_again(r, (zn_vreg)v)) {
            r->out->loc[v] = LOC_REMAT;
            spilled++;
            continue;
        }
        r->out->loc[v] = LOC_NONE;
        double weight = r->pinned[v] ? 1e30 : (double)l->weight / l->length;
        if (remat)
            weight /= 16;
        else if (l->compared) /* before 6.9 a comparison teaches nothing about the spilled word */
            weight *= 4;
        order[n++] = (struct order){weight, (zn_vreg)v};
    }
    qsort(order, n, sizeof(*order), by_weight);
    for (uint32_t k = 0; k < n; k++) {
        zn_vreg v = order[k].v;
        if (try_place(r, v))
            continue;
        if (r->pinned[v])
            return -1;
        r->out->loc[v] = can_remat(&r->out->remat[v]) ? LOC_REMAT : LOC_WORD;
        spilled++;
    }
    return spilled;
}

static int place_words(struct ra *r, const char **why)
{
    for (uint32_t v = 0; v < r->f->nvregs; v++) {
        if (r->out->loc[v] != LOC_WORD)
            continue;
        int w = 0;
        while (w < NWORDS && !fits(r, (zn_vreg)v, NREGS + w))
            w++;
        if (w == NWORDS) {
            *why = zn_arena_printf(r->f->arena,
                                   "out of stack: more than %d values are alive at once in %s",
                                   NWORDS + 4, r->f->name ? r->f->name : "the program");
            return -ENOSPC;
        }
        place(r, (zn_vreg)v, NREGS + w);
        r->out->nwords = ZN_MAX(r->out->nwords, (uint32_t)w + 1);
    }
    return 0;
}

struct rewrite {
    struct zn_ir_insn *out;
    uint32_t n, cap;
};

static struct zn_ir_insn *put(struct ra *r, struct rewrite *w, struct zn_ir_insn i)
{
    zn_arena_grow(r->f->arena, w->out, w->n, w->cap);
    w->out[w->n] = i;
    return &w->out[w->n++];
}

static zn_vreg new_pinned(struct ra *r, zn_vreg like)
{
    zn_vreg v = zn_ir_vreg(r->f, (enum zn_vclass)r->f->vregs[like].cls);
    fit_tables(r);
    r->pinned[v] = 1;
    return v;
}

static bool in_memory(const struct ra *r, zn_vreg v)
{
    return v >= 0 && (r->out->loc[v] == LOC_WORD || r->out->loc[v] == LOC_REMAT);
}

static zn_vreg reload(struct ra *r, struct rewrite *w, zn_vreg v, struct zn_pos pos)
{
    struct zn_ir_insn i = {
        .op = RA_RELOAD, .w = 8, .a = v, .b = ZN_NOREG, .c = ZN_NOREG, .note = "reload"};
    if (r->out->loc[v] == LOC_REMAT)
        i = r->out->remat[v];
    i.dst = new_pinned(r, v);
    i.pos = pos;
    return put(r, w, i)->dst;
}

static void rewrite_insn(struct ra *r, struct rewrite *w, struct zn_ir_insn i)
{
    bool call = i.op == IR_CALL || i.op == IR_CALLSUB;
    /* The definition of what is made again stays, so that lives have a start; it makes no code. */
    if (i.op == RA_RELOAD || (i.dst >= 0 && r->out->loc[i.dst] == LOC_REMAT)) {
        put(r, w, i);
        return;
    }
    zn_vreg *use[5];
    int n = call ? 0 : zn_ir_uses(&i, use);
    for (int u = 0; u < n; u++) {
        zn_vreg v = *use[u];
        if (!in_memory(r, v))
            continue;
        zn_vreg t = reload(r, w, v, i.pos);
        for (int k = u; k < n; k++)
            if (*use[k] == v)
                *use[k] = t;
    }
    if (i.dst < 0 || call || i.op == RA_SPILL || r->out->loc[i.dst] != LOC_WORD) {
        put(r, w, i);
        return;
    }
    zn_vreg home = i.dst;
    struct zn_ir_insn st = {.op = RA_SPILL,
                            .w = 8,
                            .dst = home,
                            .b = ZN_NOREG,
                            .c = ZN_NOREG,
                            .pos = i.pos,
                            .note = "spill"};
    if (i.op == IR_MOV) {
        st.a = i.a;
    } else {
        i.dst = st.a = new_pinned(r, home);
        put(r, w, i);
    }
    put(r, w, st);
}

static void rewrite_all(struct ra *r)
{
    for (uint32_t k = 0; k < r->out->nlayout; k++) {
        struct zn_ir_block *b = &r->f->blocks[r->out->layout[k]];
        struct rewrite w = {0};
        for (uint32_t n = 0; n < b->n; n++)
            rewrite_insn(r, &w, b->insns[n]);
        b->insns = w.out;
        b->n = w.n;
        b->cap = w.cap;
    }
}

static bool reads_ctx(struct zn_ir_fn *f)
{
    zn_vreg *use[5];
    for (uint32_t b = 0; b < f->nblocks; b++)
        for (uint32_t n = 0; n < f->blocks[b].n; n++) {
            struct zn_ir_insn *i = &f->blocks[b].insns[n];
            if (i->op == IR_CTX)
                return true;
            for (int u = zn_ir_uses(i, use); u > 0; u--)
                if (*use[u - 1] == ZN_CTX)
                    return true;
        }
    return false;
}

/* One try. 0: all placed; 1: spilled some, go on; -errno. */
static int round_of(struct ra *r, const char **why)
{
    fit_tables(r);
    lay_out(r);
    number(r);
    build_lives(r);
    take_fixed(r);
    find_remat(r);
    int spilled = place_all(r);
    if (spilled < 0) {
        *why = "an instruction found no register";
        return -ENOSPC;
    }
    if (spilled) {
        rewrite_all(r);
        return 1;
    }
    return place_words(r, why);
}

int zn_ir_allocate(struct zn_ir_fn *f, struct zn_alloc *ret, const char **why)
{
    *ret = (struct zn_alloc){.ctx = reads_ctx(f)};
    struct ra r = {.f = f, .out = ret};
    int rc = 1;
    for (int round = 0; rc == 1 && round < MAX_ROUNDS; round++) {
        struct zn_arena tmp;
        zn_arena_init(&tmp);
        r.tmp = &tmp;
        r.ranges = NULL;
        r.nranges = r.capranges = 0;
        rc = round_of(&r, why);
        if (zn_arena_failed(&tmp))
            rc = -ENOMEM;
        zn_arena_fini(&tmp);
    }
    if (rc == 1) {
        *why = "registers could not be assigned";
        rc = -ENOSPC;
    }
    return rc;
}
