/* SPDX-License-Identifier: Apache-2.0 */
/* arm64: offsets are those of the kernel's struct pt_regs, calls follow AAPCS64. */
#include <stddef.h>

#include "arch/arch.h"
#include "base/mem.h"

#define X(n) ((n)*8)

enum { SP = 248, PC = 256, PSTATE = 264, ORIG_X0 = 272, SYSCALLNO = 280 };

static const struct zn_reg regs[] = {
    {"r0", X(0)},   {"r1", X(1)},   {"r2", X(2)},   {"r3", X(3)},       {"r4", X(4)},
    {"r5", X(5)},   {"r6", X(6)},   {"r7", X(7)},   {"r8", X(8)},       {"r9", X(9)},
    {"r10", X(10)}, {"r11", X(11)}, {"r12", X(12)}, {"r13", X(13)},     {"r14", X(14)},
    {"r15", X(15)}, {"r16", X(16)}, {"r17", X(17)}, {"r18", X(18)},     {"r19", X(19)},
    {"r20", X(20)}, {"r21", X(21)}, {"r22", X(22)}, {"r23", X(23)},     {"r24", X(24)},
    {"r25", X(25)}, {"r26", X(26)}, {"r27", X(27)}, {"r28", X(28)},     {"r29", X(29)},
    {"r30", X(30)}, {"sp", SP},     {"pc", PC},     {"pstate", PSTATE},
};

static const struct zn_syscall syscalls[] = {
#include "syscalls_arm64.inc"
};

const struct zn_arch zn_arch_arm64 = {
    .name = "arm64",
    .arg_off = {X(0), X(1), X(2), X(3), X(4), X(5), X(6), X(7)},
    .nargs = 8,
    .nsysargs = 6,
    .sysarg_off = {ORIG_X0, X(1), X(2), X(3), X(4), X(5)}, /* x0 becomes the result */
    .sysnr_off = SYSCALLNO,
    .sysnr_width = 4,
    .ret_off = X(0),
    .ip_off = PC,
    .sp_off = SP,
    .fp_off = X(29),
    .stack_arg_off = 0,
    .regs = regs,
    .nregs = ZN_ARRAY_SIZE(regs),
    .syscalls = syscalls,
    .nsyscalls = ZN_ARRAY_SIZE(syscalls),
    .max_nr = 472,
    .compat_field = "flags",
    .compat_mask = 1ULL << 22, /* TIF_32BIT */
    .audit_name = "aarch64",
};
