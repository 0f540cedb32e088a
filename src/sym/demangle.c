/* SPDX-License-Identifier: Apache-2.0 */
/* Demangling through libiberty, the only place that includes its header (it leaks common names). */
#include "sym/demangle.h"

#include <libiberty/demangle.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* Names that this room makes itself carry a suffix the demangler would not know. */
static const char plt_suffix[] = "@plt";

void zn_demangle(struct zn_str *out, const char *name)
{
    if (name[0] != '_' || (name[1] != 'Z' && name[1] != 'R')) {
        zn_str_puts(out, name);
        return;
    }
    ZN_AUTOFREE char *bare = NULL;
    size_t n = strlen(name), tail = sizeof(plt_suffix) - 1;
    bool plt = n > tail && !strcmp(name + n - tail, plt_suffix);
    if (plt)
        bare = strndup(name, n - tail);
    ZN_AUTOFREE char *plain =
        cplus_demangle(bare ? bare : name, DMGL_AUTO | DMGL_PARAMS | DMGL_ANSI);
    zn_str_puts(out, plain ? plain : name);
    if (plain && plt)
        zn_str_puts(out, plt_suffix);
}
