/* SPDX-License-Identifier: Apache-2.0 */
/* The cache of ELF files.
 *
 * A mapping's path is only a hint: it may lie in another mount namespace, be deleted or replaced. So
 * a file is reached, in this order,
 *
 *   /proc/PID/map_files/LO-HI   the very inode that is mapped, deleted or not (privileged);
 *   /proc/PID/root/PATH         the process's own view, if the inode is the mapped one;
 *   PATH                        for processes that are gone, under the same condition.
 *
 * It is opened when a mapping is bound (the process may be gone later) and its symbols are read when
 * the first name is wanted; both the descriptors and the tables held are limited. */
#include "sym/files.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "base/mem.h"
#include "sym/debugfile.h"

enum { MAX_FDS = 64 };

struct zn_files {
    struct zn_file *head;
    uint32_t n, max_files;
    uint64_t bytes, max_bytes;
    uint32_t fds;
    struct zn_elf *vdso;
    uint64_t vdso_size;
    bool vdso_tried;
};

struct zn_files *zn_files_new(uint32_t max_files, uint64_t max_bytes)
{
    struct zn_files *f = calloc(1, sizeof(*f));
    if (!f)
        return NULL;
    f->max_files = max_files;
    f->max_bytes = max_bytes;
    return f;
}

void zn_file_ref(struct zn_file *file)
{
    if (file)
        file->refs++;
}

void zn_file_unref(struct zn_file *file)
{
    if (file && !--file->refs && !file->owner)
        free(file);
}

static void drop_fd(struct zn_files *f, struct zn_file *file)
{
    if (file->fd < 0)
        return;
    close(file->fd);
    file->fd = -1;
    f->fds--;
}

static void unlink_file(struct zn_files *f, struct zn_file *file)
{
    struct zn_file **p = &f->head;
    while (*p != file)
        p = &(*p)->next;
    *p = file->next;
    f->n--;
}

static void forget(struct zn_files *f, struct zn_file *file)
{
    unlink_file(f, file);
    drop_fd(f, file);
    if (file->elf)
        f->bytes -= zn_elf_bytes(file->elf);
    zn_elf_close(file->elf);
    file->elf = NULL;
    file->owner = NULL;
    if (!file->refs)
        free(file);
}

void zn_files_free(struct zn_files *f)
{
    if (!f)
        return;
    while (f->head)
        forget(f, f->head);
    zn_elf_close(f->vdso);
    free(f);
}

static void push(struct zn_files *f, struct zn_file *file)
{
    file->next = f->head;
    f->head = file;
    f->n++;
}

static struct zn_file *last(struct zn_files *f, bool with_fd)
{
    struct zn_file *found = NULL;
    for (struct zn_file *i = f->head; i; i = i->next)
        if (!with_fd || i->fd >= 0)
            found = i;
    return found;
}

/* Makes the cache keep its limits, never dropping `keep`. */
static void trim(struct zn_files *f, const struct zn_file *keep)
{
    while (f->n > f->max_files || f->bytes > f->max_bytes) {
        struct zn_file *old = last(f, false);
        if (old == keep)
            return;
        forget(f, old);
    }
}

static void load(struct zn_files *f, struct zn_file *file, uint32_t tgid, const char *path)
{
    const struct zn_elf_src src = {.fd = file->fd};
    file->loaded = true;
    if (file->fd < 0 || !file->elf)
        return;
    f->bytes -= zn_elf_bytes(file->elf);
    (void)zn_elf_load(file->elf, &src, f->max_bytes);
    zn_elf_load_plt(file->elf, &src);
    if (!file->elf->symtab)
        zn_debug_load(file->elf, &src, tgid, path, f->max_bytes);
    zn_elf_finish(file->elf);
    f->bytes += zn_elf_bytes(file->elf);
    drop_fd(f, file);
    trim(f, file);
}

static int64_t mtime_ns(const struct stat *st)
{
    return (int64_t)st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec;
}

/* A cached file; st NULL: whatever it was when last seen. */
static struct zn_file *lookup(struct zn_files *f, const struct zn_map *m, const struct stat *st)
{
    for (struct zn_file *i = f->head; i; i = i->next) {
        if (i->ino != m->ino || i->maj != m->maj || i->min != m->min)
            continue;
        if (st && (i->mtime_ns != mtime_ns(st) || i->size != st->st_size))
            continue;
        unlink_file(f, i);
        push(f, i);
        return i;
    }
    return NULL;
}

/* Overlay file systems before 6.8 show another inode number in maps than stat does. */
static bool is_overlay(const char *path)
{
    struct statfs fs;
    return !statfs(path, &fs) && fs.f_type == OVERLAYFS_SUPER_MAGIC;
}

/* Finds a path that leads to the mapped file now. */
static bool reach(uint32_t tgid, const struct zn_map *m, char *path, size_t n, struct stat *st)
{
    if (tgid) {
        snprintf(path, n, "/proc/%u/map_files/%" PRIx64 "-%" PRIx64, tgid, m->base, m->end);
        if (!stat(path, st))
            return S_ISREG(st->st_mode);
        if (m->deleted)
            return false;
        int len = snprintf(path, n, "/proc/%u/root%s", tgid, m->path->s);
        if (len > 0 && (size_t)len < n && !stat(path, st))
            return S_ISREG(st->st_mode) && (st->st_ino == m->ino || is_overlay(path));
    }
    int len = snprintf(path, n, "%s", m->path->s);
    return !m->deleted && len > 0 && (size_t)len < n && !stat(path, st) && S_ISREG(st->st_mode) &&
           st->st_ino == m->ino;
}

static struct zn_file *open_file(struct zn_files *f, const struct zn_map *m, const char *path,
                                 const struct stat *st)
{
    ZN_AUTOCLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return NULL;
    struct zn_file *file = calloc(1, sizeof(*file));
    if (!file)
        return NULL;
    *file = (struct zn_file){.owner = f,
                             .maj = m->maj,
                             .min = m->min,
                             .ino = m->ino,
                             .mtime_ns = mtime_ns(st),
                             .size = st->st_size,
                             .fd = -1};
    if (!zn_elf_open(&(struct zn_elf_src){.fd = fd}, &file->elf)) {
        file->fd = ZN_TAKE_FD(fd);
        f->fds++;
        f->bytes += zn_elf_bytes(file->elf);
    }
    push(f, file);
    return file;
}

void zn_files_bind(struct zn_files *f, uint32_t tgid, struct zn_map *map)
{
    if (map->file && !map->file->owner) { /* forgotten meanwhile: look again */
        zn_file_unref(map->file);
        map->file = NULL;
        map->asked = false;
    }
    if (map->asked)
        return;
    map->asked = true;
    if (!map->ino || map->path->s[0] != '/')
        return;
    char path[4200];
    struct stat st;
    bool there = reach(tgid, map, path, sizeof(path), &st);
    struct zn_file *file = lookup(f, map, there ? &st : NULL);
    if (!file && there)
        file = open_file(f, map, path, &st);
    if (!file)
        return;
    zn_file_ref(file);
    map->file = file;
    trim(f, file);
    struct zn_file *old;
    while (f->fds > MAX_FDS && (old = last(f, true)))
        load(f, old, 0, "");
}

const struct zn_elf *zn_files_symbols(struct zn_files *f, uint32_t tgid, const struct zn_map *map)
{
    struct zn_file *file = map->file;
    if (!file || !file->owner)
        return NULL;
    unlink_file(f, file);
    push(f, file);
    if (!file->loaded)
        load(f, file, tgid, map->path->s);
    return file->elf;
}

/* How many bytes the vDSO has: its last section header's end, which is how the image is laid out. */
static uint64_t vdso_bytes(const uint8_t *image, uint64_t mapped)
{
    uint64_t shoff;
    uint16_t shentsize, shnum;
    memcpy(&shoff, image + 0x28, 8);
    memcpy(&shentsize, image + 0x3a, 2);
    memcpy(&shnum, image + 0x3c, 2);
    uint64_t end = shoff + (uint64_t)shentsize * shnum;
    return end <= mapped ? end : mapped;
}

const struct zn_elf *zn_files_vdso(struct zn_files *f, uint64_t size)
{
    const uint8_t *image = (const uint8_t *)getauxval(AT_SYSINFO_EHDR);
    if (!f->vdso_tried && image && sizeof(long) == 8) {
        const struct zn_elf_src src = {.fd = -1, .image = image, .size = vdso_bytes(image, size)};
        f->vdso_tried = true;
        f->vdso_size = ZN_ALIGN_UP(src.size, (uint64_t)getpagesize());
        if (f->vdso_size == size && !zn_elf_open(&src, &f->vdso)) {
            (void)zn_elf_load(f->vdso, &src, f->max_bytes);
            zn_elf_finish(f->vdso);
        }
    }
    return f->vdso_size == size ? f->vdso : NULL;
}
