/* SPDX-License-Identifier: Apache-2.0 */
/* ELF files behind mappings: found, opened, read lazily, shared and forgotten. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "sym/elf.h"
#include "sym/maps.h"

struct zn_files;

struct zn_file {
    struct zn_file *next; /* the cache's list, last used first */
    struct zn_files
        *owner;        /* NULL once forgotten; then elf is gone, and the last mapping frees it */
    uint32_t refs;     /* of mappings */
    uint32_t maj, min; /* as /proc/PID/maps and perf count devices */
    uint64_t ino;
    int64_t mtime_ns, size;
    int fd; /* held until the symbols are read, then -1 */
    bool loaded;
    struct zn_elf *elf;
};

struct zn_files *zn_files_new(uint32_t max_files, uint64_t max_bytes);
void zn_files_free(struct zn_files *f);

void zn_file_ref(struct zn_file *file); /* NULL: no-op */
void zn_file_unref(struct zn_file *file);

/* Binds the mapping to its file: map->file, or NULL for good when it can't be had. tgid 0: the process
 * is gone. */
void zn_files_bind(struct zn_files *f, uint32_t tgid, struct zn_map *map);
/* The table of the mapping's file with its symbols, NULL without a file. Bind first. */
const struct zn_elf *zn_files_symbols(struct zn_files *f, uint32_t tgid, const struct zn_map *map);
/* The vDSO's table: every 64-bit process maps the image that this one has too. NULL when there is
 * none or its size is not `size`. */
const struct zn_elf *zn_files_vdso(struct zn_files *f, uint64_t size);
