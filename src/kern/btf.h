/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel's type information as bytes: where it is found and how it gets into memory. Reading it is
 * lang/btf.h's matter. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One BTF blob; `data` is 8-aligned and lives until zn_kbtf_close. */
struct zn_kbtf {
    const void *data;
    size_t len;
    char *source; /* "/sys/kernel/btf/vmlinux", or the file given */
    bool mapped;  /* shared with the kernel's page cache: costs no memory of ours */
    void *owned;  /* what to free or unmap */
    size_t owned_len;
};

/* path NULL: the running kernel's. Else a file of raw BTF, or an ELF file with a .BTF section.
 * -ENOENT: the kernel has none. -EINVAL: the file holds no BTF. */
int zn_kbtf_open(const char *path, struct zn_kbtf **ret);
/* A loaded module's, split on vmlinux's; -ENOENT when it has none. */
int zn_kbtf_open_module(const char *module, struct zn_kbtf **ret);
void zn_kbtf_close(struct zn_kbtf *k);
/* Some type, function or constant is called so. */
bool zn_kbtf_has_name(const struct zn_kbtf *k, const char *name);
/* Calls fn for the name of each module that has BTF until it returns non-zero; returns that. */
int zn_kbtf_modules(int (*fn)(void *arg, const char *module), void *arg);
/* A descriptor of the kernel's BTF object of that module, as program loading wants it
 * (attach_btf_obj_fd); the caller closes it. Returns it or -errno. */
int zn_kbtf_module_fd(const char *module);
