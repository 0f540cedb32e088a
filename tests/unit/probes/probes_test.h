/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of this room share: a host over this machine, and programs that count. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "kern/btf.h"
#include "lang/btf.h"
#include "lang/image.h"
#include "probes/attach.h"
#include "probes/probes.h"

/* A compile's surroundings. */
struct place {
    struct zn_arena arena;
    struct zn_kbtf *blob;
    struct zn_btf *btf; /* NULL: this kernel has none */
    struct zn_types types;
    struct zn_host *host;
    /* of the last expansion */
    struct zn_target_list list;
    const char *why, *hint, *note;
};

void place_open(struct place *p, const struct zn_probes_env *env);
void place_close(struct place *p);
/* Expands "tracepoint:sched:sched_switch" (cut at the colons) and returns what the host says. */
int place_expand(struct place *p, const char *written);
/* The single target of an attach point that must exist. */
struct zn_target *place_one(struct place *p, const char *written);
/* Has the last expansion a target of that name? */
struct zn_target *place_find(struct place *p, const char *name);
/* A field of a target's args, or NULL. */
const struct zn_field *field_of(const struct zn_target *t, const char *name);

/* A loaded program that counts hits of this process, and sums up cookies if asked. */
struct counter {
    int map, prog;
    volatile uint64_t *cells; /* [0] hits, [1] sum of cookies */
};
struct counter_opts {
    uint32_t prog_type, expected_attach, btf_id;
    int32_t only_nr; /* compare u64 number 1 of the context with this; -1 no */
    bool cookies;    /* needs 5.15 */
    bool any_process;
};
/* 0 or -errno of the load (the kernel lacks something). */
int counter_open(struct counter *c, const struct counter_opts *o);
void counter_close(struct counter *c);

bool may_trace(void);

/* Leaves a test that cannot run here, with a reason that the summary accepts. */
#define skip_here()                                                      \
    do {                                                                 \
        print_message("this machine refuses or lacks what is tested\n"); \
        skip();                                                          \
    } while (0)
