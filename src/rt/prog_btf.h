/* SPDX-License-Identifier: Apache-2.0 */
/* Type information of one program: its functions and the script's lines, so that callbacks are allowed
 * and the verifier's log quotes the script. */
#pragma once

#include <linux/bpf.h>

#include "base/arena.h"
#include "rt/link.h"

struct zn_prog_btf {
    struct zn_arena arena;
    int fd; /* the kernel's BTF object, -1: none */
    const struct bpf_func_info *funcs;
    const struct bpf_line_info *lines;
    uint32_t nfuncs, nlines;
};

/* Whether the kernel demands type information: a program with callbacks. */
bool zn_prog_btf_needed(const struct zn_image *img, const struct zn_code *main,
                        const struct zn_linked *code);
/* Loads it. A failure leaves fd at -1: the program is then loaded without. */
void zn_prog_btf_open(struct zn_prog_btf *b, const struct zn_image *img, const struct zn_prog *p,
                      const struct zn_linked *code);
void zn_prog_btf_close(struct zn_prog_btf *b);
