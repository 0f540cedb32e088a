/* SPDX-License-Identifier: Apache-2.0 */
/* zhen: finds the verb. Called as `bpftrace` it is `zhen trace`. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "cli/cli.h"
#include "cli/cmd_check.h"

#ifndef ZHEN_VERSION
#define ZHEN_VERSION "0.1.0"
#endif

static int cmd_help(int argc, char **argv);
static int cmd_version(int argc, char **argv);

const struct zn_verb zn_verbs[] = {
    {"trace", "[-e PROG | FILE.bt] [ARGS]", "run a bpftrace script", zn_cmd_trace},
    {"list", "[PATTERN]", "list the probes that match", zn_cmd_list},
    {"check", "[FILE.bt …]", "check scripts; alone: what this machine can do", zn_cmd_check},
    {"help", "[VERB]", "this, or what a verb takes", cmd_help},
    {"version", "", "print the version", cmd_version},
};
const size_t zn_nverbs = ZN_ARRAY_SIZE(zn_verbs);

static const struct zn_verb *find_verb(const char *name)
{
    for (size_t i = 0; i < zn_nverbs; i++)
        if (!strcmp(zn_verbs[i].name, name))
            return &zn_verbs[i];
    return NULL;
}

static int cmd_version(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    puts("zhen " ZHEN_VERSION);
    return 0;
}

static int unknown_verb(const char *name)
{
    const char *names[ZN_ARRAY_SIZE(zn_verbs)];
    for (size_t i = 0; i < zn_nverbs; i++)
        names[i] = zn_verbs[i].name;
    const char *near = zn_nearest(name, names, zn_nverbs);
    fprintf(stderr, "zhen: unknown command '%s'", name);
    if (near)
        fprintf(stderr, "; did you mean '%s'?", near);
    fputs("\nTry 'zhen help'.\n", stderr);
    return 1;
}

static void usage(FILE *to)
{
    fputs("zhen " ZHEN_VERSION ": runs bpftrace scripts with a compiler of its own\n\nUsage:\n",
          to);
    for (size_t i = 0; i < zn_nverbs; i++) {
        char left[64];
        snprintf(left, sizeof(left), "%s %s", zn_verbs[i].name, zn_verbs[i].args);
        fprintf(to, "  zhen %-34s %s\n", left, zn_verbs[i].doc);
    }
    fputs("\nExamples:\n"
          "  zhen trace -e 'tracepoint:syscalls:sys_enter_openat { @[comm] = count(); }'\n"
          "  zhen trace script.bt 1234\n"
          "  zhen list 'tracepoint:sched:*'\n"
          "\nExit code: 0 fine, 1 usage, script or set-up error, N after exit(N) in a script.\n",
          to);
}

static int cmd_help(int argc, char **argv)
{
    if (argc < 2) {
        usage(stdout);
        return 0;
    }
    const struct zn_verb *v = find_verb(argv[1]);
    if (!v)
        return unknown_verb(argv[1]);
    if (v->run == zn_cmd_trace) {
        zn_help_trace("zhen trace");
        return 0;
    }
    printf("Usage: zhen %s %s\n\n%s\n", v->name, v->args, v->doc);
    return 0;
}

/* `zhen script.bt`: a path of a script stands for `trace` too. */
static bool is_script(const char *arg)
{
    size_t n = strlen(arg);
    return (n > 3 && !strcmp(arg + n - 3, ".bt")) || (strchr(arg, '/') && !access(arg, R_OK));
}

int main(int argc, char **argv)
{
    const char *base = argc ? strrchr(argv[0], '/') : NULL;
    base = base ? base + 1 : argc ? argv[0] : "zhen";
    if (!strcmp(base, "bpftrace"))
        return zn_cmd_trace(argc, argv);
    if (argc < 2) {
        usage(stderr);
        return 1;
    }
    const char *name = argv[1];
    if (!strcmp(name, "--help") || !strcmp(name, "-h"))
        name = "help";
    else if (!strcmp(name, "--version") || !strcmp(name, "-V"))
        name = "version";
    const struct zn_verb *v = find_verb(name);
    if (v)
        return v->run(argc - 1, argv + 1);
    if (is_script(name))
        return zn_cmd_trace(argc, argv);
    return unknown_verb(name);
}
