/* SPDX-License-Identifier: Apache-2.0 */
/* One value of any type as JSON: numbers stay numbers where a double holds them, symbols of enums and
 * pointers are their numbers, buffers are arrays of bytes, all else is a string of its text. */
#include <string.h>

#include "base/mem.h"
#include "rt/value.h"

static void put(const struct zn_view *v, const struct zn_type *t, const void *p, bool c_layout,
                struct zn_str *out);

static void put_quoted(struct zn_str *out, const char *s, size_t n)
{
    zn_str_putc(out, '"');
    zn_str_json(out, s, n);
    zn_str_putc(out, '"');
}

static void put_int(const struct zn_type *t, int64_t n, uint64_t div, struct zn_str *out)
{
    if (div > 1)
        n = t->sign ? n / (int64_t)div : (int64_t)((uint64_t)n / div);
    if (t->sign)
        zn_put_json_s64(out, n);
    else
        zn_put_json_u64(out, (uint64_t)n);
}

static void put_members(const struct zn_view *v, const struct zn_type *t, const void *p,
                        bool c_layout, struct zn_str *out, bool *first)
{
    for (uint32_t i = 0; i < t->nfields; i++) {
        const struct zn_field *f = &t->fields[i];
        if ((!f->name || !*f->name) && f->type->kind == T_STRUCT) {
            put_members(v, f->type, (const char *)p + f->off, c_layout, out, first);
            continue;
        }
        if (!*first)
            zn_str_puts(out, ", ");
        *first = false;
        const char *name = f->name ? f->name : "";
        put_quoted(out, name, strlen(name));
        zn_str_puts(out, ": ");
        if (f->bits)
            put_int(f->type, zn_value_field_bits(t, f, p), 1, out);
        else
            put(v, f->type, (const char *)p + f->off, c_layout, out);
    }
}

static void put_array(const struct zn_view *v, const struct zn_type *t, const void *p,
                      struct zn_str *out)
{
    if (t->elem->kind == T_INT && t->elem->is_char) {
        put_quoted(out, p, strnlen(p, t->nelem));
        return;
    }
    zn_str_putc(out, '[');
    for (uint32_t i = 0; i < t->nelem; i++) {
        if (i)
            zn_str_putc(out, ',');
        put(v, t->elem, (const char *)p + (size_t)i * t->elem->size, true, out);
    }
    zn_str_putc(out, ']');
}

static void put_tuple(const struct zn_view *v, const struct zn_type *t, const void *p,
                      struct zn_str *out)
{
    zn_str_putc(out, '[');
    for (uint32_t i = 0; i < t->nfields; i++) {
        if (i)
            zn_str_putc(out, ',');
        put(v, t->fields[i].type, (const char *)p + t->fields[i].off, false, out);
    }
    zn_str_putc(out, ']');
}

static void put_buffer(const struct zn_type *t, const void *p, struct zn_str *out)
{
    const signed char *b = (const signed char *)p + 8;
    uint64_t n = ZN_MIN(zn_value_u64(p), t->size);
    zn_str_putc(out, '[');
    for (uint64_t i = 0; i < n; i++) {
        if (i)
            zn_str_putc(out, ',');
        zn_put_s64(out, b[i]);
    }
    zn_str_putc(out, ']');
}

static void put_stats(const struct zn_view *v, const struct zn_type *t, const void *p,
                      struct zn_str *out)
{
    zn_str_puts(out, "{\"count\": ");
    zn_put_json_u64(out, zn_value_u64(p));
    zn_str_puts(out, ", \"average\": ");
    put_int(t, zn_value_agg(v, t, p), 1, out);
    zn_str_puts(out, ", \"total\": ");
    put_int(t, (int64_t)zn_value_u64((const char *)p + 8), 1, out);
    zn_str_putc(out, '}');
}

static void put_as_text(const struct zn_view *v, const struct zn_type *t, const void *p,
                        struct zn_str *out)
{
    ZN_AUTOSTR struct zn_str s;
    zn_str_init(&s);
    zn_value_text(v, t, p, &s);
    put_quoted(out, zn_str_c(&s), s.len);
}

static void put(const struct zn_view *v, const struct zn_type *t, const void *p, bool c_layout,
                struct zn_str *out)
{
    bool first = true;
    switch (t->kind) {
    case T_BOOL: zn_str_puts(out, *(const char *)p ? "true" : "false"); break;
    case T_INT:
        put_int(t, c_layout ? zn_value_c_int(t, p) : (int64_t)zn_value_u64(p), v->div, out);
        break;
    case T_ENUM:
        put_int(t, c_layout ? zn_value_c_int(t, p) : (int64_t)zn_value_u64(p), 1, out);
        break;
    case T_PTR: zn_put_json_u64(out, zn_value_u64(p)); break;
    case T_COUNT: zn_put_json_u64(out, (uint64_t)zn_value_agg(v, t, p)); break;
    case T_SUM:
    case T_MIN:
    case T_MAX:
    case T_AVG: put_int(t, zn_value_agg(v, t, p), 1, out); break;
    case T_STATS: put_stats(v, t, p, out); break;
    case T_ARRAY: put_array(v, t, p, out); break;
    case T_STRUCT:
    case T_RECORD:
        zn_str_putc(out, '{');
        put_members(v, t, p, t->kind == T_STRUCT, out, &first);
        zn_str_putc(out, '}');
        break;
    case T_TUPLE: put_tuple(v, t, p, out); break;
    case T_BUF: put_buffer(t, p, out); break;
    case T_NONE:
    case T_VOID:
    case T_HIST:
    case T_LHIST:
    case T_TSERIES: zn_str_puts(out, "null"); break;
    default: put_as_text(v, t, p, out);
    }
}

void zn_value_json(const struct zn_view *v, const struct zn_type *t, const void *p,
                   struct zn_str *out)
{
    put(v, t, p, false, out);
}

void zn_key_json(const struct zn_view *v, const struct zn_type *t, const void *p,
                 struct zn_str *out)
{
    ZN_AUTOSTR struct zn_str s;
    zn_str_init(&s);
    zn_key_text(v, t, p, &s);
    size_t n = 0;
    for (size_t i = 0; i < s.len; i++)
        if (s.data[i] != ' ')
            s.data[n++] = s.data[i];
    put_quoted(out, zn_str_c(&s), n);
}
