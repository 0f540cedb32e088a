/* SPDX-License-Identifier: Apache-2.0 */
/* Paths of cgroups by id, over all mounted hierarchies.
 *
 * A cgroup's id is its directory's file handle in kernfs, so open_by_handle_at() finds it without a
 * walk. An id is unique in its hierarchy only: each mounted one is asked. */
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "rt/view.h"

enum { FILEID_KERNFS = 0xfe, MOST_MOUNTS = 32, MOST_CACHED = 1024 };

struct mount {
    char *name; /* "unified", "memory" … */
    char *path;
    int fd;
};

struct entry {
    uint64_t id;
    const char *filter; /* by identity: the image's string */
    char *text;
};

struct zn_cgroups {
    struct mount mounts[MOST_MOUNTS];
    unsigned nmounts;
    bool read;
    struct entry *cache;
    size_t ncache;
};

struct zn_cgroups *zn_cgroups_new(void)
{
    return calloc(1, sizeof(struct zn_cgroups));
}

static void drop_cache(struct zn_cgroups *c)
{
    for (size_t i = 0; i < c->ncache; i++)
        free(c->cache[i].text);
    c->ncache = 0;
}

void zn_cgroups_free(struct zn_cgroups *c)
{
    if (!c)
        return;
    for (unsigned i = 0; i < c->nmounts; i++) {
        free(c->mounts[i].name);
        free(c->mounts[i].path);
        zn_closep(&c->mounts[i].fd);
    }
    drop_cache(c);
    free(c->cache);
    free(c);
}

/* "cgroup /sys/fs/cgroup/memory cgroup rw,…,memory 0 0" */
static void add_mount(struct zn_cgroups *c, char *line)
{
    char *save = NULL;
    (void)strtok_r(line, " ", &save);
    const char *path = strtok_r(NULL, " ", &save);
    const char *type = strtok_r(NULL, " ", &save);
    if (!type || c->nmounts == MOST_MOUNTS)
        return;
    const char *base = strrchr(path, '/');
    const char *name;
    if (!strcmp(type, "cgroup2"))
        name = "unified";
    else if (!strcmp(type, "cgroup") && base)
        name = base + 1;
    else
        return;
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return;
    struct mount *m = &c->mounts[c->nmounts];
    *m = (struct mount){.name = strdup(name), .path = strdup(path), .fd = fd};
    c->nmounts++;
}

static void read_mounts(struct zn_cgroups *c)
{
    c->read = true;
    ZN_AUTOFREE char *s = NULL;
    if (zn_file_read("/proc/self/mounts", 4 << 20, &s, NULL) < 0)
        return;
    char *save = NULL;
    for (char *l = strtok_r(s, "\n", &save); l; l = strtok_r(NULL, "\n", &save))
        add_mount(c, l);
}

/* The path below the mount, "/" for its root; false when the hierarchy has no such cgroup. */
static bool path_in(const struct mount *m, uint64_t id, char *buf, size_t size)
{
    union {
        struct file_handle h;
        char space[sizeof(struct file_handle) + sizeof(id)];
    } u = {.h = {.handle_bytes = sizeof(id), .handle_type = FILEID_KERNFS}};
    memcpy(u.h.f_handle, &id, sizeof(id));
    ZN_AUTOCLOSE int fd = open_by_handle_at(m->fd, &u.h, O_RDONLY | O_PATH | O_CLOEXEC);
    if (fd < 0 || !m->path)
        return false;
    char link[64];
    snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, buf, size - 1);
    if (n < 0)
        return false;
    buf[n] = '\0';
    size_t skip = strlen(m->path);
    if (!strncmp(buf, m->path, skip))
        memmove(buf, buf + skip, (size_t)n - skip + 1);
    if (!*buf)
        memcpy(buf, "/", 2);
    return true;
}

static char *find(struct zn_cgroups *c, uint64_t id, const char *filter)
{
    struct zn_str s;
    char buf[PATH_MAX];
    zn_str_init(&s);
    for (unsigned i = 0; i < c->nmounts; i++) {
        const struct mount *m = &c->mounts[i];
        if (filter && *filter && fnmatch(filter, m->name, 0))
            continue;
        if (!path_in(m, id, buf, sizeof(buf)))
            continue;
        zn_str_printf(&s, "%s%s:%s", s.len ? "," : "", m->name, buf);
    }
    return s.data ? s.data : strdup("");
}

const char *zn_cgroups_path(struct zn_cgroups *c, uint64_t id, const char *filter)
{
    if (!c->read)
        read_mounts(c);
    for (size_t i = 0; i < c->ncache; i++)
        if (c->cache[i].id == id && c->cache[i].filter == filter)
            return c->cache[i].text;
    if (!c->cache)
        c->cache = calloc(MOST_CACHED, sizeof(*c->cache));
    char *text = find(c, id, filter);
    if (!c->cache || !text) {
        free(text);
        return NULL;
    }
    if (c->ncache == MOST_CACHED)
        drop_cache(c);
    c->cache[c->ncache++] = (struct entry){id, filter, text};
    return text;
}
