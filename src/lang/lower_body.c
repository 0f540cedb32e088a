/* SPDX-License-Identifier: Apache-2.0 */
/* The frame of code round a body: pid filter, predicate, compat test, scratch, variables. */
#include <linux/bpf.h>
#include <string.h>

#include "arch/arch.h"
#include "base/mem.h"
#include "lang/plan.h"

enum { SCRATCH_SLOTS = 4 };

static void take_scratch(struct zn_lower *l, zn_block next)
{
    struct zn_ir_fn *f = l->f;
    struct zn_cc *cc = l->cc;
    if (cc->scratch_map < 0) {
        cc->scratch_map = zn_image_map(cc, ".scratch");
        struct zn_map *m = &cc->img->maps[cc->scratch_map];
        m->bpf_type = BPF_MAP_TYPE_ARRAY;
        m->key_size = 4;
        m->max_entries = cc->img->ncpu * SCRATCH_SLOTS;
    }
    zn_vreg cpu = zn_ir_call(f, H_get_smp_processor_id, ZN_V_SCALAR, 0);
    zn_vreg base = zn_ir_alui(f, ALU_MUL, 8, cpu, SCRATCH_SLOTS);
    int32_t slot = zn_ir_slot(f, 8);
    zn_block none = zn_ir_block(f, "nested");
    f->blocks[none].cold = true;
    for (int i = 0; i < SCRATCH_SLOTS; i++) {
        zn_block got = zn_ir_block(f, "slot"),
                 busy = i + 1 < SCRATCH_SLOTS ? zn_ir_block(f, "busy") : none;
        zn_block mine = zn_ir_block(f, "taken");
        f->blocks[busy].cold = true;
        zn_vreg kp = zn_ir_slotaddr(f, slot, 0);
        zn_ir_st(f, kp, 0, 4, zn_ir_alui(f, ALU_ADD, 8, base, i));
        zn_vreg p =
            zn_ir_call(f, H_map_lookup_elem, ZN_V_PTR, 2, zn_ir_map(f, cc->scratch_map), kp);
        zn_ir_bri(f, CMP_NE, 8, p, 0, got, none);
        zn_ir_at(f, got);
        if (zn_has(cc, ZF_ATOMIC_FETCH)) {
            zn_vreg old = zn_ir_atomic(f, AT_XCHG, p, 0, 8, zn_ir_imm(f, 1), ZN_NOREG);
            zn_ir_bri(f, CMP_EQ, 8, old, 0, mine, busy);
        } else {
            zn_vreg old = zn_ir_ld(f, p, 0, 8, false);
            zn_ir_bri(f, CMP_EQ, 8, old, 0, mine, busy);
        }
        zn_ir_at(f, mine);
        if (!zn_has(cc, ZF_ATOMIC_FETCH))
            zn_ir_sti(f, p, 0, 8, 1);
        zn_vreg q = zn_ptr_add(l, p, 8);
        zn_ir_mov_to(f, l->scratch, q);
        zn_ir_jmp(f, next);
        zn_ir_at(f, busy);
    }
    zn_loss(l, ZL_NESTED);
    zn_ir_jmp(f, l->end);
}

void zn_collect_vars(void *arg, struct zn_node *n)
{
    struct zn_lower *l = arg;
    if (n->kind != N_ASSIGN && n->kind != N_LET && n->kind != N_FOR_RANGE && n->kind != N_FOR_MAP)
        return;
    struct zn_varsym *v = n->sym;
    if (!v || !v->type)
        return;
    if (n->kind == N_FOR_MAP) { /* bound in the loop's own function */
        v->mem = 1;
        return;
    }
    bool scalar = zn_type_is_scalar(v->type) || (v->type->kind == T_STR && v->type->interned);
    if (scalar && !v->addressed) {
        v->mem = -1;
        v->vreg = zn_ir_vreg(l->f, ZN_V_SCALAR);
        zn_ir_imm_to(l->f, v->vreg, 0);
    } else {
        struct zn_mem m = l->has_for || v->addressed ? zn_mem_scratch(l, zn_type_stored(v->type))
                                                     : zn_mem(l, zn_type_stored(v->type));
        v->mem = m.off << 1 | m.scratch;
        zn_vreg base;
        int32_t off;
        zn_mem_addr(l, m, &base, &off);
        zn_zero(l, base, off, zn_type_stored(v->type));
    }
}

static void note_for(void *arg, struct zn_node *n)
{
    struct zn_lower *l = arg;
    l->has_for |= zn_loop_is_callback(l->cc, n);
}

/* current->thread_info.FIELD & mask, at BTF's offset. */
static zn_vreg compat_word(struct zn_lower *l, int32_t *shift_mask)
{
    struct zn_cc *cc = l->cc;
    const struct zn_arch *a = cc->env->arch;
    int32_t off = strcmp(a->compat_field, "status") == 0 ? 16 : 0;
    struct zn_type *task = NULL;
    struct zn_ctype ct = {.name = "struct task_struct"};
    const char *why;
    uint32_t width = 4;
    if (cc->env->btf)
        task = zn_type_from_ctype(&cc->types, &ct, &why);
    struct zn_field f, g;
    if (task && zn_type_field(&cc->types, task, "thread_info", &f) &&
        zn_type_field(&cc->types, f.type, a->compat_field, &g)) {
        off = (int32_t)(f.off + g.off);
        width = g.type->size;
    }
    bool btf;
    zn_vreg t = zn_current_task(l, &btf);
    struct zn_val at =
        zn_vaddr(zn_type_int(&cc->types, width, false), t, off, btf ? M_BTF : M_KERNEL);
    *shift_mask = (int32_t)a->compat_mask;
    return zn_load(l, at.type, at, 0, 0).reg;
}

static void compat_test(struct zn_lower *l)
{
    int32_t mask;
    zn_block native = zn_ir_block(l->f, "native call");
    zn_vreg w = compat_word(l, &mask);
    zn_ir_bri(l->f, CMP_SET, 8, w, mask, l->end, native);
    zn_ir_at(l->f, native);
}

static void pid_test(struct zn_lower *l)
{
    uint32_t pid = l->cc->env->pid_filter;
    if (!pid || !zn_providers[l->body->provider].takes_pid_filter)
        return;
    zn_block ours = zn_ir_block(l->f, "this pid");
    zn_vreg t =
        zn_ir_alui(l->f, ALU_SHR, 8, zn_ir_call(l->f, H_get_current_pid_tgid, ZN_V_SCALAR, 0), 32);
    zn_ir_bri(l->f, CMP_EQ, 8, t, pid, ours, l->end);
    zn_ir_at(l->f, ours);
}

static void give_scratch(struct zn_lower *l)
{
    if (l->scratch != ZN_NOREG)
        zn_ir_sti(l->f, l->scratch, -8, 8, 0);
}

/* Lowers one body into the current block; afterwards the builder stands behind it. Scratch is taken
 * before the predicate only if that needs it, else after; which is known when both are lowered, so
 * the two places are left open till then. */
void zn_lower_body(struct zn_lower *l, struct zn_part *part, bool compat)
{
    struct zn_ir_fn *f = l->f;
    struct zn_node *probe = part->body->probe;
    l->body = part->body;
    l->targets = part->targets;
    l->ntargets = part->n;
    l->scratch = ZN_NOREG;
    l->scratch_top = 0;
    l->has_for = false;
    struct zn_marks mark = zn_mem_mark(l);
    zn_block next = zn_ir_block(f, "next"), unwanted = zn_ir_block(f, "unwanted"),
             out = zn_ir_block(f, "leave"), pred = zn_ir_block(f, "predicate"),
             body = zn_ir_block(f, "body");
    f->pos = probe->pos;
    l->end = next;
    pid_test(l);
    zn_block before = f->cur;
    zn_ir_at(f, pred);
    l->end = unwanted;
    if (probe->c) {
        zn_block yes = zn_ir_block(f, "wanted");
        struct zn_marks m = zn_mem_mark(l);
        zn_lower_cond(l, probe->c, yes, unwanted);
        zn_mem_release(l, m);
        zn_ir_at(f, yes);
    }
    bool pred_scratch = l->scratch != ZN_NOREG;
    f->pos = probe->pos;
    if (compat)
        compat_test(l);
    zn_block after = f->cur;
    zn_ir_at(f, body);
    l->end = out;
    zn_walk(probe->list, note_for, l);
    zn_walk(probe->list, zn_collect_vars, l);
    zn_lower_stmts(l, probe->list);
    if (!zn_ir_done(f))
        zn_ir_jmp(f, out);
    f->pos = probe->pos;
    l->end = next;
    zn_ir_at(f, before);
    if (pred_scratch)
        take_scratch(l, pred);
    else
        zn_ir_jmp(f, pred);
    zn_ir_at(f, after);
    if (l->scratch != ZN_NOREG && !pred_scratch)
        take_scratch(l, body);
    else
        zn_ir_jmp(f, body);
    zn_ir_at(f, unwanted);
    if (pred_scratch)
        give_scratch(l);
    zn_ir_jmp(f, next);
    zn_ir_at(f, out);
    give_scratch(l);
    zn_ir_jmp(f, next);
    zn_ir_at(f, next);
    zn_mem_release(l, mark);
}
