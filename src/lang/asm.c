/* SPDX-License-Identifier: Apache-2.0 */
/* Allocated instructions to BPF machine code.
 *
 * Block bodies are encoded first, one after the other, without their jumps. Then the size of each
 * block's jump is settled: nothing when the target comes next, one instruction, or two for a branch
 * with neither side next. A branch whose distance does not fit 16 bits grows to three, two of them
 * the long `goto` of cpu v4; growing may push others over the limit, so this repeats until nothing
 * grows. Only then is the final array written. */
#include <errno.h>
#include <linux/bpf.h>
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "lang/back.h"

enum {
    R0 = 0,
    R_CTX = 6,
    R_FP = 10,
    MAX_INSNS = 1000000, /* what a verifier of any version walks at most */
};

struct piece {
    uint32_t body, nbody; /* in the encoded bodies */
    uint32_t at;          /* in the final code */
    uint8_t njump;
    bool far;
};

struct as {
    struct zn_ir_fn *f;
    struct zn_alloc al;
    bool cpu_v4;
    int32_t frame; /* r10 offset of slot 0 */
    struct bpf_insn *insns;
    struct zn_pos *pos;
    uint32_t n, cap, cappos;
    struct zn_reloc *relocs;
    uint32_t nrelocs, caprelocs;
    struct piece *pieces;
    uint32_t *place; /* block -> place in the layout */
    struct zn_pos cur;
};

static void emit(struct as *s, uint8_t code, int dst, int src, int32_t off, int32_t imm)
{
    zn_arena_grow(s->f->arena, s->insns, s->n, s->cap);
    zn_arena_grow(s->f->arena, s->pos, s->n, s->cappos);
    s->insns[s->n] = (struct bpf_insn){
        .code = code,
        .dst_reg = (uint8_t)(dst & 15),
        .src_reg = (uint8_t)(src & 15),
        .off = (int16_t)off,
        .imm = imm,
    };
    s->pos[s->n++] = s->cur;
}

static void mov(struct as *s, int dst, int src)
{
    if (dst != src)
        emit(s, BPF_ALU64 | BPF_MOV | BPF_X, dst, src, 0, 0);
}

static void ld_imm64(struct as *s, int dst, int src, int32_t lo, int32_t hi)
{
    emit(s, BPF_LD | BPF_DW | BPF_IMM, dst, src, 0, lo);
    emit(s, 0, 0, 0, 0, hi);
}

static void reloc(struct as *s, enum zn_reloc_kind kind, int64_t target)
{
    zn_arena_grow(s->f->arena, s->relocs, s->nrelocs, s->caprelocs);
    s->relocs[s->nrelocs++] = (struct zn_reloc){kind, s->n, (int32_t)target};
}

static void imm(struct as *s, int dst, int64_t v)
{
    if (v == (int32_t)v)
        emit(s, BPF_ALU64 | BPF_MOV | BPF_K, dst, 0, 0, (int32_t)v);
    else if (v == (int64_t)(uint32_t)v)
        emit(s, BPF_ALU | BPF_MOV | BPF_K, dst, 0, 0, (int32_t)v);
    else
        ld_imm64(s, dst, 0, (int32_t)v, (int32_t)((uint64_t)v >> 32));
}

static int reg(const struct as *s, zn_vreg v)
{
    if (v == ZN_FRAME)
        return R_FP;
    if (v == ZN_CTX)
        return R_CTX;
    return s->al.at[v];
}

static int32_t word_off(const struct as *s, zn_vreg v)
{
    return -8 * (s->al.at[v] + 1);
}

static uint8_t size_of(int w)
{
    return w == 1 ? BPF_B : w == 2 ? BPF_H : w == 4 ? BPF_W : BPF_DW;
}

static int32_t mem_off(const struct as *s, const struct zn_ir_insn *i)
{
    return i->a == ZN_FRAME ? s->frame + i->off : i->off;
}

static void load(struct as *s, const struct zn_ir_insn *i, int dst)
{
    emit(s, BPF_LDX | BPF_MEM | size_of(i->w), dst, reg(s, i->a), mem_off(s, i), 0);
    if (i->sgn && i->w < 8) {
        emit(s, BPF_ALU64 | BPF_LSH | BPF_K, dst, 0, 0, 64 - 8 * i->w);
        emit(s, BPF_ALU64 | BPF_ARSH | BPF_K, dst, 0, 0, 64 - 8 * i->w);
    }
}

/* The instructions that can be made again anywhere. */
static void constant(struct as *s, const struct zn_ir_insn *i, int dst)
{
    switch (i->op) {
    case IR_IMM: imm(s, dst, i->imm); break;
    case IR_SLOT:
        mov(s, dst, R_FP);
        emit(s, BPF_ALU64 | BPF_ADD | BPF_K, dst, 0, 0, s->frame + i->off);
        break;
    case IR_MAP:
        reloc(s, RL_MAP, i->imm);
        ld_imm64(s, dst, BPF_PSEUDO_MAP_FD, 0, 0);
        break;
    case IR_MAPVAL:
        reloc(s, RL_MAPVAL, i->imm);
        ld_imm64(s, dst, BPF_PSEUDO_MAP_VALUE, 0, i->off);
        break;
    case IR_FUNC:
        reloc(s, RL_FUNC, i->imm);
        ld_imm64(s, dst, BPF_PSEUDO_FUNC, 0, 0);
        break;
    case IR_LD: load(s, i, dst); break;
    default: mov(s, dst, R_CTX); break;
    }
}

static uint8_t alu_code(uint8_t alu)
{
    static const uint8_t codes[_ZN_ALU_MAX] = {
        [ALU_ADD] = BPF_ADD,  [ALU_SUB] = BPF_SUB,  [ALU_MUL] = BPF_MUL,  [ALU_DIV] = BPF_DIV,
        [ALU_MOD] = BPF_MOD,  [ALU_SDIV] = BPF_DIV, [ALU_SMOD] = BPF_MOD, [ALU_AND] = BPF_AND,
        [ALU_OR] = BPF_OR,    [ALU_XOR] = BPF_XOR,  [ALU_SHL] = BPF_LSH,  [ALU_SHR] = BPF_RSH,
        [ALU_SAR] = BPF_ARSH,
    };
    return codes[alu];
}

static void alu(struct as *s, const struct zn_ir_insn *i)
{
    uint8_t class = i->w == 4 ? BPF_ALU : BPF_ALU64;
    int dst = reg(s, i->dst), a = reg(s, i->a);
    int off = i->sub == ALU_SDIV || i->sub == ALU_SMOD; /* cpu v4's signed forms */
    if (i->b == ZN_NOREG && i->sub == ALU_AND && i->w == 8 && i->imm == 0xffffffff) {
        emit(s, BPF_ALU | BPF_MOV | BPF_X, dst, a, 0, 0);
        return;
    }
    if (i->b == ZN_NOREG) {
        mov(s, dst, a);
        emit(s, class | alu_code(i->sub) | BPF_K, dst, 0, off, (int32_t)i->imm);
        return;
    }
    int b = reg(s, i->b);
    if (dst == b && dst != a) { /* only what commutes comes here, see read_late() */
        b = a;
        a = dst;
    } else if (i->a == i->b) {
        b = dst;
    }
    mov(s, dst, a);
    emit(s, class | alu_code(i->sub) | BPF_X, dst, b, off, 0);
}

static void store(struct as *s, const struct zn_ir_insn *i)
{
    if (i->b == ZN_NOREG)
        emit(s, BPF_ST | BPF_MEM | size_of(i->w), reg(s, i->a), 0, mem_off(s, i), (int32_t)i->imm);
    else
        emit(s, BPF_STX | BPF_MEM | size_of(i->w), reg(s, i->a), reg(s, i->b), mem_off(s, i), 0);
}

static void atomic(struct as *s, const struct zn_ir_insn *i)
{
    static const int32_t ops[] = {
        [AT_ADD] = BPF_ADD,
        [AT_OR] = BPF_OR,
        [AT_AND] = BPF_AND,
        [AT_XOR] = BPF_XOR,
        [AT_FETCH_ADD] = BPF_ADD | BPF_FETCH,
        [AT_FETCH_OR] = BPF_OR | BPF_FETCH,
        [AT_FETCH_AND] = BPF_AND | BPF_FETCH,
        [AT_XCHG] = BPF_XCHG,
        [AT_CMPXCHG] = BPF_CMPXCHG,
    };
    uint8_t code = BPF_STX | BPF_ATOMIC | size_of(i->w);
    int src = reg(s, i->b);
    if (i->sub == AT_CMPXCHG) {
        mov(s, R0, reg(s, i->c));
    } else if (i->sub >= AT_FETCH_ADD) {
        mov(s, reg(s, i->dst), src);
        src = reg(s, i->dst);
    }
    emit(s, code, reg(s, i->a), src, mem_off(s, i), ops[i->sub]);
    if (i->sub == AT_CMPXCHG)
        mov(s, reg(s, i->dst), R0);
}

/* All register arguments at once: one whose register nobody still waits to read goes first; when
 * all wait for each other, r0, which is free at a call, breaks the ring. Then those from memory. */
static void arguments(struct as *s, const struct zn_ir_insn *i)
{
    int from[6] = {-1, -1, -1, -1, -1, -1};
    for (int k = 0; k < i->nargs; k++)
        if (i->args[k] < 0 || s->al.loc[i->args[k]] == LOC_REG)
            from[k + 1] = reg(s, i->args[k]);
    for (int moved = 1, left = 1; left;) {
        left = moved = 0;
        for (int k = 1; k <= 5; k++) {
            if (from[k] < 0)
                continue;
            bool awaited = false;
            for (int o = 1; o <= 5; o++)
                awaited |= o != k && from[o] == k;
            if (awaited && from[k] != k) {
                left = k;
                continue;
            }
            mov(s, k, from[k]);
            from[k] = -1;
            moved = 1;
        }
        if (left && !moved) {
            mov(s, R0, left);
            for (int o = 1; o <= 5; o++)
                if (from[o] == left)
                    from[o] = R0;
        }
    }
    for (int k = 0; k < i->nargs; k++) {
        if (i->args[k] < 0)
            continue;
        if (s->al.loc[i->args[k]] == LOC_WORD)
            emit(s, BPF_LDX | BPF_MEM | BPF_DW, k + 1, R_FP, word_off(s, i->args[k]), 0);
        else if (s->al.loc[i->args[k]] == LOC_REMAT)
            constant(s, &s->al.remat[i->args[k]], k + 1);
    }
}

static void call(struct as *s, const struct zn_ir_insn *i)
{
    arguments(s, i);
    if (i->op == IR_CALL) {
        emit(s, BPF_JMP | BPF_CALL, 0, 0, 0, (int32_t)i->imm);
    } else {
        reloc(s, RL_CALL, i->imm);
        emit(s, BPF_JMP | BPF_CALL, 0, BPF_PSEUDO_CALL, 0, 0);
    }
    if (i->dst < 0)
        return;
    if (s->al.loc[i->dst] == LOC_REG)
        mov(s, reg(s, i->dst), R0);
    else if (s->al.loc[i->dst] == LOC_WORD)
        emit(s, BPF_STX | BPF_MEM | BPF_DW, R_FP, R0, word_off(s, i->dst), 0);
}

static void one(struct as *s, const struct zn_ir_insn *i)
{
    s->cur = i->pos;
    if (i->dst >= 0 && s->al.loc[i->dst] == LOC_REMAT)
        return; /* made where it is read */
    switch (i->op) {
    case IR_MOV: mov(s, reg(s, i->dst), reg(s, i->a)); break;
    case IR_ALU: alu(s, i); break;
    case IR_NEG:
        mov(s, reg(s, i->dst), reg(s, i->a));
        emit(s, (i->w == 4 ? BPF_ALU : BPF_ALU64) | BPF_NEG, reg(s, i->dst), 0, 0, 0);
        break;
    case IR_BSWAP:
        mov(s, reg(s, i->dst), reg(s, i->a));
        emit(s, BPF_ALU | BPF_END | BPF_TO_BE, reg(s, i->dst), 0, 0, i->w * 8);
        break;
    case IR_ST: store(s, i); break;
    case IR_ATOMIC: atomic(s, i); break;
    case IR_CALL:
    case IR_CALLSUB: call(s, i); break;
    case IR_IMM:
    case IR_LD:
    case IR_SLOT:
    case IR_MAP:
    case IR_MAPVAL:
    case IR_FUNC:
    case IR_CTX: constant(s, i, reg(s, i->dst)); break;
    case IR_ARG: mov(s, reg(s, i->dst), (int)i->imm + 1); break;
    case RA_RELOAD:
        emit(s, BPF_LDX | BPF_MEM | BPF_DW, reg(s, i->dst), R_FP, word_off(s, i->a), 0);
        break;
    case RA_SPILL:
        emit(s, BPF_STX | BPF_MEM | BPF_DW, R_FP, reg(s, i->a), word_off(s, i->dst), 0);
        break;
    case IR_RET:
        if (i->a == ZN_NOREG)
            imm(s, R0, i->imm);
        else
            mov(s, R0, reg(s, i->a));
        emit(s, BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
        break;
    default: /* jumps: later */ break;
    }
}

static void bodies(struct as *s)
{
    if (s->al.ctx) {
        const struct zn_ir_block *b = &s->f->blocks[0];
        s->cur = b->n ? b->insns[0].pos : (struct zn_pos){0};
        mov(s, R_CTX, 1);
    }
    for (uint32_t k = 0; k < s->al.nlayout; k++) {
        const struct zn_ir_block *b = &s->f->blocks[s->al.layout[k]];
        struct piece *p = &s->pieces[k];
        p->body = k ? s->n : 0;
        for (uint32_t n = 0; n < b->n; n++)
            one(s, &b->insns[n]);
        p->nbody = s->n - p->body;
    }
}

static const struct zn_ir_insn *jump_of(const struct as *s, uint32_t k)
{
    const struct zn_ir_block *b = &s->f->blocks[s->al.layout[k]];
    return &b->insns[b->n - 1];
}

static uint8_t jump_size(const struct as *s, uint32_t k)
{
    const struct zn_ir_insn *i = jump_of(s, k);
    if (i->op == IR_JMP)
        return s->place[i->t] != k + 1;
    if (i->op != IR_BR)
        return 0;
    if (s->pieces[k].far)
        return 3;
    if (s->place[i->f] == k + 1 || (s->place[i->t] == k + 1 && i->sub != CMP_SET))
        return 1;
    return 2;
}

/* Distance from the instruction behind code index at to a block. */
static int64_t distance(const struct as *s, zn_block to, uint32_t at)
{
    return (int64_t)s->pieces[s->place[to]].at - at - 1;
}

static bool is_far(int64_t d)
{
    return d != (int16_t)d;
}

/* Settles where every piece starts. */
static int arrange(struct as *s, const char **why)
{
    for (bool grown = true; grown;) {
        uint32_t at = 0;
        for (uint32_t k = 0; k < s->al.nlayout; k++) {
            s->pieces[k].at = at;
            s->pieces[k].njump = jump_size(s, k);
            at += s->pieces[k].nbody + s->pieces[k].njump;
        }
        s->n = at;
        grown = false;
        for (uint32_t k = 0; k < s->al.nlayout; k++) {
            struct piece *p = &s->pieces[k];
            const struct zn_ir_insn *i = jump_of(s, k);
            uint32_t end = p->at + p->nbody;
            if (p->far || !p->njump)
                continue;
            bool far = is_far(distance(s, i->t, end));
            if (i->op == IR_BR)
                far |= is_far(distance(s, i->f, end));
            if (!far)
                continue;
            if (!s->cpu_v4) {
                *why = "a jump spans more than 32767 instructions";
                return -E2BIG;
            }
            p->far = true;
            grown |= i->op == IR_BR;
        }
    }
    return 0;
}

static uint8_t cmp_code(uint8_t cmp)
{
    static const uint8_t codes[_ZN_CMP_MAX] = {
        [CMP_EQ] = BPF_JEQ,   [CMP_NE] = BPF_JNE,   [CMP_LT] = BPF_JLT,   [CMP_LE] = BPF_JLE,
        [CMP_GT] = BPF_JGT,   [CMP_GE] = BPF_JGE,   [CMP_SLT] = BPF_JSLT, [CMP_SLE] = BPF_JSLE,
        [CMP_SGT] = BPF_JSGT, [CMP_SGE] = BPF_JSGE, [CMP_SET] = BPF_JSET,
    };
    return codes[cmp];
}

static uint8_t inverse(uint8_t cmp)
{
    static const uint8_t to[_ZN_CMP_MAX] = {
        [CMP_EQ] = CMP_NE,   [CMP_NE] = CMP_EQ,   [CMP_LT] = CMP_GE,   [CMP_LE] = CMP_GT,
        [CMP_GT] = CMP_LE,   [CMP_GE] = CMP_LT,   [CMP_SLT] = CMP_SGE, [CMP_SLE] = CMP_SGT,
        [CMP_SGT] = CMP_SLE, [CMP_SGE] = CMP_SLT, [CMP_SET] = CMP_SET,
    };
    return to[cmp];
}

static void emit_goto(struct as *s, zn_block to)
{
    int64_t d = distance(s, to, s->n);
    if (is_far(d))
        emit(s, BPF_JMP32 | BPF_JA, 0, 0, 0, (int32_t)d);
    else
        emit(s, BPF_JMP | BPF_JA, 0, 0, (int32_t)d, 0);
}

static void emit_branch(struct as *s, const struct zn_ir_insn *i, uint8_t cmp, int32_t off)
{
    uint8_t class = i->w == 4 ? BPF_JMP32 : BPF_JMP;
    if (i->b == ZN_NOREG)
        emit(s, class | cmp_code(cmp) | BPF_K, reg(s, i->a), 0, off, (int32_t)i->imm);
    else
        emit(s, class | cmp_code(cmp) | BPF_X, reg(s, i->a), reg(s, i->b), off, 0);
}

static void emit_jump(struct as *s, uint32_t k)
{
    const struct zn_ir_insn *i = jump_of(s, k);
    const struct piece *p = &s->pieces[k];
    s->cur = i->pos;
    if (!p->njump)
        return;
    if (i->op == IR_JMP) {
        emit_goto(s, i->t);
    } else if (p->njump == 3) {
        emit_branch(s, i, i->sub, 1);
        emit_goto(s, i->f);
        emit_goto(s, i->t);
    } else if (p->njump == 1 && s->place[i->f] != k + 1) {
        emit_branch(s, i, inverse(i->sub), (int32_t)distance(s, i->f, s->n));
    } else {
        emit_branch(s, i, i->sub, (int32_t)distance(s, i->t, s->n));
        if (p->njump == 2)
            emit_goto(s, i->f);
    }
}

/* The bodies with their jumps between them. Relocations are in code order and move along. */
static void join(struct as *s, uint32_t total)
{
    struct bpf_insn *insns = s->insns;
    struct zn_pos *pos = s->pos;
    struct zn_arena *a = s->f->arena;
    uint32_t rel = 0;
    s->insns = zn_arena_array(a, struct bpf_insn, total + 1);
    s->pos = zn_arena_array(a, struct zn_pos, total + 1);
    s->cap = s->cappos = total + 1;
    s->n = 0;
    for (uint32_t k = 0; k < s->al.nlayout; k++) {
        const struct piece *p = &s->pieces[k];
        for (; rel < s->nrelocs && s->relocs[rel].insn < p->body + p->nbody; rel++)
            s->relocs[rel].insn += s->n - p->body;
        if (p->nbody) {
            memcpy(s->insns + s->n, insns + p->body, p->nbody * sizeof(*insns));
            memcpy(s->pos + s->n, pos + p->body, p->nbody * sizeof(*pos));
        }
        s->n += p->nbody;
        emit_jump(s, k);
    }
}

static int assemble(struct as *s, struct zn_code *ret, const char **why)
{
    struct zn_ir_fn *f = s->f;
    uint32_t depth = s->al.nwords * 8 + (uint32_t)ZN_ALIGN_UP(f->slot_peak, 8);
    if (depth > 512) {
        *why = zn_arena_printf(f->arena, "out of stack: %u bytes of 512 needed", depth);
        return -ENOSPC;
    }
    s->frame = -(int32_t)depth;
    s->pieces = zn_arena_array(f->arena, struct piece, s->al.nlayout);
    s->place = zn_arena_array(f->arena, uint32_t, f->nblocks);
    for (uint32_t k = 0; k < s->al.nlayout; k++)
        s->place[s->al.layout[k]] = k;
    bodies(s);
    int r = arrange(s, why);
    if (r < 0)
        return r;
    if (s->n > MAX_INSNS) {
        *why = zn_arena_printf(f->arena, "%u instructions, more than a program may have", s->n);
        return -E2BIG;
    }
    join(s, s->n);
    *ret = (struct zn_code){s->insns, s->n, s->pos, s->relocs, s->nrelocs};
    return 0;
}

int zn_ir_assemble(struct zn_ir_fn *f, bool cpu_v4, struct zn_code *ret, const char **why)
{
    if (f->error) {
        *why = f->error;
        return -EINVAL;
    }
    int r = zn_ir_verify(f, why);
    if (r < 0)
        return r;
    zn_ir_thread_jumps(f);
    zn_ir_legalise(f, cpu_v4);
    struct as s = {.f = f, .cpu_v4 = cpu_v4};
    r = zn_ir_allocate(f, &s.al, why);
    if (r < 0)
        return r;
    r = assemble(&s, ret, why);
    if (!r && zn_arena_failed(f->arena)) {
        *why = "out of memory";
        r = -ENOMEM;
    }
    return r;
}
