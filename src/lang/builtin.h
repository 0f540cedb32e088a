/* SPDX-License-Identifier: Apache-2.0 */
/* Builtin values and functions: one row each, found by name (private to lang/).
 *
 * To add one: a row in the fitting builtin_*.c table, with its inference and its lowering. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct zn_cc;
struct zn_lower;
struct zn_node;
struct zn_val;

enum {
    BI_BARE = 1 << 0,    /* usable without parentheses */
    BI_STMT = 1 << 1,    /* gives no value */
    BI_AGG = 1 << 2,     /* only as the right side of `@m = ` */
    BI_UNSAFE = 1 << 3,  /* needs --unsafe */
    BI_MAP0 = 1 << 4,    /* first argument is a map, not its value */
    BI_RAWARGS = 1 << 5, /* infer looks at the arguments itself */
    BI_ASYNC = 1 << 6,   /* makes a record for user space */
};

struct zn_builtin {
    const char *name;
    const char *sig; /* for messages and docs */
    uint8_t min_args, max_args;
    uint16_t flags;
    int32_t detail; /* tells rows that share functions apart */
    bool (*infer)(struct zn_cc *cc, struct zn_node *n);
    struct zn_val (*lower)(struct zn_lower *l, struct zn_node *n);
    const char *doc;
};

/* NULL when unknown. */
const struct zn_builtin *zn_builtin_find(const char *name);
/* All rows, for lists and suggestions; index from 0, NULL after the last. */
const struct zn_builtin *zn_builtin_at(unsigned i);
