/* SPDX-License-Identifier: Apache-2.0 */
/* The machine as the compiler wants to know it: types, features, probes; opened as far as needed. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kern/feature.h"
#include "lang/compile.h"

struct zn_kbtf;
struct zn_btf;

struct zn_machine {
    struct zn_kbtf *kbtf;
    struct zn_btf *btf; /* NULL: not opened, or the kernel has none */
    struct zn_features features;
    struct zn_host *host;
    uint32_t pid;
};

/* types: open the kernel's types (btf_path, or the kernel's own). no_feature: a list or NULL. pid: of
 * -p or -c, or 0. Only a bad btf_path or no_feature is an error: written to stderr, -errno. */
int zn_machine_open(struct zn_machine *m, bool types, const char *btf_path, const char *no_feature,
                    uint32_t pid);
void zn_machine_close(struct zn_machine *m);
/* Fills arch, btf, features, ncpu_possible and host. */
void zn_machine_env(struct zn_machine *m, struct zn_env *env);
/* Whether a script may need kernel types, by a look at its words: opening them costs a millisecond
 * that most one-liners can save. A wrong "no" shows as a compile error and is then tried again. */
bool zn_needs_types(const char *text, size_t len);
