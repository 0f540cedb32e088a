/* SPDX-License-Identifier: Apache-2.0 */
/* Makes and loads a program's BTF. */
#include "rt/prog_btf.h"

#include <string.h>

#include "base/mem.h"
#include "lang/btf_w.h"
#include "rt/bpf.h"

static bool takes_function(const struct zn_code *c)
{
    for (uint32_t i = 0; i < c->nrelocs; i++)
        if (c->relocs[i].kind == RL_FUNC)
            return true;
    return false;
}

static const struct zn_code *code_of(const struct zn_image *img, const struct zn_code *main,
                                     int32_t sub)
{
    return sub < 0 ? main : &img->subs[sub];
}

bool zn_prog_btf_needed(const struct zn_image *img, const struct zn_code *main,
                        const struct zn_linked *code)
{
    for (uint32_t i = 0; i < code->nparts; i++)
        if (takes_function(code_of(img, main, code->part[i].sub)))
            return true;
    return false;
}

static int load(const void *blob, size_t len)
{
    union bpf_attr a;
    memset(&a, 0, sizeof(a));
    a.btf = (uintptr_t)blob;
    a.btf_size = (uint32_t)len;
    return zn_bpf(BPF_BTF_LOAD, &a, sizeof(a));
}

/* All functions are static, so the kernel looks at their number and places, not at their types. */
void zn_prog_btf_open(struct zn_prog_btf *b, const struct zn_image *img, const struct zn_prog *p,
                      const struct zn_linked *code)
{
    *b = (struct zn_prog_btf){.fd = -1};
    zn_arena_init(&b->arena);
    struct zn_btf_w *w = zn_btf_w_new(&b->arena);
    uint32_t num = zn_btf_w_int(w, "int", 4, true), ctx = zn_btf_w_ptr(w, 0);
    const struct zn_btf_member arg = {.name = "ctx", .type = ctx};
    uint32_t main_proto = zn_btf_w_proto(w, num, &arg, 1),
             sub_proto = zn_btf_w_proto(w, num, NULL, 0);
    struct zn_btf_part *parts = zn_arena_array(&b->arena, struct zn_btf_part, code->nparts);
    for (uint32_t i = 0; i < code->nparts; i++) {
        int32_t sub = code->part[i].sub;
        const char *name = sub < 0 ? p->name : zn_arena_printf(&b->arena, "fn_%d", sub);
        parts[i] = (struct zn_btf_part){
            .code = code_of(img, &p->code, sub),
            .insn_off = code->part[i].start,
            .func = zn_btf_w_func(w, name, sub < 0 ? main_proto : sub_proto),
        };
    }
    struct zn_btf_info info = zn_btf_w_info(w, &img->src, parts, code->nparts);
    size_t len;
    const void *blob = zn_btf_w_finish(w, &len);
    if (zn_arena_failed(&b->arena))
        return;
    b->fd = load(blob, len);
    b->funcs = info.funcs;
    b->lines = info.lines;
    b->nfuncs = info.nfuncs;
    b->nlines = info.nlines;
}

void zn_prog_btf_close(struct zn_prog_btf *b)
{
    zn_closep(&b->fd);
    zn_arena_fini(&b->arena);
}
