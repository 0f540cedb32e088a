/* SPDX-License-Identifier: Apache-2.0 */
/* Collects diagnostics and shows them above the source line they speak of. */
#include "lang/diag.h"

#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "base/str.h"

enum {
    MAX_KEPT = 50,   /* errors kept of one compile */
    MAX_LINE = 240,  /* bytes of a source line that are shown whole */
    CUT_BEFORE = 60, /* of a longer line: shown before … */
    CUT_AFTER = 120, /* … and after the begin of the range */
    MAX_NAME = 64,   /* longest name that zn_nearest looks at */
};

void zn_diags_init(struct zn_diags *d, struct zn_arena *arena, struct zn_source src)
{
    memset(d, 0, sizeof(*d));
    d->arena = arena;
    d->src = src;
}

static char *format(struct zn_arena *arena, const char *fmt, va_list ap)
{
    struct zn_str s ZN_AUTOSTR;
    zn_str_init(&s);
    zn_str_vprintf(&s, fmt, ap);
    return zn_arena_strdup(arena, zn_str_c(&s));
}

static struct zn_diag *add(struct zn_diags *d, enum zn_severity sev, struct zn_pos pos,
                           const char *fmt, va_list ap)
{
    struct zn_diag *n = zn_arena_new(d->arena, struct zn_diag);
    n->severity = sev;
    n->pos = pos;
    unsigned *count = sev == ZN_ERROR ? &d->errors : &d->warnings;
    if (++*count > MAX_KEPT) {
        n->msg = "";
        return n;
    }
    n->msg = format(d->arena, fmt, ap);
    if (d->last)
        d->last->next = n;
    else
        d->first = n;
    d->last = n;
    return n;
}

struct zn_diag *zn_error(struct zn_diags *d, struct zn_pos pos, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    struct zn_diag *n = add(d, ZN_ERROR, pos, fmt, ap);
    va_end(ap);
    return n;
}

struct zn_diag *zn_warning(struct zn_diags *d, struct zn_pos pos, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    struct zn_diag *n = add(d, ZN_WARNING, pos, fmt, ap);
    va_end(ap);
    return n;
}

void zn_hint(struct zn_diags *d, struct zn_diag *diag, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    diag->hint = format(d->arena, fmt, ap);
    va_end(ap);
}

void zn_source_locate(const struct zn_source *src, uint32_t off, unsigned *line, unsigned *col)
{
    size_t end = ZN_MIN((size_t)off, src->len);
    unsigned l = 1;
    size_t start = 0;
    const char *nl;
    while (start < end && (nl = memchr(src->text + start, '\n', end - start))) {
        l++;
        start = (size_t)(nl - src->text) + 1;
    }
    *line = l;
    *col = (unsigned)(off - start) + 1;
}

/* One byte of source as shown: tabs widen, control bytes would upset the terminal. Returns the
 * number of columns. */
static unsigned shown_byte(char c, struct zn_str *out)
{
    unsigned char u = (unsigned char)c;
    if (c == '\t') {
        if (out)
            zn_str_puts(out, "    ");
        return 4;
    }
    if (out)
        zn_str_putc(out, u < 0x20 || u == 0x7f ? '.' : c);
    return (u & 0xc0) == 0x80 ? 0 : 1; /* a UTF-8 continuation byte takes no column */
}

static unsigned put_columns(struct zn_str *out, const char *text, size_t from, size_t to, char c)
{
    unsigned cols = 0;
    for (size_t i = from; i < to; i++)
        cols += shown_byte(text[i], NULL);
    for (unsigned i = 0; i < cols; i++)
        zn_str_putc(out, c);
    return cols;
}

/* The line that holds [b, e), and the tildes below. */
static void render_line(const struct zn_source *src, size_t b, size_t e, struct zn_str *out)
{
    size_t first = b, last = b;
    while (first > 0 && src->text[first - 1] != '\n')
        first--;
    while (last < src->len && src->text[last] != '\n')
        last++;
    if (last > first && src->text[last - 1] == '\r')
        last--;
    bool cut_head = false, cut_tail = false;
    if (last - first > MAX_LINE) {
        if (b - first > CUT_BEFORE) {
            first = b - CUT_BEFORE;
            cut_head = true;
        }
        if (last > first && last - first > CUT_BEFORE + CUT_AFTER) {
            last = first + CUT_BEFORE + CUT_AFTER;
            cut_tail = true;
        }
        while (first < b && ((unsigned char)src->text[first] & 0xc0) == 0x80)
            first++;
    }
    if (cut_head)
        zn_str_puts(out, "...");
    for (size_t i = first; i < last; i++)
        shown_byte(src->text[i], out);
    zn_str_puts(out, cut_tail ? "...\n" : "\n");
    if (cut_head)
        zn_str_puts(out, "   ");
    put_columns(out, src->text, first, ZN_MIN(b, last), ' ');
    if (!put_columns(out, src->text, ZN_MIN(b, last), ZN_MIN(e, last), '~'))
        zn_str_putc(out, '~');
    zn_str_putc(out, '\n');
}

void zn_diag_render(const struct zn_source *src, const struct zn_diag *diag, bool color,
                    struct zn_str *out)
{
    const char *word = diag->severity == ZN_ERROR ? "ERROR" : "WARNING";
    const char *on = !color ? "" : diag->severity == ZN_ERROR ? "\033[31m" : "\033[33m";
    const char *off = color ? "\033[0m" : "";
    struct zn_pos p = diag->pos;
    bool located = p.end > 0;
    bool one_line = false;
    if (located) {
        if (p.end <= p.begin)
            p.end = p.begin + 1;
        unsigned l1, c1, l2, c2;
        zn_source_locate(src, p.begin, &l1, &c1);
        zn_source_locate(src, p.end - 1, &l2, &c2);
        one_line = l1 == l2;
        if (one_line)
            zn_str_printf(out, "%s:%u:%u-%u: ", src->name, l1, c1, c2 + 1);
        else
            zn_str_printf(out, "%s:%u-%u: ", src->name, l1, l2);
    }
    zn_str_printf(out, "%s%s%s: %s\n", on, word, off, diag->msg);
    if (one_line)
        render_line(src, ZN_MIN((size_t)p.begin, src->len), ZN_MIN((size_t)p.end, src->len), out);
    if (diag->hint)
        zn_str_printf(out, "HINT: %s\n", diag->hint);
}

void zn_diags_render(const struct zn_diags *d, bool color, struct zn_str *out)
{
    for (const struct zn_diag *n = d->first; n; n = n->next)
        zn_diag_render(&d->src, n, color, out);
    if (d->errors > MAX_KEPT)
        zn_str_printf(out, "ERROR: %u more errors are not shown\n", d->errors - MAX_KEPT);
}

/* Edit distance with neighbours' swaps; both strings at most MAX_NAME long. */
static unsigned distance(const char *a, size_t na, const char *b, size_t nb)
{
    unsigned row[3][MAX_NAME + 1];
    unsigned *pp = row[0], *p = row[1], *cur = row[2];
    for (size_t j = 0; j <= nb; j++)
        p[j] = pp[j] = (unsigned)j;
    for (size_t i = 1; i <= na; i++) {
        cur[0] = (unsigned)i;
        for (size_t j = 1; j <= nb; j++) {
            unsigned best = p[j - 1] + (a[i - 1] != b[j - 1]);
            best = ZN_MIN(best, p[j] + 1);
            best = ZN_MIN(best, cur[j - 1] + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                best = ZN_MIN(best, pp[j - 2] + 1);
            cur[j] = best;
        }
        unsigned *t = pp;
        pp = p;
        p = cur;
        cur = t;
    }
    return p[nb];
}

const char *zn_nearest(const char *name, const char *const *candidates, size_t n)
{
    size_t len = strlen(name);
    if (len < 2 || len > MAX_NAME)
        return NULL;
    /* Short names would resemble everything: at least one character must stay. */
    unsigned limit = (unsigned)ZN_MIN(ZN_MAX(len / 3, (size_t)2), len - 1);
    const char *best = NULL;
    for (size_t i = 0; i < n; i++) {
        size_t clen = strlen(candidates[i]);
        if (clen > MAX_NAME)
            continue;
        unsigned dist = distance(name, len, candidates[i], clen);
        if (dist <= limit && dist < ZN_MAX(clen, len) && (!best || dist < limit)) {
            best = candidates[i];
            limit = dist;
        }
    }
    return best;
}
