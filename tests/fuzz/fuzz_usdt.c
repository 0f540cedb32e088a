/* SPDX-License-Identifier: Apache-2.0 */
/* usdt notes as hostile input: the section's bytes, and the same bytes as one argument list. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "base/arena.h"
#include "probes/usdt_note.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int symbol(void *arg, const char *name, uint64_t *ret)
{
    (void)arg;
    *ret = strlen(name);
    return name[0] == '.' ? -1 : 0;
}

static void parse(const char *text)
{
    static const struct zn_arch *const arches[] = {&zn_arch_x86_64, &zn_arch_arm64};
    struct zn_arena arena;

    zn_arena_init(&arena);
    for (unsigned i = 0; i < 2; i++) {
        struct zn_usdt_place at = {.arch = arches[i], .loc = 0x1000, .symbol = symbol};
        uint32_t n = 0;
        const struct zn_usdt_arg *a = zn_usdt_args(&arena, &at, text, &n);

        for (uint32_t k = 0; k < n; k++) {
            bool sized = a[k].size == 1 || a[k].size == 2 || a[k].size == 4 || a[k].size == 8;

            if (a[k].kind != ZN_USDT_UNKNOWN && (!sized || a[k].shift > 8 || a[k].base > 280))
                abort();
            if (a[k].kind == ZN_USDT_REG && a[k].base < 0)
                abort();
        }
    }
    zn_arena_fini(&arena);
}

static int see(void *arg, const struct zn_usdt_note *n)
{
    unsigned *seen = arg;

    if (!*n->provider || !*n->name)
        abort();
    parse(n->args);
    return ++*seen > 1000;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    unsigned seen = 0;
    char *text = malloc(size + 1);

    zn_usdt_notes(data, size, 8, see, &seen);
    zn_usdt_notes(data, size, 4, see, &seen);
    if (!text)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    parse(text);
    free(text);
    return 0;
}
