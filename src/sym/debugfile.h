/* SPDX-License-Identifier: Apache-2.0 */
/* Symbols that a package carries in a file of its own. */
#pragma once

#include <stdint.h>

#include "sym/elf.h"

/* Adds the symbols of the debug file that belongs to e (a stripped file found as `path` by process
 * tgid; 0: gone), if there is one. */
void zn_debug_load(struct zn_elf *e, const struct zn_elf_src *src, uint32_t tgid, const char *path,
                   uint64_t max_bytes);
