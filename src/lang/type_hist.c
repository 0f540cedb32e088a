/* SPDX-License-Identifier: Apache-2.0 */
/* Which bucket of a histogram a value falls into, and what a bucket spans. */
#include "lang/type.h"

#define MAX_BITS 5

static unsigned log2_of(uint64_t v)
{
    return 63U - (unsigned)__builtin_clzll(v);
}

uint32_t zn_hist_buckets(unsigned k)
{
    if (k > MAX_BITS)
        k = MAX_BITS;
    /* negatives, 2^k single values, and 2^k parts of each range 2^k .. 2^62 */
    return 1 + ((64 - k) << k);
}

uint32_t zn_hist_bucket(int64_t v, unsigned k)
{
    unsigned log;

    if (k > MAX_BITS)
        k = MAX_BITS;
    if (v < 0)
        return 0;
    if (v < (int64_t)1 << k)
        return 1 + (uint32_t)v;
    log = log2_of((uint64_t)v);
    return 1 + ((log - k + 1) << k) + (uint32_t)((uint64_t)v >> (log - k) & ((1U << k) - 1));
}

void zn_hist_range(uint32_t bucket, unsigned k, int64_t *lo, uint64_t *hi)
{
    uint32_t n, part, shift;
    uint64_t first;

    if (k > MAX_BITS)
        k = MAX_BITS;
    if (bucket == 0) {
        *lo = INT64_MIN;
        *hi = (uint64_t)-1; /* as int64_t: -1 */
        return;
    }
    n = bucket - 1;
    if (n < 1U << k) {
        *lo = n;
        *hi = n;
        return;
    }
    part = n & ((1U << k) - 1);
    shift = (n >> k) - 1;
    first = (uint64_t)((1U << k) + part) << shift;
    *lo = (int64_t)first;
    *hi = bucket + 1 >= zn_hist_buckets(k) ? UINT64_MAX : first + ((uint64_t)1 << shift) - 1;
}

uint32_t zn_lhist_buckets(int64_t lo, int64_t hi, int64_t step)
{
    uint64_t span, inner;

    if (step <= 0 || hi <= lo)
        return 0;
    span = (uint64_t)hi - (uint64_t)lo;
    inner = span / (uint64_t)step + (span % (uint64_t)step != 0);
    return inner > UINT32_MAX / 16 ? 0 : (uint32_t)inner + 2;
}
