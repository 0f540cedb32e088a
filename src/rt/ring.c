/* SPDX-License-Identifier: Apache-2.0 */
/* The consumer half of the kernel's ring buffer protocol: a page with the consumer position, a page
 * with the producer position, and the data mapped twice so that no record is cut at the end. */
#include "rt/ring.h"

#include <errno.h>
#include <linux/bpf.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    HDR_BYTES = 8,         /* u32 length and flags, u32 page offset */
    RELEASE_BYTES = 32768, /* producers hear of our progress at least this often */
};

void zn_ring_init(struct zn_ring *r)
{
    *r = (struct zn_ring){.fd = -1};
}

int zn_ring_open(struct zn_ring *r, int fd, uint32_t size)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    void *cons = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (cons == MAP_FAILED)
        return -errno;
    size_t bytes = page + 2 * (size_t)size;
    void *prod = mmap(NULL, bytes, PROT_READ, MAP_SHARED, fd, (off_t)page);
    if (prod == MAP_FAILED) {
        int e = errno;
        munmap(cons, page);
        return -e;
    }
    r->fd = fd;
    r->cons_map = cons;
    r->prod_map = prod;
    r->prod_map_bytes = bytes;
    r->data = (const uint8_t *)prod + page;
    r->mask = (uint64_t)size - 1;
    r->pos = r->released = __atomic_load_n((uint64_t *)cons, __ATOMIC_ACQUIRE);
    return 0;
}

void zn_ring_close(struct zn_ring *r)
{
    if (r->cons_map)
        munmap(r->cons_map, (size_t)sysconf(_SC_PAGESIZE));
    if (r->prod_map)
        munmap(r->prod_map, r->prod_map_bytes);
    zn_ring_init(r);
}

uint64_t zn_ring_produced(const struct zn_ring *r)
{
    return __atomic_load_n((const uint64_t *)r->prod_map, __ATOMIC_ACQUIRE);
}

void zn_ring_release(struct zn_ring *r)
{
    if (r->released != r->pos) {
        __atomic_store_n((uint64_t *)r->cons_map, r->pos, __ATOMIC_RELEASE);
        r->released = r->pos;
    }
}

const void *zn_ring_peek(const struct zn_ring *r, uint64_t *pos, uint64_t limit, uint32_t *ret_len,
                         bool *ret_busy)
{
    while (*pos < limit) {
        const uint8_t *hdr = r->data + (*pos & r->mask);
        uint32_t len = __atomic_load_n((const uint32_t *)(const void *)hdr, __ATOMIC_ACQUIRE);
        if (len & BPF_RINGBUF_BUSY_BIT) {
            if (ret_busy)
                *ret_busy = true;
            return NULL;
        }
        uint32_t bytes = len & ~(uint32_t)(BPF_RINGBUF_BUSY_BIT | BPF_RINGBUF_DISCARD_BIT);
        *pos += ((uint64_t)bytes + HDR_BYTES + 7) & ~7ULL;
        if (!(len & BPF_RINGBUF_DISCARD_BIT)) {
            *ret_len = bytes;
            return hdr + HDR_BYTES;
        }
    }
    return NULL;
}

const void *zn_ring_next(struct zn_ring *r, uint64_t limit, uint32_t *ret_len, bool *ret_busy)
{
    if (r->pos - r->released >= RELEASE_BYTES)
        zn_ring_release(r);
    return zn_ring_peek(r, &r->pos, limit, ret_len, ret_busy);
}
