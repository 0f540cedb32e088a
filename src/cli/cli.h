/* SPDX-License-Identifier: Apache-2.0 */
/* The verbs of the command line, and what they share. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lang/diag.h"

struct zn_arena;
struct zn_include_dirs;

struct zn_verb {
    const char *name;
    const char *args; /* for help */
    const char *doc;
    int (*run)(int argc, char **argv); /* argv[0] is the verb; returns the exit code */
};
extern const struct zn_verb zn_verbs[];
extern const size_t zn_nverbs;

int zn_cmd_trace(int argc, char **argv);
int zn_cmd_list(int argc, char **argv);
void zn_help_trace(const char *command);
/* info.c: the kernel's features under bpftrace's names. Returns an exit code. */
int zn_info_to_stdout(void);

/* What is to be listed. */
struct zn_list_request {
    const char *pattern;            /* several with commas between; NULL: all */
    const struct zn_source *script; /* or the attach points of this script, */
    const char *const *argv;        /* with these as $1 … */
    unsigned argc;
    struct zn_include_dirs *include;
    const char *prelude;
    bool verbose;
    const char *btf; /* kernel types from this file, or NULL */
    uint32_t pid;    /* the files of this process too; 0: none */
};
/* Returns an exit code: 0 when at least one pattern matched. */
int zn_list_to_stdout(const struct zn_list_request *q);

/* The number of a process, or -EINVAL after telling stderr what is wrong. */
int zn_parse_pid(const char *text);

/* Whether what goes to stderr may be coloured (BPFTRACE_COLOR, NO_COLOR, a terminal). */
bool zn_color_stderr(void);
/* All diagnostics to stderr; warnings only if `warnings`. */
void zn_show_diags(const struct zn_diags *d, bool warnings);

/* script.c: a script's text. path "-": standard input. Errors are written to stderr. 0 or -errno. */
int zn_script_read(struct zn_arena *arena, const char *path, struct zn_source *ret);

/* #include lines for files of --include, in the arena; NULL when there are none. */
const char *zn_script_prelude(struct zn_arena *arena, const char *const *files, unsigned n);

/* Where #include "name" looks: beside the script, then in -I directories. */
struct zn_include_dirs {
    const char *script; /* path of the script, NULL for -e and stdin */
    const char *const *dirs;
    unsigned ndirs;
};
int zn_script_include(void *dirs, struct zn_arena *arena, const char *name, const char **text,
                      size_t *len);
