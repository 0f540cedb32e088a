/* SPDX-License-Identifier: Apache-2.0 */
/* printf() of the script: a format taken apart once, then run for every record.
 *
 * Conversions: d i u o x X c p s, r (bytes as text and \x00), rx (bytes as \x00), rh (bytes as 00 00).
 * Flags: - + space # 0 ' (thousands), width, precision, and the lengths hh h l ll j z t L. %s prints
 * any type. Without a length %x and %o show 32 bits, as C does; %d, %i and %u show a 64-bit number whole,
 * where C and bpftrace would cut it to another number. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lang/image.h"
#include "rt/view.h"

struct zn_fmt;

/* Takes the first `nargs` arguments' conversions from fmt; conversions without an argument, and
 * unknown ones, are printed as they're written. NULL: out of memory. fmt must outlive the result. */
struct zn_fmt *zn_fmt_new(const char *fmt, uint32_t len, const struct zn_action_arg *args,
                          uint32_t nargs);
void zn_fmt_free(struct zn_fmt *f);
/* rec: the record that the arguments' offsets count from. */
void zn_fmt_run(const struct zn_fmt *f, const struct zn_view *v, const void *rec,
                struct zn_str *out);
