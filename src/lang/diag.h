/* SPDX-License-Identifier: Apache-2.0 */
/* User mistakes as data: where, what, and what to do. Collected, never printed here.
 *
 * Rendered form (`guide` of bpftrace's own, so editors parse both):
 *     FILE:LINE:COL1-COL2: ERROR: message
 *     the source line, tabs as 4 spaces
 *     ~~~ under the range
 *     HINT: what to do
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct zn_arena;
struct zn_str;

/* A half-open byte range [begin, end) of the source text. {0,0} = nowhere in particular. */
struct zn_pos {
    uint32_t begin, end;
};

enum zn_severity { ZN_ERROR, ZN_WARNING, _ZN_SEVERITY_MAX };

struct zn_diag {
    enum zn_severity severity;
    struct zn_pos pos;
    const char *msg;  /* one sentence, no newline */
    const char *hint; /* or NULL */
    struct zn_diag *next;
};

/* The source and what was said of it. Both name and text outlive the compile. */
struct zn_source {
    const char *name; /* file name as shown; "stdin" for -e */
    const char *text;
    size_t len;
};

struct zn_diags {
    struct zn_arena *arena;
    struct zn_source src;
    struct zn_diag *first, *last;
    unsigned errors, warnings;
};

void zn_diags_init(struct zn_diags *d, struct zn_arena *arena, struct zn_source src);
/* Appends; returns the diagnostic so that a hint may be added. After 50 errors further ones are
 * counted but not kept. */
struct zn_diag *zn_error(struct zn_diags *d, struct zn_pos pos, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
struct zn_diag *zn_warning(struct zn_diags *d, struct zn_pos pos, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void zn_hint(struct zn_diags *d, struct zn_diag *diag, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* 1-based line and column (columns count bytes) of an offset. */
void zn_source_locate(const struct zn_source *src, uint32_t off, unsigned *line, unsigned *col);
/* Renders one diagnostic / all of them, ending in a newline. Very long lines are cut around the
 * range. Colour adds ANSI red/yellow to the word ERROR/WARNING. */
void zn_diag_render(const struct zn_source *src, const struct zn_diag *diag, bool color,
                    struct zn_str *out);
void zn_diags_render(const struct zn_diags *d, bool color, struct zn_str *out);

/* The candidate nearest to `name` by edit distance (insert, delete, replace, swap), or NULL when
 * none is near enough (more than a third of the name's length, at least 2 edits). */
const char *zn_nearest(const char *name, const char *const *candidates, size_t n);
