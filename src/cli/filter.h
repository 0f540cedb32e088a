/* SPDX-License-Identifier: Apache-2.0 */
/* --probe-filter: a host that leaves out the probes whose name does not match. */
#pragma once

#include <regex.h>
#include <stdbool.h>

#include "lang/compile.h"

struct zn_probe_filter {
    const struct zn_host *inner;
    struct zn_host host;
    regex_t regex;
    bool compiled;
};

/* f is zeroed. Returns 0, or -EINVAL after telling stderr what is wrong with the pattern. */
int zn_filter_init(struct zn_probe_filter *f, const char *regex);
void zn_filter_fini(struct zn_probe_filter *f);
/* Puts the filter before env->host; f must outlive the compile. */
void zn_filter_host(struct zn_probe_filter *f, struct zn_env *env);
