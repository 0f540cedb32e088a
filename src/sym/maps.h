/* SPDX-License-Identifier: Apache-2.0 */
/* The mappings of one process, sorted by address; what comes later covers what was there. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct zn_file;

/* A path shared by the mappings of one file. */
struct zn_map_path {
    uint32_t refs;
    char s[];
};

struct zn_map {
    uint64_t lo, hi, off; /* [lo, hi); off = offset in the file of lo */
    uint64_t ino;
    uint32_t maj, min;
    bool exec;
    bool deleted;             /* the path had " (deleted)" behind it */
    bool asked;               /* file is settled, even if NULL */
    uint64_t base;            /* lo before anything was cut off (names the mapping in map_files) */
    uint64_t end;             /* hi before anything was cut off */
    struct zn_map_path *path; /* never NULL; "" for anonymous memory */
    struct zn_file *file;     /* referenced; bound on first use (files.h) */
};

struct zn_maps {
    struct zn_map *v;
    uint32_t n, cap;
};

enum { ZN_MAPS_MAX = 65536 }; /* the kernel's own default limit */

void zn_maps_fini(struct zn_maps *m);
/* Parses the text of /proc/PID/maps (which is cut up) into an empty m. 0 or -errno. */
int zn_maps_parse(struct zn_maps *m, char *text);
/* Puts one mapping in, cutting or removing what it covers. `path` is copied. */
int zn_maps_insert(struct zn_maps *m, const struct zn_map *map, const char *path);
/* Keeps those executable file mappings of old that m has nothing in the place of: code that was
 * unloaded, but whose addresses may have been recorded before. */
int zn_maps_keep_ghosts(struct zn_maps *m, const struct zn_maps *old);
int zn_maps_copy(struct zn_maps *to, const struct zn_maps *from);
struct zn_map *zn_maps_find(const struct zn_maps *m, uint64_t addr);
