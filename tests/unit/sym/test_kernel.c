/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel addresses against /proc/kallsyms. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "sym/sym.h"

static uint64_t kallsyms(const char *want)
{
    FILE *f = fopen("/proc/kallsyms", "r");
    char line[512], name[256], type;
    uint64_t addr, found = 0;
    while (f && !found && fgets(line, sizeof(line), f))
        if (sscanf(line, "%" SCNx64 " %c %255s", &addr, &type, name) == 3 && !strcmp(name, want))
            found = addr;
    if (f)
        fclose(f);
    return found;
}

static void test_functions(void **state)
{
    (void)state;
    static const char *const names[] = {"vfs_read", "schedule", "do_exit"};
    struct zn_sym *s = zn_sym_new(NULL);
    struct zn_sym_name n;
    for (int i = 0; i < 3; i++) {
        uint64_t addr = kallsyms(names[i]);
        if (!addr) { /* hidden from this user */
            assert_true(zn_sym_kernel(s, 0xffffffff81000000, &n) < 0);
            assert_null(n.name);
            zn_sym_free(s);
            skip();
        }
        assert_int_equal(zn_sym_kernel(s, addr + 5, &n), 0);
        assert_string_equal(n.name, names[i]);
        assert_string_equal(n.module, "vmlinux");
        assert_int_equal(n.off, 5);
    }
    ZN_AUTOSTR struct zn_str out;
    zn_str_init(&out);
    zn_sym_put(&out, 0, &n, true);
    assert_string_equal(zn_str_c(&out), "do_exit+5");
    zn_str_clear(&out);
    zn_sym_put(&out, 0, &n, false);
    assert_string_equal(zn_str_c(&out), "do_exit");
    zn_sym_free(s);
}

static void test_no_function(void **state)
{
    (void)state;
    struct zn_sym *s = zn_sym_new(NULL);
    struct zn_sym_name n;
    assert_true(zn_sym_kernel(s, 0x1000, &n) < 0);
    assert_null(n.name);
    assert_null(n.module);
    zn_sym_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_functions),
        cmocka_unit_test(test_no_function),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
