/* SPDX-License-Identifier: Apache-2.0 */
/* bpf(2) without a library: the few commands that running a script takes. All return 0 (or a new
 * descriptor) or -errno. */
#pragma once

#include <linux/bpf.h>
#include <stddef.h>
#include <stdint.h>

int zn_bpf(int cmd, union bpf_attr *attr, size_t size);
int zn_bpf_lookup(int fd, const void *key, void *value);
int zn_bpf_update(int fd, const void *key, const void *value, uint64_t flags);
int zn_bpf_delete(int fd, const void *key);
int zn_bpf_lookup_and_delete(int fd, const void *key, void *value);
/* key NULL: the first one. -ENOENT behind the last. */
int zn_bpf_next_key(int fd, const void *key, void *next);
/* One batch of up to *n elements; cmd is BPF_MAP_LOOKUP_BATCH or BPF_MAP_LOOKUP_AND_DELETE_BATCH.
 * *token is 8 bytes of the kernel's; `first` says that there is none yet. On 0 and on -ENOENT (the
 * end was reached) *n elements have been read. */
int zn_bpf_batch(int cmd, int fd, void *token, int first, void *keys, void *values, uint32_t *n);
/* Runs a raw tracepoint or syscall program once. */
int zn_bpf_test_run(int prog_fd);
