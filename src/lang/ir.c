/* SPDX-License-Identifier: Apache-2.0 */
/* Builders of the middle language: every emit call appends one instruction to the current block. */
#include "lang/ir.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/mem.h"

enum { SLOT_LIMIT = 256 };

struct zn_ir_fn *zn_ir_fn_new(struct zn_arena *arena, const char *name)
{
    struct zn_ir_fn *f = zn_arena_new(arena, struct zn_ir_fn);
    f->arena = arena;
    f->name = name;
    f->slot_limit = SLOT_LIMIT;
    f->cur = zn_ir_block(f, "entry");
    return f;
}

zn_vreg zn_ir_vreg(struct zn_ir_fn *f, enum zn_vclass cls)
{
    zn_arena_grow(f->arena, f->vregs, f->nvregs, f->capvregs);
    f->vregs[f->nvregs].cls = (uint8_t)cls;
    return (zn_vreg)f->nvregs++;
}

zn_block zn_ir_block(struct zn_ir_fn *f, const char *name)
{
    zn_arena_grow(f->arena, f->blocks, f->nblocks, f->capblocks);
    f->blocks[f->nblocks] = (struct zn_ir_block){.name = name};
    return (zn_block)f->nblocks++;
}

void zn_ir_at(struct zn_ir_fn *f, zn_block b)
{
    f->cur = b;
}

void zn_ir_fail(struct zn_ir_fn *f, const char *fmt, ...)
{
    if (f->error)
        return;
    va_list ap;
    va_start(ap, fmt);
    char buf[256];
    vsnprintf(buf, sizeof(buf), fmt, ap);
    va_end(ap);
    f->error = zn_arena_strdup(f->arena, buf);
    f->error_pos = f->pos;
}

static bool is_terminator(uint8_t op)
{
    return op == IR_JMP || op == IR_BR || op == IR_RET;
}

bool zn_ir_done(const struct zn_ir_fn *f)
{
    const struct zn_ir_block *b = &f->blocks[f->cur];
    return b->n && is_terminator(b->insns[b->n - 1].op);
}

int32_t zn_ir_slot(struct zn_ir_fn *f, int32_t size)
{
    size = ZN_ALIGN_UP(size, 8);
    if (!zn_ir_slot_fits(f, size)) {
        zn_ir_fail(f, "too much on the stack: %d bytes asked for, %d of %d left", size,
                   f->slot_limit - f->slot_used, f->slot_limit);
        return 0;
    }
    int32_t off = f->slot_used;
    f->slot_used += size;
    f->slot_peak = ZN_MAX(f->slot_peak, f->slot_used);
    return off;
}

bool zn_ir_slot_fits(const struct zn_ir_fn *f, int32_t size)
{
    return size >= 0 && size <= f->slot_limit &&
           f->slot_used + ZN_ALIGN_UP(size, 8) <= f->slot_limit;
}

int32_t zn_ir_slot_mark(const struct zn_ir_fn *f)
{
    return f->slot_used;
}

void zn_ir_slot_release(struct zn_ir_fn *f, int32_t mark)
{
    f->slot_used = mark;
}

/* What is emitted after an error or behind a terminator goes to an instruction nobody sees, so that
 * callers need not ask. */
struct zn_ir_insn *zn_ir_emit(struct zn_ir_fn *f, enum zn_ir_op op)
{
    struct zn_ir_insn *i;
    if (f->error || zn_ir_done(f)) {
        i = zn_arena_new(f->arena, struct zn_ir_insn);
    } else {
        struct zn_ir_block *b = &f->blocks[f->cur];
        zn_arena_grow(f->arena, b->insns, b->n, b->cap);
        i = &b->insns[b->n++];
    }
    *i = (struct zn_ir_insn){
        .op = (uint8_t)op,
        .w = 8,
        .dst = ZN_NOREG,
        .a = ZN_NOREG,
        .b = ZN_NOREG,
        .c = ZN_NOREG,
        .args = {ZN_NOREG, ZN_NOREG, ZN_NOREG, ZN_NOREG, ZN_NOREG},
        .t = -1,
        .f = -1,
        .pos = f->pos,
    };
    return i;
}

static struct zn_ir_insn *emit_dst(struct zn_ir_fn *f, enum zn_ir_op op, enum zn_vclass cls)
{
    struct zn_ir_insn *i = zn_ir_emit(f, op);
    i->dst = zn_ir_vreg(f, cls);
    return i;
}

static enum zn_vclass class_of(const struct zn_ir_fn *f, zn_vreg v)
{
    return v >= 0 && (uint32_t)v < f->nvregs ? (enum zn_vclass)f->vregs[v].cls : ZN_V_SCALAR;
}

zn_vreg zn_ir_imm(struct zn_ir_fn *f, int64_t imm)
{
    struct zn_ir_insn *i = emit_dst(f, IR_IMM, ZN_V_SCALAR);
    i->imm = imm;
    return i->dst;
}

void zn_ir_imm_to(struct zn_ir_fn *f, zn_vreg dst, int64_t imm)
{
    struct zn_ir_insn *i = zn_ir_emit(f, IR_IMM);
    i->dst = dst;
    i->imm = imm;
}

void zn_ir_mov_to(struct zn_ir_fn *f, zn_vreg dst, zn_vreg src)
{
    struct zn_ir_insn *i = zn_ir_emit(f, IR_MOV);
    i->dst = dst;
    i->a = src;
}

/* Pointer plus or minus something is a pointer; a difference of pointers is not. */
static enum zn_vclass alu_class(const struct zn_ir_fn *f, enum zn_alu op, int w, zn_vreg a,
                                zn_vreg b)
{
    if (w != 8 || (op != ALU_ADD && op != ALU_SUB))
        return ZN_V_SCALAR;
    bool pa = class_of(f, a) == ZN_V_PTR, pb = class_of(f, b) == ZN_V_PTR;
    return pa != pb ? ZN_V_PTR : ZN_V_SCALAR;
}

zn_vreg zn_ir_alu(struct zn_ir_fn *f, enum zn_alu op, int w, zn_vreg a, zn_vreg b)
{
    struct zn_ir_insn *i = emit_dst(f, IR_ALU, alu_class(f, op, w, a, b));
    i->sub = (uint8_t)op;
    i->w = (uint8_t)w;
    i->a = a;
    i->b = b;
    return i->dst;
}

zn_vreg zn_ir_alui(struct zn_ir_fn *f, enum zn_alu op, int w, zn_vreg a, int64_t imm)
{
    struct zn_ir_insn *i = emit_dst(f, IR_ALU, alu_class(f, op, w, a, ZN_NOREG));
    i->sub = (uint8_t)op;
    i->w = (uint8_t)w;
    i->a = a;
    i->imm = imm;
    return i->dst;
}

zn_vreg zn_ir_padd(struct zn_ir_fn *f, zn_vreg p, zn_vreg bytes)
{
    zn_vreg dst = zn_ir_vreg(f, ZN_V_PTR);
    struct zn_ir_insn *i = zn_ir_emit(f, IR_ALU);
    i->sub = ALU_ADD;
    i->w = 8;
    i->dst = dst;
    i->a = p;
    i->b = bytes;
    return dst;
}

zn_vreg zn_ir_neg(struct zn_ir_fn *f, zn_vreg a)
{
    struct zn_ir_insn *i = emit_dst(f, IR_NEG, ZN_V_SCALAR);
    i->a = a;
    return i->dst;
}

zn_vreg zn_ir_bswap(struct zn_ir_fn *f, zn_vreg a, int w)
{
    struct zn_ir_insn *i = emit_dst(f, IR_BSWAP, ZN_V_SCALAR);
    i->a = a;
    i->w = (uint8_t)w;
    return i->dst;
}

zn_vreg zn_ir_ld(struct zn_ir_fn *f, zn_vreg base, int32_t off, int w, bool sgn)
{
    struct zn_ir_insn *i = emit_dst(f, IR_LD, ZN_V_SCALAR);
    i->a = base;
    i->off = off;
    i->w = (uint8_t)w;
    i->sgn = sgn;
    return i->dst;
}

zn_vreg zn_ir_ldptr(struct zn_ir_fn *f, zn_vreg base, int32_t off)
{
    struct zn_ir_insn *i = emit_dst(f, IR_LD, ZN_V_PTR);
    i->a = base;
    i->off = off;
    return i->dst;
}

void zn_ir_st(struct zn_ir_fn *f, zn_vreg base, int32_t off, int w, zn_vreg val)
{
    struct zn_ir_insn *i = zn_ir_emit(f, IR_ST);
    i->a = base;
    i->b = val;
    i->off = off;
    i->w = (uint8_t)w;
}

void zn_ir_sti(struct zn_ir_fn *f, zn_vreg base, int32_t off, int w, int64_t imm)
{
    if (w == 8 && imm != (int32_t)imm) {
        zn_ir_st(f, base, off, w, zn_ir_imm(f, imm));
        return;
    }
    struct zn_ir_insn *i = zn_ir_emit(f, IR_ST);
    i->a = base;
    i->off = off;
    i->w = (uint8_t)w;
    i->imm = (int32_t)imm;
}

zn_vreg zn_ir_atomic(struct zn_ir_fn *f, enum zn_atomic op, zn_vreg base, int32_t off, int w,
                     zn_vreg val, zn_vreg cmp)
{
    struct zn_ir_insn *i = zn_ir_emit(f, IR_ATOMIC);
    i->sub = (uint8_t)op;
    i->w = (uint8_t)w;
    i->a = base;
    i->b = val;
    i->c = cmp;
    i->off = off;
    if (op >= AT_FETCH_ADD)
        i->dst = zn_ir_vreg(f, ZN_V_SCALAR);
    return i->dst;
}

static zn_vreg emit_call(struct zn_ir_fn *f, enum zn_ir_op op, int target, enum zn_vclass cls,
                         int nargs, va_list ap)
{
    struct zn_ir_insn *i = emit_dst(f, op, cls);
    i->imm = target;
    for (int n = 0; n < nargs && n < 5; n++) {
        zn_vreg v = va_arg(ap, zn_vreg);
        if (v == ZN_NOREG)
            break;
        i->args[i->nargs++] = v;
    }
    return i->dst;
}

zn_vreg zn_ir_call(struct zn_ir_fn *f, int helper, enum zn_vclass cls, int nargs, ...)
{
    va_list ap;
    va_start(ap, nargs);
    zn_vreg r = emit_call(f, IR_CALL, helper, cls, nargs, ap);
    va_end(ap);
    return r;
}

zn_vreg zn_ir_callsub(struct zn_ir_fn *f, int sub, int nargs, ...)
{
    va_list ap;
    va_start(ap, nargs);
    zn_vreg r = emit_call(f, IR_CALLSUB, sub, ZN_V_SCALAR, nargs, ap);
    va_end(ap);
    return r;
}

static zn_vreg emit_addr(struct zn_ir_fn *f, enum zn_ir_op op, int64_t imm, int32_t off)
{
    struct zn_ir_insn *i = emit_dst(f, op, ZN_V_PTR);
    i->imm = imm;
    i->off = off;
    return i->dst;
}

zn_vreg zn_ir_slotaddr(struct zn_ir_fn *f, int32_t slot, int32_t plus)
{
    return emit_addr(f, IR_SLOT, 0, slot + plus);
}

zn_vreg zn_ir_map(struct zn_ir_fn *f, int map)
{
    return emit_addr(f, IR_MAP, map, 0);
}

zn_vreg zn_ir_mapval(struct zn_ir_fn *f, int map, int32_t off)
{
    return emit_addr(f, IR_MAPVAL, map, off);
}

zn_vreg zn_ir_func(struct zn_ir_fn *f, int sub)
{
    return emit_addr(f, IR_FUNC, sub, 0);
}

zn_vreg zn_ir_ctx(struct zn_ir_fn *f)
{
    return emit_addr(f, IR_CTX, 0, 0);
}

zn_vreg zn_ir_arg(struct zn_ir_fn *f, int n, enum zn_vclass cls)
{
    struct zn_ir_insn *i = emit_dst(f, IR_ARG, cls);
    i->imm = n;
    return i->dst;
}

void zn_ir_jmp(struct zn_ir_fn *f, zn_block t)
{
    zn_ir_emit(f, IR_JMP)->t = t;
}

static struct zn_ir_insn *emit_br(struct zn_ir_fn *f, enum zn_cmp cmp, int w, zn_block t,
                                  zn_block fl)
{
    struct zn_ir_insn *i = zn_ir_emit(f, IR_BR);
    i->sub = (uint8_t)cmp;
    i->w = (uint8_t)w;
    i->t = t;
    i->f = fl;
    return i;
}

void zn_ir_br(struct zn_ir_fn *f, enum zn_cmp cmp, int w, zn_vreg a, zn_vreg b, zn_block t,
              zn_block fl)
{
    struct zn_ir_insn *i = emit_br(f, cmp, w, t, fl);
    i->a = a;
    i->b = b;
}

void zn_ir_bri(struct zn_ir_fn *f, enum zn_cmp cmp, int w, zn_vreg a, int64_t imm, zn_block t,
               zn_block fl)
{
    struct zn_ir_insn *i = emit_br(f, cmp, w, t, fl);
    i->a = a;
    i->imm = imm;
}

void zn_ir_ret(struct zn_ir_fn *f, int64_t imm)
{
    zn_ir_emit(f, IR_RET)->imm = imm;
}

void zn_ir_retv(struct zn_ir_fn *f, zn_vreg a)
{
    zn_ir_emit(f, IR_RET)->a = a;
}
