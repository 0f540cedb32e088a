/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions to IR. */
#include <string.h>

#include "base/mem.h"
#include "lang/lower.h"

struct zn_node *zn_arg(struct zn_node *call, unsigned i)
{
    struct zn_node *a = call->list;
    while (a && i--)
        a = a->next;
    return a;
}

zn_vreg zn_lower_int(struct zn_lower *l, struct zn_node *n)
{
    int64_t c;
    if (zn_const_int(l->cc, n, &c))
        return zn_ir_imm(l->f, c);
    return zn_to_reg(l, zn_lower_expr(l, n));
}

/* ---- comparisons ---- */

/* Compares two padded strings (or other stored values) word by word. */
static void cond_words(struct zn_lower *l, struct zn_val a, struct zn_val b, uint32_t bytes,
                       zn_block eq, zn_block ne)
{
    for (uint32_t i = 0; i < bytes; i += 8) {
        zn_block next = i + 8 < bytes ? zn_ir_block(l->f, "cmp") : eq;
        zn_vreg x = zn_ir_ld(l->f, a.reg, a.off + (int32_t)i, 8, false);
        zn_vreg y = zn_ir_ld(l->f, b.reg, b.off + (int32_t)i, 8, false);
        zn_ir_br(l->f, CMP_EQ, 8, x, y, next, ne);
        zn_ir_at(l->f, next);
    }
}

/* A dynamic string against a constant: only the constant's bytes and its end are looked at. */
static void cond_const_str(struct zn_lower *l, struct zn_val v, const char *s, zn_block eq,
                           zn_block ne)
{
    uint32_t len = (uint32_t)strlen(s);
    if (len + 1 > v.type->size) { /* a full place without an end can be equal at most */
        if (len > v.type->size) {
            zn_ir_jmp(l->f, ne);
            return;
        }
    }
    uint32_t need = ZN_MIN(len + 1, v.type->size);
    if (!(v.kind == V_ADDR && v.mem == M_DIRECT)) {
        struct zn_type *t = zn_type_str(
            &l->cc->types, v.kind == V_COMM ? 16 : ZN_MIN(need + 8, v.type->size), false);
        v = zn_materialise(l, v, t);
    }
    uint32_t i = 0;
    while (i < need) {
        uint32_t w = need - i >= 8 ? 8 : need - i >= 4 ? 4 : need - i >= 2 ? 2 : 1;
        uint64_t word = 0;
        memcpy(&word, s + i, ZN_MIN(w, len + 1 - i));
        zn_vreg x = zn_ir_ld(l->f, v.reg, v.off + (int32_t)i, (int)w, false);
        i += w;
        zn_block next = i < need ? zn_ir_block(l->f, "cmp") : eq;
        zn_ir_bri(l->f, CMP_EQ, 8, x, (int64_t)word, next, ne);
        if (i < need)
            zn_ir_at(l->f, next);
    }
}

static void cond_str(struct zn_lower *l, struct zn_node *n, zn_block eq, zn_block ne)
{
    struct zn_marks m = zn_mem_mark(l);
    struct zn_val a = zn_lower_expr(l, n->a), b = zn_lower_expr(l, n->b);
    bool ia = a.type->interned, ib = b.type->interned;
    if (ia && ib) {
        if (a.kind == V_IMM && b.kind == V_IMM)
            zn_ir_jmp(l->f, a.imm == b.imm ? eq : ne);
        else
            zn_ir_br(l->f, CMP_EQ, 8, zn_to_reg(l, a), zn_to_reg(l, b), eq, ne);
    } else if (ia || ib) {
        struct zn_val c = ia ? a : b, v = ia ? b : a;
        if (c.kind != V_IMM)
            zn_ir_fail(l->f,
                       "comparing a string with one that varies by probe is not supported yet");
        else
            cond_const_str(l, v, l->cc->img->strings[c.imm], eq, ne);
    } else {
        struct zn_type *t = zn_type_str(&l->cc->types, ZN_MAX(a.type->size, b.type->size), false);
        a = zn_materialise(l, a, t);
        b = zn_materialise(l, b, t);
        cond_words(l, a, b, ZN_ALIGN_UP(t->size, 8u), eq, ne);
    }
    zn_mem_release(l, m);
}

static void cond_stored(struct zn_lower *l, struct zn_node *n, zn_block eq, zn_block ne)
{
    struct zn_type *t = zn_unify(l->cc, n->a->type, n->b->type);
    struct zn_marks mk = zn_mem_mark(l);
    struct zn_val v[2];
    struct zn_node *e[2] = {n->a, n->b};
    for (int i = 0; i < 2; i++) {
        struct zn_mem m = zn_mem(l, zn_type_stored(t));
        v[i] = zn_vaddr(t, ZN_NOREG, 0, M_DIRECT);
        zn_mem_addr(l, m, &v[i].reg, &v[i].off);
        zn_store_expr(l, e[i], t, v[i].reg, v[i].off, true);
    }
    cond_words(l, v[0], v[1], zn_type_stored(t), eq, ne);
    zn_mem_release(l, mk);
}

static enum zn_cmp cmp_of(enum zn_op op, bool uns)
{
    switch (op) {
    case OP_EQ: return CMP_EQ;
    case OP_NE: return CMP_NE;
    case OP_LT: return uns ? CMP_LT : CMP_SLT;
    case OP_LE: return uns ? CMP_LE : CMP_SLE;
    case OP_GT: return uns ? CMP_GT : CMP_SGT;
    default: return uns ? CMP_GE : CMP_SGE;
    }
}

static bool is_compare(enum zn_op op)
{
    return op >= OP_EQ && op <= OP_GE;
}

static void cond_compare(struct zn_lower *l, struct zn_node *n, zn_block t, zn_block f)
{
    enum zn_type_kind k = n->a->type->kind;
    bool eqop = n->op == OP_EQ;
    if (k == T_STR && n->b->type->kind == T_STR) {
        cond_str(l, n, eqop ? t : f, eqop ? f : t);
        return;
    }
    if (k == T_TUPLE || k == T_RECORD || k == T_ARRAY || k == T_BUF) {
        cond_stored(l, n, eqop ? t : f, eqop ? f : t);
        return;
    }
    bool uns = zn_op_unsigned(n->a, n->b);
    zn_vreg a = zn_lower_int(l, n->a);
    int64_t c;
    if (zn_const_int(l->cc, n->b, &c))
        zn_ir_bri(l->f, cmp_of(n->op, uns), 8, a, c, t, f);
    else
        zn_ir_br(l->f, cmp_of(n->op, uns), 8, a, zn_lower_int(l, n->b), t, f);
}

void zn_lower_cond(struct zn_lower *l, struct zn_node *n, zn_block t, zn_block f)
{
    struct zn_pos save = l->f->pos;
    l->f->pos = n->pos;
    int64_t c;
    if (zn_const_int(l->cc, n, &c)) {
        zn_ir_jmp(l->f, c ? t : f);
    } else if (n->kind == N_UNARY && n->op == OP_NOT) {
        zn_lower_cond(l, n->a, f, t);
    } else if (n->kind == N_BINARY && (n->op == OP_LAND || n->op == OP_LOR)) {
        zn_block mid = zn_ir_block(l->f, "and");
        zn_lower_cond(l, n->a, n->op == OP_LAND ? mid : t, n->op == OP_LAND ? f : mid);
        zn_ir_at(l->f, mid);
        zn_lower_cond(l, n->b, t, f);
    } else if (n->kind == N_BINARY && is_compare(n->op)) {
        cond_compare(l, n, t, f);
    } else {
        zn_ir_bri(l->f, CMP_NE, 8, zn_lower_int(l, n), 0, t, f);
    }
    l->f->pos = save;
}

/* ---- arithmetic ---- */

static struct zn_val as_bool(struct zn_lower *l, struct zn_node *n)
{
    zn_vreg r = zn_ir_vreg(l->f, ZN_V_SCALAR);
    zn_block t = zn_ir_block(l->f, "true"), done = zn_ir_block(l->f, "bool");
    zn_ir_imm_to(l->f, r, 0);
    zn_lower_cond(l, n, t, done);
    zn_ir_at(l->f, t);
    zn_ir_imm_to(l->f, r, 1);
    zn_ir_jmp(l->f, done);
    zn_ir_at(l->f, done);
    return zn_vreg_val(n->type, r);
}

static enum zn_alu alu_of(enum zn_op op, bool uns)
{
    switch (op) {
    case OP_ADD: return ALU_ADD;
    case OP_SUB: return ALU_SUB;
    case OP_MUL: return ALU_MUL;
    case OP_DIV: return uns ? ALU_DIV : ALU_SDIV;
    case OP_MOD: return uns ? ALU_MOD : ALU_SMOD;
    case OP_AND: return ALU_AND;
    case OP_OR: return ALU_OR;
    case OP_XOR: return ALU_XOR;
    case OP_SHL: return ALU_SHL;
    default: return uns ? ALU_SHR : ALU_SAR;
    }
}

uint32_t zn_pointee_size(const struct zn_type *t)
{
    return t && t->kind == T_PTR && t->elem && t->elem->size ? t->elem->size : 1;
}

static struct zn_val binary(struct zn_lower *l, struct zn_node *n)
{
    if (is_compare(n->op) || n->op == OP_LAND || n->op == OP_LOR)
        return as_bool(l, n);
    bool uns = zn_op_unsigned(n->a, n->b);
    if (n->op == OP_SHR)
        uns = n->a->type->kind != T_INT || !n->a->type->sign || uns;
    zn_vreg a = zn_lower_int(l, n->a);
    int64_t c;
    bool bc = zn_const_int(l->cc, n->b, &c);
    uint32_t sa = 1, sb = 1;
    if (n->type->kind == T_PTR) { /* pointer arithmetic counts in elements */
        if (n->a->type->kind == T_PTR)
            sb = zn_pointee_size(n->a->type);
        else
            sa = zn_pointee_size(n->b->type);
    }
    if (sa != 1)
        a = zn_ir_alui(l->f, ALU_MUL, 8, a, sa);
    if (bc)
        return zn_vreg_val(n->type, zn_ir_alui(l->f, alu_of(n->op, uns), 8, a, c * (int64_t)sb));
    zn_vreg b = zn_lower_int(l, n->b);
    if (sb != 1)
        b = zn_ir_alui(l->f, ALU_MUL, 8, b, sb);
    return zn_vreg_val(n->type, zn_ir_alu(l->f, alu_of(n->op, uns), 8, a, b));
}

zn_vreg zn_var_get(struct zn_lower *l, const struct zn_varsym *v)
{
    if (v->mem < 0)
        return v->vreg;
    struct zn_mem m = {v->mem & 1, v->mem >> 1};
    zn_vreg base;
    int32_t off;
    zn_mem_addr(l, m, &base, &off);
    return zn_ir_ld(l->f, base, off, 8, false);
}

void zn_var_set(struct zn_lower *l, const struct zn_varsym *v, zn_vreg r)
{
    if (v->declared && v->type->size < 8 && (v->type->kind == T_INT || v->type->kind == T_ENUM))
        r = zn_trunc(l, r, v->type).reg;
    if (v->mem < 0) {
        zn_ir_mov_to(l->f, v->vreg, r);
        return;
    }
    struct zn_mem m = {v->mem & 1, v->mem >> 1};
    zn_vreg base;
    int32_t off;
    zn_mem_addr(l, m, &base, &off);
    zn_ir_st(l->f, base, off, 8, r);
}

/* &$v: variables whose address is taken lie in scratch, which is kernel memory like any other. */
static struct zn_val address_of(struct zn_lower *l, struct zn_node *n)
{
    const struct zn_varsym *v = n->a->sym;
    return zn_vreg_val(n->type, zn_mem_ptr(l, (struct zn_mem){v->mem & 1, v->mem >> 1}));
}

static struct zn_val unary(struct zn_lower *l, struct zn_node *n)
{
    switch (n->op) {
    case OP_NOT: return as_bool(l, n);
    case OP_NEG: return zn_vreg_val(n->type, zn_ir_neg(l->f, zn_lower_int(l, n->a)));
    case OP_BNOT:
        return zn_vreg_val(n->type, zn_ir_alui(l->f, ALU_XOR, 8, zn_lower_int(l, n->a), -1));
    case OP_ADDR: return address_of(l, n);
    default: { /* OP_DEREF */
        struct zn_val p = zn_lower_expr(l, n->a);
        struct zn_val at = zn_deref(l, p);
        at.type = n->type;
        if (n->type->kind == T_STRUCT || n->type->kind == T_ARRAY)
            return at;
        if (zn_type_is_scalar(n->type))
            return zn_load(l, n->type, at, 0, 0);
        struct zn_mem m = zn_mem(l, zn_type_stored(n->type)); /* a variable's stored form */
        struct zn_val v = zn_vaddr(n->type, ZN_NOREG, 0, M_DIRECT);
        zn_mem_addr(l, m, &v.reg, &v.off);
        zn_read_bytes(l, at, v.reg, v.off, zn_type_stored(n->type));
        zn_mem_addr(l, m, &v.reg, &v.off);
        v.padded = true;
        return v;
    }
    }
}

static struct zn_val incdec(struct zn_lower *l, struct zn_node *n)
{
    if (n->a->kind == N_MAP)
        return zn_map_incdec(l, n);
    struct zn_varsym *v = n->a->sym;
    int64_t step = zn_pointee_size(v->type);
    zn_vreg old = zn_ir_vreg(l->f, ZN_V_SCALAR), now = zn_var_get(l, v);
    if (!n->num)
        zn_ir_mov_to(l->f, old, now);
    zn_var_set(l, v, zn_ir_alui(l->f, n->op == OP_INC ? ALU_ADD : ALU_SUB, 8, now, step));
    return zn_vreg_val(n->type, n->num ? zn_var_get(l, v) : old);
}

/* ---- choices ---- */

static struct zn_val ternary(struct zn_lower *l, struct zn_node *n)
{
    zn_block bt = zn_ir_block(l->f, "then"), bf = zn_ir_block(l->f, "else"),
             done = zn_ir_block(l->f, "join");
    bool mem = n->type->kind != T_NONE &&
               !(zn_type_is_scalar(n->type) || (n->type->kind == T_STR && n->type->interned));
    struct zn_mem m = {0};
    zn_vreg r = zn_ir_vreg(l->f, ZN_V_SCALAR), base = ZN_NOREG;
    int32_t off = 0;
    if (mem)
        m = zn_mem(l, zn_type_stored(n->type));
    zn_vreg cond = ZN_NOREG;
    if (n->a) {
        zn_lower_cond(l, n->c, bt, bf);
    } else {
        cond = zn_lower_int(l, n->c);
        zn_ir_bri(l->f, CMP_NE, 8, cond, 0, bt, bf);
    }
    for (int i = 0; i < 2; i++) {
        struct zn_node *arm = i ? n->b : n->a;
        zn_ir_at(l->f, i ? bf : bt);
        if (mem) {
            zn_mem_addr(l, m, &base, &off);
            zn_store_expr(l, arm ? arm : n->c, n->type, base, off, true);
        } else if (n->type->kind == T_NONE) {
            if (arm)
                zn_lower_expr(l, arm);
        } else {
            zn_ir_mov_to(l->f, r, arm ? zn_to_reg(l, zn_lower_expr(l, arm)) : cond);
        }
        if (!zn_ir_done(l->f))
            zn_ir_jmp(l->f, done);
    }
    zn_ir_at(l->f, done);
    if (n->type->kind == T_NONE)
        return zn_none();
    if (!mem)
        return zn_vreg_val(n->type, r);
    zn_mem_addr(l, m, &base, &off);
    struct zn_val v = zn_vaddr(n->type, base, off, M_DIRECT);
    v.padded = true;
    return v;
}

/* ---- members ---- */

static struct zn_val record_field(struct zn_node *n, struct zn_val a, const char *name, int64_t idx,
                                  struct zn_lower *l)
{
    struct zn_type *t = a.type;
    uint32_t i = (uint32_t)idx;
    if (name)
        for (i = 0; i < t->nfields && strcmp(t->fields[i].name, name) != 0; i++)
            ;
    if (i >= t->nfields) {
        zn_ir_fail(l->f, "no such element");
        return zn_vimm(n->type, 0);
    }
    struct zn_val v =
        zn_vaddr(t->fields[i].type, a.reg, a.off + (int32_t)t->fields[i].off, M_DIRECT);
    v.padded = true;
    if (zn_type_is_scalar(v.type) || (v.type->kind == T_STR && v.type->interned))
        return zn_vreg_val(v.type, zn_ir_ld(l->f, v.reg, v.off, 8, false));
    return v;
}

static struct zn_val field(struct zn_lower *l, struct zn_node *n)
{
    if (n->a->kind == N_IDENT && strcmp(n->a->name, "args") == 0)
        return zn_lower_args_field(l, n);
    struct zn_val a;
    if (n->a->kind == N_IDENT && strcmp(n->a->name, "curtask") == 0) {
        bool btf;
        a = zn_vreg_val(n->a->type, zn_current_task(l, &btf));
        a.btf = btf;
    } else {
        a = zn_lower_expr(l, n->a);
    }
    struct zn_type *t = a.type;
    if (t->kind == T_RECORD)
        return record_field(n, a, n->name, 0, l);
    if (t->kind == T_PTR)
        a = zn_deref(l, a);
    struct zn_field f;
    if (a.kind != V_ADDR || !zn_type_field(&l->cc->types, a.type, n->name, &f)) {
        zn_ir_fail(l->f, "cannot read field %s", n->name);
        return zn_vimm(n->type, 0);
    }
    return zn_struct_field(l, a, &f);
}

enum { MAX_OFF = 1 << 28 }; /* bytes: further away by arithmetic at run time */

/* a[i] in memory of ours: the verifier wants a bound it can see; beyond it there is 0. */
static struct zn_val direct_element(struct zn_lower *l, struct zn_val a, struct zn_type *et,
                                    zn_vreg i, uint32_t esz, uint32_t max)
{
    struct zn_ir_fn *f = l->f;
    zn_block in = zn_ir_block(f, "in"), done = zn_ir_block(f, "element");
    bool scalar = zn_type_is_scalar(et);
    zn_vreg r = zn_ir_vreg(f, ZN_V_SCALAR);
    struct zn_mem m = {0};
    zn_vreg base = ZN_NOREG;
    int32_t off = 0;
    if (scalar) {
        zn_ir_imm_to(f, r, 0);
    } else {
        m = zn_mem(l, ZN_ALIGN_UP(esz, 8u));
        zn_mem_addr(l, m, &base, &off);
        zn_zero(l, base, off, ZN_ALIGN_UP(esz, 8u));
    }
    zn_ir_bri(f, CMP_LT, 8, i, max, in, done);
    zn_ir_at(f, in);
    zn_vreg o = esz == 1 ? i : zn_ir_alui(f, ALU_MUL, 8, i, esz);
    zn_vreg q = zn_ir_padd(f, a.reg, o);
    struct zn_val at = zn_vaddr(et, q, a.off, M_DIRECT);
    if (scalar) {
        zn_ir_mov_to(f, r, zn_load(l, et, at, 0, 0).reg);
    } else {
        zn_mem_addr(l, m, &base, &off);
        zn_copy(l, base, off, q, a.off, esz);
    }
    zn_ir_jmp(f, done);
    zn_ir_at(f, done);
    if (scalar)
        return zn_vreg_val(et, r);
    zn_mem_addr(l, m, &base, &off);
    struct zn_val v = zn_vaddr(et, base, off, M_DIRECT);
    v.padded = true;
    return v;
}

static struct zn_val element(struct zn_lower *l, struct zn_node *n)
{
    struct zn_val a;
    if (zn_lower_sysarg_at(l, n, &a))
        return a;
    a = zn_lower_expr(l, n->a);
    struct zn_type *t = a.type;
    if (t->kind == T_PTR)
        a = zn_deref(l, a);
    if (t->kind == T_STR) {
        if (a.kind == V_IMM || a.kind == V_REG) {
            zn_ir_fail(l->f, "indexing a constant string is not supported yet");
            return zn_vimm(n->type, 0);
        }
        if (a.kind == V_COMM)
            a = zn_materialise(l, a, t);
    }
    uint32_t esz = t->kind == T_STR ? 1 : t->elem->size ? t->elem->size : 1;
    struct zn_type *et = t->kind == T_STR ? n->type : t->elem;
    int64_t c;
    struct zn_val at = a;
    at.padded = false;
    if (zn_const_int(l->cc, n->b, &c) && !__builtin_mul_overflow(c, (int64_t)esz, &c) &&
        c > -MAX_OFF && c < MAX_OFF) {
        at.off += (int32_t)c;
    } else {
        zn_vreg i = zn_lower_int(l, n->b);
        uint32_t max = t->kind == T_STR ? t->size : t->nelem;
        if (a.mem == M_DIRECT && max)
            return direct_element(l, a, et, i, esz, max);
        zn_vreg scaled = esz == 1 ? i : zn_ir_alui(l->f, ALU_MUL, 8, i, esz);
        if (at.mem == M_BTF)
            at.mem = M_KERNEL;
        at.reg = zn_ir_alu(l->f, ALU_ADD, 8, zn_ptr_add(l, a.reg, a.off), scaled);
        at.off = 0;
    }
    struct zn_field f = {.type = et};
    at.type = et;
    return zn_struct_field(l, at, &f);
}

/* ---- casts ---- */

static struct zn_val cast(struct zn_lower *l, struct zn_node *n)
{
    struct zn_type *t = n->type, *from = n->a->type;
    struct zn_val v = zn_lower_expr(l, n->a);
    if (from->kind == T_ARRAY && v.kind == V_ADDR && t->kind != T_ARRAY) {
        struct zn_type *w = zn_type_int(&l->cc->types, from->size, false);
        return zn_trunc(l, zn_load(l, w, v, 0, 0).reg, t);
    }
    if (t->kind == T_INT || t->kind == T_ENUM || t->kind == T_BOOL) {
        if (t->kind == T_BOOL) {
            zn_vreg r = zn_ir_vreg(l->f, ZN_V_SCALAR);
            zn_block yes = zn_ir_block(l->f, "true"), done = zn_ir_block(l->f, "bool");
            zn_ir_imm_to(l->f, r, 0);
            zn_ir_bri(l->f, CMP_NE, 8, zn_to_reg(l, v), 0, yes, done);
            zn_ir_at(l->f, yes);
            zn_ir_imm_to(l->f, r, 1);
            zn_ir_jmp(l->f, done);
            zn_ir_at(l->f, done);
            return zn_vreg_val(t, r);
        }
        return zn_trunc(l, zn_to_reg(l, v), t);
    }
    if (t->kind == T_PTR) {
        struct zn_val r = zn_vreg_val(t, zn_to_reg(l, v));
        enum zn_space sp = from->kind == T_PTR ? from->space : ZN_SPACE_NONE;
        if (sp != t->space && t->space == ZN_SPACE_NONE)
            r.type = zn_type_ptr(&l->cc->types, t->elem, sp);
        return r;
    }
    if (t->kind == T_ARRAY && v.kind != V_ADDR) {
        struct zn_mem m = zn_mem(l, 8);
        zn_vreg base;
        int32_t off;
        zn_mem_addr(l, m, &base, &off);
        zn_ir_st(l->f, base, off, 8, zn_to_reg(l, v));
        return zn_vaddr(t, base, off, M_DIRECT);
    }
    if (t->kind == T_STR && !(v.type->interned)) {
        v = zn_materialise(l, v, t);
        return v;
    }
    if (v.type->kind != T_STR)
        v.type = t;
    return v;
}

/* ---- tuples ---- */

static void store_elems(struct zn_lower *l, struct zn_node *n, struct zn_type *type, zn_vreg base,
                        int32_t off, bool pad)
{
    uint32_t i = 0;
    for (struct zn_node *e = n->list; e; e = e->next, i++) {
        struct zn_node *v = n->kind == N_RECORD ? e->a : e;
        uint32_t j = i;
        if (n->kind == N_RECORD)
            for (j = 0; j < type->nfields && strcmp(type->fields[j].name, e->name) != 0; j++)
                ;
        zn_store_expr(l, v, type->fields[j].type, base, off + (int32_t)type->fields[j].off, pad);
    }
}

/* The bytes of a string that differs by target, out of a table. */
static void store_target_str(struct zn_lower *l, struct zn_node *n, struct zn_type *type,
                             zn_vreg base, int32_t off)
{
    struct zn_ir_fn *f = l->f;
    uint32_t size = zn_type_stored(type);
    if (l->target_idx == ZN_NOREG) {
        zn_ir_fail(f, "which of the probe's targets fired is not known here");
        return;
    }
    uint32_t table = zn_rodata(l->cc, NULL, size * l->ntargets, 8);
    for (uint32_t i = 0; i < l->ntargets; i++) {
        const char *s = "";
        size_t len = 0;
        zn_const_str(l->cc, l->body, &l->targets[i], n, &s, &len);
        memcpy(l->cc->rodata + table + i * size, s, ZN_MIN(len, (size_t)type->size));
    }
    zn_block in = zn_ir_block(f, "index"), done = zn_ir_block(f, "name");
    zn_zero(l, base, off, size);
    zn_ir_bri(f, CMP_LT, 8, l->target_idx, l->ntargets, in, done);
    zn_ir_at(f, in);
    zn_vreg p = zn_ir_mapval(f, ZN_MAP_RODATA, (int32_t)table);
    zn_vreg o = zn_ir_alui(f, ALU_MUL, 8, l->target_idx, size);
    zn_vreg q = zn_ir_padd(f, p, o);
    zn_copy(l, base, off, q, 0, size);
    zn_ir_jmp(f, done);
    zn_ir_at(f, done);
}

void zn_store_expr(struct zn_lower *l, struct zn_node *n, struct zn_type *type, zn_vreg base,
                   int32_t off, bool pad)
{
    if ((n->kind == N_TUPLE || n->kind == N_RECORD) &&
        (type->kind == T_TUPLE || type->kind == T_RECORD)) {
        store_elems(l, n, type, base, off, pad);
        return;
    }
    bool bytes = type->kind == T_STR && !type->interned;
    if (bytes && (n->kind == N_TERNARY || n->kind == N_IF_EXPR) && n->type->interned)
        n->type = type;
    if (bytes && l->ntargets > 1 && n->type->kind == T_STR && n->type->interned &&
        zn_is_target_str(l->cc, n) && n->kind != N_STR) {
        store_target_str(l, n, type, base, off);
        return;
    }
    struct zn_marks m = zn_mem_mark(l);
    int64_t c;
    if (zn_type_is_scalar(type) && zn_const_int(l->cc, n, &c)) {
        zn_ir_sti(l->f, base, off, 8, c);
    } else {
        struct zn_val v = zn_lower_expr(l, n);
        if ((type->kind == T_TUPLE || type->kind == T_RECORD) && v.kind == V_ADDR &&
            !zn_type_equal(type, v.type)) {
            /* element types were widened: convert one by one */
            for (uint32_t i = 0; i < type->nfields; i++) {
                struct zn_val e = zn_vaddr(v.type->fields[i].type, v.reg,
                                           v.off + (int32_t)v.type->fields[i].off, M_DIRECT);
                e.padded = true;
                if (zn_type_is_scalar(e.type) || (e.type->kind == T_STR && e.type->interned))
                    e = zn_vreg_val(e.type, zn_ir_ld(l->f, e.reg, e.off, 8, false));
                zn_store_val(l, e, type->fields[i].type, base, off + (int32_t)type->fields[i].off,
                             pad);
            }
        } else {
            zn_store_val(l, v, type, base, off, pad);
        }
    }
    zn_mem_release(l, m);
}

static struct zn_val tuple(struct zn_lower *l, struct zn_node *n)
{
    struct zn_mem m = zn_mem(l, zn_type_stored(n->type));
    zn_vreg base;
    int32_t off;
    zn_mem_addr(l, m, &base, &off);
    store_elems(l, n, n->type, base, off, true);
    struct zn_val v = zn_vaddr(n->type, base, off, M_DIRECT);
    v.padded = true;
    return v;
}

static struct zn_val var(struct zn_lower *l, struct zn_node *n)
{
    struct zn_varsym *v = n->sym;
    if (zn_type_is_scalar(v->type))
        return zn_vreg_val(v->type, zn_var_get(l, v));
    struct zn_mem m = {v->mem & 1, v->mem >> 1};
    zn_vreg base;
    int32_t off;
    zn_mem_addr(l, m, &base, &off);
    struct zn_val r = zn_vaddr(v->type, base, off, M_DIRECT);
    r.padded = true;
    return r;
}

static struct zn_val block_expr(struct zn_lower *l, struct zn_node *n)
{
    zn_lower_stmts(l, n->list);
    return n->a ? zn_lower_expr(l, n->a) : zn_none();
}

static struct zn_val lower_expr(struct zn_lower *l, struct zn_node *n)
{
    int64_t c;
    if (n->type && zn_type_is_scalar(n->type) && zn_const_int(l->cc, n, &c))
        return zn_vimm(n->type, c);
    if (n->type && n->type->kind == T_STR && zn_is_target_str(l->cc, n))
        return zn_target_str(l, n);
    switch (n->kind) {
    case N_IDENT:
    case N_CALL: {
        const struct zn_builtin *b = n->sym;
        return b->lower(l, n);
    }
    case N_VAR: return var(l, n);
    case N_MAP: return zn_map_read(l, n);
    case N_UNARY: return unary(l, n);
    case N_INCDEC: return incdec(l, n);
    case N_BINARY: return binary(l, n);
    case N_TERNARY:
    case N_IF_EXPR: return ternary(l, n);
    case N_CAST: return cast(l, n);
    case N_FIELD: return field(l, n);
    case N_TUPLE_AT: return record_field(n, zn_lower_expr(l, n->a), NULL, n->num, l);
    case N_INDEX: return element(l, n);
    case N_TUPLE:
    case N_RECORD: return tuple(l, n);
    case N_BLOCK_EXPR: return block_expr(l, n);
    case N_COMPTIME: return zn_lower_expr(l, n->a);
    default: zn_ir_fail(l->f, "this expression is not supported yet"); return zn_vimm(n->type, 0);
    }
}

struct zn_val zn_lower_expr(struct zn_lower *l, struct zn_node *n)
{
    struct zn_pos save = l->f->pos;
    l->f->pos = n->pos;
    struct zn_val v = lower_expr(l, n);
    l->f->pos = save;
    return v;
}
