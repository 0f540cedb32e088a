/* SPDX-License-Identifier: Apache-2.0 */
/* What is constant: integers, and strings that are constant for an attach point. */
#include <string.h>

#include "base/arena.h"
#include "lang/sema.h"

static bool fold_binary(enum zn_op op, bool uns, int64_t a, int64_t b, int64_t *ret)
{
    uint64_t ua = (uint64_t)a, ub = (uint64_t)b;
    switch (op) {
    case OP_ADD: *ret = (int64_t)(ua + ub); return true;
    case OP_SUB: *ret = (int64_t)(ua - ub); return true;
    case OP_MUL: *ret = (int64_t)(ua * ub); return true;
    case OP_DIV:
    case OP_MOD:
        if (b == 0 || (!uns && a == INT64_MIN && b == -1))
            return false;
        if (op == OP_DIV)
            *ret = uns ? (int64_t)(ua / ub) : a / b;
        else
            *ret = uns ? (int64_t)(ua % ub) : a % b;
        return true;
    case OP_SHL: *ret = ub < 64 ? (int64_t)(ua << ub) : 0; return ub < 64;
    case OP_SHR: *ret = ub < 64 ? (uns ? (int64_t)(ua >> ub) : a >> ub) : 0; return ub < 64;
    case OP_AND: *ret = a & b; return true;
    case OP_OR: *ret = a | b; return true;
    case OP_XOR: *ret = a ^ b; return true;
    case OP_EQ: *ret = a == b; return true;
    case OP_NE: *ret = a != b; return true;
    case OP_LT: *ret = uns ? ua < ub : a < b; return true;
    case OP_LE: *ret = uns ? ua <= ub : a <= b; return true;
    case OP_GT: *ret = uns ? ua > ub : a > b; return true;
    case OP_GE: *ret = uns ? ua >= ub : a >= b; return true;
    case OP_LAND: *ret = a && b; return true;
    case OP_LOR: *ret = a || b; return true;
    default: return false;
    }
}

/* As it is lowered: what is shifted right says alone whether zeroes come in. */
static bool is_unsigned(const struct zn_node *n)
{
    const struct zn_type *t = n->a->type;
    return zn_op_unsigned(n->a, n->b) || (n->op == OP_SHR && t && t->kind == T_INT && !t->sign);
}

bool zn_const_int(struct zn_cc *cc, const struct zn_node *n, int64_t *ret)
{
    int64_t a, b;
    switch (n->kind) {
    case N_INT:
    case N_BOOL: *ret = n->num; return true;
    case N_COMPTIME: return zn_const_int(cc, n->a, ret);
    case N_UNARY:
        if (!zn_const_int(cc, n->a, &a))
            return false;
        if (n->op == OP_NEG)
            *ret = (int64_t)(0 - (uint64_t)a);
        else if (n->op == OP_NOT)
            *ret = !a;
        else if (n->op == OP_BNOT)
            *ret = ~a;
        else
            return false;
        return true;
    case N_BINARY:
        return zn_const_int(cc, n->a, &a) && zn_const_int(cc, n->b, &b) &&
               fold_binary(n->op, is_unsigned(n), a, b, ret);
    case N_TERNARY:
        if (!n->a || !zn_const_int(cc, n->c, &a))
            return false;
        return zn_const_int(cc, a ? n->a : n->b, ret);
    default: return false;
    }
}

static bool is_name(const struct zn_node *n, const char *name)
{
    return (n->kind == N_IDENT || n->kind == N_CALL) && n->name && strcmp(n->name, name) == 0;
}

bool zn_is_target_str(struct zn_cc *cc, const struct zn_node *n)
{
    if (n->kind == N_STR || is_name(n, "probe") || is_name(n, "func") || is_name(n, "probetype"))
        return true;
    if (n->kind == N_COMPTIME)
        return zn_is_target_str(cc, n->a);
    if (n->kind == N_CALL && strcmp(n->name, "substr") == 0 && n->list) {
        int64_t v;
        for (const struct zn_node *a = n->list->next; a; a = a->next)
            if (!zn_const_int(cc, a, &v))
                return false;
        return zn_is_target_str(cc, n->list);
    }
    return n->kind == N_CALL && strcmp(n->name, "str") == 0 && n->list && n->list->kind == N_STR &&
           !n->list->next;
}

bool zn_const_str(struct zn_cc *cc, const struct zn_cc_body *body, const struct zn_target *t,
                  const struct zn_node *n, const char **ret, size_t *ret_len)
{
    if (n->kind == N_STR) {
        *ret = n->str;
        *ret_len = strnlen(n->str, n->str_len);
        return true;
    }
    if (n->kind == N_COMPTIME)
        return zn_const_str(cc, body, t, n->a, ret, ret_len);
    const char *s = NULL;
    if (is_name(n, "probe"))
        s = t->name;
    else if (is_name(n, "func"))
        s = t->func ? t->func : "";
    else if (is_name(n, "probetype"))
        s = body->provider == ZP_BEGIN || body->provider == ZP_END || body->provider == ZP_SELF
                ? "special"
                : zn_providers[body->provider].name;
    if (s) {
        *ret = s;
        *ret_len = strlen(s);
        return true;
    }
    if (!zn_is_target_str(cc, n) || !zn_const_str(cc, body, t, n->list, ret, ret_len))
        return false;
    if (strcmp(n->name, "substr") == 0) {
        int64_t start = 0, len = INT64_MAX;
        zn_const_int(cc, n->list->next, &start);
        if (n->list->next->next)
            zn_const_int(cc, n->list->next->next, &len);
        if (start < 0)
            start = start + (int64_t)*ret_len < 0 ? 0 : start + (int64_t)*ret_len;
        if ((uint64_t)start > *ret_len)
            start = (int64_t)*ret_len;
        *ret += start;
        *ret_len -= (size_t)start;
        if (len >= 0 && (uint64_t)len < *ret_len)
            *ret_len = (size_t)len;
    }
    return true;
}
