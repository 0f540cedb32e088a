/* SPDX-License-Identifier: Apache-2.0 */
/* Mappings of a process: parsing /proc/PID/maps, and keeping up with changes one by one. */
#include "sym/maps.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sym/files.h"

static struct zn_map_path *path_new(const char *s)
{
    size_t n = strlen(s);
    struct zn_map_path *p = malloc(sizeof(*p) + n + 1);
    if (!p)
        return NULL;
    p->refs = 1;
    memcpy(p->s, s, n + 1);
    return p;
}

static void map_drop(struct zn_map *m)
{
    if (!--m->path->refs)
        free(m->path);
    zn_file_unref(m->file);
}

static void map_share(struct zn_map *m)
{
    m->path->refs++;
    zn_file_ref(m->file);
}

void zn_maps_fini(struct zn_maps *m)
{
    for (uint32_t i = 0; i < m->n; i++)
        map_drop(&m->v[i]);
    free(m->v);
    *m = (struct zn_maps){0};
}

/* Makes room for `n` entries at position `at`. */
static int open_gap(struct zn_maps *m, uint32_t at, uint32_t n)
{
    if (m->n + n > ZN_MAPS_MAX)
        return -ENOSPC;
    if (m->n + n > m->cap) {
        uint32_t cap = m->cap ? m->cap * 2 : 32;
        struct zn_map *v = realloc(m->v, cap * sizeof(*v));
        if (!v)
            return -ENOMEM;
        m->v = v;
        m->cap = cap;
    }
    memmove(m->v + at + n, m->v + at, (m->n - at) * sizeof(*m->v));
    m->n += n;
    return 0;
}

static void close_gap(struct zn_maps *m, uint32_t at)
{
    memmove(m->v + at, m->v + at + 1, (m->n - at - 1) * sizeof(*m->v));
    m->n--;
}

/* Index of the first mapping that ends behind addr. */
static uint32_t first_behind(const struct zn_maps *m, uint64_t addr)
{
    uint32_t lo = 0, hi = m->n;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (m->v[mid].hi <= addr)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

struct zn_map *zn_maps_find(const struct zn_maps *m, uint64_t addr)
{
    uint32_t i = first_behind(m, addr);
    return i < m->n && addr >= m->v[i].lo ? &m->v[i] : NULL;
}

static void cut_front(struct zn_map *m, uint64_t lo)
{
    m->off += lo - m->lo;
    m->lo = lo;
}

/* Empties [lo, hi). Returns where a mapping that begins at lo belongs, or -errno. */
static int clear_range(struct zn_maps *m, uint64_t lo, uint64_t hi)
{
    uint32_t i = first_behind(m, lo);
    if (i < m->n && m->v[i].lo < lo) {
        if (m->v[i].hi > hi) { /* a hole in the middle: two remain */
            int r = open_gap(m, i + 1, 1);
            if (r)
                return r;
            m->v[i + 1] = m->v[i];
            map_share(&m->v[i + 1]);
            cut_front(&m->v[i + 1], hi);
        }
        m->v[i++].hi = lo;
    }
    while (i < m->n && m->v[i].hi <= hi) {
        map_drop(&m->v[i]);
        close_gap(m, i);
    }
    if (i < m->n && m->v[i].lo < hi)
        cut_front(&m->v[i], hi);
    return (int)i;
}

int zn_maps_insert(struct zn_maps *m, const struct zn_map *map, const char *path)
{
    if (map->lo >= map->hi)
        return -EINVAL;
    bool last = !m->n || m->v[m->n - 1].hi <= map->lo;
    int at = last ? (int)m->n : clear_range(m, map->lo, map->hi);
    if (at < 0)
        return at;
    struct zn_map_path *p = NULL;
    if (at && !strcmp(m->v[at - 1].path->s, path)) {
        p = m->v[at - 1].path;
        p->refs++;
    } else {
        p = path_new(path);
    }
    int r = p ? open_gap(m, (uint32_t)at, 1) : -ENOMEM;
    if (r) {
        if (p && !--p->refs)
            free(p);
        return r;
    }
    struct zn_map *new = &m->v[at];
    *new = *map;
    new->path = p;
    new->base = map->lo;
    new->end = map->hi;
    zn_file_ref(new->file);
    return 0;
}

int zn_maps_parse(struct zn_maps *m, char *text)
{
    static const char gone[] = " (deleted)";
    for (char *line = text, *next; *line; line = next) {
        char *eol = strchrnul(line, '\n');
        next = *eol ? eol + 1 : eol;
        *eol = '\0';
        struct zn_map map = {0};
        char perm[5];
        int skip = 0;
        if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %x:%x %" SCNu64 "%n", &map.lo,
                   &map.hi, perm, &map.off, &map.maj, &map.min, &map.ino, &skip) < 7)
            continue;
        map.exec = perm[2] == 'x';
        char *path = line + skip + strspn(line + skip, " ");
        size_t n = strlen(path);
        if (n > sizeof(gone) - 1 && !strcmp(path + n - (sizeof(gone) - 1), gone)) {
            map.deleted = true;
            path[n - (sizeof(gone) - 1)] = '\0';
        }
        int r = zn_maps_insert(m, &map, path);
        if (r == -ENOSPC || r == -ENOMEM)
            return r;
    }
    return 0;
}

int zn_maps_keep_ghosts(struct zn_maps *m, const struct zn_maps *old)
{
    for (uint32_t i = 0; i < old->n; i++) {
        const struct zn_map *g = &old->v[i];
        uint32_t at = first_behind(m, g->lo);
        if (!g->exec || !g->ino || (at < m->n && m->v[at].lo < g->hi))
            continue;
        int r = zn_maps_insert(m, g, g->path->s);
        if (r)
            return r;
        m->v[at].base = g->base;
        m->v[at].end = g->end;
    }
    return 0;
}

int zn_maps_copy(struct zn_maps *to, const struct zn_maps *from)
{
    struct zn_map *v = malloc((from->n ? from->n : 1) * sizeof(*v));
    if (!v)
        return -ENOMEM;
    zn_maps_fini(to);
    if (from->n)
        memcpy(v, from->v, from->n * sizeof(*v));
    *to = (struct zn_maps){.v = v, .n = from->n, .cap = from->n};
    for (uint32_t i = 0; i < to->n; i++)
        map_share(&to->v[i]);
    return 0;
}
