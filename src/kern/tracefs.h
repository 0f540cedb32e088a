/* SPDX-License-Identifier: Apache-2.0 */
/* The tracing file system: where it is mounted, which events it lists, and what their records hold. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ZN_TRACEFS_PATH = 256 };

/* Writes the directory that has events/ (no trailing slash). -ENOENT: not mounted; -EACCES: mounted,
 * but this process may not look inside. */
int zn_tracefs_find(char path[static ZN_TRACEFS_PATH]);

/* Names in a directory ("events", "events/sched"), sorted; directories only. */
struct zn_tracefs_names {
    char **v; /* malloc'ed, as are the names */
    size_t n;
};
int zn_tracefs_list(const char *root, const char *dir, struct zn_tracefs_names *ret);
void zn_tracefs_names_fini(struct zn_tracefs_names *l);

struct zn_event_field {
    const char *decl; /* "const char * filename", "__data_loc char[] name", into `text` */
    uint32_t off, size;
    bool sign;
    bool common; /* of every event: common_type, common_pid … */
};

/* One format file. */
struct zn_event_format {
    int id;
    struct zn_event_field *fields;
    size_t nfields;
    char *text; /* owned; what decl points into */
};
int zn_event_format_read(const char *root, const char *category, const char *event,
                         struct zn_event_format *ret);
/* The same from text, which is taken over (malloc'ed) on success. */
int zn_event_format_parse(char *text, struct zn_event_format *ret);
void zn_event_format_fini(struct zn_event_format *f);
/* The number that perf_event_open takes. */
int zn_event_id(const char *root, const char *category, const char *event, uint64_t *ret);
