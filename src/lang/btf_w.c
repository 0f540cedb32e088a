/* SPDX-License-Identifier: Apache-2.0 */
/* BTF, written front to back: a types section and a strings section behind one header. */
#include "lang/btf_w.h"

#include <linux/bpf.h>
#include <linux/btf.h>
#include <string.h>

#include "base/arena.h"
#include "lang/diag.h"
#include "lang/ir.h"

enum { MAX_COL = 1023, MAX_LINE = (1 << 22) - 1 };

struct bytes {
    uint8_t *p;
    uint32_t n, cap;
};

struct zn_btf_w {
    struct zn_arena *arena;
    struct bytes types, strs;
    uint32_t ntypes;
    uint32_t *table; /* hash -> offset into strs; 0 = free, since the empty string needs no place */
    uint32_t nstrs, mask;
};

static void *more(struct zn_btf_w *w, struct bytes *b, uint32_t n)
{
    if (n > b->cap - b->n) {
        uint32_t cap = (b->cap + n) * 2 + 256;
        uint8_t *p = zn_arena_alloc(w->arena, cap);
        if (b->n)
            memcpy(p, b->p, b->n);
        b->p = p;
        b->cap = cap;
    }
    void *at = b->p + b->n;
    b->n += n;
    return at;
}

struct zn_btf_w *zn_btf_w_new(struct zn_arena *arena)
{
    struct zn_btf_w *w = zn_arena_new(arena, struct zn_btf_w);
    w->arena = arena;
    w->mask = 63;
    w->table = zn_arena_array(arena, uint32_t, w->mask + 1);
    *(char *)more(w, &w->strs, 1) = 0;
    return w;
}

static uint32_t hash(const char *s, size_t n)
{
    uint32_t h = 2166136261U;
    while (n--)
        h = (h ^ (uint8_t)*s++) * 16777619U;
    return h ^ h >> 15;
}

static void rehash(struct zn_btf_w *w)
{
    uint32_t *old = w->table, n = w->mask + 1;
    w->mask = w->mask * 2 + 1;
    w->table = zn_arena_array(w->arena, uint32_t, (size_t)w->mask + 1);
    for (uint32_t k = 0; k < n; k++) {
        if (!old[k])
            continue;
        const char *s = (const char *)w->strs.p + old[k];
        uint32_t h = hash(s, strlen(s)) & w->mask;
        while (w->table[h])
            h = (h + 1) & w->mask;
        w->table[h] = old[k];
    }
}

uint32_t zn_btf_w_str(struct zn_btf_w *w, const char *s, size_t n)
{
    const char *nul = n ? memchr(s, 0, n) : NULL;
    if (nul)
        n = (size_t)(nul - s);
    if (!n)
        return 0;
    uint32_t h = hash(s, n) & w->mask;
    for (; w->table[h]; h = (h + 1) & w->mask) {
        const char *have = (const char *)w->strs.p + w->table[h];
        if (!strncmp(have, s, n) && !have[n])
            return w->table[h];
    }
    uint32_t off = w->strs.n;
    char *p = more(w, &w->strs, (uint32_t)n + 1);
    memcpy(p, s, n);
    p[n] = 0;
    w->table[h] = off;
    if (++w->nstrs * 2 > w->mask)
        rehash(w);
    return off;
}

/* Appends a type's fixed part; the caller appends what its kind has behind it. */
static uint32_t add(struct zn_btf_w *w, uint32_t kind, const char *name, uint32_t vlen,
                    uint32_t size_or_type)
{
    struct btf_type t = {
        .name_off = name ? zn_btf_w_str(w, name, strlen(name)) : 0,
        .info = kind << 24 | (vlen & BTF_MAX_VLEN),
        .size = size_or_type,
    };
    memcpy(more(w, &w->types, sizeof(t)), &t, sizeof(t));
    return ++w->ntypes;
}

uint32_t zn_btf_w_int(struct zn_btf_w *w, const char *name, uint32_t bytes, bool sgn)
{
    uint32_t id = add(w, BTF_KIND_INT, name, 0, bytes);
    uint32_t enc = bytes * 8 | (sgn ? (uint32_t)BTF_INT_SIGNED << 24 : 0);
    memcpy(more(w, &w->types, sizeof(enc)), &enc, sizeof(enc));
    return id;
}

uint32_t zn_btf_w_ptr(struct zn_btf_w *w, uint32_t to)
{
    return add(w, BTF_KIND_PTR, NULL, 0, to);
}

uint32_t zn_btf_w_array(struct zn_btf_w *w, uint32_t of, uint32_t index, uint32_t n)
{
    uint32_t id = add(w, BTF_KIND_ARRAY, NULL, 0, 0);
    struct btf_array a = {of, index, n};
    memcpy(more(w, &w->types, sizeof(a)), &a, sizeof(a));
    return id;
}

uint32_t zn_btf_w_struct(struct zn_btf_w *w, const char *name, uint32_t bytes,
                         const struct zn_btf_member *members, uint32_t n)
{
    uint32_t id = add(w, BTF_KIND_STRUCT, name, n, bytes);
    for (uint32_t k = 0; k < n; k++) {
        const char *mname = members[k].name;
        struct btf_member m = {
            .name_off = mname ? zn_btf_w_str(w, mname, strlen(mname)) : 0,
            .type = members[k].type,
            .offset = members[k].bit_off,
        };
        memcpy(more(w, &w->types, sizeof(m)), &m, sizeof(m));
    }
    return id;
}

uint32_t zn_btf_w_proto(struct zn_btf_w *w, uint32_t ret, const struct zn_btf_member *params,
                        uint32_t n)
{
    uint32_t id = add(w, BTF_KIND_FUNC_PROTO, NULL, n, ret);
    for (uint32_t k = 0; k < n; k++) {
        const char *pname = params[k].name;
        struct btf_param p = {
            .name_off = pname ? zn_btf_w_str(w, pname, strlen(pname)) : 0,
            .type = params[k].type,
        };
        memcpy(more(w, &w->types, sizeof(p)), &p, sizeof(p));
    }
    return id;
}

uint32_t zn_btf_w_func(struct zn_btf_w *w, const char *name, uint32_t proto)
{
    return add(w, BTF_KIND_FUNC, name, BTF_FUNC_STATIC, proto);
}

uint32_t zn_btf_w_var(struct zn_btf_w *w, const char *name, uint32_t type)
{
    uint32_t id = add(w, BTF_KIND_VAR, name, 0, type);
    struct btf_var v = {BTF_VAR_GLOBAL_ALLOCATED};
    memcpy(more(w, &w->types, sizeof(v)), &v, sizeof(v));
    return id;
}

uint32_t zn_btf_w_datasec(struct zn_btf_w *w, const char *name, uint32_t bytes,
                          const struct zn_btf_secinfo *vars, uint32_t n)
{
    uint32_t id = add(w, BTF_KIND_DATASEC, name, n, bytes);
    for (uint32_t k = 0; k < n; k++) {
        struct btf_var_secinfo v = {vars[k].var, vars[k].off, vars[k].size};
        memcpy(more(w, &w->types, sizeof(v)), &v, sizeof(v));
    }
    return id;
}

/* Starts of the source's lines. */
struct lines {
    uint32_t *at;
    uint32_t n, cap;
};

static struct lines find_lines(struct zn_arena *a, const struct zn_source *src)
{
    struct lines l = {0};
    zn_arena_grow(a, l.at, l.n, l.cap);
    l.at[l.n++] = 0;
    for (size_t k = 0; k < src->len; k++)
        if (src->text[k] == '\n') {
            zn_arena_grow(a, l.at, l.n, l.cap);
            l.at[l.n++] = (uint32_t)k + 1;
        }
    return l;
}

/* 0-based line of an offset. */
static uint32_t line_of(const struct lines *l, uint32_t off)
{
    uint32_t lo = 0, hi = l->n;
    while (hi - lo > 1) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (l->at[mid] <= off)
            lo = mid;
        else
            hi = mid;
    }
    return lo;
}

static struct bpf_line_info record(struct zn_btf_w *w, const struct zn_source *src,
                                   const struct lines *l, uint32_t insn, uint32_t off,
                                   uint32_t file)
{
    uint32_t line = line_of(l, off), begin = l->at[line];
    uint32_t end = begin;
    while (end < src->len && src->text[end] != '\n')
        end++;
    uint32_t col = off - begin + 1, num = line + 1;
    return (struct bpf_line_info){
        .insn_off = insn,
        .file_name_off = file,
        .line_off = zn_btf_w_str(w, src->text + begin, end - begin),
        .line_col = (num > MAX_LINE ? MAX_LINE : num) << 10 | (col > MAX_COL ? MAX_COL : col),
    };
}

static bool nowhere(struct zn_pos pos, const struct zn_source *src)
{
    return (!pos.begin && !pos.end) || pos.begin > src->len;
}

/* Where the first instruction that is somewhere is; a part must begin with a record. */
static uint32_t first_place(const struct zn_code *code, const struct zn_source *src)
{
    for (uint32_t k = 0; k < code->n; k++)
        if (!nowhere(code->pos[k], src))
            return code->pos[k].begin;
    return 0;
}

struct zn_btf_info zn_btf_w_info(struct zn_btf_w *w, const struct zn_source *src,
                                 const struct zn_btf_part *parts, uint32_t n)
{
    uint32_t cap = 0, file = zn_btf_w_str(w, src->name, strlen(src->name));
    for (uint32_t k = 0; k < n; k++)
        cap += parts[k].code->n;
    struct zn_btf_info ret = {
        .funcs = zn_arena_array(w->arena, struct bpf_func_info, n),
        .lines = zn_arena_array(w->arena, struct bpf_line_info, cap),
        .nfuncs = n,
    };
    struct lines l = find_lines(w->arena, src);
    for (uint32_t k = 0; k < n; k++) {
        const struct zn_btf_part *p = &parts[k];
        ret.funcs[k] = (struct bpf_func_info){p->insn_off, p->func};
        if (!p->code->n)
            continue;
        uint32_t at = first_place(p->code, src), line = line_of(&l, at);
        ret.lines[ret.nlines++] = record(w, src, &l, p->insn_off, at, file);
        for (uint32_t i = 1; i < p->code->n; i++) {
            struct zn_pos pos = p->code->pos[i];
            /* code 0 is the second half of a wide load, which must not have a record */
            if (nowhere(pos, src) || !p->code->insns[i].code || line_of(&l, pos.begin) == line)
                continue;
            line = line_of(&l, pos.begin);
            ret.lines[ret.nlines++] = record(w, src, &l, p->insn_off + i, pos.begin, file);
        }
    }
    return ret;
}

const void *zn_btf_w_finish(struct zn_btf_w *w, size_t *ret_len)
{
    struct btf_header h = {
        .magic = BTF_MAGIC,
        .version = BTF_VERSION,
        .hdr_len = sizeof(h),
        .type_len = w->types.n,
        .str_off = w->types.n,
        .str_len = w->strs.n,
    };
    *ret_len = sizeof(h) + w->types.n + w->strs.n;
    uint8_t *out = zn_arena_alloc(w->arena, *ret_len);
    memcpy(out, &h, sizeof(h));
    if (w->types.n)
        memcpy(out + sizeof(h), w->types.p, w->types.n);
    memcpy(out + sizeof(h) + w->types.n, w->strs.p, w->strs.n);
    return out;
}
