/* SPDX-License-Identifier: Apache-2.0 */
/* Pieces that the text and the JSON printers of values share. */
#pragma once

#include "rt/view.h"

uint64_t zn_value_u64(const void *p);
/* An integer, enum, bool or pointer in C's layout. */
int64_t zn_value_c_int(const struct zn_type *t, const void *p);
/* A bit-field of the struct st at p. */
int64_t zn_value_field_bits(const struct zn_type *st, const struct zn_field *f, const void *p);
const char *zn_value_enum_name(const struct zn_type *t, int64_t n); /* or NULL */
/* count, sum, min, max, avg and the average of stats, divided by the view's div. */
int64_t zn_value_agg(const struct zn_view *v, const struct zn_type *t, const void *p);
int64_t zn_value_avg(const struct zn_type *t, const void *p);
/* The number behind a stored min or max. */
int64_t zn_value_extreme(const struct zn_type *t, const void *p);
void zn_put_mac(struct zn_str *out, const uint8_t *m);
void zn_put_inet(struct zn_str *out, const void *p);
void zn_put_ksym(const struct zn_view *v, uint64_t addr, struct zn_str *out);
void zn_put_usym(const struct zn_view *v, uint64_t addr, uint64_t tgid, struct zn_str *out);
