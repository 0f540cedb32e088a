/* SPDX-License-Identifier: Apache-2.0 */
/* Names and wildcards: what every kind needs to turn a pattern into a sorted list. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "probes/kind.h"

bool zn_is_glob(const char *s)
{
    return strchr(s, '*') != NULL;
}

/* Greedy with one remembered `*`: linear for the patterns that people write. */
bool zn_glob(const char *pattern, const char *s)
{
    const char *star = NULL, *back = NULL;

    while (*s) {
        if (*pattern == '*') {
            star = ++pattern;
            back = s;
        } else if (*pattern == *s) {
            pattern++;
            s++;
        } else if (star) {
            pattern = star;
            s = ++back;
        } else {
            return false;
        }
    }
    while (*pattern == '*')
        pattern++;
    return *pattern == '\0';
}

int zn_names_add(struct zn_names *l, const char *s)
{
    if (l->n == l->cap) {
        size_t cap = l->cap ? l->cap * 2 : 64;
        char **v = realloc(l->v, cap * sizeof(*v));

        if (!v)
            return -ENOMEM;
        l->v = v;
        l->cap = cap;
    }
    l->v[l->n] = strdup(s);
    if (!l->v[l->n])
        return -ENOMEM;
    l->n++;
    return 0;
}

void zn_names_fini(struct zn_names *l)
{
    for (size_t i = 0; i < l->n; i++)
        free(l->v[i]);
    free(l->v);
    *l = (struct zn_names){0};
}

static int cmp_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

void zn_names_sort(struct zn_names *l)
{
    size_t kept = 0;

    if (l->n)
        qsort(l->v, l->n, sizeof(*l->v), cmp_name);
    for (size_t i = 0; i < l->n; i++) {
        if (kept && strcmp(l->v[kept - 1], l->v[i]) == 0)
            free(l->v[i]);
        else
            l->v[kept++] = l->v[i];
    }
    l->n = kept;
}

struct zn_target *zn_push(struct zn_expand *x)
{
    struct zn_target_list *out = x->out;

    zn_arena_grow(x->arena, out->v, out->n, out->cap);
    struct zn_target *t = &out->v[out->n++];

    *t = (struct zn_target){.provider = x->spec->provider->id, .nr = -1};
    return t;
}

int zn_fail(struct zn_expand *x, int err, const char *fmt, ...)
{
    char text[512];
    va_list ap;

    if (x->why)
        return err;
    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    x->why = zn_arena_strdup(x->arena, text);
    return err;
}

void zn_suggest(struct zn_expand *x, const char *name, const char *const *candidates, size_t n)
{
    const char *near = zn_nearest(name, candidates, n);

    if (near && !x->hint)
        x->hint = zn_arena_printf(x->arena, "did you mean '%s'?", near);
}
