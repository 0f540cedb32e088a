/* SPDX-License-Identifier: Apache-2.0 */
/* How stored values become text: what a printer must know besides the bytes and their type. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "lang/image.h"
#include "lang/type.h"
#include "rt/stacks.h"

/* Addresses to names. A function is NULL, or returns false, where no name is known: then the address
 * is printed. offset: "name+12"; module: " (module)" behind it, as perf does. */
struct zn_names {
    void *arg;
    bool (*ksym)(void *arg, uint64_t addr, bool offset, bool module, struct zn_str *out);
    bool (*usym)(void *arg, uint32_t tgid, uint64_t addr, bool offset, bool module,
                 struct zn_str *out);
};

struct zn_view {
    const struct zn_image *img;
    uint32_t max_strlen; /* what str() keeps, bytes; 0: strings are never marked as cut */
    const char *trailer; /* behind strings that were cut, "" for none */
    /* The stack of an id, or NULL when it was lost. The function may be NULL. */
    const struct zn_stack *(*stack)(void *arg, uint64_t id);
    void *stack_arg;
    struct zn_names names;
    struct zn_people *people;   /* user names, NULL: numbers */
    struct zn_cgroups *cgroups; /* cgroup paths, NULL: numbers */
    int64_t ts_offset_ns[4];    /* per zn_ts_mode: to be added for the time of day */
    uint64_t div;               /* print(@m, top, div): 0 and 1 mean nothing */
    unsigned indent;            /* blanks before a stack's frames */
};

void zn_view_init(struct zn_view *v, const struct zn_image *img);
/* Reads the clocks for ts_offset_ns. */
void zn_view_clocks(struct zn_view *v);

/* Appends the stored value at p. Aggregates (count … stats) are reduced already; histograms are
 * print_hist.h's. */
void zn_value_text(const struct zn_view *v, const struct zn_type *t, const void *p,
                   struct zn_str *out);
void zn_value_json(const struct zn_view *v, const struct zn_type *t, const void *p,
                   struct zn_str *out);
/* A key as it stands between brackets: tuples without their parentheses. */
void zn_key_text(const struct zn_view *v, const struct zn_type *t, const void *p,
                 struct zn_str *out);
/* A key as the name of a JSON member, with quotes: its text without blanks. */
void zn_key_json(const struct zn_view *v, const struct zn_type *t, const void *p,
                 struct zn_str *out);

/* Integers, quickly. */
void zn_put_u64(struct zn_str *out, uint64_t n);
void zn_put_s64(struct zn_str *out, int64_t n);
void zn_put_hex(struct zn_str *out, uint64_t n);
/* As JSON: a string where a double would not hold it exactly. */
void zn_put_json_u64(struct zn_str *out, uint64_t n);
void zn_put_json_s64(struct zn_str *out, int64_t n);
/* Bytes as `%r` (text kept, others \x00), `%rx` (all \x00), `%rh` (00 00) show them. */
void zn_put_bytes(struct zn_str *out, const uint8_t *p, size_t n, bool keep_text, bool escape);
/* The text of a T_STR at p: *ret_len bytes, and whether it was cut. */
const char *zn_str_value(const struct zn_view *v, const struct zn_type *t, const void *p,
                         size_t *ret_len, bool *ret_cut);
/* A stack's frames, one a line, as its type's mode says; begins with a newline. */
void zn_put_stack(const struct zn_view *v, const struct zn_type *t, uint64_t id, uint64_t tgid,
                  struct zn_str *out);
/* Nanoseconds since 1970 by a strftime format that also knows %f (microseconds). */
void zn_put_time(struct zn_str *out, const char *fmt, int64_t ns);

/* zn_people: names of users. */
struct zn_people *zn_people_new(void);
void zn_people_free(struct zn_people *p);
/* NULL when the user has no name. */
const char *zn_people_name(struct zn_people *p, uint32_t uid);
/* zn_cgroups: paths of cgroups. */
struct zn_cgroups *zn_cgroups_new(void);
void zn_cgroups_free(struct zn_cgroups *c);
/* "unified:/path[,…]" of the hierarchies whose name fits the shell pattern filter (NULL: all). */
const char *zn_cgroups_path(struct zn_cgroups *c, uint64_t id, const char *filter);
