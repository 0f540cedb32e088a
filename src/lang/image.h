/* SPDX-License-Identifier: Apache-2.0 */
/* What a compile gives: programs, maps, and everything needed to run and print them.
 *
 * One array map of one entry, `.data` (image map 0, mmapable), holds all directly addressed state:
 *
 *   0                 u64 stop flag: programs do nothing once it is non-zero
 *   8                 u64 start time (boot clock, ns): user space writes it before BEGIN runs
 *   loss_off          u64 loss[nprobes][_ZL_MAX]
 *   glob_off ...      cells that are not per CPU
 *   cpu_off + cpu * cpu_stride ...   per-CPU cells, for cpu < ncpu (a power of two)
 *
 * `.rodata` (image map 1, frozen) holds constant tables and a run of zeroes. `.ring` (map 2) carries
 * data records, `.ctl` (map 3) control records, ordered against each other: a control record starts
 * with the producer position that the data ring had when it was made; the reader consumes the data
 * ring up to there first.
 *
 *   data record:    struct zn_rec  { u32 action; u32 probe; }         payload
 *   control record: struct zn_ctl  { u32 action; u32 probe; u64 pos } payload
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lang/ir.h"
#include "lang/probe.h"
#include "lang/type.h"

enum { ZN_MAP_DATA = 0, ZN_MAP_RODATA = 1, ZN_MAP_RING = 2, ZN_MAP_CTL = 3, ZN_MAP_FIRST = 4 };

/* Why an event was lost. */
enum zn_loss {
    ZL_RING,   /* no room in the ring */
    ZL_FULL,   /* map full or no memory: an update failed */
    ZL_NESTED, /* all scratch slots of this CPU were in use */
    ZL_STACK,  /* a stack could not be kept */
    ZL_LOOP,   /* a loop had more turns than a loop may take */
    ZL_TRUNC,  /* a string was longer than its place (not a lost event: a shortened one) */
    ZL_UNREAD, /* a string of a process could not be read, mostly since its page is not resident: "" */
    _ZL_MAX,
};

struct zn_rec {
    uint32_t action, probe;
};
struct zn_ctl {
    uint32_t action, probe;
    uint64_t pos; /* data ring's producer position, bytes */
};

enum zn_map_kind {
    ZM_INTERNAL, /* .data, .rodata, rings, stack sets, scratch: no user value */
    ZM_CELL,     /* scalar @x in .data */
    ZM_RANGE,    /* @x[k] with 0 <= k < range_n in .data, rest in the hash `overflow` */
    ZM_HASH,     /* @x[k] in a kernel hash (or lru hash) map */
};

struct zn_map {
    const char *name; /* "@x"; internals ".data" … */
    enum zn_map_kind kind;
    /* the kernel's object (ZM_INTERNAL, ZM_HASH); create nothing when bpf_type == 0 */
    uint32_t bpf_type, key_size, val_size, max_entries, flags;
    /* where the value is (ZM_CELL, ZM_RANGE) */
    bool percpu;          /* CELL/RANGE: one copy per CPU in .data; HASH: a per-CPU map */
    uint32_t cell_off;    /* in .data, or within the per-CPU block when percpu */
    uint32_t cell_stride; /* between entries of a range */
    uint32_t range_n;
    int32_t touch_off;   /* offset in the cell of a u64 that is non-zero once written; -1: the value
                          * itself is non-zero then (count, avg, stats, hist, lhist) */
    int32_t overflow;    /* ZM_RANGE: image map of the rest, or -1 */
    bool hidden;         /* an overflow hash, printed with its range */
    struct zn_type *key; /* NULL for scalars */
    struct zn_type *value;
    const void *init; /* .rodata: val_size bytes of content */
};

enum zn_action_kind {
    ZA_PRINTF, /* fmt, args: stored forms at args[].off from the record's start */
    ZA_ERRORF, /* as printf, to stderr with position; ZA_WARNF the same */
    ZA_WARNF,
    ZA_CAT,    /* like printf, the text is a file's path */
    ZA_SYSTEM, /* like printf, the text is a command */
    ZA_PRINT,  /* print(value): args[0] */
    ZA_TIME,   /* fmt = strftime format; no args */
    ZA_JOIN,   /* payload: u32 count, u32 slot bytes, then a NUL-terminated string per slot; fmt =
                  * separator */
    ZA_STACK,  /* payload: u64 id, u64 tgid (0: kernel), u32 nframes, u32 0, u64 frames[] */
    ZA_RUNTIME_ERROR, /* payload: u64 retcode; fmt = message; helper = name or NULL */
    /* control records */
    ZA_EXIT,          /* payload: u64 code */
    ZA_PRINT_MAP,     /* map; args[0] if any: top, args[1]: div, as u64 at payload */
    ZA_PRINT_MAP_KEY, /* print(@m[k]): map, payload: stored key */
    ZA_CLEAR,         /* map */
    ZA_ZERO,          /* map */
    ZA_SIGNALLED_LAST,
};

struct zn_action_arg {
    struct zn_type *type;
    uint32_t off; /* from the start of the record */
};

struct zn_action {
    enum zn_action_kind kind;
    const char *fmt; /* arena string or NULL */
    uint32_t fmt_len;
    const char *helper;
    struct zn_action_arg *args;
    uint32_t nargs;
    int32_t map;      /* image map, or -1 */
    bool clear_after; /* ZA_PRINT_MAP: print(@m); clear(@m) side by side */
    uint32_t size;    /* bytes of the whole record */
    struct zn_pos pos;
};

enum zn_attach_how {
    ZH_NONE,    /* BEGIN, END, interval, signal: run by test-run from user space */
    ZH_RAW_TP,  /* raw tracepoint by event name */
    ZH_BTF,     /* tp_btf, fentry, fexit, iter: BPF_RAW_TRACEPOINT_OPEN/LINK_CREATE by btf id */
    ZH_PERF_TP, /* perf event of the tracepoint */
    ZH_KPROBE,  /* one kprobe/kretprobe perf event per target */
    ZH_KPROBE_MULTI, /* one link for all targets */
    ZH_UPROBE,
    ZH_UPROBE_MULTI,
    ZH_PERF_EVENT, /* profile, software, hardware: per CPU */
    ZH_WATCHPOINT, /* breakpoint events: per thread, or per CPU */
};

struct zn_attachment {
    const struct zn_target *target;
    uint64_t cookie; /* bpf_get_attach_cookie(): index of the target among the body's targets */
    uint32_t probe;  /* image probe number */
};

struct zn_prog {
    const char *name;         /* [A-Za-z0-9_], at most 15 bytes */
    uint32_t prog_type;       /* BPF_PROG_TYPE_* */
    uint32_t expected_attach; /* BPF_TRACE_RAW_TP … or 0 */
    uint32_t attach_btf_id;   /* tracing programs */
    int32_t btf_module_fd;
    enum zn_attach_how how;
    const char *event; /* ZH_RAW_TP, ZH_BTF on tracepoints: the event's name */
    bool sleepable;
    struct zn_attachment *att;
    uint32_t natt;
    struct zn_code code;       /* subprograms are image->subs */
    enum zn_provider provider; /* of the first body */
};

struct zn_image {
    struct zn_source src;
    struct zn_prog *progs; /* in script order; BEGIN first, END where written */
    uint32_t nprogs;
    struct zn_code
        *subs; /* BPF-to-BPF functions and callbacks; appended to each program using them */
    uint32_t nsubs;
    struct zn_map *maps; /* 0..3 as above */
    uint32_t nmaps;
    struct zn_action *actions;
    uint32_t nactions;
    const char **strings; /* interned */
    uint32_t nstrings;
    /* probes: losses are counted by these numbers */
    struct {
        const char *name;
        struct zn_pos pos;
    } * probes;
    uint32_t nprobes;
    uint32_t nattached; /* "Attached N probes" counts targets, BEGIN and END included */
    uint32_t loss_off, cpu_off, cpu_stride, ncpu, data_size, ncpu_possible;
    bool uses_ustack, uses_usym, uses_kstack, uses_ksym;
    const char **notes; /* remarks of probe expansion */
    uint32_t nnotes;
};
