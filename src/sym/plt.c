/* SPDX-License-Identifier: Apache-2.0 */
/* Names for procedure linkage stubs: "puts@plt".
 *
 * A stub jumps through a slot of the global offset table, and a relocation says whose address the
 * slot takes. Reading the slot out of the stub's own instructions works for every layout that a
 * linker chooses (.plt, .plt.sec, .plt.got), where counting entries doesn't. */
#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "sym/elf.h"

struct slot {
    uint64_t addr; /* of the slot */
    const char *name;
};

struct slots {
    struct slot *v;
    size_t n, cap;
};

static int cmp_slot(const void *a, const void *b)
{
    const struct slot *x = a, *y = b;
    return x->addr < y->addr ? -1 : x->addr > y->addr;
}

static void add_relocs(struct slots *s, Elf *elf, Elf_Scn *scn, const GElf_Shdr *sh)
{
    Elf_Scn *symscn = elf_getscn(elf, sh->sh_link);
    GElf_Shdr symsh;
    if (!symscn || !gelf_getshdr(symscn, &symsh) || symsh.sh_type != SHT_DYNSYM)
        return;
    Elf_Data *data = elf_getdata(scn, NULL), *syms = elf_getdata(symscn, NULL);
    GElf_Rela rela;
    for (int i = 0; data && syms && gelf_getrela(data, i, &rela); i++) {
        GElf_Sym sym;
        if (!GELF_R_SYM(rela.r_info) || !gelf_getsym(syms, (int)GELF_R_SYM(rela.r_info), &sym))
            continue;
        const char *name = elf_strptr(elf, symsh.sh_link, sym.st_name);
        if (!name || !name[0])
            continue;
        if (s->n == s->cap) {
            size_t cap = s->cap ? s->cap * 2 : 64;
            struct slot *v = realloc(s->v, cap * sizeof(*v));
            if (!v)
                return;
            s->v = v;
            s->cap = cap;
        }
        s->v[s->n++] = (struct slot){rela.r_offset, name};
    }
}

/* The slot that the stub at p jumps through, 0 if it doesn't look like one. */
static uint64_t x86_slot(const uint8_t *p, size_t n, uint64_t addr)
{
    size_t i = 0;
    int32_t disp;
    if (n >= 4 && !memcmp(p, "\xf3\x0f\x1e\xfa", 4))
        i = 4; /* endbr64 */
    if (i < n && p[i] == 0xf2)
        i++; /* bnd */
    if (i + 6 > n || p[i] != 0xff || p[i + 1] != 0x25)
        return 0;
    memcpy(&disp, p + i + 2, 4);
    return addr + i + 6 + (uint64_t)(int64_t)disp;
}

static uint64_t arm64_slot(const uint8_t *p, size_t n, uint64_t addr)
{
    uint32_t in[3];
    size_t skip = 0;
    if (n < 16)
        return 0;
    memcpy(in, p, 4);
    if (in[0] == 0xd503245f)
        skip = 4; /* bti c */
    memcpy(in, p + skip, 12);
    if ((in[0] & 0x9f00001f) != 0x90000010 || (in[1] & 0xffc003ff) != 0xf9400211)
        return 0; /* adrp x16, page; ldr x17, [x16, #off] */
    int64_t page = (int64_t)((in[0] >> 29 & 3) | (in[0] >> 5 & 0x7ffff) << 2);
    page = (int64_t)((uint64_t)page << 43) >> 43;
    return ((addr + skip) & ~0xfffULL) + (uint64_t)page * 4096 + (in[1] >> 10 & 0xfff) * 8;
}

static void add_stubs(struct zn_elf *e, const struct slots *s, Elf_Scn *scn, const GElf_Shdr *sh)
{
    Elf_Data *data = elf_getdata(scn, NULL);
    size_t step = e->machine == EM_X86_64 && sh->sh_entsize == 8 ? 8 : 16;
    for (size_t i = 0; data && i + step <= data->d_size; i += step) {
        const uint8_t *p = (const uint8_t *)data->d_buf + i;
        struct slot key = {.addr = e->machine == EM_X86_64
                                       ? x86_slot(p, data->d_size - i, sh->sh_addr + i)
                                       : arm64_slot(p, data->d_size - i, sh->sh_addr + i)};
        const struct slot *hit =
            key.addr ? bsearch(&key, s->v, s->n, sizeof(*s->v), cmp_slot) : NULL;
        if (!hit)
            continue;
        uint32_t name = (uint32_t)e->names.len;
        zn_str_printf(&e->names, "%s@plt", hit->name);
        zn_str_putc(&e->names, '\0');
        if (!e->names.failed)
            zn_elf_add(e, sh->sh_addr + i, step, name, 1);
    }
}

void zn_elf_load_plt(struct zn_elf *e, const struct zn_elf_src *src)
{
    if (e->machine != EM_X86_64 && e->machine != EM_AARCH64)
        return;
    Elf *elf = src->image ? NULL : elf_begin(src->fd, ELF_C_READ, NULL);
    size_t shstrndx = 0;
    struct slots slots = {0};
    Elf_Scn *scn = NULL;
    GElf_Shdr sh;
    while (elf && (scn = elf_nextscn(elf, scn)))
        if (gelf_getshdr(scn, &sh) && sh.sh_type == SHT_RELA)
            add_relocs(&slots, elf, scn, &sh);
    if (slots.n && !elf_getshdrstrndx(elf, &shstrndx)) {
        qsort(slots.v, slots.n, sizeof(*slots.v), cmp_slot);
        while ((scn = elf_nextscn(elf, scn))) {
            const char *name =
                gelf_getshdr(scn, &sh) ? elf_strptr(elf, shstrndx, sh.sh_name) : NULL;
            if (name && sh.sh_type == SHT_PROGBITS && !strncmp(name, ".plt", 4))
                add_stubs(e, &slots, scn, &sh);
        }
    }
    free(slots.v);
    elf_end(elf);
}
