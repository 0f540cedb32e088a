/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies to programs: which hook serves which body, and the frame of code around each body.
 *
 * Any set of sys_enter_X probes becomes one program on the raw sys_enter hook, and any set of
 * sys_exit_X one on sys_exit: the call's number selects the bodies through a frozen table. A compat
 * call never matches (tested last, after the predicate). Bodies that print kernel stacks stay on
 * perf tracepoints, whose stacks begin at the traced function.
 *
 * A body that several targets share gets the target's index as a variable (from the table, or from
 * the attach cookie) when it asks for `probe` or `func`; without cookies it is lowered per target. */
#include <errno.h>
#include <linux/bpf.h>
#include <linux/btf.h>
#include <stdio.h>
#include <string.h>

#include "arch/arch.h"
#include "base/arena.h"
#include "base/mem.h"
#include "base/str.h"
#include "lang/btf.h"
#include "lang/lower.h"

enum { TRACE_RAW_TP = 23, TRACE_FENTRY = 24, TRACE_FEXIT = 25 }; /* enum bpf_attach_type */
enum { SCRATCH_SLOTS = 4, MAX_INSNS = 30000 /* of one program */ };

/* Bodies (or slices of them) on one hook, in script order. */
struct part {
    struct zn_cc_body *body;
    struct zn_target *targets;
    uint32_t n;
    bool by_nr; /* selected by the system call's number */
    struct part *next;
};

struct plan {
    enum zn_provider provider;
    enum zn_attach_how how;
    uint32_t prog_type, expected;
    enum zn_ctx ctx;
    const char *event;
    bool fast_syscall, is_exit, cookie;
    struct part *parts, **tail;
    struct plan *next;
};

struct planner {
    struct zn_cc *cc;
    struct plan *plans, **tail;
    struct plan *enter, *exit;
};

/* ---- the frame round a body ---- */

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
        zn_block got = zn_ir_block(f, "slot"), busy = i + 1 < SCRATCH_SLOTS ? zn_ir_block(f, "busy") : none;
        zn_block mine = zn_ir_block(f, "taken");
        f->blocks[busy].cold = true;
        zn_vreg kp = zn_ir_slotaddr(f, slot, 0);
        zn_ir_st(f, kp, 0, 4, zn_ir_alui(f, ALU_ADD, 8, base, i));
        zn_vreg p = zn_ir_call(f, H_map_lookup_elem, ZN_V_PTR, 2, zn_ir_map(f, cc->scratch_map), kp);
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
    if (zn_type_is_scalar(v->type) || (v->type->kind == T_STR && v->type->interned)) {
        v->mem = -1;
        v->vreg = zn_ir_vreg(l->f, ZN_V_SCALAR);
        zn_ir_imm_to(l->f, v->vreg, 0);
    } else {
        struct zn_mem m = l->has_for ? zn_mem_scratch(l, zn_type_stored(v->type))
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
    struct zn_val at = zn_vaddr(zn_type_int(&cc->types, width, false), t, off, btf ? M_BTF : M_KERNEL);
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
    zn_vreg t = zn_ir_alui(l->f, ALU_SHR, 8, zn_ir_call(l->f, H_get_current_pid_tgid, ZN_V_SCALAR, 0), 32);
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
static void lower_body(struct zn_lower *l, struct part *part, bool compat)
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

static uint32_t index_table(struct zn_cc *cc, const struct part *p, uint32_t max_nr)
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
    zn_vreg base = zn_ir_mapval(f, ZN_MAP_RODATA, (int32_t)off), q = zn_ir_vreg(f, ZN_V_PTR);
    zn_vreg o = w == 1 ? index : zn_ir_alui(f, ALU_MUL, 8, index, w);
    *zn_ir_emit(f, IR_ALU) = (struct zn_ir_insn){.op = IR_ALU, .sub = ALU_ADD, .w = 8, .dst = q, .a = base,
                                                 .b = o, .c = ZN_NOREG, .pos = f->pos};
    return zn_ir_ld(f, q, 0, w, false);
}

/* Emits the parts of one fast system-call program. */
static void lower_syscalls(struct zn_lower *l, struct plan *plan)
{
    struct zn_ir_fn *f = l->f;
    uint32_t max_nr = l->cc->env->arch->max_nr, nsel = 0, bit = 0;
    for (struct part *p = plan->parts; p; p = p->next)
        nsel += p->by_nr;
    zn_block done = zn_ir_block(f, "done");
    zn_vreg nr = ZN_NOREG, mask = ZN_NOREG;
    bool masks = nsel >= 4 && nsel <= 64 && nsel;
    if (nsel) {
        nr = syscall_nr(l, plan->is_exit);
        bool all = true;
        for (struct part *p = plan->parts; p; p = p->next)
            all &= p->by_nr;
        if (all && (masks || plan->parts->n > 1)) {
            zn_block known = zn_ir_block(f, "known number");
            zn_ir_bri(f, CMP_LT, 8, nr, max_nr, known, done);
            zn_ir_at(f, known);
            if (masks) {
                uint32_t off = zn_rodata(l->cc, NULL, max_nr * 8, 8);
                uint64_t *t = (uint64_t *)(void *)(l->cc->rodata + off);
                for (struct part *p = plan->parts; p; p = p->next, bit++)
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
    for (struct part *p = plan->parts; p; p = p->next, bit++) {
        zn_block next = zn_ir_block(f, "skip"), match = zn_ir_block(f, "match");
        l->target_idx = ZN_NOREG;
        f->pos = p->body->probe->pos;
        if (!p->by_nr) {
            zn_ir_jmp(f, match);
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
        lower_body(l, p, p->by_nr);
        zn_ir_jmp(f, next);
        zn_ir_at(f, next);
    }
    zn_ir_jmp(f, done);
    zn_ir_at(f, done);
}

/* ---- programs ---- */

static void prog_name(struct zn_cc *cc, struct zn_prog *p, const struct plan *plan)
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

static void attachments(struct zn_cc *cc, struct zn_prog *p, const struct plan *plan)
{
    if (plan->fast_syscall || plan->how == ZH_BTF || (plan->how == ZH_RAW_TP && plan->event)) {
        p->att = zn_arena_array(cc->arena, struct zn_attachment, 1);
        p->natt = 1;
        p->att[0] = (struct zn_attachment){plan->parts->targets, 0, plan->parts->body->probe_no};
        return;
    }
    struct part *part = plan->parts;
    p->att = zn_arena_array(cc->arena, struct zn_attachment, part->n);
    p->natt = part->n;
    for (uint32_t i = 0; i < part->n; i++)
        p->att[i] = (struct zn_attachment){&part->targets[i], i, part->body->probe_no};
}

static uint32_t tp_btf_id(struct zn_cc *cc, const char *event)
{
    char name[128];
    snprintf(name, sizeof(name), "btf_trace_%s", event);
    return cc->env->btf ? zn_btf_find(cc->env->btf, name, 1u << BTF_KIND_TYPEDEF) : 0;
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

static void lower_plan(struct zn_cc *cc, struct plan *plan);

/* Too much for one program: the first and the second half of the bodies get one each, on the same hook
 * and in the same order. */
static void split_plan(struct zn_cc *cc, struct plan *plan)
{
    uint32_t n = 0;
    for (struct part *p = plan->parts; p; p = p->next)
        n++;
    struct part **cut = &plan->parts;
    for (uint32_t i = 0; i < n / 2; i++)
        cut = &(*cut)->next;
    struct plan second = *plan;
    second.parts = *cut;
    *cut = NULL;
    lower_plan(cc, plan);
    if (!cc->d->errors)
        lower_plan(cc, &second);
}

static void lower_plan(struct zn_cc *cc, struct plan *plan)
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
        p->attach_btf_id = plan->event ? tp_btf_id(cc, plan->event) : plan->parts->targets->btf_id;
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
        for (struct part *part = plan->parts; part; part = part->next) {
            if (plan->cookie) {
                zn_vreg c = zn_ir_call(f, H_get_attach_cookie, ZN_V_SCALAR, 1, zn_ctx(l));
                zn_block ok = zn_ir_block(f, "cookie"), bad = zn_ir_block(f, "bad cookie");
                zn_ir_bri(f, CMP_LT, 8, c, part->n, ok, bad);
                zn_ir_at(f, bad);
                zn_ir_ret(f, 0);
                zn_ir_at(f, ok);
                l->target_idx = c;
            }
            lower_body(l, part, false);
        }
    }
    f->pos = plan->parts->body->probe->pos;
    zn_ir_ret(f, 0);
    if (finish_prog(cc, l, p, plan->parts->next != NULL) == -E2BIG) {
        cc->img->nprogs--;
        split_plan(cc, plan);
    }
}

/* ---- planning ---- */

static struct plan *new_plan(struct planner *pl, const struct zn_cc_body *b, const struct plan *like)
{
    struct plan *p = zn_arena_new(pl->cc->arena, struct plan);
    if (like)
        *p = *like;
    p->provider = b->provider;
    p->parts = NULL;
    p->tail = &p->parts;
    p->next = NULL;
    *pl->tail = p;
    pl->tail = &p->next;
    return p;
}

static void add_part(struct planner *pl, struct plan *p, struct zn_cc_body *b, struct zn_target *t,
                     uint32_t n, bool by_nr)
{
    struct part *part = zn_arena_new(pl->cc->arena, struct part);
    *part = (struct part){b, t, n, by_nr, NULL};
    *p->tail = part;
    p->tail = &part->next;
}

static struct plan *syscall_plan(struct planner *pl, struct zn_cc_body *b, bool is_exit)
{
    struct plan **slot = is_exit ? &pl->exit : &pl->enter;
    if (!*slot) {
        struct plan *p = new_plan(pl, b, NULL);
        p->fast_syscall = true;
        p->is_exit = is_exit;
        p->event = is_exit ? "sys_exit" : "sys_enter";
        p->how = ZH_RAW_TP;
        p->prog_type = BPF_PROG_TYPE_RAW_TRACEPOINT;
        p->ctx = ZC_RAW;
        *slot = p;
    }
    /* pt_regs are read through types the verifier knows: no probe_read */
    if ((is_exit || b->uses_args) && zn_has(pl->cc, ZF_TP_BTF) && tp_btf_id(pl->cc, (*slot)->event)) {
        (*slot)->how = ZH_BTF;
        (*slot)->prog_type = BPF_PROG_TYPE_TRACING;
        (*slot)->expected = TRACE_RAW_TP;
        (*slot)->ctx = ZC_BTF;
    }
    return *slot;
}

static bool raw_ok(struct planner *pl, const struct zn_cc_body *b)
{
    return zn_has(pl->cc, ZF_RAW_TP) && !b->uses_kstack;
}

static bool is_raw_syscall(const struct zn_target *t)
{
    return t->module && strcmp(t->module, "raw_syscalls") == 0;
}

/* Splits targets that go to a plan of their own each, when `probe` must be known and no cookie. */
static void plan_each(struct planner *pl, struct zn_cc_body *b, struct zn_target *t, uint32_t n,
                      const struct plan *like, bool cookie_ok)
{
    bool cookie = cookie_ok && n > 1 && b->uses_target;
    bool split = b->uses_target && n > 1 && !cookie;
    for (uint32_t i = 0; i < n; i += split ? 1 : n) {
        struct plan *p = new_plan(pl, b, like);
        p->cookie = cookie;
        if (p->how == ZH_RAW_TP || (p->how == ZH_BTF && p->provider == ZP_TRACEPOINT))
            p->event = t[i].sym;
        add_part(pl, p, b, t + i, split ? 1 : n, false);
    }
}

static void plan_tracepoint(struct planner *pl, struct zn_cc_body *b)
{
    struct zn_cc *cc = pl->cc;
    struct zn_target *enter = zn_arena_array(cc->arena, struct zn_target, b->ntargets),
                     *exit = zn_arena_array(cc->arena, struct zn_target, b->ntargets),
                     *rest = zn_arena_array(cc->arena, struct zn_target, b->ntargets);
    uint32_t ne = 0, nx = 0, nr = 0;
    for (uint32_t i = 0; i < b->ntargets; i++) {
        struct zn_target *t = &b->targets[i];
        bool fast = raw_ok(pl, b) && t->nr >= 0 && (uint32_t)t->nr < cc->env->arch->max_nr;
        if (fast && t->is_exit)
            exit[nx++] = *t;
        else if (fast)
            enter[ne++] = *t;
        else if (raw_ok(pl, b) && is_raw_syscall(t))
            add_part(pl, syscall_plan(pl, b, strcmp(t->sym, "sys_exit") == 0), b, t, 1, false);
        else
            rest[nr++] = *t;
    }
    if (ne)
        add_part(pl, syscall_plan(pl, b, false), b, enter, ne, true);
    if (nx)
        add_part(pl, syscall_plan(pl, b, true), b, exit, nx, true);
    if (!nr)
        return;
    struct plan like = {.how = ZH_PERF_TP, .prog_type = BPF_PROG_TYPE_TRACEPOINT, .ctx = ZC_TP};
    bool plain = !b->uses_args && !b->uses_ctx && raw_ok(pl, b);
    for (uint32_t i = 0; i < nr && plain; i++)
        plain = strcmp(rest[i].module, "syscalls") != 0 && rest[i].btf_id != UINT32_MAX &&
                tp_btf_id(cc, rest[i].sym);
    if (plain) {
        like.how = ZH_RAW_TP;
        like.prog_type = BPF_PROG_TYPE_RAW_TRACEPOINT;
        like.ctx = ZC_RAW;
        for (uint32_t i = 0; i < nr; i++) /* one program an event: the hook wants its name */
            plan_each(pl, b, rest + i, 1, &like, false);
        return;
    }
    plan_each(pl, b, rest, nr, &like, zn_has(cc, ZF_COOKIE));
}

static void plan_body(struct planner *pl, struct zn_cc_body *b)
{
    struct zn_cc *cc = pl->cc;
    struct plan like = {0};
    bool cookie = zn_has(cc, ZF_COOKIE);
    switch (b->provider) {
    case ZP_BEGIN:
    case ZP_END:
    case ZP_INTERVAL:
    case ZP_SELF:
        like = (struct plan){.how = ZH_NONE, .prog_type = BPF_PROG_TYPE_RAW_TRACEPOINT, .ctx = ZC_NONE};
        cookie = false;
        break;
    case ZP_PROFILE:
    case ZP_SOFTWARE:
    case ZP_HARDWARE:
        like = (struct plan){.how = ZH_PERF_EVENT, .prog_type = BPF_PROG_TYPE_PERF_EVENT, .ctx = ZC_PERF};
        break;
    case ZP_TRACEPOINT:
        plan_tracepoint(pl, b);
        return;
    case ZP_RAWTRACEPOINT:
        like = (struct plan){.how = ZH_RAW_TP, .prog_type = BPF_PROG_TYPE_RAW_TRACEPOINT, .ctx = ZC_RAW};
        for (uint32_t i = 0; i < b->ntargets; i++)
            plan_each(pl, b, &b->targets[i], 1, &like, false);
        return;
    case ZP_KPROBE:
    case ZP_KRETPROBE:
        like = (struct plan){.how = ZH_KPROBE, .prog_type = BPF_PROG_TYPE_KPROBE, .ctx = ZC_REGS};
        if (b->ntargets > 1 && zn_has(cc, ZF_KPROBE_MULTI)) {
            bool plain = true;
            for (uint32_t i = 0; i < b->ntargets; i++)
                plain &= b->targets[i].offset == 0;
            if (plain) {
                like.how = ZH_KPROBE_MULTI;
                like.expected = 42; /* BPF_TRACE_KPROBE_MULTI */
            }
        }
        break;
    case ZP_FENTRY:
    case ZP_FEXIT:
        like = (struct plan){.how = ZH_BTF, .prog_type = BPF_PROG_TYPE_TRACING, .ctx = ZC_BTF,
                             .expected = b->provider == ZP_FENTRY ? TRACE_FENTRY : TRACE_FEXIT};
        for (uint32_t i = 0; i < b->ntargets; i++)
            plan_each(pl, b, &b->targets[i], 1, &like, false);
        return;
    case ZP_UPROBE:
    case ZP_URETPROBE:
        like = (struct plan){.how = ZH_UPROBE, .prog_type = BPF_PROG_TYPE_KPROBE, .ctx = ZC_REGS};
        break;
    default:
        zn_error(cc->d, b->spec->pos, "%s probes are not supported yet", zn_providers[b->provider].name);
        return;
    }
    plan_each(pl, b, b->targets, b->ntargets, &like, cookie);
}

void zn_pass_lower(struct zn_cc *cc)
{
    struct planner pl = {.cc = cc};
    pl.tail = &pl.plans;
    for (struct zn_cc_body *b = cc->bodies; b; b = b->next)
        plan_body(&pl, b);
    cc->img->nprobes = cc->nbodies;
    cc->img->probes = zn_arena_alloc(cc->arena, sizeof(*cc->img->probes) * (cc->nbodies + 1));
    for (struct zn_cc_body *b = cc->bodies; b; b = b->next) {
        cc->img->probes[b->probe_no].name = b->ntargets == 1 ? b->targets[0].name : b->spec->written;
        cc->img->probes[b->probe_no].pos = b->probe->pos;
    }
    for (struct plan *p = pl.plans; p && !cc->d->errors; p = p->next)
        lower_plan(cc, p);
}
