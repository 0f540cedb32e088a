/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of programs and libraries: where in the file they begin. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct zn_esym_file;

struct zn_esym {
    const char *name;  /* as the file has it, without @VERSION; lives as long as the file */
    uint64_t addr;     /* virtual address in the file */
    uint64_t size;     /* bytes, may be 0 */
    uint64_t file_off; /* where a probe goes */
    bool func;
};

/* -ENOEXEC when the file is no ELF object. */
int zn_esym_open(const char *path, struct zn_esym_file **ret);
void zn_esym_close(struct zn_esym_file *e);
/* Calls fn for each defined symbol of .symtab and .dynsym (one may come twice) until it returns
 * non-zero; returns that. */
int zn_esym_each(struct zn_esym_file *e, int (*fn)(void *arg, const struct zn_esym *s), void *arg);
/* The file offset of an address by the program headers; -ENOENT when no segment holds it. */
int zn_esym_offset(const struct zn_esym_file *e, uint64_t addr, uint64_t *ret);
/* The bytes of a section (they live as long as the file) and its address. -ENOENT; -ENODATA: it has
 * no bytes in the file. */
int zn_esym_section(struct zn_esym_file *e, const char *name, const void **ret, size_t *ret_len,
                    uint64_t *ret_addr);
/* Bytes of an address in that file: 4 or 8. */
unsigned zn_esym_word(const struct zn_esym_file *e);
/* Has the file no .symtab, so that only exported functions have names? */
bool zn_esym_stripped(struct zn_esym_file *f);
/* Do the bytes at that file offset begin with endbr64? */
bool zn_esym_is_endbr(const struct zn_esym_file *e, uint64_t file_off);
/* Address and size of a symbol (function or data) of a file; -ENOENT. */
int zn_esym_address(const char *path, const char *sym, uint64_t *ret, uint64_t *ret_size);
