/* SPDX-License-Identifier: Apache-2.0 */
/* The tree as text, for -d ast and for the golden tests. */
#include "lang/ast.h"

#include <inttypes.h>

#include "base/mem.h"
#include "base/str.h"
#include "lang/type.h"

static const char *const op_names[_ZN_OP_MAX] = {
    [OP_NONE] = "",  [OP_ADD] = "+",  [OP_SUB] = "-",   [OP_MUL] = "*",  [OP_DIV] = "/",
    [OP_MOD] = "%",  [OP_SHL] = "<<", [OP_SHR] = ">>",  [OP_AND] = "&",  [OP_OR] = "|",
    [OP_XOR] = "^",  [OP_EQ] = "==",  [OP_NE] = "!=",   [OP_LT] = "<",   [OP_LE] = "<=",
    [OP_GT] = ">",   [OP_GE] = ">=",  [OP_LAND] = "&&", [OP_LOR] = "||", [OP_NOT] = "!",
    [OP_BNOT] = "~", [OP_NEG] = "-",  [OP_DEREF] = "*", [OP_ADDR] = "&", [OP_INC] = "++",
    [OP_DEC] = "--",
};

static const char *const kind_names[_ZN_NODE_MAX] = {
    [N_INT] = "int",
    [N_STR] = "string",
    [N_BOOL] = "bool",
    [N_PARAM] = "param",
    [N_IDENT] = "name",
    [N_VAR] = "var",
    [N_MAP] = "map",
    [N_CALL] = "call",
    [N_UNARY] = "unary",
    [N_INCDEC] = "prefix",
    [N_BINARY] = "binary",
    [N_TERNARY] = "ternary",
    [N_CAST] = "cast",
    [N_FIELD] = "field",
    [N_TUPLE_AT] = "element",
    [N_INDEX] = "index",
    [N_TUPLE] = "tuple",
    [N_RECORD] = "record",
    [N_RECORD_FIELD] = "with",
    [N_SIZEOF] = "sizeof",
    [N_OFFSETOF] = "offsetof",
    [N_TYPEOF] = "typeof",
    [N_BLOCK_EXPR] = "block-value",
    [N_IF_EXPR] = "if-value",
    [N_COMPTIME] = "comptime",
    [N_EXPR_STMT] = "do",
    [N_ASSIGN] = "assign",
    [N_LET] = "let",
    [N_IF] = "if",
    [N_WHILE] = "while",
    [N_FOR_MAP] = "for-map",
    [N_FOR_RANGE] = "for-range",
    [N_UNROLL] = "unroll",
    [N_BREAK] = "break",
    [N_CONTINUE] = "continue",
    [N_RETURN] = "return",
    [N_BLOCK] = "block",
    [N_PROBE] = "probe",
    [N_ATTACH] = "attach",
    [N_MACRO] = "macro",
    [N_FN] = "fn",
    [N_LET_MAP] = "let-map",
    [N_CONFIG] = "config",
    [N_CONFIG_ITEM] = "set",
    [N_IMPORT] = "import",
};

static const char *const cdecl_names[] = {"struct", "union", "enum", "typedef"};

const char *zn_op_name(enum zn_op op)
{
    return op < _ZN_OP_MAX && op_names[op] ? op_names[op] : "?";
}

static void indent(struct zn_str *out, unsigned depth)
{
    while (depth--)
        zn_str_putc(out, ' ');
}

static void node(const struct zn_node *n, unsigned depth, struct zn_str *out);

static void list(const struct zn_node *n, unsigned depth, struct zn_str *out)
{
    for (; n; n = n->next)
        node(n, depth, out);
}

static void labelled(const char *label, const struct zn_node *l, unsigned depth, struct zn_str *out)
{
    if (!l)
        return;
    indent(out, depth);
    zn_str_printf(out, "%s\n", label);
    list(l, depth + 1, out);
}

static void ctype(const struct zn_ctype *ct, struct zn_str *out)
{
    if (ct->name)
        zn_str_puts(out, ct->name);
    else if (ct->of_expr)
        zn_str_puts(out, "typeof");
    if (ct->ptr && (ct->name || ct->of_expr))
        zn_str_putc(out, ' ');
    for (unsigned i = 0; i < ct->ptr; i++)
        zn_str_putc(out, '*');
    for (unsigned i = 0; i < ct->ndim; i++) {
        if (ct->dim[i] < 0)
            zn_str_puts(out, "[]");
        else
            zn_str_printf(out, "[%" PRId64 "]", ct->dim[i]);
    }
}

/* What a node says of itself, behind its kind. */
static void details(const struct zn_node *n, struct zn_str *out)
{
    switch (n->kind) {
    case N_INT: zn_str_printf(out, n->implied ? " %" PRIu64 : " %" PRId64, n->num); break;
    case N_BOOL: zn_str_puts(out, n->num ? " true" : " false"); break;
    case N_PARAM:
        if (n->num)
            zn_str_printf(out, " $%" PRId64, n->num);
        else
            zn_str_puts(out, " $#");
        break;
    case N_TUPLE_AT: zn_str_printf(out, " .%" PRId64, n->num); break;
    case N_STR:
    case N_IMPORT:
        zn_str_puts(out, " \"");
        zn_str_json(out, n->str, n->str_len);
        zn_str_putc(out, '"');
        break;
    case N_VAR:
    case N_LET:
    case N_FOR_MAP:
    case N_FOR_RANGE: zn_str_printf(out, " $%s", n->name); break;
    case N_MAP: zn_str_printf(out, " @%s", n->name); break;
    case N_LET_MAP: zn_str_printf(out, " @%s %s %" PRId64, n->name, n->str, n->num); break;
    case N_FIELD: zn_str_printf(out, " %s%s", n->num ? "->" : ".", n->name); break;
    case N_ATTACH:
        if (n->str)
            zn_str_printf(out, " %s =", n->str);
        for (int64_t i = 0; i < n->num; i++)
            zn_str_printf(out, "%s%s", i ? " | " : " ", *n->parts[i] ? n->parts[i] : "\"\"");
        break;
    case N_TUPLE:
        if (n->implied)
            zn_str_puts(out, " of keys");
        break;
    default:
        if (n->name)
            zn_str_printf(out, " %s", n->name);
        if (n->op)
            zn_str_printf(out, " %s", zn_op_name(n->op));
    }
}

static void node(const struct zn_node *n, unsigned depth, struct zn_str *out)
{
    const char *kind = kind_names[n->kind];
    if (n->kind == N_INCDEC && !n->num)
        kind = "postfix";
    indent(out, depth);
    zn_str_puts(out, kind);
    details(n, out);
    if (n->ctype) {
        zn_str_puts(out, " : ");
        ctype(n->ctype, out);
    }
    if (n->type) {
        zn_str_puts(out, " :: ");
        zn_type_name(n->type, out);
    }
    zn_str_putc(out, '\n');
    depth++;
    if (n->ctype && n->ctype->of_expr)
        labelled("of", n->ctype->of_expr, depth, out);
    if (n->kind == N_PROBE || n->kind == N_MACRO || n->kind == N_FN)
        list(n->list2, depth, out);
    if (n->kind == N_PROBE)
        labelled("where", n->c, depth, out);
    else if (n->c)
        node(n->c, depth, out);
    bool value_last = n->kind == N_BLOCK_EXPR || n->kind == N_MACRO;
    if (n->a && !value_last)
        node(n->a, depth, out);
    if (n->b)
        node(n->b, depth, out);
    if (n->kind == N_IF) {
        labelled("then", n->list, depth, out);
        labelled("else", n->list2, depth, out);
        return;
    }
    list(n->list, depth, out);
    if (n->a && value_last)
        labelled("value", n->a, depth, out);
}

static void cdecl(const struct zn_cdecl *cd, unsigned depth, struct zn_str *out)
{
    indent(out, depth);
    zn_str_puts(out, cdecl_names[cd->kind]);
    if (cd->name)
        zn_str_printf(out, " %s", cd->name);
    zn_str_puts(out, cd->packed ? " packed\n" : "\n");
    for (const struct zn_cmember *m = cd->members; m; m = m->next) {
        indent(out, depth + 1);
        zn_str_puts(out, m->name ? m->name : "_");
        if (cd->kind == CD_ENUM)
            zn_str_printf(out, " = %" PRId64, m->value);
        if (m->ctype) {
            zn_str_puts(out, " : ");
            ctype(m->ctype, out);
        }
        if (m->bits)
            zn_str_printf(out, " bits %d", m->bits);
        zn_str_putc(out, '\n');
        if (m->inner)
            cdecl(m->inner, depth + 2, out);
    }
}

void zn_ast_dump(const struct zn_script *s, struct zn_str *out)
{
    for (const struct zn_cdecl *cd = s->cdecls; cd; cd = cd->next)
        cdecl(cd, 0, out);
    list(s->items, 0, out);
}
