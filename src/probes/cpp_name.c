/* SPDX-License-Identifier: Apache-2.0 */
/* Matching demangled C++ names; the only file of this room with libiberty's header.
 *
 * Demangling costs microseconds and libraries have 100,000 names, but a mangled name has its
 * identifiers in it letter by letter: most names are ruled out by a search for one of them. */
#include "probes/cpp_name.h"

#include <libiberty/demangle.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "probes/kind.h"

static bool is_ident(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* Words that mangling abbreviates or never writes. */
static bool is_abbreviated(const char *s, size_t n)
{
    static const char *const words[] = {"std",     "allocator", "basic_string", "string",
                                        "istream", "ostream",   "iostream",     "operator",
                                        "char",    "int",       "unsigned"};

    for (size_t i = 0; i < ZN_ARRAY_SIZE(words); i++)
        if (strlen(words[i]) == n && memcmp(words[i], s, n) == 0)
            return true;
    return false;
}

void zn_cpp_pattern(const char *text, struct zn_cpp_pattern *ret)
{
    size_t best = 0, end = strcspn(text, "(<");

    *ret = (struct zn_cpp_pattern){.text = text, .params = strchr(text, '(') != NULL};
    for (size_t i = 0, n; i < end; i += n ? n : 1) {
        for (n = 0; i + n < end && is_ident(text[i + n]); n++)
            ;
        if (n > best && n < sizeof(ret->chunk) && !is_abbreviated(text + i, n)) {
            best = n;
            snprintf(ret->chunk, sizeof(ret->chunk), "%.*s", (int)n, text + i);
        }
    }
}

bool zn_cpp_match(const struct zn_cpp_pattern *p, const char *mangled)
{
    ZN_AUTOFREE char *plain = NULL;

    if (mangled[0] != '_' || mangled[1] != 'Z' || !strstr(mangled, p->chunk))
        return false;
    plain =
        cplus_demangle(mangled, p->params ? DMGL_GNU_V3 | DMGL_PARAMS | DMGL_ANSI : DMGL_GNU_V3);
    return plain && zn_glob(p->text, plain);
}
