/* SPDX-License-Identifier: Apache-2.0 */
/* Each way of attaching that needs no kernel function: programs count what the test triggers. */
#include <errno.h>
#include <inttypes.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "kern/feature.h"
#include "kern/tracefs.h"
#include "probes/attach_impl.h"
#include "probes/pmu.h"
#include "probes_test.h"

enum { CALLS = 100, UPROBE_MULTI_ATTACH = 48 };

int zn_test_hit(int x);
int zn_test_hit2(int x);
__attribute__((noipa, used)) int zn_test_hit(int x)
{
    return x + 1;
}
__attribute__((noipa, used)) int zn_test_hit2(int x)
{
    return x + 2;
}

static struct place place;
static struct zn_features features;

static int setup(void **state)
{
    (void)state;
    place_open(&place, NULL);
    zn_features_init(&features, place.blob);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    place_close(&place);
    return 0;
}

static void call(unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        (void)syscall(SYS_getppid);
}

static double ms_since(const struct timespec *from)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - from->tv_sec) * 1e3 + (double)(now.tv_nsec - from->tv_nsec) / 1e6;
}

/* Attaches c to what the last expansion gave, with cookie 100 + index. */
static int attach(const struct counter *c, struct zn_prog *prog, struct zn_links *links, char *why)
{
    struct zn_attachment *att = zn_arena_array(&place.arena, struct zn_attachment, place.list.n);

    for (uint32_t i = 0; i < place.list.n; i++)
        att[i] =
            (struct zn_attachment){.target = &place.list.v[i],
                                   .cookie = zn_features_has(&features, ZF_COOKIE) ? 100 + i : 0};
    prog->name = "test";
    prog->att = att;
    prog->natt = place.list.n;
    if (place.list.n)
        prog->provider = place.list.v[0].provider;
    zn_links_init(links);
    return zn_attach(prog, c->prog, links, why, 256);
}

static void must_attach(const struct counter *c, struct zn_prog *prog, struct zn_links *links)
{
    char why[256] = "";
    int r = attach(c, prog, links, why);

    if (r)
        fail_msg("%d: %s", r, why);
}

static void open_counter(struct counter *c, const struct counter_opts *o)
{
    int r = counter_open(c, o);

    if (r)
        fail_msg("the program does not load: %d", r);
}

/* Hits while attached are counted, hits afterwards are not. */
static void count_getppid(const struct counter *c, struct zn_prog *prog)
{
    struct zn_links links;

    must_attach(c, prog, &links);
    call(CALLS);
    assert_int_equal(c->cells[0], CALLS);
    zn_links_detach(&links);
    assert_int_equal(links.n, 0);
}

static void test_raw_tp(void **state)
{
    struct counter_opts o = {.prog_type = BPF_PROG_TYPE_RAW_TRACEPOINT, .only_nr = SYS_getppid};
    struct zn_prog prog = {.how = ZH_RAW_TP, .event = "sys_enter"};
    struct counter c;

    (void)state;
    if (!may_trace())
        skip_here();
    place.list.n = 0;
    open_counter(&c, &o);
    count_getppid(&c, &prog);
    call(10); /* a raw tracepoint is off at once */
    assert_int_equal(c.cells[0], CALLS);
    assert_int_equal(zn_prog_missed(c.prog), 0);
    counter_close(&c);
}

static void test_tp_btf(void **state)
{
    struct counter_opts o = {.prog_type = BPF_PROG_TYPE_TRACING,
                             .expected_attach = BPF_TRACE_RAW_TP,
                             .only_nr = SYS_getppid};
    struct zn_prog prog = {
        .how = ZH_BTF, .event = "sys_enter", .expected_attach = BPF_TRACE_RAW_TP};
    struct counter c;

    (void)state;
    if (!may_trace() || !place.btf)
        skip_here();
    o.btf_id = place_one(&place, "rawtracepoint:sys_enter")->btf_id;
    open_counter(&c, &o);
    count_getppid(&c, &prog);
    call(10);
    assert_int_equal(c.cells[0], CALLS);
    counter_close(&c);
}

static void test_perf_tp(void **state)
{
    struct counter_opts o = {.prog_type = BPF_PROG_TYPE_TRACEPOINT, .only_nr = -1};
    struct zn_prog prog = {.how = ZH_PERF_TP};
    struct counter c;

    (void)state;
    if (!may_trace())
        skip_here();
    if (place_expand(&place, "tracepoint:syscalls:sys_enter_getppid") != 0)
        skip_here();
    o.cookies = zn_features_has(&features, ZF_COOKIE);
    open_counter(&c, &o);
    count_getppid(&c, &prog);
    if (o.cookies)
        assert_int_equal(c.cells[1], 100 * CALLS);
    counter_close(&c);
}

static void expand_self(const char *provider, const char *func)
{
    char self[512], written[600];
    ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

    assert_true(n > 0);
    self[n] = '\0';
    snprintf(written, sizeof(written), "%s:%s:%s", provider, self, func);
    assert_int_equal(place_expand(&place, written), 0);
}

static void hit_both(void)
{
    for (int i = 0; i < CALLS; i++) {
        (void)zn_test_hit(i);
        (void)zn_test_hit2(i);
        (void)zn_test_hit2(i);
    }
}

/* zn_test_hit has cookie 100 and is hit once a turn, zn_test_hit2 101 and twice. */
static void expect_both(const struct counter *c, bool cookies)
{
    assert_int_equal(c->cells[0], 3 * CALLS);
    if (cookies)
        assert_int_equal(c->cells[1], (100 + 2 * 101) * CALLS);
}

static void uprobes(const char *provider, enum zn_attach_how how, uint32_t attach_type)
{
    struct counter_opts o = {.prog_type = BPF_PROG_TYPE_KPROBE,
                             .expected_attach = attach_type,
                             .only_nr = -1,
                             .cookies = zn_features_has(&features, ZF_COOKIE)};
    struct zn_prog prog = {.how = how};
    struct zn_links links;
    struct counter c;

    expand_self(provider, "zn_test_hit*");
    assert_int_equal(place.list.n, 2);
    open_counter(&c, &o);
    must_attach(&c, &prog, &links);
    hit_both();
    expect_both(&c, o.cookies);
    zn_links_detach(&links);
    counter_close(&c);
}

static void test_uprobe(void **state)
{
    struct zn_pmu pmu;

    (void)state;
    if (!may_trace() || zn_pmu_read("uprobe", &pmu) < 0)
        skip_here();
    uprobes("uprobe", ZH_UPROBE, 0);
    uprobes("uretprobe", ZH_UPROBE, 0);
}

static void test_uprobe_multi(void **state)
{
    (void)state;
    if (!may_trace() || !zn_features_has(&features, ZF_UPROBE_MULTI))
        skip_here();
    uprobes("uprobe", ZH_UPROBE_MULTI, UPROBE_MULTI_ATTACH);
    uprobes("uretprobe", ZH_UPROBE_MULTI, UPROBE_MULTI_ATTACH);
}

static void test_profile(void **state)
{
    struct counter_opts o = {.prog_type = BPF_PROG_TYPE_PERF_EVENT, .only_nr = -1};
    struct zn_prog prog = {.how = ZH_PERF_EVENT};
    struct zn_links links;
    struct timespec begin;
    struct counter c;

    (void)state;
    if (!may_trace())
        skip_here();
    place_one(&place, "profile:hz:499");
    open_counter(&c, &o);
    must_attach(&c, &prog, &links);
    assert_true(links.n >= 1);
    clock_gettime(CLOCK_MONOTONIC, &begin);
    while (ms_since(&begin) < 10000 && c.cells[0] < 20)
        ; /* busy: a clock event of this CPU interrupts us */
    assert_true(c.cells[0] >= 20);
    zn_links_detach(&links);
    counter_close(&c);
}

static void test_software(void **state)
{
    enum { PAGES = 64, PAGE = 4096 };
    struct counter_opts o = {.prog_type = BPF_PROG_TYPE_PERF_EVENT, .only_nr = -1};
    struct zn_prog prog = {.how = ZH_PERF_EVENT};
    struct zn_links links;
    struct counter c;
    char *mem;

    (void)state;
    if (!may_trace())
        skip_here();
    place_one(&place, "software:page-faults:1");
    open_counter(&c, &o);
    mem = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(mem, MAP_FAILED);
    (void)madvise(mem, PAGES * PAGE, MADV_NOHUGEPAGE);
    must_attach(&c, &prog, &links);

    uint64_t before = c.cells[0];

    for (unsigned i = 0; i < PAGES; i++)
        ((volatile char *)mem)[i * PAGE] = 1;

    uint64_t got = c.cells[0] - before;

    zn_links_detach(&links);
    munmap(mem, PAGES * PAGE);
    counter_close(&c);
    assert_true(got >= PAGES && got <= PAGES + PAGES / 2); /* some more of our own */
}

/* 26 of these closed one by one would take two seconds. */
/* What closing one perf tracepoint takes when one waits for it, in ms; 0: cannot be measured. */
static double plain_close_ms(void)
{
    struct perf_event_attr a = {.type = PERF_TYPE_TRACEPOINT, .size = sizeof(a)};
    FILE *f = fopen("/sys/kernel/tracing/events/sched/sched_switch/id", "re");
    unsigned long long id = 0;
    struct timespec begin;

    if (!f)
        return 0;
    if (fscanf(f, "%llu", &id) != 1)
        id = 0;
    fclose(f);
    a.config = id;
    int fd = (int)syscall(SYS_perf_event_open, &a, -1, 0, -1, 0);
    if (fd < 0)
        return 0;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    close(fd);
    return ms_since(&begin);
}

static void test_detach_is_quick(void **state)
{
    struct counter_opts o = {.prog_type = BPF_PROG_TYPE_TRACEPOINT, .only_nr = -1};
    struct zn_prog prog = {.how = ZH_PERF_TP};
    struct zn_links links;
    struct timespec begin;
    struct counter c;
    double took;
    int status;

    (void)state;
    if (!may_trace() || place_expand(&place, "tracepoint:sched:*") != 0)
        skip_here();
    open_counter(&c, &o);
    must_attach(&c, &prog, &links);
    assert_true(links.n >= place.list.n);
    clock_gettime(CLOCK_MONOTONIC, &begin);
    zn_links_detach(&links);
    took = ms_since(&begin);
    print_message("# %u perf tracepoints let go in %.1f ms\n", place.list.n, took);
    double one = plain_close_ms(); /* a ratio within one run: no test of the machine's speed */
    if (one > 5)
        assert_true(took < one * place.list.n / 2);
    assert_int_equal(waitpid(-1, &status, WNOHANG), -1); /* and no child is left to wait for */
    assert_int_equal(errno, ECHILD);
    counter_close(&c);
}

/* A reader of our pipe must see its end when we close it, not when the closer is done. */
static void test_closer_keeps_nothing(void **state)
{
    struct counter_opts o = {.prog_type = BPF_PROG_TYPE_TRACEPOINT, .only_nr = -1};
    struct zn_prog prog = {.how = ZH_PERF_TP};
    struct zn_links links;
    struct timespec begin;
    struct counter c;
    int ends[2];
    char byte;

    (void)state;
    if (!may_trace() || place_expand(&place, "tracepoint:sched:*") != 0)
        skip_here();
    open_counter(&c, &o);
    must_attach(&c, &prog, &links);
    assert_int_equal(pipe(ends), 0);
    zn_links_detach(&links);
    clock_gettime(CLOCK_MONOTONIC, &begin);
    close(ends[1]);
    assert_int_equal(read(ends[0], &byte, 1), 0);
    double took = ms_since(&begin), one = plain_close_ms();
    if (one > 5)
        assert_true(took < one * place.list.n / 2);
    close(ends[0]);
    counter_close(&c);
}

/* One target that cannot be: nothing stays, and the message names it. */
static void test_failure_undoes(void **state)
{
    struct counter_opts o = {.prog_type = BPF_PROG_TYPE_TRACEPOINT, .only_nr = -1};
    struct zn_prog prog = {.how = ZH_PERF_TP};
    struct zn_links links;
    char why[256] = "";
    struct counter c;

    (void)state;
    if (!may_trace() || place_expand(&place, "tracepoint:sched:sched_wak*") != 0)
        skip_here();
    place.list.v[place.list.n - 1].sym = "zn_no_such_event";
    open_counter(&c, &o);
    assert_int_equal(attach(&c, &prog, &links, why), -ENOENT);
    assert_int_equal(links.n, 0);
    assert_non_null(strstr(why, place.list.v[place.list.n - 1].name));
    zn_links_detach(&links);
    prog = (struct zn_prog){.how = ZH_RAW_TP, .event = "zn_no_such_event"};
    place.list.n = 0;
    assert_true(attach(&c, &prog, &links, why) < 0);
    assert_non_null(strstr(why, "zn_no_such_event"));
    zn_links_detach(&links);
    counter_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_raw_tp),
        cmocka_unit_test(test_tp_btf),
        cmocka_unit_test(test_perf_tp),
        cmocka_unit_test(test_uprobe),
        cmocka_unit_test(test_uprobe_multi),
        cmocka_unit_test(test_profile),
        cmocka_unit_test(test_software),
        cmocka_unit_test(test_detach_is_quick),
        cmocka_unit_test(test_closer_keeps_nothing),
        cmocka_unit_test(test_failure_undoes),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
