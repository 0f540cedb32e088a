/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of programs and libraries: where in the file they begin. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct zn_elf;

struct zn_elf_sym {
    const char *name;  /* as the file has it, without @VERSION; lives as long as the zn_elf */
    uint64_t addr;     /* virtual address in the file */
    uint64_t size;     /* bytes, may be 0 */
    uint64_t file_off; /* where a probe goes */
    bool func;
};

/* -ENOEXEC when the file is no ELF object. */
int zn_elf_open(const char *path, struct zn_elf **ret);
void zn_elf_close(struct zn_elf *e);
/* Calls fn for each defined symbol of .symtab and .dynsym (one may come twice) until it returns
 * non-zero; returns that. */
int zn_elf_each(struct zn_elf *e, int (*fn)(void *arg, const struct zn_elf_sym *s), void *arg);
/* The file offset of an address by the program headers; -ENOENT when no segment holds it. */
int zn_elf_offset(const struct zn_elf *e, uint64_t addr, uint64_t *ret);
/* Do the bytes at that file offset begin with endbr64? */
bool zn_elf_is_endbr(const struct zn_elf *e, uint64_t file_off);
/* Address and size of a symbol (function or data) of a file; -ENOENT. */
int zn_elf_address(const char *path, const char *sym, uint64_t *ret, uint64_t *ret_size);
