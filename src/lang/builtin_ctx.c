/* SPDX-License-Identifier: Apache-2.0 */
/* Builtins that read the current task, the clock, the processor and the probe's context. */
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "base/arena.h"
#include "base/mem.h"
#include "lang/builtin_tables.h"
#include "lang/lower.h"

enum {
    C_PID,
    C_TID,
    C_UID,
    C_GID,
    C_CPU,
    C_NSECS,
    C_ELAPSED,
    C_RAND,
    C_CGROUP,
    C_JIFFIES,
    C_NUMAID,
    C_NCPUS,
};

/* ---- numbers that a helper gives ---- */

static bool number(struct zn_cc *cc, struct zn_node *n)
{
    const struct zn_builtin *b = n->sym;
    unsigned size = b->detail == C_PID || b->detail == C_TID ? 4 : 8;
    n->type = zn_type_int(&cc->types, size, false);
    return true;
}

static int64_t clock_helper(struct zn_cc *cc, struct zn_node *n)
{
    const char *mode = n->list && n->list->kind == N_IDENT ? n->list->name : "boot";
    if (strcmp(mode, "monotonic") == 0)
        return H_ktime_get_ns;
    if (strcmp(mode, "tai") == 0)
        return H_ktime_get_tai_ns;
    return zn_has(cc, ZF_KTIME_BOOT) ? H_ktime_get_boot_ns : H_ktime_get_ns;
}

static bool nsecs(struct zn_cc *cc, struct zn_node *n)
{
    static const char *const modes[] = {"monotonic", "boot", "tai", "sw_tai"};
    bool known = !n->list;
    for (unsigned i = 0; n->list && n->list->kind == N_IDENT && i < 4; i++)
        known |= strcmp(n->list->name, modes[i]) == 0;
    if (!known) {
        zn_cc_error(cc, n->list->pos, "nsecs() takes monotonic, boot, tai or sw_tai");
        return false;
    }
    if (n->list && strcmp(n->list->name, "sw_tai") == 0) {
        zn_cc_error(cc, n->list->pos, "nsecs(sw_tai) is not supported yet");
        return false;
    }
    if (n->list && strcmp(n->list->name, "tai") == 0 && !zn_has(cc, ZF_KTIME_TAI)) {
        zn_cc_error(cc, n->list->pos, "this kernel has no TAI clock for BPF (6.1 has)");
        return false;
    }
    n->type = zn_type_int(&cc->types, 8, false);
    return true;
}

static bool cpid(struct zn_cc *cc, struct zn_node *n)
{
    const struct zn_builtin *b = n->sym;
    if (!cc->env->cpid && !b->detail) {
        zn_cc_error(cc, n->pos, "cpid is the process of -c CMD, which is not given");
        return false;
    }
    n->kind = N_INT;
    n->num = b->detail ? cc->env->cpid != 0 : cc->env->cpid;
    n->type = b->detail ? zn_type_simple(&cc->types, T_BOOL) : zn_type_int(&cc->types, 4, false);
    return true;
}

static struct zn_val lower_number(struct zn_lower *l, struct zn_node *n)
{
    const struct zn_builtin *b = n->sym;
    struct zn_ir_fn *f = l->f;
    zn_vreg r = ZN_NOREG;
    switch (b->detail) {
    case C_PID:
        r = zn_ir_alui(f, ALU_SHR, 8, zn_ir_call(f, H_get_current_pid_tgid, ZN_V_SCALAR, 0), 32);
        break;
    case C_TID:
        r = zn_ir_alui(f, ALU_ADD, 4, zn_ir_call(f, H_get_current_pid_tgid, ZN_V_SCALAR, 0), 0);
        break;
    case C_UID:
        r = zn_ir_alui(f, ALU_ADD, 4, zn_ir_call(f, H_get_current_uid_gid, ZN_V_SCALAR, 0), 0);
        break;
    case C_GID:
        r = zn_ir_alui(f, ALU_SHR, 8, zn_ir_call(f, H_get_current_uid_gid, ZN_V_SCALAR, 0), 32);
        break;
    case C_CPU: r = zn_ir_call(f, H_get_smp_processor_id, ZN_V_SCALAR, 0); break;
    case C_NSECS: r = zn_ir_call(f, (int)clock_helper(l->cc, n), ZN_V_SCALAR, 0); break;
    case C_ELAPSED: {
        zn_vreg start = zn_ir_ld(f, zn_ir_mapval(f, ZN_MAP_DATA, 8), 0, 8, false);
        r = zn_ir_alu(f, ALU_SUB, 8, zn_ir_call(f, (int)clock_helper(l->cc, n), ZN_V_SCALAR, 0),
                      start);
        break;
    }
    case C_RAND: r = zn_ir_call(f, H_get_prandom_u32, ZN_V_SCALAR, 0); break;
    case C_CGROUP: r = zn_ir_call(f, H_get_current_cgroup_id, ZN_V_SCALAR, 0); break;
    case C_JIFFIES: r = zn_ir_call(f, H_jiffies64, ZN_V_SCALAR, 0); break;
    case C_NUMAID: r = zn_ir_call(f, H_get_numa_node_id, ZN_V_SCALAR, 0); break;
    default: return zn_vimm(n->type, l->cc->env->ncpu_possible);
    }
    return zn_vreg_val(n->type, r);
}

/* ---- the task ---- */

static bool comm(struct zn_cc *cc, struct zn_node *n)
{
    if (n->list) {
        zn_cc_error(cc, n->pos, "comm(pid) is not supported yet");
        return false;
    }
    n->type = zn_type_str(&cc->types, 16, false);
    return true;
}

static struct zn_val lower_comm(struct zn_lower *l, struct zn_node *n)
{
    (void)l;
    return (struct zn_val){.kind = V_COMM, .type = n->type, .reg = ZN_NOREG};
}

zn_vreg zn_current_task(struct zn_lower *l, bool *btf)
{
    *btf = zn_has(l->cc, ZF_TASK_BTF) && zn_has(l->cc, ZF_BTF);
    return zn_ir_call(l->f, *btf ? H_get_current_task_btf : H_get_current_task,
                      *btf ? ZN_V_PTR : ZN_V_SCALAR, 0);
}

static bool curtask(struct zn_cc *cc, struct zn_node *n)
{
    struct zn_ctype ct = {.name = "struct task_struct"};
    const char *why = NULL;
    struct zn_type *t = cc->env->btf ? zn_type_from_ctype(&cc->types, &ct, &why) : NULL;
    n->type = t ? zn_type_ptr(&cc->types, t, ZN_SPACE_KERNEL) : zn_type_int(&cc->types, 8, false);
    return true;
}

/* As a plain number: pointer arithmetic must not meet the verifier's idea of it. */
static struct zn_val lower_curtask(struct zn_lower *l, struct zn_node *n)
{
    return zn_vreg_val(n->type, zn_ir_call(l->f, H_get_current_task, ZN_V_SCALAR, 0));
}

static struct zn_val task_member(struct zn_lower *l, struct zn_val task, const char *const *path)
{
    struct zn_ctype ct = {.name = "struct task_struct"};
    const char *why;
    struct zn_type *t = zn_type_from_ctype(&l->cc->types, &ct, &why);
    struct zn_val v = task;
    v.type = zn_type_ptr(&l->cc->types, t, ZN_SPACE_KERNEL);
    for (; *path; path++) {
        struct zn_field f;
        if (v.kind != V_ADDR)
            v = zn_deref(l, v);
        if (!zn_type_field(&l->cc->types, v.type, *path, &f)) {
            zn_ir_fail(l->f, "this kernel's task_struct has no %s", *path);
            return zn_vimm(v.type, 0);
        }
        v = zn_struct_field(l, v, &f);
    }
    return v;
}

static bool needs_btf(struct zn_cc *cc, struct zn_node *n)
{
    if (cc->env->btf)
        return true;
    zn_cc_error(cc, n->pos, "%s needs the kernel's types (BTF), which are not there", n->name);
    return false;
}

static bool ppid(struct zn_cc *cc, struct zn_node *n)
{
    n->type = zn_type_int(&cc->types, 4, false);
    return needs_btf(cc, n);
}

static struct zn_val lower_ppid(struct zn_lower *l, struct zn_node *n)
{
    static const char *const parent[] = {"real_parent", "tgid", NULL}, *const leader[] = {
                                                                           "group_leader", "pid",
                                                                           NULL};
    const struct zn_builtin *b = n->sym;
    const char *const *path = b->detail ? leader : parent;
    struct zn_val t;
    if (n->list) {
        t = zn_vreg_val(NULL, zn_lower_int(l, n->list));
    } else {
        bool btf;
        t = zn_vreg_val(NULL, zn_current_task(l, &btf));
        t.btf = btf;
    }
    struct zn_val v = task_member(l, t, path);
    return zn_vreg_val(n->type, zn_to_reg(l, v));
}

static bool pcomm(struct zn_cc *cc, struct zn_node *n)
{
    n->type = zn_type_str(&cc->types, 16, false);
    return needs_btf(cc, n);
}

static struct zn_val lower_pcomm(struct zn_lower *l, struct zn_node *n)
{
    static const char *const parent[] = {"real_parent", "comm", NULL}, *const leader[] = {
                                                                           "group_leader", "comm",
                                                                           NULL};
    const struct zn_builtin *b = n->sym;
    const char *const *path = b->detail ? leader : parent;
    bool btf;
    struct zn_val t = zn_vreg_val(NULL, zn_current_task(l, &btf));
    t.btf = btf;
    return task_member(l, t, path);
}

/* ---- the probe ---- */

static bool target_str(struct zn_cc *cc, struct zn_node *n)
{
    n->type = zn_type_str(&cc->types, 64, true);
    return true;
}

struct zn_val zn_target_str(struct zn_lower *l, struct zn_node *n)
{
    struct zn_cc *cc = l->cc;
    uint32_t *ids = zn_arena_array(cc->arena, uint32_t, l->ntargets + 1);
    bool same = true, run = true;
    for (uint32_t i = 0; i < l->ntargets; i++) {
        const char *s = "";
        size_t len = 0;
        zn_const_str(cc, l->body, &l->targets[i], n, &s, &len);
        ids[i] = zn_intern(cc, s, len);
        same &= ids[i] == ids[0];
        run &= ids[i] == ids[0] + i;
    }
    struct zn_type *t = zn_type_str(&cc->types, n->type->size, true);
    if (same || l->ntargets == 1)
        return zn_vimm(t, ids[0]);
    if (l->target_idx == ZN_NOREG) {
        zn_ir_fail(l->f, "which of the probe's targets fired is not known here");
        return zn_vimm(t, 0);
    }
    if (run)
        return zn_vreg_val(t, zn_ir_alui(l->f, ALU_ADD, 8, l->target_idx, ids[0]));
    uint32_t off = zn_rodata(cc, ids, l->ntargets * 4, 8);
    struct zn_ir_fn *f = l->f;
    zn_vreg r = zn_ir_vreg(f, ZN_V_SCALAR);
    zn_block in = zn_ir_block(f, "index"), done = zn_ir_block(f, "name");
    zn_ir_imm_to(f, r, ids[0]);
    zn_ir_bri(f, CMP_LT, 8, l->target_idx, l->ntargets, in, done);
    zn_ir_at(f, in);
    zn_vreg p = zn_ir_mapval(f, ZN_MAP_RODATA, (int32_t)off);
    zn_vreg o = zn_ir_alui(f, ALU_SHL, 8, l->target_idx, 2);
    zn_vreg q = zn_ir_padd(f, p, o);
    zn_ir_mov_to(f, r, zn_ir_ld(f, q, 0, 4, false));
    zn_ir_jmp(f, done);
    zn_ir_at(f, done);
    return zn_vreg_val(t, r);
}

static struct zn_val lower_target_str(struct zn_lower *l, struct zn_node *n)
{
    return zn_target_str(l, n);
}

/* ---- context ---- */

static bool has_regs(enum zn_provider p)
{
    return p == ZP_KPROBE || p == ZP_KRETPROBE || p == ZP_UPROBE || p == ZP_URETPROBE ||
           p == ZP_USDT;
}

static struct zn_type *reg_type(struct zn_cc *cc)
{
    return zn_type_int(&cc->types, 8, false);
}

enum { MOST_TP_ARGS = 12 /* that the kernel passes to programs */ };

static unsigned arg_number(const struct zn_node *n)
{
    return (unsigned)strtoul(n->name + 3, NULL, 10);
}

static bool usdt_arg(struct zn_cc *cc, struct zn_node *n)
{
    const struct zn_target *t = &cc->body->targets[0];
    unsigned i = arg_number(n);
    if (i >= t->nusdt_args) {
        zn_cc_error(cc, n->pos, "%s has %u argument%s: there is no %s", t->name, t->nusdt_args,
                    t->nusdt_args == 1 ? "" : "s", n->name);
        return false;
    }
    if (t->usdt_args[i].kind == ZN_USDT_UNKNOWN) {
        zn_cc_error(cc, n->pos, "%s of %s lies where it cannot be read: %s", n->name, t->name,
                    t->usdt_args[i].text);
        return false;
    }
    return true;
}

static bool argn(struct zn_cc *cc, struct zn_node *n)
{
    enum zn_provider p = cc->body->provider;
    n->type = reg_type(cc);
    if (p == ZP_RAWTRACEPOINT && arg_number(n) < MOST_TP_ARGS)
        return true;
    if (p == ZP_USDT)
        return usdt_arg(cc, n);
    if (!has_regs(p) || p == ZP_KRETPROBE || p == ZP_URETPROBE) {
        struct zn_diag *d =
            zn_cc_error(cc, n->pos, "The %s builtin can not be used with '%s' probes", n->name,
                        zn_providers[p].name);
        if (d && (p == ZP_TRACEPOINT || p == ZP_FENTRY))
            zn_hint(cc->d, d, "use args.NAME");
        return false;
    }
    if (arg_number(n) >= cc->env->arch->nargs) {
        zn_cc_error(cc, n->pos, "%s doesn't support %s", cc->env->arch->name, n->name);
        return false;
    }
    return true;
}

static zn_vreg add_const(struct zn_ir_fn *f, zn_vreg r, int64_t v)
{
    return v == (int32_t)v ? zn_ir_alui(f, ALU_ADD, 8, r, v)
                           : zn_ir_alu(f, ALU_ADD, 8, r, zn_ir_imm(f, v));
}

/* An argument of a usdt probe, as a 64-bit number of the note's width and sign. */
static struct zn_val lower_usdt_arg(struct zn_lower *l, struct zn_type *type,
                                    const struct zn_usdt_arg *a)
{
    struct zn_ir_fn *f = l->f;
    struct zn_type *w = zn_type_int(&l->cc->types, a->size, a->sign);
    zn_vreg r;
    if (a->kind == ZN_USDT_CONST)
        return zn_vimm(type, a->disp);
    r = a->base < 0 ? ZN_NOREG : zn_ir_ld(f, zn_ctx(l), a->base, 8, false);
    if (a->kind == ZN_USDT_REG) {
        if (a->shift)
            r = zn_ir_alui(f, ALU_SHR, 8, r, a->shift);
        return zn_vreg_val(type, zn_trunc(l, r, w).reg);
    }
    r = r == ZN_NOREG ? zn_ir_imm(f, a->disp) : a->disp ? add_const(f, r, a->disp) : r;
    if (a->index >= 0) {
        zn_vreg i = zn_ir_ld(f, zn_ctx(l), a->index, 8, false);
        if (a->shift)
            i = zn_ir_alui(f, ALU_SHL, 8, i, a->shift);
        r = zn_ir_alu(f, ALU_ADD, 8, r, i);
    }
    return zn_vreg_val(type, zn_load(l, w, zn_vaddr(w, r, 0, M_USER), 0, 0).reg);
}

static struct zn_val lower_argn(struct zn_lower *l, struct zn_node *n)
{
    unsigned i = arg_number(n);
    if (l->body->provider == ZP_USDT)
        return lower_usdt_arg(l, n->type, &l->targets[0].usdt_args[i]);
    zn_vreg ctx = zn_ctx(l);
    int32_t off = l->ctx == ZC_RAW ? (int32_t)i * 8 : l->cc->env->arch->arg_off[i];
    return zn_vreg_val(n->type, zn_ir_ld(l->f, ctx, off, 8, false));
}

static bool retval(struct zn_cc *cc, struct zn_node *n)
{
    enum zn_provider p = cc->body->provider;
    if (p == ZP_FEXIT) {
        n->type = cc->body->targets[0].retval ? cc->body->targets[0].retval : reg_type(cc);
        return true;
    }
    n->type = reg_type(cc);
    if (p == ZP_KRETPROBE || p == ZP_URETPROBE)
        return true;
    zn_cc_error(cc, n->pos,
                "The retval builtin can only be used with 'kretprobe', 'uretprobe' and "
                "'fexit' probes");
    return false;
}

static struct zn_val lower_retval(struct zn_lower *l, struct zn_node *n)
{
    zn_vreg ctx = zn_ctx(l);
    if (l->ctx != ZC_BTF)
        return zn_vreg_val(n->type, zn_ir_ld(l->f, ctx, l->cc->env->arch->ret_off, 8, false));
    const struct zn_target *t = &l->targets[0];
    int32_t off = t->args ? (int32_t)t->args->nfields * 8 : 0;
    bool ptr = n->type->kind == T_PTR && n->type->elem && n->type->elem->kind == T_STRUCT;
    if (ptr) {
        struct zn_val v = zn_vreg_val(n->type, zn_ir_ldptr(l->f, ctx, off));
        v.btf = true;
        return v;
    }
    return zn_trunc(l, zn_ir_ld(l->f, ctx, off, 8, false), n->type);
}

static bool reg(struct zn_cc *cc, struct zn_node *n)
{
    n->type = reg_type(cc);
    if (!has_regs(cc->body->provider) && cc->body->provider != ZP_PROFILE &&
        cc->body->provider != ZP_WATCHPOINT) {
        zn_cc_error(cc, n->pos, "The reg function can not be used with '%s' probes",
                    zn_providers[cc->body->provider].name);
        return false;
    }
    const struct zn_arch *a = cc->env->arch;
    const char *name = n->list->kind == N_STR ? n->list->str : "";
    for (unsigned i = 0; i < a->nregs; i++)
        if (strcmp(a->regs[i].name, name) == 0)
            return true;
    zn_cc_error(cc, n->list->pos, "'%s' is not a valid register on this architecture (%s)", name,
                a->name);
    return false;
}

static struct zn_val lower_reg(struct zn_lower *l, struct zn_node *n)
{
    const struct zn_arch *a = l->cc->env->arch;
    for (unsigned i = 0; i < a->nregs; i++)
        if (strcmp(a->regs[i].name, n->list->str) == 0)
            return zn_vreg_val(n->type, zn_ir_ld(l->f, zn_ctx(l), a->regs[i].off, 8, false));
    return zn_vimm(n->type, 0);
}

static bool args(struct zn_cc *cc, struct zn_node *n)
{
    struct zn_target *t = &cc->body->targets[0];
    if (!t->args) {
        zn_cc_error(cc, n->pos, "The args builtin can not be used with '%s' probes",
                    zn_providers[cc->body->provider].name);
        return false;
    }
    n->type = t->args;
    return true;
}

static struct zn_val lower_args(struct zn_lower *l, struct zn_node *n)
{
    if (l->ctx != ZC_TP)
        zn_ir_fail(l->f, "args as a whole is not supported yet: name a field");
    return zn_vaddr(n->type, zn_ctx(l), 0, M_KERNEL);
}

static struct zn_val reg_field(struct zn_lower *l, const struct zn_field *f)
{
    const struct zn_arch *a = l->cc->env->arch;
    struct zn_ir_fn *fn = l->f;
    zn_vreg ctx = zn_ctx(l);
    bool btf = l->ctx == ZC_BTF;
    switch (f->reg) {
    case ZN_REG_ARG: return zn_trunc(l, zn_ir_ld(fn, ctx, a->arg_off[f->arg], 8, false), f->type);
    case ZN_REG_CTX64: {
        bool ptr = btf && !l->fast_syscall && f->type->kind == T_PTR && f->type->elem &&
                   f->type->elem->kind == T_STRUCT && f->type->elem->btf_id && !f->type->user_tag;
        if (ptr) {
            struct zn_val v = zn_vreg_val(f->type, zn_ir_ldptr(fn, ctx, f->arg * 8));
            v.btf = true;
            return v;
        }
        return zn_trunc(l, zn_ir_ld(fn, ctx, f->arg * 8, 8, false), f->type);
    }
    case ZN_REG_SYSNR:
    case ZN_REG_SYSARG: {
        zn_vreg regs = btf ? zn_ir_ldptr(fn, ctx, 0) : zn_ir_ld(fn, ctx, 0, 8, false);
        bool nr = f->reg == ZN_REG_SYSNR;
        struct zn_type *w = zn_type_int(&l->cc->types, nr ? a->sysnr_width : 8, nr);
        struct zn_val at =
            zn_vaddr(w, regs, nr ? a->sysnr_off : a->sysarg_off[f->arg], btf ? M_BTF : M_KERNEL);
        if (f->type->kind == T_ARRAY) { /* raw_syscalls' args[6] as a whole */
            for (unsigned i = 1; i < a->nsysargs; i++)
                if (a->sysarg_off[i] != a->sysarg_off[0] + (int)i * 8) {
                    zn_ir_fail(fn, "all of %s at once is not supported yet: name one, args.%s[0]",
                               f->name, f->name);
                    break;
                }
            at.type = f->type;
            return at;
        }
        struct zn_val v = zn_trunc(l, zn_load(l, w, at, 0, 0).reg, f->type);
        if (f->type->kind == T_PTR)
            v.type = zn_type_ptr(&l->cc->types, f->type->elem, ZN_SPACE_USER);
        return v;
    }
    default: zn_ir_fail(fn, "unknown place of an argument"); return zn_vimm(f->type, 0);
    }
}

/* A member of a tracepoint's record: scalars by plain loads from ctx, the rest by probe_read. */
static struct zn_val record_member(struct zn_lower *l, const struct zn_field *f)
{
    zn_vreg ctx = zn_ctx(l);
    struct zn_type *t = f->type;
    if (f->data_loc) {
        zn_vreg loc = zn_ir_ld(l->f, ctx, (int32_t)f->off, 4, false);
        zn_vreg o = zn_ir_alui(l->f, ALU_AND, 8, loc, 0xffff);
        zn_vreg p = zn_ir_alu(l->f, ALU_ADD, 8, ctx, o);
        struct zn_type *st =
            t->kind == T_STR ? t : zn_type_str(&l->cc->types, t->size ? t->size : 64, false);
        return zn_vaddr(st, p, 0, M_KERNEL);
    }
    struct zn_val at = zn_vaddr(t, ctx, (int32_t)f->off, M_KERNEL);
    if (t->kind == T_STR)
        return at;
    if (t->kind == T_ARRAY || t->kind == T_STRUCT)
        return zn_struct_field(
            l, (struct zn_val){.kind = V_ADDR, .type = t, .reg = ctx, .mem = M_KERNEL}, f);
    at.mem = f->off % (t->size && t->size <= 8 ? t->size : 8) ? M_KERNEL : M_DIRECT;
    struct zn_val v = zn_load(l, t, at, f->bit_off, f->bits);
    if (t->kind == T_PTR)
        v.type = zn_type_ptr(&l->cc->types, t->elem,
                             zn_default_sort(l) == M_USER ? ZN_SPACE_USER : ZN_SPACE_KERNEL);
    return v;
}

struct zn_val zn_lower_args_field(struct zn_lower *l, struct zn_node *n)
{
    struct zn_field f;
    struct zn_type *rec = l->targets[0].args;
    if (!rec || !zn_type_field(&l->cc->types, rec, n->name, &f)) {
        zn_ir_fail(l->f, "no argument named %s", n->name);
        return zn_vimm(n->type, 0);
    }
    /* a system call on its perf tracepoint: every argument has 8 bytes of its record */
    if (f.reg == ZN_REG_SYSARG && l->ctx == ZC_TP && f.type->kind == T_ARRAY)
        return zn_vaddr(f.type, zn_ctx(l), 16, M_KERNEL);
    if (f.reg == ZN_REG_SYSARG && l->ctx == ZC_TP) {
        struct zn_type *w = zn_type_int(&l->cc->types, 8, false);
        struct zn_val at = zn_vaddr(w, zn_ctx(l), 16 + 8 * f.arg, M_DIRECT);
        struct zn_val v = zn_trunc(l, zn_load(l, w, at, 0, 0).reg, f.type);
        if (f.type->kind == T_PTR)
            v.type = zn_type_ptr(&l->cc->types, f.type->elem, ZN_SPACE_USER);
        return v;
    }
    if (l->ctx == ZC_TP && f.reg == ZN_REG_CTX64) { /* ret, or raw_syscalls' id */
        int32_t off = strcmp(f.name, "id") == 0 ? 8 : 16;
        struct zn_val at = zn_vaddr(f.type, zn_ctx(l), off, M_DIRECT);
        return zn_load(l, f.type, at, 0, 0);
    }
    if (l->ctx == ZC_TP && f.reg == ZN_REG_SYSNR) {
        struct zn_val at = zn_vaddr(zn_type_int(&l->cc->types, 4, true), zn_ctx(l), 8, M_DIRECT);
        return zn_load(l, at.type, at, 0, 0);
    }
    return f.reg ? reg_field(l, &f) : record_member(l, &f);
}

bool zn_lower_sysarg_at(struct zn_lower *l, struct zn_node *n, struct zn_val *ret)
{
    struct zn_field f;
    struct zn_type *rec = l->targets[0].args;
    struct zn_node *a = n->a;
    int64_t i = 0;
    if (a->kind != N_FIELD || a->a->kind != N_IDENT || strcmp(a->a->name, "args") != 0 || !rec ||
        !zn_type_field(&l->cc->types, rec, a->name, &f) || f.reg != ZN_REG_SYSARG ||
        f.type->kind != T_ARRAY || l->ctx == ZC_TP)
        return false;
    if (!zn_const_int(l->cc, n->b, &i) || i < 0 || i >= l->cc->env->arch->nsysargs) {
        zn_ir_fail(l->f, "%s[n] needs a literal n", a->name);
        i = 0;
    }
    struct zn_field one = {.name = f.name, .type = f.type->elem, .reg = f.reg, .arg = (uint8_t)i};
    *ret = reg_field(l, &one);
    return true;
}

static bool ctx_ptr(struct zn_cc *cc, struct zn_node *n)
{
    zn_cc_error(cc, n->pos, "ctx is not supported yet");
    return false;
}

static bool usermode(struct zn_cc *cc, struct zn_node *n)
{
    n->type = zn_type_int(&cc->types, 8, false);
    enum zn_provider p = cc->body->provider;
    if (p == ZP_PROFILE || p == ZP_SOFTWARE || p == ZP_HARDWARE || p == ZP_WATCHPOINT ||
        has_regs(p) || p == ZP_BEGIN || p == ZP_END)
        return true;
    zn_cc_error(cc, n->pos, "usermode can not be used with '%s' probes",
                zn_providers[cc->body->provider].name);
    return false;
}

static struct zn_val lower_usermode(struct zn_lower *l, struct zn_node *n)
{
    const struct zn_arch *a = l->cc->env->arch;
    if (l->ctx == ZC_NONE) /* BEGIN and END run at the request of a process */
        return zn_vimm(n->type, 1);
    for (unsigned i = 0; i < a->nregs; i++)
        if (strcmp(a->regs[i].name, "cs") == 0) {
            zn_vreg cs = zn_ir_ld(l->f, zn_ctx(l), a->regs[i].off, 8, false);
            zn_vreg r = zn_ir_alui(l->f, ALU_AND, 8, cs, 3);
            return zn_vreg_val(n->type, zn_ir_alui(l->f, ALU_SHR, 8, r, 1));
        }
    zn_ir_fail(l->f, "usermode is not supported on this processor yet");
    return zn_vimm(n->type, 0);
}

const struct zn_builtin zn_builtins_ctx[] = {
    {"pid", "pid", 0, 0, BI_BARE, C_PID, number, lower_number, "process id (tgid)"},
    {"tid", "tid", 0, 0, BI_BARE, C_TID, number, lower_number, "thread id"},
    {"uid", "uid", 0, 0, BI_BARE, C_UID, number, lower_number, "user id"},
    {"gid", "gid", 0, 0, BI_BARE, C_GID, number, lower_number, "group id"},
    {"comm", "comm", 0, 1, BI_BARE, 0, comm, lower_comm, "name of the current task"},
    {"nsecs", "nsecs[(mode)]", 0, 1, BI_BARE | BI_RAWARGS, C_NSECS, nsecs, lower_number,
     "time in ns since boot"},
    {"elapsed", "elapsed", 0, 0, BI_BARE, C_ELAPSED, number, lower_number,
     "ns since tracing began"},
    {"cpu", "cpu", 0, 0, BI_BARE, C_CPU, number, lower_number, "processor number"},
    {"ncpus", "ncpus", 0, 0, BI_BARE, C_NCPUS, number, lower_number, "number of processors"},
    {"numaid", "numaid", 0, 0, BI_BARE, C_NUMAID, number, lower_number, "NUMA node"},
    {"rand", "rand", 0, 0, BI_BARE, C_RAND, number, lower_number, "random number (32 bits)"},
    {"cgroup", "cgroup", 0, 0, BI_BARE, C_CGROUP, number, lower_number, "cgroup id (v2)"},
    {"jiffies", "jiffies", 0, 0, BI_BARE, C_JIFFIES, number, lower_number, "jiffies of the kernel"},
    {"curtask", "curtask", 0, 0, BI_BARE, 0, curtask, lower_curtask,
     "struct task_struct * of the task"},
    {"ppid", "ppid[(task)]", 0, 1, BI_BARE, 0, ppid, lower_ppid, "parent's process id"},
    {"pcomm", "pcomm", 0, 0, BI_BARE, 0, pcomm, lower_pcomm, "parent's name"},
    {"leader_tid", "leader_tid", 0, 0, BI_BARE, 1, ppid, lower_ppid,
     "thread id of the group's leader"},
    {"leader_comm", "leader_comm", 0, 0, BI_BARE, 1, pcomm, lower_pcomm,
     "name of the group's leader"},
    {"cpid", "cpid", 0, 0, BI_BARE, 0, cpid, NULL, "process id of -c CMD"},
    {"has_cpid", "has_cpid", 0, 0, BI_BARE, 1, cpid, NULL, "whether -c is given"},
    {"probe", "probe", 0, 0, BI_BARE, 0, target_str, lower_target_str, "full name of the probe"},
    {"func", "func", 0, 0, BI_BARE, 0, target_str, lower_target_str, "name of the probed function"},
    {"probetype", "probetype", 0, 0, BI_BARE, 0, target_str, lower_target_str, "kind of the probe"},
    {"arg0", "argN", 0, 0, BI_BARE, 0, argn, lower_argn,
     "argument N of the function or usdt probe"},
    {"args", "args", 0, 0, BI_BARE, 0, args, lower_args, "arguments of the probe by name"},
    {"retval", "retval", 0, 0, BI_BARE, 0, retval, lower_retval, "what the function returned"},
    {"reg", "reg(\"name\")", 1, 1, BI_RAWARGS, 0, reg, lower_reg, "a register at the probe"},
    {"usermode", "usermode", 0, 0, BI_BARE, 0, usermode, lower_usermode, "1 when in user code"},
    {"ctx", "ctx", 0, 0, BI_BARE, 0, ctx_ptr, NULL, "the program's context"},
    {0},
};
