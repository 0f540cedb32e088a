/* SPDX-License-Identifier: Apache-2.0 */
/* One running script: what its parts (actions, losses, the loop) share. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "probes/attach.h"
#include "rt/format.h"
#include "rt/load.h"
#include "rt/maps.h"
#include "rt/print.h"
#include "rt/ring.h"
#include "rt/rt.h"
#include "rt/stacks.h"
#include "rt/view.h"

struct zn_sym;

struct zn_session {
    const struct zn_image *img;
    const struct zn_config *cfg;
    const struct zn_rt_opts *opts;
    struct zn_out *out;
    struct zn_loaded ld;
    struct zn_hash_kernel hash;
    struct zn_mapset maps;
    struct zn_ring data, ctl;
    struct zn_links links;
    struct zn_stacks stacks;
    struct zn_view view;
    struct zn_sym *sym;  /* NULL: addresses stay numbers */
    bool tracking;       /* sym follows processes */
    struct zn_fmt **fmt; /* per action, made at its first record */
    struct zn_str text;  /* scratch */
    int64_t budget;      /* what zn_drain may still do before signals and timers get their turn */
    bool backlog;        /* it stopped for that reason */
    uint64_t ending_ms;  /* when the end began; 0: it has not */
    uint64_t not_run;    /* system() calls left out since the end took too long */
    uint64_t full_shown; /* probes whose full map has been told, as bits of number % 64 */
    bool exiting;        /* exit() was called */
    int exit_code;
    uint64_t lost_shown;  /* what "Lost N events" has told so far */
    uint64_t bad_records; /* malformed: a bug somewhere, never a crash */
};

/* actions.c: one record of the data ring / of the control ring. len: its bytes. */
void zn_action_data(struct zn_session *s, const void *rec, uint32_t len);
void zn_action_ctl(struct zn_session *s, const void *rec, uint32_t len);

/* The stack of an id; one whose record is still ahead in the ring is fetched from there. A zn_view's
 * `stack`, with the session as its argument. */
const struct zn_stack *zn_action_stack(void *session, uint64_t id);

/* drain.c: handles what the rings hold, in order, up to a budget (s->backlog: it ran out). Returns the
 * number of records; *ret_busy says that an unfinished record stopped it early. */
uint64_t zn_drain(struct zn_session *s, bool *ret_busy);

/* losses.c: "Lost N events" for what was lost since the last call; the account at the end. */
void zn_losses_live(struct zn_session *s);
void zn_losses_final(struct zn_session *s);

/* names.c: the symbolizer behind s->view.names. */
int zn_names_open(struct zn_session *s);
void zn_names_close(struct zn_session *s);
