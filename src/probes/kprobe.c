/* SPDX-License-Identifier: Apache-2.0 */
/* kprobe:[MODULE:]FUNCTION[+OFFSET] and kretprobe:[MODULE:]FUNCTION. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "kern/kallsyms.h"
#include "lang/btf.h"
#include "probes/btf_func.h"
#include "probes/functions.h"
#include "probes/kind.h"
#include "probes/pmu.h"

/* One attach point, taken apart. */
struct place {
    const char *module; /* NULL: any */
    const char *func;
    uint64_t offset;
    bool has_offset;
};

static void add(struct zn_expand *x, const struct place *at, const char *func, const char *module)
{
    const char *provider = x->spec->provider->name;
    const char *shown = at->module && module ? module : at->module;
    struct zn_target *t = zn_push(x);

    t->sym = zn_arena_strdup(x->arena, func);
    t->func = t->sym;
    t->module = module ? zn_arena_strdup(x->arena, module) : NULL;
    t->offset = at->offset;
    t->is_exit = x->spec->provider->id == ZP_KRETPROBE;
    t->name = zn_arena_printf(x->arena, "%s:%s%s%s", provider, shown ? shown : "", shown ? ":" : "",
                              func);
    if (at->has_offset)
        t->name = zn_arena_printf(x->arena, "%s+%llu", t->name, (unsigned long long)at->offset);
}

/* A name written out needs no pass over 60,000 when the kernel's types know it. */
static bool in_vmlinux_types(struct zn_expand *x, const struct place *at)
{
    const struct zn_btf *b = x->p->env.btf;

    return b && (!at->module || strcmp(at->module, "vmlinux") == 0) &&
           zn_btf_find(b, at->func, 1u << BTF_KIND_FUNC);
}

static bool module_matches(const struct place *at, const char *module)
{
    return !at->module || zn_glob(at->module, module ? module : "vmlinux");
}

static void suggest(struct zn_expand *x, const struct zn_funcs *f, const char *func)
{
    const char **names = calloc(f->n + 1, sizeof(*names));

    if (!names)
        return;
    for (size_t i = 0; i < f->n; i++)
        names[i] = f->v[i].name;
    zn_suggest(x, func, names, f->n);
    free(names);
}

/* ftrace lists one name per address, and of __x64_sys_getppid and __do_sys_getppid it may be the
 * other one; the kernel's symbols have both. */
static bool is_other_name(const struct place *at)
{
    bool module = at->module && !zn_is_glob(at->module) && strcmp(at->module, "vmlinux") != 0;
    uint64_t addr;
    int r = zn_kallsyms_find_quick(NULL, at->func, module ? at->module : NULL, &addr);

    return r == 0 || r == -EPERM;
}

static int from_list(struct zn_expand *x, const struct place *at)
{
    bool returns = x->spec->provider->id == ZP_KRETPROBE;
    const struct zn_funcs *f = zn_funcs_get(x->p);
    uint32_t before = x->out->n;
    size_t i = 0, n;

    if (!f)
        return zn_fail(x, -EACCES, "cannot read the kernel's function names (tracefs, kallsyms)");
    n = f->n;
    if (!zn_is_glob(at->func))
        i = zn_funcs_find(f, at->func, &n);
    for (size_t end = i + n; i < end; i++)
        if (module_matches(at, f->v[i].module) && zn_glob(at->func, f->v[i].name) &&
            !(returns && zn_locks_up(f->v[i].name)))
            add(x, at, f->v[i].name, f->v[i].module);
    if (x->out->n > before)
        return 0;
    if (!zn_is_glob(at->func)) {
        if (is_other_name(at)) {
            add(x, at, at->func, at->module);
            return 0;
        }
        suggest(x, f, at->func);
    }
    return zn_fail(x, -ENOENT, "kernel function not found: %s%s%s", at->module ? at->module : "",
                   at->module ? ":" : "", at->func);
}

static int split_offset(struct zn_expand *x, struct place *at)
{
    const char *plus = strchr(at->func, '+');
    char *end;

    if (!plus)
        return 0;
    errno = 0;
    at->offset = strtoull(plus + 1, &end, 0);
    if (end == plus + 1 || *end || errno)
        return zn_fail(x, -EINVAL, "invalid offset: '%s'", plus + 1);
    if (x->spec->provider->id == ZP_KRETPROBE)
        return zn_fail(x, -EINVAL, "kretprobe takes no offset");
    at->func = zn_arena_strndup(x->arena, at->func, (size_t)(plus - at->func));
    at->has_offset = true;
    if (zn_is_glob(at->func))
        return zn_fail(x, -EINVAL, "an offset needs the function's full name, not a wildcard");
    return 0;
}

static int by_address(struct zn_expand *x, const char *text)
{
    struct zn_target *t;
    uint64_t addr;
    char *end;

    errno = 0;
    addr = strtoull(text, &end, 16);
    if (*end || errno)
        return zn_fail(x, -EINVAL, "invalid address: '%s'", text);
    t = zn_push(x);
    t->name = zn_arena_printf(x->arena, "%s:%s", x->spec->provider->name, text);
    t->offset = addr;
    return 0;
}

static int check_kernel(struct zn_expand *x)
{
    struct zn_pmu pmu;

    if (zn_pmu_read("kprobe", &pmu) == 0)
        return 0;
    return zn_fail(x, -EOPNOTSUPP,
                   "this kernel has no kprobes: it was built without "
                   "CONFIG_KPROBE_EVENTS");
}

int zn_expand_kprobe(struct zn_expand *x)
{
    const struct zn_attach_spec *s = x->spec;
    struct place at = {0};
    int r;

    if (s->nparts == 0 || s->nparts > 2 || !*s->parts[s->nparts - 1])
        return zn_fail(x, -EINVAL, "%s needs a function: %s", s->provider->name,
                       s->provider->syntax);
    at.func = s->parts[s->nparts - 1];
    at.module = s->nparts == 2 ? s->parts[0] : NULL;
    r = split_offset(x, &at);
    if (!r)
        r = check_kernel(x);
    if (r)
        return r;
    if (s->provider->id == ZP_KRETPROBE && zn_locks_up(at.func))
        return zn_fail(x, -EINVAL, "kretprobe:%s can't be used as it might lock up your system",
                       at.func);
    if (strncmp(at.func, "0x", 2) == 0 && s->provider->id == ZP_KPROBE)
        return by_address(x, at.func);
    if (!zn_is_glob(at.func) && in_vmlinux_types(x, &at)) {
        add(x, &at, at.func, NULL);
        return 0;
    }
    return from_list(x, &at);
}

static struct zn_types *types_of(struct zn_probes *p, struct zn_types *types,
                                 const struct zn_target *t)
{
    bool module = t->module && strcmp(t->module, "vmlinux") != 0;

    return module ? zn_modbtf_typeset(p, types, t->module) : types;
}

int zn_args_kprobe(struct zn_probes *p, struct zn_types *types, struct zn_target *t,
                   const char **why)
{
    struct zn_types *of = types_of(p, types, t);
    uint32_t id = of && of->btf && t->sym ? zn_btf_find(of->btf, t->sym, 1u << BTF_KIND_FUNC) : 0;
    uint32_t proto = id ? zn_btf_proto(of->btf, id) : 0;

    if (!proto || t->offset) {
        if (why)
            *why =
                zn_arena_printf(types->arena,
                                t->offset ? "%s: arguments are known at the function's start only"
                                          : "the kernel's types (BTF) have no prototype of %s",
                                t->name);
        return -ENOTSUP;
    }
    zn_proto_args(of, t, proto, false, ZN_ARGS_REGS, p->env.arch ? p->env.arch->nargs : 6);
    return 0;
}

int zn_list_kprobe(struct zn_list *l)
{
    const struct zn_funcs *f;
    struct zn_pmu pmu;
    char name[512];
    int r = 0;

    if (zn_pmu_read("kprobe", &pmu) < 0) {
        if (!l->named)
            return 0;
        l->why = "this kernel has no kprobes: it was built without CONFIG_KPROBE_EVENTS";
    }
    f = zn_funcs_get(l->p);

    for (size_t i = 0; f && !r && i < f->n; i++) {
        snprintf(name, sizeof(name), "%s:%s%s%s", l->provider->name,
                 f->v[i].module ? f->v[i].module : "", f->v[i].module ? ":" : "", f->v[i].name);
        r = zn_list_emit(l, name);
    }
    return r;
}

/* For kprobe and fentry: the last part is the function, one before it the module. */
int zn_list_args_func(struct zn_list *l, const char *name)
{
    const struct zn_btf *btf = l->p->env.btf;
    const char *first = strchr(name, ':') + 1, *func = strrchr(name, ':') + 1;
    uint32_t id, proto;

    if (func != first && strncmp(first, "vmlinux:", 8) != 0) {
        char module[128];
        const struct zn_modbtf *m;

        snprintf(module, sizeof(module), "%.*s", (int)(func - first - 1), first);
        m = zn_modbtf_get(l->p, module);
        btf = m ? zn_modbtf_types(m) : NULL;
    }
    id = btf ? zn_btf_find(btf, func, 1u << BTF_KIND_FUNC) : 0;
    proto = id ? zn_btf_proto(btf, id) : 0;
    return proto ? zn_list_proto(l, btf, proto, false, l->provider->id == ZP_FEXIT) : 0;
}
