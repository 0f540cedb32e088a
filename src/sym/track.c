/* SPDX-License-Identifier: Apache-2.0 */
/* The tracker: dummy perf events whose side records tell of execs, forks, exits and mappings.
 *
 * Each CPU has a ring of its own, and one process's records are spread over the rings of the CPUs it
 * ran on. So a poll takes the clock, empties all rings, sorts what it got by time and applies what
 * is older than the clock's value; the rest waits for the next poll, when nothing older can turn up.
 * A mapping's file is opened when its record is applied, because /proc/PID is gone with the process.
 *
 * The records carry device and inode rather than a build id: that is what /proc/PID/maps has too, so
 * both sources meet in one cache; the build id is read from the file. */
#include "sym/track.h"

#include <dirent.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>

#include "base/file.h"
#include "base/mem.h"

enum {
    RING_BYTES = 256 << 10,
    RING_BYTES_MANY = 128 << 10, /* with more than MANY_CPUS */
    MANY_CPUS = 32,
    MAX_CPUS = 4096,
    SNAPSHOT_NS = 50000000,
    MAX_PENDING = 64 << 20, /* bytes of records between two polls */
};

struct ring {
    int fd;
    struct perf_event_mmap_page *meta;
    size_t bytes; /* of data, behind one page of meta */
};

struct zn_track {
    struct zn_procs *procs;
    struct zn_files *files;
    struct ring *rings;
    uint32_t nrings;
    struct zn_str pending; /* records that wait, one after the other, 8-aligned */
    struct entry *order;
    size_t order_cap;
    uint64_t lost;
};

struct entry {
    uint64_t time;
    size_t off; /* in pending */
};

/* What every record ends with: sample_id_all with PERF_SAMPLE_TIME. */
struct tail {
    uint64_t time;
};

struct mmap2_record {
    struct perf_event_header header;
    uint32_t pid, tid;
    uint64_t addr, len, pgoff;
    uint32_t maj, min;
    uint64_t ino, ino_generation;
    uint32_t prot, flags;
    char path[];
};

struct comm_record {
    struct perf_event_header header;
    uint32_t pid, tid;
};

struct task_record {
    struct perf_event_header header;
    uint32_t pid, ppid, tid, ptid;
    uint64_t time;
};

struct lost_record {
    struct perf_event_header header;
    uint64_t id, lost;
};

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static int open_ring(struct ring *ring, int cpu, size_t bytes)
{
    struct perf_event_attr attr = {
        .type = PERF_TYPE_SOFTWARE,
        .size = sizeof(attr),
        .config = PERF_COUNT_SW_DUMMY,
        .sample_type = PERF_SAMPLE_TIME,
        .mmap = 1,
        .mmap2 = 1,
        .comm = 1,
        .comm_exec = 1,
        .task = 1,
        .sample_id_all = 1,
        .exclude_kernel = 1,
        .exclude_hv = 1,
        .use_clockid = 1,
        .clockid = CLOCK_MONOTONIC,
        .watermark = 1,
        .wakeup_watermark = (uint32_t)bytes, /* nobody sleeps on it */
    };
    ZN_AUTOCLOSE int fd =
        (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, (unsigned long)PERF_FLAG_FD_CLOEXEC);
    if (fd < 0)
        return -errno;
    size_t page = (size_t)getpagesize();
    void *p = mmap(NULL, page + bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (p == MAP_FAILED)
        return -errno;
    *ring = (struct ring){.fd = ZN_TAKE_FD(fd), .meta = p, .bytes = bytes};
    return 0;
}

static int open_rings(struct zn_track *t)
{
    long n = sysconf(_SC_NPROCESSORS_CONF);
    uint32_t cpus = n < 1 ? 1 : (uint32_t)ZN_MIN(n, (long)MAX_CPUS);
    t->rings = calloc(cpus, sizeof(*t->rings));
    if (!t->rings)
        return -ENOMEM;
    for (uint32_t cpu = 0; cpu < cpus; cpu++) {
        size_t bytes = cpus > MANY_CPUS ? RING_BYTES_MANY : RING_BYTES;
        int r = open_ring(&t->rings[t->nrings], (int)cpu, bytes);
        if (r == -ENODEV) /* an offline CPU */
            continue;
        if (r)
            return r;
        t->nrings++;
    }
    return t->nrings ? 0 : -ENODEV;
}

/* Mappings of what runs already; processes that start from here on come as records. */
static void snapshot(struct zn_track *t)
{
    uint64_t end = now_ns() + SNAPSHOT_NS;
    DIR *dir = opendir("/proc");
    struct dirent *d;
    while (dir && (d = readdir(dir)) && now_ns() < end) {
        uint32_t tgid = (uint32_t)strtoul(d->d_name, NULL, 10);
        struct zn_proc *p = tgid ? zn_procs_get(t->procs, tgid) : NULL;
        if (p && !p->tracked && !zn_proc_read(t->procs, p))
            p->tracked = true;
    }
    if (dir)
        closedir(dir);
}

int zn_track_open(struct zn_procs *procs, struct zn_files *files, struct zn_track **ret)
{
    struct zn_track *t = calloc(1, sizeof(*t));
    if (!t)
        return -ENOMEM;
    t->procs = procs;
    t->files = files;
    zn_str_init(&t->pending);
    int r = open_rings(t);
    if (r) {
        zn_track_close(t);
        return r;
    }
    snapshot(t);
    *ret = t;
    return 0;
}

void zn_track_close(struct zn_track *t)
{
    if (!t)
        return;
    for (uint32_t i = 0; i < t->nrings; i++) {
        munmap(t->rings[i].meta, (size_t)getpagesize() + t->rings[i].bytes);
        close(t->rings[i].fd);
    }
    free(t->rings);
    free(t->order);
    zn_str_fini(&t->pending);
    free(t);
}

/* Copies a ring's bytes [at, at + n) out, over its end if need be. */
static void ring_copy(const struct ring *ring, uint64_t at, size_t n, struct zn_str *to)
{
    const uint8_t *data = (const uint8_t *)ring->meta + getpagesize();
    size_t pos = at & (ring->bytes - 1), first = ZN_MIN(n, ring->bytes - pos);
    zn_str_add(to, data + pos, first);
    zn_str_add(to, data, n - first);
}

static void drain(struct zn_track *t, struct ring *ring)
{
    uint64_t head = __atomic_load_n(&ring->meta->data_head, __ATOMIC_ACQUIRE);
    uint64_t tail = ring->meta->data_tail;
    if (t->pending.len + (head - tail) <= MAX_PENDING)
        ring_copy(ring, tail, (size_t)(head - tail), &t->pending);
    else
        t->lost++;
    __atomic_store_n(&ring->meta->data_tail, head, __ATOMIC_RELEASE);
}

static struct zn_proc *proc_of(struct zn_track *t, uint32_t tgid)
{
    struct zn_proc *p = zn_procs_find(t->procs, tgid);
    if (p)
        return p;
    p = zn_procs_get(t->procs, tgid);
    if (p) /* it ran before the tracker did and the snapshot ran out of time */
        (void)zn_proc_read(t->procs, p);
    return p;
}

static void on_mmap(struct zn_track *t, const struct mmap2_record *m, size_t len)
{
    static const char gone[] = " (deleted)";
    size_t room = len - sizeof(*m), n = strnlen(m->path, room);
    struct zn_proc *p = proc_of(t, m->pid);
    if (!p || n == room)
        return;
    struct zn_map map = {.lo = m->addr,
                         .hi = m->addr + m->len,
                         .off = m->pgoff,
                         .ino = m->ino,
                         .maj = m->maj,
                         .min = m->min,
                         .exec = m->prot & PROT_EXEC};
    char path[4200];
    if (n > sizeof(gone) - 1 && !memcmp(m->path + n - (sizeof(gone) - 1), gone, sizeof(gone) - 1)) {
        map.deleted = true;
        n -= sizeof(gone) - 1;
    }
    snprintf(path, sizeof(path), "%.*s", (int)n, strcmp(m->path, "//anon") ? m->path : "");
    if (path[0] != '/' && path[0] != '[')
        map.off = 0; /* the kernel counts anonymous pages by address */
    if (zn_maps_insert(&p->maps, &map, path))
        return;
    struct zn_map *in = zn_maps_find(&p->maps, m->addr);
    if (in && map.exec)
        zn_files_bind(t->files, m->pid, in);
}

static void on_fork(struct zn_track *t, const struct task_record *f)
{
    if (f->pid != f->tid || f->pid == f->ppid)
        return; /* a thread */
    struct zn_proc *parent = proc_of(t, f->ppid), *child = zn_procs_get(t->procs, f->pid);
    parent = zn_procs_find(t->procs, f->ppid); /* the child may have pushed it out */
    if (!child)
        return;
    zn_proc_clear(child);
    child->tracked = parent && !zn_maps_copy(&child->maps, &parent->maps);
}

static void apply(struct zn_track *t, const struct perf_event_header *h)
{
    size_t len = h->size - sizeof(struct tail);
    struct zn_proc *p;
    switch (h->type) {
    case PERF_RECORD_MMAP2: on_mmap(t, (const struct mmap2_record *)h, len); break;
    case PERF_RECORD_COMM:
        p = h->misc & PERF_RECORD_MISC_COMM_EXEC
                ? zn_procs_get(t->procs, ((const struct comm_record *)h)->pid)
                : NULL;
        if (p) {
            zn_proc_clear(p);
            p->tracked = true;
        }
        break;
    case PERF_RECORD_FORK: on_fork(t, (const struct task_record *)h); break;
    case PERF_RECORD_EXIT:
        p = zn_procs_find(t->procs, ((const struct task_record *)h)->pid);
        if (p && ((const struct task_record *)h)->pid == ((const struct task_record *)h)->tid)
            p->gone = true;
        break;
    case PERF_RECORD_LOST: t->lost += ((const struct lost_record *)h)->lost; break;
    default: break;
    }
}

/* The smallest size a record of this type can have, tail included; 0 for types of no interest. */
static size_t least_size(uint32_t type)
{
    switch (type) {
    case PERF_RECORD_MMAP2: return sizeof(struct mmap2_record) + sizeof(struct tail) + 8;
    case PERF_RECORD_COMM: return sizeof(struct comm_record) + sizeof(struct tail) + 8;
    case PERF_RECORD_FORK:
    case PERF_RECORD_EXIT: return sizeof(struct task_record) + sizeof(struct tail);
    case PERF_RECORD_LOST: return sizeof(struct lost_record) + sizeof(struct tail);
    default: return 0;
    }
}

static int cmp_entry(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return x->off < y->off ? -1 : x->off > y->off;
}

/* Lists the pending records by time. Returns how many, or -errno. */
static int sort_pending(struct zn_track *t)
{
    size_t n = 0;
    for (size_t off = 0; off + sizeof(struct perf_event_header) <= t->pending.len;) {
        struct perf_event_header h;
        memcpy(&h, t->pending.data + off, sizeof(h));
        if (h.size < sizeof(h) + sizeof(struct tail) || h.size > t->pending.len - off)
            break;
        if (n == t->order_cap) {
            size_t cap = n ? n * 2 : 1024;
            struct entry *order = realloc(t->order, cap * sizeof(*order));
            if (!order)
                return -ENOMEM;
            t->order = order;
            t->order_cap = cap;
        }
        struct tail tail;
        memcpy(&tail, t->pending.data + off + h.size - sizeof(tail), sizeof(tail));
        t->order[n++] = (struct entry){tail.time, off};
        off += h.size;
    }
    qsort(t->order, n, sizeof(*t->order), cmp_entry);
    return (int)n;
}

int zn_track_poll(struct zn_track *t)
{
    uint64_t until = now_ns();
    for (uint32_t i = 0; i < t->nrings; i++)
        drain(t, &t->rings[i]);
    int n = t->pending.failed ? -ENOMEM : sort_pending(t), done = 0;
    if (n < 0) {
        t->lost++;
        zn_str_fini(&t->pending);
        return n;
    }
    struct zn_str later;
    zn_str_init(&later);
    for (int i = 0; i < n; i++) {
        const struct perf_event_header *h = (void *)(t->pending.data + t->order[i].off);
        if (t->order[i].time > until) {
            zn_str_add(&later, h, h->size);
        } else {
            if (h->size >= least_size(h->type))
                apply(t, h);
            done++;
        }
    }
    zn_str_fini(&t->pending);
    t->pending = later;
    return done;
}

uint64_t zn_track_lost(const struct zn_track *t)
{
    return t->lost;
}
