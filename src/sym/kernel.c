/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel addresses, through the table that kern/kallsyms keeps.
 *
 * Modules and BPF programs come and go: an address that the table lacks makes it be read again, but
 * at most once a second, since a pass costs tens of milliseconds. */
#include "sym/kernel.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "kern/kallsyms.h"

enum { AGAIN_S = 1 };

struct zn_kernel_syms {
    struct zn_kallsyms *table;
    int error;      /* why there is no table */
    time_t read_at; /* CLOCK_MONOTONIC seconds */
};

static void read_table(struct zn_kernel_syms *k)
{
    struct timespec now;
    struct zn_kallsyms *table = NULL;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    if ((k->table || k->error) && now.tv_sec - k->read_at < AGAIN_S)
        return;
    k->read_at = now.tv_sec;
    k->error = zn_kallsyms_load(NULL, &table);
    if (k->error)
        return;
    zn_kallsyms_free(k->table);
    k->table = table;
}

struct zn_kernel_syms *zn_kernel_syms_new(void)
{
    return calloc(1, sizeof(struct zn_kernel_syms));
}

void zn_kernel_syms_free(struct zn_kernel_syms *k)
{
    if (!k)
        return;
    zn_kallsyms_free(k->table);
    free(k);
}

static bool find(const struct zn_kernel_syms *k, uint64_t addr, struct zn_sym_name *ret)
{
    struct zn_ksym sym;
    uint64_t off;
    if (!k->table || !zn_kallsyms_addr(k->table, addr, &sym, &off))
        return false;
    ret->name = sym.name;
    ret->off = off;
    ret->module = sym.module[0] ? sym.module : "vmlinux";
    return true;
}

int zn_kernel_syms_find(struct zn_kernel_syms *k, uint64_t addr, struct zn_sym_name *ret)
{
    if (find(k, addr, ret))
        return 0;
    read_table(k);
    if (find(k, addr, ret))
        return 0;
    return k->table ? -ENOENT : k->error;
}
