/* SPDX-License-Identifier: Apache-2.0 */
/* Builtins that aggregate into a map: their types (lowering is in lower_map.c). */
#include "lang/builtin_tables.h"
#include "lang/sema.h"

static bool agg(struct zn_cc *cc, struct zn_node *n)
{
    const struct zn_builtin *b = n->sym;
    struct zn_node *arg = n->list;
    struct zn_type *t = zn_type_new(&cc->types, (enum zn_type_kind)b->detail);
    t->size = 8;
    t->sign = true;
    if (arg) {
        zn_infer_expr(cc, arg);
        if (!arg->type || !zn_want_int(cc, arg, "the argument"))
            return false;
        t->sign = arg->type->kind != T_INT || arg->type->sign;
    }
    if (b->detail == T_HIST) {
        int64_t k = 0;
        if (arg->next && !zn_const_int(cc, arg->next, &k)) {
            zn_infer_expr(cc, arg->next); /* $1 */
            if (!zn_const_int(cc, arg->next, &k))
                zn_cc_error(cc, arg->next->pos, "hist() needs a literal number of bits");
        }
        if (k < 0 || k > 5) {
            zn_cc_error(cc, arg->next->pos, "hist: bits %lld must be 0..5", (long long)k);
            return false;
        }
        t->size = (uint32_t)k;
    }
    if (b->detail == T_LHIST) {
        int64_t v[3];
        struct zn_node *a = arg->next;
        for (int i = 0; i < 3; i++, a = a->next) {
            zn_infer_expr(cc, a);
            if (!zn_const_int(cc, a, &v[i])) {
                zn_cc_error(cc, a->pos, "lhist() needs literal bounds and step");
                return false;
            }
        }
        if (v[2] <= 0) {
            zn_cc_error(cc, n->pos, "lhist() step must be >= 1 (%lld provided)", (long long)v[2]);
            return false;
        }
        if (v[0] < 0 || v[1] <= v[0]) {
            zn_cc_error(cc, n->pos,
                        v[0] < 0
                            ? "lhist() min must be non-negative (provided min %lld, max %lld)"
                            : "lhist() min must be less than max (provided min %lld and max %lld)",
                        (long long)v[0], (long long)v[1]);
            return false;
        }
        if ((v[1] - v[0]) / v[2] > 1000) {
            zn_cc_error(cc, n->pos, "lhist() too many buckets, must be <= 1000 (would need %lld)",
                        (long long)((v[1] - v[0]) / v[2]));
            return false;
        }
        t->lo = v[0];
        t->hi = v[1];
        t->step = v[2];
    }
    n->type = t;
    return true;
}

static bool tseries(struct zn_cc *cc, struct zn_node *n)
{
    zn_cc_error(cc, n->pos, "tseries() is not supported yet");
    return false;
}

const struct zn_builtin zn_builtins_agg[] = {
    {"count", "count()", 0, 0, BI_AGG | BI_BARE, T_COUNT, agg, NULL,
     "counts how often it is reached"},
    {"sum", "sum(n)", 1, 1, BI_AGG, T_SUM, agg, NULL, "adds up n"},
    {"min", "min(n)", 1, 1, BI_AGG, T_MIN, agg, NULL, "keeps the smallest n"},
    {"max", "max(n)", 1, 1, BI_AGG, T_MAX, agg, NULL, "keeps the largest n"},
    {"avg", "avg(n)", 1, 1, BI_AGG, T_AVG, agg, NULL, "averages n"},
    {"stats", "stats(n)", 1, 1, BI_AGG, T_STATS, agg, NULL, "count, average and total of n"},
    {"hist", "hist(n[, bits])", 1, 2, BI_AGG, T_HIST, agg, NULL, "log2 histogram of n"},
    {"lhist", "lhist(n, min, max, step)", 4, 4, BI_AGG, T_LHIST, agg, NULL,
     "linear histogram of n"},
    {"tseries", "tseries(n, interval, num[, agg])", 3, 4, BI_AGG, T_TSERIES, tseries, NULL,
     "time series of n"},
    {0},
};
