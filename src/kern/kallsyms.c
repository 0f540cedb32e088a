/* SPDX-License-Identifier: Apache-2.0 */
/* /proc/kallsyms as sorted arrays: 16 bytes a symbol beside its name. */
#include "kern/kallsyms.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"

#define READ_BYTES ((size_t)1 << 17)
/* Symbols have no size here: what lies further behind the last one before it is not part of it. */
#define MAX_INTO   ((uint64_t)16 << 20)

struct zn_kallsyms {
    uint64_t *addr;
    uint32_t *name; /* offset in names */
    uint32_t *mod;  /* offset in mods; 0 is "" */
    size_t n, cap;
    struct zn_str names, mods; /* each name NUL-terminated */
    uint32_t last_mod;
};

struct line {
    const char *name, *module;
    size_t name_len, module_len;
    uint64_t addr;
    char type;
};

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* "ffffffff81000000 T _stext" or "ffffffffc0000000 t init	[kvm]", without its newline. */
static bool parse_line(const char *p, const char *end, struct line *l)
{
    int d;

    l->addr = 0;
    while (p < end && (d = hex_digit(*p)) >= 0) {
        l->addr = l->addr << 4 | (unsigned)d;
        p++;
    }
    if (end - p < 4 || p[0] != ' ' || p[2] != ' ')
        return false;
    l->type = p[1];
    l->name = p + 3;
    for (p = l->name; p < end && *p != '\t' && *p != ' '; p++)
        ;
    l->name_len = (size_t)(p - l->name);
    l->module = "";
    l->module_len = 0;
    while (p < end && (*p == '\t' || *p == ' '))
        p++;
    if (end - p > 2 && *p == '[' && end[-1] == ']') {
        l->module = p + 1;
        l->module_len = (size_t)(end - p) - 2;
    }
    return l->name_len > 0;
}

/* Calls fn for each line until it returns non-zero; returns that, or -errno. */
static int each_line(const char *path, int (*fn)(void *arg, const struct line *l), void *arg)
{
    ZN_AUTOCLOSE int fd = open(path ? path : "/proc/kallsyms", O_RDONLY | O_CLOEXEC);
    ZN_AUTOFREE char *buf = malloc(READ_BYTES);
    size_t kept = 0;

    if (fd < 0)
        return -errno;
    if (!buf)
        return -ENOMEM;
    for (;;) {
        ssize_t got = read(fd, buf + kept, READ_BYTES - kept);
        char *at = buf, *end, *nl;

        if (got < 0) {
            if (errno == EINTR)
                continue;
            return -errno;
        }
        if (got == 0)
            return 0;
        end = buf + kept + got;
        while ((nl = memchr(at, '\n', (size_t)(end - at)))) {
            struct line l;
            int r = parse_line(at, nl, &l) ? fn(arg, &l) : 0;

            if (r)
                return r;
            at = nl + 1;
        }
        kept = (size_t)(end - at);
        if (kept == READ_BYTES)
            return -EINVAL; /* a line that long is none of kallsyms' */
        memmove(buf, at, kept);
    }
}

static int grow(struct zn_kallsyms *k)
{
    size_t cap = k->cap ? k->cap * 2 : 1U << 17;
    void *p;

    p = reallocarray(k->addr, cap, sizeof(*k->addr));
    if (!p)
        return -ENOMEM;
    k->addr = p;
    p = reallocarray(k->name, cap, sizeof(*k->name));
    if (!p)
        return -ENOMEM;
    k->name = p;
    p = reallocarray(k->mod, cap, sizeof(*k->mod));
    if (!p)
        return -ENOMEM;
    k->mod = p;
    k->cap = cap;
    return 0;
}

/* Symbols of a module stand together, so comparing with the last one is enough to store it once. */
static uint32_t module_offset(struct zn_kallsyms *k, const struct line *l)
{
    const char *last = k->mods.data + k->last_mod;

    if (!l->module_len)
        return 0;
    if (strncmp(last, l->module, l->module_len) != 0 || last[l->module_len]) {
        k->last_mod = (uint32_t)k->mods.len;
        zn_str_add(&k->mods, l->module, l->module_len);
        zn_str_putc(&k->mods, '\0');
    }
    return k->mods.failed ? 0 : k->last_mod;
}

/* Compilers' local labels, and absolute symbols such as per-CPU offsets, are no places. */
static bool is_place(const struct line *l)
{
    return l->addr && l->type != 'a' && l->type != 'A' && l->type != 'U' && l->name[0] != '$';
}

static int add_symbol(void *arg, const struct line *l)
{
    struct zn_kallsyms *k = arg;

    if (!is_place(l))
        return 0;
    if (k->n == k->cap && grow(k) < 0)
        return -ENOMEM;
    if (k->names.len > UINT32_MAX - l->name_len - 1)
        return -EFBIG;
    k->addr[k->n] = l->addr;
    k->name[k->n] = (uint32_t)k->names.len;
    k->mod[k->n] = module_offset(k, l);
    zn_str_add(&k->names, l->name, l->name_len);
    zn_str_putc(&k->names, '\0');
    k->n++;
    return k->names.failed || k->mods.failed ? -ENOMEM : 0;
}

/* The kernel's own symbols come sorted, modules and programs after them do not. Names were appended in
 * the file's order, so the name's offset keeps aliases in that order: the kernel shows the first. */
struct sym {
    uint64_t addr;
    uint32_t name, mod;
};

static int by_addr(const void *a, const void *b)
{
    const struct sym *x = a, *y = b;

    if (x->addr != y->addr)
        return x->addr < y->addr ? -1 : 1;
    return x->name < y->name ? -1 : 1;
}

static int sort_symbols(struct zn_kallsyms *k)
{
    ZN_AUTOFREE struct sym *v = NULL;
    size_t i = 1;

    while (i < k->n && k->addr[i] >= k->addr[i - 1])
        i++;
    if (i >= k->n)
        return 0;
    v = reallocarray(NULL, k->n, sizeof(*v));
    if (!v)
        return -ENOMEM;
    for (i = 0; i < k->n; i++)
        v[i] = (struct sym){k->addr[i], k->name[i], k->mod[i]};
    qsort(v, k->n, sizeof(*v), by_addr);
    for (i = 0; i < k->n; i++) {
        k->addr[i] = v[i].addr;
        k->name[i] = v[i].name;
        k->mod[i] = v[i].mod;
    }
    return 0;
}

void zn_kallsyms_free(struct zn_kallsyms *k)
{
    if (!k)
        return;
    free(k->addr);
    free(k->name);
    free(k->mod);
    zn_str_fini(&k->names);
    zn_str_fini(&k->mods);
    free(k);
}

int zn_kallsyms_load(const char *path, struct zn_kallsyms **ret)
{
    struct zn_kallsyms *k = calloc(1, sizeof(*k));
    int r;

    if (!k)
        return -ENOMEM;
    zn_str_init(&k->names);
    zn_str_init(&k->mods);
    zn_str_putc(&k->mods, '\0');
    r = k->mods.failed ? -ENOMEM : each_line(path, add_symbol, k);
    if (r == 0 && k->n == 0)
        r = -EPERM; /* all addresses read as zero */
    if (r == 0)
        r = sort_symbols(k);
    if (r < 0) {
        zn_kallsyms_free(k);
        return r;
    }
    *ret = k;
    return 0;
}

size_t zn_kallsyms_count(const struct zn_kallsyms *k)
{
    return k->n;
}

void zn_kallsyms_at(const struct zn_kallsyms *k, size_t i, struct zn_ksym *ret)
{
    *ret = (struct zn_ksym){
        .name = k->names.data + k->name[i],
        .module = k->mods.data + k->mod[i],
        .addr = k->addr[i],
    };
}

bool zn_kallsyms_addr(const struct zn_kallsyms *k, uint64_t addr, struct zn_ksym *ret,
                      uint64_t *ret_off)
{
    size_t lo = 0, hi = k->n;

    while (lo < hi) { /* the first symbol above addr */
        size_t mid = lo + (hi - lo) / 2;

        if (k->addr[mid] <= addr)
            lo = mid + 1;
        else
            hi = mid;
    }
    if (!lo || addr - k->addr[lo - 1] > MAX_INTO)
        return false;
    lo--;
    while (lo && k->addr[lo - 1] == k->addr[lo])
        lo--;
    zn_kallsyms_at(k, lo, ret);
    *ret_off = addr - k->addr[lo];
    return true;
}

bool zn_kallsyms_find(const struct zn_kallsyms *k, const char *name, uint64_t *ret)
{
    bool found = false;

    for (size_t i = 0; i < k->n; i++) {
        if (strcmp(k->names.data + k->name[i], name) != 0)
            continue;
        if (!found)
            *ret = k->addr[i];
        found = true;
        if (!k->mod[i]) {
            *ret = k->addr[i];
            break;
        }
    }
    return found;
}

struct quick {
    const char *name, *module;
    size_t name_len;
    uint64_t addr;
    bool found;
};

static int match_line(void *arg, const struct line *l)
{
    struct quick *q = arg;

    if (l->name_len != q->name_len || memcmp(l->name, q->name, q->name_len) != 0)
        return 0;
    if (q->module &&
        (strlen(q->module) != l->module_len || memcmp(q->module, l->module, l->module_len) != 0))
        return 0;
    q->addr = l->addr;
    q->found = true;
    return 1;
}

int zn_kallsyms_find_quick(const char *path, const char *name, const char *module, uint64_t *ret)
{
    struct quick q = {.name = name, .module = module, .name_len = strlen(name)};
    int r = each_line(path, match_line, &q);

    if (r < 0)
        return r;
    if (!q.found)
        return -ENOENT;
    if (!q.addr)
        return -EPERM;
    *ret = q.addr;
    return 0;
}
