/* SPDX-License-Identifier: Apache-2.0 */
/* Random functions: variables that are written again and again, temporaries, nested branches and
 * bounded loops, slots, atomics, helper calls with many values alive across them. */
#include "ir_random.h"

#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"

enum { MAX_VARS = 24, MAX_TEMPS = 64, NSLOTS = 6 };

struct gen {
    struct zn_ir_fn *f;
    uint64_t seed;
    int budget, depth, nvars, ntemps, loops;
    zn_vreg vars[MAX_VARS], temps[MAX_TEMPS];
    zn_vreg value; /* map value pointer that is known not to be null, or none */
    int32_t slots[NSLOTS];
    bool sub;
};

uint64_t rnd_next(uint64_t *seed)
{
    uint64_t x = (*seed += 0x9e3779b97f4a7c15ULL);
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
}

static uint32_t below(struct gen *g, uint32_t n)
{
    return (uint32_t)(rnd_next(&g->seed) >> 32) % n;
}

static int64_t some_imm(struct gen *g)
{
    static const int64_t known[] = {0,          1,          -1,          2,         7,
                                    8,          255,        256,         65535,     0x7fffffff,
                                    0x80000000, 0xffffffff, 0x100000000, INT64_MIN, INT64_MAX,
                                    -8,         -2147483648};
    if (below(g, 4))
        return known[below(g, ZN_ARRAY_SIZE(known))];
    int64_t r = (int64_t)rnd_next(&g->seed);
    return r >> below(g, 60);
}

static zn_vreg some(struct gen *g)
{
    if (g->ntemps && below(g, 2))
        return g->temps[below(g, (uint32_t)g->ntemps)];
    return g->vars[below(g, (uint32_t)g->nvars)];
}

static void keep(struct gen *g, zn_vreg v)
{
    if (below(g, 3) == 0)
        zn_ir_mov_to(g->f, g->vars[below(g, (uint32_t)g->nvars)], v);
    else if (g->ntemps < MAX_TEMPS)
        g->temps[g->ntemps++] = v;
}

static int some_width(struct gen *g)
{
    return below(g, 3) ? 8 : 4;
}

/* Now and then the last instruction writes a variable instead of a vreg of its own. */
static zn_vreg into_var(struct gen *g, zn_vreg v)
{
    struct zn_ir_block *b = &g->f->blocks[g->f->cur];
    if (v != ZN_NOREG && below(g, 2))
        v = b->insns[b->n - 1].dst = g->vars[below(g, (uint32_t)g->nvars)];
    return v;
}

static void gen_alu(struct gen *g)
{
    enum zn_alu op = (enum zn_alu)below(g, _ZN_ALU_MAX);
    int w = some_width(g);
    zn_vreg a = some(g);
    if (below(g, 3) == 0) { /* in place, the same vreg on both sides now and then */
        struct zn_ir_insn *i = zn_ir_emit(g->f, IR_ALU);
        i->sub = (uint8_t)op;
        i->w = (uint8_t)w;
        i->dst = g->vars[below(g, (uint32_t)g->nvars)];
        i->a = below(g, 2) ? i->dst : a;
        i->b = below(g, 2) ? i->dst : some(g);
        return;
    }
    if (below(g, 2))
        keep(g, zn_ir_alui(g->f, op, w, a, op >= ALU_SHL ? below(g, 64) : some_imm(g)));
    else
        keep(g, zn_ir_alu(g->f, op, w, a, some(g)));
}

static void gen_unary(struct gen *g)
{
    static const int widths[] = {2, 4, 8};
    zn_vreg a = some(g);
    switch (below(g, 4)) {
    case 0: keep(g, zn_ir_neg(g->f, a)); break;
    case 1: keep(g, zn_ir_bswap(g->f, a, widths[below(g, 3)])); break;
    case 2: zn_ir_imm_to(g->f, g->vars[below(g, (uint32_t)g->nvars)], some_imm(g)); break;
    default: keep(g, zn_ir_imm(g->f, some_imm(g))); break;
    }
}

/* A base with at least 64 bytes behind it. */
static zn_vreg some_base(struct gen *g, int32_t *ret_off)
{
    *ret_off = 0;
    if (g->value >= 0 && below(g, 2)) {
        *ret_off = 8 * RND_INPUTS;
        return g->value;
    }
    if (!g->sub && below(g, 3) == 0)
        return zn_ir_mapval(g->f, 0, 8 * (RND_INPUTS + (int32_t)below(g, 8)));
    zn_vreg v = zn_ir_slotaddr(g->f, g->slots[below(g, NSLOTS - 4)], 0);
    return below(g, 3) ? v : zn_ir_alui(g->f, ALU_ADD, 8, v, 0);
}

static void gen_memory(struct gen *g)
{
    static const int widths[] = {1, 2, 4, 8};
    int32_t off;
    zn_vreg base = some_base(g, &off);
    int w = widths[below(g, 4)];
    off += (int32_t)below(g, (uint32_t)(16 / w)) * w;
    switch (below(g, 4)) {
    case 0: zn_ir_st(g->f, base, off, w, some(g)); break;
    case 1: zn_ir_sti(g->f, base, off, w, some_imm(g)); break;
    default: keep(g, into_var(g, zn_ir_ld(g->f, base, off, w, below(g, 2)))); break;
    }
}

/* The forms with a result only on map values: through one on the stack, the verifier (seen with 6.18)
 * does not trace back which values a decided branch depends on, may take two states for the same and
 * drop a branch that is taken. Scripts never do that. */
static void gen_atomic(struct gen *g)
{
    int32_t off;
    zn_vreg base = some_base(g, &off);
    bool stack = g->f->blocks[g->f->cur].n && base != g->value;
    if (stack) {
        const struct zn_ir_block *b = &g->f->blocks[g->f->cur];
        stack = b->insns[b->n - 1].op != IR_MAPVAL;
    }
    enum zn_atomic op = (enum zn_atomic)below(g, stack ? AT_FETCH_ADD : AT_CMPXCHG + 1);
    int w = some_width(g);
    zn_vreg cmp = op == AT_CMPXCHG ? some(g) : ZN_NOREG;
    zn_vreg r = into_var(g, zn_ir_atomic(g->f, op, base, off, w, some(g), cmp));
    if (r != ZN_NOREG)
        keep(g, r);
}

static void gen_call(struct gen *g)
{
    struct zn_ir_fn *f = g->f;
    zn_vreg r;
    switch (below(g, g->sub ? 2 : 4)) {
    case 0:
        r = zn_ir_call(f, BPF_FUNC_get_prandom_u32, ZN_V_SCALAR, 0);
        keep(g, zn_ir_alu(f, ALU_ADD, 8, zn_ir_alui(f, ALU_AND, 8, r, 0), some(g)));
        break;
    case 1:
        zn_ir_call(f, BPF_FUNC_probe_read_kernel, ZN_V_SCALAR, 3, zn_ir_slotaddr(f, g->slots[0], 0),
                   zn_ir_imm(f, 1 + below(g, 8)), zn_ir_slotaddr(f, g->slots[1], 0));
        break;
    case 2:
        r = zn_ir_callsub(f, 0, 5, some(g), some(g), some(g), some(g), some(g));
        keep(g, into_var(g, r));
        break;
    default:
        keep(g, zn_ir_ld(f, zn_ir_ctx(f), 8 * (int32_t)below(g, RND_CTX), 8, false));
        r = zn_ir_call(f, BPF_FUNC_get_current_pid_tgid, ZN_V_SCALAR, 0);
        zn_vreg q = zn_ir_call(f, BPF_FUNC_get_current_pid_tgid, ZN_V_SCALAR, 0);
        keep(g, zn_ir_alu(f, ALU_SUB, 8, r, q));
        break;
    }
}

static void gen_list(struct gen *g, int n);

static void gen_branch(struct gen *g, zn_block t, zn_block fl)
{
    enum zn_cmp cmp = (enum zn_cmp)below(g, _ZN_CMP_MAX);
    if (below(g, 2))
        zn_ir_bri(g->f, cmp, some_width(g), some(g), some_imm(g), t, fl);
    else
        zn_ir_br(g->f, cmp, some_width(g), some(g), some(g), t, fl);
}

static void gen_if(struct gen *g)
{
    zn_block yes = zn_ir_block(g->f, "yes"), no = zn_ir_block(g->f, "no"),
             join = zn_ir_block(g->f, "join");
    int ntemps = g->ntemps;
    gen_branch(g, yes, below(g, 2) ? no : join);
    g->f->blocks[yes].cold = below(g, 4) == 0;
    zn_ir_at(g->f, yes);
    gen_list(g, 4);
    zn_ir_jmp(g->f, join);
    g->ntemps = ntemps;
    zn_ir_at(g->f, no);
    gen_list(g, 3);
    zn_ir_jmp(g->f, join);
    g->ntemps = ntemps;
    zn_ir_at(g->f, join);
}

static void gen_loop(struct gen *g)
{
    if (g->loops >= 2)
        return;
    zn_block head = zn_ir_block(g->f, "head"), body = zn_ir_block(g->f, "body"),
             out = zn_ir_block(g->f, "out");
    int ntemps = g->ntemps;
    zn_vreg count = zn_ir_vreg(g->f, ZN_V_SCALAR);
    zn_ir_imm_to(g->f, count, 0);
    zn_ir_jmp(g->f, head);
    zn_ir_at(g->f, head);
    zn_ir_bri(g->f, CMP_LT, 8, count, 1 + below(g, 3), body, out);
    zn_ir_at(g->f, body);
    g->loops++;
    gen_list(g, 5);
    g->loops--;
    zn_ir_mov_to(g->f, count, zn_ir_alui(g->f, ALU_ADD, 8, count, 1));
    zn_ir_jmp(g->f, head);
    g->ntemps = ntemps;
    zn_ir_at(g->f, out);
}

/* A pointer that must survive calls. */
static void gen_lookup(struct gen *g)
{
    if (g->sub || g->value >= 0)
        return;
    struct zn_ir_fn *f = g->f;
    zn_vreg key = zn_ir_slotaddr(f, g->slots[NSLOTS - 1], 0);
    zn_ir_sti(f, key, 0, 4, 0);
    zn_vreg p = zn_ir_call(f, BPF_FUNC_map_lookup_elem, ZN_V_PTR, 2, zn_ir_map(f, 0), key);
    zn_block found = zn_ir_block(f, "found"), out = zn_ir_block(f, "out");
    int ntemps = g->ntemps;
    zn_ir_bri(f, CMP_EQ, 8, p, 0, out, found);
    zn_ir_at(f, found);
    g->value = p;
    if (below(g, 2)) {
        g->value = zn_ir_vreg(f, ZN_V_PTR);
        zn_ir_mov_to(f, g->value, p);
        gen_list(g, 2);
        zn_ir_mov_to(f, g->value, p);
    }
    gen_list(g, 6);
    g->value = ZN_NOREG;
    zn_ir_jmp(f, out);
    g->ntemps = ntemps;
    zn_ir_at(f, out);
}

static void gen_list(struct gen *g, int n)
{
    g->depth++;
    for (int k = 0; k < n && g->budget > 0; k++) {
        g->budget--;
        uint32_t what = below(g, g->depth < 4 ? 20 : 16);
        if (what < 7)
            gen_alu(g);
        else if (what < 9)
            gen_unary(g);
        else if (what < 12)
            gen_memory(g);
        else if (what < 13)
            gen_atomic(g);
        else if (what < 16)
            gen_call(g);
        else if (what < 18)
            gen_if(g);
        else if (what < 19)
            gen_loop(g);
        else
            gen_lookup(g);
    }
    g->depth--;
}

static void init_slots(struct gen *g)
{
    for (int k = 0; k < NSLOTS; k++) {
        g->slots[k] = zn_ir_slot(g->f, 16);
        for (int w = 0; w < 2; w++)
            zn_ir_sti(g->f, zn_ir_slotaddr(g->f, g->slots[k], 8 * w), 0, 8, some_imm(g));
    }
}

static struct zn_ir_fn *gen_sub(struct gen *g, struct zn_arena *a)
{
    g->f = zn_ir_fn_new(a, "sub");
    g->sub = true;
    g->nvars = 5;
    for (int k = 0; k < 5; k++) {
        zn_vreg arg = zn_ir_arg(g->f, k, ZN_V_SCALAR);
        g->vars[k] = zn_ir_vreg(g->f, ZN_V_SCALAR);
        zn_ir_mov_to(g->f, g->vars[k], arg);
    }
    init_slots(g);
    gen_list(g, 8);
    zn_ir_retv(g->f, some(g));
    return g->f;
}

struct rnd_prog rnd_build(struct zn_arena *a, uint64_t seed, int size)
{
    struct gen s = {.seed = seed, .budget = 12, .value = ZN_NOREG};
    struct gen g = {.seed = seed ^ 0x5555, .budget = size, .value = ZN_NOREG};
    struct rnd_prog p = {.sub = gen_sub(&s, a)};
    g.f = p.main = zn_ir_fn_new(a, "main");
    g.nvars = 2 + (int)below(&g, MAX_VARS - 2);
    for (int k = 0; k < g.nvars; k++) {
        g.vars[k] = zn_ir_vreg(g.f, ZN_V_SCALAR);
        zn_ir_mov_to(g.f, g.vars[k], zn_ir_ld(g.f, zn_ir_mapval(g.f, 0, 0), 8 * k, 8, false));
    }
    init_slots(&g);
    gen_list(&g, size);
    for (int k = 0; k < g.nvars; k++)
        zn_ir_st(g.f, zn_ir_mapval(g.f, 0, 8 * RND_INPUTS), 8 * k, 8, g.vars[k]);
    zn_ir_retv(g.f, some(&g));
    return p;
}
