/* SPDX-License-Identifier: Apache-2.0 */
/* Text to image: the compiler's front door. Pure: no system calls, no printing, no globals. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/feature.h"
#include "lang/ast.h"
#include "lang/image.h"
#include "lang/probe.h"

struct zn_arch;

struct zn_config {
    uint32_t max_strlen;     /* bytes, 1024 */
    uint32_t max_map_keys;   /* 4096 */
    uint32_t max_cat_bytes;  /* 10240 */
    uint32_t max_probes;     /* 1024 */
    uint32_t on_stack_limit; /* bytes, 32 */
    uint8_t stack_mode;      /* enum zn_stack_mode */
    uint8_t missing_probes;  /* 0 error, 1 warn, 2 ignore */
    bool print_maps_on_exit; /* true */
    bool cpp_demangle, lazy_symbolication;
    const char *str_trunc_trailer; /* ".." */
    uint32_t ring_pages;           /* 0 = automatic */
    const char *license;           /* "GPL" */
};
void zn_config_defaults(struct zn_config *c);
/* Sets one key (any case, with or without BPFTRACE_) and returns its number (bit of config_fixed).
 * -ENOENT unknown key (*nearest may be set), -EINVAL bad value. For config blocks and the environment. */
int zn_config_set(struct zn_config *c, struct zn_arena *arena, const char *key, const char *value,
                  const char **nearest, const char **why);

int zn_config_row(const char *key);

struct zn_env {
    const struct zn_arch *arch;
    const struct zn_btf *btf; /* or NULL */
    uint64_t features;        /* bit 1 << enum zn_feature */
    unsigned ncpu_possible;
    const struct zn_host *host;
    const char *const *argv; /* $1… */
    unsigned argc;
    uint32_t pid_filter; /* -p: tgid that all probes but BEGIN/END/interval see; 0 none */
    uint32_t cpid;       /* -c: the child's pid; 0 none */
    bool unsafe;
    struct zn_config config; /* environment already applied; the script's config block overrides
                                 * only keys that config_fixed does not hold */
    uint64_t config_fixed;
    uint64_t seed;    /* for nothing but reproducible tests; 0 */
    const char *dump; /* "ast", "ir", "bpf": what to write to dump_out, or NULL */
    struct zn_str *dump_out;
    int (*read_include)(void *arg, struct zn_arena *arena, const char *name, const char **text,
                        size_t *len);
    void *include_arg;
    const char *prelude; /* #include lines to be read first, or NULL */
    bool filtered;       /* the host leaves probes out on purpose: what has no target is dropped */
};

/* Compiles src. On success *ret lives in the arena. On a user error returns -EINVAL and d says why;
 * -ENOMEM when memory ran out. d may hold warnings on success. */
int zn_compile(struct zn_arena *arena, struct zn_source src, const struct zn_env *env,
               struct zn_diags *d, struct zn_image **ret, struct zn_config *ret_config);
