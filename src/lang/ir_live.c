/* SPDX-License-Identifier: Apache-2.0 */
/* Which vregs are alive where a block begins and ends. */
#include <string.h>

#include "base/arena.h"
#include "lang/back.h"

static void set_bit(uint64_t *w, int32_t bit)
{
    w[bit / 64] |= 1ULL << (bit % 64);
}

static bool has_bit(const uint64_t *w, int32_t bit)
{
    return w[bit / 64] >> (bit % 64) & 1;
}

/* A vreg read in a block that has not written it before passes a border and gets a bit. */
static void find_globals(struct zn_arena *a, const struct zn_ir_fn *f, const struct zn_cfg *cfg,
                         struct zn_live *live)
{
    int32_t *defined = zn_arena_array(a, int32_t, f->nvregs + 1); /* block + 1 of the last def */
    zn_vreg *use[5];
    for (uint32_t k = 0; k < cfg->n; k++) {
        const struct zn_ir_block *b = &f->blocks[cfg->rpo[k]];
        for (uint32_t n = 0; n < b->n; n++) {
            for (int u = zn_ir_uses(&b->insns[n], use); u > 0; u--) {
                zn_vreg v = *use[u - 1];
                if (v < 0 || defined[v] == cfg->rpo[k] + 1 || live->bit[v] >= 0)
                    continue;
                live->bit[v] = (int32_t)live->nglobal;
                live->vreg[live->nglobal++] = v;
            }
            if (b->insns[n].dst >= 0)
                defined[b->insns[n].dst] = cfg->rpo[k] + 1;
        }
    }
}

/* in: read before written; def: written. */
static void local_sets(const struct zn_ir_block *b, const struct zn_live *live, uint64_t *in,
                       uint64_t *def)
{
    zn_vreg *use[5];
    for (uint32_t n = 0; n < b->n; n++) {
        for (int u = zn_ir_uses(&b->insns[n], use); u > 0; u--) {
            int32_t bit = *use[u - 1] < 0 ? -1 : live->bit[*use[u - 1]];
            if (bit >= 0 && !has_bit(def, bit))
                set_bit(in, bit);
        }
        if (b->insns[n].dst >= 0 && live->bit[b->insns[n].dst] >= 0)
            set_bit(def, live->bit[b->insns[n].dst]);
    }
}

void zn_live_build(struct zn_arena *a, const struct zn_ir_fn *f, const struct zn_cfg *cfg,
                   struct zn_live *ret)
{
    *ret = (struct zn_live){
        .bit = zn_arena_array(a, int32_t, f->nvregs + 1),
        .vreg = zn_arena_array(a, zn_vreg, f->nvregs + 1),
    };
    memset(ret->bit, 0xff, sizeof(int32_t) * f->nvregs);
    find_globals(a, f, cfg, ret);
    uint32_t words = ret->words = (ret->nglobal + 63) / 64;
    ret->in = zn_arena_array(a, uint64_t, (size_t)words * f->nblocks);
    ret->out = zn_arena_array(a, uint64_t, (size_t)words * f->nblocks);
    uint64_t *def = zn_arena_array(a, uint64_t, (size_t)words * f->nblocks);
    for (uint32_t k = 0; k < cfg->n; k++) {
        size_t at = (size_t)cfg->rpo[k] * words;
        local_sets(&f->blocks[cfg->rpo[k]], ret, ret->in + at, def + at);
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t k = cfg->n; k-- > 0;) {
            size_t at = (size_t)cfg->rpo[k] * words;
            zn_block s[2];
            int ns = zn_ir_succs(&f->blocks[cfg->rpo[k]], s);
            for (uint32_t w = 0; w < words; w++) {
                uint64_t out = 0;
                for (int n = 0; n < ns; n++)
                    out |= ret->in[(size_t)s[n] * words + w];
                uint64_t in = ret->in[at + w] | (out & ~def[at + w]);
                changed |= in != ret->in[at + w];
                ret->in[at + w] = in;
                ret->out[at + w] = out;
            }
        }
    }
}
