/* SPDX-License-Identifier: Apache-2.0 */
/* Processes and what is known of their mappings, living and gone. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "sym/maps.h"
#include "sym/perfmap.h"

struct zn_proc {
    uint32_t tgid;
    struct zn_proc *hash_next;
    struct zn_proc *newer, *older; /* by last use */
    struct zn_maps maps;
    struct zn_perfmap jit;
    uint32_t epoch; /* of the procs, when the mappings were last read */
    uint64_t read_ns;
    bool read;    /* mappings were read from /proc at least once */
    bool tracked; /* the tracker saw its exec (or its parent's), and every mapping since */
    bool gone;    /* it exited; what is here is all there will be */
};

struct zn_procs;

struct zn_procs *zn_procs_new(uint32_t max);
void zn_procs_free(struct zn_procs *ps);
/* The known process, or NULL. Counts as a use. */
struct zn_proc *zn_procs_find(struct zn_procs *ps, uint32_t tgid);
/* Finds or makes an empty one, forgetting the longest unused past the limit. NULL: no memory. */
struct zn_proc *zn_procs_get(struct zn_procs *ps, uint32_t tgid);
/* Reads /proc/TGID/maps. -ESRCH when there is no such process (then what was known stays). */
int zn_proc_read(struct zn_procs *ps, struct zn_proc *p);
/* True when what is known may be out of date and is worth another look. */
bool zn_proc_stale(const struct zn_procs *ps, const struct zn_proc *p, bool missed);
void zn_procs_refresh(struct zn_procs *ps);
/* The process starts a new program: nothing of before is true. */
void zn_proc_clear(struct zn_proc *p);
