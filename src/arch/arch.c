/* SPDX-License-Identifier: Apache-2.0 */
/* Which processor this program was built for, and look-ups in a processor's call table. */
#include "arch/arch.h"

#include <stddef.h>
#include <string.h>

const struct zn_arch *zn_arch_native(void)
{
#if defined(__x86_64__)
    return &zn_arch_x86_64;
#elif defined(__aarch64__)
    return &zn_arch_arm64;
#else
#error "zhen knows x86_64 and arm64"
#endif
}

const struct zn_syscall *zn_syscall_by_entry(const struct zn_arch *a, const char *entry)
{
    for (unsigned i = 0; i < a->nsyscalls; i++) {
        const char *e = a->syscalls[i].entry;

        if (e && e[0] == entry[0] && strcmp(e, entry) == 0)
            return &a->syscalls[i];
    }
    return NULL;
}

const struct zn_syscall *zn_syscall_by_nr(const struct zn_arch *a, int nr)
{
    unsigned lo = 0, hi = a->nsyscalls;

    while (lo < hi) {
        unsigned mid = lo + (hi - lo) / 2;

        if (a->syscalls[mid].nr == nr)
            return &a->syscalls[mid];
        if (a->syscalls[mid].nr < nr)
            lo = mid + 1;
        else
            hi = mid;
    }
    return NULL;
}
