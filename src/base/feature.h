/* SPDX-License-Identifier: Apache-2.0 */
/* What a kernel may or may not have, as far as programs are made differently for it. */
#pragma once

/* Each has a row, and how it is found out, in kern/feature.c. */
enum zn_feature {
    ZF_BTF,           /* vmlinux BTF is known */
    ZF_TP_BTF,        /* tracing programs on tracepoints (5.5) */
    ZF_RAW_TP,        /* 4.17 */
    ZF_FENTRY,        /* fentry/fexit attach (5.5 and an architecture with trampolines) */
    ZF_TASK_BTF,      /* bpf_get_current_task_btf (5.11) */
    ZF_ATOMIC_FETCH,  /* fetch-add, xchg, cmpxchg (5.12) */
    ZF_FOR_EACH_MAP,  /* 5.13 */
    ZF_COOKIE,        /* bpf_get_attach_cookie (5.15) */
    ZF_BPF_LOOP,      /* 5.17 */
    ZF_KPROBE_MULTI,  /* 5.18 */
    ZF_PERCPU_LOOKUP, /* bpf_map_lookup_percpu_elem (5.19) */
    ZF_KTIME_BOOT,    /* 5.8 */
    ZF_KTIME_TAI,     /* 6.1 */
    ZF_ITER_NUM,      /* open-coded iterators (6.4) */
    ZF_CPU_V4,        /* sdiv, smod, gotol (6.6) */
    ZF_UPROBE_MULTI,  /* 6.6 */
    ZF_KPROBES,       /* the kernel has kprobes at all */
    ZF_LONG_KEYS,     /* keys of hash maps above 512 bytes */
    _ZN_FEATURE_MAX,
};
