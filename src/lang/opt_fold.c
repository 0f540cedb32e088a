/* SPDX-License-Identifier: Apache-2.0 */
/* Constant folding and the identities of arithmetic. */
#include <endian.h>

#include "lang/opt.h"

static uint64_t unsigned_div(uint64_t a, uint64_t b, bool mod)
{
    if (!b)
        return mod ? a : 0;
    return mod ? a % b : a / b;
}

static uint64_t signed_div(int64_t a, int64_t b, bool mod)
{
    if (!b)
        return mod ? (uint64_t)a : 0;
    if (b == -1)
        return mod ? 0 : 0 - (uint64_t)a;
    return (uint64_t)(mod ? a % b : a / b);
}

bool zn_fold_alu(enum zn_alu op, int w, int64_t a, int64_t b, int64_t *ret)
{
    uint64_t x = (uint64_t)a, y = (uint64_t)b, r;
    int64_t sx = a, sy = b;
    if (w == 4) {
        x = (uint32_t)x;
        y = (uint32_t)y;
        sx = (int32_t)x;
        sy = (int32_t)y;
    }
    if (op >= ALU_SHL && y >= (uint64_t)w * 8)
        return false;
    switch (op) {
    case ALU_ADD: r = x + y; break;
    case ALU_SUB: r = x - y; break;
    case ALU_MUL: r = x * y; break;
    case ALU_DIV: r = unsigned_div(x, y, false); break;
    case ALU_MOD: r = unsigned_div(x, y, true); break;
    case ALU_SDIV: r = signed_div(sx, sy, false); break;
    case ALU_SMOD: r = signed_div(sx, sy, true); break;
    case ALU_AND: r = x & y; break;
    case ALU_OR: r = x | y; break;
    case ALU_XOR: r = x ^ y; break;
    case ALU_SHL: r = x << y; break;
    case ALU_SHR: r = x >> y; break;
    case ALU_SAR: r = (uint64_t)(sx >> y); break;
    default: return false;
    }
    *ret = (int64_t)(w == 4 ? (uint32_t)r : r);
    return true;
}

int zn_fold_cmp(enum zn_cmp cmp, int w, int64_t a, int64_t b)
{
    uint64_t x = (uint64_t)a, y = (uint64_t)b;
    int64_t sx = a, sy = b;
    if (w == 4) {
        x = (uint32_t)x;
        y = (uint32_t)y;
        sx = (int32_t)x;
        sy = (int32_t)y;
    }
    switch (cmp) {
    case CMP_EQ: return x == y;
    case CMP_NE: return x != y;
    case CMP_LT: return x < y;
    case CMP_LE: return x <= y;
    case CMP_GT: return x > y;
    case CMP_GE: return x >= y;
    case CMP_SLT: return sx < sy;
    case CMP_SLE: return sx <= sy;
    case CMP_SGT: return sx > sy;
    case CMP_SGE: return sx >= sy;
    case CMP_SET: return (x & y) != 0;
    default: return -1;
    }
}

static void to_imm(struct zn_ir_insn *i, int64_t v)
{
    i->op = IR_IMM;
    i->imm = v;
    i->a = i->b = ZN_NOREG;
    i->w = 8;
}

static void to_mov(struct zn_ir_insn *i, zn_vreg a)
{
    i->op = IR_MOV;
    i->a = a;
    i->b = ZN_NOREG;
    i->w = 8;
}

static void to_alui(struct zn_ir_insn *i, enum zn_alu op, int64_t imm)
{
    i->sub = (uint8_t)op;
    i->b = ZN_NOREG;
    i->imm = imm;
}

/* The left operand itself: a 32-bit operation still clears the upper half. */
static void to_left(struct zn_ir_insn *i)
{
    if (i->w == 8) {
        to_mov(i, i->a);
        return;
    }
    i->w = 8;
    to_alui(i, ALU_AND, 0xffffffff);
}

static bool commutes(uint8_t op)
{
    return op == ALU_ADD || op == ALU_MUL || op == ALU_AND || op == ALU_OR || op == ALU_XOR;
}

static bool same_operands(struct zn_ir_insn *i)
{
    switch (i->sub) {
    case ALU_SUB:
    case ALU_XOR: to_imm(i, 0); return true;
    case ALU_AND:
    case ALU_OR: to_left(i); return true;
    default: return false;
    }
}

/* Multiplication and unsigned division by a power of two. */
static void power_of_two(struct zn_ir_insn *i, uint64_t v)
{
    if (!v || (v & (v - 1)))
        return;
    int k = __builtin_ctzll(v);
    if (i->sub == ALU_MUL)
        to_alui(i, ALU_SHL, k);
    else if (i->sub == ALU_DIV)
        to_alui(i, ALU_SHR, k);
    else if (i->sub == ALU_MOD)
        to_alui(i, ALU_AND, (int64_t)(v - 1));
}

/* x op constant. True when it became something else than an operation. */
static bool right_constant(struct zn_ir_insn *i)
{
    uint64_t all = i->w == 4 ? UINT32_MAX : UINT64_MAX;
    uint64_t v = (uint64_t)i->imm & all;
    switch (i->sub) {
    case ALU_ADD:
    case ALU_SUB:
    case ALU_OR:
    case ALU_XOR:
    case ALU_SHL:
    case ALU_SHR:
    case ALU_SAR:
        if (v)
            break;
        to_left(i);
        return true;
    case ALU_AND:
        if (v && v != all)
            break;
        if (v)
            to_left(i);
        else
            to_imm(i, 0);
        return true;
    case ALU_MUL:
    case ALU_DIV:
    case ALU_SDIV:
        if (v > 1)
            break;
        if (v)
            to_left(i);
        else
            to_imm(i, 0);
        return true;
    case ALU_MOD:
    case ALU_SMOD:
        if (v > 1)
            break;
        if (v)
            to_imm(i, 0);
        else
            to_left(i);
        return true;
    default: break;
    }
    power_of_two(i, v);
    return false;
}

/* (x + c) + d, the address of a slot or map value + d, and masks of what is narrow already. */
static void through_left(const struct opt *o, struct zn_ir_insn *i)
{
    const struct zn_ir_insn *a = opt_def(o, i->a);
    if (!a || i->op != IR_ALU || i->b != ZN_NOREG || i->w != 8)
        return;
    if (i->sub == ALU_AND && a->op == IR_LD && !a->sgn && a->w < 8) {
        uint64_t all = (1ULL << (8 * a->w)) - 1;
        if (((uint64_t)i->imm & all) == all)
            to_mov(i, i->a);
        return;
    }
    if (i->sub == ALU_SUB)
        to_alui(i, ALU_ADD, (int64_t)(0 - (uint64_t)i->imm));
    if (i->sub != ALU_ADD)
        return;
    int64_t off = (int64_t)((uint64_t)a->off + (uint64_t)i->imm);
    if ((a->op == IR_SLOT && off >= 0 && off < o->f->slot_peak) ||
        (a->op == IR_MAPVAL && off >= 0 && off <= INT32_MAX)) {
        i->op = a->op;
        i->off = (int32_t)off;
        i->imm = a->imm;
        i->a = ZN_NOREG;
    } else if (a->op == IR_ALU && a->sub == ALU_ADD && a->w == 8 && a->b == ZN_NOREG &&
               opt_def(o, a->a)) {
        i->imm = (int64_t)((uint64_t)i->imm + (uint64_t)a->imm);
        i->a = a->a;
        if (!i->imm)
            to_mov(i, i->a);
    }
}

static void fold_alu(const struct opt *o, struct zn_ir_insn *i)
{
    int64_t a, b;
    bool ca = opt_const(o, i->a, &a);
    if (i->b != ZN_NOREG && opt_const(o, i->b, &b)) {
        i->imm = b;
        i->b = ZN_NOREG;
    }
    if (ca && i->b != ZN_NOREG && commutes(i->sub)) {
        i->a = i->b;
        i->b = ZN_NOREG;
        i->imm = a;
        ca = false;
    }
    if (i->b != ZN_NOREG) {
        if (i->a == i->b)
            same_operands(i);
        return;
    }
    if (ca && zn_fold_alu((enum zn_alu)i->sub, i->w, a, i->imm, &b))
        to_imm(i, b);
    else if (!ca && !right_constant(i))
        through_left(o, i);
}

static uint8_t mirrored(uint8_t cmp)
{
    static const uint8_t to[_ZN_CMP_MAX] = {
        [CMP_EQ] = CMP_EQ,   [CMP_NE] = CMP_NE,   [CMP_LT] = CMP_GT,   [CMP_LE] = CMP_GE,
        [CMP_GT] = CMP_LT,   [CMP_GE] = CMP_LE,   [CMP_SLT] = CMP_SGT, [CMP_SLE] = CMP_SGE,
        [CMP_SGT] = CMP_SLT, [CMP_SGE] = CMP_SLE, [CMP_SET] = CMP_SET,
    };
    return to[cmp];
}

/* Comparisons that have one answer whatever the left side is: 1, 0, or -1. */
static int always(const struct zn_ir_insn *i)
{
    if (i->a == i->b)
        return i->sub == CMP_SET ? -1 : zn_fold_cmp((enum zn_cmp)i->sub, 8, 0, 0);
    if (i->b != ZN_NOREG || i->imm)
        return -1;
    if (i->sub == CMP_LT || i->sub == CMP_SET)
        return 0;
    return i->sub == CMP_GE ? 1 : -1;
}

static void fold_branch(const struct opt *o, struct zn_ir_insn *i)
{
    int64_t a, b;
    if (i->b != ZN_NOREG && opt_const(o, i->b, &b)) {
        i->imm = b;
        i->b = ZN_NOREG;
    }
    bool ca = opt_const(o, i->a, &a);
    if (ca && i->b != ZN_NOREG) {
        i->a = i->b;
        i->b = ZN_NOREG;
        i->imm = a;
        i->sub = mirrored(i->sub);
        ca = false;
    }
    int r = ca ? zn_fold_cmp((enum zn_cmp)i->sub, i->w, a, i->imm) : always(i);
    if (r < 0)
        return;
    i->op = IR_JMP;
    i->t = r ? i->t : i->f;
    i->f = -1;
    i->a = i->b = ZN_NOREG;
}

/* [x + c] with the offset in the instruction. */
static void fold_base(const struct opt *o, struct zn_ir_insn *i)
{
    const struct zn_ir_insn *a = opt_def(o, i->a);
    if (!a || a->op != IR_ALU || a->sub != ALU_ADD || a->w != 8 || a->b != ZN_NOREG ||
        !opt_def(o, a->a))
        return;
    int64_t off = (int64_t)((uint64_t)a->imm + (uint64_t)i->off);
    if (off != (int16_t)off)
        return;
    i->off = (int32_t)off;
    i->a = a->a;
}

static int64_t fold_unary(const struct zn_ir_insn *i, int64_t a)
{
    if (i->op == IR_NEG)
        return i->w == 4 ? (int64_t)(0U - (uint32_t)a) : (int64_t)(0ULL - (uint64_t)a);
    return i->w == 2   ? htobe16((uint16_t)a)
           : i->w == 4 ? htobe32((uint32_t)a)
                       : (int64_t)htobe64((uint64_t)a);
}

void zn_opt_fold(struct opt *o, struct zn_ir_insn *i)
{
    int64_t v;
    switch (i->op) {
    case IR_MOV:
        if (opt_const(o, i->a, &v))
            to_imm(i, v);
        break;
    case IR_ALU: fold_alu(o, i); break;
    case IR_NEG:
    case IR_BSWAP:
        if (opt_const(o, i->a, &v))
            to_imm(i, fold_unary(i, v));
        break;
    case IR_BR: fold_branch(o, i); break;
    case IR_ST:
        if (i->b != ZN_NOREG && opt_const(o, i->b, &v) && (i->w < 8 || v == (int32_t)v)) {
            i->imm = (int32_t)v;
            i->b = ZN_NOREG;
        }
        fold_base(o, i);
        break;
    case IR_LD:
    case IR_ATOMIC: fold_base(o, i); break;
    case IR_RET:
        if (i->a != ZN_NOREG && opt_const(o, i->a, &v) && v == (int32_t)v) {
            i->imm = v;
            i->a = ZN_NOREG;
        }
        break;
    default: break;
    }
}
