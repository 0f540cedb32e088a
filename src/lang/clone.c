/* SPDX-License-Identifier: Apache-2.0 */
/* Copies and walks of trees. */
#include "base/arena.h"
#include "lang/sema.h"

struct zn_node *zn_clone(struct zn_cc *cc, const struct zn_node *n)
{
    if (!n)
        return NULL;
    struct zn_node *c = zn_arena_new(cc->arena, struct zn_node);
    *c = *n;
    c->next = NULL;
    c->a = zn_clone(cc, n->a);
    c->b = zn_clone(cc, n->b);
    c->c = zn_clone(cc, n->c);
    c->list = zn_clone_list(cc, n->list);
    c->list2 = zn_clone_list(cc, n->list2);
    return c;
}

struct zn_node *zn_clone_list(struct zn_cc *cc, const struct zn_node *n)
{
    struct zn_node *first = NULL, **tail = &first;
    for (; n; n = n->next) {
        *tail = zn_clone(cc, n);
        tail = &(*tail)->next;
    }
    return first;
}

void zn_walk(struct zn_node *n, void (*fn)(void *arg, struct zn_node *n), void *arg)
{
    for (; n; n = n->next) {
        fn(arg, n);
        zn_walk(n->a, fn, arg);
        zn_walk(n->b, fn, arg);
        zn_walk(n->c, fn, arg);
        zn_walk(n->list, fn, arg);
        zn_walk(n->list2, fn, arg);
    }
}
