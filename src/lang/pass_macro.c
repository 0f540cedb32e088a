/* SPDX-License-Identifier: Apache-2.0 */
/* Macros: each call is replaced by a block expression made of the macro's body.
 *
 * A parameter `$x` stands for the caller's variable itself, `@m` for the caller's map, a bare name
 * for the caller's expression. Variables that the macro declares get a name that no script can
 * write, so they never meet the caller's. Several macros of one name differ in their parameters. */
#include <string.h>

#include "base/arena.h"
#include "lang/builtin.h"
#include "lang/sema.h"

enum { MAX_EXPANSIONS = 10000, MAX_NESTING = 64 };

struct expander {
    struct zn_cc *cc;
    unsigned count, nesting;
};

/* One expansion: which parameter is bound to which argument. */
struct binding {
    struct expander *x;
    struct zn_node *params, *args;
    unsigned serial;
};

static struct zn_node *arg_of(const struct binding *b, enum zn_node_kind kind, const char *name)
{
    struct zn_node *a = b->args;
    for (struct zn_node *p = b->params; p && a; p = p->next, a = a->next)
        if (p->kind == kind && strcmp(p->name, name) == 0)
            return a;
    return NULL;
}

static const char *fresh(const struct binding *b, const char *name)
{
    return zn_arena_printf(b->x->cc->arena, "%s'%u", name, b->serial);
}

static void bind(void *arg, struct zn_node *n)
{
    const struct binding *b = arg;
    struct zn_node *a;
    switch (n->kind) {
    case N_VAR:
        a = arg_of(b, N_VAR, n->name);
        n->name = a ? a->name : fresh(b, n->name);
        break;
    case N_LET:
    case N_FOR_MAP:
    case N_FOR_RANGE:
        if (!strchr(n->name, '\''))
            n->name = fresh(b, n->name);
        break;
    case N_MAP:
        a = arg_of(b, N_MAP, n->name);
        if (a)
            n->name = a->name;
        break;
    case N_IDENT: {
        a = arg_of(b, N_IDENT, n->name);
        if (!a)
            break;
        struct zn_node *next = n->next, *copy = zn_clone(b->x->cc, a);
        *n = *copy;
        n->next = next;
        break;
    }
    default: break;
    }
}

/* Like zn_walk, but what came from an argument is the caller's and stays as it is. */
static void bind_all(struct binding *b, struct zn_node *n)
{
    for (; n; n = n->next) {
        bool from_arg = n->kind == N_IDENT && arg_of(b, N_IDENT, n->name);
        bind(b, n);
        if (from_arg)
            continue;
        if (n->ctype && n->ctype->of_expr) {
            struct zn_ctype *c = zn_arena_new(b->x->cc->arena, struct zn_ctype);
            *c = *n->ctype;
            c->of_expr = zn_clone(b->x->cc, c->of_expr);
            n->ctype = c;
            bind_all(b, c->of_expr);
        }
        bind_all(b, n->a);
        bind_all(b, n->b);
        bind_all(b, n->c);
        bind_all(b, n->list);
        bind_all(b, n->list2);
    }
}

static bool accepts(const struct zn_node *macro, const struct zn_node *args)
{
    const struct zn_node *p = macro->list2;
    for (; p && args; p = p->next, args = args->next) {
        if (p->kind == N_VAR && args->kind != N_VAR)
            return false;
        if (p->kind == N_MAP && (args->kind != N_MAP || ZN_MAP_KEY(args)))
            return false;
    }
    return !p && !args;
}

static const struct zn_node *find(struct zn_cc *cc, const struct zn_node *call, bool *any)
{
    *any = false;
    for (const struct zn_node *m = cc->script->items; m; m = m->next) {
        if (m->kind != N_MACRO || strcmp(m->name, call->name) != 0)
            continue;
        *any = true;
        if (accepts(m, call->list))
            return m;
    }
    return NULL;
}

static void expand_all(struct expander *x, struct zn_node *n);

static void expand(struct expander *x, struct zn_node *n)
{
    if (n->kind != N_CALL && n->kind != N_IDENT)
        return;
    bool any;
    const struct zn_node *m = find(x->cc, n, &any);
    if (!m) {
        if (any && n->kind == N_CALL && !zn_builtin_find(n->name))
            zn_error(x->cc->d, n->pos,
                     "Call to macro %s() has no matching definition: other arguments "
                     "are expected",
                     n->name);
        return;
    }
    if (x->nesting >= MAX_NESTING || x->count >= MAX_EXPANSIONS) {
        zn_error(x->cc->d, n->pos, "Recursive macro call: %s", n->name);
        return;
    }
    struct binding b = {x, m->list2, n->list, ++x->count};
    struct zn_node *next = n->next;
    struct zn_node *body = zn_clone_list(x->cc, m->list), *value = zn_clone(x->cc, m->a);
    bind_all(&b, body);
    bind_all(&b, value);
    struct zn_pos pos = n->pos;
    memset(n, 0, sizeof(*n));
    if (!body && value) { /* an expression alone stands for itself */
        *n = *value;
        n->next = next;
        x->nesting++;
        struct zn_node *tail = n->next;
        n->next = NULL;
        expand_all(x, n);
        n->next = tail;
        x->nesting--;
        return;
    }
    n->kind = N_BLOCK_EXPR;
    n->pos = pos;
    n->list = body;
    n->a = value;
    n->next = next;
    x->nesting++;
    expand_all(x, n->list);
    expand_all(x, n->a);
    x->nesting--;
}

static void expand_all(struct expander *x, struct zn_node *n)
{
    for (; n && x->cc->d->errors < 20; n = n->next) {
        expand_all(x, n->list);
        if (n->kind != N_PROBE)
            expand_all(x, n->list2);
        if (n->kind == N_CALL || n->kind == N_IDENT) {
            expand(x, n);
            continue;
        }
        expand_all(x, n->a);
        expand_all(x, n->b);
        expand_all(x, n->c);
        if (n->ctype)
            expand_all(x, n->ctype->of_expr);
    }
}

void zn_pass_macro(struct zn_cc *cc)
{
    struct expander x = {.cc = cc};
    bool have = false;
    for (struct zn_node *n = cc->script->items; n; n = n->next)
        have |= n->kind == N_MACRO;
    if (!have)
        return;
    for (struct zn_node *n = cc->script->items; n; n = n->next) {
        if (n->kind != N_PROBE)
            continue;
        expand_all(&x, n->c);
        expand_all(&x, n->list);
    }
}
