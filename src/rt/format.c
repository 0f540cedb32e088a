/* SPDX-License-Identifier: Apache-2.0 */
/* Parses and runs printf formats without going through the C library's. */
#include "rt/format.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "rt/value.h"

enum { F_LEFT = 1, F_PLUS = 2, F_SPACE = 4, F_ALT = 8, F_ZERO = 16, F_GROUP = 32 };
enum { MOST_WIDTH = 4096 };

enum op {
    OP_TEXT, /* nothing but the literal text */
    OP_INT,  /* plain %d, %u: the fast path */
    OP_UINT,
    OP_STR, /* plain %s of a string */
    OP_NUM, /* d i u o x X with flags */
    OP_CHAR,
    OP_PTR,
    OP_ANY,   /* %s of anything, with padding */
    OP_BYTES, /* r rx rh */
};

struct piece {
    const char *lit; /* text before the conversion */
    uint32_t lit_len;
    uint8_t op, flags, conv; /* conv: the letter; for OP_BYTES 'r', 'x', 'h' */
    uint8_t bytes;           /* integers: cut to so many bytes, 8 none */
    int32_t width, prec;     /* prec -1: none */
    const struct zn_type *type;
    uint32_t off;
};

struct zn_fmt {
    uint32_t n;
    struct piece piece[];
};

/* --- parsing --- */

static const char *parse_flags(const char *p, const char *end, struct piece *c)
{
    static const char names[] = "-+ #0'";
    for (; p < end; p++) {
        const char *f = *p ? strchr(names, *p) : NULL;
        if (!f)
            break;
        c->flags |= (uint8_t)(1 << (f - names));
    }
    return p;
}

static const char *parse_number(const char *p, const char *end, int32_t *ret)
{
    int32_t n = 0;
    for (; p < end && isdigit((unsigned char)*p); p++)
        n = ZN_MIN(n * 10 + (*p - '0'), (int32_t)MOST_WIDTH);
    *ret = n;
    return p;
}

static const char *parse_length(const char *p, const char *end, struct piece *c)
{
    for (; p < end && *p && strchr("hljztL", *p); p++) {
        if (*p == 'h')
            c->bytes = c->bytes == 2 ? 1 : 2;
        else if (*p != 'L')
            c->bytes = 8;
    }
    return p;
}

/* Without a length modifier: hexadecimal and octal as C and bpftrace do; decimal numbers whole. */
static uint8_t natural_bytes(const struct zn_type *t, char conv)
{
    bool integer = t->kind == T_INT || t->kind == T_ENUM;
    bool cut = conv == 'x' || conv == 'X' || conv == 'o';
    return integer && (cut || t->size <= 4) ? 4 : 8;
}

static void choose_op(struct piece *c)
{
    bool plain = !c->flags && !c->width && c->prec < 0;
    switch (c->conv) {
    case 'd':
    case 'i': c->op = plain ? OP_INT : OP_NUM; break;
    case 'u': c->op = plain ? OP_UINT : OP_NUM; break;
    case 'c': c->op = OP_CHAR; break;
    case 'p': c->op = OP_PTR; break;
    case 's': c->op = plain && c->type->kind == T_STR ? OP_STR : OP_ANY; break;
    default: c->op = OP_NUM;
    }
}

/* A conversion at p (behind the '%'); returns where it ends, or NULL when it is none. */
static const char *parse_conv(const char *p, const char *end, const struct zn_action_arg *arg,
                              struct piece *c)
{
    c->prec = -1;
    c->bytes = 0;
    p = parse_flags(p, end, c);
    p = parse_number(p, end, &c->width);
    if (p < end && *p == '.')
        p = parse_number(p + 1, end, &c->prec);
    p = parse_length(p, end, c);
    if (p >= end || !*p)
        return NULL;
    c->type = arg->type;
    c->off = arg->off;
    if (!c->bytes)
        c->bytes = natural_bytes(arg->type, *p);
    if (*p == 'r') {
        c->op = OP_BYTES;
        c->conv = 'r';
        if (p + 1 < end && (p[1] == 'x' || p[1] == 'h'))
            c->conv = (uint8_t) * ++p;
        return p + 1;
    }
    if (!strchr("diuoxXcps", *p))
        return NULL;
    c->conv = (uint8_t)*p;
    choose_op(c);
    return p + 1;
}

struct zn_fmt *zn_fmt_new(const char *fmt, uint32_t len, const struct zn_action_arg *args,
                          uint32_t nargs)
{
    uint32_t most = 1;
    const char *end = fmt + len;
    for (const char *p = fmt; p < end; p++)
        most += *p == '%';
    struct zn_fmt *f = calloc(1, sizeof(*f) + sizeof(f->piece[0]) * (most + 1));
    if (!f)
        return NULL;
    uint32_t used = 0;
    const char *lit = fmt;
    for (const char *p = fmt; p < end;) {
        if (*p != '%') {
            p++;
            continue;
        }
        struct piece c = {.lit = lit, .lit_len = (uint32_t)(p - lit)};
        if (p + 1 < end && p[1] == '%') { /* the text up to and with the first '%' */
            c.lit_len++;
            f->piece[f->n++] = c;
            lit = p += 2;
            continue;
        }
        const char *next = used < nargs ? parse_conv(p + 1, end, &args[used], &c) : NULL;
        if (!next) {
            p++;
            continue;
        }
        used++;
        f->piece[f->n++] = c;
        lit = p = next;
    }
    f->piece[f->n++] = (struct piece){.lit = lit, .lit_len = (uint32_t)(end - lit)};
    return f;
}

void zn_fmt_free(struct zn_fmt *f)
{
    free(f);
}

/* --- running --- */

static void pad(struct zn_str *out, char c, int32_t n)
{
    static const char blanks[] = "                ", zeroes[] = "0000000000000000";
    for (; n > 0; n -= 16)
        zn_str_add(out, c == '0' ? zeroes : blanks, (size_t)ZN_MIN(n, 16));
}

static void put_padded(const struct piece *c, const char *s, size_t n, struct zn_str *out)
{
    if (c->prec >= 0 && n > (size_t)c->prec)
        n = (size_t)c->prec;
    int32_t fill = n < (size_t)c->width ? c->width - (int32_t)n : 0;
    if (!(c->flags & F_LEFT))
        pad(out, ' ', fill);
    zn_str_add(out, s, n);
    if (c->flags & F_LEFT)
        pad(out, ' ', fill);
}

static uint64_t arg_number(const struct piece *c, const struct zn_view *v, const void *p)
{
    switch (c->type->kind) {
    case T_AVG:
    case T_STATS: return (uint64_t)zn_value_agg(v, c->type, p);
    case T_STR: return 0;
    default: return zn_value_u64(p);
    }
}

static int64_t cut_signed(uint64_t n, unsigned bytes)
{
    unsigned drop = 64 - 8 * bytes;
    return (int64_t)(n << drop) >> drop;
}

static uint64_t cut_unsigned(uint64_t n, unsigned bytes)
{
    unsigned drop = 64 - 8 * bytes;
    return n << drop >> drop;
}

/* The digits of n before buf's end; returns their start. */
static char *digits(const struct piece *c, uint64_t n, char *end)
{
    const char *set = c->conv == 'X' ? "0123456789ABCDEF" : "0123456789abcdef";
    unsigned base = c->conv == 'o' ? 8 : c->conv == 'x' || c->conv == 'X' ? 16 : 10;
    bool group = (c->flags & F_GROUP) && base == 10;
    unsigned count = 0;
    while (n) {
        if (group && count && count % 3 == 0)
            *--end = ',';
        *--end = set[n % base];
        n /= base;
        count++;
    }
    return end;
}

static void put_number(const struct piece *c, uint64_t raw, struct zn_str *out)
{
    char buf[40], *end = buf + sizeof(buf);
    const char *prefix = "";
    bool sign = c->conv == 'd' || c->conv == 'i';
    uint64_t n = sign ? (uint64_t)cut_signed(raw, c->bytes) : cut_unsigned(raw, c->bytes);
    if (sign && (int64_t)n < 0) {
        prefix = "-";
        n = 0 - n;
    } else if (sign && (c->flags & (F_PLUS | F_SPACE))) {
        prefix = c->flags & F_PLUS ? "+" : " ";
    }
    char *s = digits(c, n, end);
    int32_t len = (int32_t)(end - s), least = c->prec < 0 ? 1 : c->prec;
    if (c->flags & F_ALT && n && (c->conv == 'x' || c->conv == 'X'))
        prefix = c->conv == 'x' ? "0x" : "0X";
    if (c->flags & F_ALT && c->conv == 'o' && least <= len)
        least = len + 1;
    int32_t head = (int32_t)strlen(prefix), zeroes = ZN_MAX(least - len, 0);
    if ((c->flags & F_ZERO) && !(c->flags & F_LEFT) && c->prec < 0)
        zeroes = ZN_MAX(zeroes, c->width - head - len);
    int32_t fill = c->width - head - zeroes - len;
    if (!(c->flags & F_LEFT))
        pad(out, ' ', fill);
    zn_str_add(out, prefix, (size_t)head);
    pad(out, '0', zeroes);
    zn_str_add(out, s, (size_t)len);
    if (c->flags & F_LEFT)
        pad(out, ' ', fill);
}

static void put_string(const struct piece *c, const struct zn_view *v, const void *p,
                       struct zn_str *out)
{
    size_t n;
    bool cut;
    const char *s = zn_str_value(v, c->type, p, &n, &cut);
    zn_str_add(out, s, n);
    if (cut)
        zn_str_puts(out, v->trailer);
}

static void put_pointer(const struct piece *c, uint64_t n, struct zn_str *out)
{
    struct piece hex = *c;
    hex.conv = 'x';
    hex.bytes = 8;
    hex.flags |= F_ALT;
    hex.prec = -1;
    if (n)
        put_number(&hex, n, out);
    else
        put_padded(&hex, "0x0", 3, out);
}

static void put_text(const struct piece *c, const struct zn_view *v, const void *p,
                     struct zn_str *out)
{
    struct zn_str s;
    zn_str_init(&s);
    if (c->op == OP_BYTES && c->type->kind == T_BUF)
        zn_put_bytes(&s, (const uint8_t *)p + 8, ZN_MIN(zn_value_u64(p), c->type->size),
                     c->conv == 'r', c->conv != 'h');
    else
        zn_value_text(v, c->type, p, &s);
    put_padded(c, zn_str_c(&s), s.len, out);
    zn_str_fini(&s);
}

static void run_piece(const struct piece *c, const struct zn_view *v, const void *p,
                      struct zn_str *out)
{
    char ch;
    switch (c->op) {
    case OP_INT: zn_put_s64(out, cut_signed(arg_number(c, v, p), c->bytes)); break;
    case OP_UINT: zn_put_u64(out, cut_unsigned(arg_number(c, v, p), c->bytes)); break;
    case OP_STR: put_string(c, v, p, out); break;
    case OP_NUM: put_number(c, arg_number(c, v, p), out); break;
    case OP_CHAR:
        ch = (char)arg_number(c, v, p);
        put_padded(c, &ch, 1, out);
        break;
    case OP_PTR: put_pointer(c, arg_number(c, v, p), out); break;
    case OP_ANY:
    case OP_BYTES: put_text(c, v, p, out); break;
    default: break;
    }
}

void zn_fmt_run(const struct zn_fmt *f, const struct zn_view *v, const void *rec,
                struct zn_str *out)
{
    for (uint32_t i = 0; i < f->n; i++) {
        const struct piece *c = &f->piece[i];
        if (c->lit_len)
            zn_str_add(out, c->lit, c->lit_len);
        if (c->op != OP_TEXT)
            run_piece(c, v, (const char *)rec + c->off, out);
    }
}
