/* SPDX-License-Identifier: Apache-2.0 */
/* The middle language as text. */
#include "base/str.h"
#include "lang/back.h"

static const char *const alu_names[_ZN_ALU_MAX] = {
    [ALU_ADD] = "add", [ALU_SUB] = "sub",   [ALU_MUL] = "mul",   [ALU_DIV] = "div",
    [ALU_MOD] = "mod", [ALU_SDIV] = "sdiv", [ALU_SMOD] = "smod", [ALU_AND] = "and",
    [ALU_OR] = "or",   [ALU_XOR] = "xor",   [ALU_SHL] = "shl",   [ALU_SHR] = "shr",
    [ALU_SAR] = "sar",
};
static const char *const cmp_names[_ZN_CMP_MAX] = {
    [CMP_EQ] = "==",  [CMP_NE] = "!=",   [CMP_LT] = "<",   [CMP_LE] = "<=",
    [CMP_GT] = ">",   [CMP_GE] = ">=",   [CMP_SLT] = "s<", [CMP_SLE] = "s<=",
    [CMP_SGT] = "s>", [CMP_SGE] = "s>=", [CMP_SET] = "&",
};
static const char *const atomic_names[] = {
    [AT_ADD] = "atomic_add",
    [AT_OR] = "atomic_or",
    [AT_AND] = "atomic_and",
    [AT_XOR] = "atomic_xor",
    [AT_FETCH_ADD] = "atomic_fetch_add",
    [AT_FETCH_OR] = "atomic_fetch_or",
    [AT_FETCH_AND] = "atomic_fetch_and",
    [AT_XCHG] = "atomic_xchg",
    [AT_CMPXCHG] = "atomic_cmpxchg",
};

static void operand(struct zn_str *out, zn_vreg v)
{
    if (v == ZN_FRAME)
        zn_str_puts(out, "frame");
    else if (v == ZN_CTX)
        zn_str_puts(out, "ctx");
    else
        zn_str_printf(out, "%%%d", v);
}

static void right(struct zn_str *out, const struct zn_ir_insn *i)
{
    if (i->b == ZN_NOREG)
        zn_str_printf(out, "%lld", (long long)i->imm);
    else
        operand(out, i->b);
}

static const char *narrow(const struct zn_ir_insn *i)
{
    return i->w == 4 ? "32" : "";
}

static void memory(struct zn_str *out, const struct zn_ir_insn *i)
{
    zn_str_printf(out, "%s%d [", i->sgn ? "s" : "u", i->w * 8);
    operand(out, i->a);
    if (i->off)
        zn_str_printf(out, " %+d", i->off);
    zn_str_putc(out, ']');
}

static void call(struct zn_str *out, const struct zn_ir_insn *i)
{
    zn_str_printf(out, "%s %lld(", i->op == IR_CALL ? "call" : "callsub", (long long)i->imm);
    for (int k = 0; k < i->nargs; k++) {
        zn_str_puts(out, k ? ", " : "");
        operand(out, i->args[k]);
    }
    zn_str_putc(out, ')');
}

static void unary(struct zn_str *out, const char *name, const struct zn_ir_insn *i)
{
    zn_str_printf(out, "%s ", name);
    operand(out, i->a);
}

static void insn(struct zn_str *out, const struct zn_ir_insn *i)
{
    long long imm = i->imm;
    switch (i->op) {
    case IR_NOP: zn_str_puts(out, "nop"); break;
    case IR_IMM: zn_str_printf(out, "%lld", imm); break;
    case IR_MOV: operand(out, i->a); break;
    case IR_ALU:
        zn_str_printf(out, "%s%s ", alu_names[i->sub], narrow(i));
        operand(out, i->a);
        zn_str_puts(out, ", ");
        right(out, i);
        break;
    case IR_NEG: unary(out, i->w == 4 ? "neg32" : "neg", i); break;
    case IR_BSWAP: unary(out, i->w == 2 ? "be16" : i->w == 4 ? "be32" : "be64", i); break;
    case IR_LD:
        zn_str_puts(out, "load ");
        memory(out, i);
        break;
    case IR_ST:
        zn_str_puts(out, "store ");
        memory(out, i);
        zn_str_puts(out, ", ");
        right(out, i);
        break;
    case IR_ATOMIC:
        zn_str_printf(out, "%s ", atomic_names[i->sub]);
        memory(out, i);
        zn_str_puts(out, ", ");
        operand(out, i->b);
        if (i->c != ZN_NOREG) {
            zn_str_puts(out, ", ");
            operand(out, i->c);
        }
        break;
    case IR_CALL:
    case IR_CALLSUB: call(out, i); break;
    case IR_SLOT: zn_str_printf(out, "slot %d", i->off); break;
    case IR_MAP: zn_str_printf(out, "map %lld", imm); break;
    case IR_MAPVAL: zn_str_printf(out, "mapval %lld %+d", imm, i->off); break;
    case IR_FUNC: zn_str_printf(out, "func %lld", imm); break;
    case IR_CTX: zn_str_puts(out, "ctx"); break;
    case IR_ARG: zn_str_printf(out, "arg %lld", imm); break;
    case IR_JMP: zn_str_printf(out, "goto block%d", i->t); break;
    case IR_BR:
        zn_str_printf(out, "if%s ", narrow(i));
        operand(out, i->a);
        zn_str_printf(out, " %s ", cmp_names[i->sub]);
        right(out, i);
        zn_str_printf(out, " goto block%d else block%d", i->t, i->f);
        break;
    case IR_RET:
        zn_str_puts(out, "return ");
        if (i->a == ZN_NOREG)
            zn_str_printf(out, "%lld", imm);
        else
            operand(out, i->a);
        break;
    case RA_RELOAD: unary(out, "reload", i); break;
    case RA_SPILL: unary(out, "spill", i); break;
    default: zn_str_printf(out, "op%u?", i->op); break;
    }
}

void zn_ir_dump(const struct zn_ir_fn *f, struct zn_str *out)
{
    for (uint32_t b = 0; b < f->nblocks; b++) {
        const struct zn_ir_block *blk = &f->blocks[b];
        if (!blk->n)
            continue;
        zn_str_printf(out, "block%u", b);
        if (blk->name)
            zn_str_printf(out, " (%s)", blk->name);
        zn_str_puts(out, blk->cold ? ": ; cold\n" : ":\n");
        for (uint32_t n = 0; n < blk->n; n++) {
            const struct zn_ir_insn *i = &blk->insns[n];
            zn_str_puts(out, "    ");
            if (i->dst != ZN_NOREG)
                zn_str_printf(out, "%%%d = ", i->dst);
            insn(out, i);
            if (i->note)
                zn_str_printf(out, "    ; %s", i->note);
            zn_str_putc(out, '\n');
        }
    }
}
