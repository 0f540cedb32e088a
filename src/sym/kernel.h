/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel's own names, read on first use. */
#pragma once

#include <stdint.h>

#include "sym/sym.h"

struct zn_kernel_syms;

struct zn_kernel_syms *zn_kernel_syms_new(void);
void zn_kernel_syms_free(struct zn_kernel_syms *k);
int zn_kernel_syms_find(struct zn_kernel_syms *k, uint64_t addr, struct zn_sym_name *ret);
