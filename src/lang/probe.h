/* SPDX-License-Identifier: Apache-2.0 */
/* What the compiler must know of probe kinds, and what it asks of the machine about them.
 *
 * A script names *attach points* ("tracepoint:sched:*"); probes/ expands each to concrete *targets*
 * ("tracepoint:sched:sched_switch"); the compiler makes programs and says for each program which
 * targets it is attached to and by which method (zn_attachment in lang/image.h); probes/ attaches
 * them. The compiler itself never touches the machine. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lang/diag.h"
#include "lang/type.h"

struct zn_arena;

enum zn_provider {
    ZP_BEGIN,
    ZP_END,
    ZP_INTERVAL,
    ZP_PROFILE,
    ZP_SOFTWARE,
    ZP_HARDWARE,
    ZP_TRACEPOINT,
    ZP_RAWTRACEPOINT,
    ZP_KPROBE,
    ZP_KRETPROBE,
    ZP_FENTRY,
    ZP_FEXIT,
    ZP_UPROBE,
    ZP_URETPROBE,
    ZP_USDT,
    ZP_WATCHPOINT,
    ZP_ITER,
    ZP_SELF,
    ZP_TEST,
    ZP_BENCH,
    _ZN_PROVIDER_MAX,
};

/* What a provider's programs see as context. */
enum zn_ctx {
    ZC_NONE, /* nothing usable */
    ZC_REGS, /* struct pt_regs: kprobe, kretprobe, uprobe, uretprobe, usdt */
    ZC_TP,   /* the tracepoint's record */
    ZC_RAW,  /* u64 args[]: raw_tp (numbers), */
    ZC_BTF,  /* u64 args[] with types the verifier knows: tp_btf, fentry, fexit, iter */
    ZC_PERF, /* struct bpf_perf_event_data (pt_regs first) */
};

struct zn_provider_info {
    enum zn_provider id;
    const char *name;     /* canonical: "tracepoint" */
    const char *alias[4]; /* "t"; old names: "kfunc" */
    enum zn_ctx ctx;
    bool takes_pid_filter;        /* -p applies */
    const char *syntax;           /* "tracepoint:category:event", for messages and the docs */
    uint8_t min_parts, max_parts; /* after the provider */
    const char *doc;
};
extern const struct zn_provider_info zn_providers[_ZN_PROVIDER_MAX];
/* By name or alias, case-insensitive; NULL when unknown. "syscalls" is tracepoint's spelling of the
 * prefix-less form and is handled by the resolver. */
const struct zn_provider_info *zn_provider_find(const char *name);

/* Where a usdt argument is when its probe fires. Offsets are bytes into struct pt_regs, -1: none. */
enum zn_usdt_kind {
    ZN_USDT_UNKNOWN, /* the note says it in a way that is not understood: see text */
    ZN_USDT_CONST,   /* disp itself */
    ZN_USDT_REG,     /* register base, shifted right by shift bits */
    ZN_USDT_MEM,     /* user memory at base + (index << shift) + disp */
};
struct zn_usdt_arg {
    enum zn_usdt_kind kind;
    uint8_t size; /* bytes: 1, 2, 4, 8 */
    bool sign;
    uint8_t shift;
    int16_t base, index;
    int64_t disp;
    const char *text; /* as the note has it */
};

/* One concrete place. All strings and arrays live in the compile's arena. */
struct zn_target {
    enum zn_provider provider;
    const char *name;   /* what `probe` gives: "tracepoint:syscalls:sys_enter_read" */
    const char *func;   /* what `func` gives, or NULL */
    const char *module; /* tracepoint category; kprobe/fentry module or NULL; uprobe/usdt: path */
    const char *sym;    /* event; function; symbol; software/hardware event; unit ("hz", "ms") */
    uint64_t offset; /* kprobe: bytes into the function. uprobe: file offset to attach at, 4 behind
                         * the function's start where that is an endbr64 */
    uint64_t value;  /* interval/profile: period_ns (or Hz when sym is "hz"); software: count;
                         * usdt: semaphore's file offset or 0; watchpoint: address */
    int32_t nr;      /* sys_enter_X, sys_exit_X: the call's number, else -1 */
    uint32_t pid;    /* usdt, watchpoint: the process it is attached to; 0 = all */
    uint8_t len;     /* watchpoint: bytes */
    uint8_t mode;    /* watchpoint: ZN_WATCH_* */
    bool is_exit;    /* sys_exit_X; kretprobe, uretprobe, fexit */
    uint32_t btf_id; /* fentry/fexit: FUNC; rawtracepoint: the btf_trace_X typedef; iter: FUNC */
    int32_t btf_module_fd; /* object the id belongs to; 0 = vmlinux */
    /* args, filled by zn_host.target_args; NULL until then. A record type: `args.x`. */
    struct zn_type *args;
    struct zn_type *retval; /* fexit: typed result, in u64 number args->size / 8 of the context */
    bool args_done;
    const struct zn_usdt_arg *usdt_args; /* usdt: arg0 ... */
    uint32_t nusdt_args;
};
enum { ZN_WATCH_R = 1, ZN_WATCH_W = 2, ZN_WATCH_X = 4 };

struct zn_target_list {
    struct zn_target *v; /* arena */
    uint32_t n, cap;
};

/* A written attach point, resolved to its provider. */
struct zn_attach_spec {
    const struct zn_provider_info *provider;
    const char *const *parts; /* after the provider */
    unsigned nparts;
    const char *written; /* the whole text, as `probe` shows it when that differs */
    bool bare_syscalls;  /* prefix-less spelling: target names are "syscalls::sys_enter_X" */
    struct zn_pos pos;
};

/* What is asked of the machine (or of a test's fixture). All functions return 0 or -errno; with
 * -ENOENT "no such probe", *why (arena string, one sentence) and *hint may be set on any error. */
struct zn_host {
    void *arg;
    /* Appends the matching targets, sorted by name, without duplicates. Zero matches of a wildcard
     * are -ENOENT as well. `note` may be set on success: a remark for the user ("searched 14
     * libraries"), shown as a warning unless quiet. */
    int (*expand)(void *arg, struct zn_types *types, const struct zn_attach_spec *spec,
                  struct zn_target_list *out, const char **why, const char **hint,
                  const char **note);
    /* Fills t->args / t->retval (record types with field locations). */
    int (*target_args)(void *arg, struct zn_types *types, struct zn_target *t, const char **why);
    /* Address of a kernel symbol (kaddr, ksyms); of a symbol in a file (uaddr: address and size). */
    int (*kaddr)(void *arg, const char *sym, uint64_t *ret);
    int (*uaddr)(void *arg, const char *path, const char *sym, uint64_t *ret, uint64_t *ret_size);
    /* cgroupid("path"). */
    int (*cgroupid)(void *arg, const char *path, uint64_t *ret);
};
