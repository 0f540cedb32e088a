/* SPDX-License-Identifier: Apache-2.0 */
/* The parser's state and the functions that its files share.
 *
 * Recursive descent with one current token. A parsing function returns NULL after it has reported
 * a mistake; the statement and item loops then skip to a boundary (zn_sync_*) and go on. `panic`
 * keeps one mistake from being reported twice. Recursion is bounded by MAX_NESTING, the height of
 * the tree (long chains such as a + b + …, parsed by loops) by MAX_HEIGHT, since passes recurse. */
#pragma once

#include "base/arena.h"
#include "base/mem.h"
#include "lang/ast.h"
#include "lang/lex.h"

enum { ZN_MAX_NESTING = 200, ZN_MAX_HEIGHT = 1000, ZN_MAX_AHEAD = 16 };

/* An enum constant, for the constant expressions of later C definitions. */
struct zn_constant {
    const char *name;
    int64_t value;
    struct zn_constant *next;
};

struct zn_parser {
    struct zn_arena *arena;
    struct zn_diags *d;
    const struct zn_param_env *env;
    struct zn_lexer lx;
    struct zn_tok t; /* current */
    struct zn_tok ahead[ZN_MAX_AHEAD];
    unsigned nahead;
    struct zn_pos prev; /* the token before the current one */
    unsigned depth;
    unsigned braces;        /* open in this item, for recovery */
    bool panic;             /* an error was reported, the boundary is not reached yet */
    bool in_pred;           /* "/" before "{" ends the expression */
    bool lenient;           /* an unknown array dimension is -1, not a mistake */
    struct zn_diag scratch; /* receives hints of suppressed errors */
    struct zn_script *script;
    struct zn_cdecl **cdecl_tail;
    struct zn_constant *constants[ZN_MACRO_BUCKETS]; /* by hash */
    struct zn_constant *typedefs[ZN_MACRO_BUCKETS];
};

/* A list under construction. */
struct zn_list {
    struct zn_node *head, **tail;
};
void zn_list_init(struct zn_list *l);
void zn_list_add(struct zn_list *l, struct zn_node *n);

/* parse.c: tokens, mistakes, recovery, nodes */
void zn_parser_init(struct zn_parser *p, struct zn_arena *arena, struct zn_diags *d,
                    const struct zn_param_env *env, const char *text, size_t len);
void zn_advance(struct zn_parser *p);
const struct zn_tok *zn_peek(struct zn_parser *p, unsigned n); /* n >= 1; 0 = current */
bool zn_accept(struct zn_parser *p, enum zn_tk k);
static inline bool zn_at(const struct zn_parser *p, enum zn_tk k)
{
    return p->t.kind == k;
}
static inline bool zn_at_word(const struct zn_parser *p, const char *w)
{
    return zn_tok_is(&p->t, w);
}
/* Consumes k or reports "expected 'k' AFTER, found …". `after` may be "". */
bool zn_expect(struct zn_parser *p, enum zn_tk k, const char *after);
struct zn_diag *zn_perror(struct zn_parser *p, struct zn_pos pos, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* "expected WHAT, found TOKEN"; always NULL, to be returned. */
void *zn_unexpected(struct zn_parser *p, const char *what);
bool zn_enter(struct zn_parser *p); /* one level deeper; false: reported, do not zn_leave */
void zn_leave(struct zn_parser *p);
void zn_sync_stmt(struct zn_parser *p);
struct zn_node *zn_mk(struct zn_parser *p, enum zn_node_kind kind, struct zn_pos begin);
/* Ends a node at the last consumed token, checks the tree's height. Returns n, or NULL. */
struct zn_node *zn_done(struct zn_parser *p, struct zn_node *n);
const char *zn_tok_text(struct zn_parser *p, const struct zn_tok *t); /* arena copy */
unsigned zn_name_bucket(const char *s, uint32_t n);

/* parse_expr.c */
struct zn_node *zn_expr(struct zn_parser *p);
/* expr ("," expr)* until `close`, which is consumed; may be empty. Returns false after an error. */
bool zn_expr_list(struct zn_parser *p, enum zn_tk close, struct zn_list *l);

/* parse_stmt.c */
/* "{" … leaves the current token at "}". With ret_value a last expression without ";" is handed
 * out instead of becoming a statement. False: the brace is missing. */
bool zn_block(struct zn_parser *p, struct zn_list *l, struct zn_node **ret_value);
struct zn_node *zn_block_expr(struct zn_parser *p);
struct zn_node *zn_if_expr(struct zn_parser *p);

/* parse_c.c */
bool zn_type_ahead(struct zn_parser *p, unsigned n); /* a type starts at token n */
struct zn_ctype *zn_type(struct zn_parser *p);       /* struct foo *, uint8[4], typeof(e) */
bool zn_c_definition(struct zn_parser *p);           /* current: struct, union, enum, typedef */
