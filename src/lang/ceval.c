/* SPDX-License-Identifier: Apache-2.0 */
/* Integer constant expressions over tokens: #if, enum values, array dimensions. */
#include "base/arena.h"
#include "lang/lex.h"

enum { MAX_DEPTH = 100 };

static int64_t ternary(struct zn_ceval *e);

static int64_t fail(struct zn_ceval *e, const struct zn_tok *at, const char *why)
{
    if (!e->bad) {
        e->bad = at;
        e->why = why;
    }
    e->t = e->end;
    return 0;
}

static bool accept(struct zn_ceval *e, enum zn_tk k)
{
    if (e->t == e->end || e->t->kind != k)
        return false;
    e->t++;
    return true;
}

/* unary := ("!" | "~" | "-" | "+") unary | "(" ternary ")" | number | name */
static int64_t unary(struct zn_ceval *e)
{
    if (e->t == e->end)
        return fail(e, e->end, "the expression ends too early");
    if (e->depth >= MAX_DEPTH)
        return fail(e, e->t, "the expression is nested too deeply");
    const struct zn_tok *t = e->t++;
    int64_t v = 0;
    e->depth++;
    switch (t->kind) {
    case TK_NOT: v = !unary(e); break;
    case TK_TILDE: v = ~unary(e); break;
    case TK_MINUS: v = (int64_t) - (uint64_t)unary(e); break;
    case TK_PLUS: v = unary(e); break;
    case TK_LPAREN:
        v = ternary(e);
        if (!e->bad && !accept(e, TK_RPAREN))
            fail(e, e->t, "expected ')' in the expression");
        break;
    case TK_INT: v = t->num; break;
    case TK_IDENT:
        if (!e->lookup || !e->lookup(e->arg, t, &v))
            fail(e, t, zn_arena_printf(e->arena, "'%.*s' is not a constant", (int)t->len, t->text));
        break;
    case TK_ERROR: fail(e, t, t->err); break;
    default:
        fail(e, t,
             zn_arena_printf(e->arena, "unexpected %s in a constant expression",
                             zn_tok_name(e->arena, t)));
    }
    e->depth--;
    return v;
}

static unsigned precedence(enum zn_tk k)
{
    switch (k) {
    case TK_OROR: return 1;
    case TK_ANDAND: return 2;
    case TK_PIPE: return 3;
    case TK_CARET: return 4;
    case TK_AMP: return 5;
    case TK_EQ:
    case TK_NE: return 6;
    case TK_LT:
    case TK_LE:
    case TK_GT:
    case TK_GE: return 7;
    case TK_SHL:
    case TK_SHR: return 8;
    case TK_PLUS:
    case TK_MINUS: return 9;
    case TK_STAR:
    case TK_SLASH:
    case TK_PERCENT: return 10;
    default: return 0;
    }
}

static int64_t apply(struct zn_ceval *e, const struct zn_tok *op, int64_t a, int64_t b)
{
    uint64_t ua = (uint64_t)a, ub = (uint64_t)b;
    switch (op->kind) {
    case TK_OROR: return a || b;
    case TK_ANDAND: return a && b;
    case TK_PIPE: return a | b;
    case TK_CARET: return a ^ b;
    case TK_AMP: return a & b;
    case TK_EQ: return a == b;
    case TK_NE: return a != b;
    case TK_LT: return a < b;
    case TK_LE: return a <= b;
    case TK_GT: return a > b;
    case TK_GE: return a >= b;
    case TK_SHL: return (int64_t)(ua << (ub & 63));
    case TK_SHR: return a >> (ub & 63);
    case TK_PLUS: return (int64_t)(ua + ub);
    case TK_MINUS: return (int64_t)(ua - ub);
    case TK_STAR: return (int64_t)(ua * ub);
    default:
        if (!b)
            return fail(e, op, "division by zero");
        if (b == -1) /* INT64_MIN / -1 has no answer */
            return op->kind == TK_SLASH ? (int64_t)-ua : 0;
        return op->kind == TK_SLASH ? a / b : a % b;
    }
}

/* binary := unary (op unary)*, by precedence */
static int64_t binary(struct zn_ceval *e, unsigned min)
{
    int64_t v = unary(e);
    while (!e->bad && e->t != e->end) {
        const struct zn_tok *op = e->t;
        unsigned p = precedence(op->kind);
        if (!p || p < min)
            break;
        e->t++;
        v = apply(e, op, v, binary(e, p + 1));
    }
    return v;
}

/* ternary := binary ["?" ternary ":" ternary] */
static int64_t ternary(struct zn_ceval *e)
{
    if (++e->depth > MAX_DEPTH)
        return fail(e, e->t, "the expression is nested too deeply");
    int64_t v = binary(e, 1);
    if (!e->bad && accept(e, TK_QUEST)) {
        int64_t yes = ternary(e);
        if (!e->bad && !accept(e, TK_COLON))
            fail(e, e->t, "expected ':' in the expression");
        int64_t no = e->bad ? 0 : ternary(e);
        v = v ? yes : no;
    }
    e->depth--;
    return v;
}

int64_t zn_ceval(struct zn_ceval *e)
{
    return ternary(e);
}
