/* SPDX-License-Identifier: Apache-2.0 */
/* Builtins on strings and bytes. */
#include <arpa/inet.h>
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "lang/builtin_tables.h"
#include "lang/lower.h"

/* ---- str, buf ---- */

static bool param_as_str(struct zn_cc *cc, struct zn_node *a)
{
    if (a->kind != N_PARAM || a->num < 1)
        return false;
    a->kind = N_STR;
    bool given = (uint64_t)a->num <= cc->argc;
    if (!given)
        zn_warning(cc->d, a->pos, "positional parameter $%lld is not given: it is \"\" here",
                   (long long)a->num);
    a->str = given ? cc->argv[a->num - 1] : "";
    a->str_len = (uint32_t)strlen(a->str);
    return true;
}

static bool str(struct zn_cc *cc, struct zn_node *n)
{
    struct zn_node *a = n->list;
    param_as_str(cc, a);
    if (a->kind == N_BINARY && a->op == OP_ADD && a->a->kind == N_PARAM && param_as_str(cc, a->a)) {
        int64_t skip = 0; /* str($1 + n): the parameter from its n-th byte */
        zn_infer_expr(cc, a->b);
        if (!zn_const_int(cc, a->b, &skip) || skip < 0)
            zn_cc_error(cc, a->b->pos, "str($%lld + n) needs a literal n", (long long)a->a->num);
        if (skip > a->a->str_len)
            skip = a->a->str_len;
        a->kind = N_STR;
        a->str = a->a->str + skip;
        a->str_len = a->a->str_len - (uint32_t)skip;
    }
    zn_infer_expr(cc, a);
    if (a->next)
        zn_infer_expr(cc, a->next);
    if (!a->type)
        return false;
    if (a->kind == N_STR && !a->next) { /* a literal is a string already */
        struct zn_node lit = *a;
        lit.next = n->next;
        *n = lit;
        return true;
    }
    if (a->type->kind == T_STR ||
        (a->type->kind == T_ARRAY && a->type->elem && a->type->elem->size == 1)) {
        int64_t keep;
        n->type = a->type->kind == T_STR ? a->type : zn_type_str(&cc->types, a->type->nelem, false);
        if (!a->next)
            return true;
        zn_infer_int(cc, a->next, "str()'s length");
        bool known = zn_const_int(cc, a->next, &keep) && keep >= 0;
        if (known && a->kind == N_STR) { /* a literal's first bytes; the length counts the end */
            struct zn_node lit = *a;
            lit.next = n->next;
            lit.str_len = (uint32_t)ZN_MIN((int64_t)lit.str_len, ZN_MAX(keep - 1, (int64_t)0));
            lit.str = zn_arena_strndup(cc->arena, lit.str, lit.str_len);
            lit.type = zn_type_str(&cc->types, lit.str_len + 1, true);
            *n = lit;
            return true;
        }
        if (!known || n->type->interned) {
            zn_cc_error(cc, a->next->pos, "str() of a string needs a literal length");
            return false;
        }
        n->type = zn_type_str(
            &cc->types, (uint32_t)ZN_MIN((int64_t)n->type->size, ZN_MAX(keep, (int64_t)1)), false);
        return true;
    }
    if (!zn_want_int(cc, a, "str()'s argument"))
        return false;
    uint32_t cap = cc->config.max_strlen + 1; /* with its end */
    int64_t len;
    if (a->next) {
        if (!zn_want_int(cc, a->next, "str()'s length"))
            return false;
        if (zn_const_int(cc, a->next, &len)) {
            if (len < 0) {
                zn_cc_error(cc, a->next->pos, "str cannot use negative length (%lld)",
                            (long long)len);
                return false;
            }
            cap = (uint32_t)ZN_MIN((int64_t)cap, ZN_MAX(len, (int64_t)1));
        }
    }
    n->type = zn_type_str(&cc->types, cap, false);
    return true;
}

static struct zn_val lower_str(struct zn_lower *l, struct zn_node *n)
{
    struct zn_node *a = n->list;
    struct zn_val v = zn_lower_expr(l, a);
    if (a->type->kind == T_STR) {
        if (!a->next)
            return v;
        if (v.kind != V_ADDR)
            v = zn_materialise(l, v, a->type);
        v.type = n->type; /* its first bytes: the end is set where it is stored */
        v.padded = false;
        return v;
    }
    if (a->type->kind == T_ARRAY) {
        v.type = n->type;
        v.padded = false;
        return v;
    }
    struct zn_val at;
    if (a->type->kind == T_PTR)
        at = zn_deref(l, v);
    else
        at = zn_vaddr(n->type, zn_to_reg(l, v), 0, zn_default_sort(l));
    if (at.mem == M_BTF)
        at.mem = M_KERNEL;
    at.type = n->type;
    int64_t len;
    if (!a->next || zn_const_int(l->cc, a->next, &len))
        return at;
    /* a length known only at run time: read that many bytes at most into a zeroed place */
    struct zn_ir_fn *f = l->f;
    zn_vreg want = zn_lower_int(l, a->next), size = zn_ir_vreg(f, ZN_V_SCALAR);
    zn_block big = zn_ir_block(f, "long"), ok = zn_ir_block(f, "length");
    zn_ir_mov_to(f, size, want);
    zn_ir_bri(f, CMP_GT, 8, size, n->type->size, big, ok);
    zn_ir_at(f, big);
    zn_ir_imm_to(f, size, n->type->size);
    zn_ir_jmp(f, ok);
    zn_ir_at(f, ok);
    struct zn_mem m = zn_mem(l, zn_type_stored(n->type));
    zn_vreg base;
    int32_t off;
    zn_mem_addr(l, m, &base, &off);
    zn_zero(l, base, off, zn_type_stored(n->type));
    zn_ir_call(f, at.mem == M_USER ? H_probe_read_user_str : H_probe_read_kernel_str, ZN_V_SCALAR,
               3, zn_mem_ptr(l, m), size, zn_ptr_add(l, at.reg, at.off));
    zn_mem_addr(l, m, &base, &off);
    struct zn_val r = zn_vaddr(n->type, base, off, M_DIRECT);
    r.padded = true;
    return r;
}

static bool buf(struct zn_cc *cc, struct zn_node *n)
{
    struct zn_node *a = n->list;
    if (!a->type)
        return false;
    uint32_t cap = ZN_MIN(cc->config.max_strlen, 1024u);
    int64_t len;
    if (a->type->kind == T_ARRAY || a->type->kind == T_STR)
        cap = a->type->kind == T_STR ? a->type->size : a->type->size;
    else if (!zn_want_int(cc, a, "buf()'s argument"))
        return false;
    if (a->next) {
        if (!zn_want_int(cc, a->next, "buf()'s length"))
            return false;
        if (zn_const_int(cc, a->next, &len)) {
            if (len < 0) {
                zn_cc_error(cc, a->next->pos, "buf cannot use negative length (%lld)",
                            (long long)len);
                return false;
            }
            cap = (uint32_t)ZN_MIN((int64_t)cap, len);
        }
    } else if (a->type->kind != T_ARRAY && a->type->kind != T_STR) {
        zn_cc_error(cc, n->pos, "buf() expects a length argument for non-array type '%s'",
                    zn_type_str_name(cc, a->type));
        return false;
    }
    n->type = zn_type_new(&cc->types, T_BUF);
    n->type->size = cap ? cap : 1;
    return true;
}

static struct zn_val lower_buf(struct zn_lower *l, struct zn_node *n)
{
    struct zn_node *a = n->list;
    struct zn_ir_fn *f = l->f;
    struct zn_val v = zn_lower_expr(l, a), at = v;
    if (v.type->kind == T_STR && v.kind != V_ADDR)
        at = v = zn_materialise(
            l, v, zn_type_str(&l->cc->types, ZN_MAX(v.type->size, n->type->size), false));
    else if (a->type->kind == T_PTR)
        at = zn_deref(l, v);
    else if (v.kind != V_ADDR)
        at = zn_vaddr(n->type, zn_to_reg(l, v), 0, zn_default_sort(l));
    if (at.mem == M_BTF)
        at.mem = M_KERNEL;
    struct zn_mem m = zn_mem(l, zn_type_stored(n->type));
    zn_vreg base;
    int32_t off;
    zn_vreg len = zn_ir_vreg(f, ZN_V_SCALAR);
    zn_ir_imm_to(f, len, n->type->size);
    if (a->next) {
        zn_block small = zn_ir_block(f, "shorter"), ok = zn_ir_block(f, "length");
        zn_vreg want = zn_lower_int(l, a->next);
        zn_ir_bri(f, CMP_LT, 8, want, n->type->size, small, ok);
        zn_ir_at(f, small);
        zn_ir_mov_to(f, len, want);
        zn_ir_jmp(f, ok);
        zn_ir_at(f, ok);
    }
    zn_mem_addr(l, m, &base, &off);
    zn_zero(l, base, off, zn_type_stored(n->type));
    zn_ir_st(f, base, off, 8, len);
    int64_t c;
    if (at.mem == M_DIRECT || !a->next || zn_const_int(l->cc, a->next, &c))
        zn_read_bytes(l, at, base, off + 8, n->type->size);
    else
        zn_ir_call(f, at.mem == M_USER ? H_probe_read_user : H_probe_read_kernel, ZN_V_SCALAR, 3,
                   zn_ptr_add(l, base, off + 8), len, zn_ptr_add(l, at.reg, at.off));
    zn_mem_addr(l, m, &base, &off);
    return zn_vaddr(n->type, base, off, M_DIRECT);
}

/* ---- substr ---- */

static bool substr(struct zn_cc *cc, struct zn_node *n)
{
    struct zn_node *s = n->list;
    if (!s->type)
        return false;
    if (s->type->kind != T_STR) {
        zn_cc_error(cc, s->pos, "substr() expects a string, not '%s'",
                    zn_type_str_name(cc, s->type));
        return false;
    }
    int64_t v[2] = {0, 0};
    int i = 0;
    for (struct zn_node *a = s->next; a; a = a->next, i++)
        if (!zn_const_int(cc, a, &v[i])) {
            zn_cc_error(cc, a->pos, "substr() needs literal positions");
            return false;
        }
    if (zn_is_target_str(cc, n)) {
        n->type = zn_type_str(&cc->types, s->type->size, true);
        return true;
    }
    if (s->type->interned) {
        zn_cc_error(cc, s->pos, "substr() of this string is not supported yet");
        return false;
    }
    if (v[0] < 0 || v[0] >= s->type->size || v[1] < 0) {
        zn_cc_error(cc, s->next->pos,
                    "substr() start %lld is not within the %u bytes of the string", (long long)v[0],
                    s->type->size);
        return false;
    }
    uint32_t cap = s->type->size - (uint32_t)v[0];
    if (s->next->next)
        cap = (uint32_t)ZN_MIN((int64_t)cap, v[1] + 1);
    n->type = zn_type_str(&cc->types, cap, false);
    return true;
}

/* Of a run-time string: its bytes are read, then the rest is taken; a string that ends before the
 * start gives "" since the place is zero-padded. */
static struct zn_val lower_substr(struct zn_lower *l, struct zn_node *n)
{
    struct zn_val s = zn_lower_expr(l, n->list);
    int64_t start = 0;
    zn_const_int(l->cc, n->list->next, &start);
    s = zn_materialise(l, s, n->list->type);
    struct zn_mem m = zn_mem(l, zn_type_stored(n->type));
    zn_vreg base;
    int32_t off;
    zn_mem_addr(l, m, &base, &off);
    uint32_t stored = zn_type_stored(n->type), cap = n->type->size;
    zn_zero(l, base, off, stored);
    bool cut = n->list->next->next != NULL;
    zn_copy(l, base, off, s.reg, s.off + (int32_t)start, cut ? cap - 1 : cap);
    struct zn_val r = zn_vaddr(n->type, base, off, M_DIRECT);
    r.padded = true;
    return r;
}

/* ---- comparing ---- */

static bool bool_of_strs(struct zn_cc *cc, struct zn_node *n)
{
    n->type = zn_type_int(&cc->types, 8, false);
    for (struct zn_node *a = n->list; a && a != n->list->next->next; a = a->next) {
        if (!a->type)
            return false;
        if (a->type->kind != T_STR) {
            zn_cc_error(cc, a->pos, "%s() expects a string, not '%s'", n->name,
                        zn_type_str_name(cc, a->type));
            return false;
        }
    }
    return true;
}

static bool strncmp_(struct zn_cc *cc, struct zn_node *n)
{
    int64_t k;
    if (!bool_of_strs(cc, n))
        return false;
    if (!zn_const_int(cc, n->list->next->next, &k) || k < 0) {
        zn_cc_error(cc, n->list->next->next->pos, "strncmp() needs a literal length");
        return false;
    }
    return true;
}

static void cond_prefix(struct zn_lower *l, struct zn_val a, struct zn_val b, uint32_t len,
                        zn_block eq, zn_block ne)
{
    struct zn_ir_fn *f = l->f;
    for (uint32_t i = 0; i < len; i++) {
        zn_block same = zn_ir_block(f, "same"), more = i + 1 < len ? zn_ir_block(f, "more") : eq;
        zn_vreg x = zn_ir_ld(f, a.reg, a.off + (int32_t)i, 1, false);
        zn_vreg y = zn_ir_ld(f, b.reg, b.off + (int32_t)i, 1, false);
        zn_ir_br(f, CMP_EQ, 8, x, y, same, ne);
        zn_ir_at(f, same);
        if (more == eq)
            zn_ir_jmp(f, eq);
        else
            zn_ir_bri(f, CMP_EQ, 8, x, 0, eq, more);
        zn_ir_at(f, more);
    }
    if (!len)
        zn_ir_jmp(f, eq);
}

/* Both strings as bytes in direct memory, at least len of them. */
static struct zn_val bytes_of(struct zn_lower *l, struct zn_node *n, uint32_t len)
{
    struct zn_val v = zn_lower_expr(l, n);
    uint32_t cap = v.kind == V_IMM ? len + 1 : ZN_MAX(ZN_MIN(v.type->size, len + 1), 1u);
    if (v.kind == V_COMM)
        cap = 16;
    if (cap < len)
        cap = len;
    struct zn_type *t = zn_type_str(&l->cc->types, cap, false);
    if (v.kind == V_ADDR && v.mem == M_DIRECT && v.padded && zn_type_stored(v.type) >= len)
        return v;
    return zn_materialise(l, v, t);
}

static struct zn_val lower_strncmp(struct zn_lower *l, struct zn_node *n)
{
    struct zn_ir_fn *f = l->f;
    int64_t k = 0;
    zn_const_int(l->cc, zn_arg(n, 2), &k);
    struct zn_node *a = zn_arg(n, 0), *b = zn_arg(n, 1);
    uint32_t len = (uint32_t)ZN_MIN(k, (int64_t)ZN_MAX(a->type->size, b->type->size));
    if (a->kind == N_STR)
        len = ZN_MIN(len, a->str_len + 1);
    if (b->kind == N_STR)
        len = ZN_MIN(len, b->str_len + 1);
    zn_vreg r = zn_ir_vreg(f, ZN_V_SCALAR);
    zn_block eq = zn_ir_block(f, "equal"), ne = zn_ir_block(f, "differ"),
             done = zn_ir_block(f, "strncmp");
    struct zn_val va = bytes_of(l, a, len), vb = bytes_of(l, b, len);
    cond_prefix(l, va, vb, len, eq, ne);
    zn_ir_at(f, eq);
    zn_ir_imm_to(f, r, 0);
    zn_ir_jmp(f, done);
    zn_ir_at(f, ne);
    zn_ir_imm_to(f, r, 1);
    zn_ir_jmp(f, done);
    zn_ir_at(f, done);
    return zn_vreg_val(n->type, r);
}

static bool strcontains(struct zn_cc *cc, struct zn_node *n)
{
    if (!bool_of_strs(cc, n))
        return false;
    n->type = zn_type_simple(&cc->types, T_BOOL);
    return true;
}

static bool strlen_(struct zn_cc *cc, struct zn_node *n)
{
    n->type = zn_type_int(&cc->types, 8, false);
    if (!n->list->type)
        return false;
    if (n->list->type->kind == T_STR)
        return true;
    zn_cc_error(cc, n->list->pos, "strlen() expects a string");
    return false;
}

static struct zn_val lower_strlen(struct zn_lower *l, struct zn_node *n)
{
    struct zn_ir_fn *f = l->f;
    struct zn_val v = zn_lower_expr(l, n->list);
    if (v.kind == V_IMM)
        return zn_vimm(n->type, (int64_t)strlen(l->cc->img->strings[v.imm]));
    struct zn_type *t = zn_type_str(&l->cc->types, v.kind == V_COMM ? 16 : v.type->size, false);
    v = zn_materialise(l, v, t);
    zn_vreg i = zn_ir_vreg(f, ZN_V_SCALAR);
    zn_block head = zn_ir_block(f, "len"), step = zn_ir_block(f, "char"),
             go = zn_ir_block(f, "next"), done = zn_ir_block(f, "strlen");
    zn_ir_imm_to(f, i, 0);
    zn_ir_jmp(f, head);
    zn_ir_at(f, head);
    zn_ir_bri(f, CMP_LT, 8, i, t->size, step, done);
    zn_ir_at(f, step);
    zn_vreg base = zn_ptr_add(l, v.reg, v.off);
    zn_vreg p = zn_ir_padd(f, base, i);
    zn_ir_bri(f, CMP_NE, 8, zn_ir_ld(f, p, 0, 1, false), 0, go, done);
    zn_ir_at(f, go);
    zn_ir_mov_to(f, i, zn_ir_alui(f, ALU_ADD, 8, i, 1));
    zn_ir_jmp(f, head);
    zn_ir_at(f, done);
    return zn_vreg_val(n->type, i);
}

/* ---- numbers ---- */

static bool bswap(struct zn_cc *cc, struct zn_node *n)
{
    if (!n->list->type || !zn_want_int(cc, n->list, "bswap()'s argument"))
        return false;
    uint32_t size = n->list->type->kind == T_INT ? n->list->type->size : 8;
    n->type = zn_type_int(&cc->types, size, false);
    return true;
}

static struct zn_val lower_bswap(struct zn_lower *l, struct zn_node *n)
{
    zn_vreg r = zn_lower_int(l, n->list);
    if (n->type->size == 1)
        return zn_vreg_val(n->type, r);
    return zn_vreg_val(n->type, zn_ir_bswap(l->f, r, (int)n->type->size));
}

static bool pton(struct zn_cc *cc, struct zn_node *n)
{
    unsigned char b[16];
    struct zn_node *a = n->list;
    if (a->kind != N_STR) {
        zn_cc_error(cc, a->pos, "pton() expects a string literal");
        return false;
    }
    bool v6 = strchr(a->str, ':') != NULL;
    if (inet_pton(v6 ? AF_INET6 : AF_INET, a->str, b) != 1) {
        zn_cc_error(cc, a->pos, "pton() expects an IPv4 or IPv6 address, got '%s'", a->str);
        return false;
    }
    n->type = zn_type_array(&cc->types, zn_type_int(&cc->types, 1, false), v6 ? 16 : 4);
    return true;
}

static struct zn_val lower_pton(struct zn_lower *l, struct zn_node *n)
{
    unsigned char b[16] = {0};
    inet_pton(n->type->size == 16 ? AF_INET6 : AF_INET, n->list->str, b);
    struct zn_mem m = zn_mem(l, 16);
    zn_vreg base;
    int32_t off;
    zn_mem_addr(l, m, &base, &off);
    for (int i = 0; i < 2; i++) {
        int64_t w;
        memcpy(&w, b + 8 * i, 8);
        zn_ir_sti(l->f, base, off + 8 * i, 8, w);
    }
    return zn_vaddr(n->type, base, off, M_DIRECT);
}

static bool space(struct zn_cc *cc, struct zn_node *n)
{
    const struct zn_builtin *b = n->sym;
    if (!n->list->type || !zn_want_int(cc, n->list, "the argument"))
        return false;
    struct zn_type *t = n->list->type;
    if (t->kind == T_PTR) {
        n->type = zn_type_ptr(&cc->types, t->elem, (enum zn_space)b->detail);
        return true;
    }
    n->type = zn_type_ptr(&cc->types, zn_type_int(&cc->types, 8, false), (enum zn_space)b->detail);
    return true;
}

static struct zn_val lower_space(struct zn_lower *l, struct zn_node *n)
{
    return zn_vreg_val(n->type, zn_lower_int(l, n->list));
}

const struct zn_builtin zn_builtins_str[] = {
    {"str", "str(pointer[, length])", 1, 2, BI_RAWARGS, 0, str, lower_str,
     "the string at an address"},
    {"buf", "buf(pointer[, length])", 1, 2, 0, 0, buf, lower_buf, "bytes at an address"},
    {"substr", "substr(s, start[, length])", 2, 3, 0, 0, substr, lower_substr,
     "a part of a string"},
    {"strncmp", "strncmp(a, b, n)", 3, 3, 0, 0, strncmp_, lower_strncmp,
     "0 when the first n bytes are equal"},
    {"strcontains", "strcontains(haystack, needle)", 2, 2, 0, 0, strcontains, zn_lower_strcontains,
     "whether needle occurs"},
    {"strlen", "strlen(s)", 1, 1, 0, 0, strlen_, lower_strlen, "length in bytes"},
    {"bswap", "bswap(n)", 1, 1, 0, 0, bswap, lower_bswap, "bytes in the other order"},
    {"pton", "pton(\"address\")", 1, 1, 0, 0, pton, lower_pton, "an IP address as bytes"},
    {"kptr", "kptr(p)", 1, 1, 0, ZN_SPACE_KERNEL, space, lower_space, "p points into the kernel"},
    {"uptr", "uptr(p)", 1, 1, 0, ZN_SPACE_USER, space, lower_space, "p points into the process"},
    {0},
};
