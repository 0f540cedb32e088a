/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel's functions by name. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct zn_probes;

struct zn_func {
    const char *name;
    const char *module; /* NULL: the kernel itself */
};

/* Sorted by name, then module. */
struct zn_funcs {
    struct zn_func *v;
    size_t n;
    char *text;     /* what the names point into */
    bool traceable; /* only those that ftrace knows; else every text symbol */
};

/* Read once per host; NULL when neither tracefs nor kallsyms can be read. */
const struct zn_funcs *zn_funcs_get(struct zn_probes *p);
void zn_funcs_free(struct zn_funcs *f);
/* Functions whose *return* must not be probed: the machinery of returns takes these very locks. */
bool zn_locks_up(const char *func);
/* All functions of that name: index of the first, *n of them (0 none). */
size_t zn_funcs_find(const struct zn_funcs *f, const char *name, size_t *n);
