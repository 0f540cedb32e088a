/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel symbols from a written table and from the running kernel. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "kern/kallsyms.h"

static char path[] = "/tmp/zhen-test-kallsyms-XXXXXX";

static void put_file(const char *text)
{
    FILE *f = fopen(path, "we");

    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static int set_up(void **state)
{
    int fd = mkstemp(path);

    (void)state;
    assert_true(fd >= 0);
    close(fd);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    unlink(path);
    return 0;
}

static const char table[] = "0000000000000000 A fixed_percpu_data\n"
                            "ffffffff81000000 T _stext\n"
                            "ffffffff81000000 T startup_64\n"
                            "ffffffff81000100 t helper\n"
                            "ffffffff81000200 T vfs_read\n"
                            "ffffffff82000000 D some_data\n"
                            "ffffffffc0400000 t init\t[zfs]\n"
                            "ffffffffc0100000 t init\t[kvm]\n"
                            "ffffffffc0100080 t vfs_read\t[kvm]\n"
                            "ffffffffc0000010 t bpf_prog_1234_test\t[bpf]\n"
                            "not a line\n"
                            "\n";

static void check_addr(const struct zn_kallsyms *k, uint64_t addr, const char *name,
                       const char *module, uint64_t off)
{
    struct zn_ksym s;
    uint64_t got;

    assert_true(zn_kallsyms_addr(k, addr, &s, &got));
    assert_string_equal(s.name, name);
    assert_string_equal(s.module, module);
    assert_int_equal(got, off);
}

static void test_lookup(void **state)
{
    struct zn_kallsyms *k = NULL;
    struct zn_ksym s;
    uint64_t v, off;

    (void)state;
    put_file(table);
    assert_int_equal(zn_kallsyms_load(path, &k), 0);
    assert_int_equal(zn_kallsyms_count(k), 9);
    check_addr(k, 0xffffffff81000000, "_stext", "", 0); /* the first of two names */
    check_addr(k, 0xffffffff810000ff, "_stext", "", 0xff);
    check_addr(k, 0xffffffff81000100, "helper", "", 0);
    check_addr(k, 0xffffffff81000234, "vfs_read", "", 0x34);
    check_addr(k, 0xffffffffc0100001, "init", "kvm", 1);
    check_addr(k, 0xffffffffc0400010, "init", "zfs", 0x10);
    check_addr(k, 0xffffffffc0000010, "bpf_prog_1234_test", "bpf", 0);
    assert_false(zn_kallsyms_addr(k, 0x400000, &s, &off));
    assert_false(zn_kallsyms_addr(k, 0, &s, &off));
    assert_false(zn_kallsyms_addr(k, UINT64_MAX, &s, &off));
    assert_true(zn_kallsyms_find(k, "vfs_read", &v));
    assert_true(v == 0xffffffff81000200);
    assert_true(zn_kallsyms_find(k, "bpf_prog_1234_test", &v));
    assert_false(zn_kallsyms_find(k, "vfs_rea", &v));
    for (size_t i = 1; i < zn_kallsyms_count(k); i++) {
        struct zn_ksym t;

        zn_kallsyms_at(k, i - 1, &s);
        zn_kallsyms_at(k, i, &t);
        assert_true(s.addr <= t.addr);
    }
    zn_kallsyms_free(k);
    zn_kallsyms_free(NULL);
}

static void test_quick(void **state)
{
    uint64_t v = 0;

    (void)state;
    put_file(table);
    assert_int_equal(zn_kallsyms_find_quick(path, "vfs_read", NULL, &v), 0);
    assert_true(v == 0xffffffff81000200);
    assert_int_equal(zn_kallsyms_find_quick(path, "vfs_read", "kvm", &v), 0);
    assert_true(v == 0xffffffffc0100080);
    assert_int_equal(zn_kallsyms_find_quick(path, "vfs_read", "kv", &v), -ENOENT);
    assert_int_equal(zn_kallsyms_find_quick(path, "nope", NULL, &v), -ENOENT);
    assert_int_equal(zn_kallsyms_find_quick("/no/such/file", "nope", NULL, &v), -ENOENT);
}

static void test_hidden(void **state)
{
    struct zn_kallsyms *k = NULL;
    uint64_t v;

    (void)state;
    put_file("0000000000000000 T _stext\n0000000000000000 T vfs_read\n");
    assert_int_equal(zn_kallsyms_load(path, &k), -EPERM);
    assert_int_equal(zn_kallsyms_find_quick(path, "vfs_read", NULL, &v), -EPERM);
    assert_null(k);
}

static void test_running_kernel(void **state)
{
    struct zn_kallsyms *k = NULL;
    uint64_t a, b;

    (void)state;
    if (zn_kallsyms_find_quick(NULL, "_stext", NULL, &a) < 0)
        skip();
    assert_int_equal(zn_kallsyms_load(NULL, &k), 0);
    assert_true(zn_kallsyms_count(k) > 10000);
    assert_true(zn_kallsyms_find(k, "_stext", &b));
    assert_true(a == b);
    assert_true(zn_kallsyms_find(k, "vfs_read", &a));
    check_addr(k, a + 1, "vfs_read", "", 1);
    zn_kallsyms_free(k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lookup),
        cmocka_unit_test(test_quick),
        cmocka_unit_test(test_hidden),
        cmocka_unit_test(test_running_kernel),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
