/* SPDX-License-Identifier: Apache-2.0 */
/* Finds image strings of equal text (substr() of two probe names may give one) and unifies keys. */
#include "rt/intern.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static int by_text(const void *a, const void *b, void *strings)
{
    const char *const *v = strings;
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    int c = strcmp(v[x] ? v[x] : "", v[y] ? v[y] : "");
    return c ? c : (x > y) - (x < y);
}

/* Fills s->canon, unless all texts differ. */
static int find_equal(struct zn_mapset *s)
{
    const char **str = s->img->strings;
    uint32_t n = s->img->nstrings;
    s->canon_done = true;
    if (n < 2)
        return 0;
    ZN_AUTOFREE int32_t *order = malloc(sizeof(*order) * n);
    int32_t *canon = malloc(sizeof(*canon) * n);
    if (!order || !canon) {
        free(canon);
        return -ENOMEM;
    }
    for (uint32_t i = 0; i < n; i++)
        order[i] = (int32_t)i;
    qsort_r(order, n, sizeof(*order), by_text, str);
    bool any = false;
    for (uint32_t i = 0; i < n; i++) {
        const char *t = str[order[i]] ? str[order[i]] : "";
        const char *before = i && str[order[i - 1]] ? str[order[i - 1]] : "";
        bool same = i && !strcmp(t, before);
        canon[order[i]] = same ? canon[order[i - 1]] : order[i];
        any |= same;
    }
    if (any)
        s->canon = canon;
    else
        free(canon);
    return 0;
}

static bool has_interned(const struct zn_type *t)
{
    if (t->kind == T_STR)
        return t->interned;
    for (uint32_t i = 0; (t->kind == T_TUPLE || t->kind == T_RECORD) && i < t->nfields; i++)
        if (has_interned(t->fields[i].type))
            return true;
    return false;
}

static bool rewrite(const struct zn_mapset *s, const struct zn_type *t, uint8_t *p)
{
    bool changed = false;
    if (t->kind == T_STR && t->interned) {
        uint64_t i;
        memcpy(&i, p, sizeof(i));
        if (i < s->img->nstrings && (uint64_t)s->canon[i] != i) {
            i = (uint64_t)s->canon[i];
            memcpy(p, &i, sizeof(i));
            changed = true;
        }
    }
    for (uint32_t i = 0; (t->kind == T_TUPLE || t->kind == T_RECORD) && i < t->nfields; i++)
        changed |= rewrite(s, t->fields[i].type, p + t->fields[i].off);
    return changed;
}

static int by_key(const void *a, const void *b, void *snap)
{
    const struct zn_snap *s = snap;
    const struct zn_snap_entry *x = a, *y = b;
    return memcmp(s->bytes + x->key, s->bytes + y->key, s->key_size);
}

int zn_intern_unify(struct zn_mapset *s, const struct zn_map *m, struct zn_snap *snap)
{
    if (!m->key || !has_interned(m->key))
        return 0;
    int r = s->canon_done ? 0 : find_equal(s);
    if (r || !s->canon)
        return r;
    bool changed = false;
    for (uint32_t i = 0; i < snap->n; i++)
        changed |= rewrite(s, m->key, snap->bytes + snap->v[i].key);
    if (!changed)
        return 0;
    qsort_r(snap->v, snap->n, sizeof(*snap->v), by_key, snap);
    uint32_t n = 0;
    for (uint32_t i = 0; i < snap->n; i++) {
        if (n && !by_key(&snap->v[n - 1], &snap->v[i], snap))
            zn_merge(m->value, snap->val_size, snap->bytes + snap->v[n - 1].value,
                     snap->bytes + snap->v[i].value, false);
        else
            snap->v[n++] = snap->v[i];
    }
    snap->n = n;
    return 0;
}
