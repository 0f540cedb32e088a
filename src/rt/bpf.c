/* SPDX-License-Identifier: Apache-2.0 */
/* bpf(2) as functions. */
#include "rt/bpf.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int zn_bpf(int cmd, union bpf_attr *attr, size_t size)
{
    long r = syscall(__NR_bpf, cmd, attr, size);
    return r < 0 ? -errno : (int)r;
}

static int elem(int cmd, int fd, const void *key, const void *value, uint64_t flags)
{
    union bpf_attr a;
    memset(&a, 0, sizeof(a));
    a.map_fd = (uint32_t)fd;
    a.key = (uintptr_t)key;
    a.value = (uintptr_t)value;
    a.flags = flags;
    return zn_bpf(cmd, &a, sizeof(a));
}

int zn_bpf_lookup(int fd, const void *key, void *value)
{
    return elem(BPF_MAP_LOOKUP_ELEM, fd, key, value, 0);
}

int zn_bpf_update(int fd, const void *key, const void *value, uint64_t flags)
{
    return elem(BPF_MAP_UPDATE_ELEM, fd, key, value, flags);
}

int zn_bpf_delete(int fd, const void *key)
{
    return elem(BPF_MAP_DELETE_ELEM, fd, key, NULL, 0);
}

int zn_bpf_lookup_and_delete(int fd, const void *key, void *value)
{
    return elem(BPF_MAP_LOOKUP_AND_DELETE_ELEM, fd, key, value, 0);
}

int zn_bpf_next_key(int fd, const void *key, void *next)
{
    return elem(BPF_MAP_GET_NEXT_KEY, fd, key, next, 0);
}

int zn_bpf_batch(int cmd, int fd, void *token, int first, void *keys, void *values, uint32_t *n)
{
    union bpf_attr a;
    uint64_t out = 0;
    memset(&a, 0, sizeof(a));
    a.batch.in_batch = first ? 0 : (uintptr_t)token;
    a.batch.out_batch = (uintptr_t)&out;
    a.batch.keys = (uintptr_t)keys;
    a.batch.values = (uintptr_t)values;
    a.batch.count = *n;
    a.batch.map_fd = (uint32_t)fd;
    int r = zn_bpf(cmd, &a, sizeof(a));
    if (r == 0 || r == -ENOENT) {
        *n = a.batch.count;
        memcpy(token, &out, sizeof(out));
    }
    return r;
}

int zn_bpf_test_run(int prog_fd)
{
    /* The kernel wants as many bytes of context as the program reads, and at most 12 words. */
    uint64_t ctx[12] = {0};
    union bpf_attr a;
    memset(&a, 0, sizeof(a));
    a.test.prog_fd = (uint32_t)prog_fd;
    a.test.ctx_in = (uintptr_t)ctx;
    a.test.ctx_size_in = sizeof(ctx);
    return zn_bpf(BPF_PROG_TEST_RUN, &a, sizeof(a));
}
