/* SPDX-License-Identifier: Apache-2.0 */
/* Histograms. In text, from the first bucket that isn't empty to the last:
 *
 *     [0]                    1 |@@@@@@@@@@@@@                                       |
 *     [2, 4)                 4 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|
 *     [1K, 2K)               2 |@@@@@@@@@@@@@@@@@@@@@@@@@@                          |
 *
 * Label column 16 wide, count 8, bar 52. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "rt/print.h"

enum { BAR = 52, KILO = 1024, MEGA = 1024 * 1024 };

/* A bucket's bound: its number, and as it's written. `plain`: written as the number itself. */
struct bound {
    int64_t n;
    bool plain;
    char text[24];
};

uint32_t zn_hist_slots(const struct zn_type *t)
{
    return zn_type_stored(t) / 8;
}

static struct bound plain_bound(int64_t n)
{
    struct bound b = {.n = n, .plain = true};
    snprintf(b.text, sizeof(b.text), "%lld", (long long)n);
    return b;
}

/* Where bucket i of hist(n, k) ends, i >= 1 (bucket 0 ends at 0). Buckets of one value each, then
 * 2^k for each power of two; a bound is written with K, M … once its interval is 2^10 wide. */
static struct bound log_bound(uint32_t i, unsigned k)
{
    if (i <= (2u << k))
        return plain_bound(i);
    uint32_t n = 1u << k, part = i & (n - 1), power = (i >> k) - 1;
    uint64_t m = n + part;
    struct bound b = {.n = (int64_t)(m << power)};
    snprintf(b.text, sizeof(b.text), "%llu%.1s", (unsigned long long)(m << power % 10),
             &"\0KMGTPE"[power / 10]);
    return b;
}

static struct bound linear_bound(const struct zn_type *t, uint32_t i)
{
    int64_t n = t->lo + (int64_t)i * t->step;
    struct bound b = plain_bound(n);
    if (t->step % KILO)
        return b;
    b.plain = false;
    if (n && n % MEGA == 0)
        snprintf(b.text, sizeof(b.text), "%lldM", (long long)(n / MEGA));
    else if (n && n % KILO == 0)
        snprintf(b.text, sizeof(b.text), "%lldK", (long long)(n / KILO));
    return b;
}

/* The upper bound of bucket i; that is the lower one of bucket i + 1. */
static struct bound upper(const struct zn_type *t, uint32_t i)
{
    if (t->kind == T_LHIST)
        return linear_bound(t, i);
    return i ? log_bound(i, t->size) : plain_bound(0);
}

static bool span(const uint64_t *counts, uint32_t n, uint32_t *first, uint32_t *last)
{
    bool any = false;
    for (uint32_t i = 0; i < n; i++) {
        if (!counts[i])
            continue;
        if (!any)
            *first = i;
        *last = i;
        any = true;
    }
    return any;
}

static bool open_ended(const struct zn_type *t, uint32_t i, uint32_t n)
{
    return t->kind == T_LHIST && i == n - 1;
}

static void put_row(const char *label, uint64_t count, uint64_t most, struct zn_str *out)
{
    static const char ats[BAR + 1] = "@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@";
    int width = most ? (int)((float)count / (float)most * (float)BAR) : 0;
    zn_str_printf(out, "%-16s%8llu |%-*.*s|\n", label, (unsigned long long)count, BAR, width, ats);
}

void zn_put_hist_rows(const struct zn_type *t, const uint64_t *counts, uint64_t div,
                      struct zn_str *out)
{
    uint32_t n = zn_hist_slots(t), first = 0, last = 0;
    uint64_t most = 0;
    if (t->kind == T_LHIST || !div)
        div = 1;
    if (!span(counts, n, &first, &last))
        return;
    for (uint32_t i = first; i <= last; i++)
        most = ZN_MAX(most, counts[i] / div);
    for (uint32_t i = first; i <= last; i++) {
        char label[64];
        struct bound hi = upper(t, i);
        struct bound lo = i ? upper(t, i - 1) : hi;
        if (i == 0)
            snprintf(label, sizeof(label), "(..., %s)", hi.text);
        else if (open_ended(t, i, n))
            snprintf(label, sizeof(label), "[%s, ...)", lo.text);
        else if (lo.plain && hi.plain && lo.n + 1 == hi.n)
            snprintf(label, sizeof(label), "[%s]", lo.text);
        else
            snprintf(label, sizeof(label), "[%s, %s)", lo.text, hi.text);
        put_row(label, counts[i] / div, most, out);
    }
}

void zn_put_hist_json(const struct zn_type *t, const uint64_t *counts, uint64_t div,
                      struct zn_str *out)
{
    uint32_t n = zn_hist_slots(t), first = 0, last = 0;
    if (t->kind == T_LHIST || !div)
        div = 1;
    zn_str_putc(out, '[');
    bool any = span(counts, n, &first, &last);
    for (uint32_t i = first; any && i <= last; i++) {
        if (i > first)
            zn_str_putc(out, ',');
        zn_str_putc(out, '{');
        if (i) {
            zn_str_puts(out, "\"min\": ");
            zn_put_json_s64(out, upper(t, i - 1).n);
            zn_str_puts(out, ", ");
        }
        if (!open_ended(t, i, n)) {
            zn_str_puts(out, "\"max\": ");
            zn_put_json_s64(out, (int64_t)((uint64_t)upper(t, i).n - 1));
            zn_str_puts(out, ", ");
        }
        zn_str_puts(out, "\"count\": ");
        zn_put_u64(out, counts[i] / div);
        zn_str_putc(out, '}');
    }
    zn_str_putc(out, ']');
}
