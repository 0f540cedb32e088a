/* SPDX-License-Identifier: Apache-2.0 */
/* Demangling: C++, both Rust schemes, stubs, and names that are none of these. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "sym/demangle.h"

static void check(const char *mangled, const char *want)
{
    struct zn_str s;
    zn_str_init(&s);
    zn_demangle(&s, mangled);
    assert_string_equal(zn_str_c(&s), want);
    zn_str_fini(&s);
}

static void test_cplusplus(void **state)
{
    (void)state;
    check("_ZN5torch2nn6Linear7forwardERKNS_6TensorE",
          "torch::nn::Linear::forward(torch::Tensor const&)");
    check("_Z3addii", "add(int, int)");
    check("_ZNSt6vectorIiSaIiEE9push_backERKi",
          "std::vector<int, std::allocator<int> >::push_back(int const&)");
}

static void test_rust(void **state)
{
    (void)state;
    check("_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE", "core::fmt::Write::write_fmt");
    check("_RNvCs1234_7mycrate3foo", "mycrate::foo");
}

static void test_plain(void **state)
{
    (void)state;
    check("main", "main");
    check("_start", "_start");
    check("__libc_start_main", "__libc_start_main");
    check("_Znot_a_name", "_Znot_a_name");
    check("_Z", "_Z");
    check("", "");
}

static void test_stub(void **state)
{
    (void)state;
    check("puts@plt", "puts@plt");
    check("_Z3addii@plt", "add(int, int)@plt");
}

static void test_deep_nesting_ends(void **state)
{
    (void)state;
    char name[8192] = "_Z1f";
    memset(name + 4, 'P', sizeof(name) - 6);
    name[sizeof(name) - 2] = 'i';
    struct zn_str s;
    zn_str_init(&s);
    zn_demangle(&s, name);
    assert_true(s.len > 0);
    zn_str_fini(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cplusplus),
        cmocka_unit_test(test_rust),
        cmocka_unit_test(test_plain),
        cmocka_unit_test(test_stub),
        cmocka_unit_test(test_deep_nesting_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
