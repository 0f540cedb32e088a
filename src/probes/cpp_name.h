/* SPDX-License-Identifier: Apache-2.0 */
/* C++ names as people write them, matched against mangled ones. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct zn_cpp_pattern {
    const char *text; /* `*` matches any run */
    char chunk[64];   /* an identifier that a match must contain as it is; "" if none is certain */
    bool params;      /* the pattern gives the parameters too */
};

void zn_cpp_pattern(const char *text, struct zn_cpp_pattern *ret);
/* Does the mangled name stand for what the pattern says? Without parameters in the pattern every
 * overload does. */
bool zn_cpp_match(const struct zn_cpp_pattern *p, const char *mangled);
