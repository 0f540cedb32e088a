/* SPDX-License-Identifier: Apache-2.0 */
/* Asks the machine, by trying the real thing where that leaves no trace: maps are created and closed,
 * perf events opened and closed, nothing is attached to anything that runs. */
#include "cli/check_rows.h"

#include <errno.h>
#include <linux/bpf.h>
#include <linux/capability.h>
#include <linux/magic.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/vfs.h>

#include "base/file.h"
#include "base/mem.h"
#include "kern/btf.h"
#include "kern/feature.h"
#include "kern/kallsyms.h"
#include "kern/sysinfo.h"
#include "kern/tracefs.h"
#include "lang/btf.h"

__attribute__((format(printf, 6, 7))) static void add(struct zn_check *c, const char *group,
                                                      const char *name, enum zn_check_state state,
                                                      const char *without, const char *fmt, ...)
{
    struct zn_check_row *row;
    va_list ap;

    if (c->n == c->cap) {
        size_t cap = c->cap ? c->cap * 2 : 64;
        void *p = reallocarray(c->rows, cap, sizeof(*c->rows));

        if (!p) {
            c->failed = true;
            return;
        }
        c->rows = p;
        c->cap = cap;
    }
    row = &c->rows[c->n];
    *row = (struct zn_check_row){group, name, state, NULL, NULL};
    if (state == ZN_CHECK_NO || state == ZN_CHECK_DENIED)
        row->without = without;
    va_start(ap, fmt);
    if (vasprintf(&row->detail, fmt, ap) < 0)
        row->detail = NULL;
    va_end(ap);
    c->failed |= !row->detail;
    c->n += row->detail != NULL;
}

void zn_check_fini(struct zn_check *c)
{
    for (size_t i = 0; i < c->n; i++)
        free(c->rows[i].detail);
    free(c->rows);
    *c = (struct zn_check){0};
}

/* ---- the machine ---- */

static int count_module(void *arg, const char *module)
{
    (void)module;
    ++*(unsigned *)arg;
    return 0;
}

static void check_types(struct zn_check *c, const struct zn_kbtf *btf, int error)
{
    static const char *const without =
        "kernel structs by name, fentry, iterators, fast tracepoint arguments";
    unsigned modules = 0;
    struct zn_btf *types = NULL;
    int r;

    if (!btf) {
        add(c, "machine", "kernel types (BTF)", error == -EACCES ? ZN_CHECK_DENIED : ZN_CHECK_NO,
            without, "%s",
            error == -ENOENT ? "the kernel has none (CONFIG_DEBUG_INFO_BTF)" : strerror(-error));
        return;
    }
    r = zn_btf_open(btf->data, btf->len, NULL, &types);
    if (r < 0) {
        add(c, "machine", "kernel types (BTF)", ZN_CHECK_NO, without, "%s: not understood",
            btf->source);
        return;
    }
    zn_kbtf_modules(count_module, &modules);
    add(c, "machine", "kernel types (BTF)", ZN_CHECK_YES, NULL,
        "%s, %u types, %zu KiB %s, %u modules", btf->source, zn_btf_count(types) - 1,
        btf->len / 1024, btf->mapped ? "mapped" : "read", modules);
    zn_btf_close(types);
}

static void check_confinement(struct zn_check *c)
{
    enum zn_lockdown lock = zn_lockdown_state();
    struct zn_confinement in;

    zn_confinement(&in);
    add(c, "machine", "runs in", ZN_CHECK_FACT, NULL, "%s%s%s",
        in.runtime ? in.runtime : "the host",
        in.host_pids ? "" : ", its own PID namespace: pid and tid are the host's numbers",
        in.host_users ? "" : ", a user namespace: capabilities do not reach the kernel");
    add(c, "machine", "lockdown", lock == ZN_LOCKDOWN_CONFIDENTIALITY ? ZN_CHECK_NO : ZN_CHECK_FACT,
        "all programs that read kernel memory: nearly every script", "%s", zn_lockdown_name(lock));
}

static bool is_mounted(const char *path, long magic)
{
    struct statfs fs;

    return statfs(path, &fs) == 0 && fs.f_type == magic;
}

static void check_mounts(struct zn_check *c)
{
    char path[ZN_TRACEFS_PATH];
    int r = zn_tracefs_find(path);
    uint64_t addr;

    if (r == 0)
        add(c, "machine", "tracefs", ZN_CHECK_YES, NULL, "%s", path);
    else
        add(c, "machine", "tracefs", r == -EACCES ? ZN_CHECK_DENIED : ZN_CHECK_NO,
            "tracepoints and the list of kprobes", "%s",
            r == -EACCES ? "not readable" : "not mounted: mount -t tracefs t /sys/kernel/tracing");
    add(c, "machine", "bpffs", ZN_CHECK_FACT, NULL, "%s",
        is_mounted("/sys/fs/bpf", BPF_FS_MAGIC) ? "/sys/fs/bpf" : "not mounted (not needed)");
    r = zn_kallsyms_find_quick(NULL, "_stext", NULL, &addr);
    add(c, "machine", "kernel symbols", r == 0 ? ZN_CHECK_YES : ZN_CHECK_DENIED,
        "ksym, kaddr and kernel stacks with names", "%s",
        r == 0 ? "/proc/kallsyms" : "addresses are hidden (kernel.kptr_restrict)");
}

static void check_machine(struct zn_check *c, const struct zn_kbtf *btf, int btf_error)
{
    struct utsname u = {0};

    uname(&u);
    add(c, "machine", "kernel", ZN_CHECK_FACT, NULL, "%s %s %s", u.sysname, u.release, u.machine);
    add(c, "machine", "processors", ZN_CHECK_FACT, NULL, "%u online, %u possible", zn_cpus_online(),
        zn_cpus_possible());
    check_types(c, btf, btf_error);
    check_confinement(c);
    check_mounts(c);
}

/* ---- privileges ---- */

static void check_privileges(struct zn_check *c, uint64_t caps)
{
    static const struct {
        int cap;
        const char *name, *without;
    } rows[] = {
        {CAP_BPF, "CAP_BPF", "loading programs: everything"},
        {CAP_PERFMON, "CAP_PERFMON", "reading kernel memory, attaching: everything"},
        {CAP_SYS_ADMIN, "CAP_SYS_ADMIN",
         "kernels before 5.8; finding other processes' BPF objects; override()"},
        {CAP_SYS_PTRACE, "CAP_SYS_PTRACE", "symbols and probes in other users' processes"},
        {CAP_DAC_READ_SEARCH, "CAP_DAC_READ_SEARCH",
         "tracefs and binaries that are closed to this user"},
        {CAP_SYSLOG, "CAP_SYSLOG", "kernel addresses, where kptr_restrict is 1"},
    };

    for (size_t i = 0; i < ZN_ARRAY_SIZE(rows); i++) {
        bool has = zn_cap_has(caps, rows[i].cap), implied = zn_cap_effective(caps, rows[i].cap);

        add(c, "privilege", rows[i].name, implied ? ZN_CHECK_YES : ZN_CHECK_DENIED, rows[i].without,
            "%s", has || !implied ? "" : "by CAP_SYS_ADMIN");
    }
}

/* ---- maps ---- */

static int bpf(int cmd, union bpf_attr *attr)
{
    long r = syscall(SYS_bpf, cmd, attr, sizeof(*attr));

    return r < 0 ? -errno : (int)r;
}

static enum zn_check_state state_of(int r)
{
    return r >= 0 ? ZN_CHECK_YES : r == -EPERM || r == -EACCES ? ZN_CHECK_DENIED : ZN_CHECK_NO;
}

static void check_maps(struct zn_check *c, const struct zn_kbtf *btf)
{
    static const struct {
        const char *name;
        uint32_t type, key, value, entries, flags;
        const char *without;
    } rows[] = {
        {"array, mapped", BPF_MAP_TYPE_ARRAY, 4, 8, 1, BPF_F_MMAPABLE, "all scripts (Linux 5.5)"},
        {"hash", BPF_MAP_TYPE_HASH, 8, 8, 1, 0, "maps with keys"},
        {"per-CPU hash", BPF_MAP_TYPE_PERCPU_HASH, 8, 8, 1, 0, "maps with keys that aggregate"},
        {"per-CPU array", BPF_MAP_TYPE_PERCPU_ARRAY, 4, 8, 1, 0, "larger temporary values"},
        {"LRU hash", BPF_MAP_TYPE_LRU_HASH, 8, 8, 64, 0, "let @x = lruhash(n)"},
        {"ring buffer", BPF_MAP_TYPE_RINGBUF, 0, 0, 4096 * 16, 0, "all output (Linux 5.8)"},
    };

    /* Before 5.11 maps counted as locked memory; the loader raises the limit too, if it may. */
    setrlimit(RLIMIT_MEMLOCK, &(struct rlimit){RLIM_INFINITY, RLIM_INFINITY});
    for (size_t i = 0; i < ZN_ARRAY_SIZE(rows); i++) {
        union bpf_attr attr = {
            .map_type = rows[i].type,
            .key_size = rows[i].key,
            .value_size = rows[i].value,
            .max_entries = rows[i].entries,
            .map_flags = rows[i].flags,
        };
        int fd = bpf(BPF_MAP_CREATE, &attr);

        add(c, "map", rows[i].name, state_of(fd), rows[i].without, "%s",
            fd < 0 ? strerror(-fd) : "");
        if (fd >= 0)
            close(fd);
    }
    /* Its creation wants types of its own; that the kernel knows it is enough here. */
    add(c, "map", "task storage",
        btf && zn_kbtf_has_name(btf, "BPF_MAP_TYPE_TASK_STORAGE") ? ZN_CHECK_YES : ZN_CHECK_NO,
        "let @x = task(type)", "%s", "");
}

/* ---- probes ---- */

static int open_perf(uint32_t type, uint64_t config)
{
    struct perf_event_attr attr = {
        .type = type,
        .size = sizeof(attr),
        .config = config,
        .sample_period = 1000000000,
        .disabled = 1,
    };
    long fd = syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);

    if (fd < 0)
        return -errno;
    close((int)fd);
    return 0;
}

static int load_program(void)
{
    static const struct bpf_insn insns[] = {
        {.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0},
        {.code = BPF_JMP | BPF_EXIT},
    };
    union bpf_attr attr = {
        .prog_type = BPF_PROG_TYPE_RAW_TRACEPOINT,
        .insn_cnt = ZN_ARRAY_SIZE(insns),
        .insns = (uintptr_t)insns,
        .license = (uintptr_t) "GPL",
    };
    int fd = bpf(BPF_PROG_LOAD, &attr);

    if (fd >= 0)
        close(fd);
    return fd < 0 ? fd : 0;
}

static void check_perf(struct zn_check *c)
{
    static const struct {
        const char *name;
        uint32_t type;
        uint64_t config;
        const char *without;
    } rows[] = {
        {"profile", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, "sampling by time"},
        {"software", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS,
         "page faults, context switches and their like"},
        {"hardware", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES,
         "cycle and cache counters (usual in virtual machines); profile samples by time"},
    };

    for (size_t i = 0; i < ZN_ARRAY_SIZE(rows); i++) {
        int r = open_perf(rows[i].type, rows[i].config);

        add(c, "probe", rows[i].name, state_of(r), rows[i].without, "%s",
            r == 0         ? ""
            : r == -ENOENT ? "no such counter here"
                           : strerror(-r));
    }
}

/* What the kernel lacks is missing whoever asks; else it depends on whether we may load programs. */
static enum zn_check_state probe_state(bool have, int load)
{
    return have ? state_of(load) : ZN_CHECK_NO;
}

static void check_function_probes(struct zn_check *c, struct zn_features *f, int load)
{
    bool uprobes = access("/sys/bus/event_source/devices/uprobe/type", F_OK) == 0;
    bool kprobes = zn_features_has(f, ZF_KPROBES), fentry = zn_features_has(f, ZF_FENTRY);

    add(c, "probe", "kprobe, kretprobe", probe_state(kprobes, load),
        "probes inside kernel functions; fentry or a tracepoint may do", "%s",
        !kprobes                              ? "the kernel is built without CONFIG_KPROBES"
        : zn_features_has(f, ZF_KPROBE_MULTI) ? "many at once"
                                              : "one by one");
    add(c, "probe", "fentry, fexit", probe_state(fentry, load),
        "typed probes on kernel functions; kprobe or a tracepoint may do", "%s",
        fentry ? "" : "no kernel types, no function tracer, or refused by this kernel");
    add(c, "probe", "uprobe, uretprobe, usdt", probe_state(uprobes, load),
        "probes in programs and libraries", "%s",
        !uprobes                              ? "the kernel is built without CONFIG_UPROBES"
        : zn_features_has(f, ZF_UPROBE_MULTI) ? "many at once"
                                              : "one by one");
}

static void check_probes(struct zn_check *c, struct zn_features *f)
{
    char tracefs[ZN_TRACEFS_PATH];
    int load = load_program(), mounted = zn_tracefs_find(tracefs);

    add(c, "probe", "BEGIN, END, interval", state_of(load), "everything", "%s",
        load == 0 ? "" : strerror(-load));
    add(c, "probe", "tracepoint", state_of(mounted < 0 ? mounted : load),
        "tracepoints; rawtracepoint needs no tracefs", "%s", mounted == 0 ? "" : "needs tracefs");
    add(c, "probe", "rawtracepoint", probe_state(zn_features_has(f, ZF_RAW_TP), load),
        "tracepoints without their record", "%s",
        zn_features_has(f, ZF_TP_BTF) ? "with typed arguments" : "");
    check_function_probes(c, f, load);
    add(c, "probe", "iter", probe_state(f->btf && zn_kbtf_has_name(f->btf, "bpf_iter__task"), load),
        "walks over all tasks and open files", "%s", "");
    check_perf(c);
    add(c, "probe", "watchpoint",
        probe_state(access("/sys/bus/event_source/devices/breakpoint/type", F_OK) == 0, load),
        "probes on reads and writes of an address", "%s", "");
    c->can_run = load == 0;
}

static enum zn_check_state yes_or_no(bool have)
{
    return have ? ZN_CHECK_YES : ZN_CHECK_NO;
}

static void check_features(struct zn_check *c, struct zn_features *f)
{
    for (unsigned i = 0; i < _ZN_FEATURE_MAX; i++) {
        const struct zn_feature_row *row = zn_feature_row(i);

        add(c, "feature", row->name, yes_or_no(zn_features_has(f, i)), row->without, "since %s",
            row->since);
    }
}

void zn_check_run(struct zn_check *c)
{
    uint64_t caps = zn_caps_effective();
    struct zn_kbtf *btf = NULL;
    struct zn_features f;
    int r = zn_kbtf_open(NULL, &btf);

    *c = (struct zn_check){0};
    zn_features_init(&f, btf);
    check_machine(c, btf, r);
    check_privileges(c, caps);
    check_probes(c, &f);
    check_maps(c, btf);
    check_features(c, &f);
    zn_kbtf_close(btf);
}
