/* SPDX-License-Identifier: Apache-2.0 */
/* The middle language interpreted, with host addresses for pointers. */
#include <endian.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>

#include "ir_random.h"

enum { MAX_STEPS = 1000000 };

struct frame {
    struct rnd_machine *m;
    const struct zn_ir_fn *f;
    uint64_t *v;
    uint8_t slots[512] __attribute__((aligned(8)));
    uint64_t args[5];
};

static uint64_t divide(uint64_t a, uint64_t b, bool mod)
{
    if (!b)
        return mod ? a : 0;
    return mod ? a % b : a / b;
}

static int64_t sdivide(int64_t a, int64_t b, int64_t min, bool mod)
{
    if (!b)
        return mod ? a : 0;
    if (b == -1)
        return mod ? 0 : a == min ? min : -a;
    return mod ? a % b : a / b;
}

static uint64_t alu64(uint8_t op, uint64_t a, uint64_t b)
{
    switch (op) {
    case ALU_ADD: return a + b;
    case ALU_SUB: return a - b;
    case ALU_MUL: return a * b;
    case ALU_DIV: return divide(a, b, false);
    case ALU_MOD: return divide(a, b, true);
    case ALU_SDIV: return (uint64_t)sdivide((int64_t)a, (int64_t)b, INT64_MIN, false);
    case ALU_SMOD: return (uint64_t)sdivide((int64_t)a, (int64_t)b, INT64_MIN, true);
    case ALU_AND: return a & b;
    case ALU_OR: return a | b;
    case ALU_XOR: return a ^ b;
    case ALU_SHL: return a << (b & 63);
    case ALU_SHR: return a >> (b & 63);
    case ALU_SAR: return (uint64_t)((int64_t)a >> (b & 63));
    default: abort();
    }
}

static uint32_t alu32(uint8_t op, uint32_t a, uint32_t b)
{
    switch (op) {
    case ALU_SDIV: return (uint32_t)sdivide((int32_t)a, (int32_t)b, INT32_MIN, false);
    case ALU_SMOD: return (uint32_t)sdivide((int32_t)a, (int32_t)b, INT32_MIN, true);
    case ALU_SHL: return a << (b & 31);
    case ALU_SHR: return a >> (b & 31);
    case ALU_SAR: return (uint32_t)((int32_t)a >> (b & 31));
    default: return (uint32_t)alu64(op, a, b);
    }
}

static bool compare(uint8_t op, int w, uint64_t a, uint64_t b)
{
    if (w == 4) {
        a = (uint32_t)a;
        b = (uint32_t)b;
    }
    int64_t sa = w == 4 ? (int32_t)a : (int64_t)a, sb = w == 4 ? (int32_t)b : (int64_t)b;
    switch (op) {
    case CMP_EQ: return a == b;
    case CMP_NE: return a != b;
    case CMP_LT: return a < b;
    case CMP_LE: return a <= b;
    case CMP_GT: return a > b;
    case CMP_GE: return a >= b;
    case CMP_SLT: return sa < sb;
    case CMP_SLE: return sa <= sb;
    case CMP_SGT: return sa > sb;
    case CMP_SGE: return sa >= sb;
    case CMP_SET: return a & b;
    default: abort();
    }
}

static uint64_t load(uint64_t addr, int w, bool sgn)
{
    uint64_t v = 0;
    memcpy(&v, (void *)(uintptr_t)addr, (size_t)w); /* little endian hosts */
    if (sgn)
        v = (uint64_t)((int64_t)(v << (64 - 8 * w)) >> (64 - 8 * w));
    return v;
}

static void store(uint64_t addr, int w, uint64_t v)
{
    memcpy((void *)(uintptr_t)addr, &v, (size_t)w);
}

static uint64_t atomic(const struct zn_ir_insn *i, uint64_t addr, uint64_t b, uint64_t c)
{
    uint64_t old = load(addr, i->w, false), new = old;
    switch (i->sub) {
    case AT_ADD:
    case AT_FETCH_ADD: new = old + b; break;
    case AT_OR:
    case AT_FETCH_OR: new = old | b; break;
    case AT_AND:
    case AT_FETCH_AND: new = old &b; break;
    case AT_XOR: new = old ^ b; break;
    case AT_XCHG: new = b; break;
    default:
        if (i->w == 4)
            c = (uint32_t)c;
        new = old == c ? b : old;
        break;
    }
    store(addr, i->w, new);
    return old;
}

static uint64_t helper(struct frame *fr, const struct zn_ir_insn *i)
{
    switch (i->imm) {
    case BPF_FUNC_probe_read_kernel:
        memmove((void *)(uintptr_t)fr->v[i->args[0]], (void *)(uintptr_t)fr->v[i->args[2]],
                fr->v[i->args[1]]);
        return 0;
    case BPF_FUNC_map_lookup_elem: return (uint64_t)(uintptr_t)fr->m->value;
    case BPF_FUNC_get_current_pid_tgid: return 77;
    default: return 0x12345678;
    }
}

static uint64_t callsub(struct frame *fr, const struct zn_ir_insn *i)
{
    uint64_t args[5] = {0};
    for (int k = 0; k < i->nargs; k++)
        args[k] = fr->v[i->args[k]];
    return rnd_interpret(fr->m, fr->m->sub, args);
}

static uint64_t swap(uint64_t a, int w)
{
    return w == 2 ? htobe16((uint16_t)a) : w == 4 ? htobe32((uint32_t)a) : htobe64(a);
}

static void step(struct frame *fr, const struct zn_ir_insn *i)
{
    uint64_t a = i->a >= 0 ? fr->v[i->a] : 0;
    uint64_t b = i->b >= 0 ? fr->v[i->b] : (uint64_t)i->imm, r = 0;
    switch (i->op) {
    case IR_NOP: return;
    case IR_IMM: r = (uint64_t)i->imm; break;
    case IR_MOV: r = a; break;
    case IR_ALU:
        r = i->w == 4 ? alu32(i->sub, (uint32_t)a, (uint32_t)b) : alu64(i->sub, a, b);
        break;
    case IR_NEG: r = i->w == 4 ? (uint32_t)(0 - (uint32_t)a) : 0 - a; break;
    case IR_BSWAP: r = swap(a, i->w); break;
    case IR_LD: r = load(a + (uint64_t)i->off, i->w, i->sgn); break;
    case IR_ST: store(a + (uint64_t)i->off, i->w, b); return;
    case IR_ATOMIC: r = atomic(i, a + (uint64_t)i->off, b, i->c >= 0 ? fr->v[i->c] : 0); break;
    case IR_CALL: r = helper(fr, i); break;
    case IR_CALLSUB: r = callsub(fr, i); break;
    case IR_SLOT: r = (uint64_t)(uintptr_t)(fr->slots + i->off); break;
    case IR_MAP: r = 0; break;
    case IR_MAPVAL: r = (uint64_t)(uintptr_t)(fr->m->value + i->off); break;
    case IR_CTX: r = (uint64_t)(uintptr_t)fr->m->ctx; break;
    case IR_ARG: r = fr->args[i->imm]; break;
    default: abort();
    }
    if (i->dst >= 0)
        fr->v[i->dst] = r;
}

uint64_t rnd_interpret(struct rnd_machine *m, const struct zn_ir_fn *f, const uint64_t args[5])
{
    struct frame fr = {.m = m, .f = f, .v = calloc(f->nvregs + 1, 8)};
    if (args)
        memcpy(fr.args, args, sizeof(fr.args));
    uint64_t r = 0;
    for (zn_block b = 0; b >= 0 && m->steps < MAX_STEPS;) {
        const struct zn_ir_block *blk = &f->blocks[b];
        const struct zn_ir_insn *i = blk->insns;
        for (uint32_t n = 0; n + 1 < blk->n; n++, i++, m->steps++)
            step(&fr, i);
        m->steps++;
        if (i->op == IR_JMP) {
            b = i->t;
        } else if (i->op == IR_BR) {
            uint64_t rhs = i->b >= 0 ? fr.v[i->b] : (uint64_t)i->imm;
            b = compare(i->sub, i->w, fr.v[i->a], rhs) ? i->t : i->f;
        } else {
            r = i->a >= 0 ? fr.v[i->a] : (uint64_t)i->imm;
            b = -1;
        }
    }
    free(fr.v);
    return r;
}
