/* SPDX-License-Identifier: Apache-2.0 */
/* Facts about the machine: their parsers, and that the answers here make sense. */
#include <errno.h>
#include <linux/capability.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "kern/sysinfo.h"

static void test_cpu_list(void **state)
{
    static const char *const bad[] = {"", "\n", "x", "0-", "3-1", "1,,2", "0-99999999", "1;2"};
    unsigned max, count;

    (void)state;
    assert_int_equal(zn_cpu_list("0\n", &max, &count), 0);
    assert_int_equal(max, 1);
    assert_int_equal(zn_cpu_list("0-3,8,10-11\n", &max, &count), 0);
    assert_int_equal(max, 12);
    assert_int_equal(count, 7);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_int_equal(zn_cpu_list(bad[i], &max, &count), -EINVAL);
}

static void test_lockdown(void **state)
{
    (void)state;
    assert_int_equal(zn_lockdown_parse("none [integrity] confidentiality\n"),
                     ZN_LOCKDOWN_INTEGRITY);
    assert_int_equal(zn_lockdown_parse("[none] integrity confidentiality\n"), ZN_LOCKDOWN_NONE);
    assert_int_equal(zn_lockdown_parse(""), ZN_LOCKDOWN_UNKNOWN);
    assert_non_null(zn_lockdown_name(zn_lockdown_state()));
}

static void test_caps(void **state)
{
    uint64_t admin = 1ULL << CAP_SYS_ADMIN;

    (void)state;
    assert_true(zn_cap_effective(admin, CAP_BPF));
    assert_true(zn_cap_effective(admin, CAP_PERFMON));
    assert_false(zn_cap_has(admin, CAP_BPF));
    assert_false(zn_cap_effective(admin, CAP_SYS_PTRACE));
    assert_false(zn_cap_effective(0, CAP_BPF));
}

static void test_here(void **state)
{
    struct zn_confinement c;
    struct timespec wall, boot;
    int64_t off;

    (void)state;
    assert_true(zn_kernel_version() > 4000);
    assert_true(zn_cpus_online() >= 1 && zn_cpus_online() <= zn_cpus_possible());
    assert_int_equal(zn_page_size(), sysconf(_SC_PAGESIZE));
    off = zn_boot_offset_ns();
    clock_gettime(CLOCK_REALTIME, &wall);
    clock_gettime(CLOCK_BOOTTIME, &boot);
    off -= (int64_t)(wall.tv_sec - boot.tv_sec) * 1000000000 + (wall.tv_nsec - boot.tv_nsec);
    assert_in_range(off + 1000000000, 0, 2000000000);
    zn_confinement(&c);
    zn_caps_effective();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cpu_list),
        cmocka_unit_test(test_lockdown),
        cmocka_unit_test(test_caps),
        cmocka_unit_test(test_here),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
