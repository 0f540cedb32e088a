/* SPDX-License-Identifier: Apache-2.0 */
/* Which hook serves which body.
 *
 * Any set of sys_enter_X probes becomes one program on the raw sys_enter hook, and any set of
 * sys_exit_X one on sys_exit. Bodies that print kernel stacks stay on perf tracepoints, whose stacks
 * begin at the traced function.
 *
 * A body that several targets share gets the target's index as a variable (from a table, or from the
 * attach cookie) when it asks for `probe` or `func`; without cookies it is lowered per target. */
#include <linux/bpf.h>
#include <linux/btf.h>
#include <stdio.h>
#include <string.h>

#include "arch/arch.h"
#include "base/arena.h"
#include "lang/btf.h"
#include "lang/plan.h"

enum {
    TRACE_RAW_TP = 23,
    TRACE_FENTRY = 24,
    TRACE_FEXIT = 25,
    TRACE_KPROBE_MULTI = 42
}; /* bpf_attach_type */

struct planner {
    struct zn_cc *cc;
    struct zn_plan *plans, **tail;
    struct zn_plan *enter, *exit;
};

uint32_t zn_tp_btf_id(struct zn_cc *cc, const char *event)
{
    char name[128];
    snprintf(name, sizeof(name), "btf_trace_%s", event);
    return cc->env->btf ? zn_btf_find(cc->env->btf, name, 1u << BTF_KIND_TYPEDEF) : 0;
}

static struct zn_plan *new_plan(struct planner *pl, const struct zn_cc_body *b,
                                const struct zn_plan *like)
{
    struct zn_plan *p = zn_arena_new(pl->cc->arena, struct zn_plan);
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

static void add_part(struct planner *pl, struct zn_plan *p, struct zn_cc_body *b,
                     struct zn_target *t, uint32_t n, bool by_nr)
{
    struct zn_part *part = zn_arena_new(pl->cc->arena, struct zn_part);
    *part = (struct zn_part){b, t, n, by_nr, NULL};
    *p->tail = part;
    p->tail = &part->next;
}

static struct zn_plan *syscall_plan(struct planner *pl, struct zn_cc_body *b, bool is_exit)
{
    struct zn_plan **slot = is_exit ? &pl->exit : &pl->enter;
    if (!*slot) {
        struct zn_plan *p = new_plan(pl, b, NULL);
        p->fast_syscall = true;
        p->is_exit = is_exit;
        p->event = is_exit ? "sys_exit" : "sys_enter";
        p->how = ZH_RAW_TP;
        p->prog_type = BPF_PROG_TYPE_RAW_TRACEPOINT;
        p->ctx = ZC_RAW;
        *slot = p;
    }
    /* pt_regs are read through types the verifier knows: no probe_read */
    if ((is_exit || b->uses_args) && zn_has(pl->cc, ZF_TP_BTF) &&
        zn_tp_btf_id(pl->cc, (*slot)->event)) {
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
                      const struct zn_plan *like, bool cookie_ok)
{
    bool cookie = cookie_ok && n > 1 && b->uses_target;
    bool split = b->uses_target && n > 1 && !cookie;
    for (uint32_t i = 0; i < n; i += split ? 1 : n) {
        struct zn_plan *p = new_plan(pl, b, like);
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
    struct zn_plan like = {.how = ZH_PERF_TP, .prog_type = BPF_PROG_TYPE_TRACEPOINT, .ctx = ZC_TP};
    bool plain = !b->uses_args && !b->uses_ctx && raw_ok(pl, b);
    for (uint32_t i = 0; i < nr && plain; i++)
        plain = strcmp(rest[i].module, "syscalls") != 0 && rest[i].btf_id != UINT32_MAX &&
                zn_tp_btf_id(cc, rest[i].sym);
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
    struct zn_plan like = {0};
    bool cookie = zn_has(cc, ZF_COOKIE);
    switch (b->provider) {
    case ZP_BEGIN:
    case ZP_END:
    case ZP_INTERVAL:
    case ZP_SELF:
        like = (struct zn_plan){
            .how = ZH_NONE, .prog_type = BPF_PROG_TYPE_RAW_TRACEPOINT, .ctx = ZC_NONE};
        cookie = false;
        break;
    case ZP_PROFILE:
    case ZP_SOFTWARE:
    case ZP_HARDWARE:
        like = (struct zn_plan){
            .how = ZH_PERF_EVENT, .prog_type = BPF_PROG_TYPE_PERF_EVENT, .ctx = ZC_PERF};
        break;
    case ZP_TRACEPOINT: plan_tracepoint(pl, b); return;
    case ZP_RAWTRACEPOINT:
        like = (struct zn_plan){
            .how = ZH_RAW_TP, .prog_type = BPF_PROG_TYPE_RAW_TRACEPOINT, .ctx = ZC_RAW};
        for (uint32_t i = 0; i < b->ntargets; i++)
            plan_each(pl, b, &b->targets[i], 1, &like, false);
        return;
    case ZP_KPROBE:
    case ZP_KRETPROBE:
        like =
            (struct zn_plan){.how = ZH_KPROBE, .prog_type = BPF_PROG_TYPE_KPROBE, .ctx = ZC_REGS};
        if (b->ntargets > 1 && zn_has(cc, ZF_KPROBE_MULTI)) {
            bool plain = true;
            for (uint32_t i = 0; i < b->ntargets; i++)
                plain &= b->targets[i].offset == 0;
            if (plain) {
                like.how = ZH_KPROBE_MULTI;
                like.expected = TRACE_KPROBE_MULTI;
            }
        }
        break;
    case ZP_FENTRY:
    case ZP_FEXIT:
        like = (struct zn_plan){.how = ZH_BTF,
                                .prog_type = BPF_PROG_TYPE_TRACING,
                                .ctx = ZC_BTF,
                                .expected = b->provider == ZP_FENTRY ? TRACE_FENTRY : TRACE_FEXIT};
        for (uint32_t i = 0; i < b->ntargets; i++)
            plan_each(pl, b, &b->targets[i], 1, &like, false);
        return;
    case ZP_UPROBE:
    case ZP_URETPROBE:
    case ZP_USDT:
        like =
            (struct zn_plan){.how = ZH_UPROBE, .prog_type = BPF_PROG_TYPE_KPROBE, .ctx = ZC_REGS};
        break;
    case ZP_WATCHPOINT:
        like = (struct zn_plan){
            .how = ZH_WATCHPOINT, .prog_type = BPF_PROG_TYPE_PERF_EVENT, .ctx = ZC_PERF};
        break;
    default:
        zn_error(cc->d, b->spec->pos, "%s probes are not supported yet",
                 zn_providers[b->provider].name);
        return;
    }
    plan_each(pl, b, b->targets, b->ntargets, &like, cookie);
}

struct zn_plan *zn_plan_programs(struct zn_cc *cc)
{
    struct planner pl = {.cc = cc};
    pl.tail = &pl.plans;
    for (struct zn_cc_body *b = cc->bodies; b; b = b->next)
        plan_body(&pl, b);
    return pl.plans;
}
