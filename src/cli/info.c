/* SPDX-License-Identifier: Apache-2.0 */
/* --info: what scripts can use here, under the names that bpftrace's --info has. `zhen check` says the
 * same with causes. */
#include <stdio.h>
#include <sys/utsname.h>

#include "base/mem.h"
#include "cli/cli.h"
#include "cli/machine.h"
#include "kern/btf.h"

#ifndef ZHEN_VERSION
#define ZHEN_VERSION "0.1.0"
#endif

enum need { ALWAYS, NEVER, FEATURE, HELPER };

struct row {
    const char *name;
    enum need need;
    enum zn_feature feature; /* FEATURE */
    const char *helper;      /* HELPER: its name among the kernel's types */
};

static const struct row helpers[] = {
    {"probe_read_kernel", ALWAYS, 0, NULL},
    {"send_signal", HELPER, 0, "bpf_send_signal"},
    {"override_return", NEVER, 0, NULL},
    {"get_boot_ns", FEATURE, ZF_KTIME_BOOT, NULL},
    {"get_tai_ns", FEATURE, ZF_KTIME_TAI, NULL},
    {"dpath", NEVER, 0, NULL},
    {"skboutput", NEVER, 0, NULL},
    {"get_func_ip", NEVER, 0, NULL},
    {"jiffies64", HELPER, 0, "bpf_jiffies64"},
    {"for_each_map_elem", FEATURE, ZF_FOR_EACH_MAP, NULL},
    {"lookup_percpu_elem", FEATURE, ZF_PERCPU_LOOKUP, NULL},
    {"loop", FEATURE, ZF_BPF_LOOP, NULL},
};
static const struct row features[] = {
    {"Loop support", ALWAYS, 0, NULL},
    {"btf", FEATURE, ZF_BTF, NULL},
    {"uprobe_multi", FEATURE, ZF_UPROBE_MULTI, NULL},
    {"attach cookie", FEATURE, ZF_COOKIE, NULL},
};
static const struct row probes[] = {
    {"kprobe", FEATURE, ZF_KPROBES, NULL},
    {"kprobe_multi", FEATURE, ZF_KPROBE_MULTI, NULL},
    {"kprobe_session", NEVER, 0, NULL},
    {"tracepoint", ALWAYS, 0, NULL},
    {"perf_event", ALWAYS, 0, NULL},
    {"fentry", FEATURE, ZF_FENTRY, NULL},
    {"iter", NEVER, 0, NULL},
};
static const struct row build[] = {
    {"bcc library path resolution", ALWAYS, 0, NULL},
    {"libdw (DWARF support)", NEVER, 0, NULL},
    {"dwunwind (DWARF stack unwinding)", NEVER, 0, NULL},
    {"blazesym (advanced symbolization)", NEVER, 0, NULL},
};

static bool has(struct zn_machine *m, const struct row *r)
{
    switch (r->need) {
    case ALWAYS: return true;
    case NEVER: return false;
    case FEATURE: return zn_features_has(&m->features, r->feature);
    case HELPER: return m->kbtf && zn_kbtf_has_name(m->kbtf, r->helper);
    }
    return false;
}

static void print_rows(struct zn_machine *m, const char *title, const struct row *rows, size_t n)
{
    printf("\n%s\n", title);
    for (size_t i = 0; i < n; i++)
        printf("  %s: %s\n", rows[i].name, has(m, &rows[i]) ? "yes" : "no");
}

int zn_info_to_stdout(void)
{
    ZN_CLEANUP(zn_machine_close) struct zn_machine m;
    struct utsname u;
    if (zn_machine_open(&m, true, NULL, NULL, 0))
        return 1;
    puts("System");
    if (!uname(&u))
        printf("  OS: %s %s %s\n  Arch: %s\n", u.sysname, u.release, u.version, u.machine);
    puts("\nBuild\n  version: zhen " ZHEN_VERSION);
    print_rows(&m, "Build features", build, ZN_ARRAY_SIZE(build));
    print_rows(&m, "Kernel helpers", helpers, ZN_ARRAY_SIZE(helpers));
    print_rows(&m, "Kernel features", features, ZN_ARRAY_SIZE(features));
    print_rows(&m, "Probe types", probes, ZN_ARRAY_SIZE(probes));
    return fflush(stdout) ? 1 : 0;
}
