/* SPDX-License-Identifier: Apache-2.0 */
/* Configuration keys of scripts and of the environment: one row each. */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/arena.h"
#include "base/mem.h"
#include "lang/compile.h"

enum kind { K_U32, K_BOOL, K_CHOICE, K_STR, K_IGNORED };

struct row {
    const char *name;
    enum kind kind;
    size_t off;
    int64_t min, max;
    const char *const *choices;
};

static const char *const stack_modes[] = {"bpftrace", "perf", "raw", "build_id", NULL};
static const char *const missing[] = {"error", "warn", "ignore", NULL};

#define AT(f) offsetof(struct zn_config, f)
static const struct row rows[] = {
    {"max_strlen", K_U32, AT(max_strlen), 1, 16384, NULL},
    {"max_map_keys", K_U32, AT(max_map_keys), 1, 1 << 24, NULL},
    {"max_cat_bytes", K_U32, AT(max_cat_bytes), 1, 1 << 30, NULL},
    {"max_probes", K_U32, AT(max_probes), 1, 1 << 20, NULL},
    {"on_stack_limit", K_U32, AT(on_stack_limit), 0, 512, NULL},
    {"perf_rb_pages", K_U32, AT(ring_pages), 1, 1 << 18, NULL},
    {"stack_mode", K_CHOICE, AT(stack_mode), 0, 0, stack_modes},
    {"missing_probes", K_CHOICE, AT(missing_probes), 0, 0, missing},
    {"print_maps_on_exit", K_BOOL, AT(print_maps_on_exit), 0, 0, NULL},
    {"cpp_demangle", K_BOOL, AT(cpp_demangle), 0, 0, NULL},
    {"lazy_symbolication", K_BOOL, AT(lazy_symbolication), 0, 0, NULL},
    {"str_trunc_trailer", K_STR, AT(str_trunc_trailer), 0, 0, NULL},
    {"license", K_STR, AT(license), 0, 0, NULL},
    {"cache_user_symbols", K_IGNORED, 0, 0, 0, NULL},
    {"log_size", K_IGNORED, 0, 0, 0, NULL},
    {"max_bpf_progs", K_IGNORED, 0, 0, 0, NULL},
    {"show_debug_info", K_IGNORED, 0, 0, 0, NULL},
    {"use_blazesym", K_IGNORED, 0, 0, 0, NULL},
    {"unstable_import_statement", K_IGNORED, 0, 0, 0, NULL},
    {"unstable_import", K_IGNORED, 0, 0, 0, NULL},
    {"unstable_macro", K_IGNORED, 0, 0, 0, NULL},
    {"unstable_map_decl", K_IGNORED, 0, 0, 0, NULL},
    {"unstable_tseries", K_IGNORED, 0, 0, 0, NULL},
    {"unstable_typeinfo", K_IGNORED, 0, 0, 0, NULL},
    {"unstable_dw_ustack", K_IGNORED, 0, 0, 0, NULL},
};

static const char *const renamed[][2] = {{"strlen", "max_strlen"},
                                         {"map_keys_max", "max_map_keys"},
                                         {"cat_bytes_max", "max_cat_bytes"},
                                         {"no_cpp_demangle", "cpp_demangle"}};

void zn_config_defaults(struct zn_config *c)
{
    *c = (struct zn_config){
        .max_strlen = 1024,
        .max_cat_bytes = 10240,
        .max_probes = 1024,
        .on_stack_limit = 32,
        .print_maps_on_exit = true,
        .cpp_demangle = true,
        .str_trunc_trailer = "..",
        .license = "GPL",
    };
}

static const struct row *find(const char *key)
{
    if (strncasecmp(key, "BPFTRACE_", 9) == 0)
        key += 9;
    for (unsigned i = 0; i < ZN_ARRAY_SIZE(rows); i++)
        if (strcasecmp(rows[i].name, key) == 0)
            return &rows[i];
    return NULL;
}

/* Where the key's row stands; -1 unknown. */
int zn_config_row(const char *key)
{
    const struct row *r = find(key);
    return r ? (int)(r - rows) : -1;
}

static int set_bool(bool *dst, const char *v, const char **why)
{
    if (strcmp(v, "1") == 0 || strcasecmp(v, "true") == 0)
        *dst = true;
    else if (strcmp(v, "0") == 0 || strcasecmp(v, "false") == 0)
        *dst = false;
    else {
        *why = "expected true or false";
        return -EINVAL;
    }
    return 0;
}

int zn_config_set(struct zn_config *c, struct zn_arena *arena, const char *key, const char *value,
                  const char **nearest, const char **why)
{
    const struct row *r = find(key);
    if (!r) {
        const char *names[ZN_ARRAY_SIZE(rows)];
        for (unsigned i = 0; i < ZN_ARRAY_SIZE(rows); i++)
            names[i] = rows[i].name;
        *nearest = zn_nearest(key, names, ZN_ARRAY_SIZE(rows));
        for (unsigned i = 0; i < ZN_ARRAY_SIZE(renamed); i++)
            if (strcasecmp(renamed[i][0], key) == 0)
                *nearest = renamed[i][1];
        return -ENOENT;
    }
    char *at = (char *)c + r->off;
    int number = (int)(r - rows);
    switch (r->kind) {
    case K_U32: {
        char *end;
        long long v = strtoll(value, &end, 0);
        if (!*value || *end || v < r->min || v > r->max) {
            *why = zn_arena_printf(arena, "expected a number from %lld to %lld", (long long)r->min,
                                   (long long)r->max);
            return -EINVAL;
        }
        *(uint32_t *)(void *)at = (uint32_t)v;
        return number;
    }
    case K_BOOL: {
        int err = set_bool((bool *)(void *)at, value, why);
        return err ? err : number;
    }
    case K_CHOICE:
        for (uint8_t i = 0; r->choices[i]; i++)
            if (strcasecmp(r->choices[i], value) == 0) {
                *(uint8_t *)at = i;
                return number;
            }
        *why = zn_arena_printf(arena, "expected one of %s, %s, %s…", r->choices[0], r->choices[1],
                               r->choices[2]);
        return -EINVAL;
    case K_STR: *(const char **)(void *)at = zn_arena_strdup(arena, value); return number;
    default: return number;
    }
}
