/* SPDX-License-Identifier: Apache-2.0 */
/* cmocka with its prerequisites in their order, and what the tests of this room share. */
#pragma once

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/mem.h"
#include "base/str.h"
#include "kern/sysinfo.h"

/* Skips the test where programs can't be loaded. */
static inline void need_bpf(void)
{
    if (!zn_cap_effective(zn_caps_effective(), 39 /* CAP_BPF */))
        skip();
}
