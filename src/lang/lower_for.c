/* SPDX-License-Identifier: Apache-2.0 */
/* for ($kv : @map): the loop's body becomes a subprogram that the kernel calls for every element.
 *
 * What the body shares with the code around it lies in a frame on the caller's stack, whose address
 * is the callback's context: the probe's context, the scratch pointer, a flag "return was reached",
 * then the captured scalar variables, which are loaded at the callback's entry and stored back at
 * its exits. Variables in memory lie in scratch while a probe has such a loop, so both see them. */
#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "lang/lower.h"

enum { FRAME_CTX = 0, FRAME_SCRATCH = 8, FRAME_RETURNED = 16, FRAME_VARS = 24, MAX_CAPTURED = 24 };
enum { H_for_each_map_elem = 164 };

struct capture {
    struct zn_varsym *vars[MAX_CAPTURED];
    zn_vreg outer[MAX_CAPTURED];
    uint32_t n;
    struct zn_varsym *inner[64]; /* declared inside the loop */
    uint32_t ninner;
    bool full;
};

static void note_inner(void *arg, struct zn_node *n)
{
    struct capture *c = arg;
    bool declares = n->kind == N_ASSIGN || n->kind == N_LET || n->kind == N_FOR_RANGE || n->kind == N_FOR_MAP;
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

static int32_t var_at(uint32_t i)
{
    return (int32_t)(FRAME_VARS + 8 * i);
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

static int assemble(struct zn_lower *s)
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
static int callback(struct zn_lower *l, struct zn_node *n, struct capture *c, bool *uses_scratch)
{
    struct zn_lower s = *l;
    struct zn_loop loop = {0};
    s.f = zn_ir_fn_new(l->cc->arena, "for");
    s.f->pos = n->pos;
    s.scratch = ZN_NOREG;
    s.loop = &loop;
    s.depth = l->depth + 1;
    zn_vreg key = zn_ir_arg(s.f, 1, ZN_V_PTR), value = zn_ir_arg(s.f, 2, ZN_V_PTR),
            frame = zn_ir_arg(s.f, 3, ZN_V_PTR);
    zn_block entry = s.f->cur, body = zn_ir_block(s.f, "body");
    zn_block next = zn_ir_block(s.f, "next"), stop = zn_ir_block(s.f, "stop"), leave = zn_ir_block(s.f, "leave");
    loop.brk = stop;
    loop.cont = next;
    s.end = leave;
    s.ctx_reg = zn_ir_ldptr(s.f, frame, FRAME_CTX);
    for (uint32_t i = 0; i < c->n; i++) {
        c->outer[i] = c->vars[i]->vreg;
        c->vars[i]->vreg = zn_ir_ld(s.f, frame, var_at(i), 8, false);
    }
    if (l->target_idx != ZN_NOREG)
        s.target_idx = zn_ir_ld(s.f, frame, var_at(c->n), 8, false);
    zn_ir_at(s.f, body);
    bind_element(&s, n, key, value);
    zn_walk(n->list, zn_collect_vars, &s);
    zn_lower_stmts(&s, n->list);
    if (!zn_ir_done(s.f))
        zn_ir_jmp(s.f, next);
    zn_ir_at(s.f, leave);
    zn_ir_sti(s.f, frame, FRAME_RETURNED, 8, 1);
    zn_ir_jmp(s.f, stop);
    zn_block outs[2] = {next, stop};
    for (int i = 0; i < 2; i++) {
        zn_ir_at(s.f, outs[i]);
        for (uint32_t k = 0; k < c->n; k++)
            zn_ir_st(s.f, frame, var_at(k), 8, c->vars[k]->vreg);
        zn_ir_ret(s.f, i);
    }
    zn_ir_at(s.f, entry);
    if (s.scratch != ZN_NOREG)
        zn_ir_mov_to(s.f, s.scratch, zn_ir_ldptr(s.f, frame, FRAME_SCRATCH));
    zn_ir_jmp(s.f, body);
    for (uint32_t i = 0; i < c->n; i++)
        c->vars[i]->vreg = c->outer[i];
    *uses_scratch = s.scratch != ZN_NOREG;
    l->scratch_peak = ZN_MAX(l->scratch_peak, s.scratch_peak);
    return assemble(&s);
}

void zn_lower_for_map(struct zn_lower *l, struct zn_node *n)
{
    struct zn_ir_fn *f = l->f;
    struct zn_mapsym *m = n->a->sym;
    struct capture *c = zn_arena_new(l->cc->arena, struct capture);
    note_inner(c, &(struct zn_node){.kind = N_FOR_MAP, .sym = n->sym});
    zn_walk(n->list, note_inner, c);
    zn_walk(n->list, note_use, c);
    bool uses_scratch = false;
    int sub = callback(l, n, c, &uses_scratch);
    if (sub < 0)
        return;
    if (c->full)
        zn_ir_fail(f, "this loop uses too many variables");
    if (uses_scratch && l->scratch == ZN_NOREG) {
        l->scratch = zn_ir_vreg(f, ZN_V_PTR);
        l->scratch_used = true;
    }
    int32_t slot = zn_ir_slot(f, var_at(c->n + 1));
    zn_vreg frame = zn_ir_slotaddr(f, slot, 0);
    zn_ir_st(f, frame, FRAME_CTX, 8, zn_ctx(l));
    if (uses_scratch)
        zn_ir_st(f, frame, FRAME_SCRATCH, 8, l->scratch);
    else
        zn_ir_sti(f, frame, FRAME_SCRATCH, 8, 0);
    zn_ir_sti(f, frame, FRAME_RETURNED, 8, 0);
    for (uint32_t i = 0; i < c->n; i++)
        zn_ir_st(f, frame, var_at(i), 8, c->vars[i]->vreg);
    if (l->target_idx != ZN_NOREG)
        zn_ir_st(f, frame, var_at(c->n), 8, l->target_idx);
    zn_ir_call(f, H_for_each_map_elem, ZN_V_SCALAR, 4, zn_ir_map(f, m->image_map), zn_ir_func(f, sub),
               zn_ir_slotaddr(f, slot, 0), zn_ir_imm(f, 0));
    frame = zn_ir_slotaddr(f, slot, 0);
    for (uint32_t i = 0; i < c->n; i++)
        zn_ir_mov_to(f, c->vars[i]->vreg, zn_ir_ld(f, frame, var_at(i), 8, false));
    zn_block go = zn_ir_block(f, "looped"), ret = zn_ir_block(f, "returned");
    zn_ir_bri(f, CMP_EQ, 8, zn_ir_ld(f, frame, FRAME_RETURNED, 8, false), 0, go, ret);
    zn_ir_at(f, ret);
    zn_ir_jmp(f, l->end);
    zn_ir_at(f, go);
}
