/* SPDX-License-Identifier: Apache-2.0 */
/* A type as it is written, in the language's words or in C's, to what it means. */
#include <linux/btf.h>
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "lang/ast.h"
#include "lang/type_impl.h"

/* Names that need no definition: {name, size, signed}. The language's own and those of C and the
 * kernel on a 64-bit machine, so that scripts do without BTF. */
static const struct {
    const char *name;
    uint8_t size;
    bool sign;
} ints[] = {
    {"uint64", 8, false},      {"int64", 8, true},
    {"uint32", 4, false},      {"int32", 4, true},
    {"uint16", 2, false},      {"int16", 2, true},
    {"uint8", 1, false},       {"int8", 1, true},
    {"uint64_t", 8, false},    {"int64_t", 8, true},
    {"uint32_t", 4, false},    {"int32_t", 4, true},
    {"uint16_t", 2, false},    {"int16_t", 2, true},
    {"uint8_t", 1, false},     {"int8_t", 1, true},
    {"u64", 8, false},         {"s64", 8, true},
    {"u32", 4, false},         {"s32", 4, true},
    {"u16", 2, false},         {"s16", 2, true},
    {"u8", 1, false},          {"s8", 1, true},
    {"__u64", 8, false},       {"__s64", 8, true},
    {"__u32", 4, false},       {"__s32", 4, true},
    {"__u16", 2, false},       {"__s16", 2, true},
    {"__u8", 1, false},        {"__s8", 1, true},
    {"__le64", 8, false},      {"__be64", 8, false},
    {"__le32", 4, false},      {"__be32", 4, false},
    {"__le16", 2, false},      {"__be16", 2, false},
    {"size_t", 8, false},      {"ssize_t", 8, true},
    {"uintptr_t", 8, false},   {"intptr_t", 8, true},
    {"ptrdiff_t", 8, true},    {"pid_t", 4, true},
    {"uid_t", 4, false},       {"gid_t", 4, false},
    {"off_t", 8, true},        {"loff_t", 8, true},
    {"time_t", 8, true},       {"dev_t", 4, false},
    {"mode_t", 2, false},      {"umode_t", 2, false},
    {"ino_t", 8, false},       {"sector_t", 8, false},
    {"gfp_t", 4, false},       {"key_t", 4, true},
    {"clockid_t", 4, true},    {"timer_t", 4, true},
    {"qid_t", 4, false},       {"rwf_t", 4, true},
    {"mqd_t", 4, true},        {"aio_context_t", 8, false},
    {"cputime_t", 8, false},   {"uint", 4, false},
    {"ulong", 8, false},       {"ushort", 2, false},
    {"key_serial_t", 4, true},
};

static const struct {
    const char *name;
    enum zn_type_kind kind;
} words[] = {
    {"void", T_VOID},           {"bool", T_BOOL},           {"_Bool", T_BOOL},
    {"none", T_NONE},           {"string", T_STR},          {"buffer", T_BUF},
    {"inet", T_INET},           {"ksym_t", T_KSYM},         {"usym_t", T_USYM},
    {"kstack_t", T_KSTACK},     {"ustack_t", T_USTACK},     {"macaddr_t", T_MAC},
    {"mac_address", T_MAC},     {"timestamp", T_TIMESTAMP}, {"cgroup_path_t", T_CGPATH},
    {"strerror_t", T_STRERROR}, {"username", T_USERNAME},   {"count_t", T_COUNT},
    {"sum_t", T_SUM},           {"min_t", T_MIN},           {"max_t", T_MAX},
    {"avg_t", T_AVG},           {"stats_t", T_STATS},
};

/* What is left of a written name once qualifiers are gone and C's keywords are counted. */
struct spec {
    const char *word; /* the last plain word, or the tag after struct/union/enum */
    int tag;          /* CD_STRUCT, CD_UNION, CD_ENUM, or -1 */
    unsigned longs, nwords;
    bool is_short, is_unsigned, is_signed, is_char, is_int;
};

static bool is_qualifier(const char *w)
{
    static const char *const q[] = {"const",   "volatile", "restrict",   "__restrict", "__user",
                                    "__rcu",   "__percpu", "__data_loc", "__rel_loc",  "__kernel",
                                    "__force", "__iomem",  "register",   "static",     "extern"};

    for (size_t i = 0; i < ZN_ARRAY_SIZE(q); i++)
        if (strcmp(w, q[i]) == 0)
            return true;
    return false;
}

static bool take_keyword(struct spec *s, const char *w)
{
    if (strcmp(w, "long") == 0)
        s->longs++;
    else if (strcmp(w, "short") == 0)
        s->is_short = true;
    else if (strcmp(w, "unsigned") == 0)
        s->is_unsigned = true;
    else if (strcmp(w, "signed") == 0 || strcmp(w, "__signed__") == 0)
        s->is_signed = true;
    else if (strcmp(w, "char") == 0)
        s->is_char = true;
    else if (strcmp(w, "int") == 0)
        s->is_int = true;
    else
        return false;
    return true;
}

static void read_spec(struct zn_types *t, const char *name, struct spec *s)
{
    char *copy = zn_arena_strdup(t->arena, name), *save = NULL;

    *s = (struct spec){.tag = -1};
    for (char *w = strtok_r(copy, " \t", &save); w; w = strtok_r(NULL, " \t", &save)) {
        if (is_qualifier(w))
            continue;
        if (s->tag < 0 && strcmp(w, "struct") == 0)
            s->tag = CD_STRUCT;
        else if (s->tag < 0 && strcmp(w, "union") == 0)
            s->tag = CD_UNION;
        else if (s->tag < 0 && strcmp(w, "enum") == 0)
            s->tag = CD_ENUM;
        else if (s->tag >= 0 || !take_keyword(s, w)) {
            s->word = w;
            s->nwords++;
        }
    }
}

static bool has_keywords(const struct spec *s)
{
    return s->longs || s->is_short || s->is_unsigned || s->is_signed || s->is_char || s->is_int;
}

static struct zn_type *c_int(struct zn_types *t, const struct spec *s)
{
    if (s->is_char && !s->is_unsigned && !s->is_signed)
        return zn_type_char(t);
    return zn_type_int(t, s->is_char ? 1 : s->is_short ? 2 : s->longs ? 8 : 4, !s->is_unsigned);
}

static struct zn_type *known_word(struct zn_types *t, const char *name)
{
    for (size_t i = 0; i < ZN_ARRAY_SIZE(ints); i++)
        if (strcmp(ints[i].name, name) == 0)
            return zn_type_int(t, ints[i].size, ints[i].sign);
    for (size_t i = 0; i < ZN_ARRAY_SIZE(words); i++) {
        if (strcmp(words[i].name, name) != 0)
            continue;
        if (words[i].kind == T_KSTACK || words[i].kind == T_USTACK) {
            struct zn_type *type = zn_type_new(t, words[i].kind);

            type->stack_depth = 127;
            return type;
        }
        return zn_type_simple(t, words[i].kind);
    }
    return NULL;
}

static struct zn_type *tagged(struct zn_types *t, int tag, const char *name, const char **why)
{
    static const struct {
        const char *word;
        uint32_t kinds;
    } tags[] = {
        [CD_STRUCT] = {"struct", 1U << BTF_KIND_STRUCT},
        [CD_UNION] = {"union", 1U << BTF_KIND_UNION},
        [CD_ENUM] = {"enum", 1U << BTF_KIND_ENUM | 1U << 19 /* enum64 */},
    };
    bool found;
    struct zn_type *type = zn_type_cdecl_named(t, tag, name, &found, why);

    if (!found)
        type = zn_type_btf_named(t, name, tags[tag].kinds);
    if (!type && !*why)
        *why = zn_arena_printf(t->arena, "unknown type '%s %s'", tags[tag].word, name);
    return type;
}

/* A plain word: the script's typedef comes first, so that it may replace a known name. */
static struct zn_type *plain(struct zn_types *t, const char *name, const char **why)
{
    static const int tags[] = {CD_STRUCT, CD_UNION, CD_ENUM};
    bool found;
    struct zn_type *type = zn_type_cdecl_named(t, CD_TYPEDEF, name, &found, why);

    if (found)
        return type;
    type = known_word(t, name);
    if (!type)
        type = zn_type_btf_named(t, name, 1U << BTF_KIND_TYPEDEF);
    /* `(task_struct *)`, without the word struct, is accepted in casts. */
    for (size_t i = 0; !type && i < ZN_ARRAY_SIZE(tags); i++) {
        const char *ignored = NULL;

        type = tagged(t, tags[i], name, &ignored);
    }
    if (!type)
        *why = zn_arena_printf(t->arena, "unknown type '%s'", name);
    return type;
}

static struct zn_type *base_type(struct zn_types *t, const char *name, bool pointed,
                                 const char **why)
{
    struct spec s;
    struct zn_type *type;

    read_spec(t, name, &s);
    if (s.nwords > 1 || (s.nwords && has_keywords(&s)) || (!s.nwords && !has_keywords(&s))) {
        *why = zn_arena_printf(t->arena, "unknown type '%s'", name);
        return NULL;
    }
    if (!s.nwords)
        return c_int(t, &s);
    if (s.tag < 0)
        return plain(t, s.word, why);
    type = tagged(t, s.tag, s.word, why);
    if (type || !pointed || s.tag == CD_ENUM)
        return type;
    /* A pointer to an unknown struct is still a pointer. */
    *why = NULL;
    type = zn_type_new(t, T_STRUCT);
    type->name = s.word;
    type->is_union = s.tag == CD_UNION;
    type->fields_done = true;
    return type;
}

static struct zn_type *with_dims(struct zn_types *t, struct zn_type *type, const struct zn_ctype *c,
                                 unsigned first, const char **why)
{
    for (unsigned i = c->ndim; i > first; i--) {
        int64_t n = c->dim[i - 1];

        if (type->kind == T_VOID || type->kind == T_NONE) {
            *why = "an array needs elements that have a size";
            return NULL;
        }
        type = n > UINT32_MAX ? NULL : zn_type_array_checked(t, type, n < 0 ? 0 : (uint32_t)n);
        if (!type) {
            *why = "the array is too large";
            return NULL;
        }
    }
    return type;
}

struct zn_type *zn_type_derive(struct zn_types *t, struct zn_type *type, const struct zn_ctype *c,
                               const char **why)
{
    unsigned first_dim = 0;

    /* string[N] and buffer[N] are sized, not arrays; without a size the caller sets one. */
    if ((type->kind == T_STR || type->kind == T_BUF) && type->size == 0) {
        type = zn_type_new(t, type->kind);
        if (!c->ptr && c->ndim && c->dim[0] >= 0 && c->dim[0] <= UINT32_MAX / 2)
            type->size = (uint32_t)c->dim[0];
        first_dim = !c->ptr && c->ndim;
    }
    for (unsigned i = 0; i < c->ptr; i++) {
        bool user = i == 0 && c->name && strstr(c->name, "__user");

        type = zn_type_ptr(t, type, user ? ZN_SPACE_USER : ZN_SPACE_NONE);
        type->user_tag = user;
    }
    return with_dims(t, type, c, first_dim, why);
}

struct zn_type *zn_type_from_ctype(struct zn_types *t, const struct zn_ctype *c, const char **why)
{
    struct zn_type *type;
    const char *reason = NULL;

    if (!why)
        why = &reason;
    *why = NULL;
    if (!c->name) {
        *why = "typeof() is not known here";
        return NULL;
    }
    type = base_type(t, c->name, c->ptr > 0, why);
    return type ? zn_type_derive(t, type, c, why) : NULL;
}
