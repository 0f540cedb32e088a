/* SPDX-License-Identifier: Apache-2.0 */
/* The table of processes: a hash by number, and a list by last use. */
#include "sym/procs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/file.h"
#include "base/mem.h"

enum { BUCKETS = 1024, MISS_NS = 50000000 };

struct zn_procs {
    struct zn_proc *buckets[BUCKETS];
    struct zn_proc *newest, *oldest;
    uint32_t n, max, epoch;
};

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

struct zn_procs *zn_procs_new(uint32_t max)
{
    struct zn_procs *ps = calloc(1, sizeof(*ps));
    if (ps) {
        ps->max = max;
        ps->epoch = 1;
    }
    return ps;
}

static void list_out(struct zn_procs *ps, struct zn_proc *p)
{
    *(p->newer ? &p->newer->older : &ps->newest) = p->older;
    *(p->older ? &p->older->newer : &ps->oldest) = p->newer;
}

static void list_in(struct zn_procs *ps, struct zn_proc *p)
{
    p->newer = NULL;
    p->older = ps->newest;
    *(ps->newest ? &ps->newest->newer : &ps->oldest) = p;
    ps->newest = p;
}

void zn_proc_clear(struct zn_proc *p)
{
    zn_maps_fini(&p->maps);
    zn_perfmap_fini(&p->jit);
    p->read = p->tracked = p->gone = false;
}

static void forget(struct zn_procs *ps, struct zn_proc *p)
{
    struct zn_proc **at = &ps->buckets[p->tgid % BUCKETS];
    while (*at != p)
        at = &(*at)->hash_next;
    *at = p->hash_next;
    list_out(ps, p);
    ps->n--;
    zn_proc_clear(p);
    free(p);
}

void zn_procs_free(struct zn_procs *ps)
{
    while (ps && ps->oldest)
        forget(ps, ps->oldest);
    free(ps);
}

struct zn_proc *zn_procs_find(struct zn_procs *ps, uint32_t tgid)
{
    struct zn_proc *p = ps->buckets[tgid % BUCKETS];
    while (p && p->tgid != tgid)
        p = p->hash_next;
    if (p && p != ps->newest) {
        list_out(ps, p);
        list_in(ps, p);
    }
    return p;
}

struct zn_proc *zn_procs_get(struct zn_procs *ps, uint32_t tgid)
{
    struct zn_proc *p = zn_procs_find(ps, tgid);
    if (p)
        return p;
    while (ps->n >= ps->max)
        forget(ps, ps->oldest);
    p = calloc(1, sizeof(*p));
    if (!p)
        return NULL;
    p->tgid = tgid;
    p->hash_next = ps->buckets[tgid % BUCKETS];
    ps->buckets[tgid % BUCKETS] = p;
    list_in(ps, p);
    ps->n++;
    return p;
}

int zn_proc_read(struct zn_procs *ps, struct zn_proc *p)
{
    char path[64];
    ZN_AUTOFREE char *text = NULL;
    size_t len = 0;
    snprintf(path, sizeof(path), "/proc/%u/maps", p->tgid);
    int r = zn_file_read(path, 0, &text, &len);
    p->epoch = ps->epoch;
    p->read_ns = now_ns();
    if (r || !len) { /* a zombie's file is empty */
        p->gone = !r || r == -ENOENT || r == -ESRCH;
        return p->gone ? -ESRCH : r;
    }
    struct zn_maps maps = {0};
    r = zn_maps_parse(&maps, text);
    if (!r)
        r = zn_maps_keep_ghosts(&maps, &p->maps);
    if (r && r != -ENOSPC) {
        zn_maps_fini(&maps);
        return r;
    }
    zn_maps_fini(&p->maps);
    p->maps = maps;
    p->read = true;
    p->gone = false;
    return 0;
}

bool zn_proc_stale(const struct zn_procs *ps, const struct zn_proc *p, bool missed)
{
    if (p->gone) /* its number may belong to another process by now; the tracker would know */
        return p->epoch != ps->epoch && !p->tracked;
    if (!p->read && !p->tracked)
        return true;
    if (missed) /* mapped since, or data that the tracker isn't told of */
        return now_ns() - p->read_ns > MISS_NS;
    return p->epoch != ps->epoch && !p->tracked;
}

void zn_procs_refresh(struct zn_procs *ps)
{
    ps->epoch++;
}
