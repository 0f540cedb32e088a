/* SPDX-License-Identifier: Apache-2.0 */
/* C types and definitions: the types of casts and declarations, struct, union, enum, typedef.
 *
 * Integer types get one spelling each ("long unsigned" is "unsigned long", "_Bool" is "bool");
 * qualifiers and the kernel's address-space words are dropped. A struct with a tag that is defined
 * inside another one becomes a definition of its own, ahead of the outer one. */
#include <string.h>

#include "lang/parse.h"

static bool in_words(const struct zn_tok *t, const char *const *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (zn_tok_is(t, words[i]))
            return true;
    return false;
}

static bool tag_word(const struct zn_tok *t)
{
    return zn_tok_is(t, "struct") || zn_tok_is(t, "union") || zn_tok_is(t, "enum");
}

static bool integer_word(const struct zn_tok *t)
{
    static const char *const words[] = {"unsigned", "signed", "long", "short", "char", "int"};
    return in_words(t, words, ZN_ARRAY_SIZE(words));
}

static bool qualifier(const struct zn_tok *t)
{
    static const char *const words[] = {
        "const",   "volatile",  "restrict", "__restrict", "static",   "extern",
        "inline",  "__user",    "__kernel", "__rcu",      "__percpu", "__iomem",
        "__force", "__bitwise", "register", "_Atomic",
    };
    return in_words(t, words, ZN_ARRAY_SIZE(words));
}

/* Names that are types without any definition. */
static bool known_type(const struct zn_tok *t)
{
    static const char *const words[] = {
        "void",          "bool",      "_Bool",     "int8",     "int16",     "int32",    "int64",
        "uint8",         "uint16",    "uint32",    "uint64",   "int8_t",    "int16_t",  "int32_t",
        "int64_t",       "uint8_t",   "uint16_t",  "uint32_t", "uint64_t",  "u8",       "u16",
        "u32",           "u64",       "s8",        "s16",      "s32",       "s64",      "__u8",
        "__u16",         "__u32",     "__u64",     "__s8",     "__s16",     "__s32",    "__s64",
        "size_t",        "ssize_t",   "uintptr_t", "intptr_t", "ptrdiff_t", "pid_t",    "string",
        "buffer",        "inet",      "ksym_t",    "usym_t",   "kstack_t",  "ustack_t", "macaddr_t",
        "cgroup_path_t", "timestamp", "hist_t",    "lhist_t",  "tseries_t", "count_t",  "sum_t",
        "min_t",         "max_t",     "avg_t",     "stats_t",  "float",     "double",
    };
    return in_words(t, words, ZN_ARRAY_SIZE(words));
}

static struct zn_constant *lookup(struct zn_constant *const *table, const struct zn_tok *t)
{
    struct zn_constant *c = table[zn_name_bucket(t->text, t->len)];
    while (c && !zn_tok_is(t, c->name))
        c = c->next;
    return c;
}

static void remember(struct zn_parser *p, struct zn_constant **table, const char *name,
                     int64_t value)
{
    struct zn_constant *c = zn_arena_new(p->arena, struct zn_constant);
    unsigned b = zn_name_bucket(name, (uint32_t)strlen(name));
    c->name = name;
    c->value = value;
    c->next = table[b];
    table[b] = c;
}

bool zn_type_ahead(struct zn_parser *p, unsigned n)
{
    const struct zn_tok *t = zn_peek(p, n);
    if (t->kind != TK_IDENT)
        return false;
    if (integer_word(t) || known_type(t) || lookup(p->typedefs, t))
        return true;
    if (zn_tok_is(t, "typeof"))
        return zn_peek(p, n + 1)->kind == TK_LPAREN;
    return (tag_word(t) || qualifier(t)) && zn_peek(p, n + 1)->kind == TK_IDENT;
}

/* attributes := ("const" | … | "__attribute__" "((" … "))")* */
static void qualifiers(struct zn_parser *p, bool *packed)
{
    for (;;) {
        if (zn_at(p, TK_IDENT) && qualifier(&p->t)) {
            zn_advance(p);
            continue;
        }
        if (zn_at_word(p, "__packed") && packed) {
            *packed = true;
            zn_advance(p);
            continue;
        }
        if (!zn_at_word(p, "__attribute__"))
            return;
        unsigned open = 0;
        zn_advance(p);
        while (!zn_at(p, TK_EOF)) {
            if (packed && (zn_at_word(p, "packed") || zn_at_word(p, "__packed__")))
                *packed = true;
            if (zn_at(p, TK_LPAREN))
                open++;
            else if (!zn_at(p, TK_RPAREN) || !open)
                open = open ? open : UINT32_MAX; /* no parenthesis follows: nothing to skip */
            if (open == UINT32_MAX)
                break;
            bool last = zn_at(p, TK_RPAREN) && !--open;
            zn_advance(p);
            if (last)
                break;
        }
    }
}

/* integer := ("unsigned" | "signed" | "long" | "short" | "char" | "int")+ */
static const char *integer(struct zn_parser *p)
{
    unsigned u = 0, s = 0, l = 0, sh = 0, c = 0;
    while (zn_at(p, TK_IDENT) && (integer_word(&p->t) || qualifier(&p->t))) {
        u += zn_at_word(p, "unsigned");
        s += zn_at_word(p, "signed");
        l += zn_at_word(p, "long");
        sh += zn_at_word(p, "short");
        c += zn_at_word(p, "char");
        zn_advance(p);
    }
    if (l && zn_at_word(p, "double")) {
        zn_advance(p);
        return "long double";
    }
    if (c)
        return u ? "unsigned char" : s ? "signed char" : "char";
    if (sh)
        return u ? "unsigned short" : "short";
    if (l)
        return l > 1 ? (u ? "unsigned long long" : "long long") : (u ? "unsigned long" : "long");
    return u ? "unsigned int" : "int";
}

static bool param_or_constant(void *arg, const struct zn_tok *t, int64_t *ret)
{
    const struct zn_parser *p = arg;
    const struct zn_constant *c = lookup(p->constants, t);
    if (!c)
        return false;
    *ret = c->value;
    return true;
}

/* A constant expression up to `close` (not consumed), "," at its level or a "}" or ";". */
static bool constant(struct zn_parser *p, enum zn_tk close, int64_t *ret)
{
    struct zn_tok *v = NULL;
    unsigned n = 0, cap = 0, open = 0;
    while (!zn_at(p, TK_EOF) && !zn_at(p, TK_SEMI) && !zn_at(p, TK_RBRACE)) {
        if (!open && (zn_at(p, close) || zn_at(p, TK_COMMA)))
            break;
        if (zn_at(p, TK_LPAREN) || zn_at(p, TK_LBRACK))
            open++;
        else if ((zn_at(p, TK_RPAREN) || zn_at(p, TK_RBRACK)) && open)
            open--;
        zn_arena_grow(p->arena, v, n, cap);
        v[n] = p->t;
        unsigned argc = p->env ? p->env->argc : 0;
        if (zn_at(p, TK_PARAM)) {
            int64_t i = p->t.num;
            v[n].kind = TK_INT;
            v[n].num = !i ? (int64_t)argc : i <= argc ? strtoll(p->env->argv[i - 1], NULL, 0) : 0;
        }
        n++;
        zn_advance(p);
    }
    if (!n) {
        zn_unexpected(p, "a constant");
        return false;
    }
    struct zn_ceval e = {
        .arena = p->arena, .t = v, .end = v + n, .lookup = param_or_constant, .arg = p};
    *ret = zn_ceval(&e);
    if (!e.bad && e.t != e.end) {
        e.bad = e.t;
        e.why = zn_arena_printf(p->arena, "unexpected %s in a constant expression",
                                zn_tok_name(p->arena, e.t));
    }
    if (e.bad && !p->lenient)
        zn_perror(p, e.bad == e.end ? p->prev : e.bad->pos, "%s", e.why);
    if (e.bad)
        *ret = -1;
    return !e.bad || p->lenient;
}

/* dims := ("[" [constant] "]")* */
static bool dims(struct zn_parser *p, struct zn_ctype *ct)
{
    while (zn_at(p, TK_LBRACK)) {
        if (ct->ndim >= ZN_ARRAY_SIZE(ct->dim)) {
            zn_perror(p, p->t.pos, "an array has at most %zu dimensions", ZN_ARRAY_SIZE(ct->dim));
            return false;
        }
        zn_advance(p);
        int64_t n = -1;
        if (!zn_at(p, TK_RBRACK)) {
            struct zn_pos at = p->t.pos;
            if (!constant(p, TK_RBRACK, &n))
                return false;
            if (n < 0 && !p->lenient) {
                zn_perror(p, at, "an array's dimension cannot be negative");
                return false;
            }
        }
        ct->dim[ct->ndim++] = n;
        if (!zn_expect(p, TK_RBRACK, "after the dimension"))
            return false;
    }
    return true;
}

static void stars(struct zn_parser *p, struct zn_ctype *ct)
{
    qualifiers(p, NULL);
    while (zn_accept(p, TK_STAR)) {
        ct->ptr++;
        qualifiers(p, NULL);
    }
}

/* typeof := "typeof" "(" (type | expr) ")" */
static bool typeof_(struct zn_parser *p, struct zn_ctype *ct)
{
    zn_advance(p);
    if (!zn_expect(p, TK_LPAREN, "after 'typeof'"))
        return false;
    if (zn_type_ahead(p, 0)) {
        struct zn_ctype *in = zn_type(p);
        if (!in)
            return false;
        *ct = *in;
    } else if (!(ct->of_expr = zn_expr(p))) {
        return false;
    }
    return zn_expect(p, TK_RPAREN, "after the operand of 'typeof'");
}

/* base := tag name | integer | name ; without bodies */
static bool base(struct zn_parser *p, struct zn_ctype *ct)
{
    const char *prefix = "";
    qualifiers(p, NULL);
    if (zn_at_word(p, "__data_loc") || zn_at_word(p, "__rel_loc")) {
        prefix = zn_arena_printf(p->arena, "%s ", zn_tok_text(p, &p->t));
        zn_advance(p);
        qualifiers(p, NULL);
    }
    if (!zn_at(p, TK_IDENT)) {
        zn_unexpected(p, "a type");
        return false;
    }
    if (tag_word(&p->t)) {
        const char *kind = zn_tok_text(p, &p->t);
        zn_advance(p);
        if (!zn_at(p, TK_IDENT)) {
            zn_unexpected(p, zn_arena_printf(p->arena, "a name after '%s'", kind));
            return false;
        }
        ct->name = zn_arena_printf(p->arena, "%s%s %.*s", prefix, kind, (int)p->t.len, p->t.text);
        zn_advance(p);
    } else if (integer_word(&p->t)) {
        const char *name = integer(p);
        ct->name = *prefix ? zn_arena_printf(p->arena, "%s%s", prefix, name) : name;
    } else {
        const char *name = zn_at_word(p, "_Bool") ? "bool" : zn_tok_text(p, &p->t);
        ct->name = zn_arena_printf(p->arena, "%s%s", prefix, name);
        zn_advance(p);
    }
    qualifiers(p, NULL);
    return true;
}

/* type := (base | typeof) "*"* dims */
struct zn_ctype *zn_type(struct zn_parser *p)
{
    struct zn_ctype *ct = zn_arena_new(p->arena, struct zn_ctype);
    struct zn_pos begin = p->t.pos;
    if (!zn_enter(p))
        return NULL;
    bool ok = zn_at_word(p, "typeof") ? typeof_(p, ct) : base(p, ct);
    if (ok)
        stars(p, ct);
    ok = ok && dims(p, ct);
    zn_leave(p);
    if (!ok)
        return NULL;
    ct->pos = (struct zn_pos){begin.begin, ZN_MAX(begin.end, p->prev.end)};
    return ct;
}

/* ---- definitions ---- */

static bool body(struct zn_parser *p, struct zn_cdecl *cd);

static void skip_parens(struct zn_parser *p)
{
    unsigned open = 0;
    do {
        if (zn_at(p, TK_LPAREN))
            open++;
        else if (zn_at(p, TK_RPAREN))
            open--;
        zn_advance(p);
    } while (open && !zn_at(p, TK_EOF));
}

/* declarator := "*"* (name | "(" "*" name ")" "(" … ")") dims ; the name may be missing */
static bool declarator(struct zn_parser *p, struct zn_ctype *ct, const char **ret_name)
{
    *ret_name = NULL;
    stars(p, ct);
    if (!dims(p, ct)) /* char[] name */
        return false;
    if (zn_at(p, TK_LPAREN)) { /* a pointer to a function: void * for us */
        zn_advance(p);
        struct zn_ctype inner = {0};
        stars(p, &inner);
        if (zn_at(p, TK_IDENT)) {
            *ret_name = zn_tok_text(p, &p->t);
            zn_advance(p);
        }
        if (!dims(p, &inner) || !zn_expect(p, TK_RPAREN, "after the declarator"))
            return false;
        if (zn_at(p, TK_LPAREN)) {
            skip_parens(p);
            *ct = (struct zn_ctype){.name = "void", .pos = ct->pos};
        }
        ct->ptr += inner.ptr;
        for (unsigned i = 0; i < inner.ndim && ct->ndim < ZN_ARRAY_SIZE(ct->dim); i++)
            ct->dim[ct->ndim++] = inner.dim[i];
    } else if (zn_at(p, TK_IDENT)) {
        *ret_name = zn_tok_text(p, &p->t);
        zn_advance(p);
    }
    return dims(p, ct);
}

/* spec := base | tag [name] body. *ret_inner: an untagged definition. */
static bool spec(struct zn_parser *p, struct zn_ctype *ct, struct zn_cdecl **ret_inner)
{
    *ret_inner = NULL;
    ct->pos = p->t.pos;
    qualifiers(p, NULL);
    if (!zn_at(p, TK_IDENT) || !tag_word(&p->t))
        return base(p, ct);
    struct zn_cdecl *cd = zn_arena_new(p->arena, struct zn_cdecl);
    cd->kind = zn_at_word(p, "struct") ? CD_STRUCT : zn_at_word(p, "union") ? CD_UNION : CD_ENUM;
    cd->pos = p->t.pos;
    const char *kind = zn_tok_text(p, &p->t);
    zn_advance(p);
    qualifiers(p, &cd->packed);
    if (zn_at(p, TK_IDENT)) {
        cd->name = zn_tok_text(p, &p->t);
        ct->name = zn_arena_printf(p->arena, "%s %s", kind, cd->name);
        zn_advance(p);
        qualifiers(p, &cd->packed);
    }
    if (!zn_at(p, TK_LBRACE)) {
        qualifiers(p, NULL);
        if (!cd->name)
            zn_unexpected(p, zn_arena_printf(p->arena, "a name or '{' after '%s'", kind));
        return cd->name != NULL;
    }
    if (!zn_enter(p))
        return false;
    bool ok = body(p, cd);
    zn_leave(p);
    if (!ok)
        return false;
    qualifiers(p, &cd->packed);
    cd->pos.end = ZN_MAX(cd->pos.end, p->prev.end);
    if (!cd->name) {
        *ret_inner = cd;
    } else {
        *p->cdecl_tail = cd;
        p->cdecl_tail = &cd->next;
    }
    return true;
}

/* enumerator := name ["=" constant] */
static bool enumerator(struct zn_parser *p, struct zn_cmember *m, int64_t next)
{
    if (!zn_at(p, TK_IDENT)) {
        zn_unexpected(p, "a constant's name or '}'");
        return false;
    }
    m->name = zn_tok_text(p, &p->t);
    m->value = next;
    zn_advance(p);
    qualifiers(p, NULL);
    if (zn_accept(p, TK_ASSIGN) && !constant(p, TK_RBRACE, &m->value))
        return false;
    remember(p, p->constants, m->name, m->value);
    return zn_at(p, TK_RBRACE) || zn_expect(p, TK_COMMA, "or '}' after the constant");
}

/* member := spec [declarator [":" constant] ("," declarator [":" constant])*] ";" */
static bool members(struct zn_parser *p, struct zn_cmember ***tail)
{
    struct zn_ctype ct = {0};
    struct zn_cdecl *inner;
    if (!spec(p, &ct, &inner))
        return false;
    do {
        struct zn_cmember *m = zn_arena_new(p->arena, struct zn_cmember);
        struct zn_ctype mine = ct;
        if (!declarator(p, &mine, &m->name))
            return false;
        if (zn_accept(p, TK_COLON)) {
            int64_t bits;
            if (!constant(p, TK_SEMI, &bits))
                return false;
            m->bits = bits > 0 && bits <= 64 ? (int)bits : 0;
        }
        qualifiers(p, NULL);
        mine.pos.end = ZN_MAX(mine.pos.end, p->prev.end);
        m->inner = inner;
        if (!inner || mine.ptr || mine.ndim) {
            m->ctype = zn_arena_new(p->arena, struct zn_ctype);
            *m->ctype = mine;
        }
        /* A tagged struct inside without a name defines the tag only; its fields do not show. */
        if (!m->name && !inner && !m->bits)
            continue;
        **tail = m;
        *tail = &m->next;
    } while (zn_accept(p, TK_COMMA));
    return zn_at(p, TK_RBRACE) || zn_expect(p, TK_SEMI, "after the field");
}

/* body := "{" (enumerator | member)* "}" */
static bool body(struct zn_parser *p, struct zn_cdecl *cd)
{
    struct zn_cmember **tail = &cd->members;
    int64_t next = 0;
    struct zn_pos open = p->t.pos;
    zn_advance(p);
    while (!zn_at(p, TK_RBRACE)) {
        if (zn_at(p, TK_EOF)) {
            zn_perror(p, open, "this '{' has no matching '}'");
            return false;
        }
        if (cd->kind != CD_ENUM) {
            if (!zn_accept(p, TK_SEMI) && !members(p, &tail))
                return false;
            continue;
        }
        struct zn_cmember *m = zn_arena_new(p->arena, struct zn_cmember);
        if (!enumerator(p, m, next))
            return false;
        next = (int64_t)((uint64_t)m->value + 1);
        *tail = m;
        tail = &m->next;
    }
    zn_advance(p);
    return true;
}

/* typedef := "typedef" spec declarator ("," declarator)* */
static bool typedef_(struct zn_parser *p)
{
    struct zn_pos begin = p->t.pos;
    zn_advance(p);
    struct zn_ctype ct = {0};
    struct zn_cdecl *inner;
    if (!spec(p, &ct, &inner))
        return false;
    do {
        struct zn_cdecl *cd = zn_arena_new(p->arena, struct zn_cdecl);
        struct zn_cmember *m = zn_arena_new(p->arena, struct zn_cmember);
        struct zn_ctype mine = ct;
        if (!declarator(p, &mine, &cd->name))
            return false;
        if (!cd->name) {
            zn_unexpected(p, "the new type's name");
            return false;
        }
        m->inner = inner;
        if (!inner || mine.ptr || mine.ndim) {
            m->ctype = zn_arena_new(p->arena, struct zn_ctype);
            *m->ctype = mine;
        }
        cd->kind = CD_TYPEDEF;
        cd->members = m;
        cd->pos = (struct zn_pos){begin.begin, ZN_MAX(begin.end, p->prev.end)};
        *p->cdecl_tail = cd;
        p->cdecl_tail = &cd->next;
        remember(p, p->typedefs, cd->name, 0);
    } while (zn_accept(p, TK_COMMA));
    return true;
}

/* c_definition := typedef | tag [name] [body] */
bool zn_c_definition(struct zn_parser *p)
{
    if (zn_at_word(p, "typedef"))
        return typedef_(p);
    struct zn_ctype ct = {0};
    struct zn_cdecl *inner;
    if (!spec(p, &ct, &inner))
        return false;
    if (inner) { /* an enum without a tag still has its constants */
        *p->cdecl_tail = inner;
        p->cdecl_tail = &inner->next;
    }
    return true;
}

struct zn_ctype *zn_parse_cdecl(struct zn_arena *arena, const char *text, const char **ret_name)
{
    struct zn_diags d;
    struct zn_parser p;
    struct zn_source src = {.name = "", .text = text, .len = strlen(text)};
    zn_diags_init(&d, arena, src);
    zn_parser_init(&p, arena, &d, NULL, text, src.len);
    p.lenient = true;
    zn_advance(&p);
    struct zn_ctype *ct = zn_arena_new(arena, struct zn_ctype);
    const char *name;
    if (!base(&p, ct) || !declarator(&p, ct, &name))
        return NULL;
    zn_accept(&p, TK_SEMI);
    if (!zn_at(&p, TK_EOF) || d.errors)
        return NULL;
    ct->pos = (struct zn_pos){0, (uint32_t)src.len};
    if (ret_name)
        *ret_name = name;
    return ct;
}
