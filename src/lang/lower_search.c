/* SPDX-License-Identifier: Apache-2.0 */
/* strcontains(): straight search for one string in another.
 *
 * Two constants fold. A literal needle is compared byte by byte within a loop over the haystack, which
 * the verifier follows. Where both are only known at run time that would be too much to follow: each
 * start is one turn of a callback (bpf_loop), and only the comparison is a loop of its own. */
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "lang/lower.h"

enum { H_loop = 181 };

static zn_vreg const_needle(struct zn_lower *l, struct zn_val h, uint32_t size, const char *needle)
{
    struct zn_ir_fn *f = l->f;
    uint32_t len = (uint32_t)strlen(needle);
    zn_vreg r = zn_ir_vreg(f, ZN_V_SCALAR), i = zn_ir_vreg(f, ZN_V_SCALAR);
    zn_ir_imm_to(f, r, 0);
    if (len > size)
        return r;
    zn_block head = zn_ir_block(f, "search"), try = zn_ir_block(f, "try"),
             next = zn_ir_block(f, "step"), yes = zn_ir_block(f, "found"),
             done = zn_ir_block(f, "searched");
    zn_ir_imm_to(f, i, 0);
    zn_ir_jmp(f, head);
    zn_ir_at(f, head);
    zn_ir_bri(f, CMP_LE, 8, i, size - len, try, done);
    zn_ir_at(f, try);
    zn_vreg p = zn_ir_padd(f, zn_ptr_add(l, h.reg, h.off), i);
    for (uint32_t k = 0; k < len; k++) {
        zn_block more = k + 1 < len ? zn_ir_block(f, "match") : yes;
        zn_ir_bri(f, CMP_EQ, 8, zn_ir_ld(f, p, (int32_t)k, 1, false), (uint8_t)needle[k], more,
                  next);
        zn_ir_at(f, more);
    }
    if (!len)
        zn_ir_jmp(f, yes);
    zn_ir_at(f, yes);
    zn_ir_imm_to(f, r, 1);
    zn_ir_jmp(f, done);
    zn_ir_at(f, next);
    zn_ir_mov_to(f, i, zn_ir_alui(f, ALU_ADD, 8, i, 1));
    zn_ir_jmp(f, head);
    zn_ir_at(f, done);
    return r;
}

/* Where the two strings and the answer lie in scratch. */
struct search {
    int32_t hay, needle, found;
    uint32_t hay_size, needle_size; /* bytes */
};

static void fail_at_end(struct zn_ir_fn *f, zn_vreg at, uint32_t size, zn_block miss)
{
    zn_block in = zn_ir_block(f, "within");
    zn_ir_bri(f, CMP_LT, 8, at, size, in, miss);
    zn_ir_at(f, in);
}

/* callback(turn, frame): is the needle at haystack + turn? 1 ends the search. */
static int search_step(struct zn_lower *l, const struct search *s)
{
    struct zn_ir_fn *f = zn_ir_fn_new(l->cc->arena, "search");
    f->pos = l->f->pos;
    zn_vreg start = zn_ir_arg(f, 0, ZN_V_SCALAR), frame = zn_ir_arg(f, 1, ZN_V_PTR);
    zn_vreg scratch = zn_ir_ldptr(f, frame, 0), j = zn_ir_vreg(f, ZN_V_SCALAR);
    zn_block miss = zn_ir_block(f, "miss"), found = zn_ir_block(f, "found"),
             head = zn_ir_block(f, "compare"), more = zn_ir_block(f, "more"),
             same = zn_ir_block(f, "same");
    struct zn_lower sub = *l;
    sub.f = f;
    fail_at_end(f, start, s->hay_size, miss);
    zn_ir_imm_to(f, j, 0);
    zn_ir_jmp(f, head);
    zn_ir_at(f, head);
    zn_ir_bri(f, CMP_LT, 8, j, s->needle_size, more, found);
    zn_ir_at(f, more);
    zn_vreg n = zn_ir_ld(f, zn_ir_padd(f, zn_ptr_add(&sub, scratch, s->needle), j), 0, 1, false);
    zn_block byte = zn_ir_block(f, "byte");
    zn_ir_bri(f, CMP_EQ, 8, n, 0, found, byte);
    zn_ir_at(f, byte);
    zn_vreg at = zn_ir_alu(f, ALU_ADD, 8, start, j);
    fail_at_end(f, at, s->hay_size, miss);
    zn_vreg h = zn_ir_ld(f, zn_ir_padd(f, zn_ptr_add(&sub, scratch, s->hay), at), 0, 1, false);
    zn_ir_br(f, CMP_EQ, 8, h, n, same, miss);
    zn_ir_at(f, same);
    zn_ir_mov_to(f, j, zn_ir_alui(f, ALU_ADD, 8, j, 1));
    zn_ir_jmp(f, head);
    zn_ir_at(f, found);
    zn_ir_sti(f, scratch, s->found, 8, 1);
    zn_ir_ret(f, 1);
    zn_ir_at(f, miss);
    zn_ir_ret(f, 0);
    return zn_lower_sub(&sub);
}

static int32_t into_scratch(struct zn_lower *l, struct zn_node *n, uint32_t size)
{
    struct zn_mem m = zn_mem_scratch(l, size);
    zn_store_expr(l, n, zn_type_str(&l->cc->types, size, false), l->scratch, m.off, true);
    return m.off;
}

static uint32_t str_bytes(const struct zn_node *n)
{
    return n->type->interned ? ZN_MAX(n->type->size, 1u) : n->type->size;
}

static zn_vreg both_dynamic(struct zn_lower *l, struct zn_node *hay, struct zn_node *needle)
{
    struct zn_ir_fn *f = l->f;
    if (!zn_has(l->cc, ZF_BPF_LOOP)) {
        zn_ir_fail(f, "this kernel can search for a literal only (5.17 has bpf_loop)");
        return zn_ir_imm(f, 0);
    }
    struct search s = {.hay_size = str_bytes(hay), .needle_size = str_bytes(needle)};
    s.hay = into_scratch(l, hay, s.hay_size);
    s.needle = into_scratch(l, needle, s.needle_size);
    s.found = zn_mem_scratch(l, 8).off;
    int sub = search_step(l, &s);
    if (sub < 0)
        return zn_ir_imm(f, 0);
    zn_ir_sti(f, l->scratch, s.found, 8, 0);
    int32_t slot = zn_ir_slot(f, 8);
    zn_ir_st(f, zn_ir_slotaddr(f, slot, 0), 0, 8, l->scratch);
    zn_ir_call(f, H_loop, ZN_V_SCALAR, 4, zn_ir_imm(f, s.hay_size), zn_ir_func(f, sub),
               zn_ir_slotaddr(f, slot, 0), zn_ir_imm(f, 0));
    return zn_ir_ld(f, l->scratch, s.found, 8, false);
}

/* A string that is the same for every target of this program. */
static bool fixed_str(struct zn_lower *l, const struct zn_node *n, const char **s, size_t *len)
{
    return zn_is_target_str(l->cc, n) && (l->ntargets == 1 || n->kind == N_STR) &&
           zn_const_str(l->cc, l->body, &l->targets[0], n, s, len);
}

struct zn_val zn_lower_strcontains(struct zn_lower *l, struct zn_node *n)
{
    struct zn_node *hay = zn_arg(n, 0), *needle = zn_arg(n, 1);
    const char *h, *s;
    size_t hlen, slen;
    bool fixed = fixed_str(l, needle, &s, &slen);
    if (fixed && fixed_str(l, hay, &h, &hlen))
        return zn_vimm(n->type, memmem(h, hlen, s, slen) != NULL);
    if (!fixed)
        return zn_vreg_val(n->type, both_dynamic(l, hay, needle));
    uint32_t size = str_bytes(hay);
    struct zn_val v;
    if (hay->type->interned) { /* differs by target */
        struct zn_mem m = zn_mem_scratch(l, size);
        zn_store_expr(l, hay, zn_type_str(&l->cc->types, size, false), l->scratch, m.off, true);
        v = zn_vaddr(hay->type, l->scratch, m.off, M_DIRECT);
    } else {
        v = zn_lower_expr(l, hay);
        size = v.kind == V_COMM ? 16 : size;
        v = zn_materialise(l, v, zn_type_str(&l->cc->types, size, false));
    }
    const char *z = zn_arena_strndup(l->cc->arena, s, slen);
    zn_vreg r = const_needle(l, v, size, z);
    return zn_vreg_val(n->type, r);
}
