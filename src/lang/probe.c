/* SPDX-License-Identifier: Apache-2.0 */
/* The table of probe kinds: names, old names, and what their programs see. */
#include "lang/probe.h"

#include <string.h>
#include <strings.h>

/* clang-format off */
const struct zn_provider_info zn_providers[_ZN_PROVIDER_MAX] = {
    [ZP_BEGIN] = {ZP_BEGIN, "begin", {NULL}, ZC_NONE, false, "begin", 0, 0,
                  "Runs once, before the other probes are attached."},
    [ZP_END] = {ZP_END, "end", {NULL}, ZC_NONE, false, "end", 0, 0,
                "Runs once, after the other probes are detached."},
    [ZP_INTERVAL] = {ZP_INTERVAL, "interval", {"i"}, ZC_NONE, false,
                     "interval:hz|s|ms|us:N or interval:DURATION", 1, 2,
                     "Runs periodically, on one CPU."},
    [ZP_PROFILE] = {ZP_PROFILE, "profile", {"p"}, ZC_PERF, true,
                    "profile:hz|s|ms|us:N or profile:DURATION", 1, 2,
                    "Runs periodically on every CPU and interrupts what runs there."},
    [ZP_SOFTWARE] = {ZP_SOFTWARE, "software", {"s"}, ZC_PERF, true, "software:EVENT[:COUNT]", 1, 2,
                     "Runs once for every COUNT of an event that the kernel counts itself."},
    [ZP_HARDWARE] = {ZP_HARDWARE, "hardware", {"h"}, ZC_PERF, true, "hardware:EVENT[:COUNT]", 1, 2,
                     "Runs once for every COUNT of an event that the processor counts."},
    [ZP_TRACEPOINT] = {ZP_TRACEPOINT, "tracepoint", {"t"}, ZC_TP, true,
                       "tracepoint:CATEGORY:EVENT", 2, 2,
                       "Static places of the kernel, with named fields."},
    [ZP_RAWTRACEPOINT] = {ZP_RAWTRACEPOINT, "rawtracepoint", {"rt"}, ZC_RAW, true,
                          "rawtracepoint:[MODULE:]EVENT", 1, 2,
                          "Static places of the kernel, with the arguments as they are passed."},
    [ZP_KPROBE] = {ZP_KPROBE, "kprobe", {"k"}, ZC_REGS, true, "kprobe:[MODULE:]FUNCTION[+OFFSET]",
                   1, 2, "The start of a kernel function, or an instruction in it."},
    [ZP_KRETPROBE] = {ZP_KRETPROBE, "kretprobe", {"kr"}, ZC_REGS, true,
                      "kretprobe:[MODULE:]FUNCTION", 1, 2, "The return of a kernel function."},
    [ZP_FENTRY] = {ZP_FENTRY, "fentry", {"f", "kfunc"}, ZC_BTF, true, "fentry:[MODULE:]FUNCTION", 1,
                   3, "The start of a kernel function, with typed arguments."},
    [ZP_FEXIT] = {ZP_FEXIT, "fexit", {"fr", "kretfunc"}, ZC_BTF, true, "fexit:[MODULE:]FUNCTION", 1,
                  3, "The return of a kernel function, with typed arguments and result."},
    [ZP_UPROBE] = {ZP_UPROBE, "uprobe", {"u"}, ZC_REGS, true,
                   "uprobe:PATH:[cpp:]FUNCTION[+OFFSET] or uprobe:PATH:ADDRESS", 2, 3,
                   "The start of a function of a program or library."},
    [ZP_URETPROBE] = {ZP_URETPROBE, "uretprobe", {"ur"}, ZC_REGS, true,
                      "uretprobe:PATH:[cpp:]FUNCTION", 2, 3,
                      "The return of a function of a program or library."},
    [ZP_USDT] = {ZP_USDT, "usdt", {"U"}, ZC_REGS, true, "usdt:PATH:[PROVIDER:]PROBE", 2, 3,
                 "Static places of a program or library."},
    [ZP_WATCHPOINT] = {ZP_WATCHPOINT, "watchpoint", {"w"}, ZC_PERF, true,
                       "watchpoint:ADDRESS:LENGTH:MODE", 3, 3,
                       "Reads, writes or execution of a memory address."},
    [ZP_ITER] = {ZP_ITER, "iter", {"it"}, ZC_BTF, true, "iter:OBJECT[:PIN]", 1, 2,
                 "Walks over the kernel's objects of one kind."},
    [ZP_SELF] = {ZP_SELF, "self", {NULL}, ZC_NONE, false, "self:signal:SIGUSR1", 2, 2,
                 "Runs when the tracer itself gets a signal."},
    [ZP_TEST] = {ZP_TEST, "test", {NULL}, ZC_NONE, false, "test:NAME", 1, 1, "A test of a script."},
    [ZP_BENCH] = {ZP_BENCH, "bench", {NULL}, ZC_NONE, false, "bench:NAME", 1, 1,
                  "A benchmark of a script."},
};

static const struct zn_provider_info *find(const char *name, int (*cmp)(const char *, const char *))
{
    for (unsigned i = 0; i < _ZN_PROVIDER_MAX; i++) {
        const struct zn_provider_info *p = &zn_providers[i];

        if (cmp(p->name, name) == 0)
            return p;
        for (unsigned k = 0; k < sizeof(p->alias) / sizeof(p->alias[0]) && p->alias[k]; k++)
            if (cmp(p->alias[k], name) == 0)
                return p;
    }
    return NULL;
}

/* `u` and `U` differ: as written first, any case second. */
const struct zn_provider_info *zn_provider_find(const char *name)
{
    const struct zn_provider_info *p = find(name, strcmp);

    return p ? p : find(name, strcasecmp);
}
