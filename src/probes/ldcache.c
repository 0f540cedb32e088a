/* SPDX-License-Identifier: Apache-2.0 */
/* The dynamic linker's cache: soname to path, as /etc/ld.so.cache holds it. */
#include <errno.h>
#include <string.h>

#include "base/file.h"
#include "probes/kind.h"
#include "probes/objects.h"

#define MAGIC "glibc-ld.so.cache1.1"

/* glibc's own layout (dl-cache.h); offsets count from the header. */
struct header {
    char magic[sizeof(MAGIC) - 1];
    uint32_t nlibs, len_strings;
    uint8_t flags, pad[3];
    uint32_t extension, unused[3];
};
struct entry {
    int32_t flags;
    uint32_t key, value, osversion;
    uint64_t hwcap;
};

#if defined(__x86_64__)
enum { NATIVE = 0x0303 };
#elif defined(__aarch64__)
enum { NATIVE = 0x0a03 };
#else
enum { NATIVE = 0x0003 };
#endif

bool zn_object_fits(const char *name, const char *file)
{
    size_t n = strlen(name);

    if (zn_is_glob(name))
        return zn_glob(name, file);
    if (strcmp(name, file) == 0)
        return true;
    if (strncmp(name, file, n) != 0)
        return false;
    /* "libc" takes libc.so, libc.so.6 and libc-2.31.so; "libc.so" takes libc.so.6. */
    if (strncmp(file + n, ".so", 3) == 0)
        return file[n + 3] == '\0' || file[n + 3] == '.';
    if (strstr(name, ".so"))
        return file[n] == '.';
    return file[n] == '-' && file[n + 1] >= '0' && file[n + 1] <= '9' && strstr(file, ".so");
}

int zn_ldcache_find(const char *name, struct zn_names *ret)
{
    ZN_AUTOFREE char *text = NULL;
    const char *base;
    struct header h;
    size_t len, left;
    int r = zn_file_read("/etc/ld.so.cache", 16 << 20, &text, &len);

    if (r)
        return r;
    /* Older systems put an older table before it. */
    base = memmem(text, len, MAGIC, sizeof(MAGIC) - 1);
    if (!base)
        return -ENOENT;
    left = len - (size_t)(base - text);
    if (left < sizeof(h))
        return -EINVAL;
    memcpy(&h, base, sizeof(h));
    for (uint32_t i = 0; !r && i < h.nlibs; i++) {
        struct entry e;

        if (left < sizeof(h) + (i + 1ULL) * sizeof(e))
            return -EINVAL;
        memcpy(&e, base + sizeof(h) + i * sizeof(e), sizeof(e));
        /* The text ends in a NUL of zn_file_read's, so any offset inside is a string. */
        if (e.flags == NATIVE && e.key < left && e.value < left &&
            zn_object_fits(name, base + e.key))
            r = zn_names_add(ret, base + e.value);
    }
    return r;
}
