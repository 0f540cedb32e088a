/* SPDX-License-Identifier: Apache-2.0 */
/* Random functions of the middle language, and a plain interpreter that says what they should do. */
#pragma once

#include "lang/ir.h"

enum {
    RND_INPUTS = 24,  /* u64 in the map value, read by the function */
    RND_OUTPUTS = 24, /* u64 behind them, written by it */
    RND_VALUE = 8 * (RND_INPUTS + RND_OUTPUTS),
    RND_CTX = 4, /* u64 */
};

struct rnd_prog {
    struct zn_ir_fn *main, *sub; /* sub: the image's subprogram 0, five arguments */
};

/* The machine that the interpreter is: what the function may touch. */
struct rnd_machine {
    uint8_t value[RND_VALUE] __attribute__((aligned(8)));
    uint64_t ctx[RND_CTX];
    const struct zn_ir_fn *sub;
    uint64_t steps;
};

uint64_t rnd_next(uint64_t *seed);
/* size: about how many statements. */
struct rnd_prog rnd_build(struct zn_arena *a, uint64_t seed, int size);
/* Runs f; its return value. */
uint64_t rnd_interpret(struct rnd_machine *m, const struct zn_ir_fn *f, const uint64_t args[5]);
