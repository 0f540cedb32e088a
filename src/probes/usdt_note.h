/* SPDX-License-Identifier: Apache-2.0 */
/* The notes by which programs announce their usdt probes, and where these say the arguments are. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "lang/probe.h"

struct zn_arch;
struct zn_arena;

struct zn_usdt_note {
    uint64_t loc;  /* the probe's instruction, an address of the file */
    uint64_t base; /* where .stapsdt.base was when loc and sem were written; 0 unknown */
    uint64_t sem;  /* the semaphore's address, 0 none */
    const char *provider, *name, *args; /* in the section's bytes */
};

enum { ZN_USDT_MAX_ARGS = 255 };

/* Calls fn for every well-formed note of a .note.stapsdt section until it returns non-zero, and
 * returns that. word: bytes of an address, 4 or 8. Bytes that make no note are passed over. */
int zn_usdt_notes(const void *data, size_t len, unsigned word,
                  int (*fn)(void *arg, const struct zn_usdt_note *n), void *arg);

/* What the words of an argument list refer to. */
struct zn_usdt_place {
    const struct zn_arch *arch;
    uint64_t loc; /* of the probe: what %rip is there */
    /* The address of a variable; 0, or -errno. NULL: none is known. */
    int (*symbol)(void *arg, const char *name, uint64_t *ret);
    void *arg;
};

/* The arguments of a note ("-4@%eax 8@16(%rsp)"), at most ZN_USDT_MAX_ARGS, in the arena; what is not
 * understood is ZN_USDT_UNKNOWN. */
const struct zn_usdt_arg *zn_usdt_args(struct zn_arena *arena, const struct zn_usdt_place *at,
                                       const char *text, uint32_t *ret_n);
