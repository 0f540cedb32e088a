/* SPDX-License-Identifier: Apache-2.0 */
/* The feature table: complete rows, what rests on what, taking features away. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "kern/btf.h"
#include "kern/feature.h"
#include "kern/sysinfo.h"

static void test_rows(void **state)
{
    (void)state;
    for (unsigned i = 0; i < _ZN_FEATURE_MAX; i++) {
        const struct zn_feature_row *row = zn_feature_row(i);

        assert_non_null(row->name);
        assert_non_null(row->since);
        assert_non_null(row->probe);
        assert_non_null(row->without);
        assert_null(strchr(row->name, ','));
        for (unsigned k = 0; k < i; k++)
            assert_string_not_equal(row->name, zn_feature_row(k)->name);
    }
}

static void test_disable(void **state)
{
    struct zn_features f;
    const char *bad = NULL;
    size_t len = 0;

    (void)state;
    zn_features_init(&f, NULL);
    assert_int_equal(zn_features_disable(&f, "raw_tp,bpf_loop", &bad, &len), 0);
    assert_false(zn_features_has(&f, ZF_RAW_TP));
    assert_false(zn_features_has(&f, ZF_BPF_LOOP));
    assert_int_equal(zn_features_all(&f) & (1ULL << ZF_RAW_TP), 0);
    assert_int_equal(zn_features_disable(&f, "", &bad, &len), 0);
    assert_int_equal(zn_features_disable(&f, "cookie,raw", &bad, &len), -EINVAL);
    assert_int_equal(len, 3);
    assert_memory_equal(bad, "raw", 3);
    /* What needs kernel types goes with them. */
    assert_false(zn_features_has(&f, ZF_BTF));
    assert_false(zn_features_has(&f, ZF_TP_BTF));
    assert_false(zn_features_has(&f, ZF_FENTRY));
    assert_false(zn_features_has(&f, ZF_ITER_NUM));
    assert_int_equal(zn_features_disable(&f, "kprobes", &bad, &len), 0);
    assert_false(zn_features_has(&f, ZF_KPROBE_MULTI));
}

static void test_old_kernel(void **state)
{
    struct zn_features f;

    (void)state;
    zn_features_init(&f, NULL);
    f.version = 5010;
    assert_true(zn_features_has(&f, ZF_RAW_TP));
    assert_true(zn_features_has(&f, ZF_KTIME_BOOT));
    assert_false(zn_features_has(&f, ZF_BPF_LOOP));
    assert_false(zn_features_has(&f, ZF_COOKIE));
    assert_false(zn_features_has(&f, ZF_KTIME_TAI));
}

static double now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* Names among the kernel's types say the same as its version. */
static void test_running_kernel(void **state)
{
    struct zn_kbtf *btf = NULL;
    struct zn_features by_name, f;
    double begin, ms;
    uint64_t all;

    (void)state;
    if (zn_kbtf_open(NULL, &btf) < 0 || zn_kernel_version() < 6001) {
        zn_kbtf_close(btf);
        skip();
    }
    begin = now_ms();
    zn_features_init(&f, btf);
    all = zn_features_all(&f);
    ms = now_ms() - begin;
    zn_features_init(&by_name, btf);
    by_name.version = 0;
    for (unsigned i = ZF_TASK_BTF; i <= ZF_KTIME_TAI; i++)
        if (i != ZF_ATOMIC_FETCH)
            assert_int_equal(zn_features_has(&by_name, i), all >> i & 1);
    print_message("features %llx in %.2f ms\n", (unsigned long long)all, ms);
    zn_kbtf_close(btf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_disable),
        cmocka_unit_test(test_old_kernel),
        cmocka_unit_test(test_running_kernel),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
