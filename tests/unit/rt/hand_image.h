/* SPDX-License-Identifier: Apache-2.0 */
/* A small image written by hand: one program that runs from user space (as BEGIN), counts in a cell and
 * in a hash, sends a data record `{ value, comm }` and, if asked, exit(3). */
#pragma once

#include <linux/bpf.h>
#include <stdbool.h>
#include <string.h>

#include "lang/compile.h"
#include "lang/image.h"

#define INSN(c, d, s, o, i) \
    ((struct bpf_insn){.code = (c), .dst_reg = (d), .src_reg = (s), .off = (o), .imm = (i)})
#define MOV_REG(d, s)       INSN(BPF_ALU64 | BPF_MOV | BPF_X, d, s, 0, 0)
#define MOV_IMM(d, i)       INSN(BPF_ALU64 | BPF_MOV | BPF_K, d, 0, 0, i)
#define ST_IMM(sz, d, o, i) INSN(BPF_ST | BPF_MEM | (sz), d, 0, o, i)
#define STX(sz, d, s, o)    INSN(BPF_STX | BPF_MEM | (sz), d, s, o, 0)
#define ADD_IMM(d, i)       INSN(BPF_ALU64 | BPF_ADD | BPF_K, d, 0, 0, i)
#define CALL(f)             INSN(BPF_JMP | BPF_CALL, 0, 0, 0, f)
#define JEQ(d, i, o)        INSN(BPF_JMP | BPF_JEQ | BPF_K, d, 0, o, i)
#define EXIT()              INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0)
#define ATOMIC_ADD(d, s, o) INSN(BPF_STX | BPF_ATOMIC | BPF_DW, d, s, o, BPF_ADD)

enum { HAND_CELL = 16 + 8 * _ZL_MAX, HAND_REC = 8 + 8 + 16, HAND_CTL = 16 + 8 };

struct hand {
    struct bpf_insn insns[128];
    struct zn_pos pos[128];
    struct zn_reloc relocs[16];
    uint32_t n, nrelocs;
    struct zn_type t_count, t_int, t_str;
    struct zn_action_arg args[2];
    struct zn_action actions[2];
    struct zn_map maps[6];
    struct zn_prog prog;
    struct zn_image img;
    struct zn_config cfg;
};

static inline void hand_emit(struct hand *h, struct bpf_insn in)
{
    h->pos[h->n] = (struct zn_pos){0, 5};
    h->insns[h->n++] = in;
}

static inline void hand_ld64(struct hand *h, enum zn_reloc_kind kind, int reg, int target, int off)
{
    h->relocs[h->nrelocs++] = (struct zn_reloc){kind, h->n, target};
    hand_emit(h, INSN(BPF_LD | BPF_IMM | BPF_DW, reg, 0, 0, 0));
    hand_emit(h, INSN(0, 0, 0, 0, off));
}

/* r6 = reserve(map, size) or jump over `skip` instructions. */
static inline void hand_reserve(struct hand *h, int map, int size, int skip)
{
    hand_ld64(h, RL_MAP, 1, map, 0);
    hand_emit(h, MOV_IMM(2, size));
    hand_emit(h, MOV_IMM(3, 0));
    hand_emit(h, CALL(BPF_FUNC_ringbuf_reserve));
    hand_emit(h, JEQ(0, 0, skip));
    hand_emit(h, MOV_REG(6, 0));
}

static inline void hand_submit(struct hand *h)
{
    hand_emit(h, MOV_REG(1, 6));
    hand_emit(h, MOV_IMM(2, BPF_RB_NO_WAKEUP));
    hand_emit(h, CALL(BPF_FUNC_ringbuf_submit));
}

static inline void hand_code(struct hand *h, bool exits, int times)
{
    hand_emit(h, MOV_IMM(7, times));
    uint32_t top = h->n;
    hand_ld64(h, RL_MAPVAL, 1, ZN_MAP_DATA, HAND_CELL);
    hand_emit(h, MOV_IMM(2, 1));
    hand_emit(h, ATOMIC_ADD(1, 2, 0));
    /* hash[7] = 9 */
    hand_emit(h, ST_IMM(BPF_DW, 10, -8, 7));
    hand_emit(h, ST_IMM(BPF_DW, 10, -16, 9));
    hand_ld64(h, RL_MAP, 1, 5, 0);
    hand_emit(h, MOV_REG(2, 10));
    hand_emit(h, ADD_IMM(2, -8));
    hand_emit(h, MOV_REG(3, 10));
    hand_emit(h, ADD_IMM(3, -16));
    hand_emit(h, MOV_IMM(4, 0));
    hand_emit(h, CALL(BPF_FUNC_map_update_elem));
    hand_reserve(h, ZN_MAP_RING, HAND_REC, 10);
    hand_emit(h, ST_IMM(BPF_DW, 6, 0, 0));
    hand_emit(h, ST_IMM(BPF_DW, 6, 8, 42));
    hand_emit(h, MOV_REG(1, 6));
    hand_emit(h, ADD_IMM(1, 16));
    hand_emit(h, MOV_IMM(2, 16));
    hand_emit(h, CALL(BPF_FUNC_get_current_comm));
    hand_submit(h);
    hand_emit(h, ADD_IMM(7, -1));
    hand_emit(h, INSN(BPF_JMP | BPF_JNE | BPF_K, 7, 0, (int16_t)((int)top - (int)h->n - 1), 0));
    if (exits) {
        hand_ld64(h, RL_MAP, 1, ZN_MAP_RING, 0);
        hand_emit(h, MOV_IMM(2, BPF_RB_PROD_POS));
        hand_emit(h, CALL(BPF_FUNC_ringbuf_query));
        hand_emit(h, MOV_REG(8, 0));
        hand_reserve(h, ZN_MAP_CTL, HAND_CTL, 8);
        hand_emit(h, ST_IMM(BPF_W, 6, 0, 1));
        hand_emit(h, ST_IMM(BPF_W, 6, 4, 0));
        hand_emit(h, STX(BPF_DW, 6, 8, 8));
        hand_emit(h, ST_IMM(BPF_DW, 6, 16, 3));
        hand_submit(h);
    }
    hand_emit(h, MOV_IMM(0, 0));
    hand_emit(h, EXIT());
}

static inline void hand_maps(struct hand *h)
{
    static const char zeroes[64];
    h->maps[ZN_MAP_DATA] = (struct zn_map){.name = ".data",
                                           .bpf_type = BPF_MAP_TYPE_ARRAY,
                                           .key_size = 4,
                                           .val_size = 4096,
                                           .max_entries = 1,
                                           .flags = BPF_F_MMAPABLE};
    h->maps[ZN_MAP_RODATA] = (struct zn_map){.name = ".rodata",
                                             .bpf_type = BPF_MAP_TYPE_ARRAY,
                                             .key_size = 4,
                                             .val_size = sizeof(zeroes),
                                             .max_entries = 1,
                                             .flags = BPF_F_RDONLY_PROG,
                                             .init = zeroes};
    h->maps[ZN_MAP_RING] =
        (struct zn_map){.name = ".ring", .bpf_type = BPF_MAP_TYPE_RINGBUF, .max_entries = 1 << 20};
    h->maps[ZN_MAP_CTL] =
        (struct zn_map){.name = ".ctl", .bpf_type = BPF_MAP_TYPE_RINGBUF, .max_entries = 1 << 16};
    h->maps[4] = (struct zn_map){.name = "@n",
                                 .kind = ZM_CELL,
                                 .cell_off = HAND_CELL,
                                 .touch_off = -1,
                                 .overflow = -1,
                                 .value = &h->t_count};
    h->maps[5] = (struct zn_map){.name = "@h",
                                 .kind = ZM_HASH,
                                 .bpf_type = BPF_MAP_TYPE_HASH,
                                 .key_size = 8,
                                 .val_size = 8,
                                 .max_entries = 64,
                                 .touch_off = -1,
                                 .overflow = -1,
                                 .key = &h->t_int,
                                 .value = &h->t_int};
}

static inline void hand_image(struct hand *h, bool exits, int times)
{
    memset(h, 0, sizeof(*h));
    h->t_count = (struct zn_type){.kind = T_COUNT, .size = 8};
    h->t_int = (struct zn_type){.kind = T_INT, .size = 8, .sign = true};
    h->t_str = (struct zn_type){.kind = T_STR, .size = 16};
    h->args[0] = (struct zn_action_arg){&h->t_int, 8};
    h->args[1] = (struct zn_action_arg){&h->t_str, 16};
    h->actions[0] = (struct zn_action){.kind = ZA_PRINTF,
                                       .fmt = "%d %s\n",
                                       .fmt_len = 6,
                                       .args = h->args,
                                       .nargs = 2,
                                       .map = -1,
                                       .size = HAND_REC};
    h->actions[1] = (struct zn_action){.kind = ZA_EXIT, .map = -1, .size = HAND_CTL};
    hand_maps(h);
    hand_code(h, exits, times);
    h->prog = (struct zn_prog){.name = "begin",
                               .prog_type = BPF_PROG_TYPE_RAW_TRACEPOINT,
                               .how = ZH_NONE,
                               .provider = ZP_BEGIN,
                               .code = {.insns = h->insns,
                                        .n = h->n,
                                        .pos = h->pos,
                                        .relocs = h->relocs,
                                        .nrelocs = h->nrelocs}};
    static __typeof__(*h->img.probes) probe = {"BEGIN", {0, 5}};
    h->img = (struct zn_image){.src = {"stdin", "BEGIN { }", 9},
                               .progs = &h->prog,
                               .nprogs = 1,
                               .maps = h->maps,
                               .nmaps = 6,
                               .actions = h->actions,
                               .nactions = 2,
                               .nprobes = 1,
                               .nattached = 1,
                               .loss_off = 16,
                               .cpu_off = 4096,
                               .ncpu = 1,
                               .ncpu_possible = 2};
    h->img.probes = (void *)&probe;
    h->cfg = (struct zn_config){.max_cat_bytes = 10240,
                                .print_maps_on_exit = true,
                                .str_trunc_trailer = "..",
                                .license = "GPL"};
}
