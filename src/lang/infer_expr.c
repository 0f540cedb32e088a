/* SPDX-License-Identifier: Apache-2.0 */
/* Types of expressions. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "lang/builtin.h"
#include "lang/sema.h"

static struct zn_type *int64(struct zn_cc *cc)
{
    return zn_type_int(&cc->types, 8, true);
}

static bool is_num(const struct zn_type *t)
{
    return t && (t->kind == T_INT || t->kind == T_BOOL || t->kind == T_ENUM || t->kind == T_PTR ||
                 t->kind == T_KSYM || t->kind == T_MAC || t->kind == T_TIMESTAMP);
}

/* Aggregations that give a number when a program reads them. */
static bool agg_num(const struct zn_type *t)
{
    return t && (t->kind == T_COUNT || t->kind == T_SUM || t->kind == T_MIN || t->kind == T_MAX ||
                 t->kind == T_AVG);
}

bool zn_want_int(struct zn_cc *cc, struct zn_node *n, const char *what)
{
    if (!n->type)
        return false;
    if (is_num(n->type))
        return true;
    if (agg_num(n->type) && n->kind == N_MAP) {
        zn_map_lookup(cc, n)->sync_read = true;
        return true;
    }
    zn_cc_error(cc, n->pos, "%s must be an integer, not '%s'", what, zn_type_str_name(cc, n->type));
    return false;
}

bool zn_infer_int(struct zn_cc *cc, struct zn_node *n, const char *what)
{
    zn_infer_expr(cc, n);
    return zn_want_int(cc, n, what);
}

/* ---- names ---- */

static void unknown_name(struct zn_cc *cc, struct zn_node *n, bool call)
{
    const char *names[256];
    unsigned k = 0;
    const struct zn_builtin *b;
    for (unsigned i = 0; (b = zn_builtin_at(i)) && k < ZN_ARRAY_SIZE(names); i++)
        if (call || (b->flags & BI_BARE))
            names[k++] = b->name;
    struct zn_diag *d = zn_cc_error(
        cc, n->pos, call ? "Unknown function: '%s'" : "Unknown identifier: '%s'", n->name);
    const char *near = zn_nearest(n->name, names, k);
    if (near && d)
        zn_hint(cc->d, d, "did you mean %s?", near);
}

static unsigned count_args(const struct zn_node *n)
{
    unsigned k = 0;
    for (const struct zn_node *a = n->list; a; a = a->next)
        k++;
    return k;
}

static void infer_call(struct zn_cc *cc, struct zn_node *n)
{
    const struct zn_builtin *b = zn_builtin_find(n->name);
    if (!b || (n->kind == N_IDENT && !(b->flags & BI_BARE))) {
        struct zn_type *et;
        int64_t v;
        if (n->kind == N_IDENT && zn_type_enumerator(&cc->types, n->name, &et, &v)) {
            n->kind = N_INT;
            n->num = v;
            n->type = et;
            return;
        }
        if (b) {
            struct zn_diag *d = zn_cc_error(cc, n->pos, "%s is a function", n->name);
            if (d)
                zn_hint(cc->d, d, "write %s", b->sig);
            return;
        }
        unknown_name(cc, n, n->kind == N_CALL);
        return;
    }
    n->sym = (void *)b;
    if (b->flags & BI_AGG) {
        struct zn_diag *d = zn_cc_error(cc, n->pos, "%s() should be assigned to a map", n->name);
        if (d)
            zn_hint(cc->d, d, "@%s = %s", n->name, b->sig);
        return;
    }
    unsigned k = count_args(n);
    if (k < b->min_args || k > b->max_args) {
        struct zn_diag *d;
        if (b->min_args == b->max_args)
            d = zn_cc_error(cc, n->pos, "%s() requires %u argument%s (%u provided)", b->name,
                            b->min_args, b->min_args == 1 ? "" : "s", k);
        else if (k < b->min_args)
            d = zn_cc_error(cc, n->pos, "%s() requires at least %u argument%s (%u provided)",
                            b->name, b->min_args, b->min_args == 1 ? "" : "s", k);
        else
            d = zn_cc_error(cc, n->pos, "%s() takes up to %u argument%s (%u provided)", b->name,
                            b->max_args, b->max_args == 1 ? "" : "s", k);
        if (d)
            zn_hint(cc->d, d, "%s", b->sig);
        return;
    }
    if ((b->flags & BI_UNSAFE) && !cc->env->unsafe) {
        struct zn_diag *d =
            zn_cc_error(cc, n->pos, "%s() is an unsafe function being used in safe mode", b->name);
        if (d)
            zn_hint(cc->d, d, "--unsafe allows it");
        return;
    }
    if (!(b->flags & BI_RAWARGS))
        for (struct zn_node *a = n->list; a; a = a->next)
            if (!((b->flags & BI_MAP0) && a == n->list))
                zn_infer_expr(cc, a);
    if (!b->infer(cc, n))
        n->type = NULL;
}

static void infer_param(struct zn_cc *cc, struct zn_node *n)
{
    if (n->num == 0) {
        n->kind = N_INT;
        n->num = cc->argc;
        n->type = int64(cc);
        return;
    }
    if ((uint64_t)n->num > cc->argc) {
        zn_warning(cc->d, n->pos, "positional parameter $%lld is not given: it is 0 here",
                   (long long)n->num);
        n->kind = N_INT;
        n->num = 0;
        n->type = int64(cc);
        return;
    }
    const char *s = cc->argv[n->num - 1];
    char *end;
    errno = 0;
    long long v = strtoll(s, &end, 0);
    if (errno == ERANGE) {
        errno = 0;
        v = (long long)strtoull(s, &end, 0);
    }
    if (*s && !*end && !errno) {
        n->kind = N_INT;
        n->num = v;
        n->type = int64(cc);
        return;
    }
    n->kind = N_STR;
    n->str = s;
    n->str_len = (uint32_t)strlen(s);
    n->type = zn_type_str(&cc->types, n->str_len + 1, true);
}

/* ---- operators ---- */

/* Whether an operand leaves the choice of signedness to the other side. */
static bool neutral(const struct zn_node *n)
{
    return (n->kind == N_INT && n->num >= 0 && !n->implied) || (n->type && n->type->kind == T_BOOL);
}

static bool is_unsigned(const struct zn_node *n)
{
    const struct zn_type *t = n->type;
    if (!t)
        return false;
    if (t->kind == T_INT || t->kind == T_ENUM)
        return !t->sign;
    return t->kind == T_PTR || t->kind == T_KSYM || t->kind == T_COUNT;
}

bool zn_op_unsigned(const struct zn_node *a, const struct zn_node *b)
{
    bool ua = is_unsigned(a) || neutral(a), ub = is_unsigned(b) || neutral(b);
    return ua && ub && !(neutral(a) && neutral(b));
}

static void infer_compare(struct zn_cc *cc, struct zn_node *n)
{
    struct zn_type *ta = n->a->type, *tb = n->b->type;
    n->type = zn_type_simple(&cc->types, T_BOOL);
    if (!ta || !tb)
        return;
    bool eq = n->op == OP_EQ || n->op == OP_NE;
    if (eq && ta->kind == T_STR && tb->kind == T_STR)
        return;
    if (eq &&
        (ta->kind == T_TUPLE || ta->kind == T_ARRAY || ta->kind == T_RECORD || ta->kind == T_BUF) &&
        zn_unify(cc, ta, tb))
        return;
    if (eq && ((ta->kind == T_STR) != (tb->kind == T_STR))) {
        zn_cc_error(cc, n->pos, "Type mismatch for '%s': comparing %s with %s", zn_op_name(n->op),
                    zn_type_str_name(cc, ta), zn_type_str_name(cc, tb));
        return;
    }
    zn_want_int(cc, n->a, "an operand");
    zn_want_int(cc, n->b, "an operand");
}

static void infer_binary(struct zn_cc *cc, struct zn_node *n)
{
    zn_infer_expr(cc, n->a);
    zn_infer_expr(cc, n->b);
    switch (n->op) {
    case OP_EQ:
    case OP_NE:
    case OP_LT:
    case OP_LE:
    case OP_GT:
    case OP_GE: infer_compare(cc, n); return;
    case OP_LAND:
    case OP_LOR:
        n->type = zn_type_simple(&cc->types, T_BOOL);
        zn_want_int(cc, n->a, "an operand");
        zn_want_int(cc, n->b, "an operand");
        return;
    default: break;
    }
    if (!n->a->type || !n->b->type) {
        /* `@x = @x + 1` before @x has a type: it gets the other side's */
        struct zn_type *t = n->a->type ? n->a->type : n->b->type;
        if (t && t->kind == T_INT && !cc->final)
            n->type = zn_type_int(&cc->types, 8, t->sign);
        return;
    }
    if (!zn_want_int(cc, n->a, "an operand") || !zn_want_int(cc, n->b, "an operand"))
        return;
    struct zn_type *ta = n->a->type, *tb = n->b->type;
    if (ta->kind == T_PTR && tb->kind != T_PTR && (n->op == OP_ADD || n->op == OP_SUB)) {
        n->type = ta;
        return;
    }
    if (tb->kind == T_PTR && ta->kind != T_PTR && n->op == OP_ADD) {
        n->type = tb;
        return;
    }
    bool u = zn_op_unsigned(n->a, n->b);
    n->type = zn_type_int(&cc->types, 8, n->op == OP_SUB ? true : !u);
    int64_t v;
    if ((n->op == OP_DIV || n->op == OP_MOD) && zn_const_int(cc, n->b, &v) && v == 0)
        zn_cc_error(cc, n->b->pos, "division by zero");
}

/* The address space that memory reached through n lies in. */
static enum zn_space space_of(const struct zn_node *n)
{
    while ((n->kind == N_FIELD || n->kind == N_INDEX) && n->a->type && n->type &&
           n->type->kind != T_PTR)
        n = n->a;
    if (!n->type || n->type->kind != T_PTR)
        return ZN_SPACE_NONE;
    return n->type->user_tag ? ZN_SPACE_USER : (enum zn_space)n->type->space;
}

/* What is read from memory behind `base`: a pointer there points to where it lies itself, and a
 * variable that takes it must know that. */
static struct zn_type *read_type(struct zn_cc *cc, struct zn_type *t, const struct zn_node *base)
{
    enum zn_space space = space_of(base);
    if (t->kind != T_PTR || t->space != ZN_SPACE_NONE || t->user_tag || space == ZN_SPACE_NONE)
        return t;
    return zn_type_ptr(&cc->types, t->elem, space);
}

static void infer_unary(struct zn_cc *cc, struct zn_node *n)
{
    zn_infer_expr(cc, n->a);
    struct zn_type *t = n->a->type;
    if (!t)
        return;
    if (n->op == OP_ADDR) {
        if (n->a->kind != N_VAR) {
            zn_cc_error(cc, n->pos, "only the address of a variable can be taken yet");
            return;
        }
        struct zn_varsym *v = n->a->sym;
        if (v->is_range) {
            zn_cc_error(cc, n->pos, "$%s is a loop variable: it has no address", v->name);
            return;
        }
        v->addressed = true;
        n->type = zn_type_ptr(&cc->types, t, ZN_SPACE_KERNEL);
        return;
    }
    if (n->op == OP_DEREF) {
        if (t->kind == T_PTR && t->elem && t->elem->kind != T_VOID) {
            n->type = read_type(cc, t->elem, n->a);
            return;
        }
        if (t->kind == T_INT) { /* old spelling: reads a word */
            n->type = zn_type_int(&cc->types, 8, false);
            return;
        }
        zn_cc_error(cc, n->pos, "Can not dereference type '%s'", zn_type_str_name(cc, t));
        return;
    }
    if (!zn_want_int(cc, n->a, "an operand"))
        return;
    if (n->op == OP_NOT)
        n->type = zn_type_simple(&cc->types, T_BOOL);
    else
        n->type = zn_type_int(&cc->types, 8, n->op == OP_NEG || t->kind != T_INT || t->sign);
}

static void infer_incdec(struct zn_cc *cc, struct zn_node *n)
{
    if (n->a->kind == N_MAP) {
        struct zn_mapsym *m = zn_map_lookup(cc, n->a);
        zn_map_use_key(cc, n->a);
        if (!m->value || m->value->kind != T_PTR)
            zn_map_assign_type(cc, m, int64(cc), n->pos);
        n->a->type = m->value;
        n->type = m->value;
        if (m->value && !is_num(m->value))
            zn_cc_error(cc, n->pos, "The %s operator can not be used on '%s'", zn_op_name(n->op),
                        zn_type_str_name(cc, m->value));
        return;
    }
    if (n->a->kind != N_VAR) {
        zn_cc_error(cc, n->pos, "The %s operator must be applied to a map or variable",
                    zn_op_name(n->op));
        return;
    }
    zn_infer_expr(cc, n->a);
    if (n->a->type && !is_num(n->a->type))
        zn_cc_error(cc, n->pos, "The %s operator can not be used on '%s'", zn_op_name(n->op),
                    zn_type_str_name(cc, n->a->type));
    n->type = n->a->type;
}

static void infer_ternary(struct zn_cc *cc, struct zn_node *n)
{
    zn_infer_int(cc, n->c, "a condition");
    if (n->a)
        zn_infer_expr(cc, n->a);
    if (!n->b) {
        zn_cc_error(cc, n->pos, "an if that is used as a value needs an else");
        return;
    }
    zn_infer_expr(cc, n->b);
    struct zn_type *ta = n->a ? n->a->type : n->c->type, *tb = n->b->type;
    if (!ta || !tb) {
        n->type = ta ? ta : tb;
        return;
    }
    if (ta->kind == T_NONE || tb->kind == T_NONE) {
        n->type = zn_type_simple(&cc->types, T_NONE);
        return;
    }
    if (zn_type_is_agg(ta) || zn_type_is_agg(tb)) {
        zn_want_int(cc, n->a ? n->a : n->c, "an operand");
        zn_want_int(cc, n->b, "an operand");
        n->type = int64(cc);
        return;
    }
    n->type = zn_unify(cc, ta, tb);
    if (!n->type)
        zn_cc_error(cc, n->pos, "Ternary operator must return the same type: have '%s' and '%s'",
                    zn_type_str_name(cc, ta), zn_type_str_name(cc, tb));
}

/* ---- members ---- */

/* Bytes of the string that a char array becomes: one more, since a full array has no end; a task's
 * name always has one. */
uint32_t zn_char_array_cap(const struct zn_type *t)
{
    return t->nelem == 16 ? 16 : t->nelem + 1;
}

static struct zn_type *decay(struct zn_cc *cc, struct zn_type *t)
{
    /* a C array of char reads as a string */
    if (t && t->kind == T_ARRAY && t->elem && t->elem->is_char && t->nelem)
        return zn_type_str(&cc->types, zn_char_array_cap(t), false);
    return t;
}

static void infer_field(struct zn_cc *cc, struct zn_node *n)
{
    zn_infer_expr(cc, n->a);
    struct zn_type *t = n->a->type;
    if (!t)
        return;
    if (t->kind == T_PTR)
        t = t->elem;
    if (!t || (t->kind != T_STRUCT && t->kind != T_RECORD)) {
        zn_cc_error(cc, n->pos, "Can not access field '%s' on expression of type '%s'", n->name,
                    zn_type_str_name(cc, n->a->type));
        return;
    }
    struct zn_field f;
    if (!zn_type_field(&cc->types, t, n->name, &f)) {
        const char *names[512];
        uint32_t k = 0;
        zn_type_load_fields(&cc->types, t);
        for (uint32_t i = 0; i < t->nfields && k < ZN_ARRAY_SIZE(names); i++)
            if (t->fields[i].name)
                names[k++] = t->fields[i].name;
        struct zn_diag *d;
        if (!t->nfields && t->name)
            d = zn_cc_error(cc, n->a->pos,
                            "struct %s is not known: neither the script nor the kernel's types "
                            "define it",
                            t->name);
        else if (n->a->kind == N_IDENT && strcmp(n->a->name, "args") == 0)
            d = zn_cc_error(cc, n->pos, "%s has no argument named '%s'", cc->body->targets[0].name,
                            n->name);
        else
            d = zn_cc_error(cc, n->pos, "'%s' does not contain a field named '%s'",
                            zn_type_str_name(cc, t), n->name);
        const char *near = zn_nearest(n->name, names, k);
        if (near && d)
            zn_hint(cc->d, d, "did you mean %s?", near);
        return;
    }
    n->type = read_type(cc, decay(cc, f.type), n->a);
}

static void infer_index(struct zn_cc *cc, struct zn_node *n)
{
    zn_infer_expr(cc, n->a);
    struct zn_type *t = n->a->type;
    int64_t i;
    if (t && t->kind == T_TUPLE) {
        zn_infer_expr(cc, n->b);
        if (!zn_const_int(cc, n->b, &i) || i < 0 || (uint64_t)i >= t->nfields) {
            zn_cc_error(cc, n->b->pos, "Invalid tuple index: the tuple has %u elements",
                        t->nfields);
            return;
        }
        n->kind = N_TUPLE_AT;
        n->num = i;
        n->type = t->fields[i].type;
        return;
    }
    if (!zn_infer_int(cc, n->b, "an array index") || !t)
        return;
    if (t->kind == T_STR && n->a->kind == N_STR && zn_const_int(cc, n->b, &i)) {
        n->kind = N_INT; /* a literal's byte */
        n->num = i >= 0 && i < n->a->str_len ? n->a->str[i] : 0;
        n->type = int64(cc);
        return;
    }
    if (t->kind == T_STR) {
        n->type = zn_type_int(&cc->types, 1, true);
        if (zn_const_int(cc, n->b, &i) && (i < 0 || (uint64_t)i >= t->size))
            zn_cc_error(cc, n->b->pos, "the index %lld is out of bounds for a string of %u bytes",
                        (long long)i, t->size);
        return;
    }
    if ((t->kind != T_ARRAY && t->kind != T_PTR) || !t->elem || t->elem->kind == T_VOID) {
        zn_cc_error(cc, n->pos,
                    "The array index operator [] can not be used on expression of type "
                    "'%s'",
                    zn_type_str_name(cc, t));
        return;
    }
    if (t->kind == T_ARRAY && t->nelem && zn_const_int(cc, n->b, &i) &&
        (i < 0 || (uint64_t)i >= t->nelem)) {
        zn_cc_error(cc, n->b->pos, "the index %lld is out of bounds for array of size %u",
                    (long long)i, t->nelem);
        return;
    }
    n->type = read_type(cc, decay(cc, t->elem), n->a);
}

static void infer_tuple(struct zn_cc *cc, struct zn_node *n, bool record)
{
    uint32_t k = 0;
    for (struct zn_node *e = n->list; e; e = e->next)
        k++;
    struct zn_type **t = zn_arena_array(cc->arena, struct zn_type *, k + 1);
    const char **names = zn_arena_array(cc->arena, const char *, k + 1);
    bool ok = true;
    uint32_t i = 0;
    for (struct zn_node *e = n->list; e; e = e->next, i++) {
        struct zn_node *v = record ? e->a : e;
        zn_infer_expr(cc, v);
        names[i] = record ? e->name : NULL;
        t[i] = v->type;
        if (t[i] && zn_type_is_agg(t[i])) {
            zn_want_int(cc, v, "an element");
            t[i] = int64(cc);
        }
        if (t[i] && t[i]->kind == T_INT)
            t[i] = zn_type_int(&cc->types, 8, t[i]->sign);
        if (t[i] && (t[i]->kind == T_NONE || t[i]->kind == T_VOID)) {
            zn_cc_error(cc, v->pos, "this expression has no value");
            ok = false;
        }
        ok &= t[i] != NULL;
    }
    if (ok)
        n->type = zn_type_tuple(&cc->types, t, record ? names : NULL, k);
}

static void infer_cast(struct zn_cc *cc, struct zn_node *n)
{
    zn_infer_expr(cc, n->a);
    const char *why = NULL;
    struct zn_type *t;
    if (n->ctype->of_expr) {
        zn_infer_expr(cc, n->ctype->of_expr);
        t = n->ctype->of_expr->type;
    } else {
        t = zn_type_from_ctype(&cc->types, n->ctype, &why);
    }
    if (!t) {
        zn_cc_error(cc, n->ctype->pos, "%s", why ? why : "unknown type");
        return;
    }
    struct zn_type *from = n->a->type;
    if (!from)
        return;
    /* A cast changes what a pointer points to, not where to. */
    if (t->kind == T_PTR && from->kind == T_PTR && t->space == ZN_SPACE_NONE)
        t = zn_type_ptr(&cc->types, t->elem,
                        from->user_tag ? ZN_SPACE_USER : (enum zn_space)from->space);
    if (is_num(t)) {
        if (from->kind == T_ARRAY && from->size <= 8) {
            n->type = t;
            return;
        }
        if (zn_want_int(cc, n->a, "a cast operand"))
            n->type = t;
        return;
    }
    if (t->kind == T_ARRAY && is_num(from)) {
        if (!t->nelem && t->elem && t->elem->size)
            t = zn_type_array(&cc->types, t->elem, 8 / t->elem->size);
        if (t->size != 8 && !(from->kind == T_INT && from->size == t->size))
            zn_cc_error(cc, n->pos, "Cannot cast from '%s' to '%s': the sizes differ",
                        zn_type_str_name(cc, from), zn_type_str_name(cc, t));
        n->type = t;
        return;
    }
    if (t->kind == T_STR && from->kind == T_STR) {
        n->type = t;
        return;
    }
    if (t->kind == T_STRUCT && is_num(from)) { /* old spelling: (struct x)ptr */
        n->type = zn_type_ptr(&cc->types, t, from->space);
        return;
    }
    if (t->kind == from->kind) {
        n->type = t;
        return;
    }
    zn_cc_error(cc, n->pos, "Cannot cast from '%s' to '%s'", zn_type_str_name(cc, from),
                zn_type_str_name(cc, t));
}

static void infer_sizeof(struct zn_cc *cc, struct zn_node *n)
{
    struct zn_type *t = NULL;
    const char *why = NULL;
    struct zn_node *operand = n->a;
    if (n->ctype && !n->ctype->of_expr)
        t = zn_type_from_ctype(&cc->types, n->ctype, &why);
    else if (n->ctype)
        operand = n->ctype->of_expr;
    if (!t && operand) {
        zn_infer_expr(cc, operand);
        t = operand->type;
        if (t && n->kind == N_OFFSETOF && t->kind == T_PTR)
            t = t->elem;
    }
    if (!t) {
        zn_cc_error(cc, n->pos, "%s", why ? why : "unknown type");
        return;
    }
    int64_t v = operand && operand->kind == N_INT && t->kind == T_ENUM ? 8 : t->size;
    if (n->kind == N_OFFSETOF) {
        v = 0;
        for (struct zn_node *m = n->list; m; m = m->next) {
            struct zn_field f;
            if (!t || t->kind != T_STRUCT || !zn_type_field(&cc->types, t, m->name, &f)) {
                zn_cc_error(cc, m->pos, "'%s' does not contain a field named '%s'",
                            t ? zn_type_str_name(cc, t) : "void", m->name);
                return;
            }
            v += f.off;
            t = f.type;
        }
    } else if (t->kind == T_TUPLE || t->kind == T_RECORD || t->kind == T_HIST) {
        v = zn_type_stored(t);
    }
    n->kind = N_INT;
    n->num = v;
    n->type = zn_type_int(&cc->types, 8, false);
}

static void infer_block_expr(struct zn_cc *cc, struct zn_node *n)
{
    struct zn_varsym *save = cc->scope;
    cc->depth++;
    zn_infer_stmts(cc, n->list);
    if (n->a) {
        zn_infer_expr(cc, n->a);
        n->type = n->a->type;
    } else {
        n->type = zn_type_simple(&cc->types, T_NONE);
    }
    cc->depth--;
    cc->scope = save;
}

static void infer_var(struct zn_cc *cc, struct zn_node *n)
{
    struct zn_varsym *v = NULL;
    for (v = cc->scope; v && strcmp(v->name, n->name) != 0; v = v->next)
        ;
    if (!v) {
        const char *names[128];
        unsigned k = 0;
        for (struct zn_varsym *s = cc->scope; s && k < ZN_ARRAY_SIZE(names); s = s->next)
            names[k++] = s->name;
        struct zn_diag *d =
            zn_cc_error(cc, n->pos, "Undefined or undeclared variable: $%s", n->name);
        const char *near = zn_nearest(n->name, names, k);
        if (near && d)
            zn_hint(cc->d, d, "did you mean $%s?", near);
        return;
    }
    n->sym = v;
    n->type = v->type;
    if (!v->type)
        zn_cc_error(cc, n->pos, "Variable $%s is used before it has a value", n->name);
}

void zn_infer_expr(struct zn_cc *cc, struct zn_node *n)
{
    switch (n->kind) {
    case N_INT:
        if (!n->type)
            n->type = zn_type_int(&cc->types, 8, !n->implied);
        return;
    case N_STR: n->type = zn_type_str(&cc->types, n->str_len + 1, true); return;
    case N_BOOL: n->type = zn_type_simple(&cc->types, T_BOOL); return;
    case N_PARAM: infer_param(cc, n); return;
    case N_IDENT:
    case N_CALL: infer_call(cc, n); return;
    case N_VAR: infer_var(cc, n); return;
    case N_MAP: {
        struct zn_mapsym *m = zn_map_lookup(cc, n);
        zn_map_use_key(cc, n);
        n->type = m->value;
        if (!m->value)
            zn_cc_error(cc, n->pos, "Undefined map: %s", m->name);
        return;
    }
    case N_UNARY: infer_unary(cc, n); return;
    case N_INCDEC: infer_incdec(cc, n); return;
    case N_BINARY: infer_binary(cc, n); return;
    case N_TERNARY: infer_ternary(cc, n); return;
    case N_IF_EXPR: infer_ternary(cc, n); return;
    case N_CAST: infer_cast(cc, n); return;
    case N_FIELD: infer_field(cc, n); return;
    case N_TUPLE_AT:
        zn_infer_expr(cc, n->a);
        if (!n->a->type)
            return;
        if ((n->a->type->kind != T_TUPLE) || (uint64_t)n->num >= n->a->type->nfields) {
            zn_cc_error(cc, n->pos, "Invalid tuple index: %lld", (long long)n->num);
            return;
        }
        n->type = n->a->type->fields[n->num].type;
        return;
    case N_INDEX: infer_index(cc, n); return;
    case N_TUPLE: infer_tuple(cc, n, false); return;
    case N_RECORD: infer_tuple(cc, n, true); return;
    case N_SIZEOF:
    case N_OFFSETOF: infer_sizeof(cc, n); return;
    case N_BLOCK_EXPR: infer_block_expr(cc, n); return;
    case N_COMPTIME:
        zn_infer_expr(cc, n->a);
        n->type = n->a->type;
        return;
    default: zn_cc_error(cc, n->pos, "this construct is not supported yet");
    }
}
