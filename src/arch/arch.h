/* SPDX-License-Identifier: Apache-2.0 */
/* What depends on the processor, as one table each: registers of arguments and results in struct
 * pt_regs, system call numbers, compat flags. */
#pragma once

#include <stdint.h>

struct zn_syscall {
    int16_t nr;
    uint8_t nargs;
    const char *entry; /* X of the tracepoint sys_enter_X: the entry point's name; NULL: it has
                        * none (numbers that were never used or long given up) */
    const char *name;  /* the call's name as strace and syscall_name() show it */
};

struct zn_reg {
    const char *name; /* as reg("…") spells it */
    uint16_t off;     /* bytes into struct pt_regs */
};

struct zn_arch {
    const char *name;   /* "x86_64", "arm64" */
    int16_t arg_off[8]; /* function arguments in registers: offset into pt_regs, -1 none */
    uint8_t nargs;
    uint8_t nsysargs;      /* 6 */
    int16_t sysarg_off[6]; /* system call arguments in pt_regs */
    int16_t sysnr_off;     /* the call's number (orig_ax; arm64 syscallno) */
    uint8_t sysnr_width;   /* bytes: 8, 4 */
    int16_t ret_off, ip_off, sp_off, fp_off;
    int16_t stack_arg_off; /* first stack argument, from sp at function entry */
    const struct zn_reg *regs;
    unsigned nregs;
    const struct zn_syscall *syscalls; /* sorted by nr */
    unsigned nsyscalls;
    unsigned max_nr; /* largest number + 1 */
    /* compat test: (task->thread_info.FIELD & mask) != 0 */
    const char *compat_field; /* "status", "flags" */
    uint64_t compat_mask;
    uint8_t audit_name[16];
};

extern const struct zn_arch zn_arch_x86_64, zn_arch_arm64;
const struct zn_arch *zn_arch_native(void);
/* By tracepoint name part ("read" of sys_enter_read) / by number; NULL when unknown. */
const struct zn_syscall *zn_syscall_by_entry(const struct zn_arch *a, const char *entry);
const struct zn_syscall *zn_syscall_by_nr(const struct zn_arch *a, int nr);
