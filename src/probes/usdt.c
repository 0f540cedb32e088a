/* SPDX-License-Identifier: Apache-2.0 */
/* usdt:PATH:[PROVIDER:]PROBE: static places that programs announce by notes, and their semaphores.
 *
 * A probe that the compiler copied (inlining) is in several places, each with arguments of its own;
 * every place is a target. The path may be empty or "*": all that the process of -p has mapped, or
 * that any process has. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "probes/elf_sym.h"
#include "probes/kind.h"
#include "probes/objects.h"
#include "probes/usdt_note.h"

enum { MOST_HITS = 100000 };

struct place {
    const char *provider, *name, *args; /* in the file's bytes */
    const char *func;                   /* arena: the function it is in, or NULL */
    uint64_t addr, sem;                 /* addresses */
};

/* What is looked for, and what one file has of it. */
struct search {
    struct zn_arena *arena;
    const struct zn_arch *arch;
    const char *object, *provider, *name; /* patterns; object "*": everything mapped */
    struct place *v;                      /* malloc'ed */
    size_t n, cap;
    uint64_t base; /* address of .stapsdt.base, 0 none */
    bool moved_known;
};

static int consider(void *arg, const struct zn_usdt_note *n)
{
    struct search *s = arg;
    uint64_t moved = s->moved_known && n->base ? s->base - n->base : 0;

    if (!zn_glob(s->provider, n->provider) || !zn_glob(s->name, n->name) || s->n >= MOST_HITS)
        return 0;
    if (s->n == s->cap) {
        size_t cap = s->cap ? s->cap * 2 : 32;
        struct place *v = realloc(s->v, cap * sizeof(*v));

        if (!v)
            return -ENOMEM;
        s->v = v;
        s->cap = cap;
    }
    s->v[s->n++] = (struct place){.provider = n->provider,
                                  .name = n->name,
                                  .args = n->args,
                                  .addr = n->loc + moved,
                                  .sem = n->sem ? n->sem + moved : 0};
    return 0;
}

static int cmp_place(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    int d = strcmp(x->provider, y->provider);

    d = d ? d : strcmp(x->name, y->name);
    return d ? d : (x->addr > y->addr) - (x->addr < y->addr);
}

/* The probes of a file that fit, by name. A file without notes has none. */
static int search_file(struct search *s, struct zn_esym_file *f)
{
    const void *data;
    uint64_t addr;
    size_t len;
    int r;

    s->n = 0;
    r = zn_esym_section(f, ".stapsdt.base", &data, &len, &s->base);
    s->moved_known = r == 0 || r == -ENODATA;
    if (zn_esym_section(f, ".note.stapsdt", &data, &len, &addr) < 0)
        return 0;
    r = zn_usdt_notes(data, len, zn_esym_word(f), consider, s);
    if (!r && s->n)
        qsort(s->v, s->n, sizeof(*s->v), cmp_place);
    return r;
}

/* ---- files ---- */

/* A command of -c that waits to be run has our own files mapped, none of its own. */
static bool is_held_child(uint32_t pid)
{
    char path[64];
    ZN_AUTOFREE char *text = NULL;
    struct stat ours, its;
    const char *comm_end;
    int parent;

    snprintf(path, sizeof(path), "/proc/%u/exe", pid);
    if (stat(path, &its) < 0 || stat("/proc/self/exe", &ours) < 0 || ours.st_dev != its.st_dev ||
        ours.st_ino != its.st_ino)
        return false;
    snprintf(path, sizeof(path), "/proc/%u/stat", pid);
    if (zn_file_read(path, 4096, &text, NULL) < 0)
        return false;
    comm_end = strrchr(text, ')');
    return comm_end && sscanf(comm_end, ") %*c %d", &parent) == 1 && parent == getpid();
}

static int find_files(const struct search *s, uint32_t pid, struct zn_names *paths)
{
    if (strcmp(s->object, "*") == 0 && !pid)
        return zn_objects_running(paths);
    return zn_objects_find(s->object, pid, paths);
}

/* A path as it was written; a wildcard's files as relative as the wildcard was. */
static const char *shown_path(const struct search *s, const char *path)
{
    const char *object = s->object;
    char cwd[PATH_MAX];
    size_t n;

    if (!strchr(object, '/') || object[0] == '/')
        return strchr(object, '/') && !zn_is_glob(object) ? object : path;
    if (!zn_is_glob(object))
        return object;
    if (!getcwd(cwd, sizeof(cwd)))
        return path;
    n = strlen(cwd);
    if (strncmp(path, cwd, n) != 0 || path[n] != '/')
        return path;
    return zn_arena_printf(s->arena, "%s%s", strncmp(object, "./", 2) ? "" : "./", path + n + 1);
}

/* ---- targets ---- */

static int name_function(void *arg, const struct zn_esym *sym)
{
    struct search *s = arg;

    for (size_t i = 0; sym->func && i < s->n; i++)
        if (!s->v[i].func && s->v[i].addr >= sym->addr && s->v[i].addr - sym->addr < sym->size)
            s->v[i].func = zn_arena_strdup(s->arena, sym->name);
    return 0;
}

struct variable {
    const char *name;
    uint64_t addr;
};

static int is_variable(void *arg, const struct zn_esym *sym)
{
    struct variable *v = arg;

    if (strcmp(sym->name, v->name) != 0)
        return 0;
    v->addr = sym->addr;
    return 1;
}

static int find_variable(void *arg, const char *name, uint64_t *ret)
{
    struct variable v = {.name = name};

    if (zn_esym_each(arg, is_variable, &v) != 1)
        return -ENOENT;
    *ret = v.addr;
    return 0;
}

static int push(struct zn_expand *x, const struct search *s, const char *path,
                struct zn_esym_file *f, const struct place *p)
{
    struct zn_usdt_place at = {.arch = s->arch, .loc = p->addr, .symbol = find_variable, .arg = f};
    uint64_t off, sem = 0;
    struct zn_target *t;

    if (zn_esym_offset(f, p->addr, &off) < 0 ||
        (p->sem && (zn_esym_offset(f, p->sem, &sem) < 0 || sem > UINT32_MAX))) {
        x->note = zn_arena_printf(x->arena, "left out a place of %s:%s:%s: its note is wrong", path,
                                  p->provider, p->name);
        return 0;
    }
    t = zn_push(x);
    t->module = path;
    t->sym = zn_arena_strdup(x->arena, p->name);
    t->func = p->func;
    t->offset = off;
    t->value = sem;
    t->pid = x->p->env.pid;
    t->name = zn_arena_printf(x->arena, "usdt:%s:%s:%s", shown_path(s, path), p->provider, p->name);
    t->usdt_args = zn_usdt_args(x->arena, &at, p->args, &t->nusdt_args);
    return 0;
}

/* One file. Returns 0 also when the file has none of it. */
static int expand_file(struct zn_expand *x, struct search *s, const char *path, bool wildcard)
{
    const char *kept = zn_arena_strdup(x->arena, path);
    struct zn_esym_file *f;
    int r = zn_esym_open(path, &f);

    if (r == -ENOMEM || (r && !wildcard))
        return zn_fail(x, r, r == -ENOEXEC ? "%s is no program or library" : "cannot read %s",
                       path);
    if (r)
        return 0;
    r = search_file(s, f);
    if (!r && s->n)
        r = zn_esym_each(f, name_function, s);
    for (size_t i = 0; !r && i < s->n; i++)
        r = push(x, s, kept, f, &s->v[i]);
    zn_esym_close(f);
    return r;
}

static void suggest(struct zn_expand *x, struct search *s, const char *path)
{
    struct zn_names names = {0};
    struct zn_esym_file *f;
    const char *wanted = s->name;

    if (zn_esym_open(path, &f) < 0)
        return;
    s->name = s->provider = "*";
    if (search_file(s, f) == 0) {
        for (size_t i = 0; i < s->n; i++)
            (void)zn_names_add(&names, s->v[i].name);
        zn_suggest(x, wanted, (const char *const *)names.v, names.n);
        if (!s->n)
            x->hint = zn_arena_printf(x->arena, "%s has no usdt probes at all", path);
    }
    zn_esym_close(f);
    zn_names_fini(&names);
}

static int expand_files(struct zn_expand *x, struct search *s, const struct zn_names *paths)
{
    bool wildcard = zn_is_glob(s->object);
    uint32_t before = x->out->n;
    size_t having = 0;
    int r = 0;

    for (size_t i = 0; !r && i < paths->n; i++) {
        uint32_t n = x->out->n;

        r = expand_file(x, s, paths->v[i], wildcard);
        having += x->out->n > n;
    }
    if (r)
        return r;
    if (x->out->n == before && wildcard)
        return zn_fail(x, -ENOENT,
                       "no usdt probe '%s:%s' in the %zu libraries and programs that %s",
                       s->provider, s->name, paths->n,
                       strcmp(s->object, "*") ? zn_arena_printf(x->arena, "match %s", s->object)
                       : x->p->env.pid        ? "the process has mapped"
                                              : "processes have mapped");
    if (x->out->n == before) {
        r = zn_fail(x, -ENOENT, "no usdt probe '%s%s%s' in %s",
                    strcmp(s->provider, "*") ? s->provider : "",
                    strcmp(s->provider, "*") ? ":" : "", s->name, paths->v[0]);
        suggest(x, s, paths->v[0]);
        return r;
    }
    if (wildcard && !x->note)
        x->note =
            zn_arena_printf(x->arena, "%s: searched %zu %s, %zu %s it", x->spec->written, paths->n,
                            paths->n == 1 ? "file" : "files", having, having == 1 ? "has" : "have");
    return 0;
}

/* An empty part is a wildcard. */
static const char *part(const char *s)
{
    return *s ? s : "*";
}

int zn_expand_usdt(struct zn_expand *x)
{
    const struct zn_attach_spec *sp = x->spec;
    struct search s = {.arena = x->arena, .arch = x->p->env.arch, .provider = "*"};
    struct zn_names paths = {0};
    int r;

    if (sp->nparts < 2 || sp->nparts > 3 || !*sp->parts[sp->nparts - 1])
        return zn_fail(x, -EINVAL, "usdt needs a file and a probe: %s", sp->provider->syntax);
    s.object = part(sp->parts[0]);
    s.name = sp->parts[sp->nparts - 1];
    if (sp->nparts == 3)
        s.provider = part(sp->parts[1]);
    if (strcmp(s.object, "*") == 0 && x->p->env.pid && is_held_child(x->p->env.pid)) {
        x->hint = "name the program or library by its path";
        return zn_fail(x, -EINVAL, "what the command of -c will map is not known before it runs");
    }
    r = find_files(&s, x->p->env.pid, &paths);
    if (r == -ENOENT)
        r = zn_fail(x, r,
                    zn_is_glob(s.object) ? "no program or library matches %s"
                                         : "no such program or library: %s",
                    s.object);
    else if (r)
        r = zn_fail(x, r, "cannot look for %s: %s", s.object, strerror(-r));
    else
        r = expand_files(x, &s, &paths);
    free(s.v);
    zn_names_fini(&paths);
    return r;
}

/* ---- listing ---- */

static int list_args(struct zn_list *l, struct search *s, struct zn_esym_file *f,
                     const struct place *p)
{
    struct zn_usdt_place at = {.arch = s->arch, .loc = p->addr, .symbol = find_variable, .arg = f};
    uint32_t n;
    const struct zn_usdt_arg *a = zn_usdt_args(s->arena, &at, p->args, &n);
    int r = 0;

    for (uint32_t i = 0; !r && i < n; i++)
        r = a[i].kind == ZN_USDT_UNKNOWN
                ? zn_list_line(l, "    arg%u (not supported: %s)", i, a[i].text)
                : zn_list_line(l, "    %sint%u arg%u", a[i].sign ? "" : "u", a[i].size * 8u, i);
    return r;
}

static int list_file(struct zn_list *l, struct search *s, const char *path)
{
    struct zn_esym_file *f;
    int r;

    if (zn_esym_open(path, &f) < 0)
        return 0;
    r = search_file(s, f);
    for (size_t i = 0; !r && i < s->n; i++) {
        const struct place *p = &s->v[i];

        if (i && strcmp(p->name, p[-1].name) == 0 && strcmp(p->provider, p[-1].provider) == 0)
            continue;
        l->count++;
        r = zn_list_line(l, "usdt:%s:%s:%s", shown_path(s, path), p->provider, p->name);
        if (!r && l->verbose)
            r = list_args(l, s, f, p);
    }
    zn_esym_close(f);
    return r;
}

/* The pattern's parts behind its provider. */
static void split_pattern(struct zn_list *l, struct search *s)
{
    const char *rest = strchr(l->pattern, ':'), *second, *third;

    s->object = s->provider = s->name = "*";
    if (!rest)
        return;
    rest++;
    second = strchr(rest, ':');
    s->object = part(second ? zn_arena_strndup(s->arena, rest, (size_t)(second - rest)) : rest);
    if (!second++)
        return;
    third = strchr(second, ':');
    if (third)
        s->provider = part(zn_arena_strndup(s->arena, second, (size_t)(third - second)));
    s->name = part(third ? third + 1 : second);
}

/* A pattern over all kinds means a file if it has a path, and what the process of -p has mapped. */
int zn_list_usdt(struct zn_list *l)
{
    struct search s = {.arena = l->types->arena, .arch = l->p->env.arch};
    struct zn_names paths = {0};
    int r;

    split_pattern(l, &s);
    if (!l->named && !strchr(s.object, '/') &&
        (!l->p->env.pid || strcmp(s.object, "*") != 0 ||
         (!strchr(l->pattern, ':') && strcmp(l->pattern, "*") != 0)))
        return 0;
    r = find_files(&s, l->p->env.pid, &paths);
    if (r == -ENOENT) {
        if (l->named)
            l->why = zn_arena_printf(s.arena, "no such program or library: %s", s.object);
        r = 0;
    }
    for (size_t i = 0; !r && i < paths.n; i++)
        r = list_file(l, &s, paths.v[i]);
    free(s.v);
    zn_names_fini(&paths);
    return r;
}
