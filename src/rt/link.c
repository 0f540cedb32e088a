/* SPDX-License-Identifier: Apache-2.0 */
/* Puts a program and its subprograms into one piece and resolves the references between them. */
#include "rt/link.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void zn_linked_fini(struct zn_linked *l)
{
    free(l->insns);
    free(l->pos);
    free(l->part);
    *l = (struct zn_linked){0};
}

static bool is_sub_ref(const struct zn_reloc *r)
{
    return r->kind == RL_FUNC || r->kind == RL_CALL;
}

/* Marks what `code` reaches; *changed when that is more than before. */
static int mark(const struct zn_image *img, const struct zn_code *code, bool *need, bool *changed)
{
    for (uint32_t i = 0; i < code->nrelocs; i++) {
        const struct zn_reloc *r = &code->relocs[i];
        if (!is_sub_ref(r))
            continue;
        if (r->target < 0 || (uint32_t)r->target >= img->nsubs)
            return -EINVAL;
        if (!need[r->target])
            *changed = need[r->target] = true;
    }
    return 0;
}

static int reach(const struct zn_image *img, const struct zn_code *main, bool *need)
{
    bool changed = false;
    int r = mark(img, main, need, &changed);
    while (!r && changed) {
        changed = false;
        for (uint32_t i = 0; i < img->nsubs && !r; i++)
            if (need[i])
                r = mark(img, &img->subs[i], need, &changed);
    }
    return r;
}

static const struct zn_linked_part *find_part(const struct zn_linked *l, int32_t sub)
{
    for (uint32_t i = 0; i < l->nparts; i++)
        if (l->part[i].sub == sub)
            return &l->part[i];
    return NULL;
}

static int patch(const struct zn_image *img, const struct zn_code *code, uint32_t start,
                 const int *map_fd, struct zn_linked *l)
{
    for (uint32_t i = 0; i < code->nrelocs; i++) {
        const struct zn_reloc *r = &code->relocs[i];
        if (r->insn >= code->n)
            return -EINVAL;
        struct bpf_insn *in = &l->insns[start + r->insn];
        if (is_sub_ref(r)) {
            const struct zn_linked_part *p = find_part(l, r->target);
            if (!p)
                return -EINVAL;
            in->src_reg = r->kind == RL_FUNC ? BPF_PSEUDO_FUNC : BPF_PSEUDO_CALL;
            in->imm = (int32_t)p->start - (int32_t)(start + r->insn) - 1;
            continue;
        }
        if (r->target < 0 || (uint32_t)r->target >= img->nmaps || map_fd[r->target] < 0)
            return -EINVAL;
        in->src_reg = r->kind == RL_MAP ? BPF_PSEUDO_MAP_FD : BPF_PSEUDO_MAP_VALUE;
        in->imm = map_fd[r->target];
    }
    return 0;
}

static void append(struct zn_linked *l, const struct zn_code *code, int32_t sub)
{
    l->part[l->nparts++] = (struct zn_linked_part){.sub = sub, .start = l->n, .n = code->n};
    memcpy(l->insns + l->n, code->insns, sizeof(*l->insns) * code->n);
    if (code->pos)
        memcpy(l->pos + l->n, code->pos, sizeof(*l->pos) * code->n);
    l->n += code->n;
}

int zn_link_prog(const struct zn_image *img, const struct zn_code *main, const int *map_fd,
                 struct zn_linked *ret)
{
    ZN_AUTOFREE bool *need = calloc(img->nsubs + 1, sizeof(*need));
    if (!need)
        return -ENOMEM;
    int r = reach(img, main, need);
    if (r)
        return r;
    uint32_t n = main->n;
    for (uint32_t i = 0; i < img->nsubs; i++)
        n += need[i] ? img->subs[i].n : 0;
    struct zn_linked l = {
        .insns = calloc(n + 1, sizeof(*l.insns)),
        .pos = calloc(n + 1, sizeof(*l.pos)),
        .part = calloc(img->nsubs + 1, sizeof(*l.part)),
    };
    if (!l.insns || !l.pos || !l.part) {
        zn_linked_fini(&l);
        return -ENOMEM;
    }
    append(&l, main, -1);
    for (uint32_t i = 0; i < img->nsubs; i++)
        if (need[i])
            append(&l, &img->subs[i], (int32_t)i);
    for (uint32_t i = 0; i < l.nparts && !r; i++) {
        int32_t sub = l.part[i].sub;
        r = patch(img, sub < 0 ? main : &img->subs[sub], l.part[i].start, map_fd, &l);
    }
    if (r) {
        zn_linked_fini(&l);
        return r;
    }
    *ret = l;
    return 0;
}
