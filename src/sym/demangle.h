/* SPDX-License-Identifier: Apache-2.0 */
/* What a compiler's mangled name says in its language. */
#pragma once

#include "base/str.h"

/* Appends the C++ or Rust name that `name` stands for, or `name` itself when it is not mangled. */
void zn_demangle(struct zn_str *out, const char *name);
