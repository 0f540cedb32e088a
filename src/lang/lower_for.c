/* SPDX-License-Identifier: Apache-2.0 */
/* Loops as callbacks: the body becomes a subprogram that the kernel calls for every element of a map
 * (bpf_for_each_map_elem) or every turn (bpf_loop), so that the verifier looks at it once and a loop
 * may take 8 million turns.
 *
 * What the body shares with the code around it is found through a frame on the caller's stack, whose
 * address is the callback's context: the probe's context and the scratch pointer. Captured scalars
 * and the flag "return was reached" lie in scratch; they are loaded at the callback's entry and stored
 * back at its exits. Not on the stack: there the verifier would follow their values from turn to turn
 * and never see two alike. Variables in memory lie in scratch too while a probe has such a loop. */
#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "lang/lower.h"

enum { FRAME_CTX = 0, FRAME_SCRATCH = 8, FRAME_BYTES = 16, MAX_CAPTURED = 24 };
enum { H_for_each_map_elem = 164, H_loop = 181, MAX_TURNS = 8 << 20 /* BPF_MAX_LOOPS */ };

struct capture {
    struct zn_varsym *vars[MAX_CAPTURED];
    zn_vreg outer[MAX_CAPTURED];
    uint32_t n;
    struct zn_varsym *inner[64]; /* declared inside the loop */
    uint32_t ninner;
    int32_t at; /* in scratch: u64 returned, from, target index, captured variables */
    bool full;
};
enum { AT_RETURNED = 0, AT_FROM = 8, AT_TARGET = 16, AT_VARS = 24 };

static void note_inner(void *arg, struct zn_node *n)
{
    struct capture *c = arg;
    bool declares =
        n->kind == N_ASSIGN || n->kind == N_LET || n->kind == N_FOR_RANGE || n->kind == N_FOR_MAP;
    if (!declares || !n->sym)
        return;
    if (c->ninner < ZN_ARRAY_SIZE(c->inner))
        c->inner[c->ninner++] = n->sym;
    else
        c->full = true;
}

static void note_use(void *arg, struct zn_node *n)
{
    struct capture *c = arg;
    struct zn_varsym *v = n->sym;
    if (n->kind != N_VAR || !v || v->mem >= 0)
        return;
    for (uint32_t i = 0; i < c->ninner; i++)
        if (c->inner[i] == v)
            return;
    for (uint32_t i = 0; i < c->n; i++)
        if (c->vars[i] == v)
            return;
    if (c->n < MAX_CAPTURED)
        c->vars[c->n++] = v;
    else
        c->full = true;
}

static int32_t var_at(const struct capture *c, uint32_t i)
{
    return c->at + (int32_t)(AT_VARS + 8 * i);
}

/* Makes $kv from the callback's key and value. */
static void bind_element(struct zn_lower *s, struct zn_node *n, zn_vreg key, zn_vreg value)
{
    struct zn_mapsym *m = n->a->sym;
    struct zn_varsym *kv = n->sym;
    uint32_t ksize = zn_type_stored(m->key);
    struct zn_mem mem = zn_mem_scratch(s, zn_type_stored(kv->type));
    kv->mem = mem.off << 1 | 1;
    zn_vreg base;
    int32_t off;
    zn_mem_addr(s, mem, &base, &off);
    zn_copy(s, base, off, key, 0, ksize);
    if (zn_type_is_agg(m->value))
        zn_ir_st(s->f, base, off + (int32_t)ksize, 8, zn_agg_value(s, m->value, value, 0));
    else
        zn_copy(s, base, off + (int32_t)ksize, value, 0, zn_type_stored(m->value));
}

int zn_lower_sub(struct zn_lower *s)
{
    struct zn_cc *cc = s->cc;
    const char *why = NULL;
    if (s->f->error) {
        zn_error(cc->d, s->f->error_pos, "%s", s->f->error);
        return -EINVAL;
    }
    zn_arena_grow(cc->arena, cc->img->subs, cc->img->nsubs, cc->cap_subs);
    struct zn_code *code = &cc->img->subs[cc->img->nsubs];
    memset(code, 0, sizeof(*code));
    if (zn_ir_verify(s->f, &why) < 0) {
        zn_error(cc->d, s->f->pos, "compiler error (please report): %s", why);
        return -EINVAL;
    }
    zn_ir_optimise(s->f);
    if (cc->env->dump && strcmp(cc->env->dump, "ir") == 0)
        zn_ir_dump(s->f, cc->env->dump_out);
    if (zn_ir_assemble(s->f, zn_has(cc, ZF_CPU_V4), code, &why) < 0) {
        zn_error(cc->d, s->f->pos, "this loop is too large: %s", why ? why : "?");
        return -EINVAL;
    }
    return (int)cc->img->nsubs++;
}

/* Lowers the loop's body into a function of its own; returns its number or -EINVAL. Inner loops
 * take their numbers first. */
static int callback(struct zn_lower *l, struct zn_node *n, struct capture *c)
{
    struct zn_lower s = *l;
    struct zn_loop loop = {0};
    s.f = zn_ir_fn_new(l->cc->arena, "for");
    s.f->pos = n->pos;
    s.loop = &loop;
    s.depth = l->depth + 1;
    bool map = n->kind == N_FOR_MAP;
    zn_vreg key = ZN_NOREG, value = ZN_NOREG, turn = ZN_NOREG, frame;
    if (map) {
        key = zn_ir_arg(s.f, 1, ZN_V_PTR);
        value = zn_ir_arg(s.f, 2, ZN_V_PTR);
        frame = zn_ir_arg(s.f, 3, ZN_V_PTR);
    } else {
        turn = zn_ir_arg(s.f, 0, ZN_V_SCALAR);
        frame = zn_ir_arg(s.f, 1, ZN_V_PTR);
    }
    zn_block next = zn_ir_block(s.f, "next"), stop = zn_ir_block(s.f, "stop"),
             leave = zn_ir_block(s.f, "leave");
    loop.brk = stop;
    loop.cont = next;
    s.end = leave;
    s.ctx_reg = zn_ir_ldptr(s.f, frame, FRAME_CTX);
    s.scratch = zn_ir_ldptr(s.f, frame, FRAME_SCRATCH);
    for (uint32_t i = 0; i < c->n; i++) {
        c->outer[i] = c->vars[i]->vreg;
        c->vars[i]->vreg = zn_ir_ld(s.f, s.scratch, var_at(c, i), 8, false);
    }
    if (l->target_idx != ZN_NOREG)
        s.target_idx = zn_ir_ld(s.f, s.scratch, c->at + AT_TARGET, 8, false);
    zn_vreg from =
        n->kind == N_FOR_RANGE ? zn_ir_ld(s.f, s.scratch, c->at + AT_FROM, 8, false) : ZN_NOREG;
    if (map) {
        bind_element(&s, n, key, value);
    } else if (n->kind == N_FOR_RANGE) {
        ((struct zn_varsym *)n->sym)->vreg = zn_ir_alu(s.f, ALU_ADD, 8, from, turn);
    } else {
        zn_block go = zn_ir_block(s.f, "wanted");
        zn_lower_cond(&s, n->c, go, stop);
        zn_ir_at(s.f, go);
    }
    zn_walk(n->list, zn_collect_vars, &s);
    zn_lower_stmts(&s, n->list);
    if (!zn_ir_done(s.f))
        zn_ir_jmp(s.f, next);
    zn_ir_at(s.f, leave);
    zn_ir_sti(s.f, s.scratch, c->at + AT_RETURNED, 8, 1);
    zn_ir_jmp(s.f, stop);
    zn_block outs[2] = {next, stop};
    for (int i = 0; i < 2; i++) {
        zn_ir_at(s.f, outs[i]);
        for (uint32_t k = 0; k < c->n; k++)
            zn_ir_st(s.f, s.scratch, var_at(c, k), 8, c->vars[k]->vreg);
        zn_ir_ret(s.f, i);
    }
    for (uint32_t i = 0; i < c->n; i++)
        c->vars[i]->vreg = c->outer[i];
    l->scratch_peak = ZN_MAX(l->scratch_peak, s.scratch_peak);
    return zn_lower_sub(&s);
}

/* The call that runs the callback, frame in place. */
static void call_loop(struct zn_lower *l, struct zn_node *n, int sub, int32_t slot, zn_vreg turns)
{
    struct zn_ir_fn *f = l->f;
    if (n->kind == N_FOR_MAP) {
        struct zn_mapsym *m = n->a->sym;
        zn_ir_call(f, H_for_each_map_elem, ZN_V_SCALAR, 4, zn_ir_map(f, m->image_map),
                   zn_ir_func(f, sub), zn_ir_slotaddr(f, slot, 0), zn_ir_imm(f, 0));
        return;
    }
    zn_vreg r = zn_ir_call(f, H_loop, ZN_V_SCALAR, 4, turns, zn_ir_func(f, sub),
                           zn_ir_slotaddr(f, slot, 0), zn_ir_imm(f, 0));
    if (n->kind == N_WHILE) {
        zn_block capped = zn_ir_block(f, "cap"), ok = zn_ir_block(f, "ended");
        zn_ir_bri(f, CMP_EQ, 8, r, MAX_TURNS, capped, ok);
        zn_ir_at(f, capped);
        zn_loss(l, ZL_LOOP);
        zn_ir_jmp(f, ok);
        zn_ir_at(f, ok);
    }
}

/* How often a range or while loop turns at most; leaves to `none` when not at all. */
static zn_vreg loop_turns(struct zn_lower *l, struct zn_node *n, zn_vreg *from, zn_block none)
{
    struct zn_ir_fn *f = l->f;
    if (n->kind == N_WHILE)
        return zn_ir_imm(f, MAX_TURNS);
    if (n->kind == N_FOR_MAP)
        return ZN_NOREG;
    zn_vreg lo = zn_ir_vreg(f, ZN_V_SCALAR), hi = zn_ir_vreg(f, ZN_V_SCALAR),
            turns = zn_ir_vreg(f, ZN_V_SCALAR);
    zn_ir_mov_to(f, lo, zn_lower_int(l, n->a));
    zn_ir_mov_to(f, hi, zn_lower_int(l, n->b));
    zn_block some = zn_ir_block(f, "some turns"), many = zn_ir_block(f, "too many"),
             ok = zn_ir_block(f, "turns");
    zn_ir_bri(f, CMP_SLT, 8, zn_ir_alu(f, ALU_SUB, 8, lo, hi), 0, some, none);
    zn_ir_at(f, some);
    zn_ir_mov_to(f, turns, zn_ir_alu(f, ALU_SUB, 8, hi, lo));
    zn_ir_bri(f, CMP_GT, 8, turns, MAX_TURNS, many, ok);
    zn_ir_at(f, many);
    zn_loss(l, ZL_LOOP);
    zn_ir_imm_to(f, turns, MAX_TURNS);
    zn_ir_jmp(f, ok);
    zn_ir_at(f, ok);
    *from = lo;
    return turns;
}

void zn_lower_loop(struct zn_lower *l, struct zn_node *n)
{
    struct zn_ir_fn *f = l->f;
    struct capture *c = zn_arena_new(l->cc->arena, struct capture);
    note_inner(c, &(struct zn_node){.kind = N_FOR_MAP, .sym = n->kind == N_WHILE ? NULL : n->sym});
    zn_walk(n->list, note_inner, c);
    zn_walk(n->list, note_use, c);
    if (n->kind == N_WHILE)
        zn_walk(n->c, note_use, c);
    zn_block none = zn_ir_block(f, "looped");
    zn_vreg from = ZN_NOREG, turns = loop_turns(l, n, &from, none);
    c->at = zn_mem_scratch(l, AT_VARS + 8 * c->n).off;
    int sub = callback(l, n, c);
    if (sub < 0)
        return;
    if (c->full)
        zn_ir_fail(f, "this loop uses too many variables");
    int32_t slot = zn_ir_slot(f, FRAME_BYTES);
    zn_vreg frame = zn_ir_slotaddr(f, slot, 0);
    zn_ir_st(f, frame, FRAME_CTX, 8, zn_ctx(l));
    zn_ir_st(f, frame, FRAME_SCRATCH, 8, l->scratch);
    zn_ir_sti(f, l->scratch, c->at + AT_RETURNED, 8, 0);
    for (uint32_t i = 0; i < c->n; i++)
        zn_ir_st(f, l->scratch, var_at(c, i), 8, c->vars[i]->vreg);
    if (l->target_idx != ZN_NOREG)
        zn_ir_st(f, l->scratch, c->at + AT_TARGET, 8, l->target_idx);
    if (from != ZN_NOREG)
        zn_ir_st(f, l->scratch, c->at + AT_FROM, 8, from);
    call_loop(l, n, sub, slot, turns);
    for (uint32_t i = 0; i < c->n; i++)
        zn_ir_mov_to(f, c->vars[i]->vreg, zn_ir_ld(f, l->scratch, var_at(c, i), 8, false));
    zn_block ret = zn_ir_block(f, "returned");
    zn_ir_bri(f, CMP_EQ, 8, zn_ir_ld(f, l->scratch, c->at + AT_RETURNED, 8, false), 0, none, ret);
    zn_ir_at(f, ret);
    zn_ir_jmp(f, l->end);
    zn_ir_at(f, none);
}

/* len(@m): the kernel counts the elements that it visits. */
zn_vreg zn_map_len(struct zn_lower *l, struct zn_mapsym *m)
{
    struct zn_lower s = *l;
    s.f = zn_ir_fn_new(l->cc->arena, "len");
    s.f->pos = l->f->pos;
    zn_ir_ret(s.f, 0);
    int sub = zn_lower_sub(&s);
    if (sub < 0)
        return zn_ir_imm(l->f, 0);
    int32_t slot = zn_ir_slot(l->f, 8);
    zn_ir_sti(l->f, zn_ir_slotaddr(l->f, slot, 0), 0, 8, 0);
    return zn_ir_call(l->f, H_for_each_map_elem, ZN_V_SCALAR, 4, zn_ir_map(l->f, m->image_map),
                      zn_ir_func(l->f, sub), zn_ir_slotaddr(l->f, slot, 0), zn_ir_imm(l->f, 0));
}
