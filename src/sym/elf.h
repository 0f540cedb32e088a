/* SPDX-License-Identifier: Apache-2.0 */
/* The symbols of one ELF file as a sorted table, and where its segments lie. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

enum { ZN_BUILD_ID_MAX = 32 };
#define ZN_ELF_NO_SYM UINT32_MAX

struct zn_elf_sym {
    uint64_t addr;
    uint32_t size; /* never 0 after zn_elf_finish */
    uint32_t name; /* offset in names */
    uint32_t up;   /* index of the nearest symbol that encloses the start of this one, or NO_SYM */
    uint32_t rank; /* which of two symbols at one address is shown: the higher */
};

struct zn_elf_seg {
    uint64_t vaddr, off, filesz;
    bool exec;
};

struct zn_elf_sec {
    uint64_t lo, hi; /* addresses of an executable section */
};

struct zn_elf {
    struct zn_elf_seg *segs;
    struct zn_elf_sec *secs;
    struct zn_elf_sym *syms;
    uint32_t nsegs, nsecs, nsyms, cap;
    struct zn_str names; /* the string tables, one after the other */
    uint8_t build_id[ZN_BUILD_ID_MAX];
    uint32_t build_id_len;
    uint16_t machine;
    bool is64;
    bool symtab; /* has a .symtab of its own: no need to look for a debug file */
    char *debuglink;
};

/* Where the bytes are: a file descriptor, or an image in memory (the vDSO). */
struct zn_elf_src {
    int fd;
    const void *image;
    size_t size;
};

/* Reads headers, segments, executable sections, build id and debug link, no symbols. Returns 0 or
 * -errno (-ENOEXEC: not an ELF file). */
int zn_elf_open(const struct zn_elf_src *src, struct zn_elf **ret);
void zn_elf_close(struct zn_elf *e);
/* Adds the symbols of src (the file itself, or its debug file). Tables past max_bytes are left out. */
int zn_elf_load(struct zn_elf *e, const struct zn_elf_src *src, uint64_t max_bytes);
/* Adds "name@plt" for the stubs through which the file calls other files (plt.c). */
void zn_elf_load_plt(struct zn_elf *e, const struct zn_elf_src *src);
/* Adds one symbol (for loaders). Returns false when memory is short. */
bool zn_elf_add(struct zn_elf *e, uint64_t addr, uint64_t size, uint32_t name, uint32_t rank);
/* Sorts; settles doubles, open ends and nesting. Lookups need it. */
void zn_elf_finish(struct zn_elf *e);
/* The symbol that holds this address (as the file counts addresses), or NULL. */
const struct zn_elf_sym *zn_elf_find(const struct zn_elf *e, uint64_t vaddr);
const char *zn_elf_name(const struct zn_elf *e, const struct zn_elf_sym *sym);
/* Offset in the file → address in its tables. False when no segment holds it. */
bool zn_elf_vaddr(const struct zn_elf *e, uint64_t off, uint64_t *ret);
uint64_t zn_elf_bytes(const struct zn_elf *e); /* memory in use */
