/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel types as hostile input: opened, walked, and turned into the language's types. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/str.h"
#include "lang/btf.h"
#include "lang/type.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int walk(void *arg, uint32_t id, const struct btf_type *bt)
{
    struct zn_types *types = arg;
    struct zn_type *t = zn_type_from_btf(types, id);
    struct zn_field f;
    struct zn_str s;

    zn_btf_size(types->btf, id);
    zn_type_field(types, t, zn_btf_name(types->btf, bt->name_off), &f);
    zn_type_stored(t);
    zn_str_init(&s);
    zn_type_name(t, &s);
    zn_str_fini(&s);
    return types->arena->total > (1 << 26);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct zn_btf *b = NULL, *split = NULL;
    struct zn_arena arena;
    struct zn_types types;
    int64_t value;

    if (zn_btf_open(data, size, NULL, &b) < 0)
        return 0;
    zn_arena_init(&arena);
    zn_types_init(&types, &arena, b, NULL);
    zn_btf_each(b, ~0U, walk, &types);
    for (unsigned i = 0; i < 12; i++) /* past the number that makes a table */
        zn_btf_find(b, "a", ~0U);
    zn_btf_find_enumerator(b, "c", &value);
    /* The same bytes once more as a module on top of themselves. */
    if (zn_btf_open(data, size, b, &split) == 0) {
        struct zn_types over;

        zn_types_init(&over, &arena, split, NULL);
        zn_btf_each(split, ~0U, walk, &over);
        zn_btf_find(split, "a", ~0U);
        zn_btf_close(split);
    }
    zn_arena_fini(&arena);
    zn_btf_close(b);
    return 0;
}
