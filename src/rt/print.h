/* SPDX-License-Identifier: Apache-2.0 */
/* Prints whole maps, in text or as JSON. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "rt/maps.h"
#include "rt/output.h"
#include "rt/view.h"

/* Sorts a snapshot as it is printed: numbers ascending by value, then by key; averages by average;
 * histograms by their total; all else by key. */
void zn_snap_sort(const struct zn_view *v, const struct zn_map *m, struct zn_snap *snap);
/* Prints a sorted snapshot of map m. top > 0: the last (largest) ones only. `zero`: an empty scalar
 * is shown as zero (print(@x)), not left out (at the end). */
void zn_print_snap(struct zn_view *v, struct zn_out *out, const struct zn_map *m,
                   const struct zn_snap *snap, uint64_t top, uint64_t div, bool zero);
/* `(stored value)` as print(x) shows it, with a newline or as a record of type "value". */
void zn_print_value(struct zn_view *v, struct zn_out *out, const struct zn_type *t, const void *p);

/* print_hist.c: the rows of a histogram, each ending in a newline / as a JSON array. */
void zn_put_hist_rows(const struct zn_type *t, const uint64_t *counts, uint64_t div,
                      struct zn_str *out);
void zn_put_hist_json(const struct zn_type *t, const uint64_t *counts, uint64_t div,
                      struct zn_str *out);
uint32_t zn_hist_slots(const struct zn_type *t);
