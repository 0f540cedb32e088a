/* SPDX-License-Identifier: Apache-2.0 */
/* Perf maps: lines of START SIZE NAME, numbers in hex; what stands later in the file is newer code. */
#include "sym/perfmap.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/file.h"
#include "base/mem.h"

enum { MAX_BYTES = 64 << 20, CHECK_NS = 100000000 };

void zn_perfmap_fini(struct zn_perfmap *p)
{
    zn_elf_close(p->table);
    *p = (struct zn_perfmap){0};
}

/* The process's number in its own pid namespace, which is what it names the file by. */
static uint32_t inner_pid(uint32_t tgid)
{
    char path[64];
    ZN_AUTOFREE char *text = NULL;
    size_t len = 0;
    snprintf(path, sizeof(path), "/proc/%u/status", tgid);
    if (zn_file_read(path, 65536, &text, &len))
        return tgid;
    const char *line = strstr(text, "\nNSpid:");
    if (!line)
        return tgid;
    line += strlen("\nNSpid:");
    const char *last = line;
    for (const char *c = line; *c && *c != '\n'; c++)
        if (*c == '\t' || *c == ' ')
            last = c + 1;
    uint32_t pid = (uint32_t)strtoul(last, NULL, 10);
    return pid ? pid : tgid;
}

static int open_map(uint32_t tgid, struct stat *st)
{
    struct stat proc;
    char path[128];
    snprintf(path, sizeof(path), "/proc/%u", tgid);
    bool alive = !stat(path, &proc);
    if (alive)
        snprintf(path, sizeof(path), "/proc/%u/root/tmp/perf-%u.map", tgid, inner_pid(tgid));
    else
        snprintf(path, sizeof(path), "/tmp/perf-%u.map", tgid);
    ZN_AUTOCLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
    if (fd < 0 || fstat(fd, st) || !S_ISREG(st->st_mode))
        return -1;
    if (st->st_uid != 0 && alive && st->st_uid != proc.st_uid)
        return -1;
    return ZN_TAKE_FD(fd);
}

static char *read_all(int fd, size_t size)
{
    size = ZN_MIN(size, (size_t)MAX_BYTES);
    char *text = malloc(size + 1);
    size_t n = 0;
    ssize_t got;
    while (text && n < size && (got = read(fd, text + n, size - n)) > 0)
        n += (size_t)got;
    if (text)
        text[n] = '\0';
    return text;
}

static struct zn_elf *parse(const char *text)
{
    struct zn_elf *e = calloc(1, sizeof(*e));
    if (!e)
        return NULL;
    uint32_t number = 0;
    for (const char *line = text, *next; *line; line = next) {
        const char *eol = strchr(line, '\n');
        if (!eol)
            break; /* still being written */
        next = eol + 1;
        char *end;
        uint64_t addr = strtoull(line, &end, 16);
        uint64_t size = end < eol ? strtoull(end, &end, 16) : 0;
        while (end < eol && *end == ' ')
            end++;
        if (!size || size > UINT32_MAX || end >= eol)
            continue;
        uint32_t name = (uint32_t)e->names.len;
        zn_str_add(&e->names, end, (size_t)(eol - end));
        zn_str_putc(&e->names, '\0');
        if (e->names.failed || !zn_elf_add(e, addr, size, name, ++number))
            break;
    }
    zn_elf_finish(e);
    return e;
}

bool zn_perfmap_update(struct zn_perfmap *p, uint32_t tgid)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    uint64_t now_ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
    if (p->checked_ns && now_ns - p->checked_ns < CHECK_NS)
        return false;
    p->checked_ns = now_ns;
    struct stat st;
    ZN_AUTOCLOSE int fd = open_map(tgid, &st);
    int64_t mtime = fd < 0 ? 0 : (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
    if (fd < 0 || (p->table && p->mtime_ns == mtime && p->size == st.st_size))
        return false;
    ZN_AUTOFREE char *text = read_all(fd, (size_t)st.st_size);
    struct zn_elf *table = text ? parse(text) : NULL;
    if (!table)
        return false;
    zn_elf_close(p->table);
    p->table = table;
    p->mtime_ns = mtime;
    p->size = st.st_size;
    return true;
}
