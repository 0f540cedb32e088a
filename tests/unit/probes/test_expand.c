/* SPDX-License-Identifier: Apache-2.0 */
/* Attach points become targets: names, wildcards against the machine's own listing, mistakes. */
#include <dirent.h>
#include <errno.h>
#include <time.h>
#include <unistd.h>

#include "arch/arch.h"
#include "kern/tracefs.h"
#include "probes/kind.h"
#include "probes_test.h"

static void test_names(void **state)
{
    static const struct {
        const char *name;
        enum zn_provider id;
    } rows[] = {
        {"BEGIN", ZP_BEGIN},  {"begin", ZP_BEGIN},    {"END", ZP_END},
        {"i", ZP_INTERVAL},   {"p", ZP_PROFILE},      {"s", ZP_SOFTWARE},
        {"h", ZP_HARDWARE},   {"t", ZP_TRACEPOINT},   {"rt", ZP_RAWTRACEPOINT},
        {"k", ZP_KPROBE},     {"kr", ZP_KRETPROBE},   {"f", ZP_FENTRY},
        {"kfunc", ZP_FENTRY}, {"kretfunc", ZP_FEXIT}, {"fr", ZP_FEXIT},
        {"u", ZP_UPROBE},     {"ur", ZP_URETPROBE},   {"U", ZP_USDT},
        {"w", ZP_WATCHPOINT}, {"it", ZP_ITER},        {"self", ZP_SELF},
        {"BENCH", ZP_BENCH},  {"test", ZP_TEST},      {"TracePoint", ZP_TRACEPOINT},
    };

    (void)state;
    for (size_t i = 0; i < ZN_ARRAY_SIZE(rows); i++) {
        const struct zn_provider_info *p = zn_provider_find(rows[i].name);

        assert_non_null(p);
        assert_int_equal(p->id, rows[i].id);
    }
    assert_null(zn_provider_find("tracepoints"));
    for (unsigned i = 0; i < _ZN_PROVIDER_MAX; i++) {
        assert_int_equal(zn_providers[i].id, i);
        assert_non_null(zn_kinds[i].expand);
    }
}

static void test_glob(void **state)
{
    (void)state;
    assert_true(zn_glob("*", ""));
    assert_true(zn_glob("vfs_*", "vfs_read"));
    assert_true(zn_glob("*read*", "vfs_readv"));
    assert_true(zn_glob("a*b*c", "axxbyybc"));
    assert_true(zn_glob("a**c", "ac"));
    assert_false(zn_glob("vfs_*", "svfs_read"));
    assert_false(zn_glob("a*b", "abc"));
    assert_false(zn_glob("a?c", "abc"));
    assert_false(zn_glob("", "a"));
}

static void test_periods(void **state)
{
    static const struct {
        const char *written, *unit;
        uint64_t value;
    } good[] = {
        {"interval:s:1", "s", 1000000000}, {"i:ms:250", "ms", 250000000},
        {"interval:hz:10", "hz", 10},      {"profile:us:100", "us", 100000},
        {"profile:1ms", "ms", 1000000},    {"profile:1000000", "ns", 1000000},
        {"profile:hz:1_000", "hz", 1000},  {"interval:2m", "m", 120000000000},
    };
    static const char *const bad[] = {"interval:s:0",         "interval:x:1",
                                      "interval:s:-1",        "interval:s:1x",
                                      "interval:5",           "interval:s:",
                                      "profile:hz:2000000",   "interval:s:99999999999999999999",
                                      "interval:d:9999999999"};
    struct place p;

    (void)state;
    place_open(&p, NULL);
    for (size_t i = 0; i < ZN_ARRAY_SIZE(good); i++) {
        struct zn_target *t = place_one(&p, good[i].written);

        assert_string_equal(t->sym, good[i].unit);
        assert_true(t->value == good[i].value);
        assert_int_equal(t->nr, -1);
    }
    assert_string_equal(place_one(&p, "i:s:1")->name, "interval:s:1");
    for (size_t i = 0; i < ZN_ARRAY_SIZE(bad); i++) {
        assert_int_equal(place_expand(&p, bad[i]), -EINVAL);
        assert_non_null(p.why);
        assert_int_equal(p.list.n, 0);
    }
    place_close(&p);
}

static void test_perf_events(void **state)
{
    struct place p;

    (void)state;
    place_open(&p, NULL);
    assert_string_equal(place_one(&p, "software:faults:10")->sym, "page-faults");
    assert_true(place_one(&p, "s:cs:")->value == 1000);
    assert_true(place_one(&p, "hardware:cycles:5000")->value == 5000);
    assert_int_equal(place_expand(&p, "software:fualts:1"), -ENOENT);
    assert_string_equal(p.hint, "did you mean 'faults'?");
    assert_int_equal(place_expand(&p, "software:faults:x"), -EINVAL);
    assert_int_equal(place_expand(&p, "hardware:*:1"), -EINVAL);
    place_close(&p);
}

static void test_special(void **state)
{
    struct place p;

    (void)state;
    place_open(&p, NULL);
    assert_string_equal(place_one(&p, "BEGIN")->name, "begin");
    assert_string_equal(place_one(&p, "self:signal:SIGUSR1")->sym, "SIGUSR1");
    assert_int_equal(place_expand(&p, "self:signal:SIGHUP"), -EINVAL);
    assert_int_equal(place_expand(&p, "iter:task"), -ENOSYS);
    assert_string_equal(p.why, "iter probes are not supported yet");
    place_close(&p);
}

static void test_watchpoint(void **state)
{
    struct zn_probes_env env = {.arch = &zn_arch_x86_64, .pid = 7};
    struct zn_target *t;
    struct place p;

    (void)state;
    place_open(&p, &env);
    t = place_one(&p, "watchpoint:0x1000:4:rw");
    assert_string_equal(t->name, "watchpoint:0x1000:4:rw");
    assert_true(t->value == 0x1000 && t->len == 4 && t->mode == (ZN_WATCH_R | ZN_WATCH_W));
    assert_int_equal(t->pid, 7);
    assert_int_equal(place_one(&p, "w:18446744071562067968:1:w")->value, 0xffffffff80000000);
    t = place_one(&p, "w:4097:1:x");
    assert_true(t->value == 4097 && t->len == 8 && t->mode == ZN_WATCH_X);
    assert_int_equal(place_expand(&p, "w:0x1000:3:w"), -EINVAL);
    assert_non_null(strstr(p.why, "length"));
    assert_int_equal(place_expand(&p, "w:0x1000:16:w"), -EINVAL);
    assert_int_equal(place_expand(&p, "w:0x1000::w"), -EINVAL);
    assert_int_equal(place_expand(&p, "w:0x1004:8:w"), -EINVAL);
    assert_non_null(strstr(p.why, "multiple"));
    assert_int_equal(place_expand(&p, "w:0x1000:8:ww"), -EINVAL);
    assert_non_null(strstr(p.why, "twice"));
    assert_int_equal(place_expand(&p, "w:0x1000:8:q"), -EINVAL);
    assert_int_equal(place_expand(&p, "w:0x1000:8:"), -EINVAL);
    assert_int_equal(place_expand(&p, "w:0x1000:8:r"), -EINVAL);
    assert_non_null(strstr(p.why, "reads alone"));
    assert_int_equal(place_expand(&p, "w:0x1000:8:rx"), -EINVAL);
    assert_int_equal(place_expand(&p, "w:main:8:w"), -EINVAL);
    assert_int_equal(place_expand(&p, "w:0x10000000000000000:8:w"), -EINVAL);
    assert_int_equal(place_expand(&p, "w:-8:8:w"), -EINVAL);
    place_close(&p);

    env.arch = &zn_arch_arm64;
    place_open(&p, &env);
    assert_int_equal(place_one(&p, "w:0x1000:8:r")->mode, ZN_WATCH_R);
    assert_int_equal(place_one(&p, "w:0x1000:8:x")->len, 4);
    place_close(&p);
}

static bool have_events(void)
{
    char root[ZN_TRACEFS_PATH];

    return zn_tracefs_find(root) == 0 && access(root, R_OK | X_OK) == 0;
}

/* What a plain listing of the directory holds, the expansion holds, and nothing else. */
static void test_tracepoint_wildcard(void **state)
{
    char root[ZN_TRACEFS_PATH], path[ZN_TRACEFS_PATH + 64], name[512];
    struct timespec a, b;
    unsigned count = 0;
    struct dirent *e;
    struct place p;
    DIR *d;

    (void)state;
    if (!have_events())
        skip_here();
    zn_tracefs_find(root);
    place_open(&p, NULL);
    clock_gettime(CLOCK_MONOTONIC, &a);
    assert_int_equal(place_expand(&p, "tracepoint:syscalls:sys_enter_*"), 0);
    clock_gettime(CLOCK_MONOTONIC, &b);
    print_message("# %u targets in %ld us\n", p.list.n,
                  (b.tv_sec - a.tv_sec) * 1000000 + (b.tv_nsec - a.tv_nsec) / 1000);
    snprintf(path, sizeof(path), "%s/events/syscalls", root);
    d = opendir(path);
    assert_non_null(d);
    while ((e = readdir(d))) {
        if (strncmp(e->d_name, "sys_enter_", 10) != 0)
            continue;
        count++;
        snprintf(name, sizeof(name), "tracepoint:syscalls:%s", e->d_name);
        assert_non_null(place_find(&p, name));
    }
    closedir(d);
    assert_int_equal(p.list.n, count);
    for (uint32_t i = 1; i < p.list.n; i++)
        assert_true(strcmp(p.list.v[i - 1].name, p.list.v[i].name) < 0);
    assert_int_equal(place_expand(&p, "t:sch*:sched_swit*"), 0);
    assert_int_equal(p.list.n, 1);
    assert_string_equal(p.list.v[0].name, "tracepoint:sched:sched_switch");
    place_close(&p);
}

static void test_tracepoint_one(void **state)
{
    struct place p;
    struct zn_target *t;

    (void)state;
    if (!have_events())
        skip_here();
    place_open(&p, NULL);
    t = place_one(&p, "tracepoint:syscalls:sys_enter_newuname");
    assert_int_equal(t->nr, zn_syscall_by_entry(zn_arch_native(), "newuname")->nr);
    assert_false(t->is_exit);
    t = place_one(&p, "tracepoint:syscalls:sys_exit_read");
    assert_int_equal(t->nr, zn_syscall_by_entry(zn_arch_native(), "read")->nr);
    assert_true(t->is_exit);
    assert_int_equal(place_one(&p, "tracepoint:raw_syscalls:sys_enter")->nr, -1);
    assert_int_equal(place_expand(&p, "tracepoint:syscalls:sys_enter_raed"), -ENOENT);
    assert_string_equal(p.why, "tracepoint not found: syscalls:sys_enter_raed");
    assert_string_equal(p.hint, "did you mean 'sys_enter_read'?");
    assert_int_equal(place_expand(&p, "tracepoint:shced:sched_switch"), -ENOENT);
    assert_string_equal(p.hint, "did you mean 'sched'?");
    assert_int_equal(place_expand(&p, "tracepoint:sched:zzz*"), -ENOENT);
    assert_int_equal(place_expand(&p, "tracepoint:../events:sched"), -EINVAL);
    assert_int_equal(place_expand(&p, "tracepoint:sched"), -EINVAL);
    place_close(&p);
}

static void test_bare_syscalls(void **state)
{
    const char *const parts[] = {"syscalls", "sys_enter_rea*"};
    struct zn_attach_spec spec = {.provider = &zn_providers[ZP_TRACEPOINT],
                                  .parts = parts,
                                  .nparts = 2,
                                  .written = "syscalls::sys_enter_rea*",
                                  .bare_syscalls = true};
    struct place p;

    (void)state;
    if (!have_events())
        skip_here();
    place_open(&p, NULL);
    assert_int_equal(
        p.host->expand(p.host->arg, &p.types, &spec, &p.list, &p.why, &p.hint, &p.note), 0);
    assert_non_null(place_find(&p, "syscalls::sys_enter_read"));
    place_close(&p);
}

static void test_no_tracefs(void **state)
{
    struct zn_probes_env env = {.tracefs = "/nonexistent"};
    struct place p;

    (void)state;
    place_open(&p, &env);
    assert_int_equal(place_expand(&p, "tracepoint:sched:sched_switch"), -ENOENT);
    assert_non_null(p.why);
    place_close(&p);
}

static void test_rawtracepoint(void **state)
{
    struct place p;
    struct zn_target *t;

    (void)state;
    place_open(&p, NULL);
    if (!p.btf) {
        place_close(&p);
        skip_here();
    }
    t = place_one(&p, "rawtracepoint:sched_switch");
    assert_string_equal(t->sym, "sched_switch");
    assert_int_equal(t->btf_id,
                     zn_btf_find(p.btf, "btf_trace_sched_switch", 1u << BTF_KIND_TYPEDEF));
    assert_int_equal(p.host->target_args(p.host->arg, &p.types, t, &p.why), 0);
    assert_non_null(field_of(t, "prev"));
    assert_int_equal(field_of(t, "preempt")->arg, 0);
    assert_int_equal(field_of(t, "prev")->arg, 1);
    assert_int_equal(field_of(t, "next")->arg, 2);
    assert_int_equal(field_of(t, "next")->reg, ZN_REG_CTX64);
    assert_int_equal(field_of(t, "next")->type->kind, T_PTR);
    assert_string_equal(field_of(t, "next")->type->elem->name, "task_struct");
    assert_int_equal(place_expand(&p, "rawtracepoint:sched_swi*"), 0);
    assert_non_null(place_find(&p, "rawtracepoint:sched_switch"));
    assert_int_equal(place_expand(&p, "rawtracepoint:sched_swich"), -ENOENT);
    assert_string_equal(p.hint, "did you mean 'sched_switch'?");
    place_close(&p);
}

static void test_functions(void **state)
{
    struct zn_probes_env none = {.features = 0};
    struct place p;
    struct zn_target *t;

    (void)state;
    place_open(&p, &none);
    assert_int_equal(place_expand(&p, "fentry:vfs_read"), -EOPNOTSUPP);
    assert_non_null(p.why);
    place_close(&p);

    place_open(&p, NULL);
    if (!p.btf) {
        place_close(&p);
        skip_here();
    }
    t = place_one(&p, "fexit:vfs_read");
    assert_string_equal(t->name, "fexit:vmlinux:vfs_read");
    assert_int_equal(p.host->target_args(p.host->arg, &p.types, t, &p.why), 0);
    assert_int_equal(t->args->nfields, 4);
    assert_int_equal(t->args->size, 32); /* the result follows at u64 number 4 */
    assert_int_equal(t->retval->size, 8);
    assert_true(t->retval->sign);
    assert_int_equal(field_of(t, "count")->arg, 2);
    assert_int_equal(place_expand(&p, "fexit:_raw_spin_lock"), -EINVAL);
    assert_int_equal(place_expand(&p, "fentry:vfs_raed"), -ENOENT);
    assert_non_null(p.hint);
    place_close(&p);
}

static int count_line(void *arg, const char *line)
{
    unsigned *n = arg;

    assert_true(line[0] == ' ' ? strncmp(line, "    ", 4) == 0
                               : strncmp(line, "tracepoint:syscalls:", 20) == 0);
    n[line[0] == ' ']++;
    return 0;
}

static int stop_at_once(void *arg, const char *line)
{
    (void)line;
    ++*(int *)arg;
    return 7;
}

static void test_list(void **state)
{
    unsigned n[2] = {0};
    int calls = 0;
    struct place p;

    (void)state;
    if (!have_events())
        skip_here();
    place_open(&p, NULL);
    assert_int_equal(zn_list_probes(p.host, &p.types, "t:syscalls:sys_enter_openat", true,
                                    count_line, n, &p.why),
                     0);
    assert_int_equal(n[0], 1);
    assert_int_equal(n[1], 5);
    assert_int_equal(zn_list_probes(p.host, &p.types, "trace*:syscalls:sys_*_read", false,
                                    count_line, n, &p.why),
                     0);
    assert_int_equal(n[0], 3);
    assert_int_equal(
        zn_list_probes(p.host, &p.types, "tracepoint:*", false, stop_at_once, &calls, &p.why), 7);
    assert_int_equal(calls, 1);
    assert_int_equal(
        zn_list_probes(p.host, &p.types, "nothing:at:all", false, count_line, n, &p.why), -ENOENT);
    assert_non_null(p.why);
    place_close(&p);
}

static void test_cgroupid(void **state)
{
    struct place p;
    uint64_t id = 0;

    (void)state;
    place_open(&p, NULL);
    assert_int_equal(p.host->cgroupid(p.host->arg, "/", &id), 0);
    assert_true(id != 0);
    assert_int_equal(p.host->cgroupid(p.host->arg, "/nonexistent", &id), -ENOENT);
    assert_int_equal(p.host->cgroupid(p.host->arg, "/proc/self/maps", &id), -ENOTDIR);
    place_close(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_glob),
        cmocka_unit_test(test_periods),
        cmocka_unit_test(test_perf_events),
        cmocka_unit_test(test_special),
        cmocka_unit_test(test_watchpoint),
        cmocka_unit_test(test_tracepoint_wildcard),
        cmocka_unit_test(test_tracepoint_one),
        cmocka_unit_test(test_bare_syscalls),
        cmocka_unit_test(test_no_tracefs),
        cmocka_unit_test(test_rawtracepoint),
        cmocka_unit_test(test_functions),
        cmocka_unit_test(test_list),
        cmocka_unit_test(test_cgroupid),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
