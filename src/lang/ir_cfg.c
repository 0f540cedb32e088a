/* SPDX-License-Identifier: Apache-2.0 */
/* The flow graph of a function: orders, predecessors, dominators, and what an instruction reads. */
#include <linux/bpf.h>
#include <string.h>

#include "base/arena.h"
#include "lang/back.h"

bool zn_ir_pure_helper(int64_t helper)
{
    switch (helper) {
    case BPF_FUNC_get_smp_processor_id:
    case BPF_FUNC_get_current_pid_tgid:
    case BPF_FUNC_get_current_uid_gid:
    case BPF_FUNC_get_current_task:
    case BPF_FUNC_get_current_cgroup_id:
    case BPF_FUNC_get_current_task_btf: return true;
    default: return false;
    }
}

bool zn_ir_removable(const struct zn_ir_insn *i)
{
    switch (i->op) {
    case IR_CALL: return zn_ir_pure_helper(i->imm);
    case IR_ST:
    case IR_ATOMIC:
    case IR_CALLSUB:
    case IR_JMP:
    case IR_BR:
    case IR_RET:
    case RA_SPILL: return false;
    default: return true;
    }
}

int zn_ir_uses(struct zn_ir_insn *i, zn_vreg *ret[5])
{
    int n = 0;
    switch (i->op) {
    case IR_MOV:
    case IR_NEG:
    case IR_BSWAP:
    case IR_LD:
    case IR_RET:
    case RA_RELOAD:
    case RA_SPILL: ret[n++] = &i->a; break;
    case IR_ALU:
    case IR_ST:
    case IR_BR:
        ret[n++] = &i->a;
        ret[n++] = &i->b;
        break;
    case IR_ATOMIC:
        ret[n++] = &i->a;
        ret[n++] = &i->b;
        ret[n++] = &i->c;
        break;
    case IR_CALL:
    case IR_CALLSUB:
        for (int k = 0; k < i->nargs; k++)
            ret[n++] = &i->args[k];
        break;
    default: break;
    }
    int kept = 0;
    for (int k = 0; k < n; k++)
        if (*ret[k] != ZN_NOREG)
            ret[kept++] = ret[k];
    return kept;
}

int zn_ir_succs(const struct zn_ir_block *b, zn_block ret[2])
{
    if (!b->n)
        return 0;
    const struct zn_ir_insn *i = &b->insns[b->n - 1];
    if (i->op == IR_JMP) {
        ret[0] = i->t;
        return 1;
    }
    if (i->op != IR_BR)
        return 0;
    ret[0] = i->t;
    ret[1] = i->f;
    return 2;
}

/* Follows blocks that only jump. The hop limit guards against a ring of them. */
static zn_block final_target(const struct zn_ir_fn *f, zn_block t)
{
    for (int hops = 0; hops < 256; hops++) {
        const struct zn_ir_block *b = &f->blocks[t];
        if (b->n != 1 || b->insns[0].op != IR_JMP)
            break;
        t = b->insns[0].t;
    }
    return t;
}

bool zn_ir_thread_jumps(struct zn_ir_fn *f)
{
    bool changed = false;
    for (uint32_t b = 0; b < f->nblocks; b++) {
        if (!f->blocks[b].n)
            continue;
        struct zn_ir_insn *i = &f->blocks[b].insns[f->blocks[b].n - 1];
        if (i->op != IR_JMP && i->op != IR_BR)
            continue;
        zn_block t = final_target(f, i->t), fl = i->op == IR_BR ? final_target(f, i->f) : -1;
        changed |= t != i->t || fl != i->f;
        i->t = t;
        i->f = fl;
        if (i->op == IR_BR && t == fl) {
            i->op = IR_JMP;
            i->a = i->b = ZN_NOREG;
            i->f = -1;
            changed = true;
        }
    }
    return changed;
}

/* Depth first without recursion: a stack of (block, successors left). The false side is walked
 * first, so that the true side, a loop's body as a rule, comes next behind its block. */
static void order_blocks(struct zn_arena *a, const struct zn_ir_fn *f, struct zn_cfg *cfg)
{
    zn_block *stack = zn_arena_array(a, zn_block, f->nblocks);
    uint8_t *left = zn_arena_array(a, uint8_t, f->nblocks);
    zn_block *post = zn_arena_array(a, zn_block, f->nblocks);
    uint32_t depth = 0, n = 0;
    zn_block s[2];

    cfg->num[0] = 0;
    left[0] = (uint8_t)zn_ir_succs(&f->blocks[0], s);
    stack[depth++] = 0;
    while (depth) {
        zn_block b = stack[depth - 1];
        if (!left[b]) {
            post[n++] = b;
            depth--;
            continue;
        }
        zn_ir_succs(&f->blocks[b], s);
        zn_block t = s[--left[b]];
        if (cfg->num[t] >= 0)
            continue;
        cfg->num[t] = 0;
        left[t] = (uint8_t)zn_ir_succs(&f->blocks[t], s);
        stack[depth++] = t;
    }
    cfg->n = n;
    for (uint32_t k = 0; k < n; k++) {
        cfg->rpo[k] = post[n - 1 - k];
        cfg->num[cfg->rpo[k]] = (int32_t)k;
    }
}

static void link_preds(struct zn_arena *a, const struct zn_ir_fn *f, struct zn_cfg *cfg)
{
    cfg->pred_at = zn_arena_array(a, uint32_t, f->nblocks + 2);
    cfg->preds = zn_arena_array(a, zn_block, 2 * (size_t)f->nblocks + 1);
    zn_block s[2];
    for (uint32_t k = 0; k < cfg->n; k++)
        for (int n = zn_ir_succs(&f->blocks[cfg->rpo[k]], s); n > 0; n--)
            cfg->pred_at[s[n - 1] + 2]++;
    for (uint32_t b = 2; b < f->nblocks + 2; b++)
        cfg->pred_at[b] += cfg->pred_at[b - 1];
    for (uint32_t k = 0; k < cfg->n; k++)
        for (int n = zn_ir_succs(&f->blocks[cfg->rpo[k]], s); n > 0; n--)
            cfg->preds[cfg->pred_at[s[n - 1] + 1]++] = cfg->rpo[k];
}

void zn_cfg_build(struct zn_arena *a, const struct zn_ir_fn *f, struct zn_cfg *ret)
{
    *ret = (struct zn_cfg){
        .rpo = zn_arena_array(a, zn_block, f->nblocks),
        .num = zn_arena_array(a, int32_t, f->nblocks),
    };
    memset(ret->num, 0xff, sizeof(int32_t) * f->nblocks);
    order_blocks(a, f, ret);
    link_preds(a, f, ret);
}

/* Cooper, Harvey and Kennedy: intersect the predecessors' dominator chains until nothing moves. */
int32_t *zn_cfg_idom(struct zn_arena *a, const struct zn_ir_fn *f, const struct zn_cfg *cfg)
{
    (void)f;
    int32_t *idom = zn_arena_array(a, int32_t, cfg->n);
    memset(idom, 0xff, sizeof(int32_t) * cfg->n);
    idom[0] = 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t k = 1; k < cfg->n; k++) {
            zn_block b = cfg->rpo[k];
            int32_t best = -1;
            for (uint32_t p = cfg->pred_at[b]; p < cfg->pred_at[b + 1] && best; p++) {
                int32_t x = cfg->num[cfg->preds[p]], y = best;
                if (idom[x] < 0)
                    continue;
                while (y >= 0 && x != y) {
                    if (x > y)
                        x = idom[x];
                    else
                        y = idom[y];
                }
                best = x;
            }
            if (idom[k] != best) {
                idom[k] = best;
                changed = true;
            }
        }
    }
    return idom;
}
