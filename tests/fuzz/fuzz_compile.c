/* SPDX-License-Identifier: Apache-2.0 */
/* Any text through the whole compiler, on a machine that is all data, once with all features and
 * once with none: what compiles has code in every program, what does not says why, and never does
 * the compiler find itself at fault. */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../golden/stub_host.h"
#include "arch/arch.h"
#include "base/arena.h"
#include "base/str.h"
#include "lang/btf.h"
#include "lang/compile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void complain(const char *what)
{
    fprintf(stderr, "%s\n", what);
    abort();
}

static void check(int r, const struct zn_diags *d, const struct zn_image *img)
{
    if (r && r != -ENOMEM && !d->errors)
        complain("failed without a word");
    for (const struct zn_diag *x = d->first; x; x = x->next)
        if (strncmp(x->msg, "compiler error", 14) == 0)
            complain(x->msg);
    for (uint32_t i = 0; !r && i < img->nprogs; i++)
        if (!img->progs[i].code.n)
            complain("a program without code");
}

static void compile(struct zn_source src, const struct zn_arch *arch, const struct zn_btf *btf,
                    uint64_t features, const char *dump)
{
    static const char *const argv[] = {"one", "2", "-3"};
    struct stub_machine machine = {arch, btf};
    struct zn_host host = stub_host(&machine);
    struct zn_str out;
    struct zn_env env = {.arch = arch,
                         .btf = btf,
                         .features = features,
                         .ncpu_possible = 3,
                         .host = &host,
                         .argv = argv,
                         .argc = 3,
                         .pid_filter = src.len & 1 ? 7 : 0,
                         .unsafe = true,
                         .dump = dump,
                         .dump_out = &out};
    struct zn_arena arena;
    struct zn_diags d;
    struct zn_image *img = NULL;
    zn_str_init(&out);
    zn_arena_init(&arena);
    zn_config_defaults(&env.config);
    int r = zn_compile(&arena, src, &env, &d, &img, NULL);
    zn_diags_render(&d, true, &out);
    check(r, &d, img);
    zn_arena_fini(&arena);
    zn_str_fini(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct zn_source src = {.name = "stdin", .text = (const char *)data, .len = size};
    struct zn_btf *btf = NULL;
    size_t len;
    void *blob = stub_btf(&len);
    if (zn_btf_open(blob, len, NULL, &btf) < 0)
        complain("the kernel types are broken");
    compile(src, &zn_arch_x86_64, btf, ~0ULL, "bpf");
    compile(src, &zn_arch_arm64, NULL, 0, "ast");
    zn_btf_close(btf);
    free(blob);
    return 0;
}
