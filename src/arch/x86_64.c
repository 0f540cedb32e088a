/* SPDX-License-Identifier: Apache-2.0 */
/* x86-64: offsets are those of the kernel's struct pt_regs, calls follow the System V ABI. */
#include <stddef.h>

#include "arch/arch.h"
#include "base/mem.h"

enum {
    R15 = 0,
    R14 = 8,
    R13 = 16,
    R12 = 24,
    BP = 32,
    BX = 40,
    R11 = 48,
    R10 = 56,
    R9 = 64,
    R8 = 72,
    AX = 80,
    CX = 88,
    DX = 96,
    SI = 104,
    DI = 112,
    ORIG_AX = 120,
    IP = 128,
    CS = 136,
    FLAGS = 144,
    SP = 152,
    SS = 160,
};

static const struct zn_reg regs[] = {
    {"r15", R15},     {"r14", R14}, {"r13", R13}, {"r12", R12},         {"bp", BP}, {"bx", BX},
    {"r11", R11},     {"r10", R10}, {"r9", R9},   {"r8", R8},           {"ax", AX}, {"cx", CX},
    {"dx", DX},       {"si", SI},   {"di", DI},   {"orig_ax", ORIG_AX}, {"ip", IP}, {"cs", CS},
    {"flags", FLAGS}, {"sp", SP},   {"ss", SS},
};

static const struct zn_syscall syscalls[] = {
#include "syscalls_x86_64.inc"
};

const struct zn_arch zn_arch_x86_64 = {
    .name = "x86_64",
    .arg_off = {DI, SI, DX, CX, R8, R9, -1, -1},
    .nargs = 6,
    .nsysargs = 6,
    .sysarg_off = {DI, SI, DX, R10, R8, R9},
    .sysnr_off = ORIG_AX,
    .sysnr_width = 8,
    .ret_off = AX,
    .ip_off = IP,
    .sp_off = SP,
    .fp_off = BP,
    .stack_arg_off = 8, /* above the return address */
    .regs = regs,
    .nregs = ZN_ARRAY_SIZE(regs),
    .syscalls = syscalls,
    .nsyscalls = ZN_ARRAY_SIZE(syscalls),
    .max_nr = 472,
    .compat_field = "status",
    .compat_mask = 0x2, /* TS_COMPAT: the call came by int $0x80 or from a 32-bit program */
    .audit_name = "x86_64",
};
