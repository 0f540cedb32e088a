/* SPDX-License-Identifier: Apache-2.0 */
/* Memory in lowered code: temporary objects, copies, loads from every sort of address. */
#include <string.h>

#include "base/mem.h"
#include "lang/lower.h"

enum { SMALL_BYTES = 64 }; /* larger objects go to scratch */

zn_vreg zn_ctx(struct zn_lower *l)
{
    return l->ctx_reg != ZN_NOREG ? l->ctx_reg : zn_ir_ctx(l->f);
}

struct zn_mem zn_mem(struct zn_lower *l, uint32_t size)
{
    size = ZN_ALIGN_UP(size, 8u);
    if (size <= SMALL_BYTES && zn_ir_slot_fits(l->f, (int32_t)size))
        return (struct zn_mem){false, zn_ir_slot(l->f, (int32_t)size)};
    return zn_mem_scratch(l, size);
}

struct zn_mem zn_mem_scratch(struct zn_lower *l, uint32_t size)
{
    size = ZN_ALIGN_UP(size, 8u);
    struct zn_mem m = {true, (int32_t)l->scratch_top};
    l->scratch_top += size;
    if (l->scratch_top > l->scratch_peak)
        l->scratch_peak = l->scratch_top;
    if (l->scratch_top > 60000)
        zn_ir_fail(l->f, "the values of this probe need more than 60000 bytes of memory");
    if (l->scratch == ZN_NOREG)
        l->scratch = zn_ir_vreg(l->f, ZN_V_PTR);
    return m;
}

void zn_mem_addr(struct zn_lower *l, struct zn_mem m, zn_vreg *base, int32_t *off)
{
    if (m.scratch) {
        *base = l->scratch;
        *off = m.off;
    } else {
        *base = zn_ir_slotaddr(l->f, m.off, 0);
        *off = 0;
    }
}

zn_vreg zn_ptr_add(struct zn_lower *l, zn_vreg base, int32_t off)
{
    if (!off)
        return base;
    zn_vreg r = zn_ir_vreg(l->f, ZN_V_PTR);
    struct zn_ir_insn *i = zn_ir_emit(l->f, IR_ALU);
    i->sub = ALU_ADD;
    i->w = 8;
    i->dst = r;
    i->a = base;
    i->b = ZN_NOREG;
    i->imm = off;
    return r;
}

zn_vreg zn_mem_ptr(struct zn_lower *l, struct zn_mem m)
{
    if (!m.scratch)
        return zn_ir_slotaddr(l->f, m.off, 0);
    return zn_ptr_add(l, l->scratch, m.off);
}

struct zn_marks zn_mem_mark(struct zn_lower *l)
{
    return (struct zn_marks){zn_ir_slot_mark(l->f), l->scratch_top};
}

void zn_mem_release(struct zn_lower *l, struct zn_marks m)
{
    zn_ir_slot_release(l->f, m.slot);
    l->scratch_top = m.scratch;
}

/* Zero-fills; a long run by a read from address 0, which fails and zero-fills in one call. */
void zn_zero(struct zn_lower *l, zn_vreg base, int32_t off, uint32_t bytes)
{
    if (bytes <= 128) {
        uint32_t i = 0;
        for (; i + 8 <= bytes; i += 8)
            zn_ir_sti(l->f, base, off + (int32_t)i, 8, 0);
        for (; i < bytes; i++)
            zn_ir_sti(l->f, base, off + (int32_t)i, 1, 0);
        return;
    }
    zn_vreg p = zn_ptr_add(l, base, off);
    zn_ir_call(l->f, H_probe_read_kernel, ZN_V_SCALAR, 3, p, zn_ir_imm(l->f, bytes),
               zn_ir_imm(l->f, 0));
}

void zn_copy(struct zn_lower *l, zn_vreg dst, int32_t doff, zn_vreg src, int32_t soff,
             uint32_t bytes)
{
    uint32_t most = 8; /* bytes a move: the stack wants them aligned; bases are, by 8 */
    while ((uint32_t)(doff | soff) & (most - 1))
        most /= 2;
    if (bytes > 16 * most) {
        zn_vreg d = zn_ptr_add(l, dst, doff), s = zn_ptr_add(l, src, soff);
        zn_ir_call(l->f, H_probe_read_kernel, ZN_V_SCALAR, 3, d, zn_ir_imm(l->f, bytes), s);
        return;
    }
    uint32_t i = 0;
    for (uint32_t w = most; w; w /= 2)
        for (; i + w <= bytes; i += w)
            zn_ir_st(l->f, dst, doff + (int32_t)i, (int)w,
                     zn_ir_ld(l->f, src, soff + (int32_t)i, (int)w, false));
}

enum zn_mem_sort zn_default_sort(struct zn_lower *l)
{
    switch (l->body->provider) {
    case ZP_UPROBE:
    case ZP_URETPROBE:
    case ZP_USDT: return M_USER;
    case ZP_WATCHPOINT: return l->targets[0].value >> 63 ? M_KERNEL : M_USER;
    case ZP_TRACEPOINT:
        if (l->ntargets && l->targets[0].module && strstr(l->targets[0].module, "syscalls"))
            return M_USER;
        return M_KERNEL;
    default: return M_KERNEL;
    }
}

void zn_read_bytes(struct zn_lower *l, struct zn_val v, zn_vreg base, int32_t off, uint32_t bytes)
{
    if (v.mem == M_DIRECT) {
        zn_copy(l, base, off, v.reg, v.off, bytes);
        return;
    }
    zn_vreg d = zn_ptr_add(l, base, off), s = zn_ptr_add(l, v.reg, v.off);
    zn_ir_call(l->f, v.mem == M_USER ? H_probe_read_user : H_probe_read_kernel, ZN_V_SCALAR, 3, d,
               zn_ir_imm(l->f, bytes), s);
}

struct zn_val zn_trunc(struct zn_lower *l, zn_vreg r, struct zn_type *t)
{
    if ((t->kind == T_INT || t->kind == T_ENUM) && t->size < 8) {
        int64_t sh = 64 - 8 * (int64_t)t->size;
        if (t->sign)
            r = zn_ir_alui(l->f, ALU_SAR, 8, zn_ir_alui(l->f, ALU_SHL, 8, r, sh), sh);
        else if (t->size == 4)
            r = zn_ir_alui(l->f, ALU_ADD, 4, r, 0);
        else
            r = zn_ir_alui(l->f, ALU_AND, 8, r, (1LL << (8 * t->size)) - 1);
    } else if (t->kind == T_BOOL) {
        r = zn_ir_alui(l->f, ALU_AND, 8, r, 0xff);
    }
    return zn_vreg_val(t, r);
}

static struct zn_val bitfield(struct zn_lower *l, zn_vreg word, struct zn_type *t, unsigned bit_off,
                              unsigned bits)
{
    /* little endian: the field's lowest bit is bit bit_off of the word */
    zn_vreg r = zn_ir_alui(l->f, ALU_SHL, 8, word, 64 - (int64_t)(bit_off + bits));
    r = zn_ir_alui(l->f, ALU_SHR, 8, r, 64 - (int64_t)bits); /* without sign, as bpftrace */
    return zn_vreg_val(t, r);
}

static int scalar_width(const struct zn_type *t)
{
    switch (t->kind) {
    case T_INT:
    case T_ENUM: return (int)t->size;
    case T_BOOL: return 1;
    default: return 8;
    }
}

struct zn_val zn_load(struct zn_lower *l, struct zn_type *t, struct zn_val a, uint8_t bit_off,
                      uint8_t bits)
{
    int w = scalar_width(t);
    if (bits) { /* as many bytes as the field touches, read as one word */
        int bytes = (bit_off + bits + 7) / 8;
        w = bytes <= 1 ? 1 : bytes <= 2 ? 2 : bytes <= 4 ? 4 : 8;
    }
    if (w != 1 && w != 2 && w != 4 && w != 8) {
        zn_ir_fail(l->f, "a value of %d bytes cannot be read as a number", w);
        return zn_vimm(t, 0);
    }
    bool sgn = !bits && (t->kind == T_INT || t->kind == T_ENUM) && t->sign;
    zn_vreg r;
    if (a.mem == M_DIRECT || (a.mem == M_BTF && !bits && !t->user_tag)) {
        bool ptr = t->kind == T_PTR && a.mem == M_BTF && t->elem && t->elem->kind == T_STRUCT &&
                   t->elem->btf_id;
        r = ptr ? zn_ir_ldptr(l->f, a.reg, a.off) : zn_ir_ld(l->f, a.reg, a.off, w, sgn);
        struct zn_val v = zn_vreg_val(t, r);
        v.btf = ptr;
        return bits ? bitfield(l, r, t, bit_off, bits) : v;
    }
    struct zn_marks m = zn_mem_mark(l);
    struct zn_mem tmp = zn_mem(l, 8);
    zn_vreg base;
    int32_t off;
    zn_mem_addr(l, tmp, &base, &off);
    zn_read_bytes(l, a, base, off, (uint32_t)w);
    r = zn_ir_ld(l->f, base, off, w, sgn);
    zn_mem_release(l, m);
    if (bits)
        return bitfield(l, r, t, bit_off, bits);
    return zn_vreg_val(t, r);
}

struct zn_val zn_deref(struct zn_lower *l, struct zn_val ptr)
{
    struct zn_type *t = ptr.type->kind == T_PTR ? ptr.type->elem : ptr.type;
    enum zn_mem_sort sort = zn_default_sort(l);
    if (ptr.type->kind == T_PTR && (ptr.type->user_tag || ptr.type->space == ZN_SPACE_USER))
        sort = M_USER;
    else if (ptr.type->kind == T_PTR && ptr.type->space == ZN_SPACE_KERNEL)
        sort = M_KERNEL;
    if (ptr.kind == V_REG && ptr.btf)
        sort = M_BTF;
    return zn_vaddr(t, zn_to_reg(l, ptr), 0, sort);
}

/* A member of the struct at addr: loaded when it is a scalar, else its address. */
struct zn_val zn_struct_field(struct zn_lower *l, struct zn_val addr, const struct zn_field *f)
{
    struct zn_val at = addr;
    at.off += (int32_t)f->off;
    at.type = f->type;
    at.padded = false;
    switch (f->type->kind) {
    case T_STRUCT:
    case T_VOID: return at;
    case T_ARRAY:
        if (f->type->elem && f->type->elem->is_char && f->type->nelem)
            at.type = zn_type_str(&l->cc->types, zn_char_array_cap(f->type), false);
        return at;
    default: {
        struct zn_val v = zn_load(l, f->type, at, f->bit_off, f->bits);
        if (f->type->kind == T_PTR && f->type->space == ZN_SPACE_NONE && !f->type->user_tag) {
            /* pointers in kernel memory point to the kernel, those in user memory to the user */
            struct zn_type *t = zn_type_ptr(&l->cc->types, f->type->elem,
                                            addr.mem == M_USER ? ZN_SPACE_USER : ZN_SPACE_KERNEL);
            if (addr.mem != M_DIRECT)
                v.type = t;
        }
        return v;
    }
    }
}

zn_vreg zn_to_reg(struct zn_lower *l, struct zn_val v)
{
    switch (v.kind) {
    case V_REG: return v.reg;
    case V_IMM: return zn_ir_imm(l->f, v.imm);
    case V_ADDR:
        if (v.type &&
            (v.type->kind == T_ARRAY || v.type->kind == T_STRUCT || v.type->kind == T_STR))
            return zn_ptr_add(l, v.reg, v.off);
        return zn_load(l, v.type, v, 0, 0).reg;
    default: zn_ir_fail(l->f, "this value is not a number"); return zn_ir_imm(l->f, 0);
    }
}

static void store_const_str(struct zn_lower *l, const char *s, zn_vreg base, int32_t off,
                            uint32_t cap)
{
    size_t len = strlen(s);
    uint32_t size = ZN_ALIGN_UP(cap, 8u);
    if (len > cap)
        len = cap;
    uint32_t i = 0;
    for (; i < len; i += 8) {
        uint64_t w = 0;
        memcpy(&w, s + i, ZN_MIN((size_t)8, len - i));
        zn_ir_sti(l->f, base, off + (int32_t)i, 8, (int64_t)w);
    }
    if (i < size)
        zn_zero(l, base, off + (int32_t)i, size - i);
}

/* Counts a string that could not be read, and one of str() that fills its place (full_bytes): it was
 * longer. */
static void account_read(struct zn_lower *l, zn_vreg got, uint32_t full_bytes)
{
    struct zn_ir_fn *f = l->f;
    zn_block done = zn_ir_block(f, "read"), bad = zn_ir_block(f, "unread"),
             ok = full_bytes ? zn_ir_block(f, "got") : done;
    f->blocks[bad].cold = true;
    zn_ir_bri(f, CMP_SLT, 8, got, 0, bad, ok);
    zn_ir_at(f, bad);
    zn_loss(l, ZL_UNREAD);
    zn_ir_jmp(f, done);
    if (full_bytes) {
        zn_block cut = zn_ir_block(f, "cut");
        f->blocks[cut].cold = true;
        zn_ir_at(f, ok);
        zn_ir_bri(f, CMP_EQ, 8, got, full_bytes, cut, done);
        zn_ir_at(f, cut);
        zn_loss(l, ZL_TRUNC);
        zn_ir_jmp(f, done);
    }
    zn_ir_at(f, done);
}

static void store_str(struct zn_lower *l, struct zn_val v, struct zn_type *type, zn_vreg base,
                      int32_t off, bool pad)
{
    uint32_t size = ZN_ALIGN_UP(type->size, 8u);
    switch (v.kind) {
    case V_IMM: store_const_str(l, l->cc->img->strings[v.imm], base, off, type->size); return;
    case V_COMM: /* kernels around 6.1 leave the bytes behind the end as they were */
        zn_zero(l, base, off, size);
        zn_ir_call(l->f, H_get_current_comm, ZN_V_SCALAR, 2, zn_ptr_add(l, base, off),
                   zn_ir_imm(l->f, ZN_MIN(size, 16u)));
        return;
    case V_ADDR: {
        uint32_t have = ZN_ALIGN_UP(v.type->size, 8u);
        if (v.mem == M_DIRECT && v.padded) {
            zn_copy(l, base, off, v.reg, v.off, ZN_MIN(have, size));
            if (have < size)
                zn_zero(l, base, off + (int32_t)have, size - have);
            return;
        }
        /* a char array need not be terminated, so at most its bytes plus the end */
        uint32_t n = ZN_MIN(type->size, v.type->size);
        if (pad)
            zn_zero(l, base, off, size);
        else if (size > n)
            zn_zero(l, base, off + (int32_t)(n & ~7u), size - (n & ~7u));
        zn_vreg d = zn_ptr_add(l, base, off), s = zn_ptr_add(l, v.reg, v.off);
        zn_vreg got =
            zn_ir_call(l->f, v.mem == M_USER ? H_probe_read_user_str : H_probe_read_kernel_str,
                       ZN_V_SCALAR, 3, d, zn_ir_imm(l->f, n), s);
        if (!v.type->interned && v.mem != M_DIRECT)
            account_read(l, got, v.type->size == l->cc->config.max_strlen + 1 ? n : 0);
        return;
    }
    default: zn_ir_fail(l->f, "this string cannot be stored here: not supported yet");
    }
}

void zn_store_val(struct zn_lower *l, struct zn_val v, struct zn_type *type, zn_vreg base,
                  int32_t off, bool pad)
{
    uint32_t stored = zn_type_stored(type);
    switch (type->kind) {
    case T_STR:
        if (type->interned)
            zn_ir_st(l->f, base, off, 8, zn_to_reg(l, v));
        else
            store_str(l, v, type, base, off, pad);
        return;
    case T_ARRAY:
    case T_STRUCT:
        if (v.kind != V_ADDR) { /* an integer cast to an array of bytes */
            zn_ir_st(l->f, base, off, 8, zn_to_reg(l, v));
            return;
        }
        if (type->size & 7)
            zn_ir_sti(l->f, base, off + (int32_t)stored - 8, 8, 0);
        zn_read_bytes(l, v, base, off, type->size);
        return;
    case T_INT:
    case T_BOOL:
    case T_ENUM:
    case T_PTR:
    case T_KSYM:
    case T_KSTACK:
    case T_MAC:
    case T_TIMESTAMP:
    case T_CGPATH:
    case T_STRERROR:
    case T_USERNAME:
    case T_SYSCALL:
    case T_SIGNAME: zn_ir_st(l->f, base, off, 8, zn_to_reg(l, v)); return;
    default:
        if (v.kind != V_ADDR) {
            zn_ir_fail(l->f, "this value cannot be stored");
            return;
        }
        if (v.type && zn_type_stored(v.type) < stored && type->kind == T_BUF) {
            uint32_t have = zn_type_stored(v.type);
            zn_zero(l, base, off + (int32_t)have, stored - have);
            stored = have;
        }
        zn_copy(l, base, off, v.reg, v.off, stored);
    }
}

struct zn_val zn_materialise(struct zn_lower *l, struct zn_val v, struct zn_type *type)
{
    if (v.kind == V_ADDR && v.mem == M_DIRECT && v.padded && v.type->size >= type->size)
        return v;
    struct zn_mem m = zn_mem(l, zn_type_stored(type));
    zn_vreg base;
    int32_t off;
    zn_mem_addr(l, m, &base, &off);
    zn_store_val(l, v, type, base, off, true);
    struct zn_val r = zn_vaddr(type, base, off, M_DIRECT);
    r.padded = true;
    return r;
}
