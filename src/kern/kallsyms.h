/* SPDX-License-Identifier: Apache-2.0 */
/* Names and addresses of the kernel, its modules and its BPF programs, out of /proc/kallsyms.
 *
 * One pass over the file costs some 40 ms of the kernel's time and happens only when something is
 * looked up by address; zn_kallsyms_find_quick answers one name with a pass that keeps nothing. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct zn_kallsyms;

struct zn_ksym {
    const char *name;   /* until the table is freed */
    const char *module; /* "" for the kernel itself, "bpf" for programs */
    uint64_t addr;
};

/* path NULL: /proc/kallsyms. -EPERM: addresses are hidden from this process (kptr_restrict). */
int zn_kallsyms_load(const char *path, struct zn_kallsyms **ret);
void zn_kallsyms_free(struct zn_kallsyms *k);
size_t zn_kallsyms_count(const struct zn_kallsyms *k);
/* The symbol that covers addr and how far into it; false when there is none near. */
bool zn_kallsyms_addr(const struct zn_kallsyms *k, uint64_t addr, struct zn_ksym *ret,
                      uint64_t *ret_off);
/* The address of a name; of several symbols of that name, the kernel's before a module's. */
bool zn_kallsyms_find(const struct zn_kallsyms *k, const char *name, uint64_t *ret);
/* By position, in order of addresses. */
void zn_kallsyms_at(const struct zn_kallsyms *k, size_t i, struct zn_ksym *ret);

/* Without a table. module NULL: any. -ENOENT; -EPERM as above. */
int zn_kallsyms_find_quick(const char *path, const char *name, const char *module, uint64_t *ret);
