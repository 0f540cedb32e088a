/* SPDX-License-Identifier: Apache-2.0 */
/* Stacks by their id: the programs send each distinct stack once, values and keys hold the id. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct zn_stack {
    uint64_t id;
    uint64_t tgid; /* 0: a kernel stack */
    uint32_t n;
    uint64_t frames[];
};

struct zn_stacks {
    struct zn_stack **slot; /* open addressing, by id */
    uint32_t cap, used;
};

void zn_stacks_init(struct zn_stacks *s);
void zn_stacks_fini(struct zn_stacks *s);
/* Keeps a stack; one that is known already is left as it is. Returns 0 or -ENOMEM. */
int zn_stacks_add(struct zn_stacks *s, uint64_t id, uint64_t tgid, const uint64_t *frames,
                  uint32_t n);
const struct zn_stack *zn_stacks_find(const struct zn_stacks *s, uint64_t id);
