/* SPDX-License-Identifier: Apache-2.0 */
/* Builders, checks, dump and optimiser of the middle language. */
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
#include "lang/opt.h"

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

static void assert_dump(const struct zn_ir_fn *f, const char *want)
{
    ZN_AUTOSTR struct zn_str s;
    zn_str_init(&s);
    zn_ir_dump(f, &s);
    assert_string_equal(zn_str_c(&s), want);
}

static void test_dump(void **state)
{
    struct zn_ir_fn *f = zn_ir_fn_new(*state, "t");
    zn_block b = zn_ir_block(f, "out");
    zn_vreg v = zn_ir_ld(f, zn_ir_ctx(f), 8, 4, true);
    zn_vreg s = zn_ir_alui(f, ALU_ADD, 8, v, 7);
    f->blocks[0].insns[2].note = "a note";
    int32_t slot = zn_ir_slot(f, 8);
    zn_ir_st(f, zn_ir_slotaddr(f, slot, 0), 0, 8, s);
    zn_ir_call(f, 14, ZN_V_SCALAR, 2, v, s);
    zn_ir_bri(f, CMP_SLT, 4, s, 3, b, b);
    f->blocks[b].cold = true;
    zn_ir_at(f, b);
    zn_ir_retv(f, s);
    assert_dump(f, "block0 (entry):\n"
                   "    %0 = ctx\n"
                   "    %1 = load s32 [%0 +8]\n"
                   "    %2 = add %1, 7    ; a note\n"
                   "    %3 = slot 0\n"
                   "    store u64 [%3], %2\n"
                   "    %4 = call 14(%1, %2)\n"
                   "    if32 %2 s< 3 goto block1 else block1\n"
                   "block1 (out): ; cold\n"
                   "    return %2\n");
}

static void test_slots(void **state)
{
    struct zn_ir_fn *f = zn_ir_fn_new(*state, "t");
    int32_t a = zn_ir_slot(f, 5), mark = zn_ir_slot_mark(f);
    assert_int_equal(a, 0);
    assert_int_equal(zn_ir_slot(f, 16), 8);
    zn_ir_slot_release(f, mark);
    assert_int_equal(zn_ir_slot(f, 8), 8);
    assert_int_equal(f->slot_peak, 24);
    assert_true(zn_ir_slot_fits(f, 240));
    assert_false(zn_ir_slot_fits(f, 241));
    f->pos = (struct zn_pos){3, 4};
    zn_ir_slot(f, 300);
    assert_non_null(strstr(f->error, "too much on the stack"));
    assert_int_equal(f->error_pos.begin, 3);
    zn_ir_ret(f, 0);
    assert_int_equal(f->blocks[0].n, 0);
}

static void test_behind_terminator(void **state)
{
    struct zn_ir_fn *f = zn_ir_fn_new(*state, "t");
    assert_false(zn_ir_done(f));
    zn_ir_ret(f, 0);
    assert_true(zn_ir_done(f));
    assert_true(zn_ir_imm(f, 4) >= 0);
    assert_int_equal(f->blocks[0].n, 1);
}

static void test_verify(void **state)
{
    const char *why = NULL;
    struct zn_ir_fn *f = zn_ir_fn_new(*state, "t");
    assert_int_equal(zn_ir_verify(f, &why), -EINVAL);
    assert_non_null(strstr(why, "without a terminator"));

    zn_block b = zn_ir_block(f, "b"), c = zn_ir_block(f, "c");
    zn_vreg v = zn_ir_vreg(f, ZN_V_SCALAR), x = zn_ir_imm(f, 1);
    zn_ir_bri(f, CMP_EQ, 8, x, 0, b, c);
    zn_ir_at(f, b);
    zn_ir_imm_to(f, v, 3);
    zn_ir_jmp(f, c);
    zn_ir_at(f, c);
    zn_ir_retv(f, v);
    assert_int_equal(zn_ir_verify(f, &why), -EINVAL);
    assert_non_null(strstr(why, "may be read before"));

    f = zn_ir_fn_new(*state, "t");
    zn_ir_ld(f, zn_ir_ctx(f), 0, 3, false);
    zn_ir_ret(f, 0);
    assert_int_equal(zn_ir_verify(f, &why), -EINVAL);
    assert_non_null(strstr(why, "width"));
}

static void test_fold_alu(void **state)
{
    (void)state;
    static const struct {
        enum zn_alu op;
        int w;
        int64_t a, b, want;
    } rows[] = {
        {ALU_ADD, 4, 0xffffffff, 1, 0},
        {ALU_SUB, 4, 0, 1, 0xffffffff},
        {ALU_DIV, 8, -1, 2, INT64_MAX},
        {ALU_DIV, 8, 5, 0, 0},
        {ALU_MOD, 8, 5, 0, 5},
        {ALU_SDIV, 8, -7, 2, -3},
        {ALU_SMOD, 8, -7, 2, -1},
        {ALU_SDIV, 8, INT64_MIN, -1, INT64_MIN},
        {ALU_SMOD, 8, INT64_MIN, -1, 0},
        {ALU_SDIV, 4, 0x80000000, 0xffffffff, 0x80000000},
        {ALU_SMOD, 4, 0xfffffff9, 0, 0xfffffff9},
        {ALU_SAR, 4, 0x80000000, 31, 0xffffffff},
        {ALU_SAR, 8, -8, 1, -4},
        {ALU_SHL, 4, 3, 31, 0x80000000},
    };
    for (size_t k = 0; k < ZN_ARRAY_SIZE(rows); k++) {
        int64_t got = 1;
        assert_true(zn_fold_alu(rows[k].op, rows[k].w, rows[k].a, rows[k].b, &got));
        assert_int_equal(got, rows[k].want);
    }
    int64_t got = 42;
    assert_false(zn_fold_alu(ALU_SHL, 8, 1, 64, &got));
    assert_false(zn_fold_alu(ALU_SHR, 4, 1, 32, &got));
    assert_int_equal(got, 42);
    assert_int_equal(zn_fold_cmp(CMP_LT, 8, -1, 0), 0);
    assert_int_equal(zn_fold_cmp(CMP_SLT, 4, 0xffffffff, 0), 1);
    assert_int_equal(zn_fold_cmp(CMP_EQ, 4, 0x100000000, 0), 1);
}

static void test_optimise(void **state)
{
    struct zn_ir_fn *f = zn_ir_fn_new(*state, "t");
    zn_block yes = zn_ir_block(f, "yes"), no = zn_ir_block(f, "no");
    zn_vreg one = zn_ir_call(f, BPF_FUNC_get_current_pid_tgid, ZN_V_SCALAR, 0);
    zn_vreg two = zn_ir_call(f, BPF_FUNC_get_current_pid_tgid, ZN_V_SCALAR, 0);
    zn_vreg dead = zn_ir_ld(f, zn_ir_mapval(f, 0, 0), 8, 8, false);
    zn_ir_alui(f, ALU_MUL, 8, dead, 3);
    zn_vreg a = zn_ir_alui(f, ALU_SHR, 8, one, 32), b = zn_ir_alui(f, ALU_SHR, 8, two, 32);
    zn_vreg d = zn_ir_alu(f, ALU_SUB, 8, a, b);
    zn_ir_bri(f, CMP_EQ, 8, d, 0, yes, no);
    zn_ir_at(f, yes);
    zn_ir_retv(f, zn_ir_alui(f, ALU_MUL, 8, zn_ir_alui(f, ALU_ADD, 8, a, 0), 8));
    zn_ir_at(f, no);
    zn_ir_ret(f, 0);
    zn_ir_optimise(f);
    assert_dump(f, "block0 (entry):\n"
                   "    %0 = call 14()\n"
                   "    %5 = shr %0, 32\n"
                   "    goto block1\n"
                   "block1 (yes):\n"
                   "    %9 = shl %5, 3\n"
                   "    return %9\n");
}

/* A condition made into a value and tested again: each arm goes where its value leads. */
static void test_skip_tests(void **state)
{
    struct zn_ir_fn *f = zn_ir_fn_new(*state, "t");
    zn_block t = zn_ir_block(f, "t"), e = zn_ir_block(f, "e"), j = zn_ir_block(f, "join"),
             yes = zn_ir_block(f, "yes"), no = zn_ir_block(f, "no");
    zn_vreg v = zn_ir_vreg(f, ZN_V_SCALAR), x = zn_ir_ld(f, zn_ir_ctx(f), 0, 8, false);
    zn_ir_bri(f, CMP_GT, 8, x, 5, t, e);
    zn_ir_at(f, t);
    zn_ir_imm_to(f, v, 1);
    zn_ir_jmp(f, j);
    zn_ir_at(f, e);
    zn_ir_imm_to(f, v, 0);
    zn_ir_jmp(f, j);
    zn_ir_at(f, j);
    zn_ir_bri(f, CMP_NE, 8, v, 0, yes, no);
    zn_ir_at(f, yes);
    zn_ir_ret(f, 10);
    zn_ir_at(f, no);
    zn_ir_ret(f, 20);
    zn_ir_optimise(f);
    assert_dump(f, "block0 (entry):\n"
                   "    %1 = ctx\n"
                   "    %2 = load u64 [%1]\n"
                   "    if %2 > 5 goto block4 else block5\n"
                   "block4 (yes):\n"
                   "    return 10\n"
                   "block5 (no):\n"
                   "    return 20\n");
}

static void test_keeps_effects(void **state)
{
    struct zn_ir_fn *f = zn_ir_fn_new(*state, "t");
    int32_t s = zn_ir_slot(f, 8);
    zn_ir_sti(f, zn_ir_slotaddr(f, s, 0), 0, 8, 1);
    zn_ir_call(f, BPF_FUNC_ktime_get_ns, ZN_V_SCALAR, 0);
    zn_vreg two = zn_ir_imm(f, 2);
    zn_ir_atomic(f, AT_FETCH_ADD, zn_ir_slotaddr(f, s, 0), 0, 8, two, ZN_NOREG);
    zn_ir_ret(f, 0);
    zn_ir_optimise(f);
    assert_dump(f, "block0 (entry):\n"
                   "    %0 = slot 0\n"
                   "    store u64 [%0], 1\n"
                   "    call 5()\n"
                   "    %2 = 2\n"
                   "    atomic_add u64 [%0], %2\n"
                   "    return 0\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_dump, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_slots, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_behind_terminator, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_verify, set_up, tear_down),
        cmocka_unit_test(test_fold_alu),
        cmocka_unit_test_setup_teardown(test_optimise, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_skip_tests, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_keeps_effects, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
