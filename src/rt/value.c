/* SPDX-License-Identifier: Apache-2.0 */
/* One value of any type as text.
 *
 * A value comes in one of two layouts: the *stored* one of lang/type.h (keys, map values, records,
 * tuples), or C's, inside of structures and arrays. */
#include <arpa/inet.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "arch/arch.h"
#include "base/mem.h"
#include "rt/value.h"

uint64_t zn_value_u64(const void *p)
{
    uint64_t n;
    memcpy(&n, p, sizeof(n));
    return n;
}

int64_t zn_value_c_int(const struct zn_type *t, const void *p)
{
    uint64_t n = 0;
    unsigned size = ZN_MIN(t->size, 8u);
    memcpy(&n, p, size);
    if (t->sign && size && size < 8)
        return (int64_t)(n << (64 - 8 * size)) >> (64 - 8 * size);
    return (int64_t)n;
}

int64_t zn_value_field_bits(const struct zn_type *st, const struct zn_field *f, const void *p)
{
    uint64_t n = 0;
    uint32_t left = st->size > f->off ? st->size - f->off : 0;
    memcpy(&n, (const char *)p + f->off, ZN_MIN(left, 8u));
    n >>= f->bit_off;
    unsigned drop = 64 - f->bits;
    if (f->type->sign)
        return (int64_t)(n << drop) >> drop;
    return (int64_t)(n << drop >> drop);
}

const char *zn_value_enum_name(const struct zn_type *t, int64_t n)
{
    for (uint32_t i = 0; i < t->nenums; i++)
        if (t->enums[i].value == n)
            return t->enums[i].name;
    return NULL;
}

const char *zn_str_value(const struct zn_view *v, const struct zn_type *t, const void *p,
                         size_t *ret_len, bool *ret_cut)
{
    *ret_cut = false;
    if (t->interned) {
        uint64_t i = zn_value_u64(p);
        const char *s = i < v->img->nstrings && v->img->strings[i] ? v->img->strings[i] : "";
        *ret_len = strlen(s);
        return s;
    }
    *ret_len = strnlen(p, t->size);
    /* str() reads max_strlen bytes and an end: one that fills its place was longer */
    *ret_cut = v->max_strlen && t->size == v->max_strlen + 1 && *ret_len == v->max_strlen;
    return p;
}

int64_t zn_value_agg(const struct zn_view *v, const struct zn_type *t, const void *p)
{
    uint64_t n = zn_value_u64(p);
    if (t->kind == T_AVG || t->kind == T_STATS)
        n = (uint64_t)zn_value_avg(t, p);
    else if (t->kind == T_MIN || t->kind == T_MAX)
        n = (uint64_t)zn_value_extreme(t, p);
    if (v->div <= 1)
        return (int64_t)n;
    if (t->sign && t->kind != T_COUNT)
        return (int64_t)n / (int64_t)v->div;
    return (int64_t)(n / v->div);
}

int64_t zn_value_extreme(const struct zn_type *t, const void *p)
{
    uint64_t key = zn_value_u64(p);
    if (!zn_value_u64((const char *)p + 8)) /* never set, or zeroed */
        return 0;
    return (int64_t)((t->kind == T_MIN ? ~key : key) ^ 1ULL << 63);
}

int64_t zn_value_avg(const struct zn_type *t, const void *p)
{
    uint64_t count = zn_value_u64(p), total = zn_value_u64((const char *)p + 8);
    if (!count)
        return 0;
    return t->sign ? (int64_t)total / (int64_t)count : (int64_t)(total / count);
}

void zn_put_mac(struct zn_str *out, const uint8_t *m)
{
    char buf[18];
    snprintf(buf, sizeof(buf), "%02X:%02X:%02X:%02X:%02X:%02X", m[0], m[1], m[2], m[3], m[4], m[5]);
    zn_str_puts(out, buf);
}

void zn_put_inet(struct zn_str *out, const void *p)
{
    char buf[INET6_ADDRSTRLEN];
    int af = zn_value_u64(p) == 16 ? AF_INET6 : AF_INET;
    if (inet_ntop(af, (const char *)p + 8, buf, sizeof(buf)))
        zn_str_puts(out, buf);
}

void zn_put_ksym(const struct zn_view *v, uint64_t addr, struct zn_str *out)
{
    if (v->names.ksym && v->names.ksym(v->names.arg, addr, false, false, out))
        return;
    zn_str_puts(out, "0x");
    zn_put_hex(out, addr);
}

void zn_put_usym(const struct zn_view *v, uint64_t addr, uint64_t tgid, struct zn_str *out)
{
    if (v->names.usym && v->names.usym(v->names.arg, (uint32_t)tgid, addr, false, false, out))
        return;
    zn_str_puts(out, "0x");
    zn_put_hex(out, addr);
}

static void put_frame(const struct zn_view *v, uint8_t mode, uint64_t tgid, uint64_t addr,
                      struct zn_str *out)
{
    if (mode == ZN_STACK_RAW || mode == ZN_STACK_BUILD_ID) {
        zn_put_hex(out, addr);
        zn_str_putc(out, '\n');
        return;
    }
    bool perf = mode == ZN_STACK_PERF, ok = false;
    if (perf) {
        zn_str_putc(out, '\t');
        zn_put_hex(out, addr);
        zn_str_putc(out, ' ');
    } else {
        for (unsigned i = 0; i < v->indent; i++)
            zn_str_putc(out, ' ');
    }
    if (!tgid && v->names.ksym)
        ok = v->names.ksym(v->names.arg, addr, true, perf, out);
    else if (tgid && v->names.usym)
        ok = v->names.usym(v->names.arg, (uint32_t)tgid, addr, true, perf, out);
    if (!ok) {
        zn_str_puts(out, "0x");
        zn_put_hex(out, addr);
        if (perf)
            zn_str_puts(out, " ([unknown])");
    }
    zn_str_putc(out, '\n');
}

void zn_put_stack(const struct zn_view *v, const struct zn_type *t, uint64_t id, uint64_t tgid,
                  struct zn_str *out)
{
    zn_str_putc(out, '\n');
    const struct zn_stack *s = id && v->stack ? v->stack(v->stack_arg, id) : NULL;
    if (!s) {
        if (id)
            zn_str_puts(out, "    [stack was lost]\n");
        return;
    }
    uint32_t n = t->stack_depth ? ZN_MIN(s->n, t->stack_depth) : s->n;
    for (uint32_t i = 0; i < n; i++)
        put_frame(v, t->stack_mode, tgid, s->frames[i], out);
}

static void put(const struct zn_view *v, const struct zn_type *t, const void *p, bool c_layout,
                struct zn_str *out);

static void put_struct(const struct zn_view *v, const struct zn_type *t, const void *p,
                       bool c_layout, struct zn_str *out, bool braces)
{
    bool first = true;
    if (braces && !t->nfields) {
        zn_str_puts(out, "{}");
        return;
    }
    if (braces)
        zn_str_puts(out, "{ ");
    for (uint32_t i = 0; i < t->nfields; i++) {
        const struct zn_field *f = &t->fields[i];
        if (!f->bits && f->off > t->size && t->kind == T_STRUCT)
            continue;
        if (!first)
            zn_str_puts(out, ", ");
        first = false;
        if ((!f->name || !*f->name) && f->type->kind == T_STRUCT) {
            put_struct(v, f->type, (const char *)p + f->off, c_layout, out, false);
            continue;
        }
        zn_str_putc(out, '.');
        zn_str_puts(out, f->name ? f->name : "");
        zn_str_puts(out, " = ");
        if (f->bits)
            zn_put_s64(out, zn_value_field_bits(t, f, p));
        else
            put(v, f->type, (const char *)p + f->off, c_layout, out);
    }
    if (braces)
        zn_str_puts(out, " }");
}

static void put_array(const struct zn_view *v, const struct zn_type *t, const void *p,
                      struct zn_str *out)
{
    if (t->elem->kind == T_INT && t->elem->is_char) {
        zn_str_add(out, p, strnlen(p, t->nelem));
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
    for (uint32_t i = 0; i < t->nfields; i++) {
        if (i)
            zn_str_puts(out, ", ");
        put(v, t->fields[i].type, (const char *)p + t->fields[i].off, false, out);
    }
}

static void put_string(const struct zn_view *v, const struct zn_type *t, const void *p,
                       struct zn_str *out)
{
    size_t n;
    bool cut;
    const char *s = zn_str_value(v, t, p, &n, &cut);
    zn_str_add(out, s, n);
    if (cut)
        zn_str_puts(out, v->trailer);
}

static void put_int(const struct zn_type *t, int64_t n, uint64_t div, struct zn_str *out)
{
    if (div > 1)
        n = t->sign ? n / (int64_t)div : (int64_t)((uint64_t)n / div);
    if (t->sign)
        zn_put_s64(out, n);
    else
        zn_put_u64(out, (uint64_t)n);
}

static void put_number(const struct zn_view *v, const struct zn_type *t, int64_t n,
                       struct zn_str *out)
{
    const char *name;
    switch (t->kind) {
    case T_BOOL: zn_str_puts(out, n ? "true" : "false"); break;
    case T_PTR:
        zn_str_puts(out, "0x");
        zn_put_hex(out, (uint64_t)n);
        break;
    case T_ENUM:
        name = zn_value_enum_name(t, n);
        if (name) {
            zn_str_puts(out, name);
            break;
        }
        /* fallthrough */
    default: put_int(t, n, v->div, out);
    }
}

/* Types whose text stands for one number that user space looks up. */
static void put_looked_up(const struct zn_view *v, const struct zn_type *t, const void *p,
                          struct zn_str *out)
{
    uint64_t n = zn_value_u64(p);
    const char *s = NULL;
    switch (t->kind) {
    case T_TIMESTAMP:
        s = t->fmt >= 0 && (uint32_t)t->fmt < v->img->nstrings ? v->img->strings[t->fmt]
                                                               : "%Y-%m-%dT%H:%M:%S.%f";
        zn_put_time(out, s, (int64_t)n + v->ts_offset_ns[t->ts_mode & 3]);
        return;
    case T_CGPATH:
        if (t->fmt >= 0 && (uint32_t)t->fmt < v->img->nstrings)
            s = v->img->strings[t->fmt];
        s = v->cgroups ? zn_cgroups_path(v->cgroups, n, s) : NULL;
        break;
    case T_STRERROR:
        n = (int64_t)n < 0 ? 0 - n : n;
        s = n < 4096 ? strerror((int)n) : NULL;
        break;
    case T_SYSCALL: {
        const struct zn_syscall *c = n < 4096 ? zn_syscall_by_nr(zn_arch_native(), (int)n) : NULL;
        s = c ? c->name : NULL;
        break;
    }
    case T_SIGNAME:
        s = n <= 64 ? sigdescr_np((int)n) : "N/A";
        if (!s)
            zn_str_printf(out, "Unknown signal %u", (unsigned)n);
        if (!s)
            return;
        break;
    case T_USERNAME: s = v->people ? zn_people_name(v->people, (uint32_t)n) : NULL; break;
    default: break;
    }
    if (s)
        zn_str_puts(out, s);
    else if (t->kind != T_USERNAME)
        zn_put_u64(out, n);
}

static void put_stats(const struct zn_view *v, const struct zn_type *t, const void *p,
                      struct zn_str *out)
{
    uint64_t total = zn_value_u64((const char *)p + 8);
    zn_str_puts(out, "{ .count = ");
    zn_put_u64(out, zn_value_u64(p));
    zn_str_puts(out, ", .average = ");
    put_int(t, zn_value_agg(v, t, p), 1, out);
    zn_str_puts(out, ", .total = ");
    put_int(t, (int64_t)total, 1, out);
    zn_str_puts(out, " }");
}

static void put(const struct zn_view *v, const struct zn_type *t, const void *p, bool c_layout,
                struct zn_str *out)
{
    switch (t->kind) {
    case T_BOOL:
    case T_INT:
    case T_ENUM:
    case T_PTR:
        put_number(v, t, c_layout ? zn_value_c_int(t, p) : (int64_t)zn_value_u64(p), out);
        break;
    case T_COUNT: zn_put_u64(out, (uint64_t)zn_value_agg(v, t, p)); break;
    case T_SUM:
    case T_MIN:
    case T_MAX:
    case T_AVG: put_int(t, zn_value_agg(v, t, p), 1, out); break;
    case T_STATS: put_stats(v, t, p, out); break;
    case T_ARRAY: put_array(v, t, p, out); break;
    case T_STRUCT: put_struct(v, t, p, true, out, true); break;
    case T_RECORD: put_struct(v, t, p, false, out, true); break;
    case T_TUPLE:
        zn_str_putc(out, '(');
        put_tuple(v, t, p, out);
        zn_str_putc(out, ')');
        break;
    case T_STR: put_string(v, t, p, out); break;
    case T_BUF:
        zn_put_bytes(out, (const uint8_t *)p + 8, ZN_MIN(zn_value_u64(p), t->size), true, true);
        break;
    case T_INET: zn_put_inet(out, p); break;
    case T_MAC: zn_put_mac(out, p); break;
    case T_KSYM: zn_put_ksym(v, zn_value_u64(p), out); break;
    case T_USYM: zn_put_usym(v, zn_value_u64(p), zn_value_u64((const char *)p + 8), out); break;
    case T_KSTACK: zn_put_stack(v, t, zn_value_u64(p), 0, out); break;
    case T_USTACK:
        zn_put_stack(v, t, zn_value_u64(p), zn_value_u64((const char *)p + 8), out);
        break;
    case T_TIMESTAMP:
    case T_CGPATH:
    case T_STRERROR:
    case T_USERNAME:
    case T_SYSCALL:
    case T_SIGNAME: put_looked_up(v, t, p, out); break;
    default: zn_str_puts(out, "null");
    }
}

void zn_value_text(const struct zn_view *v, const struct zn_type *t, const void *p,
                   struct zn_str *out)
{
    put(v, t, p, false, out);
}

void zn_key_text(const struct zn_view *v, const struct zn_type *t, const void *p,
                 struct zn_str *out)
{
    if (t->kind == T_TUPLE)
        put_tuple(v, t, p, out);
    else
        put(v, t, p, false, out);
}
