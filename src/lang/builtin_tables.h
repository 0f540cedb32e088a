/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of builtins, each ended by a row without a name (private to lang/). */
#pragma once

#include "lang/builtin.h"

extern const struct zn_builtin zn_builtins_ctx[];   /* pid, comm, args, retval … */
extern const struct zn_builtin zn_builtins_agg[];   /* count, sum, hist … */
extern const struct zn_builtin zn_builtins_str[];   /* str, buf, substr, strncmp … */
extern const struct zn_builtin zn_builtins_print[]; /* printf, print, time, cat, exit … */
extern const struct zn_builtin zn_builtins_map[];   /* delete, clear, has_key … */
extern const struct zn_builtin zn_builtins_sym[];   /* kstack, ksym, ntop, cgroup … */
