/* SPDX-License-Identifier: Apache-2.0 */
/* What the running kernel can do: one row per feature, found out when asked and remembered. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/feature.h"

struct zn_kbtf;

struct zn_features {
    uint64_t known, have, disabled; /* bit 1 << enum zn_feature */
    const struct zn_kbtf *btf;      /* or NULL */
    unsigned version;               /* zn_kernel_version() */
};

struct zn_feature_row {
    const char *name;    /* as --no-feature takes it */
    const char *since;   /* "5.15": the kernel that brought it */
    const char *probe;   /* how it is found out, in words */
    const char *without; /* what stops or changes without it */
};

/* btf may be NULL (then nothing that needs kernel types is there) and must outlive f. */
void zn_features_init(struct zn_features *f, const struct zn_kbtf *btf);
bool zn_features_has(struct zn_features *f, enum zn_feature id);
/* All of them, as the compiler takes it. Costs some system calls, no attaching. */
uint64_t zn_features_all(struct zn_features *f);
/* Takes "name,name…" away. -EINVAL: *ret_bad is the first unknown name (*ret_len bytes of list). */
int zn_features_disable(struct zn_features *f, const char *list, const char **ret_bad,
                        size_t *ret_len);
const struct zn_feature_row *zn_feature_row(enum zn_feature id);
