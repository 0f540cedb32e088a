/* SPDX-License-Identifier: Apache-2.0 */
/* A tracepoint's record as typed fields. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct zn_event_field;
struct zn_event_format;
struct zn_target;
struct zn_types;

/* A field's declaration taken apart. */
struct zn_tp_decl {
    char name[128];
    char type[256]; /* what zn_parse_cdecl takes; of __data_loc fields the element's: "char" */
    bool data_loc, rel_loc;
};

/* False when the declaration has no name. */
bool zn_tp_decl(const char *decl, struct zn_tp_decl *ret);
/* Fills t->args; -EINVAL when the format has no fields at all. A __data_loc char[] becomes a string of
 * max_strlen bytes, other __data_loc fields arrays of unknown length. */
int zn_tp_args(struct zn_types *types, struct zn_target *t, const struct zn_event_format *format,
               uint32_t max_strlen);
