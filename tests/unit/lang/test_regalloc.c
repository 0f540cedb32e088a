/* SPDX-License-Identifier: Apache-2.0 */
/* Register assignment: conventions, spills, what is made again, and how much it takes. */
#include <errno.h>
#include <linux/bpf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/mem.h"
#include "base/str.h"
#include "ir_random.h"
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

static void assert_code(struct zn_ir_fn *f, const char *want)
{
    struct zn_code code;
    const char *why = "";
    if (zn_ir_assemble(f, true, &code, &why))
        fail_msg("%s", why);
    ZN_AUTOSTR struct zn_str s;
    zn_str_init(&s);
    zn_disasm(&code, NULL, NULL, &s);
    assert_string_equal(zn_str_c(&s), want);
}

/* Arguments are computed where the call wants them; the result stays where the call leaves it. */
static void test_hints(void **state)
{
    struct zn_ir_fn *f = zn_ir_fn_new(*state, "t");
    int32_t slot = zn_ir_slot(f, 8);
    zn_vreg key = zn_ir_slotaddr(f, slot, 0);
    zn_ir_st(f, key, 0, 8, zn_ir_ld(f, zn_ir_ctx(f), 8, 8, false));
    zn_vreg p = zn_ir_call(f, BPF_FUNC_map_lookup_elem, ZN_V_PTR, 2, zn_ir_map(f, 3), key);
    zn_block found = zn_ir_block(f, "found"), out = zn_ir_block(f, "out");
    zn_ir_bri(f, CMP_EQ, 8, p, 0, out, found);
    zn_ir_at(f, found);
    zn_ir_retv(f, zn_ir_ld(f, p, 0, 8, false));
    zn_ir_at(f, out);
    f->blocks[out].cold = true;
    zn_ir_ret(f, 0);
    assert_code(f, "0: r6 = r1\n"
                   "1: r0 = *(u64 *)(r6 +8)\n"
                   "2: *(u64 *)(r10 -8) = r0\n"
                   "3: r1 = map[3]\n"
                   "5: r2 = r10\n"
                   "6: r2 += -8\n"
                   "7: call bpf_map_lookup_elem#1\n"
                   "8: if r0 == 0x0 goto pc+2\n"
                   "9: r0 = *(u64 *)(r0 +0)\n"
                   "10: exit\n"
                   "11: r0 = 0\n"
                   "12: exit\n");
}

/* Two arguments that stand in each other's registers. */
static void test_exchange(void **state)
{
    struct zn_ir_fn *f = zn_ir_fn_new(*state, "t");
    zn_vreg a = zn_ir_arg(f, 0, ZN_V_SCALAR), b = zn_ir_arg(f, 1, ZN_V_SCALAR);
    zn_ir_retv(f, zn_ir_callsub(f, 2, 3, b, a, b));
    struct zn_code code;
    const char *why = "";
    assert_int_equal(zn_ir_assemble(f, true, &code, &why), 0);
    uint64_t r[11] = {0, 11, 22};
    for (uint32_t k = 0; k < code.n && code.insns[k].code == (BPF_ALU64 | BPF_MOV | BPF_X); k++)
        r[code.insns[k].dst_reg] = r[code.insns[k].src_reg];
    assert_int_equal(r[1], 22);
    assert_int_equal(r[2], 11);
    assert_int_equal(r[3], 22);
    assert_int_equal(code.nrelocs, 1);
    assert_int_equal(code.relocs[0].kind, RL_CALL);
    assert_int_equal(code.relocs[0].target, 2);
}

static struct zn_ir_fn *many_alive(struct zn_arena *a, int n)
{
    struct zn_ir_fn *f = zn_ir_fn_new(a, "many");
    zn_vreg v[64];
    for (int k = 0; k < n; k++)
        v[k] = zn_ir_call(f, BPF_FUNC_ktime_get_ns, ZN_V_SCALAR, 0);
    zn_vreg sum = zn_ir_imm(f, 0);
    for (int k = 0; k < n; k++)
        sum = zn_ir_alu(f, ALU_ADD, 8, sum, v[k]);
    zn_ir_retv(f, sum);
    return f;
}

static void test_spill(void **state)
{
    struct zn_code code;
    const char *why = NULL;
    assert_int_equal(zn_ir_assemble(many_alive(*state, 6), true, &code, &why), 0);
    unsigned stores = 0, loads = 0;
    for (uint32_t k = 0; k < code.n; k++) {
        stores += code.insns[k].code == (BPF_STX | BPF_MEM | BPF_DW);
        loads += code.insns[k].code == (BPF_LDX | BPF_MEM | BPF_DW);
    }
    assert_true(stores >= 1 && stores <= 2);
    assert_int_equal(stores, loads);
    assert_int_equal(zn_ir_assemble(many_alive(*state, 34), true, &code, &why), 0);
    assert_int_equal(zn_ir_assemble(many_alive(*state, 60), true, &code, &why), -ENOSPC);
    assert_non_null(strstr(why, "out of stack"));
}

/* Constants and addresses that are alive over calls are made again, not kept. */
static void test_remat(void **state)
{
    struct zn_ir_fn *f = zn_ir_fn_new(*state, "t");
    int32_t slot = zn_ir_slot(f, 8);
    zn_vreg key = zn_ir_slotaddr(f, slot, 0), map = zn_ir_map(f, 0), zero = zn_ir_imm(f, 0);
    zn_ir_sti(f, key, 0, 8, 5);
    for (int k = 0; k < 2; k++)
        zn_ir_call(f, BPF_FUNC_map_update_elem, ZN_V_SCALAR, 4, map, key, key, zero);
    zn_ir_ret(f, 0);
    assert_code(f, "0: *(u64 *)(r10 -8) = 5\n"
                   "1: r1 = map[0]\n"
                   "3: r2 = r10\n"
                   "4: r2 += -8\n"
                   "5: r3 = r10\n"
                   "6: r3 += -8\n"
                   "7: r4 = 0\n"
                   "8: call bpf_map_update_elem#2\n"
                   "9: r1 = map[0]\n"
                   "11: r2 = r10\n"
                   "12: r2 += -8\n"
                   "13: r3 = r10\n"
                   "14: r3 += -8\n"
                   "15: r4 = 0\n"
                   "16: call bpf_map_update_elem#2\n"
                   "17: r0 = 0\n"
                   "18: exit\n");
}

/* Every register read has been written, and r1-r5 are not read behind a call: checked on straight
 * walks through random code. */
static void test_no_stale_registers(void **state)
{
    for (uint64_t seed = 1; seed < 200; seed++) {
        struct rnd_prog p = rnd_build(*state, seed, 60);
        struct zn_code code;
        const char *why = "";
        zn_ir_optimise(p.main);
        int r = zn_ir_assemble(p.main, seed & 1, &code, &why);
        if (r == -ENOSPC)
            continue;
        assert_int_equal(r, 0);
        for (uint32_t k = 0; k + 1 < code.n; k++) {
            const struct bpf_insn *i = &code.insns[k], *n = &code.insns[k + 1];
            if (i->code != (BPF_JMP | BPF_CALL) || BPF_CLASS(n->code) == BPF_JMP)
                continue;
            bool reads = BPF_CLASS(n->code) == BPF_STX || BPF_CLASS(n->code) == BPF_LDX ||
                         n->code == (BPF_ALU64 | BPF_MOV | BPF_X);
            if (reads)
                assert_true(n->src_reg < 1 || n->src_reg > 5);
        }
    }
}

/* Linear enough: twenty thousand instructions in well under a second even with sanitizers. */
static void test_speed(void **state)
{
    struct zn_ir_fn *f = zn_ir_fn_new(*state, "t");
    for (int k = 0; k < 2500; k++) {
        zn_block body = zn_ir_block(f, "body"), next = zn_ir_block(f, "next");
        zn_vreg id = zn_ir_call(f, BPF_FUNC_get_current_pid_tgid, ZN_V_SCALAR, 0);
        zn_ir_bri(f, CMP_EQ, 8, zn_ir_alui(f, ALU_SHR, 8, id, 32), k, body, next);
        zn_ir_at(f, body);
        zn_vreg t = zn_ir_call(f, BPF_FUNC_ktime_get_ns, ZN_V_SCALAR, 0);
        zn_ir_atomic(f, AT_ADD, zn_ir_mapval(f, 0, 8 * k), 0, 8, t, ZN_NOREG);
        zn_ir_jmp(f, next);
        zn_ir_at(f, next);
    }
    zn_ir_ret(f, 0);
    struct zn_code code;
    const char *why = "";
    clock_t from = clock();
    zn_ir_optimise(f);
    assert_int_equal(zn_ir_assemble(f, true, &code, &why), 0);
    assert_true((double)(clock() - from) / CLOCKS_PER_SEC < 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_hints, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_exchange, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_spill, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_remat, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_no_stale_registers, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_speed, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
