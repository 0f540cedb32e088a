/* SPDX-License-Identifier: Apache-2.0 */
/* One program's instructions with its subprograms behind them and every reference filled in. */
#pragma once

#include <linux/bpf.h>
#include <stdint.h>

#include "lang/image.h"

struct zn_linked {
    struct bpf_insn *insns; /* owned */
    struct zn_pos *pos;     /* owned; per instruction */
    uint32_t n;
    /* The parts: first the program, then the subprograms that it reaches. part[i].sub is the
     * image's number of the subprogram, -1 for the program itself. */
    struct zn_linked_part {
        int32_t sub;
        uint32_t start, n;
    } * part; /* owned */
    uint32_t nparts;
};

/* map_fd: descriptor of each image map. Returns 0, -ENOMEM, or -EINVAL for a reference to
 * something that the image doesn't have. */
int zn_link_prog(const struct zn_image *img, const struct zn_code *main, const int *map_fd,
                 struct zn_linked *ret);
void zn_linked_fini(struct zn_linked *l);
