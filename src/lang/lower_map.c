/* SPDX-License-Identifier: Apache-2.0 */
/* Maps in lowered code: finding a value's place, reading, writing, aggregating, deleting.
 *
 * A place is where a value lies: a pointer into .data or to a hash map's value. Opening one leaves
 * the builder in the block where the pointer is valid; closing joins with the path where there is
 * none (a missing key that is only read, a full map). */
#include <string.h>

#include "base/mem.h"
#include "lang/lower.h"

enum { ANY = 0, NOEXIST = 1 };

struct place {
    zn_vreg p;
    int32_t off;
    zn_block done;
    const struct zn_map *map;
};

static const struct zn_map *image_map(struct zn_lower *l, struct zn_node *n, int *no)
{
    struct zn_mapsym *m = n->sym;
    *no = m->image_map;
    return &l->cc->img->maps[m->image_map];
}

/* this CPU's number as an index that the verifier can bound */
static zn_vreg cpu_index(struct zn_lower *l)
{
    zn_vreg cpu = zn_ir_call(l->f, H_get_smp_processor_id, ZN_V_SCALAR, 0);
    return zn_ir_alui(l->f, ALU_AND, 8, cpu, l->cc->img->ncpu - 1);
}

static zn_vreg data_ptr(struct zn_lower *l, const struct zn_map *m, zn_vreg index)
{
    uint32_t base = m->cell_off + (m->percpu ? l->cc->img->cpu_off : 0);
    zn_vreg p = zn_ir_mapval(l->f, ZN_MAP_DATA, (int32_t)base);
    struct zn_ir_fn *f = l->f;
    if (m->percpu && l->cc->img->ncpu > 1) {
        zn_vreg o = zn_ir_alui(f, ALU_MUL, 8, cpu_index(l), l->cc->img->cpu_stride);
        p = zn_ir_padd(f, p, o);
    }
    if (index != ZN_NOREG) {
        zn_vreg o = zn_ir_alui(f, ALU_MUL, 8, index, m->cell_stride);
        p = zn_ir_padd(f, p, o);
    }
    return p;
}

static zn_vreg build_key(struct zn_lower *l, const struct zn_map *m, struct zn_node *key)
{
    struct zn_mem mem = zn_mem(l, m->key_size);
    zn_vreg base;
    int32_t off;
    zn_mem_addr(l, mem, &base, &off);
    zn_store_expr(l, key, m->key, base, off, true);
    return zn_mem_ptr(l, mem);
}

/* Looks key up in hash map `no`; with create a missing key is inserted with zeroes. Leaves the
 * builder where p is valid and goes to miss otherwise. */
static void hash_place(struct zn_lower *l, int no, zn_vreg key, bool create, zn_vreg p,
                       zn_block hit, zn_block miss)
{
    struct zn_ir_fn *f = l->f;
    const struct zn_map *m = &l->cc->img->maps[no];
    zn_vreg r = zn_ir_call(f, H_map_lookup_elem, ZN_V_PTR, 2, zn_ir_map(f, no), key);
    zn_ir_mov_to(f, p, r);
    if (!create) {
        zn_ir_bri(f, CMP_NE, 8, p, 0, hit, miss);
        return;
    }
    zn_block fresh = zn_ir_block(f, "new key"), full = zn_ir_block(f, "full");
    f->blocks[fresh].cold = f->blocks[full].cold = true;
    zn_ir_bri(f, CMP_NE, 8, p, 0, hit, fresh);
    zn_ir_at(f, fresh);
    zn_vreg init;
    struct zn_marks mk = zn_mem_mark(l);
    if (m->val_size <= 32 && zn_ir_slot_fits(f, (int32_t)m->val_size)) {
        int32_t s = zn_ir_slot(f, (int32_t)ZN_ALIGN_UP(m->val_size, 8u));
        init = zn_ir_slotaddr(f, s, 0);
        zn_zero(l, init, 0, m->val_size);
    } else {
        init = zn_ir_mapval(f, ZN_MAP_RODATA, (int32_t)zn_rodata_zeroes(l->cc, m->val_size));
    }
    zn_ir_call(f, H_map_update_elem, ZN_V_SCALAR, 4, zn_ir_map(f, no), key, init,
               zn_ir_imm(f, NOEXIST));
    zn_mem_release(l, mk);
    r = zn_ir_call(f, H_map_lookup_elem, ZN_V_PTR, 2, zn_ir_map(f, no), key);
    zn_ir_mov_to(f, p, r);
    zn_ir_bri(f, CMP_NE, 8, p, 0, hit, full);
    zn_ir_at(f, full);
    zn_loss(l, ZL_FULL);
    zn_ir_jmp(f, miss);
}

static struct place place_open_key(struct zn_lower *l, struct zn_node *n, struct zn_node *key,
                                   bool create)
{
    struct zn_ir_fn *f = l->f;
    int no;
    const struct zn_map *m = image_map(l, n, &no);
    struct place pl = {.map = m, .done = zn_ir_block(f, "placed")};
    if (m->kind == ZM_CELL) {
        pl.p = data_ptr(l, m, ZN_NOREG);
        return pl;
    }
    zn_block hit = zn_ir_block(f, "hit");
    pl.p = zn_ir_vreg(f, ZN_V_PTR);
    if (m->kind == ZM_HASH) {
        hash_place(l, no, build_key(l, m, key), create, pl.p, hit, pl.done);
        zn_ir_at(f, hit);
        return pl;
    }
    zn_vreg k = zn_to_reg(l, zn_lower_expr(l, key));
    zn_block in = zn_ir_block(f, "in range"), beyond = pl.done;
    if (m->overflow >= 0)
        beyond = zn_ir_block(f, "beyond");
    zn_ir_bri(f, CMP_LT, 8, k, m->range_n, in, beyond);
    if (m->overflow >= 0) {
        f->blocks[beyond].cold = true;
        zn_ir_at(f, beyond);
        int32_t slot = zn_ir_slot(f, 8);
        zn_vreg kp = zn_ir_slotaddr(f, slot, 0);
        zn_ir_st(f, kp, 0, 8, k);
        hash_place(l, m->overflow, kp, create, pl.p, hit, pl.done);
    }
    zn_ir_at(f, in);
    /* Before 6.9 the comparison of a key that had to be spilled teaches the verifier nothing about
     * the next load of it; a mask does. */
    uint32_t mask = zn_pow2_up(m->range_n) - 1;
    zn_vreg p = data_ptr(l, m, zn_ir_alui(f, ALU_AND, 8, k, mask));
    zn_ir_mov_to(f, pl.p, p);
    zn_ir_jmp(f, hit);
    zn_ir_at(f, hit);
    return pl;
}

static struct place place_open(struct zn_lower *l, struct zn_node *n, bool create)
{
    return place_open_key(l, n, ZN_MAP_KEY(n), create);
}

static void touch(struct zn_lower *l, struct place *pl)
{
    if (pl->map->touch_off >= 0)
        zn_ir_sti(l->f, pl->p, pl->off + pl->map->touch_off, 8, 1);
}

static void place_close(struct zn_lower *l, struct place *pl)
{
    zn_ir_jmp(l->f, pl->done);
    zn_ir_at(l->f, pl->done);
}

/* ---- reading ---- */

static bool in_reg(const struct zn_type *t)
{
    return zn_type_is_scalar(t) || (t->kind == T_STR && t->interned);
}

zn_vreg zn_agg_value(struct zn_lower *l, const struct zn_type *t, zn_vreg p, int32_t off)
{
    struct zn_ir_fn *f = l->f;
    zn_vreg v = zn_ir_ld(f, p, off, 8, false);
    switch (t->kind) {
    case T_MIN:
        v = zn_ir_alui(f, ALU_XOR, 8, v, -1);
        return zn_ir_alui(f, ALU_XOR, 8, v, INT64_MIN);
    case T_MAX: return zn_ir_alui(f, ALU_XOR, 8, v, INT64_MIN);
    case T_AVG:
    case T_STATS: return zn_ir_alu(f, ALU_SDIV, 8, zn_ir_ld(f, p, off + 8, 8, false), v);
    default: return v;
    }
}

struct zn_val zn_map_read(struct zn_lower *l, struct zn_node *n)
{
    struct zn_ir_fn *f = l->f;
    struct zn_mapsym *s = n->sym;
    struct zn_type *t = s->value;
    if (in_reg(t) || zn_type_is_agg(t)) {
        zn_vreg r = zn_ir_vreg(f, ZN_V_SCALAR);
        zn_ir_imm_to(f, r, 0);
        struct place pl = place_open(l, n, false);
        zn_ir_mov_to(f, r,
                     zn_type_is_agg(t) ? zn_agg_value(l, t, pl.p, pl.off)
                                       : zn_ir_ld(f, pl.p, pl.off, 8, false));
        place_close(l, &pl);
        return zn_vreg_val(zn_type_is_agg(t) ? zn_type_int(&l->cc->types, 8, true) : t, r);
    }
    struct zn_mem m = zn_mem(l, zn_type_stored(t));
    zn_vreg base;
    int32_t off;
    zn_mem_addr(l, m, &base, &off);
    zn_zero(l, base, off, zn_type_stored(t));
    struct place pl = place_open(l, n, false);
    zn_mem_addr(l, m, &base, &off);
    zn_copy(l, base, off, pl.p, pl.off, zn_type_stored(t));
    place_close(l, &pl);
    zn_mem_addr(l, m, &base, &off);
    struct zn_val v = zn_vaddr(t, base, off, M_DIRECT);
    v.padded = true;
    return v;
}

zn_vreg zn_map_has(struct zn_lower *l, struct zn_node *map, struct zn_node *key)
{
    struct zn_ir_fn *f = l->f;
    zn_vreg r = zn_ir_vreg(f, ZN_V_SCALAR);
    zn_ir_imm_to(f, r, 0);
    struct place pl = place_open_key(l, map, key, false);
    if (pl.map->touch_off >= 0 && pl.map->kind != ZM_HASH)
        zn_ir_mov_to(f, r, zn_ir_ld(f, pl.p, pl.off + pl.map->touch_off, 8, false));
    else
        zn_ir_imm_to(f, r, 1);
    place_close(l, &pl);
    return r;
}

/* ---- writing ---- */

void zn_map_write(struct zn_lower *l, struct zn_node *map, struct zn_node *val)
{
    struct zn_ir_fn *f = l->f;
    int no;
    const struct zn_map *m = image_map(l, map, &no);
    if (m->kind == ZM_HASH) {
        struct zn_mem vm = zn_mem(l, m->val_size);
        zn_vreg base;
        int32_t off;
        zn_mem_addr(l, vm, &base, &off);
        zn_store_expr(l, val, m->value, base, off, true);
        zn_vreg key = build_key(l, m, ZN_MAP_KEY(map));
        zn_vreg r = zn_ir_call(f, H_map_update_elem, ZN_V_SCALAR, 4, zn_ir_map(f, no), key,
                               zn_mem_ptr(l, vm), zn_ir_imm(f, ANY));
        zn_block bad = zn_ir_block(f, "full"), ok = zn_ir_block(f, "stored");
        f->blocks[bad].cold = true;
        zn_ir_bri(f, CMP_NE, 8, r, 0, bad, ok);
        zn_ir_at(f, bad);
        zn_loss(l, ZL_FULL);
        zn_ir_jmp(f, ok);
        zn_ir_at(f, ok);
        return;
    }
    if (in_reg(m->value)) {
        zn_vreg v = zn_to_reg(l, zn_lower_expr(l, val));
        struct place pl = place_open(l, map, true);
        zn_ir_st(f, pl.p, pl.off, 8, v);
        touch(l, &pl);
        place_close(l, &pl);
        return;
    }
    struct zn_mem vm = zn_mem(l, zn_type_stored(m->value));
    zn_vreg base;
    int32_t off;
    zn_mem_addr(l, vm, &base, &off);
    zn_store_expr(l, val, m->value, base, off, true);
    struct place pl = place_open(l, map, true);
    zn_mem_addr(l, vm, &base, &off);
    zn_copy(l, pl.p, pl.off, base, off, zn_type_stored(m->value));
    touch(l, &pl);
    place_close(l, &pl);
}

static void add_atomic(struct zn_lower *l, zn_vreg p, int32_t off, zn_vreg v)
{
    zn_ir_atomic(l->f, AT_ADD, p, off, 8, v, ZN_NOREG);
}

/* As in `@m op val`. */
static enum zn_alu alu_for(enum zn_op op, const struct zn_node *map, const struct zn_node *val)
{
    const struct zn_type *t = map->type;
    bool sgn = !zn_op_unsigned(map, val);
    if (op == OP_SHR)
        sgn = sgn && t->kind == T_INT && t->sign;
    switch (op) {
    case OP_ADD: return ALU_ADD;
    case OP_SUB: return ALU_SUB;
    case OP_MUL: return ALU_MUL;
    case OP_DIV: return sgn ? ALU_SDIV : ALU_DIV;
    case OP_MOD: return sgn ? ALU_SMOD : ALU_MOD;
    case OP_AND: return ALU_AND;
    case OP_OR: return ALU_OR;
    case OP_XOR: return ALU_XOR;
    case OP_SHL: return ALU_SHL;
    default: return sgn ? ALU_SAR : ALU_SHR;
    }
}

void zn_map_update_op(struct zn_lower *l, struct zn_node *map, enum zn_op op, struct zn_node *val)
{
    struct zn_ir_fn *f = l->f;
    zn_vreg v = zn_lower_int(l, val);
    uint32_t step = zn_pointee_size(((struct zn_mapsym *)map->sym)->value);
    if (step != 1)
        v = zn_ir_alui(f, ALU_MUL, 8, v, step);
    struct place pl = place_open(l, map, true);
    if (op == OP_ADD) {
        add_atomic(l, pl.p, pl.off, v);
    } else if (op == OP_SUB) {
        add_atomic(l, pl.p, pl.off, zn_ir_neg(f, v));
    } else {
        zn_vreg old = zn_ir_ld(f, pl.p, pl.off, 8, false);
        zn_ir_st(f, pl.p, pl.off, 8, zn_ir_alu(f, alu_for(op, map, val), 8, old, v));
    }
    touch(l, &pl);
    place_close(l, &pl);
}

struct zn_val zn_map_incdec(struct zn_lower *l, struct zn_node *n)
{
    struct zn_ir_fn *f = l->f;
    int64_t step = zn_pointee_size(((struct zn_mapsym *)n->a->sym)->value);
    zn_vreg r = zn_ir_vreg(f, ZN_V_SCALAR), by = zn_ir_imm(f, n->op == OP_INC ? step : -step);
    zn_ir_imm_to(f, r, 0);
    struct place pl = place_open(l, n->a, true);
    bool used = !n->implied; /* a statement of its own needs no result */
    if (!used) {
        add_atomic(l, pl.p, pl.off, by);
    } else {
        zn_vreg old;
        if (zn_has(l->cc, ZF_ATOMIC_FETCH)) {
            old = zn_ir_atomic(f, AT_FETCH_ADD, pl.p, pl.off, 8, by, ZN_NOREG);
        } else {
            old = zn_ir_ld(f, pl.p, pl.off, 8, false);
            add_atomic(l, pl.p, pl.off, by);
        }
        if (n->num)
            zn_ir_mov_to(f, r, zn_ir_alui(f, n->op == OP_INC ? ALU_ADD : ALU_SUB, 8, old, step));
        else
            zn_ir_mov_to(f, r, old);
    }
    touch(l, &pl);
    place_close(l, &pl);
    return zn_vreg_val(n->type, r);
}

/* ---- aggregations ---- */

/* Raises the word at p to at least v (unsigned). Stored so, min is a max of the complement. */
static void raise_to(struct zn_lower *l, zn_vreg p, int32_t off, zn_vreg v)
{
    struct zn_ir_fn *f = l->f;
    zn_block done = zn_ir_block(f, "raised");
    int tries = zn_has(l->cc, ZF_ATOMIC_FETCH) ? 4 : 1;
    for (int i = 0; i < tries; i++) {
        zn_block higher = zn_ir_block(f, "higher");
        zn_vreg cur = zn_ir_ld(f, p, off, 8, false);
        zn_ir_br(f, CMP_GT, 8, v, cur, higher, done);
        zn_ir_at(f, higher);
        if (tries == 1) {
            zn_ir_st(f, p, off, 8, v);
            break;
        }
        zn_block again = zn_ir_block(f, "again");
        f->blocks[again].cold = true;
        zn_vreg old = zn_ir_atomic(f, AT_CMPXCHG, p, off, 8, v, cur);
        zn_ir_br(f, CMP_EQ, 8, old, cur, done, again);
        zn_ir_at(f, again);
    }
    if (tries > 1)
        zn_loss(l, ZL_NESTED);
    zn_ir_jmp(f, done);
    zn_ir_at(f, done);
}

/* zn_hist_bucket() as code: the position of the highest bit by halving, then k bits below it. */
static zn_vreg hist_bucket(struct zn_lower *l, zn_vreg v, unsigned k)
{
    struct zn_ir_fn *f = l->f;
    zn_vreg idx = zn_ir_vreg(f, ZN_V_SCALAR);
    zn_block done = zn_ir_block(f, "bucket"), pos = zn_ir_block(f, "not negative"),
             big = zn_ir_block(f, "log"), neg = zn_ir_block(f, "negative"),
             small = zn_ir_block(f, "small");
    zn_ir_bri(f, CMP_SGE, 8, v, 0, pos, neg);
    zn_ir_at(f, neg);
    zn_ir_imm_to(f, idx, 0);
    zn_ir_jmp(f, done);
    zn_ir_at(f, pos);
    zn_ir_bri(f, CMP_LT, 8, v, 1LL << k, small, big);
    zn_ir_at(f, small);
    zn_ir_mov_to(f, idx, zn_ir_alui(f, ALU_ADD, 8, v, 1));
    zn_ir_jmp(f, done);
    zn_ir_at(f, big);
    zn_vreg e = zn_ir_vreg(f, ZN_V_SCALAR), x = zn_ir_vreg(f, ZN_V_SCALAR);
    zn_ir_imm_to(f, e, 0);
    zn_ir_mov_to(f, x, v);
    for (int s = 32; s; s /= 2) {
        zn_block up = zn_ir_block(f, "up"), next = zn_ir_block(f, "next");
        zn_ir_bri(f, CMP_GE, 8, x, 1LL << s, up, next);
        zn_ir_at(f, up);
        zn_ir_mov_to(f, e, zn_ir_alui(f, ALU_ADD, 8, e, s));
        zn_ir_mov_to(f, x, zn_ir_alui(f, ALU_SHR, 8, x, s));
        zn_ir_jmp(f, next);
        zn_ir_at(f, next);
    }
    if (k == 0) {
        zn_ir_mov_to(f, idx, zn_ir_alui(f, ALU_ADD, 8, e, 2));
    } else {
        /* 1 + 2^k + (e - k) * 2^k + ((v >> (e - k)) - 2^k) */
        zn_vreg d = zn_ir_alui(f, ALU_SUB, 8, e, k);
        d = zn_ir_alui(f, ALU_AND, 8, d, 63);
        zn_vreg low = zn_ir_alu(f, ALU_SHR, 8, v, d);
        zn_vreg r = zn_ir_alu(f, ALU_ADD, 8, zn_ir_alui(f, ALU_SHL, 8, d, k), low);
        zn_ir_mov_to(f, idx, zn_ir_alui(f, ALU_ADD, 8, r, 1));
    }
    zn_ir_jmp(f, done);
    zn_ir_at(f, done);
    return idx;
}

static void bump_bucket(struct zn_lower *l, zn_vreg p, int32_t off, zn_vreg idx, uint32_t n,
                        zn_vreg by)
{
    struct zn_ir_fn *f = l->f;
    zn_block in = zn_ir_block(f, "bump"), done = zn_ir_block(f, "bumped");
    zn_ir_bri(f, CMP_LT, 8, idx, n, in, done);
    zn_ir_at(f, in);
    zn_vreg o = zn_ir_alui(f, ALU_SHL, 8, idx, 3);
    zn_vreg q = zn_ir_padd(f, p, o);
    add_atomic(l, q, off, by);
    zn_ir_jmp(f, done);
    zn_ir_at(f, done);
}

static zn_vreg lhist_bucket(struct zn_lower *l, zn_vreg v, const struct zn_type *t)
{
    struct zn_ir_fn *f = l->f;
    zn_vreg idx = zn_ir_vreg(f, ZN_V_SCALAR);
    zn_block below = zn_ir_block(f, "below"), ge = zn_ir_block(f, "from lo"),
             above = zn_ir_block(f, "above"), in = zn_ir_block(f, "within"),
             done = zn_ir_block(f, "bucket");
    zn_ir_bri(f, CMP_SLT, 8, v, t->lo, below, ge);
    zn_ir_at(f, below);
    zn_ir_imm_to(f, idx, 0);
    zn_ir_jmp(f, done);
    zn_ir_at(f, ge);
    zn_ir_bri(f, CMP_SGE, 8, v, t->hi, above, in);
    zn_ir_at(f, above);
    zn_ir_imm_to(f, idx, zn_lhist_buckets(t->lo, t->hi, t->step) - 1);
    zn_ir_jmp(f, done);
    zn_ir_at(f, in);
    zn_vreg d = zn_ir_alui(f, ALU_DIV, 8, zn_ir_alui(f, ALU_SUB, 8, v, t->lo), t->step);
    zn_ir_mov_to(f, idx, zn_ir_alui(f, ALU_ADD, 8, d, 1));
    zn_ir_jmp(f, done);
    zn_ir_at(f, done);
    return idx;
}

void zn_map_aggregate(struct zn_lower *l, struct zn_node *map, struct zn_node *call)
{
    struct zn_ir_fn *f = l->f;
    struct zn_mapsym *s = map->sym;
    struct zn_type *t = s->value;
    struct zn_node *arg = zn_arg(call, 0);
    zn_vreg v = arg ? zn_lower_int(l, arg) : ZN_NOREG, idx = ZN_NOREG;
    if (t->kind == T_HIST)
        idx = hist_bucket(l, v, t->size);
    else if (t->kind == T_LHIST)
        idx = lhist_bucket(l, v, t);
    else if (t->kind == T_MAX || t->kind == T_MIN)
        v = zn_ir_alui(f, ALU_XOR, 8, v, INT64_MIN);
    if (t->kind == T_MIN)
        v = zn_ir_alui(f, ALU_XOR, 8, v, -1);
    struct place pl = place_open(l, map, true);
    zn_vreg one = ZN_NOREG;
    if (t->kind != T_SUM && t->kind != T_MIN && t->kind != T_MAX)
        one = zn_ir_imm(f, 1);
    switch (t->kind) {
    case T_COUNT: add_atomic(l, pl.p, pl.off, one); break;
    case T_SUM: add_atomic(l, pl.p, pl.off, v); break;
    case T_MIN:
    case T_MAX:
        raise_to(l, pl.p, pl.off, v);
        zn_ir_sti(f, pl.p, pl.off + 8, 8, 1);
        break;
    case T_AVG:
    case T_STATS:
        add_atomic(l, pl.p, pl.off + 8, v);
        add_atomic(l, pl.p, pl.off, one);
        break;
    case T_HIST: bump_bucket(l, pl.p, pl.off, idx, zn_hist_buckets(t->size), one); break;
    case T_LHIST:
        bump_bucket(l, pl.p, pl.off, idx, zn_lhist_buckets(t->lo, t->hi, t->step), one);
        break;
    default: zn_ir_fail(f, "this aggregation is not supported yet");
    }
    touch(l, &pl);
    place_close(l, &pl);
}

/* ---- deleting ---- */

/* ret (or ZN_NOREG) becomes 1 when the key was there. */
void zn_map_delete(struct zn_lower *l, struct zn_node *map, struct zn_node *key, zn_vreg ret)
{
    struct zn_ir_fn *f = l->f;
    int no;
    const struct zn_map *m = image_map(l, map, &no);
    if (ret != ZN_NOREG)
        zn_ir_imm_to(f, ret, 0);
    if (m->kind == ZM_HASH) {
        zn_vreg r = zn_ir_call(f, H_map_delete_elem, ZN_V_SCALAR, 2, zn_ir_map(f, no),
                               build_key(l, m, key));
        if (ret == ZN_NOREG)
            return;
        zn_block was = zn_ir_block(f, "was there"), done = zn_ir_block(f, "deleted");
        zn_ir_bri(f, CMP_EQ, 8, r, 0, was, done);
        zn_ir_at(f, was);
        zn_ir_imm_to(f, ret, 1);
        zn_ir_jmp(f, done);
        zn_ir_at(f, done);
        return;
    }
    struct place pl = place_open_key(l, map, key, false);
    if (ret != ZN_NOREG && m->touch_off >= 0)
        zn_ir_mov_to(f, ret, zn_ir_ld(f, pl.p, pl.off + m->touch_off, 8, false));
    zn_zero(l, pl.p, pl.off, zn_type_stored(m->value));
    if (m->touch_off >= 0)
        zn_ir_sti(f, pl.p, pl.off + m->touch_off, 8, 0);
    place_close(l, &pl);
}
