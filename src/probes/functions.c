/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of this kernel: those that ftrace can patch, else all text symbols. */
#include "probes/functions.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "probes/kind.h"

static int cmp_func(const void *a, const void *b)
{
    const struct zn_func *x = a, *y = b;
    int d = strcmp(x->name, y->name);

    if (d)
        return d;
    return strcmp(x->module ? x->module : "", y->module ? y->module : "");
}

static int add(struct zn_funcs *f, size_t *cap, char *name, char *module)
{
    if (f->n == *cap) {
        size_t grown = *cap ? *cap * 2 : 65536;
        struct zn_func *v = realloc(f->v, grown * sizeof(*v));

        if (!v)
            return -ENOMEM;
        f->v = v;
        *cap = grown;
    }
    f->v[f->n++] = (struct zn_func){.name = name, .module = module};
    return 0;
}

/* "[btrfs]" after a blank or tab, cut to "btrfs". */
static char *take_module(char *s)
{
    char *open = strchr(s, '['), *close = open ? strchr(open, ']') : NULL;

    if (!close)
        return NULL;
    *close = '\0';
    return open + 1;
}

/* "vfs_read" or "btrfs_open [btrfs]"; with addresses it would be another file. */
static int parse_filter_line(struct zn_funcs *f, size_t *cap, char *line)
{
    char *blank = line + strcspn(line, " \t");
    char *module = take_module(blank);

    *blank = '\0';
    if (!*line || strncmp(line, "__ftrace_invalid_address", 24) == 0)
        return 0;
    return add(f, cap, line, module);
}

/* "ffffffff81000000 T vfs_read" with "\t[btrfs]" for modules. */
static int parse_kallsyms_line(struct zn_funcs *f, size_t *cap, char *line)
{
    char *kind = strchr(line, ' ');
    char *name, *end, *module;

    if (!kind || (kind[1] != 't' && kind[1] != 'T') || kind[2] != ' ')
        return 0;
    name = kind + 3;
    end = name + strcspn(name, " \t");
    module = take_module(end);
    *end = '\0';
    return add(f, cap, name, module);
}

static struct zn_funcs *load(const char *path,
                             int (*parse)(struct zn_funcs *f, size_t *cap, char *line))
{
    struct zn_funcs *f = calloc(1, sizeof(*f));
    size_t cap = 0, len;
    int r;

    if (!f)
        return NULL;
    r = zn_file_read(path, 0, &f->text, &len);
    for (char *line = f->text, *next; !r && line && *line; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        r = parse(f, &cap, line);
    }
    if (r || f->n == 0) {
        zn_funcs_free(f);
        return NULL;
    }
    qsort(f->v, f->n, sizeof(*f->v), cmp_func);
    return f;
}

const struct zn_funcs *zn_funcs_get(struct zn_probes *p)
{
    char path[512];

    if (p->funcs)
        return p->funcs;
    if (p->tracefs) {
        snprintf(path, sizeof(path), "%s/available_filter_functions", p->tracefs);
        p->funcs = load(path, parse_filter_line);
        if (p->funcs)
            p->funcs->traceable = true;
    }
    if (!p->funcs)
        p->funcs = load("/proc/kallsyms", parse_kallsyms_line);
    return p->funcs;
}

void zn_funcs_free(struct zn_funcs *f)
{
    if (!f)
        return;
    free(f->v);
    free(f->text);
    free(f);
}

bool zn_locks_up(const char *func)
{
    static const char *const names[] = {"_raw_spin_lock", "_raw_spin_lock_irqsave",
                                        "_raw_spin_unlock_irqrestore", "queued_spin_lock_slowpath"};

    for (size_t i = 0; i < ZN_ARRAY_SIZE(names); i++)
        if (strcmp(func, names[i]) == 0)
            return true;
    return false;
}

size_t zn_funcs_find(const struct zn_funcs *f, const char *name, size_t *n)
{
    size_t lo = 0, hi = f->n;

    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;

        if (strcmp(f->v[mid].name, name) < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    for (*n = 0; lo + *n < f->n && strcmp(f->v[lo + *n].name, name) == 0; (*n)++)
        ;
    return lo;
}
