/* SPDX-License-Identifier: Apache-2.0 */
/* Attach points to bodies: providers, wildcards, and probes split where their `args` differ. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/arena.h"
#include "base/mem.h"
#include "base/str.h"
#include "lang/sema.h"

/* What a probe's code refers to. */
struct uses {
    struct zn_cc *cc;
    bool args, whole_args, target, kstack, ustack, ctx;
    const char *fields[64];
    unsigned nfields;
    bool argn[256]; /* arg0 … */
};

static void note_use(void *arg, struct zn_node *n)
{
    struct uses *u = arg;
    if (n->kind == N_FIELD && n->a->kind == N_IDENT && strcmp(n->a->name, "args") == 0) {
        u->args = true;
        for (unsigned i = 0; i < u->nfields; i++)
            if (strcmp(u->fields[i], n->name) == 0)
                return;
        if (u->nfields < ZN_ARRAY_SIZE(u->fields))
            u->fields[u->nfields++] = n->name;
        else
            u->whole_args = true;
        return;
    }
    if (n->kind != N_IDENT && n->kind != N_CALL)
        return;
    if (strcmp(n->name, "args") == 0)
        u->args = true;
    else if (strcmp(n->name, "retval") == 0)
        u->args = u->ctx = true;
    else if (strcmp(n->name, "probe") == 0 || strcmp(n->name, "func") == 0)
        u->target = true;
    else if (strcmp(n->name, "kstack") == 0)
        u->kstack = true;
    else if (strcmp(n->name, "ustack") == 0)
        u->ustack = true;
    else if (strncmp(n->name, "arg", 3) == 0 && n->name[3] >= '0' && n->name[3] <= '9') {
        u->ctx = true;
        u->argn[(uint8_t)strtoul(n->name + 3, NULL, 10)] = true;
    } else if (strcmp(n->name, "ctx") == 0 || strcmp(n->name, "reg") == 0)
        u->ctx = true;
}

static void note_bare_args(void *arg, struct zn_node *n)
{
    struct uses *u = arg;
    struct zn_node *kids[3] = {n->a, n->b, n->c};
    if (n->kind != N_FIELD)
        for (int i = 0; i < 3; i++)
            if (kids[i] && kids[i]->kind == N_IDENT && strcmp(kids[i]->name, "args") == 0)
                u->whole_args = true;
    for (struct zn_node *k = n->list; k; k = k->next)
        if (k->kind == N_IDENT && strcmp(k->name, "args") == 0)
            u->whole_args = true;
}

static void sign_field(struct zn_str *s, const struct zn_field *f)
{
    zn_str_printf(s, "%s@%u.%u.%u.%d.%d.%u:", f->name ? f->name : "", f->off, f->bit_off, f->bits,
                  f->data_loc, f->reg, f->arg);
    if (f->type) {
        zn_str_printf(s, "%u.%u.%d", f->type->kind, f->type->size, f->type->sign);
        zn_type_name(f->type, s);
    }
    zn_str_putc(s, ';');
}

/* Where the used arguments of a usdt probe are. */
static void sign_usdt(const struct uses *u, const struct zn_target *t, struct zn_str *s)
{
    for (unsigned i = 0; i < ZN_ARRAY_SIZE(u->argn); i++) {
        if (!u->argn[i])
            continue;
        if (i >= t->nusdt_args) {
            zn_str_puts(s, "-;");
            continue;
        }
        const struct zn_usdt_arg *a = &t->usdt_args[i];
        zn_str_printf(s, "%u.%u.%d.%u.%d.%d.%lld;", a->kind, a->size, a->sign, a->shift, a->base,
                      a->index, (long long)a->disp);
    }
}

/* What the used part of a target's args looks like; targets alike share a body. */
static void signature(struct zn_cc *cc, const struct uses *u, const struct zn_target *t,
                      struct zn_str *out)
{
    zn_str_clear(out);
    if (t->provider == ZP_USDT)
        sign_usdt(u, t, out);
    if (!u->args)
        return;
    if (t->retval) {
        zn_str_puts(out, "ret:");
        zn_type_name(t->retval, out);
        zn_str_printf(out, "%u", t->args ? t->args->nfields : 0);
    }
    if (!t->args)
        return;
    if (u->whole_args) {
        for (uint32_t i = 0; i < t->args->nfields; i++)
            sign_field(out, &t->args->fields[i]);
        return;
    }
    for (unsigned i = 0; i < u->nfields; i++) {
        struct zn_field f;
        if (zn_type_field(&cc->types, t->args, u->fields[i], &f))
            sign_field(out, &f);
        else
            zn_str_puts(out, "-;");
    }
}

static bool make_spec(struct zn_cc *cc, struct zn_node *at, struct zn_attach_spec *spec)
{
    memset(spec, 0, sizeof(*spec));
    spec->pos = at->pos;
    spec->written = at->name;
    unsigned n = (unsigned)at->num;
    const char **parts = at->parts;
    if (n >= 1 && strcasecmp(parts[0], "syscalls") == 0) {
        /* the article's prefix-less spelling: syscalls::sys_enter_read, syscalls:sys_enter_read */
        const char **p = zn_arena_array(cc->arena, const char *, 2);
        p[0] = "syscalls";
        if (n == 3 && parts[1][0] == '\0')
            p[1] = parts[2];
        else if (n == 2)
            p[1] = parts[1];
        else {
            zn_hint(cc->d, zn_error(cc->d, at->pos, "Invalid probe: %s", at->name),
                    "write syscalls::sys_enter_NAME or tracepoint:syscalls:sys_enter_NAME");
            return false;
        }
        spec->provider = zn_provider_find("tracepoint");
        spec->parts = p;
        spec->nparts = 2;
        spec->bare_syscalls = true;
        return true;
    }
    spec->provider = n ? zn_provider_find(parts[0]) : NULL;
    if (!spec->provider) {
        const char *names[_ZN_PROVIDER_MAX];
        for (int i = 0; i < _ZN_PROVIDER_MAX; i++)
            names[i] = zn_providers[i].name;
        struct zn_diag *d = zn_error(cc->d, at->pos, "Invalid probe type: %s", n ? parts[0] : "");
        const char *near = n ? zn_nearest(parts[0], names, _ZN_PROVIDER_MAX) : NULL;
        if (near)
            zn_hint(cc->d, d, "did you mean %s?", near);
        return false;
    }
    spec->parts = parts + 1;
    spec->nparts = n - 1;
    if (spec->nparts < spec->provider->min_parts || spec->nparts > spec->provider->max_parts) {
        zn_hint(cc->d,
                zn_error(cc->d, at->pos, "%s probe type requires %s", spec->provider->name,
                         spec->provider->max_parts == 0 ? "no arguments" : "other arguments"),
                "%s", spec->provider->syntax);
        return false;
    }
    return true;
}

static void note(struct zn_cc *cc, const char *text)
{
    zn_arena_grow(cc->arena, cc->img->notes, cc->img->nnotes, cc->cap_notes);
    cc->img->notes[cc->img->nnotes++] = text;
}

/* Expands one attach point; false when it has no target (said, unless policy forgives). */
static bool expand(struct zn_cc *cc, struct zn_attach_spec *spec, struct zn_target_list *list)
{
    const char *why = NULL, *hint = NULL, *remark = NULL;
    int r = cc->env->host->expand(cc->env->host->arg, &cc->types, spec, list, &why, &hint, &remark);
    if (remark)
        note(cc, remark);
    if (r == 0)
        return true;
    if (cc->config.missing_probes != 0) {
        if (cc->config.missing_probes == 1)
            zn_warning(cc->d, spec->pos, "%s", why ? why : "no such probe");
        return false;
    }
    struct zn_diag *d = zn_error(cc->d, spec->pos, "%s",
                                 why ? why
                                     : zn_arena_printf(cc->arena, "cannot resolve probe %s: %s",
                                                       spec->written, strerror(-r)));
    if (hint)
        zn_hint(cc->d, d, "%s", hint);
    return false;
}

static struct zn_cc_body *add_body(struct zn_cc *cc, struct zn_node *probe,
                                   const struct zn_attach_spec *spec, const struct uses *u,
                                   uint32_t order)
{
    struct zn_cc_body *b = zn_arena_new(cc->arena, struct zn_cc_body);
    b->probe = probe;
    b->provider = spec->provider->id;
    b->spec = spec;
    b->order = order;
    b->uses_args = u->args;
    b->uses_target = u->target;
    b->uses_kstack = u->kstack;
    b->uses_ustack = u->ustack;
    b->uses_ctx = u->ctx;
    b->probe_no = cc->nbodies++;
    *cc->bodies_tail = b;
    cc->bodies_tail = &b->next;
    return b;
}

static bool load_args(struct zn_cc *cc, struct zn_target *t, struct zn_pos pos)
{
    if (t->args_done)
        return true;
    const char *why = NULL;
    int r = cc->env->host->target_args(cc->env->host->arg, &cc->types, t, &why);
    t->args_done = true;
    if (r == 0)
        return true;
    zn_error(cc->d, pos, "%s", why ? why : "the probe's arguments are not known");
    return false;
}

/* A group under construction: targets that look alike. */
struct group {
    const struct zn_attach_spec *spec;
    char *sig;
    struct zn_target_list targets;
};

static void add_target(struct zn_cc *cc, struct group **groups, unsigned *n, unsigned *cap,
                       const struct zn_attach_spec *spec, const char *sig, struct zn_target *t)
{
    struct group *g = NULL;
    for (unsigned i = *n; i > 0 && !g; i--)
        if ((*groups)[i - 1].spec->provider == spec->provider &&
            strcmp((*groups)[i - 1].sig, sig) == 0)
            g = &(*groups)[i - 1];
    if (!g) {
        zn_arena_grow(cc->arena, *groups, *n, *cap);
        g = &(*groups)[(*n)++];
        memset(g, 0, sizeof(*g));
        g->spec = spec;
        g->sig = zn_arena_strdup(cc->arena, sig);
    }
    zn_arena_grow(cc->arena, g->targets.v, g->targets.n, g->targets.cap);
    g->targets.v[g->targets.n++] = *t;
}

/* A usdt probe may be in several places of a file; it counts once. */
static bool same_usdt(const struct zn_target_list *l, uint32_t i)
{
    return i && l->v[i].provider == ZP_USDT && strcmp(l->v[i].name, l->v[i - 1].name) == 0;
}

static void resolve_probe(struct zn_cc *cc, struct zn_node *probe, uint32_t order)
{
    struct uses u = {.cc = cc};
    zn_walk(probe->list, note_use, &u);
    zn_walk(probe->c, note_use, &u);
    zn_walk(probe->list, note_bare_args, &u);
    zn_walk(probe->c, note_bare_args, &u);

    struct group *groups = NULL;
    unsigned n = 0, cap = 0;
    struct zn_str sig;
    zn_str_init(&sig);
    for (struct zn_node *at = probe->list2; at; at = at->next) {
        struct zn_attach_spec *spec = zn_arena_new(cc->arena, struct zn_attach_spec);
        struct zn_target_list list = {0};
        if (!make_spec(cc, at, spec) || !expand(cc, spec, &list))
            continue;
        for (uint32_t i = 0; i < list.n; i++) {
            if (u.args && !load_args(cc, &list.v[i], at->pos))
                break;
            signature(cc, &u, &list.v[i], &sig);
            add_target(cc, &groups, &n, &cap, spec, zn_str_c(&sig), &list.v[i]);
            cc->img->nattached += !same_usdt(&list, i);
        }
    }
    zn_str_fini(&sig);
    if (!n && !cc->d->errors && cc->config.missing_probes == 0 && !cc->env->filtered)
        zn_error(cc->d, probe->pos, "No matching probes: nothing to attach to");
    for (unsigned i = 0; i < n; i++) {
        struct zn_node *p = i == 0 ? probe : zn_arena_new(cc->arena, struct zn_node);
        if (i) {
            *p = *probe;
            p->next = NULL;
            p->list = zn_clone_list(cc, probe->list);
            p->c = zn_clone(cc, probe->c);
        }
        struct zn_cc_body *b = add_body(cc, p, groups[i].spec, &u, order);
        b->targets = groups[i].targets.v;
        b->ntargets = groups[i].targets.n;
    }
}

void zn_pass_resolve(struct zn_cc *cc)
{
    uint32_t order = 0;
    for (struct zn_node *n = cc->script->items; n; n = n->next)
        if (n->kind == N_PROBE)
            resolve_probe(cc, n, order++);
    if (cc->img->nattached > cc->config.max_probes && !cc->d->errors)
        zn_hint(
            cc->d,
            zn_error(cc->d, (struct zn_pos){0},
                     "Can't attach to %u probes because it exceeds the current limit of %u probes.",
                     cc->img->nattached, cc->config.max_probes),
            "BPFTRACE_MAX_PROBES=%u raises the limit", cc->img->nattached);
    if (!cc->bodies && !cc->d->errors)
        zn_error(cc->d, (struct zn_pos){0}, "No probes to attach");
}
