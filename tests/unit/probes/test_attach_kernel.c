/* SPDX-License-Identifier: Apache-2.0 */
/* Probes on kernel functions count what the test triggers. Native where the kernel has them; the vm
 * suite runs this program on every kernel of the test beds. */
#include <errno.h>
#include <linux/bpf.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "arch/arch.h"
#include "base/mem.h"
#include "kern/feature.h"
#include "probes/attach_impl.h"
#include "probes/pmu.h"
#include "probes_test.h"

enum { CALLS = 100, KPROBE_MULTI_ATTACH = 42 };

static struct place place;
static struct zn_features features;
static bool kprobes, cookies;

static int setup(void **state)
{
    struct zn_probes_env env = {0};
    struct zn_pmu pmu;
    struct zn_kbtf *blob = NULL;

    (void)state;
    (void)zn_kbtf_open(NULL, &blob);
    zn_features_init(&features, blob);
    env.features = zn_features_all(&features);
    place_open(&place, &env);
    kprobes = may_trace() && zn_pmu_read("kprobe", &pmu) == 0;
    cookies = zn_features_has(&features, ZF_COOKIE);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    place_close(&place);
    return 0;
}

/* The kernel's function behind getppid. It has several names, of which ftrace lists another. */
#if defined(__x86_64__)
#define GETPPID "__x64_sys_getppid"
#elif defined(__aarch64__)
#define GETPPID "__arm64_sys_getppid"
#endif

static void attach(const struct counter *c, struct zn_prog *prog, struct zn_links *links)
{
    struct zn_attachment *att = zn_arena_array(&place.arena, struct zn_attachment, place.list.n);
    char why[256] = "";
    int r;

    for (uint32_t i = 0; i < place.list.n; i++)
        att[i] =
            (struct zn_attachment){.target = &place.list.v[i], .cookie = cookies ? 100 + i : 0};
    prog->name = "test";
    prog->att = att;
    prog->natt = place.list.n;
    prog->provider = place.list.v[0].provider;
    zn_links_init(links);
    r = zn_attach(prog, c->prog, links, why, sizeof(why));
    if (r)
        fail_msg("%d: %s", r, why);
}

/* Loads, attaches to the last expansion, makes CALLS calls and compares. */
static void count(struct zn_prog *prog, const struct counter_opts *o, bool exact)
{
    struct zn_links links;
    struct counter c;
    int r = counter_open(&c, o);

    if (r)
        fail_msg("the program does not load: %d", r);
    attach(&c, prog, &links);
    for (int i = 0; i < CALLS; i++)
        (void)syscall(SYS_getppid);
    if (exact)
        assert_int_equal(c.cells[0], CALLS);
    else
        assert_true(c.cells[0] >= CALLS);
    if (o->cookies && place.list.n == 1)
        assert_int_equal(c.cells[1], 100 * CALLS);
    zn_links_detach(&links);
    counter_close(&c);
}

static void test_kprobe(void **state)
{
    struct counter_opts o = {.prog_type = BPF_PROG_TYPE_KPROBE, .only_nr = -1, .cookies = cookies};
    struct zn_prog prog = {.how = ZH_KPROBE};

    (void)state;
    if (!kprobes)
        skip_here();
    place_one(&place, "kprobe:" GETPPID);
    count(&prog, &o, true);
    place_one(&place, "kretprobe:" GETPPID);
    count(&prog, &o, true);
    place_one(&place, "k:" GETPPID "+0");
    count(&prog, &o, true);
}

static void test_kprobe_wildcard(void **state)
{
    struct counter_opts o = {.prog_type = BPF_PROG_TYPE_KPROBE, .only_nr = -1, .cookies = cookies};
    struct zn_prog prog = {.how = ZH_KPROBE};

    (void)state;
    if (!kprobes)
        skip_here();
    assert_int_equal(place_expand(&place, "kprobe:vfs_re*"), 0);
    assert_true(place.list.n >= 3);
    assert_non_null(place_find(&place, "kprobe:vfs_read"));
    place_one(&place, "kprobe:*_sys_getppi*");
    count(&prog, &o, true);
}

static void test_kprobe_multi(void **state)
{
    struct counter_opts o = {.prog_type = BPF_PROG_TYPE_KPROBE,
                             .expected_attach = KPROBE_MULTI_ATTACH,
                             .only_nr = -1,
                             .cookies = true};
    struct zn_prog prog = {.how = ZH_KPROBE_MULTI};

    (void)state;
    if (!kprobes || !zn_features_has(&features, ZF_KPROBE_MULTI))
        skip_here();
    place_one(&place, "kprobe:*_sys_getppi*");
    count(&prog, &o, true);
    place_one(&place, "kretprobe:*_sys_getppi*");
    count(&prog, &o, true);
    assert_int_equal(place_expand(&place, "kprobe:*_sys_get*p*id"), 0);
    assert_true(place.list.n > 1);
    count(&prog, &o, false);
}

static void test_kprobe_args(void **state)
{
    const struct zn_field *f;
    struct zn_target *t;

    (void)state;
    if (!kprobes || !place.btf)
        skip_here();
    t = place_one(&place, "kprobe:vfs_read");
    assert_int_equal(place.host->target_args(place.host->arg, &place.types, t, &place.why), 0);
    f = field_of(t, "count");
    assert_non_null(f);
    assert_int_equal(f->reg, ZN_REG_ARG);
    assert_int_equal(f->arg, 2);
    assert_int_equal(f->type->size, 8);
}

static void test_kprobe_mistakes(void **state)
{
    struct counter_opts o = {.prog_type = BPF_PROG_TYPE_KPROBE, .only_nr = -1};
    struct zn_attachment att;
    struct zn_prog prog = {.how = ZH_KPROBE, .name = "test", .att = &att, .natt = 1};
    struct zn_links links;
    char why[256] = "";
    struct counter c;

    (void)state;
    if (!kprobes) {
        assert_int_equal(place_expand(&place, "kprobe:vfs_read"), -EOPNOTSUPP);
        assert_non_null(strstr(place.why, "CONFIG_KPROBE_EVENTS"));
        skip_here();
    }
    assert_int_equal(place_expand(&place, "kprobe:vfs_raed"), -ENOENT);
    assert_non_null(place.hint);
    assert_int_equal(place_expand(&place, "kprobe:zn_no_such_*"), -ENOENT);
    assert_int_equal(place_expand(&place, "kretprobe:vfs_read+4"), -EINVAL);
    assert_int_equal(place_expand(&place, "kretprobe:_raw_spin_lock"), -EINVAL);
    if (place_expand(&place, "kretprobe:_raw_spin_l*") == 0)
        assert_null(place_find(&place, "kretprobe:_raw_spin_lock"));
    assert_int_equal(place_expand(&place, "kprobe:vfs_r*+4"), -EINVAL);
    place_one(&place, "kprobe:vfs_read");
    place.list.v[0].sym = "zn_no_such_function";
    att = (struct zn_attachment){.target = &place.list.v[0]};
    assert_int_equal(counter_open(&c, &o), 0);
    zn_links_init(&links);
    assert_true(zn_attach(&prog, c.prog, &links, why, sizeof(why)) < 0);
    assert_non_null(strstr(why, "kprobe:vfs_read"));
    assert_int_equal(links.n, 0);
    counter_close(&c);
}

/* Of several functions those that cannot be probed are left out, and that is said. */
static void test_left_out(void **state)
{
    struct counter_opts o = {.prog_type = BPF_PROG_TYPE_KPROBE, .only_nr = -1};
    struct zn_attachment att[2];
    struct zn_prog prog = {.how = ZH_KPROBE, .name = "test", .att = att, .natt = 2};
    struct zn_links links;
    char why[256] = "";
    struct counter c;

    (void)state;
    if (!kprobes)
        skip_here();
    assert_int_equal(place_expand(&place, "kprobe:vfs_re*"), 0);
    assert_true(place.list.n >= 2);
    place.list.v[0].sym = GETPPID;
    place.list.v[1].sym = "zn_no_such_function";
    for (int i = 0; i < 2; i++)
        att[i] = (struct zn_attachment){.target = &place.list.v[i]};
    assert_int_equal(counter_open(&c, &o), 0);
    zn_links_init(&links);
    assert_int_equal(zn_attach(&prog, c.prog, &links, why, sizeof(why)), 0);
    assert_non_null(strstr(why, "left out 1 of 2"));
    for (int i = 0; i < CALLS; i++)
        (void)syscall(SYS_getppid);
    assert_int_equal(c.cells[0], CALLS);
    zn_links_detach(&links);
    counter_close(&c);
}

static void trampoline(const char *written, uint32_t attach_type)
{
    struct counter_opts o = {
        .prog_type = BPF_PROG_TYPE_TRACING, .expected_attach = attach_type, .only_nr = -1};
    struct zn_prog prog = {.how = ZH_BTF, .expected_attach = attach_type};

    assert_int_equal(place_expand(&place, written), 0);
    place.list.n = 1; /* BTF may have it under two names */
    o.btf_id = place.list.v[0].btf_id;
    count(&prog, &o, true); /* attaches with a cookie that kernels before 6.0 do without */
}

static void test_fentry(void **state)
{
    (void)state;
    if (!may_trace() || !zn_features_has(&features, ZF_FENTRY)) {
        assert_int_equal(place_expand(&place, "fentry:vfs_read"), -EOPNOTSUPP);
        skip_here();
    }
    trampoline("fentry:*_sys_getppid", BPF_TRACE_FENTRY);
    trampoline("fexit:*_sys_getppid", BPF_TRACE_FEXIT);
    assert_int_equal(place_expand(&place, "fentry:vfs_re*"), 0);
    assert_non_null(place_find(&place, "fentry:vmlinux:vfs_read"));
    assert_int_equal(place_expand(&place, "fentry:vfs_raed"), -ENOENT);
}

static void test_kaddr(void **state)
{
    uint64_t addr = 0;
    int r;

    (void)state;
    r = place.host->kaddr(place.host->arg, "vfs_read", &addr);
    if (r == -EPERM)
        skip_here();
    assert_int_equal(r, 0);
    assert_true(addr > UINT64_MAX / 2);
    assert_int_equal(place.host->kaddr(place.host->arg, "zn_no_such", &addr), -ENOENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kprobe),          cmocka_unit_test(test_kprobe_wildcard),
        cmocka_unit_test(test_kprobe_multi),    cmocka_unit_test(test_kprobe_args),
        cmocka_unit_test(test_kprobe_mistakes), cmocka_unit_test(test_left_out),
        cmocka_unit_test(test_fentry),          cmocka_unit_test(test_kaddr),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
