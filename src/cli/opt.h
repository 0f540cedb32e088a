/* SPDX-License-Identifier: Apache-2.0 */
/* Options as table rows: parsing, mistakes and help all come from the same table. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct zn_opt {
    const char *name; /* long name without dashes; NULL: none */
    char letter;      /* 0: none */
    bool has_arg;
    const char *meta; /* how help calls the argument */
    const char *doc;  /* NULL: not shown */
    int id;
};

struct zn_args {
    const char **v; /* owned: what was no option, in order */
    unsigned n;
    int error; /* memory ran out */
};

/* Goes through argv[1..]. Options and other arguments may be mixed; what stands behind `--` is no
 * option, nor is a negative number. Calls fn for each option until it returns non-zero, which is then
 * returned. A mistake is written to stderr, with the nearest option, and gives -EINVAL. */
int zn_opt_parse(const char *command, const struct zn_opt *opts, size_t nopts, int argc,
                 char **argv, int (*fn)(void *ctx, const struct zn_opt *opt, const char *value),
                 void *ctx, struct zn_args *ret);
void zn_args_fini(struct zn_args *a);
/* The options' lines of a help text, on stdout. */
void zn_opt_help(const struct zn_opt *opts, size_t nopts);
