/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes through the parser: it may complain, but never crash, hang or overflow. */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/str.h"
#include "lang/ast.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Files that a script under test may include; "self.h" includes itself. */
static int read_include(void *arg, struct zn_arena *arena, const char *name, const char **text,
                        size_t *len)
{
    static const char self[] = "#include \"self.h\"\n#define DEEP 1\n";
    static const char good[] = "struct inc { int a; };\n#define INC(x) ((x) + 1)\n";
    (void)arg;
    (void)arena;
    const char *t = !strcmp(name, "self.h") ? self : !strcmp(name, "good.h") ? good : NULL;
    if (!t)
        return -ENOENT;
    *text = t;
    *len = strlen(t);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const argv[] = {"one", "2", "a:b\"c"};
    struct zn_param_env env = {
        .argv = argv, .argc = 3, .read_include = read_include, .have_btf = size & 1};
    struct zn_arena arena;
    struct zn_diags d;
    struct zn_str out;
    zn_arena_init(&arena);
    zn_str_init(&out);
    struct zn_source src = {.name = "stdin", .text = (const char *)data, .len = size};
    zn_diags_init(&d, &arena, src);
    struct zn_script *s = zn_parse(&arena, &d, &env);
    if (s)
        zn_ast_dump(s, &out);
    zn_diags_render(&d, size & 2, &out);
    const char *name;
    if (size < 200)
        zn_parse_cdecl(&arena, zn_arena_strndup(&arena, (const char *)data, size), &name);
    zn_str_fini(&out);
    zn_arena_fini(&arena);
    return 0;
}
