/* SPDX-License-Identifier: Apache-2.0 */
/* What `zhen check` finds out about the machine, one row per fact. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum zn_check_state {
    ZN_CHECK_FACT, /* only said, neither good nor bad */
    ZN_CHECK_YES,
    ZN_CHECK_NO,     /* the kernel or machine lacks it */
    ZN_CHECK_DENIED, /* it may be there, but this process may not use it */
};

struct zn_check_row {
    const char *group; /* "machine", "privilege", "probe", "map", "feature" */
    const char *name;
    enum zn_check_state state;
    char *detail;        /* owned; "" when there is nothing to add */
    const char *without; /* what stops working; NULL: nothing, or state is not bad */
};

struct zn_check {
    struct zn_check_row *rows;
    size_t n, cap;
    bool failed;  /* no memory */
    bool can_run; /* programs can be loaded and some probe attaches */
};

void zn_check_run(struct zn_check *c);
void zn_check_fini(struct zn_check *c);
