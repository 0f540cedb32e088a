/* SPDX-License-Identifier: Apache-2.0 */
/* Symbols of ELF files by libelf; the only file that sees its headers.
 *
 * A uprobe wants a place in the *file*; symbols give addresses of the mapped image, and the program
 * headers connect the two. */
#include "probes/elf_sym.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"

struct zn_esym_file {
    int fd;
    Elf *elf;
    GElf_Phdr *load; /* PT_LOAD only */
    size_t nload;
    char **cut; /* names whose @VERSION was cut off */
    size_t ncut, cutcap;
};

static int read_segments(struct zn_esym_file *e)
{
    size_t n = 0;

    if (elf_getphdrnum(e->elf, &n) < 0 || n > 65536)
        return -ENOEXEC;
    e->load = calloc(n + 1, sizeof(*e->load));
    if (!e->load)
        return -ENOMEM;
    for (size_t i = 0; i < n; i++) {
        GElf_Phdr *p = &e->load[e->nload];

        if (gelf_getphdr(e->elf, (int)i, p) && p->p_type == PT_LOAD)
            e->nload++;
    }
    return 0;
}

int zn_esym_open(const char *path, struct zn_esym_file **ret)
{
    struct zn_esym_file *e = calloc(1, sizeof(*e));
    int r;

    if (!e)
        return -ENOMEM;
    (void)elf_version(EV_CURRENT);
    e->fd = open(path, O_RDONLY | O_CLOEXEC);
    if (e->fd < 0) {
        r = -errno;
        zn_esym_close(e);
        return r;
    }
    e->elf = elf_begin(e->fd, ELF_C_READ_MMAP, NULL);
    if (!e->elf || elf_kind(e->elf) != ELF_K_ELF) {
        zn_esym_close(e);
        return -ENOEXEC;
    }
    r = read_segments(e);
    if (r) {
        zn_esym_close(e);
        return r;
    }
    *ret = e;
    return 0;
}

void zn_esym_close(struct zn_esym_file *e)
{
    if (!e)
        return;
    if (e->elf)
        elf_end(e->elf);
    if (e->fd >= 0)
        close(e->fd);
    for (size_t i = 0; i < e->ncut; i++)
        free(e->cut[i]);
    free(e->cut);
    free(e->load);
    free(e);
}

int zn_esym_offset(const struct zn_esym_file *e, uint64_t addr, uint64_t *ret)
{
    for (size_t i = 0; i < e->nload; i++) {
        const GElf_Phdr *p = &e->load[i];

        if (addr >= p->p_vaddr && addr - p->p_vaddr < p->p_filesz) {
            *ret = addr - p->p_vaddr + p->p_offset;
            return 0;
        }
    }
    return -ENOENT;
}

int zn_esym_section(struct zn_esym_file *e, const char *name, const void **ret, size_t *ret_len,
                    uint64_t *ret_addr)
{
    Elf_Scn *scn = NULL;
    size_t names;
    GElf_Shdr sh;

    if (elf_getshdrstrndx(e->elf, &names) < 0)
        return -ENOENT;
    while ((scn = elf_nextscn(e->elf, scn))) {
        const char *s = gelf_getshdr(scn, &sh) ? elf_strptr(e->elf, names, sh.sh_name) : NULL;

        if (!s || strcmp(s, name) != 0)
            continue;

        Elf_Data *data = sh.sh_type == SHT_NOBITS ? NULL : elf_rawdata(scn, NULL);

        *ret_addr = sh.sh_addr;
        if (!data || !data->d_buf)
            return -ENODATA;
        *ret = data->d_buf;
        *ret_len = data->d_size;
        return 0;
    }
    return -ENOENT;
}

unsigned zn_esym_word(const struct zn_esym_file *e)
{
    return gelf_getclass(e->elf) == ELFCLASS32 ? 4 : 8;
}

bool zn_esym_is_endbr(const struct zn_esym_file *e, uint64_t file_off)
{
    static const unsigned char endbr64[4] = {0xf3, 0x0f, 0x1e, 0xfa};
    unsigned char b[4];

    return pread(e->fd, b, sizeof(b), (off_t)file_off) == (ssize_t)sizeof(b) &&
           memcmp(b, endbr64, sizeof(b)) == 0;
}

/* "read@@GLIBC_2.2.5" is read. */
static const char *without_version(struct zn_esym_file *e, const char *name)
{
    const char *at = strchr(name, '@');

    if (!at)
        return name;
    if (e->ncut == e->cutcap) {
        size_t cap = e->cutcap ? e->cutcap * 2 : 64;
        char **v = realloc(e->cut, cap * sizeof(*v));

        if (!v)
            return NULL;
        e->cut = v;
        e->cutcap = cap;
    }
    e->cut[e->ncut] = strndup(name, (size_t)(at - name));
    return e->cut[e->ncut] ? e->cut[e->ncut++] : NULL;
}

static int each_in(struct zn_esym_file *e, Elf_Scn *scn, const GElf_Shdr *sh,
                   int (*fn)(void *arg, const struct zn_esym *s), void *arg)
{
    Elf_Data *data = elf_getdata(scn, NULL);
    size_t n = sh->sh_entsize ? sh->sh_size / sh->sh_entsize : 0;
    GElf_Sym sym;
    int r = 0;

    if (!data || n > INT32_MAX)
        return 0;
    for (size_t i = 0; !r && i < n && gelf_getsym(data, (int)i, &sym); i++) {
        struct zn_esym s = {.addr = sym.st_value, .size = sym.st_size};
        unsigned type = GELF_ST_TYPE(sym.st_info);
        const char *name;

        if (sym.st_shndx == SHN_UNDEF || sym.st_value == 0 ||
            (type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_OBJECT &&
             type != STT_NOTYPE && type != STT_TLS))
            continue;
        name = elf_strptr(e->elf, sh->sh_link, sym.st_name);
        if (!name || !*name)
            continue;
        s.name = without_version(e, name);
        if (!s.name)
            return -ENOMEM;
        s.func = type == STT_FUNC || type == STT_GNU_IFUNC;
        if (s.func && zn_esym_offset(e, s.addr, &s.file_off) < 0)
            continue;
        r = fn(arg, &s);
    }
    return r;
}

int zn_esym_each(struct zn_esym_file *e, int (*fn)(void *arg, const struct zn_esym *s), void *arg)
{
    Elf_Scn *scn = NULL;
    GElf_Shdr sh;
    int r = 0;

    while (!r && (scn = elf_nextscn(e->elf, scn))) {
        if (gelf_getshdr(scn, &sh) && (sh.sh_type == SHT_SYMTAB || sh.sh_type == SHT_DYNSYM))
            r = each_in(e, scn, &sh, fn, arg);
    }
    return r;
}

bool zn_esym_stripped(struct zn_esym_file *f)
{
    Elf_Scn *scn = NULL;
    GElf_Shdr sh;

    while ((scn = elf_nextscn(f->elf, scn)))
        if (gelf_getshdr(scn, &sh) && sh.sh_type == SHT_SYMTAB)
            return false;
    return true;
}

struct seek {
    const char *name;
    struct zn_esym sym;
};

static int seek(void *arg, const struct zn_esym *s)
{
    struct seek *w = arg;

    if (strcmp(s->name, w->name) != 0)
        return 0;
    w->sym = *s;
    return 1;
}

int zn_esym_address(const char *path, const char *sym, uint64_t *ret, uint64_t *ret_size)
{
    struct seek w = {.name = sym};
    struct zn_esym_file *e;
    int r = zn_esym_open(path, &e);

    if (r)
        return r;
    r = zn_esym_each(e, seek, &w);
    zn_esym_close(e);
    if (r < 0)
        return r;
    if (r == 0)
        return -ENOENT;
    *ret = w.sym.addr;
    if (ret_size)
        *ret_size = w.sym.size;
    return 0;
}
