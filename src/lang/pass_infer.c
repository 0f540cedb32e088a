/* SPDX-License-Identifier: Apache-2.0 */
/* Types of statements, variables and maps, by rounds over the whole script until nothing moves. */
#include <string.h>

#include "base/arena.h"
#include "base/str.h"
#include "lang/builtin.h"
#include "lang/sema.h"

static void infer_stmts(struct zn_cc *cc, struct zn_node *n);

const char *zn_type_str_name(struct zn_cc *cc, const struct zn_type *t)
{
    struct zn_str s;
    zn_str_init(&s);
    zn_type_name(t, &s);
    char *r = zn_arena_strdup(cc->arena, zn_str_c(&s));
    zn_str_fini(&s);
    return r;
}

/* The type that holds values of both, or NULL. Integers widen; a constant string and a dynamic one
 * give a dynamic one; tuples go element by element. */
struct zn_type *zn_unify(struct zn_cc *cc, struct zn_type *a, struct zn_type *b)
{
    if (!a || !b)
        return a ? a : b;
    if (a == b)
        return a;
    bool ia = a->kind == T_INT || a->kind == T_BOOL || a->kind == T_ENUM;
    bool ib = b->kind == T_INT || b->kind == T_BOOL || b->kind == T_ENUM;
    if (ia && ib) {
        if (a->kind == b->kind && a->kind != T_INT && (a->kind == T_BOOL || zn_type_equal(a, b)))
            return a;
        bool sign = (a->kind == T_INT ? a->sign : a->kind == T_ENUM) ||
                    (b->kind == T_INT ? b->sign : b->kind == T_ENUM);
        return zn_type_int(&cc->types, 8, sign);
    }
    if ((a->kind == T_PTR && ib) || (ia && b->kind == T_PTR))
        return a->kind == T_PTR ? a : b;
    if (a->kind == T_PTR && b->kind == T_PTR)
        return a;
    if (a->kind != b->kind)
        return NULL;
    switch (a->kind) {
    case T_STR:
        if (a->interned && b->interned)
            return a->size >= b->size ? a : b;
        return zn_type_str(&cc->types, a->size > b->size ? a->size : b->size, false);
    case T_BUF: return a->size >= b->size ? a : b;
    case T_TUPLE:
    case T_RECORD: {
        if (a->nfields != b->nfields)
            return NULL;
        struct zn_type **e = zn_arena_array(cc->arena, struct zn_type *, a->nfields + 1);
        const char **names = zn_arena_array(cc->arena, const char *, a->nfields + 1);
        for (uint32_t i = 0; i < a->nfields; i++) {
            uint32_t j = i;
            if (a->kind == T_RECORD)
                for (j = 0; j < b->nfields && strcmp(a->fields[i].name, b->fields[j].name); j++)
                    ;
            if (j == b->nfields)
                return NULL;
            e[i] = zn_unify(cc, a->fields[i].type, b->fields[j].type);
            names[i] = a->fields[i].name;
            if (!e[i])
                return NULL;
        }
        return zn_type_tuple(&cc->types, e, a->kind == T_RECORD ? names : NULL, a->nfields);
    }
    case T_HIST: return a->size == b->size ? a : NULL;
    case T_LHIST: return a->lo == b->lo && a->hi == b->hi && a->step == b->step ? a : NULL;
    case T_STRUCT:
    case T_ARRAY: return zn_type_equal(a, b) ? a : NULL;
    case T_KSTACK:
    case T_USTACK: return a->stack_mode == b->stack_mode ? a : NULL;
    default: return a;
    }
}

/* ---- maps ---- */

struct zn_mapsym *zn_map_lookup(struct zn_cc *cc, struct zn_node *n)
{
    if (n->sym)
        return n->sym;
    for (struct zn_mapsym *m = cc->maps; m; m = m->next)
        if (strcmp(m->name + 1, n->name) == 0)
            return n->sym = m;
    struct zn_mapsym *m = zn_arena_new(cc->arena, struct zn_mapsym);
    m->name = zn_arena_printf(cc->arena, "@%s", n->name);
    m->pos = n->pos;
    m->image_map = -1;
    m->range_ok = true;
    *cc->maps_tail = m;
    cc->maps_tail = &m->next;
    return n->sym = m;
}

/* How far an expression's value reaches, when that is known: [0, n). */
static int64_t known_range(struct zn_cc *cc, const struct zn_node *n, bool *exact)
{
    *exact = false;
    if (n->kind == N_INT && n->num >= 0 && n->num < 4096) {
        *exact = true;
        return n->num + 1;
    }
    if (n->kind == N_BOOL) {
        *exact = true;
        return 2;
    }
    if ((n->kind == N_IDENT || n->kind == N_CALL) && strcmp(n->name, "cpu") == 0) {
        *exact = true;
        return cc->env->ncpu_possible;
    }
    if (n->kind == N_FIELD && n->a->kind == N_IDENT && strcmp(n->a->name, "args") == 0 &&
        strcmp(n->name, "id") == 0 && cc->body->targets && cc->body->targets[0].sym &&
        strncmp(cc->body->targets[0].sym, "sys_e", 5) == 0)
        return 512;
    return 0;
}

void zn_map_use_key(struct zn_cc *cc, struct zn_node *n)
{
    struct zn_mapsym *m = zn_map_lookup(cc, n);
    struct zn_node *key = ZN_MAP_KEY(n);
    m->uses++;
    if (!key) {
        m->scalar = true;
        if (m->keyed)
            zn_cc_error(cc, n->pos,
                        "%s used as a map without an explicit key (scalar map), "
                        "previously used with an explicit key (non-scalar map)",
                        m->name);
        return;
    }
    m->keyed = true;
    if (m->scalar) {
        zn_cc_error(cc, n->pos,
                    "%s used as a map with an explicit key (non-scalar map), previously "
                    "used without an explicit key (scalar map)",
                    m->name);
        return;
    }
    zn_infer_expr(cc, key);
    if (!key->type || key->type->kind == T_NONE || key->type->kind == T_VOID) {
        if (key->type || (cc->final && !cc->d->errors))
            zn_cc_error(cc, key->pos, "this expression has no value to use as a key");
        return;
    }
    struct zn_type *kt = key->type;
    if (zn_type_is_agg(kt)) {
        kt = zn_type_int(&cc->types, 8, true);
        zn_want_int(cc, key, "a map key");
    }
    if (kt->kind == T_INT)
        kt = zn_type_int(&cc->types, 8, kt->sign);
    struct zn_type *u = zn_unify(cc, m->key, kt);
    if (!u) {
        zn_cc_error(cc, key->pos,
                    "Argument mismatch for %s: trying to access with arguments: '%s' "
                    "when map expects arguments: '%s'",
                    m->name, zn_type_str_name(cc, kt), zn_type_str_name(cc, m->key));
        return;
    }
    if (!m->key || !zn_type_equal(u, m->key)) {
        m->key = u;
        cc->changed = true;
    }
    struct zn_keyuse *use = zn_arena_new(cc->arena, struct zn_keyuse);
    *use = (struct zn_keyuse){cc->body, key, m->keyuses};
    m->keyuses = use;
    if (!zn_is_target_str(cc, key))
        m->key_strs = false;
    bool exact;
    int64_t range = known_range(cc, key, &exact);
    if (!range)
        m->range_ok = false;
    else if (range > m->key_range)
        m->key_range = range;
    if (!exact && range)
        m->key_range_exact = -1;
}

void zn_map_assign_type(struct zn_cc *cc, struct zn_mapsym *m, struct zn_type *t, struct zn_pos pos)
{
    if (!t)
        return;
    if (t->kind == T_INT)
        t = zn_type_int(&cc->types, 8, t->sign);
    if (t->kind == T_NONE || t->kind == T_VOID) {
        zn_cc_error(cc, pos, "Invalid assignment: this expression has no value");
        return;
    }
    struct zn_type *u = zn_unify(cc, m->value, t);
    if (!u || (m->value && zn_type_is_agg(m->value) != zn_type_is_agg(t))) {
        zn_cc_error(cc, pos,
                    "Type mismatch for %s: trying to assign value of type '%s' when map "
                    "already has a type '%s'",
                    m->name, zn_type_str_name(cc, t), zn_type_str_name(cc, m->value));
        return;
    }
    if (!m->value || !zn_type_equal(u, m->value)) {
        m->value = u;
        cc->changed = true;
    }
}

/* ---- variables ---- */

static struct zn_varsym *find_var(struct zn_cc *cc, const char *name)
{
    for (struct zn_varsym *v = cc->scope; v; v = v->next)
        if (strcmp(v->name, name) == 0)
            return v;
    return NULL;
}

/* A declaration site owns its symbol over all rounds: kept in the node. */
static struct zn_varsym *declare_var(struct zn_cc *cc, struct zn_node *site, const char *name)
{
    struct zn_varsym *v = site->sym;
    if (!v) {
        v = zn_arena_new(cc->arena, struct zn_varsym);
        v->name = name;
        v->vreg = -1;
        v->mem = -1;
        v->body = cc->body;
        site->sym = v;
    }
    v->depth = cc->depth;
    v->next = cc->scope;
    cc->scope = v;
    return v;
}

static void var_type(struct zn_cc *cc, struct zn_varsym *v, struct zn_type *t, struct zn_pos pos)
{
    if (!t)
        return;
    if (t->kind == T_NONE || t->kind == T_VOID) {
        zn_cc_error(cc, pos, "Invalid assignment: this expression has no value");
        return;
    }
    if (zn_type_is_agg(t))
        t = zn_type_int(&cc->types, 8, true);
    if (t->kind == T_INT && !v->declared)
        t = zn_type_int(&cc->types, 8, t->sign);
    if (t->kind == T_STR && t->interned) /* a variable holds bytes, so that it can be searched */
        t = zn_type_str(&cc->types, t->size, false);
    struct zn_type *u = zn_unify(cc, v->type, t);
    if (!u || (v->declared && !zn_type_is_scalar(t) && u->kind != v->type->kind)) {
        zn_cc_error(cc, pos,
                    "Type mismatch for $%s: trying to assign value of type '%s' when "
                    "variable already has a type '%s'",
                    v->name, zn_type_str_name(cc, t), zn_type_str_name(cc, v->type));
        return;
    }
    if (!v->type || (!v->declared && !zn_type_equal(u, v->type))) {
        v->type = u;
        cc->changed = true;
    }
}

/* @m = { …; agg() } becomes { …; @m = agg(); } */
static bool hoist_aggregation(struct zn_node *n)
{
    struct zn_node *rhs = n->b;
    if (n->a->kind != N_MAP || rhs->kind != N_BLOCK_EXPR || !rhs->a || rhs->a->kind != N_CALL)
        return false;
    const struct zn_builtin *b = zn_builtin_find(rhs->a->name);
    if (!b || !(b->flags & BI_AGG))
        return false;
    struct zn_node keep = *n, **tail = &rhs->list;
    while (*tail)
        tail = &(*tail)->next;
    n->kind = N_BLOCK;
    n->list = rhs->list;
    keep.b = rhs->a;
    keep.next = NULL;
    *rhs = keep; /* the block's node is free now: it becomes the assignment */
    if (n->list)
        *tail = rhs;
    else
        n->list = rhs;
    n->a = n->b = NULL;
    return true;
}

static void infer_assign(struct zn_cc *cc, struct zn_node *n)
{
    struct zn_node *lhs = n->a, *rhs = n->b;
    if (lhs->kind == N_IDENT && strcmp(lhs->name, "_") == 0) {
        zn_infer_expr(cc, rhs);
        return;
    }
    if (lhs->kind == N_MAP) {
        struct zn_mapsym *m = zn_map_lookup(cc, lhs);
        zn_map_use_key(cc, lhs);
        const struct zn_builtin *b =
            rhs->kind == N_CALL || rhs->kind == N_IDENT ? zn_builtin_find(rhs->name) : NULL;
        if (b && (b->flags & BI_AGG) && n->op == OP_NONE) {
            if (rhs->kind == N_IDENT)
                rhs->kind = N_CALL;
            unsigned given = 0;
            for (struct zn_node *a = rhs->list; a; a = a->next)
                given++;
            if (given < b->min_args || given > b->max_args) {
                zn_cc_error(cc, rhs->pos, "%s() takes %s", b->name, b->sig);
                return;
            }
            rhs->sym = (void *)b;
            if (b->infer(cc, rhs))
                zn_map_assign_type(cc, m, rhs->type, n->pos);
            lhs->type = m->value;
            return;
        }
        zn_infer_expr(cc, rhs);
        struct zn_type *t = rhs->type;
        if (t && zn_type_is_agg(t)) {
            if (!zn_want_int(cc, rhs, "a value"))
                return;
            t = zn_type_int(&cc->types, 8, true);
        }
        if (n->op != OP_NONE && t && (!zn_type_is_scalar(t) || t->kind == T_STR)) {
            zn_cc_error(cc, n->pos, "The %s= operator cannot be used with type '%s'",
                        zn_op_name(n->op), zn_type_str_name(cc, t));
            return;
        }
        if (n->op != OP_NONE)
            t = m->value ? m->value : t;
        zn_map_assign_type(cc, m, t, n->pos);
        lhs->type = m->value;
        return;
    }
    if (lhs->kind != N_VAR) {
        zn_cc_error(cc, lhs->pos, "Can only assign to a variable or a map");
        return;
    }
    zn_infer_expr(cc, rhs);
    struct zn_varsym *v = find_var(cc, lhs->name);
    if (!v) {
        if (n->op != OP_NONE) {
            zn_cc_error(cc, lhs->pos, "Undefined or undeclared variable: $%s", lhs->name);
            return;
        }
        v = declare_var(cc, n, lhs->name);
    }
    lhs->sym = v;
    if (v->is_range)
        zn_cc_error(cc, lhs->pos, "$%s is a loop variable and cannot be assigned", v->name);
    if (n->op != OP_NONE && rhs->type &&
        (!zn_type_is_scalar(rhs->type) || rhs->type->kind == T_STR)) {
        zn_cc_error(cc, n->pos, "The %s= operator cannot be used with type '%s'", zn_op_name(n->op),
                    zn_type_str_name(cc, rhs->type));
        return;
    }
    var_type(cc, v, rhs->type, n->pos);
    lhs->type = v->type;
}

static void infer_let(struct zn_cc *cc, struct zn_node *n)
{
    if (n->a)
        zn_infer_expr(cc, n->a);
    struct zn_varsym *old = find_var(cc, n->name);
    if (old && old != n->sym && old->depth == cc->depth)
        zn_cc_error(cc, n->pos,
                    "Variable $%s was already declared. Variable shadowing is not allowed.",
                    n->name);
    struct zn_varsym *v = declare_var(cc, n, n->name);
    if (n->ctype && !v->declared) {
        const char *why = NULL;
        struct zn_type *t = NULL;
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
        v->type = t;
        v->declared = true;
    }
    if (n->a)
        var_type(cc, v, n->a->type, n->pos);
}

/* ---- statements ---- */

static void infer_block(struct zn_cc *cc, struct zn_node *list)
{
    struct zn_varsym *save = cc->scope;
    cc->depth++;
    infer_stmts(cc, list);
    cc->depth--;
    cc->scope = save;
}

static void infer_loop(struct zn_cc *cc, struct zn_node *n)
{
    struct zn_varsym *save = cc->scope;
    cc->depth++;
    if (n->kind == N_FOR_MAP) {
        struct zn_mapsym *m = zn_map_lookup(cc, n->a);
        m->iterated = true;
        if (ZN_MAP_KEY(n->a))
            zn_cc_error(cc, n->a->pos, "a for loop goes over the whole map: write %s", m->name);
        struct zn_varsym *v = declare_var(cc, n, n->name);
        v->is_range = true;
        if (m->key && m->value) {
            struct zn_type *val =
                zn_type_is_agg(m->value) ? zn_type_int(&cc->types, 8, true) : m->value;
            struct zn_type *kv[2] = {m->key, val};
            v->type = zn_type_tuple(&cc->types, kv, NULL, 2);
        } else if (m->value && !m->key)
            zn_cc_error(cc, n->a->pos, "%s has no keys to loop over", m->name);
        if (!zn_has(cc, ZF_FOR_EACH_MAP))
            zn_cc_error(cc, n->pos, "this kernel cannot loop over maps (5.13 can)");
    } else if (n->kind == N_FOR_RANGE) {
        zn_infer_int(cc, n->a, "a loop bound");
        zn_infer_int(cc, n->b, "a loop bound");
        struct zn_varsym *v = declare_var(cc, n, n->name);
        v->type = zn_type_int(&cc->types, 8, true);
        v->is_range = true;
    } else if (n->kind == N_WHILE) {
        zn_infer_int(cc, n->c, "a condition");
    }
    cc->loop_depth++;
    infer_block(cc, n->list);
    cc->loop_depth--;
    cc->depth--;
    cc->scope = save;
}

static void infer_unroll(struct zn_cc *cc, struct zn_node *n)
{
    int64_t times;
    zn_infer_expr(cc, n->a);
    if (!zn_const_int(cc, n->a, &times))
        zn_cc_error(cc, n->a->pos, "unroll needs a literal number of turns");
    else if (times < 1 || times > 100)
        zn_cc_error(cc, n->a->pos, "unroll %s is %d", times > 100 ? "maximum" : "minimum",
                    times > 100 ? 100 : 1);
    cc->loop_depth++;
    infer_block(cc, n->list);
    cc->loop_depth--;
}

static void infer_stmt(struct zn_cc *cc, struct zn_node *n)
{
    switch (n->kind) {
    case N_EXPR_STMT: zn_infer_expr(cc, n->a); break;
    case N_ASSIGN:
        if (hoist_aggregation(n))
            infer_block(cc, n->list);
        else
            infer_assign(cc, n);
        break;
    case N_LET: infer_let(cc, n); break;
    case N_IF:
        zn_infer_int(cc, n->c, "a condition");
        infer_block(cc, n->list);
        infer_block(cc, n->list2);
        break;
    case N_WHILE:
    case N_FOR_MAP:
    case N_FOR_RANGE: infer_loop(cc, n); break;
    case N_UNROLL: infer_unroll(cc, n); break;
    case N_BREAK:
    case N_CONTINUE:
        if (!cc->loop_depth)
            zn_cc_error(cc, n->pos, "%s statement not in a loop",
                        n->kind == N_BREAK ? "break" : "continue");
        break;
    case N_RETURN:
        if (n->a)
            zn_infer_int(cc, n->a, "a return value");
        break;
    case N_BLOCK: infer_block(cc, n->list); break;
    default: zn_infer_expr(cc, n);
    }
}

static void infer_stmts(struct zn_cc *cc, struct zn_node *n)
{
    for (; n; n = n->next)
        infer_stmt(cc, n);
}

void zn_infer_stmts(struct zn_cc *cc, struct zn_node *n)
{
    infer_stmts(cc, n);
}

static void infer_round(struct zn_cc *cc)
{
    cc->changed = false;
    for (struct zn_mapsym *m = cc->maps; m; m = m->next) {
        m->keyed = m->scalar = false;
        m->range_ok = m->key_strs = true;
        m->keyuses = NULL;
        m->key_range = m->key_range_exact = 0;
        m->uses = 0;
    }
    for (struct zn_cc_body *b = cc->bodies; b; b = b->next) {
        cc->body = b;
        cc->scope = NULL;
        cc->depth = cc->loop_depth = 0;
        if (b->probe->c)
            zn_infer_int(cc, b->probe->c, "a predicate");
        infer_block(cc, b->probe->list);
    }
}

static void declared_maps(struct zn_cc *cc)
{
    for (struct zn_node *n = cc->script->items; n; n = n->next) {
        if (n->kind != N_LET_MAP)
            continue;
        struct zn_mapsym *m = zn_map_lookup(cc, n);
        static const char *const kinds[] = {"hash", "lruhash", "percpuhash", "percpulruhash"};
        m->decl_kind = n->str;
        m->decl_max = n->num;
        bool known = false;
        for (unsigned i = 0; i < 4; i++)
            known |= strcmp(kinds[i], n->str) == 0;
        if (!known) {
            struct zn_diag *d = zn_error(cc->d, n->pos, "Invalid bpf map type: %s", n->str);
            const char *near = zn_nearest(n->str, kinds, 4);
            zn_hint(cc->d, d, "%s%s%s",
                    near ? "did you mean " : "one of hash, lruhash, percpuhash, ",
                    near ? near : "percpulruhash", near ? "?" : "");
        }
        if (n->num < 1)
            zn_error(cc->d, n->pos, "a map needs room for at least one key");
    }
}

void zn_pass_infer(struct zn_cc *cc)
{
    declared_maps(cc);
    for (cc->round = 0; cc->round < 16; cc->round++) {
        infer_round(cc);
        if (!cc->changed)
            break;
    }
    cc->final = true;
    infer_round(cc);
    for (struct zn_mapsym *m = cc->maps; m; m = m->next) {
        if (cc->d->errors)
            break;
        if (!m->value && m->uses)
            zn_error(cc->d, m->pos, "Undefined map: %s", m->name);
        else if (!m->value)
            zn_warning(cc->d, m->pos, "%s is never written", m->name);
    }
}
