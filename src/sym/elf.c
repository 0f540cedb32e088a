/* SPDX-License-Identifier: Apache-2.0 */
/* ELF symbol tables, read once into a sorted array.
 *
 * Several symbols often stand at one address (read, __read, __libc_read), some lie inside others
 * (hand-written assembly), and assembly labels have no size. So after sorting
 *
 *   doubles   the best-ranked name wins: sized before unsized, functions before labels, global before
 *             local, few leading underscores;
 *   no size   reaches to the next symbol or the end of its section, whichever comes first;
 *   nesting   every symbol knows the nearest one around it, so a lookup that misses the inner symbol
 *             goes outwards instead of scanning backwards. */
#include "sym/elf.h"

#include <errno.h>
#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { MAX_SEGS = 256, MAX_SECS = 4096 };

static Elf *elf_handle(const struct zn_elf_src *src)
{
    if (elf_version(EV_CURRENT) == EV_NONE)
        return NULL;
    if (src->image)
        return elf_memory((char *)(uintptr_t)src->image, src->size);
    return elf_begin(src->fd, ELF_C_READ, NULL);
}

static void read_build_id(struct zn_elf *e, Elf_Data *data)
{
    size_t off = 0, name, desc;
    GElf_Nhdr nhdr;
    while (off < data->d_size && (off = gelf_getnote(data, off, &nhdr, &name, &desc)) > 0) {
        if (nhdr.n_type != NT_GNU_BUILD_ID || nhdr.n_namesz != sizeof(ELF_NOTE_GNU) ||
            memcmp((char *)data->d_buf + name, ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU)))
            continue;
        e->build_id_len = ZN_MIN(nhdr.n_descsz, (uint32_t)ZN_BUILD_ID_MAX);
        memcpy(e->build_id, (char *)data->d_buf + desc, e->build_id_len);
        return;
    }
}

static void read_segments(struct zn_elf *e, Elf *elf)
{
    size_t n = 0;
    if (elf_getphdrnum(elf, &n) || n > MAX_SEGS)
        return;
    e->segs = calloc(n ? n : 1, sizeof(*e->segs));
    for (size_t i = 0; e->segs && i < n; i++) {
        GElf_Phdr ph;
        if (!gelf_getphdr(elf, (int)i, &ph))
            return;
        if (ph.p_type == PT_LOAD)
            e->segs[e->nsegs++] = (struct zn_elf_seg){.vaddr = ph.p_vaddr,
                                                      .off = ph.p_offset,
                                                      .filesz = ph.p_filesz,
                                                      .exec = ph.p_flags & PF_X};
        if (ph.p_type != PT_NOTE || e->build_id_len)
            continue;
        Elf_Data *data = elf_getdata_rawchunk(elf, (int64_t)ph.p_offset, ph.p_filesz,
                                              ph.p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR);
        if (data)
            read_build_id(e, data);
    }
}

static void read_sections(struct zn_elf *e, Elf *elf)
{
    size_t shstrndx = 0, nsec = 0;
    if (elf_getshdrstrndx(elf, &shstrndx) || elf_getshdrnum(elf, &nsec) || nsec > MAX_SECS)
        return;
    e->secs = calloc(nsec ? nsec : 1, sizeof(*e->secs));
    Elf_Scn *scn = NULL;
    while (e->secs && (scn = elf_nextscn(elf, scn))) {
        GElf_Shdr sh;
        if (!gelf_getshdr(scn, &sh))
            continue;
        if (sh.sh_type == SHT_SYMTAB)
            e->symtab = true;
        if (sh.sh_flags & SHF_EXECINSTR && e->nsecs < nsec)
            e->secs[e->nsecs++] = (struct zn_elf_sec){sh.sh_addr, sh.sh_addr + sh.sh_size};
        const char *name = elf_strptr(elf, shstrndx, sh.sh_name);
        if (!name || strcmp(name, ".gnu_debuglink") || e->debuglink)
            continue;
        Elf_Data *data = elf_getdata(scn, NULL);
        if (data && data->d_size && memchr(data->d_buf, 0, data->d_size))
            e->debuglink = strdup(data->d_buf);
    }
}

int zn_elf_open(const struct zn_elf_src *src, struct zn_elf **ret)
{
    Elf *elf = elf_handle(src);
    GElf_Ehdr eh;
    if (!elf || elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &eh)) {
        elf_end(elf);
        return -ENOEXEC;
    }
    struct zn_elf *e = calloc(1, sizeof(*e));
    if (e) {
        zn_str_init(&e->names);
        e->machine = eh.e_machine;
        e->is64 = eh.e_ident[EI_CLASS] == ELFCLASS64;
        read_segments(e, elf);
        read_sections(e, elf);
    }
    elf_end(elf);
    if (!e)
        return -ENOMEM;
    *ret = e;
    return 0;
}

void zn_elf_close(struct zn_elf *e)
{
    if (!e)
        return;
    free(e->segs);
    free(e->secs);
    free(e->syms);
    free(e->debuglink);
    zn_str_fini(&e->names);
    free(e);
}

bool zn_elf_add(struct zn_elf *e, uint64_t addr, uint64_t size, uint32_t name, uint32_t rank)
{
    if (e->nsyms == e->cap) {
        uint32_t cap = e->cap ? e->cap * 2 : 256;
        struct zn_elf_sym *p = realloc(e->syms, cap * sizeof(*p));
        if (!p)
            return false;
        e->syms = p;
        e->cap = cap;
    }
    e->syms[e->nsyms++] = (struct zn_elf_sym){.addr = addr,
                                              .size = (uint32_t)ZN_MIN(size, (uint64_t)UINT32_MAX),
                                              .name = name,
                                              .up = ZN_ELF_NO_SYM,
                                              .rank = rank};
    return true;
}

static const struct zn_elf_sec *section_of(const struct zn_elf *e, uint64_t vaddr)
{
    for (uint32_t i = 0; i < e->nsecs; i++)
        if (vaddr >= e->secs[i].lo && vaddr < e->secs[i].hi)
            return &e->secs[i];
    return NULL;
}

/* Rank of a symbol, 0 when it names no place that an address can be in. */
static uint32_t rank_of(const struct zn_elf *e, const GElf_Sym *sym, const char *name)
{
    unsigned type = GELF_ST_TYPE(sym->st_info), bind = GELF_ST_BIND(sym->st_info);
    bool func = type == STT_FUNC || type == STT_GNU_IFUNC;
    if (sym->st_shndx == SHN_UNDEF || !name[0])
        return 0;
    if (type == STT_OBJECT ? !sym->st_size : !func && type != STT_NOTYPE)
        return 0;
    if (type == STT_NOTYPE && (name[0] == '$' || !section_of(e, sym->st_value)))
        return 0; /* arm's $x and $d, and constants that only look like addresses */
    if (!sym->st_size && !section_of(e, sym->st_value))
        return 0;
    unsigned underscores = (unsigned)strspn(name, "_");
    return 1 + (sym->st_size ? 64 : 0) + (func ? 32 : 0) + (bind != STB_LOCAL ? 16 : 0) +
           (underscores < 8 ? 8 - underscores : 0);
}

static int load_table(struct zn_elf *e, Elf *elf, Elf_Scn *scn, const GElf_Shdr *sh,
                      uint64_t max_bytes)
{
    Elf_Scn *strscn = elf_getscn(elf, sh->sh_link);
    GElf_Shdr strsh;
    if (!strscn || !gelf_getshdr(strscn, &strsh) || strsh.sh_type != SHT_STRTAB)
        return -EINVAL;
    if (sh->sh_size > max_bytes || strsh.sh_size > max_bytes - sh->sh_size)
        return -EFBIG;
    Elf_Data *data = elf_getdata(scn, NULL), *strings = elf_getdata(strscn, NULL);
    if (!data || !strings || !strings->d_buf || e->names.len + strings->d_size >= UINT32_MAX)
        return -EINVAL;

    uint32_t base = (uint32_t)e->names.len;
    zn_str_add(&e->names, strings->d_buf, strings->d_size);
    zn_str_putc(&e->names, '\0');
    if (e->names.failed)
        return -ENOMEM;
    GElf_Sym sym;
    for (int i = 1; gelf_getsym(data, i, &sym); i++) {
        if (sym.st_name >= strings->d_size)
            continue;
        uint32_t rank = rank_of(e, &sym, e->names.data + base + sym.st_name);
        if (e->machine == EM_ARM)
            sym.st_value &= ~1ULL; /* Thumb */
        if (rank && !zn_elf_add(e, sym.st_value, sym.st_size, base + (uint32_t)sym.st_name, rank))
            return -ENOMEM;
    }
    return 0;
}

int zn_elf_load(struct zn_elf *e, const struct zn_elf_src *src, uint64_t max_bytes)
{
    Elf *elf = elf_handle(src);
    if (!elf)
        return -ENOEXEC;
    int r = -ENOENT;
    Elf_Scn *scn = NULL;
    while ((scn = elf_nextscn(elf, scn))) {
        GElf_Shdr sh;
        if (!gelf_getshdr(scn, &sh) || (sh.sh_type != SHT_SYMTAB && sh.sh_type != SHT_DYNSYM))
            continue;
        int one = load_table(e, elf, scn, &sh, max_bytes);
        if (!one || r == -ENOENT)
            r = one;
    }
    elf_end(elf);
    return r;
}

static int cmp_sym(const void *a, const void *b)
{
    const struct zn_elf_sym *x = a, *y = b;
    if (x->addr != y->addr)
        return x->addr < y->addr ? -1 : 1;
    if (x->rank != y->rank)
        return x->rank > y->rank ? -1 : 1;
    return x->name < y->name ? -1 : x->name > y->name;
}

/* One symbol an address: the first of each group, which is the best ranked. A label inside a sized
 * function is a place in it, no function of its own. */
static void drop_doubles(struct zn_elf *e)
{
    uint64_t reach = 0;
    uint32_t n = 0;
    for (uint32_t i = 0; i < e->nsyms; i++) {
        const struct zn_elf_sym *s = &e->syms[i];
        if ((n && e->syms[n - 1].addr == s->addr) || (!s->size && s->addr < reach))
            continue;
        if (s->addr + s->size > reach)
            reach = s->addr + s->size;
        e->syms[n++] = *s;
    }
    e->nsyms = n;
}

static void close_open_ends(struct zn_elf *e)
{
    for (uint32_t i = 0; i < e->nsyms; i++) {
        struct zn_elf_sym *s = &e->syms[i];
        if (s->size)
            continue;
        const struct zn_elf_sec *sec = section_of(e, s->addr);
        uint64_t end = sec ? sec->hi : s->addr + 1;
        if (i + 1 < e->nsyms && e->syms[i + 1].addr < end)
            end = e->syms[i + 1].addr;
        s->size = (uint32_t)ZN_MIN(end - s->addr, (uint64_t)UINT32_MAX);
    }
}

void zn_elf_finish(struct zn_elf *e)
{
    if (!e->nsyms)
        return;
    qsort(e->syms, e->nsyms, sizeof(*e->syms), cmp_sym);
    drop_doubles(e);
    close_open_ends(e);
    for (uint32_t i = 1; i < e->nsyms; i++) {
        uint32_t up = i - 1;
        while (up != ZN_ELF_NO_SYM && e->syms[i].addr - e->syms[up].addr >= e->syms[up].size)
            up = e->syms[up].up;
        e->syms[i].up = up;
    }
    struct zn_elf_sym *fit = realloc(e->syms, e->nsyms * sizeof(*fit));
    if (fit) {
        e->syms = fit;
        e->cap = e->nsyms;
    }
}

const struct zn_elf_sym *zn_elf_find(const struct zn_elf *e, uint64_t vaddr)
{
    uint32_t lo = 0, hi = e->nsyms;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (e->syms[mid].addr <= vaddr)
            lo = mid + 1;
        else
            hi = mid;
    }
    for (uint32_t i = lo - 1; lo && i != ZN_ELF_NO_SYM; i = e->syms[i].up)
        if (vaddr - e->syms[i].addr < e->syms[i].size)
            return &e->syms[i];
    return NULL;
}

const char *zn_elf_name(const struct zn_elf *e, const struct zn_elf_sym *sym)
{
    return e->names.data + sym->name;
}

bool zn_elf_vaddr(const struct zn_elf *e, uint64_t off, uint64_t *ret)
{
    /* A page can be in two segments of the file (end of one, start of the next); code comes first. */
    for (int exec = 1; exec >= 0; exec--) {
        for (uint32_t i = 0; i < e->nsegs; i++) {
            const struct zn_elf_seg *s = &e->segs[i];
            if (s->exec == exec && off >= s->off && off - s->off < s->filesz) {
                *ret = off - s->off + s->vaddr;
                return true;
            }
        }
    }
    return false;
}

uint64_t zn_elf_bytes(const struct zn_elf *e)
{
    return sizeof(*e) + (uint64_t)e->cap * sizeof(*e->syms) + e->names.cap;
}
