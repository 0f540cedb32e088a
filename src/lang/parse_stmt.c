/* SPDX-License-Identifier: Apache-2.0 */
/* Statements and blocks.
 *
 * `if` and `{…}` are parsed as expressions everywhere, since only what follows tells whether their
 * value is used; to_stmt() turns them into statements where it is not. */
#include <string.h>

#include "lang/parse.h"

/* Appends the value of a block, if any, to its statements. */
static struct zn_node *to_stmt(struct zn_parser *p, struct zn_node *n);
static struct zn_node *stmt(struct zn_parser *p, bool *semi);
static void missing_semi(struct zn_parser *p, const struct zn_node *n);
static bool is_stmt(const struct zn_node *n);

static struct zn_node *block_stmts(struct zn_parser *p, struct zn_node *block)
{
    if (!block)
        return NULL;
    if (block->kind != N_BLOCK_EXPR)
        return to_stmt(p, block);
    if (!block->a)
        return block->list;
    struct zn_node **tail = &block->list;
    while (*tail)
        tail = &(*tail)->next;
    *tail = to_stmt(p, block->a);
    return block->list;
}

static struct zn_node *to_stmt(struct zn_parser *p, struct zn_node *n)
{
    if (n->kind == N_BLOCK_EXPR) {
        n->list = block_stmts(p, n);
        n->a = NULL;
        n->kind = N_BLOCK;
        return n;
    }
    if (n->kind == N_IF_EXPR) {
        n->kind = N_IF;
        n->list = block_stmts(p, n->a);
        n->list2 = block_stmts(p, n->b);
        n->a = n->b = NULL;
        return n;
    }
    struct zn_node *s = zn_mk(p, N_EXPR_STMT, n->pos);
    s->a = n;
    s->height = n->height;
    return s;
}

static bool is_stmt(const struct zn_node *n)
{
    return n->kind >= N_EXPR_STMT;
}

static bool has_value(const struct zn_node *n)
{
    if (n->kind == N_BLOCK_EXPR)
        return n->a != NULL;
    if (n->kind != N_IF_EXPR)
        return true;
    while (n->b && n->b->kind == N_BLOCK_EXPR && n->a->a) {
        if (n->b->list || !n->b->a || n->b->a->kind != N_IF_EXPR)
            return n->b->a != NULL;
        n = n->b->a; /* else if */
    }
    return false;
}

/* block_expr := "{" stmt* [expr] "}" */
struct zn_node *zn_block_expr(struct zn_parser *p)
{
    struct zn_node *n = zn_mk(p, N_BLOCK_EXPR, p->t.pos);
    struct zn_list l;
    bool in_pred = p->in_pred;
    if (!zn_enter(p))
        return NULL;
    p->in_pred = false;
    bool ok = zn_block(p, &l, &n->a);
    p->in_pred = in_pred;
    zn_leave(p);
    if (!ok)
        return NULL;
    n->list = l.head;
    zn_advance(p);
    return zn_done(p, n);
}

/* One statement in place of a block, as in C: `if (c) @n++;`. It has no value. */
static struct zn_node *lone_stmt(struct zn_parser *p)
{
    struct zn_node *n = zn_mk(p, N_BLOCK_EXPR, p->t.pos), *s;
    struct zn_list l;
    bool semi;
    zn_list_init(&l);
    if (!zn_enter(p))
        return NULL;
    s = stmt(p, &semi);
    zn_leave(p);
    if (!s)
        return NULL;
    if (semi && !zn_accept(p, TK_SEMI) && !zn_at(p, TK_RBRACE)) {
        missing_semi(p, s);
        return NULL;
    }
    zn_list_add(&l, is_stmt(s) ? s : to_stmt(p, s));
    n->list = l.head;
    return zn_done(p, n);
}

static bool starts_stmt(const struct zn_parser *p)
{
    return zn_at(p, TK_MAP) || zn_at(p, TK_VAR) || zn_at(p, TK_IDENT);
}

/* if_expr := "if" expr block_expr ["else" (if_expr | block_expr)] ; else-if chains are iterated.
 * As a statement its parts may be statements without braces. */
static struct zn_node *if_chain(struct zn_parser *p, bool alone)
{
    struct zn_node *chain = NULL, *last = NULL; /* the newest first */
    unsigned n = 0;
    for (;;) {
        struct zn_node *cond = zn_mk(p, N_IF_EXPR, p->t.pos);
        zn_advance(p); /* if */
        bool paren = zn_at(p, TK_LPAREN);
        if (!(cond->c = zn_expr(p)))
            return NULL;
        bool lone = alone && paren && starts_stmt(p);
        if (!lone && !zn_at(p, TK_LBRACE)) {
            struct zn_diag *e = zn_perror(p, p->t.pos, "expected '{' after the condition, found %s",
                                          zn_tok_name(p->arena, &p->t));
            zn_hint(p->d, e, "the statements of an 'if' stand between braces");
            return NULL;
        }
        if (!(cond->a = lone ? lone_stmt(p) : zn_block_expr(p)))
            return NULL;
        cond->next = chain;
        chain = cond;
        if (!zn_at_word(p, "else"))
            break;
        zn_advance(p);
        if (!zn_at_word(p, "if")) {
            lone = alone && starts_stmt(p);
            if (!lone && !zn_at(p, TK_LBRACE))
                return zn_unexpected(p, "'{' or 'if' after 'else'");
            if (!(last = lone ? lone_stmt(p) : zn_block_expr(p)))
                return NULL;
            break;
        }
        if (++n >= ZN_MAX_HEIGHT / 2) {
            zn_perror(p, p->t.pos, "more than %d 'else if' in a row", ZN_MAX_HEIGHT / 2);
            return NULL;
        }
    }
    for (;;) {
        struct zn_node *cond = chain;
        chain = cond->next;
        cond->next = NULL;
        cond->b = last;
        if (!zn_done(p, cond))
            return NULL;
        if (!chain)
            return cond;
        last = zn_mk(p, N_BLOCK_EXPR, cond->pos);
        last->a = cond;
        if (!zn_done(p, last))
            return NULL;
    }
}

struct zn_node *zn_if_expr(struct zn_parser *p)
{
    return if_chain(p, false);
}

/* A body that is not a value: while, for, unroll. */
static bool body(struct zn_parser *p, struct zn_node *n, const char *after)
{
    if (!zn_at(p, TK_LBRACE)) {
        zn_unexpected(p, after);
        return false;
    }
    struct zn_node *b = zn_block_expr(p);
    if (!b)
        return false;
    n->list = block_stmts(p, b);
    return zn_done(p, n) != NULL;
}

/* while := "while" expr block */
static struct zn_node *while_(struct zn_parser *p)
{
    struct zn_node *n = zn_mk(p, N_WHILE, p->t.pos);
    zn_advance(p);
    if (!(n->c = zn_expr(p)) || !body(p, n, "'{' after the condition"))
        return NULL;
    return n;
}

/* unroll := "unroll" expr block */
static struct zn_node *unroll(struct zn_parser *p)
{
    struct zn_node *n = zn_mk(p, N_UNROLL, p->t.pos);
    zn_advance(p);
    if (!(n->a = zn_expr(p)) || !body(p, n, "'{' after the number of rounds"))
        return NULL;
    return n;
}

/* for := "for" ["("] $name ":" (map | expr ".." expr) [")"] block */
static struct zn_node *for_(struct zn_parser *p)
{
    struct zn_node *n = zn_mk(p, N_FOR_MAP, p->t.pos);
    zn_advance(p);
    bool paren = zn_accept(p, TK_LPAREN);
    if (!zn_at(p, TK_VAR))
        return zn_unexpected(p, "the loop's variable, like $x");
    n->name = zn_tok_text(p, &p->t);
    zn_advance(p);
    if (!zn_expect(p, TK_COLON, "after the loop's variable") || !(n->a = zn_expr(p)))
        return NULL;
    if (zn_accept(p, TK_DOTDOT)) {
        n->kind = N_FOR_RANGE;
        if (!(n->b = zn_expr(p)))
            return NULL;
    } else if (n->a->kind != N_MAP) {
        zn_perror(p, n->a->pos, "a loop runs over a map or over a range like 0..10");
        return NULL;
    }
    if (paren && !zn_expect(p, TK_RPAREN, "after the loop's bounds"))
        return NULL;
    return body(p, n, "'{' after the loop's head") ? n : NULL;
}

/* let := "let" $name [":" type] ["=" expr] */
static struct zn_node *let(struct zn_parser *p)
{
    struct zn_node *n = zn_mk(p, N_LET, p->t.pos);
    zn_advance(p);
    if (zn_at(p, TK_MAP)) {
        zn_perror(p, p->t.pos, "maps are declared outside of probes: let @%s = hash(N);",
                  zn_tok_text(p, &p->t));
        return NULL;
    }
    if (!zn_at(p, TK_VAR))
        return zn_unexpected(p, "a variable, like $x, after 'let'");
    n->name = zn_tok_text(p, &p->t);
    zn_advance(p);
    if (zn_accept(p, TK_COLON) && !(n->ctype = zn_type(p)))
        return NULL;
    if (zn_accept(p, TK_ASSIGN) && !(n->a = zn_expr(p)))
        return NULL;
    return zn_done(p, n);
}

/* import := "import" string ; a macro may bring the file that it needs */
static struct zn_node *import(struct zn_parser *p)
{
    struct zn_node *n = zn_mk(p, N_IMPORT, p->t.pos);
    zn_advance(p);
    n->str = p->t.str;
    n->str_len = p->t.str_len;
    zn_advance(p);
    return zn_done(p, n);
}

/* jump := "break" | "continue" | "return" [expr] */
static struct zn_node *jump(struct zn_parser *p, enum zn_node_kind kind)
{
    struct zn_node *n = zn_mk(p, kind, p->t.pos);
    zn_advance(p);
    if (kind == N_RETURN && !zn_at(p, TK_SEMI) && !zn_at(p, TK_RBRACE) && !(n->a = zn_expr(p)))
        return NULL;
    return zn_done(p, n);
}

static bool assign_op(enum zn_tk k, enum zn_op *ret)
{
    static const struct {
        enum zn_tk tk;
        enum zn_op op;
    } ops[] = {
        {TK_ASSIGN, OP_NONE},  {TK_PLUS_EQ, OP_ADD},    {TK_MINUS_EQ, OP_SUB}, {TK_STAR_EQ, OP_MUL},
        {TK_SLASH_EQ, OP_DIV}, {TK_PERCENT_EQ, OP_MOD}, {TK_SHL_EQ, OP_SHL},   {TK_SHR_EQ, OP_SHR},
        {TK_AMP_EQ, OP_AND},   {TK_PIPE_EQ, OP_OR},     {TK_CARET_EQ, OP_XOR},
    };
    for (size_t i = 0; i < ZN_ARRAY_SIZE(ops); i++) {
        if (ops[i].tk == k) {
            *ret = ops[i].op;
            return true;
        }
    }
    return false;
}

/* simple := expr | (map | $name | "_") assign_op expr */
static struct zn_node *simple(struct zn_parser *p)
{
    struct zn_node *e = zn_expr(p);
    enum zn_op op;
    if (!e || !assign_op(p->t.kind, &op))
        return e;
    bool discard = e->kind == N_IDENT && !strcmp(e->name, "_") && op == OP_NONE;
    if (e->kind != N_VAR && e->kind != N_MAP && !discard) {
        zn_perror(p, e->pos, "only variables and maps may be assigned to");
        return NULL;
    }
    struct zn_node *n = zn_mk(p, N_ASSIGN, e->pos);
    n->op = op;
    n->a = e;
    zn_advance(p);
    if (!(n->b = zn_expr(p)))
        return NULL;
    return zn_done(p, n);
}

/* stmt := if_expr | while | for | unroll | block | (let | import | jump | simple) ";"
 * Expressions are returned as they are. *semi: a ";" has to follow. */
static struct zn_node *stmt(struct zn_parser *p, bool *semi)
{
    *semi = false;
    if (zn_at(p, TK_LBRACE))
        return zn_block_expr(p);
    if (zn_at_word(p, "if"))
        return if_chain(p, true);
    if (zn_at_word(p, "while"))
        return while_(p);
    if (zn_at_word(p, "for"))
        return for_(p);
    if (zn_at_word(p, "unroll"))
        return unroll(p);
    if (zn_at_word(p, "else")) {
        zn_perror(p, p->t.pos, "'else' without 'if'");
        return NULL;
    }
    *semi = true;
    if (zn_at_word(p, "let"))
        return let(p);
    if (zn_at_word(p, "import") && zn_peek(p, 1)->kind == TK_STR)
        return import(p);
    if (zn_at_word(p, "return"))
        return jump(p, N_RETURN);
    if (zn_at_word(p, "break"))
        return jump(p, N_BREAK);
    if (zn_at_word(p, "continue"))
        return jump(p, N_CONTINUE);
    return simple(p);
}

/* After an expression that is not followed by what may follow: perhaps its name is a keyword with
 * a slip in it. */
static void missing_semi(struct zn_parser *p, const struct zn_node *n)
{
    static const char *const words[] = {"if", "else", "while", "for", "unroll", "let", "return"};
    struct zn_diag *e =
        zn_perror(p, p->t.pos, "%s",
                  p->t.kind == TK_ERROR
                      ? p->t.err
                      : zn_arena_printf(p->arena, "expected ';' after the statement, found %s",
                                        zn_tok_name(p->arena, &p->t)));
    const char *near = NULL;
    if ((n->kind == N_CALL || n->kind == N_IDENT) && n->name)
        near = zn_nearest(n->name, words, ZN_ARRAY_SIZE(words));
    if (near && strcmp(near, n->name))
        zn_hint(p->d, e, "did you mean '%s'?", near);
}

/* block := "{" (stmt | ";")* [expr] "}" */
bool zn_block(struct zn_parser *p, struct zn_list *l, struct zn_node **ret_value)
{
    struct zn_pos open = p->t.pos;
    zn_list_init(l);
    if (!zn_expect(p, TK_LBRACE, ""))
        return false;
    while (!zn_at(p, TK_RBRACE) && !zn_at(p, TK_EOF)) {
        if (zn_accept(p, TK_SEMI))
            continue;
        bool semi;
        struct zn_node *n = stmt(p, &semi);
        if (n && semi && !zn_at(p, TK_SEMI) && !zn_at(p, TK_RBRACE)) {
            if (!zn_at(p, TK_EOF))
                missing_semi(p, n);
            n = zn_at(p, TK_EOF) ? n : NULL;
        }
        if (!n) {
            zn_sync_stmt(p);
            continue;
        }
        if (ret_value && !is_stmt(n) && has_value(n) && zn_at(p, TK_RBRACE))
            *ret_value = n;
        else
            zn_list_add(l, is_stmt(n) ? n : to_stmt(p, n));
    }
    if (zn_at(p, TK_RBRACE))
        return true;
    zn_perror(p, open, "this '{' has no matching '}'");
    return false;
}
