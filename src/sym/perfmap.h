/* SPDX-License-Identifier: Apache-2.0 */
/* Names of code that a JIT compiler made: /tmp/perf-PID.map. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "sym/elf.h"

struct zn_perfmap {
    struct zn_elf *table; /* as a symbol table whose addresses are the process's own */
    int64_t mtime_ns, size;
    uint64_t checked_ns; /* when it was last looked for; CLOCK_MONOTONIC */
};

void zn_perfmap_fini(struct zn_perfmap *p);
/* Looks whether the process's map appeared or grew (at most ten times a second) and reads it. The file
 * counts only if it belongs to the process's user or to root. True when there is a new table. */
bool zn_perfmap_update(struct zn_perfmap *p, uint32_t tgid);
