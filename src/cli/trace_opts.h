/* SPDX-License-Identifier: Apache-2.0 */
/* What was asked of `zhen trace`. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "cli/opt.h"
#include "rt/output.h"

enum { ZN_MOST_INCLUDE_DIRS = 64, ZN_MOST_INCLUDES = 64 };

struct zn_trace_opts {
    const char *program; /* -e; else */
    const char *file;    /* a path or "-" */
    struct zn_args args; /* the script's own arguments; with -l the pattern */
    const char *output, *command, *btf, *no_feature, *dump, *probe_filter;
    const char *dirs[ZN_MOST_INCLUDE_DIRS];
    unsigned ndirs;
    const char *includes[ZN_MOST_INCLUDES];
    unsigned nincludes;
    pid_t pid;
    enum zn_out_mode buffering;
    bool json, list, quiet, verbose, unsafe, dry_run, no_warnings, helper_errors;
};

/* Returns 0, or -EINVAL after telling stderr what is wrong. *ret_done: an exit code when all has been
 * done already (--help), else untouched. */
int zn_trace_opts_parse(struct zn_trace_opts *o, int argc, char **argv, int *ret_done);
void zn_trace_opts_fini(struct zn_trace_opts *o);
