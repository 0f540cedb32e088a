/* SPDX-License-Identifier: Apache-2.0 */
/* What all parsing functions stand on: the current token, mistakes, recovery, nodes. */
#include "lang/parse.h"

#include <string.h>

#include "base/str.h"

void zn_list_init(struct zn_list *l)
{
    l->head = NULL;
    l->tail = &l->head;
}

void zn_list_add(struct zn_list *l, struct zn_node *n)
{
    *l->tail = n;
    l->tail = &n->next;
}

unsigned zn_name_bucket(const char *s, uint32_t n)
{
    uint32_t h = 5381;
    for (uint32_t i = 0; i < n; i++)
        h = h * 33 + (unsigned char)s[i];
    return h % ZN_MACRO_BUCKETS;
}

void zn_parser_init(struct zn_parser *p, struct zn_arena *arena, struct zn_diags *d,
                    const struct zn_param_env *env, const char *text, size_t len)
{
    memset(p, 0, sizeof(*p));
    p->arena = arena;
    p->d = d;
    p->env = env;
    p->script = zn_arena_new(arena, struct zn_script);
    p->cdecl_tail = &p->script->cdecls;
    zn_lex_init(&p->lx, arena, d, env, text, len);
}

void zn_advance(struct zn_parser *p)
{
    p->prev = p->t.pos;
    if (p->t.kind == TK_LBRACE)
        p->braces++;
    else if (p->t.kind == TK_RBRACE && p->braces)
        p->braces--;
    if (p->nahead) {
        p->t = p->ahead[0];
        p->nahead--;
        memmove(p->ahead, p->ahead + 1, p->nahead * sizeof(p->ahead[0]));
    } else {
        zn_lex_next(&p->lx, &p->t);
    }
}

const struct zn_tok *zn_peek(struct zn_parser *p, unsigned n)
{
    if (!n)
        return &p->t;
    while (p->nahead < n && p->nahead < ZN_MAX_AHEAD)
        zn_lex_next(&p->lx, &p->ahead[p->nahead++]);
    return &p->ahead[ZN_MIN(n, (unsigned)ZN_MAX_AHEAD) - 1];
}

bool zn_accept(struct zn_parser *p, enum zn_tk k)
{
    if (p->t.kind != k)
        return false;
    zn_advance(p);
    return true;
}

struct zn_diag *zn_perror(struct zn_parser *p, struct zn_pos pos, const char *fmt, ...)
{
    /* What is missing at the end after an earlier mistake is most likely its consequence. */
    bool told = p->panic || (p->t.kind == TK_EOF && p->d->errors);
    p->panic = true;
    if (told)
        return &p->scratch;
    struct zn_str s ZN_AUTOSTR;
    zn_str_init(&s);
    va_list ap;
    va_start(ap, fmt);
    zn_str_vprintf(&s, fmt, ap);
    va_end(ap);
    return zn_error(p->d, pos, "%s", zn_str_c(&s));
}

void *zn_unexpected(struct zn_parser *p, const char *what)
{
    if (p->t.kind == TK_ERROR)
        zn_perror(p, p->t.pos, "%s", p->t.err);
    else
        zn_perror(p, p->t.pos, "expected %s, found %s", what, zn_tok_name(p->arena, &p->t));
    return NULL;
}

bool zn_expect(struct zn_parser *p, enum zn_tk k, const char *after)
{
    if (zn_accept(p, k))
        return true;
    const char *s = zn_tk_spelling(k);
    zn_unexpected(p, zn_arena_printf(p->arena, "'%s'%s%s", s ? s : "?", *after ? " " : "", after));
    return false;
}

bool zn_enter(struct zn_parser *p)
{
    if (p->depth >= ZN_MAX_NESTING) {
        zn_perror(p, p->t.pos, "nested more than %d levels deep", ZN_MAX_NESTING);
        return false;
    }
    p->depth++;
    return true;
}

void zn_leave(struct zn_parser *p)
{
    p->depth--;
}

/* Skips to the end of a statement: behind its ";", before the "}" of its block, or behind a block
 * that it contains. */
void zn_sync_stmt(struct zn_parser *p)
{
    unsigned open = 0;
    for (;;) {
        enum zn_tk k = p->t.kind;
        if (k == TK_EOF || (k == TK_RBRACE && !open))
            break;
        zn_advance(p);
        if (k == TK_SEMI && !open)
            break;
        if (k == TK_LBRACE)
            open++;
        else if (k == TK_RBRACE && !--open && !zn_at_word(p, "else"))
            break;
    }
    p->panic = false;
}

struct zn_node *zn_mk(struct zn_parser *p, enum zn_node_kind kind, struct zn_pos begin)
{
    struct zn_node *n = zn_arena_new(p->arena, struct zn_node);
    n->kind = kind;
    n->pos = begin;
    return n;
}

static unsigned height(const struct zn_node *n)
{
    return n ? n->height : 0;
}

static unsigned list_height(const struct zn_node *l)
{
    unsigned h = 0;
    for (; l; l = l->next)
        h = ZN_MAX(h, l->height);
    return h;
}

struct zn_node *zn_done(struct zn_parser *p, struct zn_node *n)
{
    n->pos.end = ZN_MAX(n->pos.end, p->prev.end);
    unsigned h = ZN_MAX(ZN_MAX(height(n->a), height(n->b)), height(n->c));
    h = ZN_MAX(h, ZN_MAX(list_height(n->list), list_height(n->list2)));
    if (n->ctype)
        h = ZN_MAX(h, height(n->ctype->of_expr));
    if (h >= ZN_MAX_HEIGHT) {
        zn_perror(p, p->prev, "too long a chain: more than %d levels of operators", ZN_MAX_HEIGHT);
        return NULL;
    }
    n->height = (uint16_t)(h + 1);
    return n;
}

const char *zn_tok_text(struct zn_parser *p, const struct zn_tok *t)
{
    return zn_arena_strndup(p->arena, t->text, t->len);
}
