/* SPDX-License-Identifier: Apache-2.0 */
/* BPF machine code in the notation of the kernel's verifier log. */
#include <linux/bpf.h>

#include "base/mem.h"
#include "base/str.h"
#include "lang/ir.h"

#define HELPER_NAME(x) "bpf_" #x
static const char *const helper_names[] = {__BPF_FUNC_MAPPER(HELPER_NAME)};
#undef HELPER_NAME

static const char *const alu_signs[16] = {
    [BPF_ADD >> 4] = "+=", [BPF_SUB >> 4] = "-=", [BPF_MUL >> 4] = "*=",  [BPF_DIV >> 4] = "/=",
    [BPF_OR >> 4] = "|=",  [BPF_AND >> 4] = "&=", [BPF_LSH >> 4] = "<<=", [BPF_RSH >> 4] = ">>=",
    [BPF_MOD >> 4] = "%=", [BPF_XOR >> 4] = "^=", [BPF_MOV >> 4] = "=",   [BPF_ARSH >> 4] = "s>>=",
};
static const char *const jump_signs[16] = {
    [BPF_JEQ >> 4] = "==",   [BPF_JNE >> 4] = "!=",   [BPF_JGT >> 4] = ">",
    [BPF_JGE >> 4] = ">=",   [BPF_JLT >> 4] = "<",    [BPF_JLE >> 4] = "<=",
    [BPF_JSGT >> 4] = "s>",  [BPF_JSGE >> 4] = "s>=", [BPF_JSLT >> 4] = "s<",
    [BPF_JSLE >> 4] = "s<=", [BPF_JSET >> 4] = "&",
};

static const char *sign(const char *const *table, uint8_t code)
{
    const char *s = table[code >> 4];
    return s ? s : "??";
}

static const char *type_of(uint8_t code)
{
    switch (BPF_SIZE(code)) {
    case BPF_B: return "u8";
    case BPF_H: return "u16";
    case BPF_W: return "u32";
    default: return "u64";
    }
}

static void alu(struct zn_str *out, const struct bpf_insn *i)
{
    char r = BPF_CLASS(i->code) == BPF_ALU ? 'w' : 'r';
    uint8_t op = BPF_OP(i->code);
    if (op == BPF_NEG) {
        zn_str_printf(out, "%c%u = -%c%u", r, i->dst_reg, r, i->dst_reg);
        return;
    }
    if (op == BPF_END) {
        zn_str_printf(out, "r%u = %s%d r%u", i->dst_reg, i->code & BPF_TO_BE ? "be" : "le", i->imm,
                      i->dst_reg);
        return;
    }
    const char *sgn = (op == BPF_DIV || op == BPF_MOD) && i->off == 1 ? "s" : "";
    zn_str_printf(out, "%c%u %s%s ", r, i->dst_reg, sgn, sign(alu_signs, i->code));
    if (BPF_SRC(i->code) == BPF_X)
        zn_str_printf(out, "%c%u", r, i->src_reg);
    else
        zn_str_printf(out, "%d", i->imm);
}

static void atomic(struct zn_str *out, const struct bpf_insn *i)
{
    static const char *const names[16] = {[BPF_ADD >> 4] = "add",
                                          [BPF_OR >> 4] = "or",
                                          [BPF_AND >> 4] = "and",
                                          [BPF_XOR >> 4] = "xor"};
    const char *t = type_of(i->code), *n = BPF_SIZE(i->code) == BPF_DW ? "64" : "";
    uint8_t op = (uint8_t)i->imm;
    if (op == BPF_CMPXCHG)
        zn_str_printf(out, "r0 = atomic%s_cmpxchg((%s *)(r%u %+d), r0, r%u)", n, t, i->dst_reg,
                      i->off, i->src_reg);
    else if (op == BPF_XCHG)
        zn_str_printf(out, "r%u = atomic%s_xchg((%s *)(r%u %+d), r%u)", i->src_reg, n, t,
                      i->dst_reg, i->off, i->src_reg);
    else if (op & BPF_FETCH)
        zn_str_printf(out, "r%u = atomic%s_fetch_%s((%s *)(r%u %+d), r%u)", i->src_reg, n,
                      sign(names, op), t, i->dst_reg, i->off, i->src_reg);
    else
        zn_str_printf(out, "lock *(%s *)(r%u %+d) %s r%u", t, i->dst_reg, i->off,
                      sign(alu_signs, op), i->src_reg);
}

static void jump(struct zn_str *out, const struct bpf_insn *i)
{
    bool wide = BPF_CLASS(i->code) == BPF_JMP;
    uint8_t op = BPF_OP(i->code);
    char r = wide ? 'r' : 'w';
    if (op == BPF_EXIT) {
        zn_str_puts(out, "exit");
    } else if (op == BPF_CALL && i->src_reg == BPF_PSEUDO_CALL) {
        zn_str_printf(out, "call pc%+d", i->imm);
    } else if (op == BPF_CALL) {
        const char *name = "unknown";
        if (i->imm > 0 && (size_t)i->imm < ZN_ARRAY_SIZE(helper_names))
            name = helper_names[i->imm];
        zn_str_printf(out, "call %s#%d", name, i->imm);
    } else if (op == BPF_JA) {
        zn_str_printf(out, wide ? "goto pc%+d" : "gotol pc%+d", wide ? i->off : i->imm);
    } else if (BPF_SRC(i->code) == BPF_X) {
        zn_str_printf(out, "if %c%u %s %c%u goto pc%+d", r, i->dst_reg, sign(jump_signs, i->code),
                      r, i->src_reg, i->off);
    } else {
        zn_str_printf(out, "if %c%u %s 0x%x goto pc%+d", r, i->dst_reg, sign(jump_signs, i->code),
                      (uint32_t)i->imm, i->off);
    }
}

static void wide_load(struct zn_str *out, const struct bpf_insn *i, const struct zn_reloc *rel,
                      const char *(*map_name)(void *, int), void *arg)
{
    uint64_t v = (uint32_t)i->imm | (uint64_t)(uint32_t)i[1].imm << 32;
    if (!rel) {
        zn_str_printf(out, "r%u = 0x%llx ll", i->dst_reg, (unsigned long long)v);
        return;
    }
    if (rel->kind == RL_FUNC) {
        zn_str_printf(out, "r%u = func[%d]", i->dst_reg, rel->target);
        return;
    }
    const char *name = map_name ? map_name(arg, rel->target) : NULL;
    zn_str_printf(out, "r%u = map%s[", i->dst_reg, rel->kind == RL_MAPVAL ? "_value" : "");
    if (name)
        zn_str_puts(out, name);
    else
        zn_str_printf(out, "%d", rel->target);
    zn_str_putc(out, ']');
    if (rel->kind == RL_MAPVAL)
        zn_str_printf(out, "%+d", i[1].imm);
}

static void insn(struct zn_str *out, const struct bpf_insn *i)
{
    switch (BPF_CLASS(i->code)) {
    case BPF_ALU:
    case BPF_ALU64: alu(out, i); break;
    case BPF_LDX:
        zn_str_printf(out, "r%u = *(%s *)(r%u %+d)", i->dst_reg, type_of(i->code), i->src_reg,
                      i->off);
        break;
    case BPF_STX:
        if (BPF_MODE(i->code) == BPF_ATOMIC)
            atomic(out, i);
        else
            zn_str_printf(out, "*(%s *)(r%u %+d) = r%u", type_of(i->code), i->dst_reg, i->off,
                          i->src_reg);
        break;
    case BPF_ST:
        zn_str_printf(out, "*(%s *)(r%u %+d) = %d", type_of(i->code), i->dst_reg, i->off, i->imm);
        break;
    case BPF_JMP:
    case BPF_JMP32: jump(out, i); break;
    default: zn_str_printf(out, "(%02x)", i->code); break;
    }
}

void zn_disasm(const struct zn_code *code, const char *(*map_name)(void *, int), void *arg,
               struct zn_str *out)
{
    uint32_t rel = 0;
    for (uint32_t n = 0; n < code->n; n++) {
        const struct bpf_insn *i = &code->insns[n];
        while (rel < code->nrelocs && code->relocs[rel].insn < n)
            rel++;
        const struct zn_reloc *r =
            rel < code->nrelocs && code->relocs[rel].insn == n ? &code->relocs[rel] : NULL;
        zn_str_printf(out, "%u: ", n);
        if (i->code == (BPF_LD | BPF_DW | BPF_IMM) && n + 1 < code->n) {
            wide_load(out, i, r, map_name, arg);
            n++;
        } else if (r && r->kind == RL_CALL) {
            zn_str_printf(out, "call func[%d]", r->target);
        } else {
            insn(out, i);
        }
        zn_str_putc(out, '\n');
    }
}
