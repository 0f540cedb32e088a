/* SPDX-License-Identifier: Apache-2.0 */
/* Which bodies make which program (private to lang/'s lower_prog, lower_body and plan). */
#pragma once

#include "lang/lower.h"

/* Bodies (or slices of them) on one hook, in script order. */
struct zn_part {
    struct zn_cc_body *body;
    struct zn_target *targets;
    uint32_t n;
    bool by_nr; /* selected by the system call's number */
    struct zn_part *next;
};

struct zn_plan {
    enum zn_provider provider;
    enum zn_attach_how how;
    uint32_t prog_type, expected;
    enum zn_ctx ctx;
    const char *event;
    bool fast_syscall, is_exit, cookie;
    struct zn_part *parts, **tail;
    struct zn_plan *next;
};

/* The programs of a script, in script order. */
struct zn_plan *zn_plan_programs(struct zn_cc *cc);
/* The btf_trace_EVENT typedef, or 0. */
uint32_t zn_tp_btf_id(struct zn_cc *cc, const char *event);
/* Lowers one body into the current block; afterwards the builder stands behind it. compat: calls of
 * the other ABI do not match. */
void zn_lower_body(struct zn_lower *l, struct zn_part *part, bool compat);
