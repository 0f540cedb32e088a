/* SPDX-License-Identifier: Apache-2.0 */
/* The machine's probes, as the compiler asks for them (struct zn_host) and as `-l` lists them. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lang/probe.h"

struct zn_arch;
struct zn_btf;

struct zn_probes_env {
    const struct zn_arch *arch; /* NULL: this machine's */
    const struct zn_btf *btf;   /* vmlinux, for existence and names; NULL: do without */
    uint64_t features;          /* bit 1 << enum zn_feature; what is missing is said clearly */
    uint32_t pid;               /* -p: whose mapped objects `uprobe:*:f` means; 0 none */
    const char *tracefs;        /* NULL: where it is mounted */
    uint32_t max_strlen; /* bytes that strings of tracepoint records are kept up to; 0: 1024 */
};

/* The host that probes/ implements; lives until zn_probes_host_free. Module BTF descriptors that
 * targets refer to are closed there, so free it after the programs are loaded. NULL: no memory.
 * `env` is copied; what it points to must outlive the host. */
struct zn_host *zn_probes_host(const struct zn_probes_env *env);
void zn_probes_host_free(struct zn_host *h);

/* Called once a line, without its newline. A non-zero result stops the listing and is returned. */
typedef int (*zn_list_fn)(void *arg, const char *line);

/* Every probe whose full name matches pattern ("tracepoint:syscalls:*", "*sleep*", NULL or "" for
 * all); the provider part may be a wildcard. verbose adds the arguments, one line each, indented by
 * four blanks. A pattern "struct NAME" (union, enum) lists kernel types instead, verbose with their
 * members. -ENOENT when nothing matches; *why is a sentence in the arena or NULL: the reason, or a
 * remark on what was listed. */
int zn_list_probes(struct zn_host *h, struct zn_types *types, const char *pattern, bool verbose,
                   zn_list_fn fn, void *arg, const char **why);
