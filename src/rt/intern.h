/* SPDX-License-Identifier: Apache-2.0 */
/* Interned strings with the same text are one key. */
#pragma once

#include "rt/maps.h"

/* Merges elements whose keys differ only by the number of a string. Returns 0 or -ENOMEM. */
int zn_intern_unify(struct zn_mapset *s, const struct zn_map *m, struct zn_snap *snap);
