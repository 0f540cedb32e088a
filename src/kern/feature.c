/* SPDX-License-Identifier: Apache-2.0 */
/* The table of kernel features.
 *
 * A kernel that is new enough has what its version brought, unless a configuration option or the
 * processor can take it away: then something cheap tells (a file of sysfs, a name in the kernel's
 * types, a program of a few instructions). An older version may have it too, since distributions
 * bring features back: a helper's name among the kernel's types tells. Nothing is ever attached
 * here; all rows together take well under a millisecond on a current kernel. */
#include "kern/feature.h"

#include <errno.h>
#include <linux/bpf.h>
#include <linux/capability.h>
#include <string.h>
#include <sys/syscall.h>

#include "base/mem.h"
#include "kern/btf.h"
#include "kern/sysinfo.h"

struct row {
    struct zn_feature_row doc;
    unsigned since;       /* version that has it: 5015 */
    uint64_t needs;       /* features that it rests on */
    const char *btf_name; /* tells on older kernels, or NULL */
    /* Decides instead of version and name, when set. */
    bool (*probe)(struct zn_features *f, const struct row *row);
};

#define NEED(f) (1ULL << (f))

static bool by_version(const struct zn_features *f, const struct row *row)
{
    return f->version >= row->since ||
           (row->btf_name && f->btf && zn_kbtf_has_name(f->btf, row->btf_name));
}

static bool have_btf(struct zn_features *f, const struct row *row)
{
    (void)row;
    return f->btf != NULL;
}

/* 1: loads; 0: the verifier refuses it; -1: we may not load programs, so nothing is known. */
static int try_load(const struct bpf_insn *insns, unsigned n)
{
    union bpf_attr attr = {
        .prog_type = BPF_PROG_TYPE_SOCKET_FILTER,
        .insn_cnt = n,
        .insns = (uintptr_t)insns,
        .license = (uintptr_t) "GPL",
    };
    long fd = syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof(attr));

    if (fd >= 0) {
        close((int)fd);
        return 1;
    }
    return errno == EPERM || errno == ENOMEM ? -1 : 0;
}

static bool atomic_fetch(struct zn_features *f, const struct row *row)
{
    /* r1 = 1; *(u64 *)(r10 - 8) = 0; r1 = atomic_fetch_add(r10 - 8, r1); r0 = 0; exit */
    static const struct bpf_insn insns[] = {
        {.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 1, .imm = 1},
        {.code = BPF_ST | BPF_MEM | BPF_DW, .dst_reg = 10, .off = -8},
        {.code = BPF_STX | 0xc0 | BPF_DW, .dst_reg = 10, .src_reg = 1, .off = -8, .imm = 1},
        {.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0},
        {.code = BPF_JMP | BPF_EXIT},
    };
    int r = try_load(insns, ZN_ARRAY_SIZE(insns));

    return r < 0 ? f->version >= row->since : r;
}

/* The limit went at some time after 5.10, and distributions differ. */
static bool long_keys(struct zn_features *f, const struct row *row)
{
    union bpf_attr attr = {
        .map_type = BPF_MAP_TYPE_HASH, .key_size = 520, .value_size = 8, .max_entries = 1};
    long fd;

    if (f->version >= row->since)
        return true;
    fd = syscall(SYS_bpf, BPF_MAP_CREATE, &attr, sizeof(attr));
    if (fd < 0)
        return false;
    close((int)fd);
    return true;
}

static bool cpu_v4(struct zn_features *f, const struct row *row)
{
    /* r0 = 10; r0 s/= -2 (offset 1 makes it signed); r0 = 0; exit */
    static const struct bpf_insn insns[] = {
        {.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0, .imm = 10},
        {.code = BPF_ALU64 | BPF_DIV | BPF_K, .dst_reg = 0, .off = 1, .imm = -2},
        {.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0},
        {.code = BPF_JMP | BPF_EXIT},
    };
    int r = try_load(insns, ZN_ARRAY_SIZE(insns));

    return r < 0 ? f->version >= row->since : r;
}

/* Some kernels refuse every program of that kind, whoever asks. Type 1 is no function, so that a
 * kernel that would take fentry says EINVAL. */
static bool fentry_refused(void)
{
    static const struct bpf_insn insns[] = {
        {.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0},
        {.code = BPF_JMP | BPF_EXIT},
    };
    union bpf_attr attr = {
        .prog_type = BPF_PROG_TYPE_TRACING,
        .expected_attach_type = BPF_TRACE_FENTRY,
        .attach_btf_id = 1,
        .insn_cnt = ZN_ARRAY_SIZE(insns),
        .insns = (uintptr_t)insns,
        .license = (uintptr_t) "GPL",
    };
    uint64_t caps;
    long fd = syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof(attr));

    if (fd >= 0)
        close((int)fd);
    if (fd >= 0 || errno != EPERM)
        return false;
    caps = zn_caps_effective();
    return zn_cap_effective(caps, CAP_BPF) && zn_cap_effective(caps, CAP_PERFMON);
}

/* fentry hangs on the function tracer's call sites; trampolines came to arm64 with 6.0. Whether a
 * given function can be reached shows when attaching. */
static bool fentry(struct zn_features *f, const struct row *row)
{
#if defined(__aarch64__)
    unsigned since = ZN_MAX(row->since, 6000U);
#else
    unsigned since = row->since;
#endif

    return f->version >= since && access("/proc/sys/kernel/ftrace_enabled", F_OK) == 0 &&
           !fentry_refused();
}

static bool kprobes(struct zn_features *f, const struct row *row)
{
    (void)f;
    (void)row;
    return access("/sys/bus/event_source/devices/kprobe/type", F_OK) == 0;
}

/* The link's type is in the kernel only where CONFIG_FPROBE is. */
static bool kprobe_multi(struct zn_features *f, const struct row *row)
{
    if (f->version < row->since && !f->btf)
        return false;
    return !f->btf || zn_kbtf_has_name(f->btf, row->btf_name);
}

static bool uprobe_multi(struct zn_features *f, const struct row *row)
{
    return access("/sys/bus/event_source/devices/uprobe/type", F_OK) == 0 && by_version(f, row);
}

static const struct row rows[_ZN_FEATURE_MAX] = {
    [ZF_BTF] = {{"btf", "5.2", "/sys/kernel/btf/vmlinux",
                 "kernel structs must be defined in the script; no fentry, no iterators, "
                 "tracepoints read their record"},
                .probe = have_btf},
    [ZF_TP_BTF] = {{"tp_btf", "5.5", "version, kernel types",
                    "tracepoint arguments that are pointers are read more slowly"},
                   5005,
                   NEED(ZF_BTF)},
    [ZF_RAW_TP] = {{"raw_tp", "4.17", "version", "every tracepoint goes through perf"}, 4017},
    [ZF_FENTRY] = {{"fentry", "5.5", "version, function tracer, a small program",
                    "fentry and fexit probes (kprobe and kretprobe do the same more slowly)"},
                   5005,
                   NEED(ZF_BTF),
                   .probe = fentry},
    [ZF_TASK_BTF] = {{"task_btf", "5.11", "version, helper's name",
                      "curtask is a plain address: its fields are read more slowly"},
                     5011,
                     NEED(ZF_BTF),
                     "BPF_FUNC_get_current_task_btf"},
    [ZF_ATOMIC_FETCH] = {{"atomic_fetch", "5.12", "a small program",
                          "min, max and scratch slots use a less exact way"},
                         5012,
                         .probe = atomic_fetch},
    [ZF_FOR_EACH_MAP] = {{"for_each_map", "5.13", "version, helper's name", "for loops over maps"},
                         5013,
                         .btf_name = "BPF_FUNC_for_each_map_elem"},
    [ZF_COOKIE] = {{"cookie", "5.15", "version, helper's name",
                    "one program per target where the probe's name matters"},
                   5015,
                   .btf_name = "BPF_FUNC_get_attach_cookie"},
    [ZF_BPF_LOOP] = {{"bpf_loop", "5.17", "version, helper's name",
                      "loops must be short enough to be checked turn by turn"},
                     5017,
                     .btf_name = "BPF_FUNC_loop"},
    [ZF_KPROBE_MULTI] = {{"kprobe_multi", "5.18", "kernel types (CONFIG_FPROBE)",
                          "kprobes on many functions attach one by one, slowly"},
                         5018,
                         NEED(ZF_KPROBES),
                         "bpf_kprobe_multi_link",
                         kprobe_multi},
    [ZF_PERCPU_LOOKUP] = {{"percpu_lookup", "5.19", "version, helper's name",
                           "reading a per-CPU map's value inside a script"},
                          5019,
                          .btf_name = "BPF_FUNC_map_lookup_percpu_elem"},
    [ZF_KTIME_BOOT] = {{"ktime_boot", "5.8", "version, helper's name",
                        "nsecs(boot) and elapsed do not count suspended time"},
                       5008,
                       .btf_name = "BPF_FUNC_ktime_get_boot_ns"},
    [ZF_KTIME_TAI] = {{"ktime_tai", "6.1", "version, helper's name", "nsecs(tai)"},
                      6001,
                      .btf_name = "BPF_FUNC_ktime_get_tai_ns"},
    [ZF_ITER_NUM] = {{"iter_num", "6.4", "version, function's name",
                      "range loops use bpf_loop or are bounded"},
                     6004,
                     NEED(ZF_BTF),
                     "bpf_iter_num_new"},
    [ZF_CPU_V4] = {{"cpu_v4", "6.6", "a small program", "signed division is emulated"},
                   6006,
                   .probe = cpu_v4},
    [ZF_UPROBE_MULTI] = {{"uprobe_multi", "6.6", "version, kernel types, sysfs",
                          "uprobes on many functions attach one by one"},
                         6006,
                         .btf_name = "bpf_uprobe_multi_link",
                         .probe = uprobe_multi},
    [ZF_KPROBES] = {{"kprobes", "4.17", "/sys/bus/event_source/devices/kprobe",
                     "kprobe and kretprobe"},
                    4017,
                    .probe = kprobes},
    [ZF_LONG_KEYS] = {{"long_keys", "6.1", "version, a map",
                       "strings are cut at 191 bytes unless the script sets max_strlen"},
                      6001,
                      .probe = long_keys},
};

void zn_features_init(struct zn_features *f, const struct zn_kbtf *btf)
{
    *f = (struct zn_features){.btf = btf, .version = zn_kernel_version()};
}

const struct zn_feature_row *zn_feature_row(enum zn_feature id)
{
    return &rows[id].doc;
}

static bool find_out(struct zn_features *f, enum zn_feature id)
{
    const struct row *row = &rows[id];

    for (unsigned i = 0; i < _ZN_FEATURE_MAX; i++)
        if (row->needs >> i & 1 && !zn_features_has(f, i))
            return false;
    return row->probe ? row->probe(f, row) : by_version(f, row);
}

bool zn_features_has(struct zn_features *f, enum zn_feature id)
{
    uint64_t bit = 1ULL << id;

    if (f->disabled & bit)
        return false;
    if (!(f->known & bit)) {
        f->known |= bit;
        if (find_out(f, id))
            f->have |= bit;
    }
    return f->have & bit;
}

uint64_t zn_features_all(struct zn_features *f)
{
    uint64_t all = 0;

    for (unsigned i = 0; i < _ZN_FEATURE_MAX; i++)
        if (zn_features_has(f, i))
            all |= 1ULL << i;
    return all;
}

int zn_features_disable(struct zn_features *f, const char *list, const char **ret_bad,
                        size_t *ret_len)
{
    while (*list) {
        size_t n = strcspn(list, ",");
        unsigned i = 0;

        while (i < _ZN_FEATURE_MAX &&
               (strncmp(rows[i].doc.name, list, n) != 0 || rows[i].doc.name[n]))
            i++;
        /* bpftrace's name of a way that is never gone here */
        if (i == _ZN_FEATURE_MAX && n == 14 && strncmp(list, "kprobe_session", n) == 0)
            n = 0, list += 14;
        if (n && i == _ZN_FEATURE_MAX) {
            *ret_bad = list;
            *ret_len = n;
            return -EINVAL;
        }
        if (n)
            f->disabled |= 1ULL << i;
        list += n;
        list += *list == ',';
    }
    /* What rested on it has to be asked again. */
    f->known = f->have = 0;
    return 0;
}
