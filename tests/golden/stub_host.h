/* SPDX-License-Identifier: Apache-2.0 */
/* A machine for the compiler that is all data: its probes, symbols and kernel types. What a script
 * compiles to against it depends on nothing but the script. */
#pragma once

#include <stddef.h>

#include "lang/probe.h"

struct zn_arch;
struct zn_btf;

struct stub_machine {
    const struct zn_arch *arch; /* whose system call numbers the probes have */
    const struct zn_btf *btf;   /* or NULL */
};

/* A blob for zn_btf_open; the caller frees it. */
void *stub_btf(size_t *ret_len);

/* The machine's answers; m must outlive them. */
struct zn_host stub_host(const struct stub_machine *m);
