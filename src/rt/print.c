/* SPDX-License-Identifier: Apache-2.0 */
/* Whole maps: `@x: V`, or `@x[KEY]: V` line by line. */
#include "rt/print.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "rt/value.h"

static bool is_hist(const struct zn_type *t)
{
    return t->kind == T_HIST || t->kind == T_LHIST;
}

/* --- order --- */

struct sorter {
    const struct zn_view *v;
    const struct zn_map *m;
    const struct zn_snap *snap;
};

static int compare_u64(uint64_t a, uint64_t b, bool sign)
{
    if (sign)
        return ((int64_t)a > (int64_t)b) - ((int64_t)a < (int64_t)b);
    return (a > b) - (a < b);
}

static int compare_key(const struct zn_view *v, const struct zn_type *t, const void *a,
                       const void *b)
{
    size_t na, nb;
    bool cut;
    int c = 0;
    switch (t->kind) {
    case T_BOOL:
    case T_INT:
    case T_ENUM:
    case T_PTR: return compare_u64(zn_value_u64(a), zn_value_u64(b), t->sign);
    case T_STR:
        a = zn_str_value(v, t, a, &na, &cut);
        b = zn_str_value(v, t, b, &nb, &cut);
        c = memcmp(a, b, ZN_MIN(na, nb));
        return c ? c : (na > nb) - (na < nb);
    case T_TUPLE:
    case T_RECORD:
        for (uint32_t i = 0; i < t->nfields && !c; i++)
            c = compare_key(v, t->fields[i].type, (const char *)a + t->fields[i].off,
                            (const char *)b + t->fields[i].off);
        return c;
    default: return memcmp(a, b, zn_type_stored(t));
    }
}

static uint64_t total(const struct zn_type *t, const void *p)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < zn_hist_slots(t); i++)
        n += zn_value_u64((const char *)p + 8 * i);
    return n;
}

/* The number that a value is sorted by; false when it has none. */
static bool rank(const struct zn_type *t, const void *p, uint64_t *ret)
{
    switch (t->kind) {
    case T_INT:
    case T_COUNT:
    case T_SUM: *ret = zn_value_u64(p); return true;
    case T_MIN:
    case T_MAX: *ret = (uint64_t)zn_value_extreme(t, p); return true;
    case T_AVG:
    case T_STATS: *ret = (uint64_t)zn_value_avg(t, p); return true;
    case T_HIST:
    case T_LHIST: *ret = total(t, p); return true;
    default: return false;
    }
}

static int compare(const void *x, const void *y, void *arg)
{
    const struct sorter *s = arg;
    const struct zn_snap_entry *a = x, *b = y;
    const struct zn_type *t = s->m->value;
    uint64_t ra, rb;
    int c = 0;
    if (rank(t, s->snap->bytes + a->value, &ra) && rank(t, s->snap->bytes + b->value, &rb))
        c = compare_u64(ra, rb, t->sign && t->kind != T_COUNT && !is_hist(t));
    if (c || !s->m->key)
        return c;
    return compare_key(s->v, s->m->key, s->snap->bytes + a->key, s->snap->bytes + b->key);
}

void zn_snap_sort(const struct zn_view *v, const struct zn_map *m, struct zn_snap *snap)
{
    struct sorter s = {v, m, snap};
    if (snap->n > 1)
        qsort_r(snap->v, snap->n, sizeof(*snap->v), compare, &s);
}

/* print()'s divisor is the values', not the keys'. */
static void put_key(struct zn_view *v, const struct zn_type *t, const void *key, struct zn_str *out,
                    void (*put)(const struct zn_view *, const struct zn_type *, const void *,
                                struct zn_str *))
{
    uint64_t div = v->div;
    v->div = 0;
    put(v, t, key, out);
    v->div = div;
}

/* --- text --- */

static void print_text(struct zn_view *v, struct zn_str *out, const struct zn_map *m,
                       const void *key, const void *value)
{
    zn_str_puts(out, m->name);
    if (m->key) {
        zn_str_putc(out, '[');
        put_key(v, m->key, key, out, zn_key_text);
        zn_str_putc(out, ']');
    }
    if (is_hist(m->value)) {
        zn_str_puts(out, ":\n");
        zn_put_hist_rows(m->value, value, v->div, out);
    } else {
        zn_str_puts(out, ": ");
        zn_value_text(v, m->value, value, out);
    }
    zn_str_putc(out, '\n');
}

/* --- JSON --- */

static const char *json_type(const struct zn_type *t)
{
    if (is_hist(t))
        return "hist";
    return t->kind == T_AVG || t->kind == T_STATS ? "stats" : "map";
}

static void print_json_value(struct zn_view *v, struct zn_str *out, const struct zn_type *t,
                             const void *value)
{
    if (is_hist(t))
        zn_put_hist_json(t, value, v->div, out);
    else
        zn_value_json(v, t, value, out);
}

static void print_json(struct zn_view *v, struct zn_out *out, const struct zn_map *m,
                       const struct zn_snap *snap, uint32_t from)
{
    struct zn_str *s = &out->buf;
    zn_out_json_begin(out, json_type(m->value));
    zn_str_puts(s, "{\"");
    zn_str_json(s, m->name, strlen(m->name));
    zn_str_puts(s, "\": ");
    if (m->key)
        zn_str_putc(s, '{');
    for (uint32_t i = from; i < snap->n; i++) {
        if (i > from)
            zn_str_puts(s, ", ");
        if (m->key) {
            put_key(v, m->key, zn_snap_key(snap, i), s, zn_key_json);
            zn_str_puts(s, ": ");
        }
        print_json_value(v, s, m->value, zn_snap_value(snap, i));
    }
    if (m->key)
        zn_str_putc(s, '}');
    zn_str_puts(s, "}}\n");
}

static void print_rows(struct zn_view *v, struct zn_out *out, const struct zn_map *m,
                       const struct zn_snap *snap, uint32_t from)
{
    if (out->json) {
        print_json(v, out, m, snap, from);
        return;
    }
    for (uint32_t i = from; i < snap->n; i++)
        print_text(v, &out->buf, m, m->key ? zn_snap_key(snap, i) : NULL, zn_snap_value(snap, i));
}

/* print(@x) of a scalar that was never set. */
static void print_unset(struct zn_view *v, struct zn_out *out, const struct zn_map *m)
{
    uint32_t size = zn_type_stored(m->value);
    ZN_AUTOFREE uint8_t *zero = calloc(1, size + 8);
    struct zn_snap_entry e = {0, 0};
    struct zn_snap one = {.bytes = zero, .v = &e, .n = 1, .val_size = size};
    if (zero)
        print_rows(v, out, m, &one, 0);
}

void zn_print_snap(struct zn_view *v, struct zn_out *out, const struct zn_map *m,
                   const struct zn_snap *snap, uint64_t top, uint64_t div, bool zero)
{
    v->div = div;
    if (snap->n)
        print_rows(v, out, m, snap, top && snap->n > top ? snap->n - (uint32_t)top : 0);
    else if (zero && !m->key && !is_hist(m->value))
        print_unset(v, out, m);
    v->div = 0;
}

void zn_print_value(struct zn_view *v, struct zn_out *out, const struct zn_type *t, const void *p)
{
    struct zn_str *s = &out->buf;
    if (!out->json) {
        if (is_hist(t))
            zn_put_hist_rows(t, p, 0, s);
        else
            zn_value_text(v, t, p, s);
        zn_str_putc(s, '\n');
        return;
    }
    zn_out_json_begin(out, "value");
    print_json_value(v, s, t, p);
    zn_str_puts(s, "}\n");
}
