/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel's dynamic event sources (kprobe, uprobe). */
#pragma once

#include <stdint.h>

struct zn_pmu {
    uint32_t type;         /* perf_event_attr.type */
    uint32_t retprobe_bit; /* of config */
};

/* -ENOENT: this kernel has none of that name. */
int zn_pmu_read(const char *name, struct zn_pmu *ret);
