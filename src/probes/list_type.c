/* SPDX-License-Identifier: Apache-2.0 */
/* `-l 'struct task_struct'`: the kernel's types by name, with `-v` as C definitions. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "lang/btf.h"
#include "probes/btf_func.h"
#include "probes/kind.h"

enum { MOST_NESTED = 16, MOST_DIMS = 8 };

static const struct {
    const char *word;
    uint32_t kinds;
} tags[] = {
    {"struct", 1u << BTF_KIND_STRUCT},
    {"union", 1u << BTF_KIND_UNION},
    {"enum", 1u << BTF_KIND_ENUM | 1u << BTF_KIND_ENUM64},
};

struct types {
    struct zn_list *l;
    const struct zn_btf *btf;
    const char *word, *pattern;
};

static int tag_of(const char *pattern)
{
    for (size_t i = 0; i < ZN_ARRAY_SIZE(tags); i++) {
        size_t n = strlen(tags[i].word);

        if (strncmp(pattern, tags[i].word, n) == 0 && pattern[n] == ' ')
            return (int)i;
    }
    return -1;
}

bool zn_is_type_pattern(const char *pattern)
{
    return tag_of(pattern) >= 0;
}

static bool is_nested(const struct zn_btf *b, uint32_t id)
{
    const struct btf_type *t = zn_btf_type(b, id);
    uint32_t kind = t ? ZN_BTF_KIND(t) : 0;

    return (kind == BTF_KIND_STRUCT || kind == BTF_KIND_UNION) && t->name_off == 0;
}

/* Takes the dimensions off: int x[2][3] has them behind the name. */
static uint32_t element_of(const struct zn_btf *b, uint32_t id, struct zn_str *dims)
{
    for (unsigned i = 0; i < MOST_DIMS; i++) {
        const struct btf_type *t = zn_btf_type(b, id);

        if (!t || ZN_BTF_KIND(t) != BTF_KIND_ARRAY)
            break;
        const struct btf_array *a = (const struct btf_array *)(t + 1);

        zn_str_printf(dims, "[%u]", a->nelems);
        id = a->type;
    }
    return id;
}

/* "void (*name)()" for pointers to functions, whose name stands inside. */
static bool function_pointer(const struct zn_btf *b, uint32_t id, const char *name,
                             struct zn_str *out)
{
    const struct btf_type *t = zn_btf_type(b, id);
    const struct btf_type *to =
        t && ZN_BTF_KIND(t) == BTF_KIND_PTR ? zn_btf_type(b, t->type) : NULL;

    if (!to || ZN_BTF_KIND(to) != BTF_KIND_FUNC_PROTO)
        return false;
    zn_btf_cname(b, to->type, out);
    zn_str_printf(out, " (*%s)(", name);

    const struct btf_param *p = (const struct btf_param *)(to + 1);
    for (unsigned i = 0; i < ZN_BTF_VLEN(to); i++) {
        zn_str_puts(out, i ? ", " : "");
        if (p[i].type)
            zn_btf_cname(b, p[i].type, out);
        else
            zn_str_puts(out, "...");
    }
    zn_str_putc(out, ')');
    return true;
}

static int members(struct types *s, const struct btf_type *t, unsigned depth);

static int member(struct types *s, const struct btf_type *t, const struct btf_member *m,
                  unsigned depth)
{
    ZN_AUTOSTR struct zn_str out, dims;
    const char *name = zn_btf_name(s->btf, m->name_off);
    unsigned bits = ZN_BTF_KFLAG(t) ? m->offset >> 24 : 0;
    int r = 0;

    zn_str_init(&out);
    zn_str_init(&dims);
    uint32_t id = element_of(s->btf, m->type, &dims);

    if (is_nested(s->btf, id) && depth < MOST_NESTED) {
        const struct btf_type *inner = zn_btf_type(s->btf, id);

        r = zn_list_line(s->l, "%*s%s {", (int)depth * 8, "",
                         ZN_BTF_KIND(inner) == BTF_KIND_UNION ? "union" : "struct");
        if (!r)
            r = members(s, inner, depth + 1);
        zn_str_putc(&out, '}');
        if (*name)
            zn_str_printf(&out, " %s", name);
    } else if (!function_pointer(s->btf, id, name, &out)) {
        zn_btf_cname(s->btf, id, &out);
        if (out.len && zn_str_c(&out)[out.len - 1] != '*')
            zn_str_putc(&out, ' ');
        zn_str_puts(&out, name);
    }
    zn_str_puts(&out, zn_str_c(&dims));
    if (bits)
        zn_str_printf(&out, ":%u", bits);
    return r ? r : zn_list_line(s->l, "%*s%s;", (int)depth * 8, "", zn_str_c(&out));
}

static int members(struct types *s, const struct btf_type *t, unsigned depth)
{
    const struct btf_member *m = (const struct btf_member *)(t + 1);
    int r = 0;

    for (unsigned i = 0; !r && i < ZN_BTF_VLEN(t); i++)
        r = member(s, t, &m[i], depth);
    return r;
}

static int constants(struct types *s, const struct btf_type *t)
{
    int r = 0;

    for (uint32_t i = 0; !r && i < zn_btf_enumerators(t); i++) {
        uint32_t name;
        int64_t value;

        zn_btf_enumerator(t, i, &name, &value);
        r = zn_list_line(s->l, "        %s = %lld,", zn_btf_name(s->btf, name), (long long)value);
    }
    return r;
}

static int visit(void *arg, uint32_t id, const struct btf_type *t)
{
    struct types *s = arg;
    const char *name = zn_btf_name(s->btf, t->name_off);
    int r;

    (void)id;
    if (!*name || !zn_glob(s->pattern, name))
        return 0;
    s->l->count++;
    if (!s->l->verbose)
        return zn_list_line(s->l, "vmlinux: %s %s", s->word, name);
    r = zn_list_line(s->l, "vmlinux: %s %s {", s->word, name);
    if (!r)
        r = zn_btf_enumerators(t) ? constants(s, t) : members(s, t, 1);
    return r ? r : zn_list_line(s->l, "};");
}

int zn_list_types(struct zn_list *l, const char *pattern, const char **why)
{
    int tag = tag_of(pattern), r = 0;
    struct types s = {.l = l, .btf = l->p->env.btf, .word = tags[tag].word};

    s.pattern = pattern + strlen(s.word);
    s.pattern += strspn(s.pattern, " ");
    if (!s.btf)
        l->why = "types are known where the kernel was built with CONFIG_DEBUG_INFO_BTF";
    else
        r = zn_btf_each(s.btf, tags[tag].kinds, visit, &s);
    if (!r && !l->count)
        r = -ENOENT;
    if (why)
        *why = l->why         ? l->why
               : r == -ENOENT ? zn_arena_printf(l->types->arena, "no type matches '%s'", pattern)
                              : NULL;
    return r;
}
