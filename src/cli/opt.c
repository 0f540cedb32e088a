/* SPDX-License-Identifier: Apache-2.0 */
/* Parses command lines by a table of options. */
#include "cli/opt.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "lang/diag.h"

struct parser {
    const char *command;
    const struct zn_opt *opts;
    size_t nopts;
    int argc, at;
    char **argv;
    int (*fn)(void *ctx, const struct zn_opt *opt, const char *value);
    void *ctx;
};

static const struct zn_opt *by_name(const struct parser *p, const char *name, size_t len)
{
    for (size_t i = 0; i < p->nopts; i++) {
        const char *n = p->opts[i].name;
        if (n && strlen(n) == len && !memcmp(n, name, len))
            return &p->opts[i];
    }
    return NULL;
}

static const struct zn_opt *by_letter(const struct parser *p, char c)
{
    for (size_t i = 0; i < p->nopts; i++)
        if (p->opts[i].letter == c)
            return &p->opts[i];
    return NULL;
}

static int unknown_long(const struct parser *p, const char *name, size_t len)
{
    char copy[64];
    const char *names[128];
    size_t n = 0;
    snprintf(copy, sizeof(copy), "%.*s", (int)ZN_MIN(len, sizeof(copy) - 1), name);
    for (size_t i = 0; i < p->nopts && n < ZN_ARRAY_SIZE(names); i++)
        if (p->opts[i].name)
            names[n++] = p->opts[i].name;
    const char *near = zn_nearest(copy, names, n);
    fprintf(stderr, "%s: unknown option '--%s'", p->command, copy);
    if (near)
        fprintf(stderr, "; did you mean '--%s'?", near);
    fputc('\n', stderr);
    return -EINVAL;
}

static int no_value(const struct parser *p, const char *shown, const struct zn_opt *o)
{
    fprintf(stderr, "%s: option '%s' needs a value: %s\n", p->command, shown,
            o->meta ? o->meta : "VALUE");
    return -EINVAL;
}

/* arg is behind the dashes. */
static int parse_long(struct parser *p, const char *arg)
{
    const char *eq = strchr(arg, '=');
    size_t len = eq ? (size_t)(eq - arg) : strlen(arg);
    const struct zn_opt *o = by_name(p, arg, len);
    if (!o)
        return unknown_long(p, arg, len);
    if (!o->has_arg && eq) {
        fprintf(stderr, "%s: option '--%s' takes no value\n", p->command, o->name);
        return -EINVAL;
    }
    if (!o->has_arg)
        return p->fn(p->ctx, o, NULL);
    if (!eq && p->at + 1 >= p->argc)
        return no_value(p, p->argv[p->at], o);
    return p->fn(p->ctx, o, eq ? eq + 1 : p->argv[++p->at]);
}

/* "-qv", "-ofile", "-o file" */
static int parse_short(struct parser *p, const char *arg)
{
    for (const char *c = arg; *c; c++) {
        const struct zn_opt *o = by_letter(p, *c);
        char shown[3] = {'-', *c, '\0'};
        if (!o) {
            fprintf(stderr, "%s: unknown option '%s'\n", p->command, shown);
            return -EINVAL;
        }
        if (!o->has_arg) {
            int r = p->fn(p->ctx, o, NULL);
            if (r)
                return r;
            continue;
        }
        if (c[1])
            return p->fn(p->ctx, o, c + 1);
        if (p->at + 1 >= p->argc)
            return no_value(p, shown, o);
        return p->fn(p->ctx, o, p->argv[++p->at]);
    }
    return 0;
}

int zn_opt_parse(const char *command, const struct zn_opt *opts, size_t nopts, int argc,
                 char **argv, int (*fn)(void *ctx, const struct zn_opt *opt, const char *value),
                 void *ctx, struct zn_args *ret)
{
    struct parser p = {command, opts, nopts, argc, 1, argv, fn, ctx};
    *ret = (struct zn_args){.v = calloc((size_t)argc + 1, sizeof(char *))};
    if (!ret->v)
        return -ENOMEM;
    bool rest = false;
    for (; p.at < argc; p.at++) {
        const char *a = argv[p.at];
        int r = 0;
        if (rest || a[0] != '-' || !a[1] || isdigit((unsigned char)a[1]))
            ret->v[ret->n++] = a;
        else if (!strcmp(a, "--"))
            rest = true;
        else if (a[1] == '-')
            r = parse_long(&p, a + 2);
        else
            r = parse_short(&p, a + 1);
        if (r)
            return r;
    }
    return 0;
}

void zn_args_fini(struct zn_args *a)
{
    free(a->v);
    *a = (struct zn_args){0};
}

void zn_opt_help(const struct zn_opt *opts, size_t nopts)
{
    for (size_t i = 0; i < nopts; i++) {
        const struct zn_opt *o = &opts[i];
        char left[64];
        if (!o->doc)
            continue;
        int n = o->letter ? snprintf(left, sizeof(left), "-%c%s", o->letter, o->name ? ", " : "")
                          : snprintf(left, sizeof(left), "    ");
        if (o->name)
            n += snprintf(left + n, sizeof(left) - (size_t)n, "--%s", o->name);
        if (o->has_arg)
            snprintf(left + n, sizeof(left) - (size_t)n, " %s", o->meta ? o->meta : "VALUE");
        printf("  %-26s %s\n", left, o->doc);
    }
}
