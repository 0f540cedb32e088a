/* SPDX-License-Identifier: Apache-2.0 */
/* A probe kind: how attach points become targets, what their arguments are, how they are listed.
 *
 * One file per family of kinds gives its functions; the one table of them is in host.c. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/mem.h"
#include "kern/tracefs.h"
#include "lang/probe.h"
#include "probes/probes.h"

struct zn_funcs;
struct zn_modbtf;

/* What the host knows; caches are filled on first use. */
struct zn_probes {
    struct zn_host host; /* first: the compiler's handle is this object */
    struct zn_probes_env env;
    const char *tracefs; /* NULL: not mounted */
    char tracefs_path[ZN_TRACEFS_PATH];
    struct zn_funcs *funcs;   /* functions.c */
    struct zn_modbtf *modbtf; /* btf_func.c: list of opened module types */
};

/* One expansion under way. */
struct zn_expand {
    struct zn_probes *p;
    struct zn_types *types;
    struct zn_arena *arena;
    const struct zn_attach_spec *spec;
    struct zn_target_list *out;
    const char *why, *hint, *note;
};

/* One listing under way. */
struct zn_list {
    struct zn_probes *p;
    struct zn_types *types;
    const struct zn_provider_info *provider;
    const char *pattern; /* over the full name, never NULL */
    bool verbose;
    bool named; /* the pattern names this provider and is no wildcard over providers */
    zn_list_fn fn;
    void *arg;
    unsigned count;
    const char *why; /* of nothing listed, or a remark on what was */
};

struct zn_kind {
    int (*expand)(struct zn_expand *x);
    /* NULL: targets of this kind have no named arguments. */
    int (*args)(struct zn_probes *p, struct zn_types *types, struct zn_target *t, const char **why);
    /* Emits every name of the kind through zn_list_emit; NULL: not listed. */
    int (*list)(struct zn_list *l);
    bool list_named; /* listed only when the pattern names the kind: the same places as another's */
    /* Prints the arguments of one target, a line each; NULL: there are none. */
    int (*list_args)(struct zn_list *l, const char *name);
};
extern const struct zn_kind zn_kinds[_ZN_PROVIDER_MAX];

/* A new target of the attach point's provider, zeroed, nr = -1. */
struct zn_target *zn_push(struct zn_expand *x);
/* Sets *why (once) and returns err. */
int zn_fail(struct zn_expand *x, int err, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* "did you mean X?" if a candidate is near. */
void zn_suggest(struct zn_expand *x, const char *name, const char *const *candidates, size_t n);

/* `*` matches any run of characters; there are no other special characters. */
bool zn_glob(const char *pattern, const char *s);
bool zn_is_glob(const char *s);
/* A growing list of malloc'ed names. */
struct zn_names {
    char **v;
    size_t n, cap;
};
int zn_names_add(struct zn_names *l, const char *s);
void zn_names_fini(struct zn_names *l);
void zn_names_sort(struct zn_names *l); /* and drops duplicates */

/* One name of the kind; its arguments after it when asked for. */
int zn_list_emit(struct zn_list *l, const char *name);
int zn_list_line(struct zn_list *l, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* list_type.c: "struct task_struct", "union sig*", "enum pid_type" */
bool zn_is_type_pattern(const char *pattern);
int zn_list_types(struct zn_list *l, const char *pattern, const char **why);
/* special.c */
int zn_expand_special(struct zn_expand *x);
int zn_expand_period(struct zn_expand *x);
int zn_expand_self(struct zn_expand *x);
int zn_expand_later(struct zn_expand *x);
int zn_list_period(struct zn_list *l);
int zn_list_special(struct zn_list *l);
/* perf_event.c */
int zn_expand_software(struct zn_expand *x);
int zn_expand_hardware(struct zn_expand *x);
int zn_list_software(struct zn_list *l);
int zn_list_hardware(struct zn_list *l);
/* tracepoint.c, tp_format.c */
int zn_expand_tracepoint(struct zn_expand *x);
int zn_args_tracepoint(struct zn_probes *p, struct zn_types *types, struct zn_target *t,
                       const char **why);
int zn_list_tracepoint(struct zn_list *l);
int zn_list_args_tracepoint(struct zn_list *l, const char *name);
/* rawtracepoint.c */
int zn_expand_rawtracepoint(struct zn_expand *x);
int zn_args_rawtracepoint(struct zn_probes *p, struct zn_types *types, struct zn_target *t,
                          const char **why);
int zn_list_rawtracepoint(struct zn_list *l);
int zn_list_args_rawtracepoint(struct zn_list *l, const char *name);
/* kprobe.c */
int zn_expand_kprobe(struct zn_expand *x);
int zn_args_kprobe(struct zn_probes *p, struct zn_types *types, struct zn_target *t,
                   const char **why);
int zn_list_kprobe(struct zn_list *l);
int zn_list_args_func(struct zn_list *l, const char *name);
/* fentry.c */
int zn_expand_fentry(struct zn_expand *x);
int zn_args_fentry(struct zn_probes *p, struct zn_types *types, struct zn_target *t,
                   const char **why);
int zn_list_fentry(struct zn_list *l);
/* uprobe.c */
int zn_expand_uprobe(struct zn_expand *x);
int zn_list_uprobe(struct zn_list *l);
/* usdt.c */
int zn_expand_usdt(struct zn_expand *x);
int zn_list_usdt(struct zn_list *l);
/* watchpoint.c */
int zn_expand_watchpoint(struct zn_expand *x);
