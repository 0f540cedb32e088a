/* SPDX-License-Identifier: Apache-2.0 */
/* The tree that the parser makes of a script, and that the passes annotate.
 *
 * All nodes live in the compile's arena. Lists are chained through `next`. Names are
 * NUL-terminated arena strings without their sigil ("x" for $x and @x; "" for the anonymous map).
 * The parser fills kind, pos and the union; `type` and the fields under "sema" belong to the
 * passes. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lang/diag.h"

struct zn_type;
struct zn_node;
struct zn_arena;
struct zn_str;

/* A type as it is written: `unsigned long`, `struct task_struct *`, `uint8[4]`, `string[64]`. */
struct zn_ctype {
    const char *name; /* normalised, one blank between words: "unsigned long", "struct foo" */
    unsigned ptr;     /* number of '*' */
    unsigned ndim;    /* array dimensions */
    int64_t dim[4];   /* -1: `[]` */
    struct zn_node *of_expr; /* typeof(expr): then name is NULL */
    struct zn_pos pos;
};

enum zn_node_kind {
    /* expressions */
    N_INT,      /* num */
    N_STR,      /* str */
    N_BOOL,     /* num 0/1 */
    N_PARAM,    /* $1: num = index from 1; $#: num = 0 */
    N_IDENT,    /* name: builtin, enum constant, macro without arguments */
    N_VAR,      /* $name */
    N_MAP,      /* @name[a]; a NULL when no key; several keys come as one N_TUPLE with implied=1 */
    N_CALL,     /* name(args…) */
    N_UNARY,    /* op a; op one of ! ~ - * & (zn_op) */
    N_INCDEC,   /* op OP_INC/OP_DEC on a; num: 1 = prefix, 0 = postfix */
    N_BINARY,   /* a op b */
    N_TERNARY,  /* c ? a : b; `c ?: b` has a == NULL */
    N_CAST,     /* (ctype) a */
    N_FIELD,    /* a.name; num 1 when written `->` */
    N_TUPLE_AT, /* a.num (tuple element) */
    N_INDEX,    /* a[b] */
    N_TUPLE,    /* (list) ; () and (x,) too */
    N_RECORD,   /* (name=expr, …): list of N_RECORD_FIELD */
    N_RECORD_FIELD, /* name, a */
    N_SIZEOF,       /* sizeof(ctype) or sizeof(a) */
    N_OFFSETOF,     /* offsetof(ctype|a, name.name…): list of N_IDENT */
    N_TYPEOF,       /* typeof(...) used as a value (typeinfo); not lowered */
    N_BLOCK_EXPR,   /* { stmts; expr }: list = statements, a = the value */
    N_IF_EXPR,      /* if c { … } else { … } as a value: c, a, b both N_BLOCK_EXPR */
    N_COMPTIME,     /* comptime a */
    /* statements */
    N_EXPR_STMT, /* a */
    N_ASSIGN,    /* a op= b; op OP_NONE for plain `=`; a is N_VAR, N_MAP, or `_` (N_IDENT "_") */
    N_LET,       /* let $name [: ctype] [= a] */
    N_IF,        /* c, list = then statements, list2 = else statements (else-if nests there) */
    N_WHILE,     /* c, list */
    N_FOR_MAP,   /* for ($name : @map) list; a = N_MAP */
    N_FOR_RANGE, /* for ($name : a..b) list */
    N_UNROLL,    /* unroll(a) list */
    N_BREAK,
    N_CONTINUE,
    N_RETURN, /* a or NULL */
    N_BLOCK,  /* { list } as a statement */
    /* top level */
    N_PROBE, /* list2 = N_ATTACH…, c = predicate or NULL, list = statements */
    N_ATTACH, /* parts[0..num): the text between colons, unquoted; name = the whole text, $1 replaced;
                  * str: NAME of a `NAME=probe:…` prefix, else NULL */
    N_MACRO,   /* name, list2 = parameters (N_VAR, N_MAP, N_IDENT), list = statements, a = value */
    N_FN,      /* name, list2 = parameters (N_LET with ctype), ctype = result, list = statements */
    N_LET_MAP, /* let @name = str(num); str = map type name */
    N_CONFIG,  /* list = N_CONFIG_ITEM */
    N_CONFIG_ITEM, /* name, a = N_INT, N_STR, N_BOOL or N_IDENT */
    N_IMPORT,      /* str; also among the statements of a macro */
    _ZN_NODE_MAX,
};

enum zn_op {
    OP_NONE,
    OP_ADD,
    OP_SUB,
    OP_MUL,
    OP_DIV,
    OP_MOD,
    OP_SHL,
    OP_SHR,
    OP_AND,
    OP_OR,
    OP_XOR,
    OP_EQ,
    OP_NE,
    OP_LT,
    OP_LE,
    OP_GT,
    OP_GE,
    OP_LAND,
    OP_LOR,
    OP_NOT,
    OP_BNOT,
    OP_NEG,
    OP_DEREF,
    OP_ADDR,
    OP_INC,
    OP_DEC,
    _ZN_OP_MAX,
};

struct zn_node {
    enum zn_node_kind kind;
    enum zn_op op;
    struct zn_pos pos;
    struct zn_node *next;      /* sibling in a list */
    struct zn_node *a, *b, *c; /* operands, see the kinds */
    struct zn_node *list;      /* children */
    struct zn_node *list2;
    const char *name;
    const char *str; /* N_STR bytes (str_len long, may hold NUL) */
    uint32_t str_len;
    int64_t num;
    bool implied; /* N_TUPLE made of @x[a, b]; N_INT: literal was > INT64_MAX */
    struct zn_ctype *ctype;
    const char **parts; /* N_ATTACH */
    uint16_t height;    /* of the tree below, leaves 1; the parser keeps it <= 1000 */
    /* sema */
    struct zn_type *type; /* result type; set by inference */
    void *sym;            /* what the name means: variable, map, builtin … (lang/sema.h) */
};

/* C definitions before the first probe. */
enum zn_cdecl_kind { CD_STRUCT, CD_UNION, CD_ENUM, CD_TYPEDEF };

struct zn_cmember {
    const char *name;       /* NULL: anonymous struct/union (see inner) or enum constant-less */
    struct zn_ctype *ctype; /* with inner: name NULL, only pointers and dimensions count */
    struct zn_cdecl *inner; /* anonymous struct/union/enum defined in place, else NULL */
    int bits;               /* bit-field width, 0 = none */
    int64_t value;          /* enum constant */
    struct zn_cmember *next;
};

struct zn_cdecl {
    enum zn_cdecl_kind kind;
    const char *name; /* tag, or the typedef's name; NULL anonymous */
    bool packed;
    struct zn_cmember *members; /* typedef: one member holding the type */
    struct zn_pos pos;
    struct zn_cdecl *next;
};

struct zn_script {
    struct zn_cdecl *cdecls; /* in source order; anonymous inner ones only inside their parent */
    struct zn_node *items;   /* N_CONFIG, N_IMPORT, N_PROBE, N_MACRO, N_FN, N_LET_MAP in order */
};

/* What the parser is given from outside. */
struct zn_param_env {
    const char *const *argv; /* positional parameters $1… */
    unsigned argc;
    /* `#include "file"`: returns 0 and text that lives in the arena, or -errno; NULL = refuse.
     * Lets lang/ stay without system calls. */
    int (*read_include)(void *arg, struct zn_arena *arena, const char *name, const char **text,
                        size_t *len);
    void *arg;
    bool have_btf;       /* defines BPFTRACE_HAVE_BTF */
    const char *prelude; /* text that is read before the script, without a place in it; or NULL */
};

/* Lexes, preprocesses (#define, #if…, #include "…") and parses. Returns NULL or a script, which may
 * be partial when d has errors: callers check d->errors. Never fails otherwise. Nesting deeper than
 * 200 levels, and trees higher than 1000 nodes (long chains of operators or else-ifs), are located
 * errors: passes may recurse. $1 in attach points is replaced here. */
struct zn_script *zn_parse(struct zn_arena *arena, struct zn_diags *d,
                           const struct zn_param_env *env);
/* A stand-alone C type or declaration, as tracepoint format files print them:
 * "unsigned int nr", "char comm[16]", "const char * filename", "__data_loc char[] name".
 * Qualifiers are dropped and integers normalised; __data_loc stays in the name ("__data_loc char");
 * a dimension that is no number becomes -1; a function pointer is void *.
 * Returns NULL when it cannot be parsed. *ret_name is NULL when the text has no name. */
struct zn_ctype *zn_parse_cdecl(struct zn_arena *arena, const char *text, const char **ret_name);

/* The AST as text, one node a line, children indented by one blank, types after " :: " once set. */
void zn_ast_dump(const struct zn_script *s, struct zn_str *out);
const char *zn_op_name(enum zn_op op); /* "+", "&&", … */
