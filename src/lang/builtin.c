/* SPDX-License-Identifier: Apache-2.0 */
/* The list of builtin tables. */
#include "lang/builtin.h"

#include <string.h>

#include "base/mem.h"
#include "lang/builtin_tables.h"

static const struct zn_builtin *const tables[] = {zn_builtins_ctx, zn_builtins_agg,
                                                  zn_builtins_str, zn_builtins_print,
                                                  zn_builtins_map, zn_builtins_sym};

/* arg0 … arg255 are one row. */
static bool is_arg(const char *name)
{
    size_t digits = strncmp(name, "arg", 3) == 0 ? strspn(name + 3, "0123456789") : 0;

    return digits >= 1 && digits <= 3 && !name[3 + digits] && (digits == 1 || name[3] != '0');
}

const struct zn_builtin *zn_builtin_find(const char *name)
{
    if (is_arg(name))
        name = "arg0";
    for (unsigned t = 0; t < ZN_ARRAY_SIZE(tables); t++)
        for (const struct zn_builtin *b = tables[t]; b->name; b++)
            if (strcmp(b->name, name) == 0)
                return b;
    return NULL;
}

const struct zn_builtin *zn_builtin_at(unsigned i)
{
    for (unsigned t = 0; t < ZN_ARRAY_SIZE(tables); t++)
        for (const struct zn_builtin *b = tables[t]; b->name; b++)
            if (!i--)
                return b;
    return NULL;
}
