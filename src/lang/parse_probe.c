/* SPDX-License-Identifier: Apache-2.0 */
/* The top level: probes with their attach points, config, import, macro, fn, let @map.
 *
 * Attach points are taken from the text, not from tokens: paths may hold anything that looks like
 * a comment or a number. That is why the first token of an item is read without expanding macros,
 * and why nothing is read ahead there. */
#include <string.h>

#include "base/str.h"
#include "lang/parse.h"

/* The token that begins an item or an attach point. */
static void advance_raw(struct zn_parser *p)
{
    p->lx.no_expand = true;
    zn_advance(p);
    p->lx.no_expand = false;
}

/* Providers whose targets are paths, where "/" does not begin a predicate. */
static bool path_provider(const char *s, const char *end)
{
    static const char *const names[] = {"uprobe", "u", "uretprobe", "ur", "usdt", "iter", "it"};
    const char *eq = memchr(s, '=', (size_t)(end - s));
    if (eq)
        s = eq + 1;
    for (size_t i = 0; i < ZN_ARRAY_SIZE(names); i++) {
        size_t n = strlen(names[i]);
        if ((size_t)(end - s) == n && !strncasecmp(s, names[i], n))
            return true;
    }
    /* a parameter or a wildcard may be any provider */
    return end > s && (*s == '$' || memchr(s, '*', (size_t)(end - s)));
}

/* The end of the attach point that begins at s. NULL: a quote is open. */
static const char *attach_end(const char *s, const char *end)
{
    bool quoted = false, path = false, first = true;
    const char *p = s;
    for (; p < end; p++) {
        if (quoted) {
            if (*p == '\n')
                return NULL;
            if (*p == '\\' && p + 1 < end)
                p++;
            else if (*p == '"')
                quoted = false;
            continue;
        }
        if (*p == '"')
            quoted = true;
        else if (*p == ':' && first) {
            path = path_provider(s, p);
            first = false;
        } else if (*p == ' ' || *p == '\t' || *p == '\n' || *p == '\r' || *p == ',' || *p == '{' ||
                   *p == ';' || *p == '}' || (*p == '/' && !path))
            break;
    }
    return quoted ? NULL : p;
}

/* $1 and $# become the text of the parameter. */
static void substitute(struct zn_parser *p, struct zn_pos pos, const char *s, const char *end,
                       struct zn_str *out)
{
    while (s < end) {
        if (*s != '$' || s + 1 >= end || !(s[1] == '#' || (s[1] >= '0' && s[1] <= '9'))) {
            zn_str_putc(out, *s++);
            continue;
        }
        unsigned argc = p->env ? p->env->argc : 0;
        if (s[1] == '#') {
            zn_str_printf(out, "%u", argc);
            s += 2;
            continue;
        }
        unsigned n = 0;
        for (s++; s < end && *s >= '0' && *s <= '9'; s++)
            n = n < 100000 ? n * 10 + (unsigned)(*s - '0') : n;
        if (n >= 1 && n <= argc) {
            zn_str_puts(out, p->env->argv[n - 1]);
        } else {
            struct zn_diag *w = zn_warning(p->d, pos, "positional parameter $%u is not set", n);
            zn_hint(p->d, w, "it stands for an empty text here");
        }
    }
}

/* Splits at the colons outside of quotes and takes the quotes off. */
static void split(struct zn_parser *p, struct zn_node *n, const char *s)
{
    struct zn_str part ZN_AUTOSTR;
    zn_str_init(&part);
    size_t len = 0, cap = 0;
    bool quoted = false;
    for (;; s++) {
        if ((*s == ':' && !quoted) || !*s) {
            zn_arena_grow(p->arena, n->parts, len, cap);
            n->parts[len++] = zn_arena_strdup(p->arena, zn_str_c(&part));
            zn_str_clear(&part);
            if (!*s)
                break;
        } else if (*s == '"') {
            quoted = !quoted;
        } else {
            if (*s == '\\' && quoted && s[1])
                s++;
            zn_str_putc(&part, *s);
        }
    }
    n->num = (int64_t)len;
}

/* attach := [name "="] part (":" part)* ; not made of tokens */
static struct zn_node *attach(struct zn_parser *p)
{
    struct zn_frame *f = p->lx.frame;
    const char *s = p->t.text;
    enum zn_tk k = p->t.kind;
    bool starts = k == TK_IDENT || k == TK_PARAM || k == TK_STAR ||
                  (k == TK_ERROR && p->t.len && *s == '"') || k == TK_STR;
    if (!starts || !f->text || s < f->text || s >= f->end)
        return zn_unexpected(p, "a probe, like kprobe:vfs_read");
    struct zn_node *n = zn_mk(p, N_ATTACH, p->t.pos);
    const char *end = attach_end(s, f->end);
    if (!end) {
        zn_perror(p, p->t.pos, "unterminated string in the attach point");
        return NULL;
    }
    if (!f->fixed)
        n->pos.end = (uint32_t)(end - f->text);
    struct zn_str text ZN_AUTOSTR;
    zn_str_init(&text);
    substitute(p, n->pos, s, end, &text);
    n->name = zn_arena_strdup(p->arena, zn_str_c(&text));
    const char *from = n->name;
    const char *eq = strchr(from, '='), *colon = strchr(from, ':');
    bool ident = eq && eq > from && zn_ident_start((unsigned char)*from);
    for (const char *c = from; ident && c < eq; c++)
        ident = zn_ident_char((unsigned char)*c);
    if (ident && (!colon || eq < colon)) {
        n->str = zn_arena_strndup(p->arena, from, (size_t)(eq - from));
        n->str_len = (uint32_t)(eq - from);
        from = eq + 1;
    }
    split(p, n, from);
    p->nahead = 0; /* read again from the text */
    f->cur = end;
    f->bol = false;
    p->t.pos = n->pos;
    zn_advance(p);
    return zn_done(p, n);
}

static void hint_item(struct zn_parser *p, struct zn_diag *e, const struct zn_node *at)
{
    static const char *const words[] = {"config",  "import", "macro", "struct", "union", "enum",
                                        "typedef", "begin",  "end",   "BEGIN",  "END"};
    if (at->num != 1)
        return;
    const char *near = zn_nearest(at->parts[0], words, ZN_ARRAY_SIZE(words));
    if (near && strcmp(near, at->parts[0]))
        zn_hint(p->d, e, "did you mean '%s'?", near);
    else if (zn_at(p, TK_COLON))
        zn_hint(p->d, e, "an attach point has no white space around its colons");
}

/* predicate := "/" expr "/" */
static struct zn_node *predicate(struct zn_parser *p)
{
    zn_advance(p);
    p->in_pred = true;
    struct zn_node *e = zn_expr(p);
    p->in_pred = false;
    return e && zn_expect(p, TK_SLASH, "after the predicate") ? e : NULL;
}

/* Leaves the current token at the closing brace of an item's block; reads the next item. */
static bool item_block(struct zn_parser *p, struct zn_node *n, bool value)
{
    struct zn_list l;
    p->depth++; /* as zn_block_expr does */
    bool ok = zn_block(p, &l, value ? &n->a : NULL);
    p->depth--;
    if (!ok)
        return false;
    n->list = l.head;
    advance_raw(p);
    return zn_done(p, n) != NULL;
}

/* probe := attach ("," attach)* [predicate] block */
static struct zn_node *probe(struct zn_parser *p)
{
    struct zn_node *n = zn_mk(p, N_PROBE, p->t.pos);
    struct zn_list l;
    zn_list_init(&l);
    for (;;) {
        struct zn_node *a = attach(p);
        if (!a)
            return NULL;
        zn_list_add(&l, a);
        if (!zn_at(p, TK_COMMA))
            break;
        advance_raw(p);
    }
    n->list2 = l.head;
    if (zn_at(p, TK_SLASH) && !(n->c = predicate(p)))
        return NULL;
    if (!zn_at(p, TK_LBRACE)) {
        bool token = zn_at(p, TK_ERROR);
        struct zn_diag *e =
            zn_perror(p, p->t.pos, "%s",
                      token ? p->t.err
                            : zn_arena_printf(p->arena, "expected %s, found %s",
                                              n->c ? "'{' after the predicate"
                                                   : "'{' or a predicate after the probe",
                                              zn_tok_name(p->arena, &p->t)));
        hint_item(p, e, l.head);
        return NULL;
    }
    return item_block(p, n, false) ? n : NULL;
}

/* item_end := ";" */
static bool item_end(struct zn_parser *p, const char *after)
{
    if (!zn_at(p, TK_SEMI))
        return zn_expect(p, TK_SEMI, after);
    advance_raw(p);
    return true;
}

/* config_item := name "=" (name | string | ["-"] number | bool) */
static struct zn_node *config_item(struct zn_parser *p)
{
    struct zn_node *n = zn_mk(p, N_CONFIG_ITEM, p->t.pos);
    if (!zn_at(p, TK_IDENT))
        return zn_unexpected(p, "a setting's name or '}'");
    n->name = zn_tok_text(p, &p->t);
    zn_advance(p);
    if (!zn_expect(p, TK_ASSIGN, "after the setting's name"))
        return NULL;
    bool minus = zn_at(p, TK_MINUS) && zn_peek(p, 1)->kind == TK_INT;
    if (minus)
        zn_advance(p);
    if (!zn_at(p, TK_IDENT) && !zn_at(p, TK_STR) && !zn_at(p, TK_INT))
        return zn_unexpected(p, "a word, a string or a number as the setting's value");
    struct zn_node *v = zn_mk(p, N_IDENT, p->t.pos);
    if (zn_at(p, TK_INT)) {
        v->kind = N_INT;
        v->num = minus ? (int64_t) - (uint64_t)p->t.num : p->t.num;
        v->implied = p->t.big;
    } else if (zn_at(p, TK_STR)) {
        v->kind = N_STR;
        v->str = p->t.str;
        v->str_len = p->t.str_len;
    } else if (zn_at_word(p, "true") || zn_at_word(p, "false")) {
        v->kind = N_BOOL;
        v->num = zn_at_word(p, "true");
    } else {
        v->name = zn_tok_text(p, &p->t);
    }
    zn_advance(p);
    n->a = zn_done(p, v);
    return zn_done(p, n);
}

/* config := "config" "=" "{" config_item (";" config_item)* [";"] "}" */
static struct zn_node *config(struct zn_parser *p)
{
    struct zn_node *n = zn_mk(p, N_CONFIG, p->t.pos);
    struct zn_list l;
    zn_list_init(&l);
    zn_advance(p);
    if (!zn_expect(p, TK_ASSIGN, "after 'config'") || !zn_expect(p, TK_LBRACE, "after 'config ='"))
        return NULL;
    while (!zn_at(p, TK_RBRACE) && !zn_at(p, TK_EOF)) {
        if (zn_accept(p, TK_SEMI))
            continue;
        struct zn_node *i = config_item(p);
        if (i && !zn_at(p, TK_SEMI) && !zn_at(p, TK_RBRACE))
            i = zn_unexpected(p, "';' after the setting");
        if (i)
            zn_list_add(&l, i);
        else
            zn_sync_stmt(p);
    }
    n->list = l.head;
    if (!zn_at(p, TK_RBRACE)) {
        zn_perror(p, n->pos, "the config block has no closing '}'");
        return NULL;
    }
    advance_raw(p);
    return zn_done(p, n);
}

/* import := "import" string ";" */
static struct zn_node *import(struct zn_parser *p)
{
    struct zn_node *n = zn_mk(p, N_IMPORT, p->t.pos);
    zn_advance(p);
    if (!zn_at(p, TK_STR))
        return zn_unexpected(p, "a file's name in quotes after 'import'");
    n->str = p->t.str;
    n->str_len = p->t.str_len;
    zn_advance(p);
    return item_end(p, "after 'import'") ? zn_done(p, n) : NULL;
}

/* let_map := "let" @name "=" word "(" [number] ")" ";" */
static struct zn_node *let_map(struct zn_parser *p)
{
    struct zn_node *n = zn_mk(p, N_LET_MAP, p->t.pos);
    zn_advance(p);
    if (!zn_at(p, TK_MAP))
        return zn_unexpected(p, "a map, like @x, after 'let'");
    n->name = zn_tok_text(p, &p->t);
    zn_advance(p);
    if (!zn_expect(p, TK_ASSIGN, "after the map's name"))
        return NULL;
    if (!zn_at(p, TK_IDENT))
        return zn_unexpected(p, "a map type, like hash(1024)");
    n->str = zn_tok_text(p, &p->t);
    n->str_len = p->t.len;
    zn_advance(p);
    if (!zn_expect(p, TK_LPAREN, "after the map type"))
        return NULL;
    if (zn_at(p, TK_PARAM)) {
        unsigned argc = p->env ? p->env->argc : 0;
        const char *s = p->t.num >= 1 && p->t.num <= argc ? p->env->argv[p->t.num - 1] : "0";
        n->num = p->t.num ? strtoll(s, NULL, 0) : (int64_t)argc;
        zn_advance(p);
    } else if (zn_at(p, TK_INT)) {
        n->num = p->t.num;
        zn_advance(p);
    } else if (!zn_at(p, TK_RPAREN)) {
        return zn_unexpected(p, "the map's number of entries");
    }
    if (!zn_expect(p, TK_RPAREN, "after the number of entries"))
        return NULL;
    return item_end(p, "after the map's declaration") ? zn_done(p, n) : NULL;
}

/* macro_param := $name | @name | name */
static struct zn_node *macro_param(struct zn_parser *p)
{
    struct zn_node *n = zn_mk(p, N_IDENT, p->t.pos);
    if (zn_at(p, TK_VAR))
        n->kind = N_VAR;
    else if (zn_at(p, TK_MAP))
        n->kind = N_MAP;
    else if (!zn_at(p, TK_IDENT))
        return zn_unexpected(p, "a parameter: $name, @name or name");
    n->name = zn_tok_text(p, &p->t);
    zn_advance(p);
    return zn_done(p, n);
}

/* fn_param := $name ":" type */
static struct zn_node *fn_param(struct zn_parser *p)
{
    struct zn_node *n = zn_mk(p, N_LET, p->t.pos);
    if (!zn_at(p, TK_VAR))
        return zn_unexpected(p, "a parameter, like $x : int64");
    n->name = zn_tok_text(p, &p->t);
    zn_advance(p);
    if (!zn_expect(p, TK_COLON, "and a type after the parameter") || !(n->ctype = zn_type(p)))
        return NULL;
    return zn_done(p, n);
}

/* macro := "macro" name "(" [macro_param ("," macro_param)*] ")" block
 * fn    := "fn" name "(" [fn_param ("," fn_param)*] ")" [":" type] block */
static struct zn_node *macro_or_fn(struct zn_parser *p, enum zn_node_kind kind)
{
    struct zn_node *n = zn_mk(p, kind, p->t.pos);
    struct zn_list l;
    zn_list_init(&l);
    advance_raw(p);
    if (!zn_at(p, TK_IDENT))
        return zn_unexpected(p, kind == N_MACRO ? "the macro's name" : "the function's name");
    n->name = zn_tok_text(p, &p->t);
    zn_advance(p);
    if (!zn_expect(p, TK_LPAREN, "after the name"))
        return NULL;
    while (!zn_accept(p, TK_RPAREN)) {
        struct zn_node *a = kind == N_MACRO ? macro_param(p) : fn_param(p);
        if (!a)
            return NULL;
        zn_list_add(&l, a);
        if (!zn_at(p, TK_RPAREN) && !zn_expect(p, TK_COMMA, "or ')' after the parameter"))
            return NULL;
    }
    n->list2 = l.head;
    if (kind == N_FN && zn_accept(p, TK_COLON) && !(n->ctype = zn_type(p)))
        return NULL;
    if (!zn_at(p, TK_LBRACE))
        return zn_unexpected(p, "'{' after the parameters");
    return item_block(p, n, kind == N_MACRO) ? n : NULL;
}

/* The character behind the current token, white space skipped when `far`. */
static char behind(const struct zn_parser *p, bool far)
{
    const struct zn_frame *f = p->lx.frame;
    const char *c = f->cur;
    while (far && c < f->end && (*c == ' ' || *c == '\t' || *c == '\n' || *c == '\r'))
        c++;
    return c < f->end ? *c : '\0';
}

/* item := config | import | let_map | macro | fn | probe */
static struct zn_node *item(struct zn_parser *p)
{
    char c = behind(p, false), far = behind(p, true);
    if (zn_at(p, TK_IDENT) && c != ':' && c != '*') {
        if (zn_at_word(p, "config") && (far == '=' || far == '{'))
            return config(p);
        if (zn_at_word(p, "import"))
            return import(p);
        if (zn_at_word(p, "let"))
            return let_map(p);
        if (zn_at_word(p, "macro"))
            return macro_or_fn(p, N_MACRO);
        if (zn_at_word(p, "fn"))
            return macro_or_fn(p, N_FN);
    }
    return probe(p);
}

/* Skips to behind the block or the ";" that ends the item with the mistake. */
static void sync_item(struct zn_parser *p)
{
    while (!zn_at(p, TK_EOF)) {
        bool last = (zn_at(p, TK_RBRACE) && p->braces <= 1) || (zn_at(p, TK_SEMI) && !p->braces);
        if (last)
            advance_raw(p);
        else
            zn_advance(p);
        if (last)
            break;
    }
    p->panic = false;
}

/* c_item := c_definition ";" ; behind a "}" the ";" may be missing */
static bool c_item(struct zn_parser *p)
{
    bool has_body = !zn_at_word(p, "typedef");
    struct zn_cdecl **tail = p->cdecl_tail;
    if (!zn_c_definition(p))
        return false;
    has_body = has_body && tail != p->cdecl_tail;
    bool variable = zn_at(p, TK_STAR) || (zn_at(p, TK_IDENT) && behind(p, true) == ';');
    if (has_body && !variable && !zn_at(p, TK_SEMI))
        return true;
    return item_end(p, "after the definition");
}

/* script := (c_item | item)* */
struct zn_script *zn_parse(struct zn_arena *arena, struct zn_diags *d,
                           const struct zn_param_env *env)
{
    struct zn_parser *p = zn_arena_new(arena, struct zn_parser);
    struct zn_list l;
    zn_list_init(&l);
    if (d->src.len > UINT32_MAX / 2) {
        zn_error(d, (struct zn_pos){0, 0}, "the script is too long");
        return NULL;
    }
    zn_parser_init(p, arena, d, env, d->src.text, d->src.len);
    advance_raw(p);
    while (!zn_at(p, TK_EOF)) {
        if (zn_at(p, TK_SEMI)) {
            advance_raw(p);
            continue;
        }
        bool c = zn_at_word(p, "struct") || zn_at_word(p, "union") || zn_at_word(p, "enum") ||
                 zn_at_word(p, "typedef");
        bool ok;
        if (c && behind(p, false) != ':') {
            ok = c_item(p);
        } else {
            struct zn_node *n = item(p);
            ok = n != NULL;
            if (n)
                zn_list_add(&l, n);
        }
        if (!ok)
            sync_item(p);
        p->depth = p->braces = 0;
    }
    p->script->items = l.head;
    return p->script;
}
