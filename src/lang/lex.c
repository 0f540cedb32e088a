/* SPDX-License-Identifier: Apache-2.0 */
/* Text to tokens: numbers, strings, names with sigils, punctuation. */
#include "lang/lex.h"

#include <string.h>

#include "base/arena.h"
#include "base/mem.h"

/* Longest first, so that the first match wins. */
static const struct {
    const char *text;
    enum zn_tk kind;
} puncts[] = {
    {"...", TK_ELLIPSIS}, {"<<=", TK_SHL_EQ}, {">>=", TK_SHR_EQ},  {"->", TK_ARROW},
    {"..", TK_DOTDOT},    {"<<", TK_SHL},     {">>", TK_SHR},      {"==", TK_EQ},
    {"!=", TK_NE},        {"<=", TK_LE},      {">=", TK_GE},       {"&&", TK_ANDAND},
    {"||", TK_OROR},      {"++", TK_INC},     {"--", TK_DEC},      {"+=", TK_PLUS_EQ},
    {"-=", TK_MINUS_EQ},  {"*=", TK_STAR_EQ}, {"/=", TK_SLASH_EQ}, {"%=", TK_PERCENT_EQ},
    {"&=", TK_AMP_EQ},    {"|=", TK_PIPE_EQ}, {"^=", TK_CARET_EQ}, {"##", TK_HASHHASH},
    {"(", TK_LPAREN},     {")", TK_RPAREN},   {"{", TK_LBRACE},    {"}", TK_RBRACE},
    {"[", TK_LBRACK},     {"]", TK_RBRACK},   {";", TK_SEMI},      {",", TK_COMMA},
    {":", TK_COLON},      {"?", TK_QUEST},    {".", TK_DOT},       {"#", TK_HASH},
    {"+", TK_PLUS},       {"-", TK_MINUS},    {"*", TK_STAR},      {"/", TK_SLASH},
    {"%", TK_PERCENT},    {"&", TK_AMP},      {"|", TK_PIPE},      {"^", TK_CARET},
    {"<", TK_LT},         {">", TK_GT},       {"!", TK_NOT},       {"~", TK_TILDE},
    {"=", TK_ASSIGN},
};

static const struct {
    const char *text;
    uint64_t ns;
} durations[] = {
    {"ns", 1},          {"us", 1000},         {"ms", 1000000},       {"s", 1000000000},
    {"m", 60000000000}, {"h", 3600000000000}, {"d", 86400000000000},
};

const char *zn_tk_spelling(enum zn_tk k)
{
    for (size_t i = 0; i < ZN_ARRAY_SIZE(puncts); i++)
        if (puncts[i].kind == k)
            return puncts[i].text;
    return NULL;
}

bool zn_tok_is(const struct zn_tok *t, const char *word)
{
    return t->kind == TK_IDENT && strlen(word) == t->len && !memcmp(t->text, word, t->len);
}

const char *zn_tok_name(struct zn_arena *arena, const struct zn_tok *t)
{
    int n = (int)ZN_MIN(t->len, 40u);
    switch (t->kind) {
    case TK_EOF: return "the end of the script";
    case TK_STR: return "a string";
    case TK_ERROR: return "a malformed token";
    case TK_VAR: return zn_arena_printf(arena, "variable $%.*s", n, t->text);
    case TK_MAP: return zn_arena_printf(arena, "map @%.*s", n, t->text);
    default: return zn_arena_printf(arena, "'%.*s'", n, t->text);
    }
}

static void fail(struct zn_tok *t, const char *msg)
{
    t->kind = TK_ERROR;
    t->err = msg;
}

static bool digit(char c)
{
    return c >= '0' && c <= '9';
}

static int hex_value(char c)
{
    if (digit(c))
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

/* White space and comments before a token. Returns the begin of an unterminated comment or NULL. */
static const char *skip_blank(struct zn_frame *f)
{
    const char *p = f->cur, *end = f->end;
    const char *bad = NULL;
    while (p < end) {
        if (*p == '\n') {
            f->bol = true;
            p++;
        } else if (*p == ' ' || *p == '\t' || *p == '\r' || *p == '\v' || *p == '\f') {
            p++;
        } else if (*p == '\\' && p + 1 < end && p[1] == '\n') {
            p += 2;
        } else if (*p == '\\' && p + 2 < end && p[1] == '\r' && p[2] == '\n') {
            p += 3;
        } else if (*p == '/' && p + 1 < end && p[1] == '/') {
            const char *nl = memchr(p, '\n', (size_t)(end - p));
            p = nl ? nl : end;
        } else if (*p == '/' && p + 1 < end && p[1] == '*') {
            const char *q = p + 2;
            while (q + 1 < end && !(q[0] == '*' && q[1] == '/'))
                q++;
            if (q + 1 >= end) {
                bad = p;
                p = end;
                break;
            }
            p = q + 2;
        } else {
            break;
        }
    }
    f->space = p != f->cur;
    f->cur = p;
    return bad;
}

/* suffix: U, L, UL, LU, ULL, LLU … in either case; they change nothing. */
static bool c_suffix(const char *s, size_t n)
{
    unsigned u = 0, l = 0;
    for (size_t i = 0; i < n; i++) {
        bool is_u = s[i] == 'u' || s[i] == 'U';
        if (is_u && (i == 0 || i == n - 1))
            u++;
        else if (s[i] == 'l' || s[i] == 'L')
            l++;
        else
            return false;
    }
    return u <= 1 && l <= 2;
}

static bool duration(const char *s, size_t n, uint64_t *ret)
{
    for (size_t i = 0; i < ZN_ARRAY_SIZE(durations); i++) {
        if (strlen(durations[i].text) == n && !memcmp(durations[i].text, s, n)) {
            *ret = durations[i].ns;
            return true;
        }
    }
    return false;
}

/* digits of one base, with '_' between; adds to *v. Returns the end. */
static const char *digits(const char *p, const char *end, unsigned base, uint64_t *v, bool *over)
{
    while (p < end) {
        if (*p == '_' && p + 1 < end && hex_value(p[1]) >= 0 && (unsigned)hex_value(p[1]) < base) {
            p++;
            continue;
        }
        int d = hex_value(*p);
        if (d < 0 || (unsigned)d >= base)
            break;
        uint64_t n;
        if (__builtin_mul_overflow(*v, (uint64_t)base, &n) ||
            __builtin_add_overflow(n, (uint64_t)d, &n))
            *over = true;
        *v = n;
        p++;
    }
    return p;
}

/* number := (dec | 0x hex | 0 octal | dec "e" dec) [suffix | duration] */
static void number(struct zn_lexer *lx, struct zn_frame *f, struct zn_tok *t)
{
    const char *p = f->cur, *end = f->end, *start = p;
    uint64_t v = 0;
    bool over = false, decimal = false, bad_octal = false;
    if (*p == '0' && p + 2 < end && (p[1] == 'x' || p[1] == 'X') && hex_value(p[2]) >= 0) {
        p = digits(p + 2, end, 16, &v, &over);
    } else if (*p == '0' && p + 1 < end && digit(p[1])) {
        p = digits(p, end, 8, &v, &over);
        bad_octal = p < end && digit(*p);
    } else {
        decimal = true;
        p = digits(p, end, 10, &v, &over);
        if (p < end && (*p == 'e' || *p == 'E') && p + 1 < end && digit(p[1])) {
            uint64_t exp = 0;
            p = digits(p + 1, end, 10, &exp, &over);
            for (uint64_t i = 0; i < exp && v && !over; i++)
                over = __builtin_mul_overflow(v, 10, &v);
        }
    }
    const char *suf = p;
    while (p < end && zn_ident_char((unsigned char)*p))
        p++;
    size_t nsuf = (size_t)(p - suf);
    uint64_t unit = 1;
    t->kind = TK_INT;
    f->cur = p;
    if (nsuf && decimal && duration(suf, nsuf, &unit))
        over |= __builtin_mul_overflow(v, unit, &v);
    else if (bad_octal)
        fail(t, zn_arena_printf(lx->arena, "'%.*s' is not an octal number",
                                (int)ZN_MIN(p - start, 40), start));
    else if (!c_suffix(suf, nsuf))
        fail(t, zn_arena_printf(lx->arena, "'%.*s' is not a number: unknown suffix '%.*s'",
                                (int)ZN_MIN(p - start, 40), start, (int)ZN_MIN(nsuf, (size_t)40),
                                suf));
    if (over && t->kind == TK_INT)
        fail(t, "the number does not fit in 64 bits");
    t->num = (int64_t)v;
    t->big = v > INT64_MAX;
}

/* One escape after the backslash. Returns the end, or NULL: unknown. */
static const char *escape(const char *p, const char *end, char *ret)
{
    static const char from[] = "ntr\"\\abfve'", to[] = "\n\t\r\"\\\a\b\f\v\033'";
    if (*p == 'x') {
        int v = 0, n = 0;
        for (p++; n < 2 && p < end && hex_value(*p) >= 0; n++)
            v = v * 16 + hex_value(*p++);
        *ret = (char)v;
        return n ? p : NULL;
    }
    if (*p >= '0' && *p <= '7') {
        int v = 0;
        for (int n = 0; n < 3 && p < end && *p >= '0' && *p <= '7'; n++)
            v = v * 8 + (*p++ - '0');
        *ret = (char)v;
        return v <= 255 ? p : NULL;
    }
    const char *at = *p ? strchr(from, *p) : NULL;
    if (!at)
        return NULL;
    *ret = to[at - from];
    return p + 1;
}

/* string := '"' bytes and escapes '"', on one line unless the newline is escaped */
static void string(struct zn_lexer *lx, struct zn_frame *f, struct zn_tok *t)
{
    const char *p = f->cur + 1, *end = f->end, *q = p;
    t->kind = TK_STR;
    while (q < end && *q != '"' && *q != '\n')
        q += *q == '\\' && q + 1 < end ? 2 : 1;
    if (q >= end || *q != '"') {
        f->cur = ZN_MIN(q, end);
        fail(t, "unterminated string: '\"' is missing before the end of the line");
        return;
    }
    char *buf = zn_arena_alloc(lx->arena, (size_t)(q - p) + 1);
    uint32_t n = 0;
    while (p < q) {
        if (*p != '\\') {
            buf[n++] = *p++;
            continue;
        }
        if (p[1] == '\n') { /* a continued line */
            p += 2;
            continue;
        }
        char c = 0;
        const char *next = escape(p + 1, q, &c);
        if (!next) {
            if (t->kind == TK_STR)
                fail(t, zn_arena_printf(lx->arena, "bad escape sequence '\\%.*s'",
                                        (unsigned char)p[1] < 0x20 ? 0 : 1, p + 1));
            next = p + 2;
        }
        buf[n++] = c;
        p = next;
    }
    f->cur = q + 1;
    t->str = buf;
    t->str_len = n;
}

/* $name, $1, $#, @name, @ */
static void sigil(struct zn_frame *f, struct zn_tok *t)
{
    const char *p = f->cur, *end = f->end;
    bool var = *p == '$';
    p++;
    if (var && p < end && *p == '#') {
        t->kind = TK_PARAM;
        f->cur = p + 1;
        return;
    }
    if (var && p < end && digit(*p)) {
        uint64_t v = 0;
        bool over = false;
        while (p < end && digit(*p))
            p = digits(p, end, 10, &v, &over);
        t->kind = TK_PARAM;
        t->num = (int64_t)v;
        f->cur = p;
        if (over || v > 1000000)
            fail(t, "the parameter's number is too large");
        else if (!v)
            fail(t, "positional parameters count from $1");
        return;
    }
    const char *name = p;
    if (p < end && zn_ident_start((unsigned char)*p))
        while (p < end && zn_ident_char((unsigned char)*p))
            p++;
    t->kind = var ? TK_VAR : TK_MAP;
    t->text = name;
    t->len = (uint32_t)(p - name);
    f->cur = p;
    if (var && p == name)
        fail(t, "expected a variable's name after '$'");
}

static void punct(struct zn_lexer *lx, struct zn_frame *f, struct zn_tok *t)
{
    size_t left = (size_t)(f->end - f->cur);
    for (size_t i = 0; i < ZN_ARRAY_SIZE(puncts); i++) {
        size_t n = strlen(puncts[i].text);
        if (n <= left && !memcmp(f->cur, puncts[i].text, n)) {
            t->kind = puncts[i].kind;
            f->cur += n;
            return;
        }
    }
    unsigned char c = (unsigned char)*f->cur;
    if (c == '\'') {
        const char *p = f->cur + 1;
        while (p < f->end && *p != '\'' && *p != '\n' && p - f->cur < 6)
            p++;
        f->cur = p < f->end && *p == '\'' ? p + 1 : f->cur + 1;
        fail(t, "character literals are not supported: write a string or a number");
        return;
    }
    /* One message for a run of alien bytes (the other half of a UTF-8 character, say). */
    const char *p = f->cur + 1;
    if (c >= 0x80)
        while (p < f->end && (unsigned char)*p >= 0x80)
            p++;
    f->cur = p;
    if (c >= 0x80)
        fail(t, "characters outside ASCII may stand in strings and comments only");
    else if (c < 0x20 || c == 0x7f)
        fail(t, zn_arena_printf(lx->arena, "unexpected byte 0x%02x", c));
    else
        fail(t, zn_arena_printf(lx->arena, "unexpected character '%c'", c));
}

void zn_lex_raw(struct zn_lexer *lx, struct zn_frame *f, struct zn_tok *t)
{
    memset(t, 0, sizeof(*t));
    const char *unterminated = skip_blank(f);
    const char *start = unterminated ? unterminated : f->cur;
    t->space = f->space || f->bol;
    t->bol = f->bol;
    f->bol = false;
    t->text = start;
    if (unterminated) {
        fail(t, "unterminated comment: '*/' is missing");
        t->len = 2;
    } else if (f->cur >= f->end) {
        t->kind = TK_EOF;
    } else {
        char c = *f->cur;
        if (zn_ident_start((unsigned char)c)) {
            t->kind = TK_IDENT;
            while (f->cur < f->end && zn_ident_char((unsigned char)*f->cur))
                f->cur++;
        } else if (digit(c)) {
            number(lx, f, t);
        } else if (c == '"') {
            string(lx, f, t);
        } else if (c == '$' || c == '@') {
            sigil(f, t);
            if (t->kind == TK_ERROR)
                t->text = start;
        } else {
            punct(lx, f, t);
        }
    }
    size_t end = unterminated ? (size_t)(start + 2 - f->text) : (size_t)(f->cur - f->text);
    t->pos = f->fixed ? f->pos : (struct zn_pos){(uint32_t)(start - f->text), (uint32_t)end};
    if (!t->len && t->kind != TK_VAR && t->kind != TK_MAP)
        t->len = (uint32_t)(f->cur - start);
}
