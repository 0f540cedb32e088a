/* SPDX-License-Identifier: Apache-2.0 */
/* Two CPUs' values made one, by what the value's type means. */
#include <string.h>

#include "lang/type.h"
#include "rt/maps.h"

static void add_words(uint64_t *into, const uint64_t *from, uint32_t size)
{
    for (uint32_t i = 0; i < size / 8; i++)
        into[i] += from[i];
}

/* { key, set }: the larger key wins, of min and max alike (lang/type.h) */
static void take_extreme(uint64_t *into, const uint64_t *from)
{
    if (from[1] && (!into[1] || from[0] > into[0])) {
        into[0] = from[0];
        into[1] = from[1];
    }
}

static bool all_zero(const uint64_t *p, uint32_t size)
{
    for (uint32_t i = 0; i < size / 8; i++)
        if (p[i])
            return false;
    return true;
}

void zn_merge(const struct zn_type *t, uint32_t size, void *into, const void *from, bool first)
{
    if (first) {
        memcpy(into, from, size);
        return;
    }
    switch (t->kind) {
    case T_INT:
    case T_COUNT:
    case T_SUM:
    case T_AVG:
    case T_STATS:
    case T_HIST:
    case T_LHIST: add_words(into, from, size); break;
    case T_MIN:
    case T_MAX: take_extreme(into, from); break;
    default: /* no sum has a meaning: the first CPU that wrote something */
        if (all_zero(into, size))
            memcpy(into, from, size);
    }
}
