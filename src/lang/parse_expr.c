/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions: precedence climbing over iterated unary and postfix operators. */
#include <string.h>

#include "lang/parse.h"

/* What may follow a parenthesised name only when that was a cast: (foo) $x. */
static bool operand_only(enum zn_tk k)
{
    return k == TK_INT || k == TK_STR || k == TK_VAR || k == TK_MAP || k == TK_IDENT ||
           k == TK_PARAM || k == TK_TILDE || k == TK_NOT;
}

static bool is_cast(struct zn_parser *p)
{
    const struct zn_tok *t = zn_peek(p, 1);
    if (t->kind != TK_IDENT)
        return false;
    if (zn_type_ahead(p, 1))
        return true;
    unsigned i = 2;
    while (i < ZN_MAX_AHEAD - 2 && zn_peek(p, i)->kind == TK_STAR)
        i++;
    if (zn_peek(p, i)->kind == TK_LBRACK && zn_peek(p, i + 1)->kind == TK_RBRACK)
        return true;
    if (zn_peek(p, i)->kind != TK_RPAREN)
        return false;
    return i > 2 || operand_only(zn_peek(p, i + 1)->kind);
}

/* expr_list := [expr ("," expr)*] close */
bool zn_expr_list(struct zn_parser *p, enum zn_tk close, struct zn_list *l)
{
    zn_list_init(l);
    if (zn_accept(p, close))
        return true;
    for (;;) {
        struct zn_node *e = zn_expr(p);
        if (!e)
            return false;
        zn_list_add(l, e);
        if (zn_accept(p, close))
            return true;
        if (!zn_at(p, TK_COMMA)) {
            zn_unexpected(p, zn_arena_printf(p->arena, "',' or '%s'", zn_tk_spelling(close)));
            return false;
        }
        zn_advance(p);
    }
}

/* map := "@name" ["[" expr_list "]"] */
static struct zn_node *map(struct zn_parser *p)
{
    struct zn_node *n = zn_mk(p, N_MAP, p->t.pos);
    n->name = zn_tok_text(p, &p->t);
    zn_advance(p);
    if (!zn_at(p, TK_LBRACK))
        return zn_done(p, n);
    struct zn_pos open = p->t.pos;
    zn_advance(p);
    struct zn_list l;
    if (zn_at(p, TK_RBRACK))
        return zn_unexpected(p, "a key between '[' and ']'");
    struct zn_pos first = p->t.pos;
    if (!zn_expr_list(p, TK_RBRACK, &l))
        return NULL;
    n->a = l.head;
    if (l.head->next) {
        struct zn_node *tuple = zn_mk(p, N_TUPLE, first);
        tuple->implied = true;
        tuple->list = l.head;
        if (!zn_done(p, tuple))
            return NULL;
        tuple->pos = (struct zn_pos){open.end, ZN_MAX(p->prev.begin, first.end)};
        if (tuple->pos.begin >= tuple->pos.end) /* inside a macro */
            tuple->pos = first;
        n->a = tuple;
    }
    return zn_done(p, n);
}

/* A type or an expression between parentheses: sizeof, typeof, the first part of offsetof. */
static bool type_or_expr(struct zn_parser *p, struct zn_node *n)
{
    bool type = zn_type_ahead(p, 0);
    if (!type && zn_at(p, TK_IDENT) && zn_peek(p, 1)->kind == TK_STAR) {
        unsigned i = 1;
        while (i < ZN_MAX_AHEAD - 1 && zn_peek(p, i)->kind == TK_STAR)
            i++;
        type = zn_peek(p, i)->kind == TK_RPAREN || zn_peek(p, i)->kind == TK_COMMA;
    }
    if (type)
        return (n->ctype = zn_type(p)) != NULL;
    return (n->a = zn_expr(p)) != NULL;
}

/* sizeof := "sizeof" "(" (type | expr) ")"; typeof and typeinfo alike */
static struct zn_node *sizeof_(struct zn_parser *p, enum zn_node_kind kind)
{
    struct zn_node *n = zn_mk(p, kind, p->t.pos);
    if (kind == N_TYPEOF)
        n->name = zn_tok_text(p, &p->t);
    zn_advance(p);
    zn_advance(p);
    if (!type_or_expr(p, n) || !zn_expect(p, TK_RPAREN, "after the operand"))
        return NULL;
    return zn_done(p, n);
}

/* offsetof := "offsetof" "(" (type | expr) "," name ("." name)* ")" */
static struct zn_node *offsetof_(struct zn_parser *p)
{
    struct zn_node *n = zn_mk(p, N_OFFSETOF, p->t.pos);
    struct zn_list l;
    zn_list_init(&l);
    zn_advance(p);
    zn_advance(p);
    if (!type_or_expr(p, n) || !zn_expect(p, TK_COMMA, "after the type"))
        return NULL;
    do {
        if (!zn_at(p, TK_IDENT))
            return zn_unexpected(p, "a field's name");
        struct zn_node *f = zn_mk(p, N_IDENT, p->t.pos);
        f->name = zn_tok_text(p, &p->t);
        zn_advance(p);
        zn_list_add(&l, zn_done(p, f));
    } while (zn_accept(p, TK_DOT));
    n->list = l.head;
    return zn_expect(p, TK_RPAREN, "after the field") ? zn_done(p, n) : NULL;
}

/* call := name ["!"] "(" expr_list */
static struct zn_node *call(struct zn_parser *p)
{
    struct zn_node *n = zn_mk(p, N_CALL, p->t.pos);
    struct zn_list l;
    n->name = zn_tok_text(p, &p->t);
    zn_advance(p);
    zn_accept(p, TK_NOT);
    zn_advance(p);
    if (!zn_expr_list(p, TK_RPAREN, &l))
        return NULL;
    n->list = l.head;
    return zn_done(p, n);
}

/* comptime := "comptime" expr */
static struct zn_node *comptime(struct zn_parser *p)
{
    struct zn_node *n = zn_mk(p, N_COMPTIME, p->t.pos);
    zn_advance(p);
    n->a = zn_expr(p);
    return n->a ? zn_done(p, n) : NULL;
}

static bool reserved(const struct zn_tok *t)
{
    static const char *const words[] = {"else",  "while",    "for",    "unroll", "let", "return",
                                        "break", "continue", "struct", "union",  "enum"};
    for (size_t i = 0; i < ZN_ARRAY_SIZE(words); i++)
        if (zn_tok_is(t, words[i]))
            return true;
    return false;
}

/* word := "true" | "false" | if_expr | sizeof | offsetof | typeof | comptime | call | name */
static struct zn_node *word(struct zn_parser *p)
{
    const struct zn_tok *next = zn_peek(p, 1);
    bool paren = next->kind == TK_LPAREN;
    if (zn_at_word(p, "true") || zn_at_word(p, "false")) {
        struct zn_node *n = zn_mk(p, N_BOOL, p->t.pos);
        n->num = zn_at_word(p, "true");
        zn_advance(p);
        return zn_done(p, n);
    }
    if (zn_at_word(p, "if"))
        return zn_if_expr(p);
    if (paren && zn_at_word(p, "sizeof"))
        return sizeof_(p, N_SIZEOF);
    if (paren && zn_at_word(p, "offsetof"))
        return offsetof_(p);
    if (paren && (zn_at_word(p, "typeof") || zn_at_word(p, "typeinfo")))
        return sizeof_(p, N_TYPEOF);
    if (zn_at_word(p, "comptime") && (paren || next->kind == TK_LBRACE || operand_only(next->kind)))
        return comptime(p);
    if (reserved(&p->t))
        return zn_unexpected(p, "an expression");
    if (paren || (next->kind == TK_NOT && zn_peek(p, 2)->kind == TK_LPAREN))
        return call(p);
    struct zn_node *n = zn_mk(p, N_IDENT, p->t.pos);
    n->name = zn_tok_text(p, &p->t);
    zn_advance(p);
    return zn_done(p, n);
}

/* record := "(" name "=" expr ("," name "=" expr)* [","] ")" */
static struct zn_node *record(struct zn_parser *p, struct zn_node *n)
{
    struct zn_list l;
    zn_list_init(&l);
    n->kind = N_RECORD;
    while (!zn_accept(p, TK_RPAREN)) {
        if (!zn_at(p, TK_IDENT))
            return zn_unexpected(p, "a field's name");
        struct zn_node *f = zn_mk(p, N_RECORD_FIELD, p->t.pos);
        f->name = zn_tok_text(p, &p->t);
        zn_advance(p);
        if (!zn_expect(p, TK_ASSIGN, "after the field's name") || !(f->a = zn_expr(p)) ||
            !zn_done(p, f))
            return NULL;
        zn_list_add(&l, f);
        if (!zn_at(p, TK_RPAREN) && !zn_expect(p, TK_COMMA, "or ')' after the field"))
            return NULL;
    }
    n->list = l.head;
    return zn_done(p, n);
}

/* paren := "(" expr ")" | "(" ")" | "(" expr "," [expr ("," expr)*] ")" | record */
static struct zn_node *paren(struct zn_parser *p)
{
    struct zn_node *n = zn_mk(p, N_TUPLE, p->t.pos);
    struct zn_list l;
    zn_list_init(&l);
    zn_advance(p);
    if (zn_at(p, TK_IDENT) && zn_peek(p, 1)->kind == TK_ASSIGN)
        return record(p, n);
    if (zn_accept(p, TK_RPAREN))
        return zn_done(p, n);
    struct zn_node *e = zn_expr(p);
    if (!e)
        return NULL;
    if (zn_accept(p, TK_RPAREN)) {
        e->pos = (struct zn_pos){n->pos.begin, ZN_MAX(n->pos.end, p->prev.end)};
        return e;
    }
    zn_list_add(&l, e);
    while (zn_accept(p, TK_COMMA) && !zn_at(p, TK_RPAREN)) {
        if (!(e = zn_expr(p)))
            return NULL;
        zn_list_add(&l, e);
    }
    n->list = l.head;
    if (!zn_accept(p, TK_RPAREN))
        return zn_unexpected(p, "',' or ')'");
    return zn_done(p, n);
}

static struct zn_node *literal(struct zn_parser *p)
{
    struct zn_node *n = zn_mk(p, N_INT, p->t.pos);
    n->num = p->t.num;
    n->implied = p->t.big;
    if (p->t.kind == TK_PARAM) {
        n->kind = N_PARAM;
    } else if (p->t.kind == TK_VAR) {
        n->kind = N_VAR;
        n->name = zn_tok_text(p, &p->t);
    } else if (p->t.kind == TK_STR) {
        n->kind = N_STR;
        n->str = p->t.str;
        n->str_len = p->t.str_len;
    }
    zn_advance(p);
    return zn_done(p, n);
}

/* primary := number | string | $name | $1 | $# | map | word | paren | block_expr */
static struct zn_node *primary(struct zn_parser *p)
{
    switch (p->t.kind) {
    case TK_INT:
    case TK_STR:
    case TK_VAR:
    case TK_PARAM: return literal(p);
    case TK_MAP: return map(p);
    case TK_IDENT: return word(p);
    case TK_LPAREN: return paren(p);
    case TK_LBRACE: return zn_block_expr(p);
    default: return zn_unexpected(p, "an expression");
    }
}

/* member := ("." | "->") name | "." number */
static struct zn_node *member(struct zn_parser *p, struct zn_node *a)
{
    struct zn_node *n = zn_mk(p, N_FIELD, a->pos);
    n->num = zn_at(p, TK_ARROW);
    n->a = a;
    zn_advance(p);
    if (zn_at(p, TK_INT) && !n->num) {
        if (a->kind == N_INT) {
            zn_perror(p, p->t.pos, "floating-point numbers are not supported");
            return NULL;
        }
        n->kind = N_TUPLE_AT;
        n->num = p->t.num;
    } else if (zn_at(p, TK_IDENT)) {
        n->name = zn_tok_text(p, &p->t);
    } else {
        return zn_unexpected(p, n->num ? "a field's name after '->'" : "a field's name after '.'");
    }
    zn_advance(p);
    return zn_done(p, n);
}

/* What ++ and -- work on; a name may be a macro's parameter. */
static bool countable(struct zn_parser *p, const struct zn_node *n, enum zn_op op)
{
    if (n->kind == N_VAR || n->kind == N_MAP || n->kind == N_IDENT)
        return true;
    zn_perror(p, n->pos, "'%s' works on variables and maps only", zn_op_name(op));
    return false;
}

/* postfix := primary (member | "[" expr "]" | "++" | "--")* */
static struct zn_node *postfix(struct zn_parser *p)
{
    struct zn_node *n = primary(p);
    while (n) {
        struct zn_node *up;
        switch (p->t.kind) {
        case TK_DOT:
        case TK_ARROW: n = member(p, n); break;
        case TK_LBRACK:
            up = zn_mk(p, N_INDEX, n->pos);
            up->a = n;
            zn_advance(p);
            if (!(up->b = zn_expr(p)) || !zn_expect(p, TK_RBRACK, "after the index"))
                return NULL;
            n = zn_done(p, up);
            break;
        case TK_INC:
        case TK_DEC:
            up = zn_mk(p, N_INCDEC, n->pos);
            up->op = zn_at(p, TK_INC) ? OP_INC : OP_DEC;
            up->a = n;
            if (!countable(p, n, up->op))
                return NULL;
            zn_advance(p);
            n = zn_done(p, up);
            break;
        default: return n;
        }
    }
    return NULL;
}

static enum zn_op prefix_op(enum zn_tk k)
{
    switch (k) {
    case TK_NOT: return OP_NOT;
    case TK_TILDE: return OP_BNOT;
    case TK_MINUS: return OP_NEG;
    case TK_STAR: return OP_DEREF;
    case TK_AMP: return OP_ADDR;
    case TK_INC: return OP_INC;
    case TK_DEC: return OP_DEC;
    default: return OP_NONE;
    }
}

/* unary := ("!" | "~" | "-" | "*" | "&" | "++" | "--" | "(" type ")")* postfix */
static struct zn_node *unary(struct zn_parser *p)
{
    struct zn_node *pending = NULL; /* chained from the innermost to the outermost */
    for (;;) {
        enum zn_op op = prefix_op(p->t.kind);
        if (!op && !(zn_at(p, TK_LPAREN) && is_cast(p)))
            break;
        struct zn_node *n = zn_mk(p, op ? N_UNARY : N_CAST, p->t.pos);
        zn_advance(p);
        if (op == OP_INC || op == OP_DEC) {
            n->kind = N_INCDEC;
            n->num = 1;
        }
        n->op = op;
        if (!op && (!(n->ctype = zn_type(p)) || !zn_expect(p, TK_RPAREN, "after the cast's type")))
            return NULL;
        n->next = pending;
        pending = n;
    }
    struct zn_node *e = postfix(p);
    while (e && pending) {
        struct zn_node *n = pending;
        pending = n->next;
        n->next = NULL;
        n->a = e;
        if (n->kind == N_INCDEC && !countable(p, e, n->op))
            return NULL;
        e = zn_done(p, n);
    }
    return e;
}

static const struct {
    enum zn_tk tk;
    enum zn_op op;
    unsigned prec;
} binaries[] = {
    {TK_OROR, OP_LOR, 1},   {TK_ANDAND, OP_LAND, 2},  {TK_PIPE, OP_OR, 3},   {TK_CARET, OP_XOR, 4},
    {TK_AMP, OP_AND, 5},    {TK_EQ, OP_EQ, 6},        {TK_NE, OP_NE, 6},     {TK_LT, OP_LT, 7},
    {TK_LE, OP_LE, 7},      {TK_GT, OP_GT, 7},        {TK_GE, OP_GE, 7},     {TK_SHL, OP_SHL, 8},
    {TK_SHR, OP_SHR, 8},    {TK_PLUS, OP_ADD, 9},     {TK_MINUS, OP_SUB, 9}, {TK_STAR, OP_MUL, 10},
    {TK_SLASH, OP_DIV, 10}, {TK_PERCENT, OP_MOD, 10},
};

/* binary := unary (op unary)*, by precedence, left-associative */
static struct zn_node *binary(struct zn_parser *p, unsigned min)
{
    struct zn_node *a = unary(p);
    while (a) {
        size_t i = 0;
        while (i < ZN_ARRAY_SIZE(binaries) && binaries[i].tk != p->t.kind)
            i++;
        if (i == ZN_ARRAY_SIZE(binaries) || binaries[i].prec < min)
            return a;
        if (p->in_pred && zn_at(p, TK_SLASH) && zn_peek(p, 1)->kind == TK_LBRACE)
            return a;
        struct zn_node *n = zn_mk(p, N_BINARY, a->pos);
        n->op = binaries[i].op;
        n->a = a;
        zn_advance(p);
        if (!(n->b = binary(p, binaries[i].prec + 1)))
            return NULL;
        a = zn_done(p, n);
    }
    return NULL;
}

/* expr := binary ["?" [expr] ":" expr] */
struct zn_node *zn_expr(struct zn_parser *p)
{
    if (!zn_enter(p))
        return NULL;
    struct zn_node *e = binary(p, 1);
    if (e && zn_at(p, TK_QUEST)) {
        struct zn_node *n = zn_mk(p, N_TERNARY, e->pos);
        n->c = e;
        e = NULL;
        zn_advance(p);
        if ((zn_at(p, TK_COLON) || (n->a = zn_expr(p))) &&
            zn_expect(p, TK_COLON, "of the '?' operator") && (n->b = zn_expr(p)))
            e = zn_done(p, n);
    }
    zn_leave(p);
    return e;
}
