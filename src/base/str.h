/* SPDX-License-Identifier: Apache-2.0 */
/* A growing byte buffer whose first error is latched: append freely, check `failed` once. */
#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

struct zn_str {
    char *data; /* NUL-terminated when len > 0 or after any append; owned */
    size_t len, cap;
    bool failed; /* out of memory happened; contents are truncated */
};

void zn_str_init(struct zn_str *s);
void zn_str_fini(struct zn_str *s);
void zn_str_clear(struct zn_str *s); /* keeps the memory */
void zn_str_add(struct zn_str *s, const void *p, size_t n);
void zn_str_puts(struct zn_str *s, const char *z);
void zn_str_putc(struct zn_str *s, char c);
void zn_str_printf(struct zn_str *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void zn_str_vprintf(struct zn_str *s, const char *fmt, va_list ap);
/* Appends s as the inside of a JSON string (no quotes): " \ \n \r \t and control characters. */
void zn_str_json(struct zn_str *s, const char *p, size_t n);
/* Never NULL. */
const char *zn_str_c(const struct zn_str *s);
#define ZN_AUTOSTR ZN_CLEANUP(zn_str_fini)
