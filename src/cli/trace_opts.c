/* SPDX-License-Identifier: Apache-2.0 */
/* The option table of `zhen trace`. */
#include "cli/trace_opts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cli/cli.h"

#ifndef ZHEN_VERSION
#define ZHEN_VERSION "0.1.0"
#endif

enum { MOST_PID = 4 << 20 }; /* the kernel's own limit */
enum {
    OPT_UNSAFE = 256,
    OPT_DRY_RUN,
    OPT_NO_WARNINGS,
    OPT_NO_FEATURE,
    OPT_BTF,
    OPT_INCLUDE,
    OPT_FILTER,
    OPT_IGNORED,
};

static const struct zn_opt opts[] = {
    {NULL, 'e', true, "PROGRAM", "run this program text", 'e'},
    {"list", 'l', false, NULL, "list the probes that match the pattern that follows", 'l'},
    {"format", 'f', true, "text|json", "format of the output", 'f'},
    {"output", 'o', true, "FILE", "write the output to a file", 'o'},
    {"pid", 'p', true, "PID", "trace this process only, and end with it", 'p'},
    {"cmd", 'c', true, "COMMAND", "start a command, trace while it runs", 'c'},
    {"quiet", 'q', false, NULL, "no word but the script's own", 'q'},
    {"verbose", 'v', false, NULL, "more words; with -l: the arguments of probes", 'v'},
    {"buffering", 'B', true, "line|full|none", "when output is written", 'B'},
    {"debug", 'd', true, "ast|ir|bpf", "show a stage of the compile instead of running", 'd'},
    {"include-dir", 'I', true, "DIR", "where #include \"file\" looks too", 'I'},
    {"include", 0, true, "FILE", "read this file before the script", OPT_INCLUDE},
    {"probe-filter", 0, true, "REGEX", "attach only probes whose name it matches", OPT_FILTER},
    {"unsafe", 0, false, NULL, "allow system(), signal() and others that act", OPT_UNSAFE},
    {"dry-run", 0, false, NULL, "end after all is attached", OPT_DRY_RUN},
    {"no-warnings", 0, false, NULL, "no warnings", OPT_NO_WARNINGS},
    {NULL, 'k', false, NULL, "tell of failed reads of memory as well", 'k'},
    {"btf", 0, true, "FILE", "kernel types from this file", OPT_BTF},
    {"no-feature", 0, true, "NAME,…", "do without these kernel features", OPT_NO_FEATURE},
    {"version", 'V', false, NULL, "print the version", 'V'},
    {"help", 'h', false, NULL, "print this", 'h'},
    {"info", 0, false, NULL, "print what this kernel can do", 'i'},
    {"no-cpp-demangle", 0, false, NULL, NULL, OPT_IGNORED},
    {"usdt-file-activation", 0, false, NULL, NULL, OPT_IGNORED},
};

static void usage(FILE *to, const char *command)
{
    fprintf(to,
            "USAGE:\n"
            "    %s [OPTIONS] FILE [ARGS]\n"
            "    %s [OPTIONS] -e 'PROGRAM' [ARGS]\n"
            "    %s -l [PATTERN | FILE | -e 'PROGRAM']\n",
            command, command, command);
}

void zn_help_trace(const char *command)
{
    usage(stdout, command);
    printf(
        "\nFILE may be '-' for standard input. ARGS are the script's $1, $2 …; what begins with a "
        "dash\nstands behind `--`.\n\nOPTIONS:\n");
    zn_opt_help(opts, ZN_ARRAY_SIZE(opts));
}

struct parse {
    struct zn_trace_opts *o;
    const char *command;
    bool as_bpftrace; /* called by that name: scripts look at the version */
    int done;
};

static int bad(const char *option, const char *value, const char *want)
{
    fprintf(stderr, "ERROR: %s '%s': expected %s\n", option, value, want);
    return -EINVAL;
}

int zn_parse_pid(const char *v)
{
    char *end;
    errno = 0;
    long n = strtol(v, &end, 10);
    if (end == v)
        fprintf(stderr, "ERROR: Failed to parse pid: invalid integer: %s\n", v);
    else if (*end)
        fprintf(stderr, "ERROR: Failed to parse pid: invalid trailing bytes: %s\n", v);
    else if (errno || n < 1 || n > MOST_PID)
        fprintf(stderr, "ERROR: Pid out of range: %s\n", v);
    else
        return (int)n;
    return -EINVAL;
}

static int set_pid(struct zn_trace_opts *o, const char *v)
{
    int n = zn_parse_pid(v);
    o->pid = n > 0 ? n : 0;
    return n > 0 ? 0 : n;
}

static int set_buffering(struct zn_trace_opts *o, const char *v)
{
    if (!strcmp(v, "line"))
        o->buffering = ZN_OUT_LINE;
    else if (!strcmp(v, "full"))
        o->buffering = ZN_OUT_FULL;
    else if (!strcmp(v, "none"))
        o->buffering = ZN_OUT_NONE;
    else
        return bad("-B", v, "line, full or none");
    return 0;
}

/* Our stages, and bpftrace's names for what comes closest. */
static int set_dump(struct zn_trace_opts *o, const char *v)
{
    static const char *const names[][2] = {
        {"ast", "ast"},        {"parse", "ast"},  {"ir", "ir"},   {"codegen", "ir"},
        {"codegen-opt", "ir"}, {"types", "ast"},  {"bpf", "bpf"}, {"dis", "bpf"},
        {"verifier", "bpf"},   {"libbpf", "bpf"}, {"all", "all"},
    };
    for (size_t i = 0; i < ZN_ARRAY_SIZE(names); i++) {
        if (!strcmp(v, names[i][0])) {
            o->dump = names[i][1];
            return 0;
        }
    }
    return bad("-d", v, "ast, ir or bpf");
}

static int set_format(struct zn_trace_opts *o, const char *v)
{
    if (strcmp(v, "json") && strcmp(v, "text")) {
        fprintf(stderr, "ERROR: Invalid output format \"%s\"\nHINT: Valid formats: text, json\n",
                v);
        return -EINVAL;
    }
    o->json = !strcmp(v, "json");
    return 0;
}

static int set_flag(struct parse *p, int id)
{
    struct zn_trace_opts *o = p->o;
    switch (id) {
    case 'l': o->list = true; break;
    case 'q': o->quiet = true; break;
    case 'v': o->verbose = true; break;
    case 'k': o->helper_errors = true; break;
    case OPT_UNSAFE: o->unsafe = true; break;
    case OPT_DRY_RUN: o->dry_run = true; break;
    case OPT_NO_WARNINGS: o->no_warnings = true; break;
    case 'V':
        puts(p->as_bpftrace ? "bpftrace v0.26.0 (zhen " ZHEN_VERSION ")" : "zhen " ZHEN_VERSION);
        p->done = 0;
        break;
    case 'i': p->done = zn_info_to_stdout(); break;
    case 'h':
        zn_help_trace(p->command);
        p->done = 0;
        break;
    default: break;
    }
    return 0;
}

static int option(void *ctx, const struct zn_opt *opt, const char *v)
{
    struct parse *p = ctx;
    struct zn_trace_opts *o = p->o;
    switch (opt->id) {
    case 'e': o->program = v; return 0;
    case 'f': return set_format(o, v);
    case 'o': o->output = v; return 0;
    case 'p': return set_pid(o, v);
    case 'c': o->command = v; return 0;
    case 'B': return set_buffering(o, v);
    case 'd': return set_dump(o, v);
    case 'I':
        if (o->ndirs == ZN_MOST_INCLUDE_DIRS)
            return bad("-I", v, "no more directories");
        o->dirs[o->ndirs++] = v;
        return 0;
    case OPT_INCLUDE:
        if (o->nincludes == ZN_MOST_INCLUDES)
            return bad("--include", v, "no more files");
        o->includes[o->nincludes++] = v;
        return 0;
    case OPT_FILTER: o->probe_filter = v; return 0;
    case OPT_BTF: o->btf = v; return 0;
    case OPT_NO_FEATURE: o->no_feature = v; return 0;
    default: return set_flag(p, opt->id);
    }
}

static int exclusive(const char *a, const char *b)
{
    fprintf(stderr, "ERROR: %s and %s can't be used together\n", a, b);
    return -EINVAL;
}

static int check(struct zn_trace_opts *o, const char *command)
{
    if (o->pid && o->command)
        return exclusive("-p", "-c");
    if (o->helper_errors && o->no_warnings)
        return exclusive("-k", "--no-warnings");
    if (o->program || o->list)
        return 0;
    if (!o->args.n) {
        fprintf(stderr,
                "ERROR: no program: give a FILE, '-' for standard input, or -e 'PROGRAM'\n"
                "Try '%s --help'.\n",
                command);
        return -EINVAL;
    }
    o->file = o->args.v[0];
    o->args.n--;
    memmove(o->args.v, o->args.v + 1, sizeof(o->args.v[0]) * o->args.n);
    return 0;
}

int zn_trace_opts_parse(struct zn_trace_opts *o, int argc, char **argv, int *ret_done)
{
    *o = (struct zn_trace_opts){0};
    const char *base = argc ? strrchr(argv[0], '/') : NULL;
    base = base ? base + 1 : argc ? argv[0] : "";
    bool as_bpftrace = !strcmp(base, "bpftrace");
    const char *command = as_bpftrace ? "bpftrace" : "zhen trace";
    struct parse p = {.o = o, .command = command, .as_bpftrace = as_bpftrace, .done = -1};
    int r = zn_opt_parse(command, opts, ZN_ARRAY_SIZE(opts), argc, argv, option, &p, &o->args);
    if (!r && p.done >= 0) {
        *ret_done = p.done;
        return 0;
    }
    if (r)
        usage(stderr, command);
    return r ? r : check(o, command);
}

void zn_trace_opts_fini(struct zn_trace_opts *o)
{
    zn_args_fini(&o->args);
}
