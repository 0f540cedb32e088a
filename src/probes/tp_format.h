/* SPDX-License-Identifier: Apache-2.0 */
/* A tracepoint's format file, line by line. Separate from the types so that text can be tested. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct zn_target;
struct zn_types;

/* One `field:` line, cut in place. */
struct zn_tp_field {
    const char *decl; /* "const char * filename", without a __data_loc prefix */
    const char *name;
    const char *type; /* NULL, or the element type of a __data_loc field: "char", "unsigned int" */
    bool data_loc, rel_loc;
    uint32_t off, size;
    bool sign;
};

/* The next field after *pos (start with the whole text; it is modified), or false at the end.
 * Malformed lines are passed over. */
bool zn_tp_next(char **pos, struct zn_tp_field *ret);
/* Fills t->args from the text of the format file. Returns 0 or -EINVAL (no fields at all). */
int zn_tp_args(struct zn_types *types, struct zn_target *t, char *format);
