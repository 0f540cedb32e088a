/* SPDX-License-Identifier: Apache-2.0 */
/* Debug files of stripped binaries: by build id, by debug link, and the compressed little one inside.
 *
 * A found file counts only if its build id is the same: a wrong table gives wrong names. */
#include "sym/debugfile.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"

static bool try_file(struct zn_elf *e, const char *path, uint64_t max_bytes)
{
    struct stat st;
    if (stat(path, &st) || !S_ISREG(st.st_mode))
        return false;
    ZN_AUTOCLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    const struct zn_elf_src src = {.fd = fd};
    struct zn_elf *debug = NULL;
    if (fd < 0 || zn_elf_open(&src, &debug))
        return false;
    bool same = e->build_id_len && debug->build_id_len == e->build_id_len &&
                !memcmp(debug->build_id, e->build_id, e->build_id_len);
    zn_elf_close(debug);
    return same && !zn_elf_load(e, &src, max_bytes);
}

static bool by_build_id(struct zn_elf *e, const char *root, uint64_t max_bytes)
{
    char hex[2 * ZN_BUILD_ID_MAX + 1] = "", path[256];
    for (uint32_t i = 0; i < e->build_id_len; i++)
        snprintf(hex + 2 * i, 3, "%02x", e->build_id[i]);
    if (e->build_id_len < 2)
        return false;
    snprintf(path, sizeof(path), "%s/usr/lib/debug/.build-id/%.2s/%s.debug", root, hex, hex + 2);
    return try_file(e, path, max_bytes);
}

static bool by_link(struct zn_elf *e, const char *root, const char *of, uint64_t max_bytes)
{
    static const struct {
        const char *before, *behind; /* the directory of the binary */
    } places[] = {{"", ""}, {"", "/.debug"}, {"/usr/lib/debug", ""}};
    const char *slash = strrchr(of, '/');
    if (!slash || !e->debuglink || strchr(e->debuglink, '/'))
        return false;
    for (size_t i = 0; i < ZN_ARRAY_SIZE(places); i++) {
        char path[4400];
        int n = snprintf(path, sizeof(path), "%s%s%.*s%s/%s", root, places[i].before,
                         (int)(slash - of), of, places[i].behind, e->debuglink);
        if (n > 0 && (size_t)n < sizeof(path) && try_file(e, path, max_bytes))
            return true;
    }
    return false;
}

typedef int lzma_decode_fn(uint64_t *memlimit, uint32_t flags, const void *allocator,
                           const uint8_t *in, size_t *in_pos, size_t in_size, uint8_t *out,
                           size_t *out_pos, size_t out_size);

/* .gnu_debugdata: an xz-compressed ELF file with the symbols that .dynsym lacks (Fedora and kin). */
static void load_xz(struct zn_elf *e, const Elf_Data *data, uint64_t max_bytes)
{
    void *lib = dlopen("liblzma.so.5", RTLD_NOW | RTLD_LOCAL);
    lzma_decode_fn *decode = lib ? (lzma_decode_fn *)dlsym(lib, "lzma_stream_buffer_decode") : NULL;
    size_t cap = ZN_MIN((uint64_t)data->d_size * 64, ZN_MIN(max_bytes, (uint64_t)64 << 20));
    ZN_AUTOFREE uint8_t *out = decode ? malloc(cap ? cap : 1) : NULL;
    uint64_t memlimit = 128 << 20;
    size_t in_pos = 0, out_pos = 0;
    if (out && !decode(&memlimit, 0, NULL, data->d_buf, &in_pos, data->d_size, out, &out_pos, cap))
        (void)zn_elf_load(e, &(struct zn_elf_src){.fd = -1, .image = out, .size = out_pos},
                          max_bytes);
    if (lib)
        dlclose(lib);
}

static void load_mini(struct zn_elf *e, const struct zn_elf_src *src, uint64_t max_bytes)
{
    Elf *elf = src->image ? NULL : elf_begin(src->fd, ELF_C_READ, NULL);
    size_t shstrndx = 0;
    Elf_Scn *scn = NULL;
    if (elf && !elf_getshdrstrndx(elf, &shstrndx)) {
        while ((scn = elf_nextscn(elf, scn))) {
            GElf_Shdr sh;
            const char *name =
                gelf_getshdr(scn, &sh) ? elf_strptr(elf, shstrndx, sh.sh_name) : NULL;
            if (!name || strcmp(name, ".gnu_debugdata"))
                continue;
            Elf_Data *data = elf_getdata(scn, NULL);
            if (data && data->d_buf)
                load_xz(e, data, max_bytes);
        }
    }
    elf_end(elf);
}

void zn_debug_load(struct zn_elf *e, const struct zn_elf_src *src, uint32_t tgid, const char *path,
                   uint64_t max_bytes)
{
    char root[64] = "";
    for (int i = 0; i < 2; i++) { /* this machine's files, then the process's */
        if (by_build_id(e, root, max_bytes) || by_link(e, root, path, max_bytes))
            return;
        if (!tgid)
            break;
        snprintf(root, sizeof(root), "/proc/%u/root", tgid);
    }
    load_mini(e, src, max_bytes);
}
