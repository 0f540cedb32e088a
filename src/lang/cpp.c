/* SPDX-License-Identifier: Apache-2.0 */
/* The preprocessor: directives, macro expansion, included files.
 *
 * Small on purpose: scripts define constants and short helpers and guard their #include lines by
 * BPFTRACE_HAVE_BTF. Tokens of a macro are said to be where the macro was used, tokens of an
 * included file where the #include stands. Macro arguments are expanded while they are collected.
 * Growth is bounded: MAX_EXPANDED tokens in all, MAX_INCLUDES nested files. */
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "lang/lex.h"

enum {
    MAX_EXPANDED = 200000,
    MAX_INCLUDES = 32,
    MAX_CALLS = 64, /* macro calls within arguments of macro calls */
    MAX_FRAMES = 1000,
};

static unsigned bucket(const char *s, uint32_t n)
{
    uint32_t h = 2166136261u;
    for (uint32_t i = 0; i < n; i++)
        h = (h ^ (unsigned char)s[i]) * 16777619u;
    return h % ZN_MACRO_BUCKETS;
}

static struct zn_cmacro *find(const struct zn_lexer *lx, const struct zn_tok *t)
{
    for (struct zn_cmacro *m = lx->macros[bucket(t->text, t->len)]; m; m = m->next)
        if (m->len == t->len && !memcmp(m->name, t->text, t->len))
            return m;
    return NULL;
}

static bool is_defined(const struct zn_lexer *lx, const struct zn_tok *t)
{
    const struct zn_cmacro *m = find(lx, t);
    return m && m->defined;
}

static struct zn_cmacro *define(struct zn_lexer *lx, const struct zn_tok *name)
{
    struct zn_cmacro *m = find(lx, name);
    if (!m) {
        m = zn_arena_new(lx->arena, struct zn_cmacro);
        m->name = name->text;
        m->len = name->len;
        unsigned b = bucket(m->name, m->len);
        m->next = lx->macros[b];
        lx->macros[b] = m;
    }
    m->defined = true;
    m->function = false;
    m->nparams = m->nbody = 0;
    return m;
}

static void push_text(struct zn_lexer *lx, const char *text, size_t len)
{
    struct zn_frame *f = zn_arena_new(lx->arena, struct zn_frame);
    f->up = lx->frame;
    f->text = f->cur = text;
    f->end = text + len;
    f->bol = true;
    f->nconds = lx->nconds;
    lx->frame = f;
    lx->nframes++;
}

static void push_tokens(struct zn_lexer *lx, const struct zn_tok *toks, unsigned n,
                        struct zn_cmacro *m)
{
    struct zn_frame *f = zn_arena_new(lx->arena, struct zn_frame);
    f->up = lx->frame;
    f->toks = toks;
    f->ntoks = n;
    f->macro = m;
    if (m)
        m->busy = true;
    lx->frame = f;
    lx->nframes++;
}

static void pop(struct zn_lexer *lx)
{
    if (lx->frame->macro)
        lx->frame->macro->busy = false;
    if (lx->frame->name)
        lx->nincludes--;
    lx->frame = lx->frame->up;
    lx->nframes--;
}

void zn_lex_init(struct zn_lexer *lx, struct zn_arena *arena, struct zn_diags *d,
                 const struct zn_param_env *env, const char *text, size_t len)
{
    memset(lx, 0, sizeof(*lx));
    lx->arena = arena;
    lx->d = d;
    lx->env = env;
    push_text(lx, text, len);
    if (len >= 2 && text[0] == '#' && text[1] == '!') {
        const char *nl = memchr(text, '\n', len);
        lx->frame->cur = nl ? nl : text + len;
    }
    if (env && env->have_btf) {
        struct zn_tok name = {.kind = TK_IDENT, .text = "BPFTRACE_HAVE_BTF", .len = 17};
        struct zn_cmacro *m = define(lx, &name);
        m->body = zn_arena_new(arena, struct zn_tok);
        *m->body = (struct zn_tok){.kind = TK_INT, .text = "1", .len = 1, .num = 1};
        m->nbody = 1;
    }
    if (env && env->prelude) {
        push_text(lx, env->prelude, strlen(env->prelude));
        lx->frame->fixed = true;
        lx->frame->name = "--include";
        lx->nincludes++;
    }
}

/* The end of the logical line at p: continued lines and comments over several lines belong to it;
 * a comment without end does not. */
static const char *line_end(const char *p, const char *end)
{
    bool quoted = false;
    for (; p < end && *p != '\n'; p++) {
        if (*p == '\\' && p + 1 < end) {
            p++;
            if (*p == '\r' && p + 1 < end && p[1] == '\n')
                p++;
        } else if (*p == '"') {
            quoted = !quoted;
        } else if (!quoted && *p == '/' && p + 1 < end && p[1] == '/') {
            const char *nl = memchr(p, '\n', (size_t)(end - p));
            return nl ? nl : end;
        } else if (!quoted && *p == '/' && p + 1 < end && p[1] == '*') {
            const char *close = memmem(p + 2, (size_t)(end - p - 2), "*/", 2);
            if (close)
                p = close + 1;
        }
    }
    return p;
}

struct toks {
    struct zn_tok *t;
    unsigned n, cap;
};

static void add_tok(struct zn_lexer *lx, struct toks *v, const struct zn_tok *t)
{
    zn_arena_grow(lx->arena, v->t, v->n, v->cap);
    v->t[v->n++] = *t;
}

static struct toks lex_all(struct zn_lexer *lx, struct zn_frame *line)
{
    struct toks v = {0};
    struct zn_tok t;
    for (;;) {
        zn_lex_raw(lx, line, &t);
        if (t.kind == TK_EOF)
            return v;
        add_tok(lx, &v, &t);
    }
}

/* ---- macro expansion ---- */

static bool next_is_lparen(struct zn_lexer *lx)
{
    for (struct zn_frame *f = lx->frame; f; f = f->up) {
        if (f->toks) {
            if (f->at < f->ntoks)
                return f->toks[f->at].kind == TK_LPAREN;
            continue;
        }
        struct zn_frame copy = *f;
        struct zn_tok t;
        zn_lex_raw(lx, &copy, &t);
        if (t.kind != TK_EOF)
            return t.kind == TK_LPAREN;
    }
    return false;
}

/* Collects the arguments of a call, "(" not yet read. Returns their number or -1 after an error;
 * *end is the end of the ")". */
static int collect_args(struct zn_lexer *lx, struct zn_cmacro *m, const struct zn_tok *use,
                        struct toks *args, uint32_t *end)
{
    struct zn_tok t;
    /* A directive among the arguments may define the macro anew. */
    unsigned n = 0, depth = 0, nparams = m->nparams;
    zn_lex_next(lx, &t); /* ( */
    for (;;) {
        zn_lex_next(lx, &t);
        if (t.kind == TK_EOF) {
            zn_error(lx->d, use->pos, "the call of macro '%.*s' has no closing ')'", (int)m->len,
                     m->name);
            return -1;
        }
        if (t.kind == TK_RPAREN && !depth)
            break;
        if (t.kind == TK_LPAREN)
            depth++;
        else if (t.kind == TK_RPAREN)
            depth--;
        if (t.kind == TK_COMMA && !depth) {
            n++;
            continue;
        }
        if (n < nparams)
            add_tok(lx, &args[n], &t);
    }
    *end = t.pos.end;
    return nparams == 0 && n == 0 ? 0 : (int)n + 1;
}

static struct zn_tok spelled(const struct zn_tok *t)
{
    struct zn_tok s = *t;
    if (t->kind == TK_VAR || t->kind == TK_MAP) { /* with the sigil */
        s.text--;
        s.len++;
    }
    return s;
}

static void stringify(struct zn_lexer *lx, const struct toks *arg, struct zn_tok *t)
{
    const char *s = "";
    for (unsigned i = 0; i < arg->n; i++) {
        struct zn_tok w = spelled(&arg->t[i]);
        s = zn_arena_printf(lx->arena, "%s%s%.*s", s, i && w.space ? " " : "", (int)w.len, w.text);
    }
    t->kind = TK_STR;
    t->str = s;
    t->str_len = (uint32_t)strlen(s);
}

/* a ## b: one token spelled as both. */
static void paste(struct zn_lexer *lx, struct zn_tok *a, const struct zn_tok *b)
{
    struct zn_tok l = spelled(a), r = spelled(b), t;
    const char *s = zn_arena_printf(lx->arena, "%.*s%.*s", (int)l.len, l.text, (int)r.len, r.text);
    struct zn_frame f = {.text = s, .cur = s, .end = s + strlen(s), .fixed = true, .pos = a->pos};
    zn_lex_raw(lx, &f, &t);
    if (f.cur != f.end && t.kind != TK_ERROR) {
        t.kind = TK_ERROR;
        t.err = "'##' does not make one token here";
    }
    *a = t;
}

static int param_index(const struct zn_cmacro *m, const struct zn_tok *t)
{
    if (t->kind == TK_IDENT)
        for (unsigned i = 0; i < m->nparams; i++)
            if (m->params[i].len == t->len && !memcmp(m->params[i].text, t->text, t->len))
                return (int)i;
    return -1;
}

static bool over_budget(struct zn_lexer *lx, struct zn_pos pos)
{
    if (lx->expanded <= MAX_EXPANDED)
        return false;
    if (!lx->budget_told)
        zn_error(lx->d, pos, "macros expand to more than %d tokens", MAX_EXPANDED);
    lx->budget_told = true;
    return true;
}

/* The body with arguments put in. */
static struct toks substitute(struct zn_lexer *lx, struct zn_cmacro *m, const struct toks *args,
                              struct zn_pos pos)
{
    struct toks out = {0};
    bool pasting = false;
    for (unsigned i = 0; i < m->nbody; i++) {
        struct zn_tok t = m->body[i];
        if (t.kind == TK_HASHHASH && m->function && out.n && i + 1 < m->nbody) {
            pasting = true;
            continue;
        }
        int p = -1;
        if (t.kind == TK_HASH && m->function && i + 1 < m->nbody &&
            (p = param_index(m, &m->body[i + 1])) >= 0) {
            stringify(lx, &args[p], &t);
            i++;
            p = -1;
        } else if (m->function) {
            p = param_index(m, &t);
        }
        const struct zn_tok *from = p >= 0 ? args[p].t : &t;
        unsigned n = p >= 0 ? args[p].n : 1;
        lx->expanded += n;
        if (over_budget(lx, pos))
            return out;
        for (unsigned k = 0; k < n; k++) {
            if (pasting && k == 0)
                paste(lx, &out.t[out.n - 1], &from[0]);
            else
                add_tok(lx, &out, &from[k]);
            out.t[out.n - 1].pos = pos;
            out.t[out.n - 1].bol = false;
        }
        pasting = false;
    }
    return out;
}

/* Replaces the identifier t by its macro's tokens. False: t is no macro and stays. */
static bool expand(struct zn_lexer *lx, struct zn_tok *t)
{
    struct zn_cmacro *m = find(lx, t);
    if (!m || !m->defined || t->paint)
        return false;
    if (m->busy) {
        t->paint = true;
        return false;
    }
    if (over_budget(lx, t->pos))
        return false;
    struct zn_pos pos = t->pos;
    struct toks *args = NULL;
    if (m->function) {
        if (!next_is_lparen(lx))
            return false;
        if (lx->call_depth >= MAX_CALLS) {
            if (!lx->budget_told)
                zn_error(lx->d, t->pos, "macro calls are nested more than %d levels deep",
                         MAX_CALLS);
            lx->budget_told = true;
            t->paint = true;
            return false;
        }
        args = zn_arena_array(lx->arena, struct toks, m->nparams + 1);
        unsigned nparams = m->nparams;
        lx->call_depth++;
        int n = collect_args(lx, m, t, args, &pos.end);
        lx->call_depth--;
        if (pos.end < pos.begin)
            pos = t->pos;
        if (n < 0 || nparams != m->nparams)
            return true;
        if ((unsigned)n != nparams) {
            zn_error(lx->d, pos, "macro '%.*s' takes %u argument%s, not %d", (int)m->len, m->name,
                     nparams, nparams == 1 ? "" : "s", n);
            return true;
        }
    }
    lx->expanded++;
    if (lx->nframes > MAX_FRAMES) {
        lx->expanded = MAX_EXPANDED + 1;
        return !over_budget(lx, pos);
    }
    struct toks out = substitute(lx, m, args, pos);
    push_tokens(lx, out.t, out.n, m);
    return true;
}

/* ---- directives ---- */

static void push_cond(struct zn_lexer *lx, struct zn_pos pos, bool taken)
{
    zn_arena_grow(lx->arena, lx->conds, lx->nconds, lx->capconds);
    lx->conds[lx->nconds++] = (struct zn_cond){.pos = pos, .taken = taken};
}

static bool unknown_is_zero(void *arg, const struct zn_tok *t, int64_t *ret)
{
    (void)arg;
    (void)t;
    *ret = 0;
    return true;
}

/* #if and #elif: names in defined() are not expanded, all others are. */
static bool evaluate(struct zn_lexer *lx, struct zn_pos at, const struct zn_tok *t, unsigned n)
{
    struct toks in = {0}, out = {0};
    for (unsigned i = 0; i < n; i++) {
        unsigned name = 0;
        if (zn_tok_is(&t[i], "defined") && i + 1 < n) {
            if (t[i + 1].kind == TK_IDENT)
                name = i + 1;
            else if (i + 3 < n && t[i + 1].kind == TK_LPAREN && t[i + 2].kind == TK_IDENT &&
                     t[i + 3].kind == TK_RPAREN)
                name = i + 2;
        }
        struct zn_tok x = t[i];
        if (name) {
            x.kind = TK_INT;
            x.num = is_defined(lx, &t[name]);
            i = name == i + 1 ? name : name + 1;
        }
        add_tok(lx, &in, &x);
    }
    /* Expanded apart from what follows the directive. */
    struct zn_frame *outer = lx->frame;
    bool no_expand = lx->no_expand;
    lx->frame = NULL;
    lx->no_expand = false;
    push_tokens(lx, in.t, in.n, NULL);
    struct zn_tok x;
    if (in.n) {
        for (;;) {
            zn_lex_next(lx, &x);
            if (x.kind == TK_EOF)
                break;
            add_tok(lx, &out, &x);
        }
    }
    lx->nframes--;
    lx->frame = outer;
    lx->no_expand = no_expand;
    if (!out.n) {
        zn_error(lx->d, at, "expected an expression after the directive");
        return false;
    }
    struct zn_ceval e = {
        .arena = lx->arena, .t = out.t, .end = out.t + out.n, .lookup = unknown_is_zero};
    int64_t v = zn_ceval(&e);
    if (!e.bad && e.t != e.end) {
        e.bad = e.t;
        e.why = "unexpected text after the expression";
    }
    if (e.bad) {
        zn_error(lx->d, e.bad == e.end ? at : e.bad->pos, "%s", e.why);
        return false;
    }
    return v != 0;
}

static struct zn_pos span(const struct zn_tok *a, const struct zn_tok *b)
{
    return (struct zn_pos){a->pos.begin, ZN_MAX(a->pos.end, b->pos.end)};
}

/* Skips the lines of a group that is not taken, up to and including the directive that starts the
 * next taken group or ends the conditional. */
static void skip_group(struct zn_lexer *lx, struct zn_frame *f)
{
    unsigned depth = 0;
    while (f->cur < f->end) {
        if (*f->cur == '\n')
            f->cur++;
        const char *eol = line_end(f->cur, f->end);
        struct zn_frame line = *f;
        line.end = eol;
        line.bol = true;
        f->cur = eol;
        f->bol = true;
        struct zn_tok hash, w;
        zn_lex_raw(lx, &line, &hash);
        if (hash.kind != TK_HASH)
            continue;
        zn_lex_raw(lx, &line, &w);
        if (zn_tok_is(&w, "if") || zn_tok_is(&w, "ifdef") || zn_tok_is(&w, "ifndef")) {
            depth++;
        } else if (zn_tok_is(&w, "endif")) {
            if (!depth--) {
                lx->nconds--;
                return;
            }
        } else if (!depth && (zn_tok_is(&w, "else") || zn_tok_is(&w, "elif"))) {
            struct zn_cond *c = &lx->conds[lx->nconds - 1];
            bool is_else = w.len == 4 && w.text[2] == 's';
            if (c->in_else)
                zn_error(lx->d, span(&hash, &w), "#%.*s after #else", (int)w.len, w.text);
            c->in_else |= is_else;
            if (c->taken)
                continue;
            struct toks rest = lex_all(lx, &line);
            if (is_else || evaluate(lx, span(&hash, &w), rest.t, rest.n)) {
                lx->conds[lx->nconds - 1].taken = true;
                return;
            }
        }
    }
}

/* #define name[(params)] body */
static void d_define(struct zn_lexer *lx, struct zn_pos at, const struct toks *l)
{
    const struct zn_tok *name = &l->t[1];
    if (l->n < 2 || name->kind != TK_IDENT) {
        zn_error(lx->d, l->n < 2 ? at : name->pos, "expected a macro's name after #define");
        return;
    }
    unsigned i = 2;
    struct toks params = {0};
    bool function = l->n > 2 && l->t[2].kind == TK_LPAREN && !l->t[2].space;
    if (function) {
        for (i = 3; i < l->n && l->t[i].kind != TK_RPAREN; i++) {
            bool comma = (i - 3) % 2;
            if (l->t[i].kind != (comma ? TK_COMMA : TK_IDENT)) {
                zn_error(lx->d, l->t[i].pos, "expected %s in the macro's parameters, found %s",
                         comma ? "',' or ')'" : "a name", zn_tok_name(lx->arena, &l->t[i]));
                return;
            }
            if (!comma)
                add_tok(lx, &params, &l->t[i]);
        }
        if (i++ >= l->n) {
            zn_error(lx->d, name->pos, "the macro's parameters have no closing ')'");
            return;
        }
    }
    struct zn_cmacro *m = define(lx, name);
    m->function = function;
    m->params = params.t;
    m->nparams = params.n;
    m->body = l->t + i;
    m->nbody = l->n - i;
}

/* #include "file": the text is read in place of the directive. <file> is only mentioned. */
static void d_include(struct zn_lexer *lx, struct zn_frame *f, struct zn_pos at,
                      const struct toks *l)
{
    if (l->n >= 2 && l->t[1].kind == TK_LT) {
        at.end = ZN_MAX(at.end, l->t[l->n - 1].pos.end);
        struct zn_diag *w = zn_warning(lx->d, at, "system headers are not read");
        zn_hint(lx->d, w,
                "kernel types come from BTF; put #include lines between "
                "#ifndef BPFTRACE_HAVE_BTF and #endif");
        return;
    }
    if (l->n < 2 || l->t[1].kind != TK_STR) {
        zn_error(lx->d, at, "expected \"file\" or <file> after #include");
        return;
    }
    at = span(&(struct zn_tok){.pos = at}, &l->t[1]);
    const char *name = zn_arena_strndup(lx->arena, l->t[1].str, l->t[1].str_len);
    if (lx->nincludes >= MAX_INCLUDES) {
        zn_error(lx->d, at, "files include each other more than %d levels deep", MAX_INCLUDES);
        return;
    }
    const char *text = NULL;
    size_t len = 0;
    int r = -1;
    if (lx->env && lx->env->read_include)
        r = lx->env->read_include(lx->env->arg, lx->arena, name, &text, &len);
    if (r < 0) {
        zn_error(lx->d, at, "cannot read the included file '%s'", name);
        return;
    }
    struct zn_pos pos = f->fixed ? f->pos : at;
    push_text(lx, text, len);
    lx->frame->fixed = true;
    lx->frame->pos = pos;
    lx->frame->name = name;
    lx->nincludes++;
}

static void unknown_directive(struct zn_lexer *lx, const struct zn_tok *w)
{
    static const char *const names[] = {"define", "undef", "if",    "ifdef",   "ifndef",
                                        "elif",   "else",  "endif", "include", "error"};
    const char *word = zn_arena_strndup(lx->arena, w->text, w->len);
    struct zn_diag *e = zn_error(lx->d, w->pos, "unknown directive '#%s'", word);
    const char *near = zn_nearest(word, names, ZN_ARRAY_SIZE(names));
    if (near)
        zn_hint(lx->d, e, "did you mean '#%s'?", near);
}

static void conditional(struct zn_lexer *lx, struct zn_frame *f, struct zn_pos at,
                        const struct toks *l)
{
    const struct zn_tok *w = &l->t[0];
    bool taken = false;
    if (zn_tok_is(w, "if")) {
        taken = evaluate(lx, at, l->t + 1, l->n - 1);
    } else if (l->n < 2 || l->t[1].kind != TK_IDENT) {
        zn_error(lx->d, at, "expected a macro's name after #%.*s", (int)w->len, w->text);
    } else {
        taken = is_defined(lx, &l->t[1]) == (w->len == 5); /* ifdef, not ifndef */
    }
    push_cond(lx, at, taken);
    if (!taken)
        skip_group(lx, f);
}

/* #else, #elif, #endif after a taken group */
static void next_group(struct zn_lexer *lx, struct zn_frame *f, struct zn_pos at,
                       const struct zn_tok *w)
{
    if (lx->nconds <= f->nconds) {
        zn_error(lx->d, at, "#%.*s without #if", (int)w->len, w->text);
        return;
    }
    if (zn_tok_is(w, "endif")) {
        lx->nconds--;
        return;
    }
    struct zn_cond *c = &lx->conds[lx->nconds - 1];
    if (c->in_else)
        zn_error(lx->d, at, "#%.*s after #else", (int)w->len, w->text);
    c->in_else |= zn_tok_is(w, "else");
    skip_group(lx, f);
}

static void directive(struct zn_lexer *lx, struct zn_frame *f, const struct zn_tok *hash)
{
    struct zn_frame line = *f;
    line.end = line_end(f->cur, f->end);
    f->cur = line.end;
    struct toks l = lex_all(lx, &line);
    if (!l.n)
        return;
    const struct zn_tok *w = &l.t[0];
    struct zn_pos at = span(hash, w);
    if (zn_tok_is(w, "define")) {
        d_define(lx, at, &l);
    } else if (zn_tok_is(w, "undef")) {
        struct zn_cmacro *m = l.n > 1 && l.t[1].kind == TK_IDENT ? find(lx, &l.t[1]) : NULL;
        if (m)
            m->defined = false;
    } else if (zn_tok_is(w, "if") || zn_tok_is(w, "ifdef") || zn_tok_is(w, "ifndef")) {
        conditional(lx, f, at, &l);
    } else if (zn_tok_is(w, "else") || zn_tok_is(w, "elif") || zn_tok_is(w, "endif")) {
        next_group(lx, f, at, w);
    } else if (zn_tok_is(w, "include")) {
        d_include(lx, f, at, &l);
    } else if (zn_tok_is(w, "error") || zn_tok_is(w, "warning")) {
        const char *from = w->text + w->len;
        while (from < line.end && (*from == ' ' || *from == '\t'))
            from++;
        int n = (int)ZN_MIN(line.end - from, 200);
        if (w->len == 5)
            zn_error(lx->d, at, "#error %.*s", n, from);
        else
            zn_warning(lx->d, at, "#warning %.*s", n, from);
    } else if (!zn_tok_is(w, "pragma") && !zn_tok_is(w, "line")) {
        unknown_directive(lx, w);
    }
}

void zn_lex_next(struct zn_lexer *lx, struct zn_tok *t)
{
    for (;;) {
        struct zn_frame *f = lx->frame;
        bool ended;
        if (f->toks || f->macro) {
            ended = f->at >= f->ntoks;
            if (!ended)
                *t = f->toks[f->at++];
            else
                *t = (struct zn_tok){.kind = TK_EOF};
        } else {
            zn_lex_raw(lx, f, t);
            ended = t->kind == TK_EOF;
            while (ended && lx->nconds > f->nconds)
                zn_error(lx->d, lx->conds[--lx->nconds].pos, "this conditional has no #endif");
        }
        if (ended) {
            if (!f->up)
                return;
            pop(lx);
        } else if (t->kind == TK_HASH && t->bol) {
            directive(lx, f, t);
        } else if (t->kind != TK_IDENT || lx->no_expand || !expand(lx, t)) {
            return;
        }
    }
}
