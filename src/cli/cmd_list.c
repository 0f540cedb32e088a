/* SPDX-License-Identifier: Apache-2.0 */
/* zhen list: the probes that this machine has, or those that a script would attach to. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "base/str.h"
#include "cli/cli.h"
#include "cli/machine.h"
#include "cli/opt.h"
#include "lang/ast.h"
#include "probes/probes.h"

struct lister {
    struct zn_host *host;
    struct zn_types types;
    bool verbose;
    unsigned listed, failed; /* patterns */
};

static int print_line(void *arg, const char *line)
{
    (void)arg;
    return puts(line) < 0 ? -EPIPE : 0;
}

static int list_pattern(struct lister *l, const char *pattern)
{
    const char *why = NULL;
    int r = zn_list_probes(l->host, &l->types, pattern, l->verbose, print_line, NULL, &why);
    if (r == -EPIPE)
        return r;
    fflush(stdout);
    if (r)
        fprintf(stderr, "ERROR: %s\n", why ? why : "no probe matches");
    else if (why)
        fprintf(stderr, "WARNING: %s\n", why);
    l->listed += !r;
    l->failed += r != 0;
    return 0;
}

/* "a:b,c:d": one after the other. */
static int list_patterns(struct lister *l, const char *patterns)
{
    for (const char *p = patterns;;) {
        size_t n = strcspn(p, ",");
        int r = list_pattern(l, zn_arena_strndup(l->types.arena, p, n));
        if (r || !p[n])
            return r;
        p += n + 1;
        p += strspn(p, " ");
    }
}

/* Attach points as patterns: what they match is what would be attached. */
static int list_script(struct lister *l, const struct zn_script *s)
{
    int r = 0;
    for (const struct zn_node *probe = s->items; probe && !r; probe = probe->next) {
        if (probe->kind != N_PROBE)
            continue;
        for (const struct zn_node *a = probe->list2; a && !r; a = a->next) {
            ZN_AUTOSTR struct zn_str pattern;
            zn_str_init(&pattern);
            for (int64_t i = 0; i < a->num; i++)
                zn_str_printf(&pattern, "%s%s", i ? ":" : "", a->parts[i]);
            r = list_pattern(l, zn_arena_strdup(l->types.arena, zn_str_c(&pattern)));
        }
    }
    return r;
}

static int parse_and_list(struct lister *l, const struct zn_list_request *q, bool have_btf)
{
    struct zn_diags d;
    struct zn_param_env env = {.argv = q->argv,
                               .argc = q->argc,
                               .read_include = zn_script_include,
                               .arg = q->include,
                               .have_btf = have_btf,
                               .prelude = q->prelude};
    zn_diags_init(&d, l->types.arena, *q->script);
    struct zn_script *s = zn_parse(l->types.arena, &d, &env);
    zn_show_diags(&d, true);
    if (!s || d.errors)
        return -EINVAL;
    return list_script(l, s);
}

int zn_list_to_stdout(const struct zn_list_request *q)
{
    ZN_CLEANUP(zn_arena_fini) struct zn_arena arena;
    ZN_CLEANUP(zn_machine_close) struct zn_machine m;
    struct zn_env env = {0};
    zn_arena_init(&arena);
    if (zn_machine_open(&m, true, q->btf, NULL, q->pid))
        return 1;
    zn_machine_env(&m, &env);
    if (!m.host)
        return 1;
    struct lister l = {.host = m.host, .verbose = q->verbose};
    zn_types_init(&l.types, &arena, m.btf, NULL);
    int r = q->script    ? parse_and_list(&l, q, m.btf != NULL)
            : q->pattern ? list_patterns(&l, q->pattern)
                         : list_pattern(&l, NULL);
    return r || (l.failed && !l.listed) ? 1 : 0;
}

static int option(void *ctx, const struct zn_opt *o, const char *value)
{
    struct zn_list_request *q = ctx;
    if (o->id == 'v') {
        q->verbose = true;
        return 0;
    }
    pid_t pid = zn_parse_pid(value);
    q->pid = pid > 0 ? (uint32_t)pid : 0;
    return pid > 0 ? 0 : -EINVAL;
}

int zn_cmd_list(int argc, char **argv)
{
    static const struct zn_opt opts[] = {
        {"verbose", 'v', false, NULL, "show the arguments of each probe", 'v'},
        {"pid", 'p', true, "PID", "the files of this process too", 'p'},
    };
    ZN_CLEANUP(zn_args_fini) struct zn_args args = {0};
    struct zn_list_request q = {0};
    if (zn_opt_parse("zhen list", opts, ZN_ARRAY_SIZE(opts), argc, argv, option, &q, &args))
        return 1;
    q.pattern = args.n ? args.v[0] : NULL;
    return zn_list_to_stdout(&q);
}
