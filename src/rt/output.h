/* SPDX-License-Identifier: Apache-2.0 */
/* Where a running script's text goes: a buffer in front of a file, and a sink for notices.
 *
 * What the script prints is collected in `buf` and written when the mode says so; what is said *about*
 * the script (attached probes, losses, warnings) goes to `notice`, after `buf` has been written, so
 * that both keep their order on one terminal. A reader that goes away (EPIPE) sets `closed`. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

enum zn_out_mode {
    ZN_OUT_LINE, /* after every batch of events (the default) */
    ZN_OUT_FULL, /* when 64 KiB have gathered, and at the end */
    ZN_OUT_NONE, /* after every event */
};

struct zn_out {
    struct zn_str buf;
    int fd;
    bool json;
    enum zn_out_mode mode;
    bool closed; /* nobody reads any more */
    int error;   /* -errno of the first failed write other than EPIPE */
    /* Complete lines for the user, ending in a newline. NULL: dropped. */
    void (*notice)(void *arg, const char *text, size_t len);
    void *notice_arg;
};

void zn_out_init(struct zn_out *o, int fd, bool json);
void zn_out_fini(struct zn_out *o); /* flushes; does not close fd */
void zn_out_flush(struct zn_out *o);
/* To be called after one event / after a batch of events. */
void zn_out_event(struct zn_out *o);
void zn_out_batch(struct zn_out *o);
void zn_out_notice(struct zn_out *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Begins `{"type": "TYPE", "data": ` in buf. */
void zn_out_json_begin(struct zn_out *o, const char *type);
/* A whole record whose data is one string. */
void zn_out_json_text(struct zn_out *o, const char *type, const char *s, size_t n);
