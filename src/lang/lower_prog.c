/* SPDX-License-Identifier: Apache-2.0 */
/* Programs: the code between a hook and its bodies, and the image's entry for each.
 *
 * The number of a system call selects the bodies through a frozen table. A compat call never matches:
 * tested last, after the predicate. */
#include <errno.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <string.h>

#include "arch/arch.h"
#include "base/arena.h"
#include "base/mem.h"
#include "base/str.h"
#include "lang/plan.h"

enum { MAX_INSNS = 30000 /* of one program */ };

/* ---- dispatch by system call number ---- */

static zn_vreg syscall_nr(struct zn_lower *l, bool is_exit)
{
    struct zn_ir_fn *f = l->f;
    zn_vreg ctx = zn_ctx(l);
    if (!is_exit)
        return zn_ir_ld(f, ctx, 8, 8, false);
    const struct zn_arch *a = l->cc->env->arch;
    struct zn_type *t = zn_type_int(&l->cc->types, a->sysnr_width, true);
    zn_vreg regs = l->ctx == ZC_BTF ? zn_ir_ldptr(f, ctx, 0) : zn_ir_ld(f, ctx, 0, 8, false);
    struct zn_val at = zn_vaddr(t, regs, a->sysnr_off, l->ctx == ZC_BTF ? M_BTF : M_KERNEL);
    return zn_load(l, t, at, 0, 0).reg;
}

static uint32_t index_table(struct zn_cc *cc, const struct zn_part *p, uint32_t max_nr)
{
    uint32_t off = zn_rodata(cc, NULL, max_nr * 2, 8);
    uint16_t *t = (uint16_t *)(void *)(cc->rodata + off);
    for (uint32_t i = 0; i < p->n; i++)
        t[p->targets[i].nr] = (uint16_t)(i + 1);
    return off;
}

static zn_vreg rodata_at(struct zn_lower *l, uint32_t off, zn_vreg index, int w)
{
    struct zn_ir_fn *f = l->f;
    zn_vreg base = zn_ir_mapval(f, ZN_MAP_RODATA, (int32_t)off);
    zn_vreg o = w == 1 ? index : zn_ir_alui(f, ALU_MUL, 8, index, w);
    zn_vreg q = zn_ir_padd(f, base, o);
    return zn_ir_ld(f, q, 0, w, false);
}

/* Emits the parts of one fast system-call program. */
static void lower_syscalls(struct zn_lower *l, struct zn_plan *plan)
{
    struct zn_ir_fn *f = l->f;
    uint32_t max_nr = l->cc->env->arch->max_nr, nsel = 0, bit = 0;
    for (struct zn_part *p = plan->parts; p; p = p->next)
        nsel += p->by_nr;
    zn_block done = zn_ir_block(f, "done");
    zn_vreg nr = ZN_NOREG, mask = ZN_NOREG;
    bool masks = nsel >= 4 && nsel <= 64 && nsel;
    if (nsel) {
        nr = syscall_nr(l, plan->is_exit);
        bool all = true;
        for (struct zn_part *p = plan->parts; p; p = p->next)
            all &= p->by_nr;
        if (all && (masks || plan->parts->n > 1)) {
            zn_block known = zn_ir_block(f, "known number");
            zn_ir_bri(f, CMP_LT, 8, nr, max_nr, known, done);
            zn_ir_at(f, known);
            if (masks) {
                uint32_t off = zn_rodata(l->cc, NULL, max_nr * 8, 8);
                uint64_t *t = (uint64_t *)(void *)(l->cc->rodata + off);
                for (struct zn_part *p = plan->parts; p; p = p->next, bit++)
                    for (uint32_t i = 0; i < p->n; i++)
                        t[p->targets[i].nr] |= 1ULL << bit;
                mask = rodata_at(l, off, nr, 8);
                zn_block some = zn_ir_block(f, "wanted number");
                zn_ir_bri(f, CMP_NE, 8, mask, 0, some, done);
                zn_ir_at(f, some);
            }
        } else {
            masks = false;
        }
    }
    bit = 0;
    for (struct zn_part *p = plan->parts; p; p = p->next, bit++) {
        zn_block next = zn_ir_block(f, "skip"), match = zn_ir_block(f, "match");
        l->target_idx = ZN_NOREG;
        f->pos = p->body->probe->pos;
        if (!p->by_nr) {
            zn_ir_jmp(f, match);
            zn_ir_at(f, match);
        } else if (masks && p->n == 1) {
            zn_vreg hit = bit < 31 ? mask : zn_ir_alui(f, ALU_SHR, 8, mask, bit);
            zn_ir_bri(f, CMP_SET, 8, hit, bit < 31 ? 1LL << bit : 1, match, next);
            zn_ir_at(f, match);
        } else if (p->n == 1) {
            zn_ir_bri(f, CMP_EQ, 8, nr, p->targets[0].nr, match, next);
            zn_ir_at(f, match);
        } else {
            if (masks) {
                zn_block b = zn_ir_block(f, "bit");
                zn_vreg hit = zn_ir_alui(f, ALU_AND, 8, zn_ir_alui(f, ALU_SHR, 8, mask, bit), 1);
                zn_ir_bri(f, CMP_NE, 8, hit, 0, b, next);
                zn_ir_at(f, b);
            }
            zn_block in = zn_ir_block(f, "in table");
            zn_ir_bri(f, CMP_LT, 8, nr, max_nr, in, next);
            zn_ir_at(f, in);
            zn_vreg idx = rodata_at(l, index_table(l->cc, p, max_nr), nr, 2);
            zn_ir_bri(f, CMP_NE, 8, idx, 0, match, next);
            zn_ir_at(f, match);
            l->target_idx = zn_ir_alui(f, ALU_SUB, 8, idx, 1);
        }
        zn_lower_body(l, p, p->by_nr);
        zn_ir_jmp(f, next);
        zn_ir_at(f, next);
    }
    zn_ir_jmp(f, done);
    zn_ir_at(f, done);
}

/* ---- programs ---- */

static void prog_name(struct zn_cc *cc, struct zn_prog *p, const struct zn_plan *plan)
{
    const struct zn_target *t = plan->parts->targets;
    const char *base = plan->fast_syscall ? (plan->is_exit ? "sys_exit" : "sys_enter")
                       : t->sym           ? t->sym
                                          : zn_providers[plan->provider].name;
    char *n = zn_arena_strndup(cc->arena, base, strnlen(base, 15));
    for (char *c = n; *c; c++)
        if (!((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9')))
            *c = '_';
    p->name = n;
}

static void attachments(struct zn_cc *cc, struct zn_prog *p, const struct zn_plan *plan)
{
    if (plan->fast_syscall || plan->how == ZH_BTF || (plan->how == ZH_RAW_TP && plan->event)) {
        p->att = zn_arena_array(cc->arena, struct zn_attachment, 1);
        p->natt = 1;
        p->att[0] = (struct zn_attachment){plan->parts->targets, 0, plan->parts->body->probe_no};
        return;
    }
    struct zn_part *part = plan->parts;
    p->att = zn_arena_array(cc->arena, struct zn_attachment, part->n);
    p->natt = part->n;
    for (uint32_t i = 0; i < part->n; i++)
        p->att[i] = (struct zn_attachment){&part->targets[i], i, part->body->probe_no};
}

static void dump(struct zn_cc *cc, const struct zn_prog *p, const char *stage)
{
    struct zn_str *o = cc->env->dump_out;
    if (!o)
        return;
    zn_str_printf(o, "; %s %s", stage, p->name);
    for (uint32_t i = 0; i < p->natt && i < 3; i++)
        zn_str_printf(o, "%s%s", i ? ", " : ": ", p->att[i].target ? p->att[i].target->name : "?");
    zn_str_printf(o, "%s\n", p->natt > 3 ? ", …" : "");
}

static const char *map_name(void *arg, int map)
{
    struct zn_cc *cc = arg;
    return map >= 0 && (uint32_t)map < cc->img->nmaps ? cc->img->maps[map].name : "?";
}

static bool dumps(struct zn_cc *cc, const char *stage)
{
    return cc->env->dump && strcmp(cc->env->dump, stage) == 0;
}

/* 0, or -E2BIG when the code is more than one program should have. */
static int finish_prog(struct zn_cc *cc, struct zn_lower *l, struct zn_prog *p, bool may_split)
{
    struct zn_ir_fn *f = l->f;
    const char *why = NULL;
    if (f->error) {
        zn_error(cc->d, f->error_pos, "%s", f->error);
        return 0;
    }
    if (zn_ir_verify(f, &why) < 0) {
        zn_error(cc->d, l->body->probe->pos, "compiler error (please report): %s", why);
        return 0;
    }
    zn_ir_optimise(f);
    if (dumps(cc, "ir")) {
        dump(cc, p, "ir");
        zn_ir_dump(f, cc->env->dump_out);
    }
    int r = zn_ir_assemble(f, zn_has(cc, ZF_CPU_V4), &p->code, &why);
    if (may_split && (r == -E2BIG || (r == 0 && p->code.n > MAX_INSNS)))
        return -E2BIG;
    if (r < 0) {
        zn_error(cc->d, l->body->probe->pos, "this probe is too large: %s", why ? why : "?");
        return 0;
    }
    if (dumps(cc, "bpf")) {
        dump(cc, p, "bpf");
        zn_disasm(&p->code, map_name, cc, cc->env->dump_out);
    }
    cc->scratch_size = ZN_MAX(cc->scratch_size, l->scratch_peak);
    return 0;
}

static void lower_plan(struct zn_cc *cc, struct zn_plan *plan);

/* Too much for one program: the first and the second half of the bodies get one each, on the same hook
 * and in the same order. */
static void split_plan(struct zn_cc *cc, struct zn_plan *plan)
{
    uint32_t n = 0;
    for (struct zn_part *p = plan->parts; p; p = p->next)
        n++;
    struct zn_part **cut = &plan->parts;
    for (uint32_t i = 0; i < n / 2; i++)
        cut = &(*cut)->next;
    struct zn_plan second = *plan;
    second.parts = *cut;
    *cut = NULL;
    lower_plan(cc, plan);
    if (!cc->d->errors)
        lower_plan(cc, &second);
}

static void lower_plan(struct zn_cc *cc, struct zn_plan *plan)
{
    zn_arena_grow(cc->arena, cc->img->progs, cc->img->nprogs, cc->cap_progs);
    struct zn_prog *p = &cc->img->progs[cc->img->nprogs++];
    memset(p, 0, sizeof(*p));
    p->provider = plan->provider;
    p->how = plan->how;
    p->prog_type = plan->prog_type;
    p->expected_attach = plan->expected;
    p->event = plan->event;
    if (plan->how == ZH_BTF) {
        p->attach_btf_id =
            plan->event ? zn_tp_btf_id(cc, plan->event) : plan->parts->targets->btf_id;
        p->btf_module_fd = plan->event ? 0 : plan->parts->targets->btf_module_fd;
    }
    prog_name(cc, p, plan);
    attachments(cc, p, plan);

    struct zn_lower *l = zn_arena_new(cc->arena, struct zn_lower);
    l->cc = cc;
    l->f = zn_ir_fn_new(cc->arena, p->name);
    l->ctx = plan->ctx;
    l->fast_syscall = plan->fast_syscall;
    l->target_idx = ZN_NOREG;
    l->scratch = ZN_NOREG;
    l->ctx_reg = ZN_NOREG;
    l->body = plan->parts->body;
    l->f->pos = plan->parts->body->probe->pos;
    struct zn_ir_fn *f = l->f;
    if (plan->provider != ZP_BEGIN && plan->provider != ZP_END) {
        zn_block go = zn_ir_block(f, "running"), stopped = zn_ir_block(f, "stopped");
        zn_vreg stop = zn_ir_ld(f, zn_ir_mapval(f, ZN_MAP_DATA, 0), 0, 8, false);
        zn_ir_bri(f, CMP_EQ, 8, stop, 0, go, stopped);
        zn_ir_at(f, stopped);
        zn_ir_ret(f, 0);
        zn_ir_at(f, go);
    }
    if (plan->fast_syscall) {
        lower_syscalls(l, plan);
    } else {
        for (struct zn_part *part = plan->parts; part; part = part->next) {
            if (plan->cookie) {
                zn_vreg c = zn_ir_call(f, H_get_attach_cookie, ZN_V_SCALAR, 1, zn_ctx(l));
                zn_block ok = zn_ir_block(f, "cookie"), bad = zn_ir_block(f, "bad cookie");
                zn_ir_bri(f, CMP_LT, 8, c, part->n, ok, bad);
                zn_ir_at(f, bad);
                zn_ir_ret(f, 0);
                zn_ir_at(f, ok);
                l->target_idx = c;
            }
            zn_lower_body(l, part, false);
        }
    }
    f->pos = plan->parts->body->probe->pos;
    zn_ir_ret(f, 0);
    if (finish_prog(cc, l, p, plan->parts->next != NULL) == -E2BIG) {
        cc->img->nprogs--;
        split_plan(cc, plan);
    }
}

void zn_pass_lower(struct zn_cc *cc)
{
    struct zn_plan *plans = zn_plan_programs(cc);
    cc->img->nprobes = cc->nbodies;
    cc->img->probes = zn_arena_alloc(cc->arena, sizeof(*cc->img->probes) * (cc->nbodies + 1));
    for (struct zn_cc_body *b = cc->bodies; b; b = b->next) {
        cc->img->probes[b->probe_no].name =
            b->ntargets == 1 ? b->targets[0].name : b->spec->written;
        cc->img->probes[b->probe_no].pos = b->probe->pos;
    }
    for (struct zn_plan *p = plans; p && !cc->d->errors; p = p->next)
        lower_plan(cc, p);
}
