/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the tracing file system. */
#include "kern/tracefs.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/mem.h"

#define MAX_FORMAT_BYTES ((size_t)1 << 20)

static int has_events(const char *root)
{
    char path[ZN_TRACEFS_PATH + 16];

    snprintf(path, sizeof(path), "%s/events", root);
    return access(path, R_OK | X_OK) == 0 ? 0 : -errno;
}

/* Where else somebody mounted it. Spaces come as \040; such a mount point is passed over. */
static int search_mounts(char path[static ZN_TRACEFS_PATH])
{
    ZN_AUTOFREE char *text = NULL;
    size_t len;
    char *save = NULL;

    if (zn_file_read("/proc/self/mounts", 0, &text, &len) < 0)
        return -ENOENT;
    for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        char at[ZN_TRACEFS_PATH], type[16];

        if (sscanf(line, "%*s %255s %15s", at, type) != 2)
            continue;
        if (strcmp(type, "tracefs") != 0 || strchr(at, '\\') || has_events(at) < 0)
            continue;
        memcpy(path, at, sizeof(at));
        return 0;
    }
    return -ENOENT;
}

int zn_tracefs_find(char path[static ZN_TRACEFS_PATH])
{
    static const char *const usual[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};
    bool denied = false;

    for (size_t i = 0; i < ZN_ARRAY_SIZE(usual); i++) {
        int r = has_events(usual[i]);

        if (r == 0) {
            snprintf(path, ZN_TRACEFS_PATH, "%s", usual[i]);
            return 0;
        }
        /* debugfs itself is closed to users, whether tracefs is inside or not. */
        denied |= r == -EACCES && i == 0;
    }
    if (search_mounts(path) == 0)
        return 0;
    return denied ? -EACCES : -ENOENT;
}

void zn_tracefs_names_fini(struct zn_tracefs_names *l)
{
    for (size_t i = 0; i < l->n; i++)
        free(l->v[i]);
    free(l->v);
    *l = (struct zn_tracefs_names){0};
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int add_name(struct zn_tracefs_names *l, size_t *cap, const char *name)
{
    if (l->n == *cap) {
        size_t more = *cap ? *cap * 2 : 64;
        char **v = reallocarray(l->v, more, sizeof(*v));

        if (!v)
            return -ENOMEM;
        l->v = v;
        *cap = more;
    }
    l->v[l->n] = strdup(name);
    if (!l->v[l->n])
        return -ENOMEM;
    l->n++;
    return 0;
}

int zn_tracefs_list(const char *root, const char *dir, struct zn_tracefs_names *ret)
{
    struct zn_tracefs_names l = {0};
    const struct dirent *e;
    char path[512];
    size_t cap = 0;
    int r = 0;
    DIR *d;

    if (snprintf(path, sizeof(path), "%s/%s", root, dir) >= (int)sizeof(path))
        return -ENAMETOOLONG;
    d = opendir(path);
    if (!d)
        return -errno;
    while (r == 0 && (e = readdir(d)))
        if (e->d_type == DT_DIR && e->d_name[0] != '.')
            r = add_name(&l, &cap, e->d_name);
    closedir(d);
    if (r < 0) {
        zn_tracefs_names_fini(&l);
        return r;
    }
    if (l.n)
        qsort(l.v, l.n, sizeof(*l.v), by_name);
    *ret = l;
    return 0;
}

/* "field:unsigned int flags;	offset:16;	size:4;	signed:0;" */
static bool parse_field(char *line, struct zn_event_field *f)
{
    char *decl = strstr(line, "field:"), *end, *at;
    char *rest;

    if (!decl)
        return false;
    decl += strlen("field:");
    end = strchr(decl, ';');
    if (!end)
        return false;
    rest = end + 1;
    *end = '\0';
    f->decl = decl;
    at = strstr(rest, "offset:");
    if (!at)
        return false;
    f->off = (uint32_t)strtoul(at + strlen("offset:"), NULL, 10);
    at = strstr(rest, "size:");
    if (!at)
        return false;
    f->size = (uint32_t)strtoul(at + strlen("size:"), NULL, 10);
    at = strstr(rest, "signed:");
    f->sign = at && at[strlen("signed:")] == '1';
    return true;
}

int zn_event_format_parse(char *text, struct zn_event_format *ret)
{
    struct zn_event_format f = {.id = -1, .text = text};
    bool common = true;
    size_t cap = 0;
    char *next;

    for (char *line = text; line; line = next) {
        struct zn_event_field field = {0};

        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        if (strncmp(line, "ID:", 3) == 0)
            f.id = (int)strtol(line + 3, NULL, 10);
        if (strncmp(line, "print fmt:", 10) == 0)
            break;
        /* An empty line parts the common fields from the event's own. */
        if (!*line && f.nfields)
            common = false;
        if (!parse_field(line, &field))
            continue;
        field.common = common;
        if (f.nfields == cap) {
            size_t more = cap ? cap * 2 : 16;
            struct zn_event_field *v = reallocarray(f.fields, more, sizeof(*v));

            if (!v) {
                free(f.fields);
                return -ENOMEM;
            }
            f.fields = v;
            cap = more;
        }
        f.fields[f.nfields++] = field;
    }
    if (f.id < 0) {
        free(f.fields);
        return -EINVAL;
    }
    *ret = f;
    return 0;
}

void zn_event_format_fini(struct zn_event_format *f)
{
    free(f->fields);
    free(f->text);
    *f = (struct zn_event_format){0};
}

static int read_event_file(const char *root, const char *category, const char *event,
                           const char *file, char **ret)
{
    char path[512];
    size_t len;

    if (strchr(category, '/') || strchr(event, '/') || category[0] == '.' || event[0] == '.')
        return -ENOENT;
    if (snprintf(path, sizeof(path), "%s/events/%s/%s/%s", root, category, event, file) >=
        (int)sizeof(path))
        return -ENOENT;
    return zn_file_read(path, MAX_FORMAT_BYTES, ret, &len);
}

int zn_event_format_read(const char *root, const char *category, const char *event,
                         struct zn_event_format *ret)
{
    char *text;
    int r = read_event_file(root, category, event, "format", &text);

    if (r < 0)
        return r;
    r = zn_event_format_parse(text, ret);
    if (r < 0)
        free(text);
    return r;
}

int zn_event_id(const char *root, const char *category, const char *event, uint64_t *ret)
{
    ZN_AUTOFREE char *text = NULL;
    int r = read_event_file(root, category, event, "id", &text);
    char *end;
    uint64_t id;

    if (r < 0)
        return r;
    id = strtoull(text, &end, 10);
    if (end == text)
        return -EINVAL;
    *ret = id;
    return 0;
}
