/* SPDX-License-Identifier: Apache-2.0 */
/* The list of passes. */
#include "lang/compile.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/str.h"
#include "lang/sema.h"

static struct zn_diag *say(struct zn_cc *cc, enum zn_severity severity, struct zn_pos pos,
                           const char *fmt, va_list ap)
{
    if (!cc->final)
        return NULL;
    char buf[1024];
    vsnprintf(buf, sizeof(buf), fmt, ap);
    return severity == ZN_ERROR ? zn_error(cc->d, pos, "%s", buf)
                                : zn_warning(cc->d, pos, "%s", buf);
}

struct zn_diag *zn_cc_error(struct zn_cc *cc, struct zn_pos pos, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    struct zn_diag *d = say(cc, ZN_ERROR, pos, fmt, ap);
    va_end(ap);
    return d;
}

struct zn_diag *zn_cc_warn(struct zn_cc *cc, struct zn_pos pos, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    struct zn_diag *d = say(cc, ZN_WARNING, pos, fmt, ap);
    va_end(ap);
    return d;
}

bool zn_has(const struct zn_cc *cc, enum zn_feature f)
{
    return cc->env->features >> f & 1;
}

/* What the grammar takes and nothing lowers yet: said at its place, never a wrong program. */
static void plain_name(void *arg, struct zn_node *n)
{
    (void)arg;
    if ((n->kind == N_IDENT || n->kind == N_CALL) && strncmp(n->name, "__builtin_", 10) == 0)
        n->name += 10; /* as bpftrace's own library spells them */
}

static void pass_unsupported(struct zn_cc *cc)
{
    for (struct zn_node *n = cc->script->items; n; n = n->next) {
        if (n->kind == N_PROBE || n->kind == N_MACRO) {
            zn_walk(n->list, plain_name, NULL);
            if (n->a)
                zn_walk(n->a, plain_name, NULL);
            if (n->c)
                zn_walk(n->c, plain_name, NULL);
        }
        switch (n->kind) {
        case N_FN: zn_error(cc->d, n->pos, "functions (fn) are not supported yet"); break;
        case N_IMPORT: zn_error(cc->d, n->pos, "import is not supported yet"); break;
        default: break;
        }
    }
}

static void pass_config(struct zn_cc *cc)
{
    for (struct zn_node *n = cc->script->items; n; n = n->next) {
        if (n->kind != N_CONFIG)
            continue;
        for (struct zn_node *i = n->list; i; i = i->next) {
            const char *v = i->a->kind == N_STR ? i->a->str
                            : i->a->kind == N_IDENT
                                ? i->a->name
                                : zn_arena_printf(cc->arena, "%lld", (long long)i->a->num);
            const char *near = NULL, *why = NULL;
            int row = zn_config_row(i->name);
            if (row >= 0 && cc->env->config_fixed >> row & 1) /* the environment wins */
                continue;
            int r = zn_config_set(&cc->config, cc->arena, i->name, v, &near, &why);
            if (r >= 0)
                continue;
            struct zn_diag *d =
                r == -ENOENT
                    ? zn_error(cc->d, i->pos, "Unrecognized config variable: %s", i->name)
                    : zn_error(cc->d, i->pos, "%s: %s", i->name, why ? why : "invalid value");
            if (near)
                zn_hint(cc->d, d, "did you mean %s?", near);
        }
    }
}

static void init(struct zn_cc *cc, struct zn_arena *arena, struct zn_diags *d,
                 const struct zn_env *env)
{
    memset(cc, 0, sizeof(*cc));
    cc->arena = arena;
    cc->d = d;
    cc->env = env;
    cc->config = env->config;
    cc->maps_tail = &cc->maps;
    cc->bodies_tail = &cc->bodies;
    cc->scratch_map = cc->stacks_map = -1;
    cc->img = zn_arena_new(arena, struct zn_image);
    cc->img->src = d->src;
    zn_intern(cc, "", 0); /* number 0: what an absent value shows */
}

/* --name=value among the script's arguments are for getopt(), the rest is $1… */
static void split_params(struct zn_cc *cc)
{
    cc->argv = zn_arena_array(cc->arena, const char *, cc->env->argc + 1);
    cc->named = zn_arena_array(cc->arena, struct zn_named, cc->env->argc + 1);
    for (unsigned i = 0; i < cc->env->argc; i++) {
        const char *a = cc->env->argv[i];
        if (strncmp(a, "--", 2) == 0 && a[2])
            cc->named[cc->nnamed++].text = a + 2;
        else
            cc->argv[cc->argc++] = a;
    }
}

/* A named argument that no getopt() asked for is a mistake. */
static void pass_named(struct zn_cc *cc)
{
    for (unsigned i = 0; i < cc->nnamed; i++) {
        if (cc->named[i].asked)
            continue;
        struct zn_diag *d = zn_error(cc->d, (struct zn_pos){0},
                                     "unexpected command line argument: --%s", cc->named[i].text);
        zn_hint(cc->d, d, "the script has no getopt() of that name");
    }
}

static bool failed(const struct zn_cc *cc)
{
    return cc->d->errors > 0;
}

int zn_compile(struct zn_arena *arena, struct zn_source src, const struct zn_env *env,
               struct zn_diags *d, struct zn_image **ret, struct zn_config *ret_config)
{
    struct zn_cc cc;
    zn_diags_init(d, arena, src);
    init(&cc, arena, d, env);
    split_params(&cc);
    struct zn_param_env params = {.argv = cc.argv,
                                  .argc = cc.argc,
                                  .read_include = env->read_include,
                                  .arg = env->include_arg,
                                  .have_btf = env->btf != NULL,
                                  .prelude = env->prelude};
    cc.script = zn_parse(arena, d, &params);
    if (!cc.script || failed(&cc))
        return zn_arena_failed(arena) ? -ENOMEM : -EINVAL;
    zn_types_init(&cc.types, arena, env->btf, cc.script->cdecls);

    static void (*const passes[])(struct zn_cc *) = {
        pass_unsupported, pass_config, zn_pass_macro, zn_pass_resolve, zn_pass_infer,
        pass_named,       zn_pass_map, zn_pass_lower, zn_image_finish};
    for (unsigned i = 0; i < sizeof(passes) / sizeof(passes[0]); i++) {
        passes[i](&cc);
        if (passes[i] == zn_pass_infer && env->dump && strcmp(env->dump, "ast") == 0)
            zn_ast_dump(cc.script, env->dump_out);
        if (failed(&cc))
            return zn_arena_failed(arena) ? -ENOMEM : -EINVAL;
    }
    if (zn_arena_failed(arena))
        return -ENOMEM;
    *ret = cc.img;
    if (ret_config)
        *ret_config = cc.config;
    return 0;
}
