/* SPDX-License-Identifier: Apache-2.0 */
/* Names of perf's software and hardware events. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct zn_perf_name {
    const char *name, *alias;
    uint64_t config; /* PERF_COUNT_SW_*, PERF_COUNT_HW_* */
    uint64_t count;  /* period when the script gives none */
};

const struct zn_perf_name *zn_perf_find(bool hardware, const char *name);
