/* SPDX-License-Identifier: Apache-2.0 */
/* Block-chained bump allocator. */
#include "base/arena.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct zn_arena_block {
    struct zn_arena_block *next;
    size_t pad; /* keeps data 16-byte aligned */
    char data[];
};

enum { BLOCK_BYTES = 32 * 1024 };

void zn_arena_init(struct zn_arena *a)
{
    memset(a, 0, sizeof(*a));
}

void zn_arena_fini(struct zn_arena *a)
{
    struct zn_arena_block *b = a->head;
    while (b) {
        struct zn_arena_block *next = b->next;
        free(b);
        b = next;
    }
    memset(a, 0, sizeof(*a));
}

bool zn_arena_failed(const struct zn_arena *a)
{
    return a->failed;
}

void *zn_arena_alloc(struct zn_arena *a, size_t size)
{
    size = (size + 15) & ~(size_t)15;
    if (!a->head || size > a->cap - a->used) {
        size_t cap = size > BLOCK_BYTES ? size : BLOCK_BYTES;
        struct zn_arena_block *b = calloc(1, sizeof(*b) + cap);
        if (!b) {
            a->failed = true;
            b = calloc(1, sizeof(*b) + size); /* the emergency block */
            if (!b)
                abort();
            cap = size;
        }
        b->next = a->head;
        a->head = b;
        a->cap = cap;
        a->used = 0;
    }
    void *p = a->head->data + a->used;
    a->used += size;
    a->total += size;
    return p;
}

char *zn_arena_strndup(struct zn_arena *a, const char *s, size_t n)
{
    char *p = zn_arena_alloc(a, n + 1);
    memcpy(p, s, n);
    return p;
}

char *zn_arena_strdup(struct zn_arena *a, const char *s)
{
    return zn_arena_strndup(a, s, strlen(s));
}

char *zn_arena_printf(struct zn_arena *a, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    if (n < 0)
        return zn_arena_strdup(a, "");
    char *p = zn_arena_alloc(a, (size_t)n + 1);
    va_start(ap, fmt);
    vsnprintf(p, (size_t)n + 1, fmt, ap);
    va_end(ap);
    return p;
}
