/* SPDX-License-Identifier: Apache-2.0 */
/* Records to user space, and the counting of those that found no room. */
#include "base/mem.h"
#include "lang/lower.h"

enum { RB_NO_WAKEUP = 1, RB_FORCE_WAKEUP = 2, RB_PROD_POS = 3 };

void zn_loss(struct zn_lower *l, enum zn_loss kind)
{
    struct zn_ir_fn *f = l->f;
    uint32_t off = l->cc->img->loss_off + (l->body->probe_no * _ZL_MAX + kind) * 8;
    zn_vreg p = zn_ir_mapval(f, ZN_MAP_DATA, (int32_t)off);
    zn_ir_atomic(f, AT_ADD, p, 0, 8, zn_ir_imm(f, 1), ZN_NOREG);
}

struct zn_rec_out zn_rec_begin(struct zn_lower *l, uint32_t action, uint32_t size, bool ctl)
{
    struct zn_ir_fn *f = l->f;
    struct zn_rec_out o = {.ctl = ctl, .done = zn_ir_block(f, "recorded")};
    zn_block room = zn_ir_block(f, "room"), lost = zn_ir_block(f, "lost");
    f->blocks[lost].cold = true;
    l->cc->img->actions[action].size = size;
    zn_vreg pos = ZN_NOREG;
    if (ctl)
        pos = zn_ir_call(f, H_ringbuf_query, ZN_V_SCALAR, 2, zn_ir_map(f, ZN_MAP_RING),
                         zn_ir_imm(f, RB_PROD_POS));
    o.rec =
        zn_ir_call(f, H_ringbuf_reserve, ZN_V_PTR, 3, zn_ir_map(f, ctl ? ZN_MAP_CTL : ZN_MAP_RING),
                   zn_ir_imm(f, size), zn_ir_imm(f, 0));
    zn_ir_bri(f, CMP_NE, 8, o.rec, 0, room, lost);
    zn_ir_at(f, lost);
    zn_loss(l, ZL_RING);
    zn_ir_jmp(f, o.done);
    zn_ir_at(f, room);
    zn_ir_sti(f, o.rec, 0, 8, (int64_t)((uint64_t)l->body->probe_no << 32 | action));
    if (ctl)
        zn_ir_st(f, o.rec, 8, 8, pos);
    return o;
}

void zn_rec_end(struct zn_lower *l, struct zn_rec_out *o)
{
    struct zn_ir_fn *f = l->f;
    zn_ir_call(f, H_ringbuf_submit, ZN_V_SCALAR, 2, o->rec,
               zn_ir_imm(f, o->ctl ? RB_FORCE_WAKEUP : RB_NO_WAKEUP));
    zn_ir_jmp(f, o->done);
    zn_ir_at(f, o->done);
}
