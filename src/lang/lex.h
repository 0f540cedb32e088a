/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens, and the preprocessor that sits between the text and the parser.
 *
 * The lexer works on demand, over a stack of frames: the script, an included file, the tokens of a
 * macro being expanded. On demand because attach points (`uprobe:/lib/x*.so:f`) are not made of
 * tokens: the parser asks for their raw text instead (zn_lex_attach). A lexical mistake is a
 * TK_ERROR token, so that text which nobody parses (an unused #define) is no error. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lang/ast.h"
#include "lang/diag.h"

enum zn_tk {
    TK_EOF,
    TK_ERROR, /* err says what is wrong */
    TK_IDENT,
    TK_INT,   /* num, big */
    TK_STR,   /* str, str_len: escapes resolved */
    TK_VAR,   /* text without the $ */
    TK_MAP,   /* text without the @ */
    TK_PARAM, /* $1: num 1; $#: num 0 */
    /* punctuation */
    TK_LPAREN,
    TK_RPAREN,
    TK_LBRACE,
    TK_RBRACE,
    TK_LBRACK,
    TK_RBRACK,
    TK_SEMI,
    TK_COMMA,
    TK_COLON,
    TK_QUEST,
    TK_DOT,
    TK_DOTDOT,
    TK_ELLIPSIS,
    TK_ARROW,
    TK_HASH,
    TK_HASHHASH,
    TK_PLUS,
    TK_MINUS,
    TK_STAR,
    TK_SLASH,
    TK_PERCENT,
    TK_SHL,
    TK_SHR,
    TK_AMP,
    TK_PIPE,
    TK_CARET,
    TK_EQ,
    TK_NE,
    TK_LT,
    TK_LE,
    TK_GT,
    TK_GE,
    TK_ANDAND,
    TK_OROR,
    TK_NOT,
    TK_TILDE,
    TK_INC,
    TK_DEC,
    TK_ASSIGN,
    TK_PLUS_EQ,
    TK_MINUS_EQ,
    TK_STAR_EQ,
    TK_SLASH_EQ,
    TK_PERCENT_EQ,
    TK_SHL_EQ,
    TK_SHR_EQ,
    TK_AMP_EQ,
    TK_PIPE_EQ,
    TK_CARET_EQ,
    _ZN_TK_MAX,
};

struct zn_tok {
    enum zn_tk kind;
    struct zn_pos pos;
    const char *text; /* spelling, not NUL-terminated */
    uint32_t len;
    uint32_t str_len;
    const char *str; /* TK_STR */
    const char *err; /* TK_ERROR */
    int64_t num;
    bool big;   /* TK_INT above INT64_MAX */
    bool bol;   /* first on its line */
    bool space; /* white space before it */
    bool paint; /* a macro's own name inside its expansion: never expanded */
};

struct zn_cmacro {
    const char *name;
    uint32_t len;
    bool function, defined;
    bool busy; /* being expanded */
    unsigned nparams;
    struct zn_tok *params;
    struct zn_tok *body;
    unsigned nbody;
    struct zn_cmacro *next; /* same hash bucket */
};

struct zn_frame {
    struct zn_frame *up;
    const char *text, *cur, *end; /* text frame: offsets count from `text` */
    const struct zn_tok *toks;    /* token frame when not NULL */
    uint32_t ntoks, at;
    struct zn_cmacro *macro; /* whose expansion this is */
    bool fixed;              /* all tokens are said to be at `pos` */
    struct zn_pos pos;
    bool bol, space;  /* state between two tokens */
    const char *name; /* included file */
    unsigned nconds;  /* open #if when the frame began */
};

struct zn_cond {
    struct zn_pos pos;
    bool taken, in_else;
};

enum { ZN_MACRO_BUCKETS = 256 };

struct zn_lexer {
    struct zn_arena *arena;
    struct zn_diags *d;
    const struct zn_param_env *env;
    struct zn_frame *frame;
    struct zn_cmacro *macros[ZN_MACRO_BUCKETS];
    struct zn_cond *conds;
    unsigned nconds, capconds;
    unsigned nframes, nincludes;
    unsigned expanded; /* tokens made by macros so far */
    unsigned call_depth;
    bool no_expand; /* identifiers stay as they are */
    bool budget_told;
    struct zn_pos last; /* end of the text, for errors at EOF */
};

/* lex.c: one token of a text frame, no preprocessing. */
void zn_lex_raw(struct zn_lexer *lx, struct zn_frame *f, struct zn_tok *t);
/* How a token is called in messages: "'+='", "a string", "the end of the script". */
const char *zn_tok_name(struct zn_arena *arena, const struct zn_tok *t);
const char *zn_tk_spelling(enum zn_tk k);                 /* punctuation only, else NULL */
bool zn_tok_is(const struct zn_tok *t, const char *word); /* an identifier spelled so */
static inline bool zn_ident_start(unsigned char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
static inline bool zn_ident_char(unsigned char c)
{
    return zn_ident_start(c) || (c >= '0' && c <= '9');
}

/* cpp.c */
void zn_lex_init(struct zn_lexer *lx, struct zn_arena *arena, struct zn_diags *d,
                 const struct zn_param_env *env, const char *text, size_t len);
/* The next token after preprocessing. At the end: TK_EOF for ever. */
void zn_lex_next(struct zn_lexer *lx, struct zn_tok *t);
/* Evaluates an integer constant expression made of n tokens; unknown names are looked up by
 * `lookup` (false = unknown, then *ret_bad names the token). */
struct zn_ceval {
    struct zn_arena *arena;
    const struct zn_tok *t, *end;
    bool (*lookup)(void *arg, const struct zn_tok *name, int64_t *ret);
    void *arg;
    const struct zn_tok *bad; /* first mistake, or NULL */
    const char *why;
    unsigned depth;
};
int64_t zn_ceval(struct zn_ceval *e);
