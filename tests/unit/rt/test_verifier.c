/* SPDX-License-Identifier: Apache-2.0 */
/* Verifier logs as kernels write them: where and why. */
#include "test.h"

#include <string.h>

#include "rt/verifier.h"

static const char old_log[] =
    "0: R1=ctx(off=0,imm=0) R10=fp0\n"
    "; @x = args.nosuch (a.bt:3)\n"
    "0: (79) r2 = *(u64 *)(r1 +800)\n"
    "invalid bpf_context access off=800 size=8\n"
    "processed 1 insns (limit 1000000) max_states_per_insn 0 total_states 0 "
    "peak_states 0 mark_read 0\n";

static const char branches[] =
    "func#0 @0\n"
    "0: R1=ctx() R10=fp0\n"
    "4: (85) call bpf_map_lookup_elem#1     ; R0_w=map_value_or_null(id=1)\n"
    "5: (79) r1 = *(u64 *)(r0 +0)\n"
    "R0 invalid mem access 'map_value_or_null'\n"
    "verification time 89 usec\n"
    "stack depth 8\n"
    "processed 6 insns (limit 1000000)\n";

static const char from_to[] = "from 12 to 17: R0=0 R10=fp0\n"
                              "17: (95) exit\n"
                              "from 3 to 21: R0=scalar() R10=fp0\n"
                              "R9 !read_ok\n";

static void check(const char *log, int64_t insn, const char *complaint, const char *means)
{
    size_t len;
    const char *c = zn_verifier_complaint(log, &len);
    assert_int_equal(zn_verifier_insn(log), insn);
    assert_int_equal(len, strlen(complaint));
    assert_memory_equal(c, complaint, len);
    if (means)
        assert_string_equal(zn_verifier_explain(c, len, NULL), means);
    else
        assert_null(zn_verifier_explain(c, len, NULL));
}

static void finds_place_and_reason(void **state)
{
    (void)state;
    check(old_log, 0, "invalid bpf_context access off=800 size=8",
          "this field of the probe's context can't be read on this kernel");
    check(branches, 5, "R0 invalid mem access 'map_value_or_null'",
          "a map's element is used before it's known to exist");
    check(from_to, 21, "R9 !read_ok", "a value is used before it has been set");
}

static void survives_anything(void **state)
{
    (void)state;
    check("", -1, "", NULL);
    check("\n\n", -1, "", NULL);
    check("12:", 12, "", NULL);
    check("from ", -1, "from ", NULL);
    check("something new happened", -1, "something new happened", NULL);
    check("99999999999999999999: (07)", INT64_MAX, "", NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_place_and_reason),
        cmocka_unit_test(survives_anything),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
