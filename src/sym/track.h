/* SPDX-License-Identifier: Apache-2.0 */
/* Follows every process of the machine from exec to exit, so that the mappings of the short-lived are
 * known when their addresses are printed. */
#pragma once

#include <stdint.h>

#include "sym/files.h"
#include "sym/procs.h"

struct zn_track;

/* Opens one dummy event on each CPU, then reads the mappings of the processes that run already (the
 * newest first, within a budget of time). 0 or -errno. */
int zn_track_open(struct zn_procs *procs, struct zn_files *files, struct zn_track **ret);
void zn_track_close(struct zn_track *t);
/* Applies what came in since, in order of time. Number of records, or -errno. */
int zn_track_poll(struct zn_track *t);
uint64_t zn_track_lost(const struct zn_track *t);
