/* SPDX-License-Identifier: Apache-2.0 */
/* One compile's memory: allocated piece by piece, freed at once.
 *
 * Out of memory is latched: zn_arena_alloc then hands out memory of a small
 * emergency block that is never freed early, so builders may go on and the
 * caller checks zn_arena_failed() once at the end. */
#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

struct zn_arena_block;
struct zn_arena {
    struct zn_arena_block *head;
    size_t used, cap; /* bytes, in the head block */
    size_t total;     /* bytes handed out */
    bool failed;
};

void zn_arena_init(struct zn_arena *a);
void zn_arena_fini(struct zn_arena *a);
bool zn_arena_failed(const struct zn_arena *a);

/* Zeroed, 16-byte aligned, never NULL except when the process is truly out of memory even for the
 * emergency block (then the program aborts). */
void *zn_arena_alloc(struct zn_arena *a, size_t size);
char *zn_arena_strndup(struct zn_arena *a, const char *s, size_t n);
char *zn_arena_strdup(struct zn_arena *a, const char *s);
char *zn_arena_printf(struct zn_arena *a, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

#define zn_arena_new(a, type)      ((type *)zn_arena_alloc((a), sizeof(type)))
#define zn_arena_array(a, type, n) ((type *)zn_arena_alloc((a), sizeof(type) * (size_t)(n)))
/* Grows an arena array (len used elements) to hold one more; doubles. */
#define zn_arena_grow(a, ptr, len, cap)                                       \
    do {                                                                      \
        if ((len) >= (cap)) {                                                 \
            size_t _ncap = (cap) ? (size_t)(cap)*2 : 8;                       \
            __typeof__(ptr) _n = zn_arena_alloc((a), sizeof(*(ptr)) * _ncap); \
            if (len)                                                          \
                __builtin_memcpy(_n, (ptr), sizeof(*(ptr)) * (size_t)(len));  \
            (ptr) = _n;                                                       \
            (cap) = (__typeof__(cap))_ncap;                                   \
        }                                                                     \
    } while (0)
