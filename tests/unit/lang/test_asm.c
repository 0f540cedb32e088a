/* SPDX-License-Identifier: Apache-2.0 */
/* Machine code: encodings, relocations, jumps near and far, and their text. */
#include <errno.h>
#include <linux/bpf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/mem.h"
#include "base/str.h"
#include "lang/ir.h"

static int set_up(void **state)
{
    static struct zn_arena a;
    zn_arena_init(&a);
    *state = &a;
    return 0;
}

static int tear_down(void **state)
{
    zn_arena_fini(*state);
    return 0;
}

static struct zn_code assembled(struct zn_ir_fn *f, bool v4)
{
    struct zn_code code = {0};
    const char *why = "";
    if (zn_ir_assemble(f, v4, &code, &why))
        fail_msg("%s", why);
    return code;
}

static const char *name_of(void *arg, int map)
{
    return map == 1 ? arg : NULL;
}

static void assert_text(const struct zn_code *code, const char *want)
{
    ZN_AUTOSTR struct zn_str s;
    zn_str_init(&s);
    zn_disasm(code, name_of, (void *)(uintptr_t) "counts", &s);
    assert_string_equal(zn_str_c(&s), want);
}

static void test_immediates(void **state)
{
    struct zn_ir_fn *f = zn_ir_fn_new(*state, "t");
    zn_vreg x = zn_ir_arg(f, 0, ZN_V_SCALAR);
    x = zn_ir_alui(f, ALU_AND, 8, x, 0xffffffff);
    x = zn_ir_alui(f, ALU_ADD, 8, x, 0x123456789abcdef0);
    x = zn_ir_alui(f, ALU_XOR, 4, x, 0x80000000);
    x = zn_ir_alui(f, ALU_SHL, 8, x, 67);
    x = zn_ir_bswap(f, zn_ir_neg(f, x), 2);
    zn_ir_retv(f, x);
    struct zn_code code = assembled(f, true);
    assert_text(&code, "0: w0 = w1\n"
                       "1: r5 = 0x123456789abcdef0 ll\n"
                       "3: r0 += r5\n"
                       "4: w0 ^= -2147483648\n"
                       "5: r0 <<= 3\n"
                       "6: r0 = -r0\n"
                       "7: r0 = be16 r0\n"
                       "8: exit\n");
}

static void test_division(void **state)
{
    struct zn_ir_fn *f = zn_ir_fn_new(*state, "t");
    zn_vreg x = zn_ir_arg(f, 0, ZN_V_SCALAR), y = zn_ir_arg(f, 1, ZN_V_SCALAR);
    zn_ir_retv(f, zn_ir_alu(f, ALU_SDIV, 8, x, y));
    struct zn_code code = assembled(f, true);
    assert_text(&code, "0: r0 = r1\n1: r0 s/= r2\n2: exit\n");

    f = zn_ir_fn_new(*state, "t");
    x = zn_ir_arg(f, 0, ZN_V_SCALAR);
    y = zn_ir_arg(f, 1, ZN_V_SCALAR);
    zn_ir_retv(f, zn_ir_alu(f, ALU_SMOD, 4, x, y));
    code = assembled(f, false);
    for (uint32_t k = 0; k < code.n; k++)
        assert_int_equal(code.insns[k].off, 0);
}

static void test_relocations(void **state)
{
    struct zn_ir_fn *f = zn_ir_fn_new(*state, "t");
    f->pos = (struct zn_pos){5, 6};
    zn_vreg m = zn_ir_map(f, 1), v = zn_ir_mapval(f, 1, 24), cb = zn_ir_func(f, 4);
    f->pos = (struct zn_pos){9, 11};
    zn_ir_call(f, BPF_FUNC_for_each_map_elem, ZN_V_SCALAR, 4, m, cb, v, zn_ir_imm(f, 0));
    zn_ir_callsub(f, 4, 0);
    zn_ir_ret(f, 1);
    struct zn_code code = assembled(f, true);
    assert_text(&code, "0: r1 = map[counts]\n"
                       "2: r2 = func[4]\n"
                       "4: r3 = map_value[counts]+24\n"
                       "6: r4 = 0\n"
                       "7: call bpf_for_each_map_elem#164\n"
                       "8: call func[4]\n"
                       "9: r0 = 1\n"
                       "10: exit\n");
    static const struct zn_reloc want[] = {
        {RL_MAP, 0, 1}, {RL_FUNC, 2, 4}, {RL_MAPVAL, 4, 1}, {RL_CALL, 8, 4}};
    assert_int_equal(code.nrelocs, 4);
    for (int k = 0; k < 4; k++) {
        assert_int_equal(code.relocs[k].kind, want[k].kind);
        assert_int_equal(code.relocs[k].insn, want[k].insn);
        assert_int_equal(code.relocs[k].target, want[k].target);
    }
    assert_int_equal(code.insns[4].src_reg, BPF_PSEUDO_MAP_VALUE);
    assert_int_equal(code.insns[5].imm, 24);
    assert_int_equal(code.insns[2].src_reg, BPF_PSEUDO_FUNC);
    assert_int_equal(code.pos[10].begin, 9);
}

static void test_atomics(void **state)
{
    struct zn_ir_fn *f = zn_ir_fn_new(*state, "t");
    zn_vreg p = zn_ir_arg(f, 0, ZN_V_PTR), x = zn_ir_arg(f, 1, ZN_V_SCALAR);
    zn_ir_atomic(f, AT_OR, p, 8, 4, x, ZN_NOREG);
    zn_vreg old = zn_ir_atomic(f, AT_XCHG, p, 0, 8, x, ZN_NOREG);
    zn_ir_retv(f, zn_ir_atomic(f, AT_CMPXCHG, p, 0, 8, x, old));
    struct zn_code code = assembled(f, true);
    assert_text(&code, "0: lock *(u32 *)(r1 +8) |= r2\n"
                       "1: r5 = r2\n"
                       "2: r5 = atomic64_xchg((u64 *)(r1 +0), r5)\n"
                       "3: r0 = r5\n"
                       "4: r0 = atomic64_cmpxchg((u64 *)(r1 +0), r0, r2)\n"
                       "5: exit\n");
}

/* if (x) goto a else b, with the block named next following. */
static struct zn_code branch_to(struct zn_arena *a, bool true_next, enum zn_cmp cmp)
{
    struct zn_ir_fn *f = zn_ir_fn_new(a, "t");
    zn_block y = zn_ir_block(f, "y"), n = zn_ir_block(f, "n");
    zn_ir_bri(f, cmp, 8, zn_ir_arg(f, 0, ZN_V_SCALAR), 5, y, n);
    zn_ir_at(f, y);
    zn_ir_ret(f, 1);
    zn_ir_at(f, n);
    zn_ir_ret(f, 2);
    f->blocks[true_next ? n : y].cold = true;
    return assembled(f, true);
}

static void test_branches(void **state)
{
    struct zn_code code = branch_to(*state, true, CMP_SGT);
    assert_text(&code, "0: if r1 s<= 0x5 goto pc+2\n1: r0 = 1\n2: exit\n3: r0 = 2\n4: exit\n");
    code = branch_to(*state, false, CMP_SGT);
    assert_text(&code, "0: if r1 s> 0x5 goto pc+2\n1: r0 = 2\n2: exit\n3: r0 = 1\n4: exit\n");
    code = branch_to(*state, true, CMP_SET);
    assert_text(&code, "0: if r1 & 0x5 goto pc+1\n1: goto pc+2\n2: r0 = 1\n3: exit\n"
                       "4: r0 = 2\n5: exit\n");
}

static struct zn_ir_fn *long_function(struct zn_arena *a, int n)
{
    struct zn_ir_fn *f = zn_ir_fn_new(a, "t");
    zn_block body = zn_ir_block(f, "body"), out = zn_ir_block(f, "out");
    zn_vreg x = zn_ir_vreg(f, ZN_V_SCALAR);
    zn_ir_mov_to(f, x, zn_ir_arg(f, 0, ZN_V_SCALAR));
    zn_ir_bri(f, CMP_LT, 8, x, 5, body, out);
    zn_ir_at(f, body);
    for (int k = 0; k < n; k++)
        zn_ir_mov_to(f, x, zn_ir_alui(f, ALU_ADD, 8, x, k));
    zn_ir_bri(f, CMP_GT, 8, x, 7, body, out);
    zn_ir_at(f, out);
    zn_ir_retv(f, x);
    return f;
}

static void test_far_jumps(void **state)
{
    struct zn_code code;
    const char *why = NULL;
    assert_int_equal(zn_ir_assemble(long_function(*state, 40000), false, &code, &why), -E2BIG);
    assert_non_null(strstr(why, "32767"));
    code = assembled(long_function(*state, 40000), true);
    unsigned far = 0;
    for (uint32_t k = 0; k < code.n; k++) {
        const struct bpf_insn *i = &code.insns[k];
        int64_t to = (int64_t)k + 1;
        if (i->code == (BPF_JMP32 | BPF_JA))
            to += i->imm, far++;
        else if (BPF_CLASS(i->code) == BPF_JMP && BPF_OP(i->code) != BPF_EXIT)
            to += i->off;
        assert_true(to >= 0 && to <= code.n);
    }
    assert_true(far >= 2);
    assert_int_equal(zn_ir_assemble(long_function(*state, 1000001), true, &code, &why), -E2BIG);
}

static void test_offsets(void **state)
{
    struct zn_ir_fn *f = zn_ir_fn_new(*state, "t");
    zn_vreg p = zn_ir_arg(f, 0, ZN_V_PTR);
    zn_ir_retv(f, zn_ir_ld(f, p, 70000, 1, true));
    struct zn_code code = assembled(f, true);
    assert_text(&code, "0: r1 += 70000\n"
                       "1: r0 = *(u8 *)(r1 +0)\n"
                       "2: r0 <<= 56\n"
                       "3: r0 s>>= 56\n"
                       "4: exit\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_immediates, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_division, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_relocations, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_atomics, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_branches, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_far_jumps, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_offsets, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
