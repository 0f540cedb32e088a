/* SPDX-License-Identifier: Apache-2.0 */
/* Gets BTF into memory: mapped where the kernel allows (6.16), read otherwise, or from a file. */
#include "kern/btf.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/btf.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "base/file.h"
#include "base/mem.h"

#define BTF_DIR        "/sys/kernel/btf"
#define MAX_FILE_BYTES ((size_t)1 << 30) /* a vmlinux with debug information */

static int map_file(const char *path, struct zn_kbtf *k)
{
    ZN_AUTOCLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat st;
    void *p;

    if (fd < 0)
        return -errno;
    if (fstat(fd, &st) < 0)
        return -errno;
    if (st.st_size <= 0)
        return -ENODEV;
    p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (p == MAP_FAILED)
        return -errno;
    k->owned = p;
    k->owned_len = (size_t)st.st_size;
    k->data = p;
    k->len = k->owned_len;
    k->mapped = true;
    return 0;
}

static int load(const char *path, struct zn_kbtf *k)
{
    char *data;
    size_t len;
    int r = map_file(path, k);

    if (r == 0 || r == -ENOENT || r == -EACCES || r == -EPERM)
        return r;
    r = zn_file_read(path, MAX_FILE_BYTES, &data, &len);
    if (r < 0)
        return r;
    k->owned = data;
    k->data = data;
    k->len = len;
    return 0;
}

static bool is_btf(const void *p, size_t len)
{
    struct btf_header h;

    if (len < sizeof(h))
        return false;
    memcpy(&h, p, sizeof(h));
    return h.magic == BTF_MAGIC;
}

static bool in_file(const struct zn_kbtf *k, uint64_t off, uint64_t n)
{
    return off <= k->len && n <= k->len - off;
}

/* Narrows k to the .BTF section of a 64-bit ELF file. */
static int find_section(struct zn_kbtf *k)
{
    const char *base = k->data;
    Elf64_Ehdr eh;
    Elf64_Shdr names, sh;

    if (k->len < sizeof(eh))
        return -EINVAL;
    memcpy(&eh, base, sizeof(eh));
    if (memcmp(eh.e_ident, ELFMAG, SELFMAG) != 0 || eh.e_ident[EI_CLASS] != ELFCLASS64 ||
        eh.e_shentsize != sizeof(sh) || eh.e_shstrndx >= eh.e_shnum ||
        !in_file(k, eh.e_shoff, (uint64_t)eh.e_shnum * sizeof(sh)))
        return -EINVAL;
    memcpy(&names, base + eh.e_shoff + eh.e_shstrndx * sizeof(sh), sizeof(names));
    if (!in_file(k, names.sh_offset, names.sh_size))
        return -EINVAL;
    for (unsigned i = 0; i < eh.e_shnum; i++) {
        memcpy(&sh, base + eh.e_shoff + i * sizeof(sh), sizeof(sh));
        if (sh.sh_name >= names.sh_size || names.sh_size - sh.sh_name < sizeof(".BTF") ||
            memcmp(base + names.sh_offset + sh.sh_name, ".BTF", sizeof(".BTF")) != 0)
            continue;
        if (sh.sh_type != SHT_PROGBITS || !in_file(k, sh.sh_offset, sh.sh_size))
            return -EINVAL;
        k->data = base + sh.sh_offset;
        k->len = sh.sh_size;
        return 0;
    }
    return -EINVAL;
}

/* Sections may lie at any offset; readers of BTF want whole words. */
static int align_copy(struct zn_kbtf *k)
{
    void *copy;

    if ((uintptr_t)k->data % 8 == 0)
        return 0;
    copy = malloc(k->len ? k->len : 1);
    if (!copy)
        return -ENOMEM;
    memcpy(copy, k->data, k->len);
    if (k->mapped)
        munmap(k->owned, k->owned_len);
    else
        free(k->owned);
    k->owned = copy;
    k->owned_len = 0;
    k->mapped = false;
    k->data = copy;
    return 0;
}

void zn_kbtf_close(struct zn_kbtf *k)
{
    if (!k)
        return;
    if (k->mapped)
        munmap(k->owned, k->owned_len);
    else
        free(k->owned);
    free(k->source);
    free(k);
}

int zn_kbtf_open(const char *path, struct zn_kbtf **ret)
{
    struct zn_kbtf *k = calloc(1, sizeof(*k));
    int r;

    if (!k)
        return -ENOMEM;
    if (!path)
        path = BTF_DIR "/vmlinux";
    k->source = strdup(path);
    r = k->source ? load(path, k) : -ENOMEM;
    if (r == 0 && !is_btf(k->data, k->len)) {
        r = find_section(k);
        if (r == 0)
            r = align_copy(k);
        if (r == 0 && !is_btf(k->data, k->len))
            r = -EINVAL;
    }
    if (r < 0) {
        zn_kbtf_close(k);
        return r;
    }
    *ret = k;
    return 0;
}

int zn_kbtf_open_module(const char *module, struct zn_kbtf **ret)
{
    char path[256];

    if (strchr(module, '/') || module[0] == '.')
        return -ENOENT;
    if (snprintf(path, sizeof(path), BTF_DIR "/%s", module) >= (int)sizeof(path))
        return -ENOENT;
    return zn_kbtf_open(path, ret);
}

bool zn_kbtf_has_name(const struct zn_kbtf *k, const char *name)
{
    size_t n = strlen(name);
    const char *at, *end;
    struct btf_header h;

    memcpy(&h, k->data, sizeof(h));
    if (h.hdr_len > k->len || h.str_off > k->len - h.hdr_len ||
        h.str_len > k->len - h.hdr_len - h.str_off)
        return false;
    at = (const char *)k->data + h.hdr_len + h.str_off;
    end = at + h.str_len;
    while (at < end) {
        const char *hit = memmem(at, (size_t)(end - at), name, n + 1);

        if (!hit)
            return false;
        if (hit == at || hit[-1] == '\0')
            return true;
        at = hit + n + 1;
    }
    return false;
}

int zn_kbtf_modules(int (*fn)(void *arg, const char *module), void *arg)
{
    DIR *dir = opendir(BTF_DIR);
    const struct dirent *e;
    int r = 0;

    if (!dir)
        return errno == ENOENT ? 0 : -errno;
    while (r == 0 && (e = readdir(dir)))
        if (e->d_name[0] != '.' && strcmp(e->d_name, "vmlinux") != 0)
            r = fn(arg, e->d_name);
    closedir(dir);
    return r;
}

static int bpf(int cmd, union bpf_attr *attr)
{
    long r = syscall(SYS_bpf, cmd, attr, sizeof(*attr));

    return r < 0 ? -errno : (int)r;
}

int zn_kbtf_module_fd(const char *module)
{
    union bpf_attr next = {0};

    while (bpf(BPF_BTF_GET_NEXT_ID, &next) == 0) {
        union bpf_attr get = {.btf_id = next.next_id}, info_attr = {0};
        struct bpf_btf_info info = {0};
        char name[64] = "";
        int r;
        ZN_AUTOCLOSE int fd = bpf(BPF_BTF_GET_FD_BY_ID, &get);

        next.start_id = next.next_id;
        if (fd == -ENOENT)
            continue; /* freed in between */
        if (fd < 0)
            return fd;
        info.name = (uintptr_t)name;
        info.name_len = sizeof(name);
        info_attr.info.bpf_fd = (uint32_t)fd;
        info_attr.info.info_len = sizeof(info);
        info_attr.info.info = (uintptr_t)&info;
        r = bpf(BPF_OBJ_GET_INFO_BY_FD, &info_attr);
        if (r == 0 && info.kernel_btf && strcmp(name, module) == 0)
            return ZN_TAKE_FD(fd);
    }
    return -ENOENT;
}
