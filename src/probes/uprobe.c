/* SPDX-License-Identifier: Apache-2.0 */
/* uprobe:PATH:FUNCTION[+OFFSET], uprobe:PATH:0xADDRESS, uprobe:PATH:cpp:"NAME" and their returns.
 *
 * A function that begins with endbr64 is probed behind it: the kernel cannot emulate that
 * instruction and single-steps it, which makes a probe eleven times as slow. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "probes/cpp_name.h"
#include "probes/elf_sym.h"
#include "probes/kind.h"
#include "probes/objects.h"

enum { ENDBR_LEN = 4 };

struct hit {
    uint64_t addr, size, file_off;
    const char *name; /* arena */
};

/* What is looked for, and what one file has of it. */
struct search {
    struct zn_arena *arena;
    const char *pattern;
    struct zn_cpp_pattern cpp;
    bool is_cpp;
    struct hit *hits; /* malloc'ed */
    size_t n, cap;
    bool in_mangled; /* a mangled name has the text in it */
};

/* One attach point, taken apart. */
struct uplace {
    const char *object, *func;
    bool is_cpp, has_offset, is_addr;
    uint64_t offset; /* or the address */
};

static bool matches(struct search *s, const char *name)
{
    if (s->is_cpp)
        return zn_cpp_match(&s->cpp, name);
    if (zn_glob(s->pattern, name))
        return true;
    if (!s->in_mangled && name[0] == '_' && name[1] == 'Z' && !zn_is_glob(s->pattern))
        s->in_mangled = strstr(name, s->pattern) != NULL;
    return false;
}

static int consider(void *arg, const struct zn_esym *sym)
{
    struct search *s = arg;

    if (!sym->func || !matches(s, sym->name))
        return 0;
    if (s->n == s->cap) {
        size_t cap = s->cap ? s->cap * 2 : 32;
        struct hit *v = realloc(s->hits, cap * sizeof(*v));

        if (!v)
            return -ENOMEM;
        s->hits = v;
        s->cap = cap;
    }
    s->hits[s->n++] = (struct hit){.addr = sym->addr,
                                   .size = sym->size,
                                   .file_off = sym->file_off,
                                   .name = zn_arena_strdup(s->arena, sym->name)};
    return 0;
}

/* Of several names of one address the plainest comes first: few leading underscores, short. */
static int cmp_hit(const void *a, const void *b)
{
    const struct hit *x = a, *y = b;
    size_t ux = strspn(x->name, "_"), uy = strspn(y->name, "_");
    size_t nx = strlen(x->name), ny = strlen(y->name);

    if (x->addr != y->addr)
        return x->addr < y->addr ? -1 : 1;
    if (ux != uy)
        return ux < uy ? -1 : 1;
    if (nx != ny)
        return nx < ny ? -1 : 1;
    return strcmp(x->name, y->name);
}

static int search_file(struct search *s, struct zn_esym_file *f)
{
    size_t kept = 0;
    int r;

    s->n = 0;
    r = zn_esym_each(f, consider, s);
    if (s->n)
        qsort(s->hits, s->n, sizeof(*s->hits), cmp_hit);
    for (size_t i = 0; i < s->n; i++)
        if (kept == 0 || s->hits[kept - 1].addr != s->hits[i].addr)
            s->hits[kept++] = s->hits[i];
    s->n = kept;
    return r;
}

/* `probe` shows a path as it was written, and what a name without a slash was found to be. */
static const char *shown_path(struct zn_expand *x, const char *path)
{
    const char *object = x->spec->parts[0];

    return strchr(object, '/') && !zn_is_glob(object) ? object : path;
}

static void push(struct zn_expand *x, const char *path, const char *sym, uint64_t file_off)
{
    struct zn_target *t = zn_push(x);

    t->module = path;
    t->sym = sym;
    t->func = sym;
    t->offset = file_off;
    t->is_exit = x->spec->provider->id == ZP_URETPROBE;
    t->name =
        zn_arena_printf(x->arena, "%s:%s:%s", x->spec->provider->name, shown_path(x, path), sym);
}

static int push_hit(struct zn_expand *x, const struct uplace *at, const char *path,
                    struct zn_esym_file *f, const struct hit *h)
{
    uint64_t off = h->file_off;

    if (!at->has_offset) {
        if (x->spec->provider->id == ZP_UPROBE && zn_esym_is_endbr(f, off))
            off += ENDBR_LEN;
        push(x, path, h->name, off);
        return 0;
    }
    if (h->size && at->offset >= h->size)
        return zn_fail(x, -EINVAL, "Offset outside the function bounds ('%s' size is %llu)",
                       h->name, (unsigned long long)h->size);
    push(x, path, h->name, off + at->offset);

    struct zn_target *t = &x->out->v[x->out->n - 1];

    t->name = zn_arena_printf(x->arena, "%s+%llu", t->name, (unsigned long long)at->offset);
    return 0;
}

static int expand_address(struct zn_expand *x, const struct uplace *at, const char *path,
                          struct zn_esym_file *f)
{
    uint64_t off;

    if (zn_esym_offset(f, at->offset, &off) < 0)
        return zn_fail(x, -ENOENT, "no code of %s has the address 0x%llx", path,
                       (unsigned long long)at->offset);
    push(x, path, zn_arena_strdup(x->arena, at->func), off);
    x->out->v[x->out->n - 1].func = NULL;
    return 0;
}

/* One file. Returns 0 also when the file has none of it. */
static int expand_file(struct zn_expand *x, const struct uplace *at, struct search *s,
                       const char *path, bool wildcard)
{
    struct zn_esym_file *f;
    const char *kept = zn_arena_strdup(x->arena, path);
    int r = zn_esym_open(path, &f);

    if (r == -ENOMEM || (r && !wildcard))
        return zn_fail(x, r, r == -ENOEXEC ? "%s is no program or library" : "cannot read %s",
                       path);
    if (r)
        return 0;
    if (at->is_addr) {
        r = expand_address(x, at, kept, f);
    } else {
        r = search_file(s, f);
        for (size_t i = 0; !r && i < s->n; i++)
            r = push_hit(x, at, kept, f, &s->hits[i]);
    }
    zn_esym_close(f);
    return r;
}

static int split(struct zn_expand *x, struct uplace *at)
{
    const struct zn_attach_spec *s = x->spec;
    char *end;

    if (s->nparts < 2 || s->nparts > 3 || !*s->parts[0] || !*s->parts[s->nparts - 1] ||
        (s->nparts == 3 && strcmp(s->parts[1], "cpp") != 0))
        return zn_fail(x, -EINVAL, "%s needs a file and a function: %s", s->provider->name,
                       s->provider->syntax);
    *at = (struct uplace){
        .object = s->parts[0], .func = s->parts[s->nparts - 1], .is_cpp = s->nparts == 3};
    if (at->is_cpp)
        return 0;
    errno = 0;
    if (at->func[0] >= '0' && at->func[0] <= '9') {
        at->is_addr = true;
        at->offset = strtoull(at->func, &end, 0);
    } else {
        const char *plus = strrchr(at->func, '+');

        if (!plus)
            return 0;
        at->has_offset = true;
        at->offset = strtoull(plus + 1, &end, 0);
        at->func = zn_arena_strndup(x->arena, at->func, (size_t)(plus - at->func));
    }
    if (*end || errno)
        return zn_fail(x, -EINVAL, "invalid address or offset: '%s'", s->parts[1]);
    if (s->provider->id == ZP_URETPROBE)
        return zn_fail(x, -EINVAL, "uretprobe takes no offset and no address");
    if (zn_is_glob(at->func))
        return zn_fail(x, -EINVAL, "an offset needs the function's full name, not a wildcard");
    return 0;
}

static int find_objects(struct zn_expand *x, const char *object, struct zn_names *paths)
{
    int r = zn_objects_find(object, x->p->env.pid, paths);

    if (r == 0)
        return 0;
    if (r == -EINVAL) {
        x->hint = "name the process with -p, or the libraries by a path with wildcards";
        return zn_fail(x, r, "'*' means all files that one process has mapped");
    }
    if (strchr(object, '@'))
        return zn_fail(x, -ENOSYS, "probes on source lines are not supported yet");
    if (r == -ENOENT)
        return zn_fail(x, r,
                       zn_is_glob(object) ? "no program or library matches %s"
                                          : "no such program or library: %s",
                       object);
    return zn_fail(x, r, "cannot look for %s: %s", object, strerror(-r));
}

static int not_found(struct zn_expand *x, const struct uplace *at, const struct search *s,
                     const struct zn_names *paths, bool wildcard)
{
    const char *what = at->is_cpp ? "C++ function" : "function";

    if (s->in_mangled)
        x->hint = zn_arena_printf(x->arena,
                                  "C++ functions have '%s' in their names: try %s:%s:cpp:\"*%s*\"",
                                  at->func, x->spec->provider->name, at->object, at->func);
    if (wildcard)
        return zn_fail(x, -ENOENT, "no %s '%s' in the %zu libraries and programs that match %s",
                       what, at->func, paths->n, at->object);
    return zn_fail(x, -ENOENT, "no %s '%s' in %s", what, at->func, paths->v[0]);
}

static int add_name(void *arg, const struct zn_esym *sym)
{
    struct zn_names *names = arg;

    return sym->func && names->n < 100000 ? zn_names_add(names, sym->name) : 0;
}

static void suggest_function(struct zn_expand *x, const char *path, const char *func)
{
    struct zn_names names = {0};
    struct zn_esym_file *f;

    if (zn_esym_open(path, &f) < 0)
        return;
    if (zn_esym_each(f, add_name, &names) == 0)
        zn_suggest(x, func, (const char *const *)names.v, names.n);
    if (!x->hint && zn_esym_stripped(f))
        x->hint =
            zn_arena_printf(x->arena, "%s is stripped: only exported functions have names", path);
    zn_esym_close(f);
    zn_names_fini(&names);
}

static int expand_objects(struct zn_expand *x, const struct uplace *at, struct search *s,
                          const struct zn_names *paths)
{
    bool wildcard = zn_is_glob(at->object);
    uint32_t before = x->out->n;
    size_t having = 0;
    int r = 0;

    for (size_t i = 0; !r && i < paths->n; i++) {
        uint32_t n = x->out->n;

        r = expand_file(x, at, s, paths->v[i], wildcard);
        having += x->out->n > n;
    }
    if (r)
        return r;
    if (x->out->n == before) {
        r = not_found(x, at, s, paths, wildcard);
        if (!wildcard && !at->is_cpp && !zn_is_glob(at->func))
            suggest_function(x, paths->v[0], at->func);
        return r;
    }
    if (wildcard)
        x->note = zn_arena_printf(x->arena, "%s: searched %zu %s, %zu %s it", x->spec->written,
                                  paths->n, paths->n == 1 ? "library" : "libraries", having,
                                  having == 1 ? "has" : "have");
    return 0;
}

int zn_expand_uprobe(struct zn_expand *x)
{
    struct search s = {.arena = x->arena};
    struct zn_names paths = {0};
    struct uplace at = {0};
    int r = split(x, &at);

    if (r)
        return r;
    s.pattern = at.func;
    s.is_cpp = at.is_cpp;
    if (at.is_cpp)
        zn_cpp_pattern(at.func, &s.cpp);
    r = find_objects(x, at.object, &paths);
    if (!r)
        r = expand_objects(x, &at, &s, &paths);
    free(s.hits);
    zn_names_fini(&paths);
    return r;
}

/* A relative path stays one: "./prog*" finds "./prog1". */
static const char *as_written(const char *object, const char *path, char *buf, size_t len)
{
    char cwd[PATH_MAX];
    size_t n;

    if (!strchr(object, '/') || object[0] == '/' || !getcwd(cwd, sizeof(cwd)))
        return path;
    n = strlen(cwd);
    if (strncmp(path, cwd, n) != 0 || path[n] != '/')
        return path;
    snprintf(buf, len, "%s%s", strncmp(object, "./", 2) == 0 ? "./" : "", path + n + 1);
    return buf;
}

static int list_file(struct zn_list *l, struct search *s, const char *object, const char *path)
{
    char buf[PATH_MAX + 4];
    const char *shown = as_written(object, path, buf, sizeof(buf));
    struct zn_esym_file *f;
    int r;

    if (zn_esym_open(path, &f) < 0)
        return 0;
    r = search_file(s, f);
    for (size_t i = 0; !r && i < s->n; i++) {
        l->count++;
        r = zn_list_line(l, "%s:%s:%s", l->provider->name, shown, s->hits[i].name);
    }
    zn_esym_close(f);
    return r;
}

/* Only with a file, "uprobe:/bin/bash:read*", or a process: no pattern means every file there is. */
int zn_list_uprobe(struct zn_list *l)
{
    struct search s = {.arena = l->types->arena, .pattern = "*"};
    struct zn_names paths = {0};
    const char *object = strchr(l->pattern, ':'), *colon;
    int r;

    object = object && object[1] ? object + 1 : "*";
    colon = strrchr(object, ':');
    if (colon) {
        s.pattern = colon[1] ? colon + 1 : "*";
        object = zn_arena_strndup(l->types->arena, object, (size_t)(colon - object));
    }
    if (strcmp(object, "*") == 0 && !l->p->env.pid)
        return 0;
    r = zn_objects_find(object, l->p->env.pid, &paths);
    if (r == -ENOENT) {
        l->why = zn_arena_printf(l->types->arena, "no such program or library: %s", object);
        r = 0;
    }
    for (size_t i = 0; !r && i < paths.n; i++)
        r = list_file(l, &s, object, paths.v[i]);
    free(s.hits);
    zn_names_fini(&paths);
    return r;
}
