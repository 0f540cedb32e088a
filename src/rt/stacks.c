/* SPDX-License-Identifier: Apache-2.0 */
/* A hash table of stacks. Ids are hashes already, so their low bits serve as the slot. */
#include "rt/stacks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void zn_stacks_init(struct zn_stacks *s)
{
    *s = (struct zn_stacks){0};
}

void zn_stacks_fini(struct zn_stacks *s)
{
    for (uint32_t i = 0; i < s->cap; i++)
        free(s->slot[i]);
    free(s->slot);
    zn_stacks_init(s);
}

static uint32_t place(struct zn_stack *const *slot, uint32_t cap, uint64_t id)
{
    uint32_t i = (uint32_t)(id ^ id >> 32) & (cap - 1);
    while (slot[i] && slot[i]->id != id)
        i = (i + 1) & (cap - 1);
    return i;
}

static int grow(struct zn_stacks *s)
{
    uint32_t cap = s->cap ? s->cap * 2 : 256;
    struct zn_stack **slot = calloc(cap, sizeof(struct zn_stack *));
    if (!slot)
        return -ENOMEM;
    for (uint32_t i = 0; i < s->cap; i++)
        if (s->slot[i])
            slot[place(slot, cap, s->slot[i]->id)] = s->slot[i];
    free(s->slot);
    s->slot = slot;
    s->cap = cap;
    return 0;
}

int zn_stacks_add(struct zn_stacks *s, uint64_t id, uint64_t tgid, const uint64_t *frames,
                  uint32_t n)
{
    if ((s->used + 1) * 2 > s->cap) {
        int r = grow(s);
        if (r)
            return r;
    }
    uint32_t i = place(s->slot, s->cap, id);
    if (s->slot[i])
        return 0;
    struct zn_stack *st = malloc(sizeof(*st) + sizeof(uint64_t) * n);
    if (!st)
        return -ENOMEM;
    st->id = id;
    st->tgid = tgid;
    st->n = n;
    if (n)
        memcpy(st->frames, frames, sizeof(uint64_t) * n);
    s->slot[i] = st;
    s->used++;
    return 0;
}

const struct zn_stack *zn_stacks_find(const struct zn_stacks *s, uint64_t id)
{
    return s->cap ? s->slot[place(s->slot, s->cap, id)] : NULL;
}
