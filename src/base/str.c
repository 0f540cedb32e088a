/* SPDX-License-Identifier: Apache-2.0 */
/* Growing byte buffer. */
#include "base/str.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void zn_str_init(struct zn_str *s)
{
    memset(s, 0, sizeof(*s));
}

void zn_str_fini(struct zn_str *s)
{
    free(s->data);
    memset(s, 0, sizeof(*s));
}

void zn_str_clear(struct zn_str *s)
{
    s->len = 0;
    if (s->data)
        s->data[0] = '\0';
}

static bool reserve(struct zn_str *s, size_t more)
{
    if (s->len + more + 1 <= s->cap)
        return true;
    size_t cap = s->cap ? s->cap * 2 : 128;
    while (cap < s->len + more + 1)
        cap *= 2;
    char *p = realloc(s->data, cap);
    if (!p) {
        s->failed = true;
        return false;
    }
    s->data = p;
    s->cap = cap;
    return true;
}

void zn_str_add(struct zn_str *s, const void *p, size_t n)
{
    if (!reserve(s, n))
        return;
    if (n)
        memcpy(s->data + s->len, p, n);
    s->len += n;
    s->data[s->len] = '\0';
}

void zn_str_puts(struct zn_str *s, const char *z)
{
    zn_str_add(s, z, strlen(z));
}

void zn_str_putc(struct zn_str *s, char c)
{
    zn_str_add(s, &c, 1);
}

void zn_str_vprintf(struct zn_str *s, const char *fmt, va_list ap)
{
    va_list ap2;
    va_copy(ap2, ap);
    int n = vsnprintf(NULL, 0, fmt, ap2);
    va_end(ap2);
    if (n < 0 || !reserve(s, (size_t)n))
        return;
    vsnprintf(s->data + s->len, (size_t)n + 1, fmt, ap);
    s->len += (size_t)n;
}

void zn_str_printf(struct zn_str *s, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    zn_str_vprintf(s, fmt, ap);
    va_end(ap);
}

void zn_str_json(struct zn_str *s, const char *p, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)p[i];
        switch (c) {
        case '"': zn_str_puts(s, "\\\""); break;
        case '\\': zn_str_puts(s, "\\\\"); break;
        case '\n': zn_str_puts(s, "\\n"); break;
        case '\r': zn_str_puts(s, "\\r"); break;
        case '\t': zn_str_puts(s, "\\t"); break;
        default:
            if (c < 0x20)
                zn_str_printf(s, "\\u%04x", c);
            else
                zn_str_putc(s, (char)c);
        }
    }
}

const char *zn_str_c(const struct zn_str *s)
{
    return s->data ? s->data : "";
}
