/* SPDX-License-Identifier: Apache-2.0 */
/* fentry:[MODULE:]FUNCTION and fexit: functions that the kernel's types describe.
 *
 * The types also name functions that ftrace cannot patch; where its list can be read a wildcard
 * leaves them out, and a name written out is left to the kernel to refuse. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/feature.h"
#include "kern/btf.h"
#include "lang/btf.h"
#include "probes/btf_func.h"
#include "probes/functions.h"
#include "probes/kind.h"

struct scan {
    struct zn_expand *x;
    const struct zn_btf *btf;
    const char *module; /* as shown: "vmlinux" */
    int fd;             /* 0 for vmlinux */
    const char *pattern, *modules;
    const struct zn_funcs *traceable;
};

static void add(const struct scan *s, uint32_t id, const char *func)
{
    struct zn_expand *x = s->x;
    struct zn_target *t = zn_push(x);

    t->sym = zn_arena_strdup(x->arena, func);
    t->func = t->sym;
    t->module = zn_arena_strdup(x->arena, s->module);
    t->name = zn_arena_printf(x->arena, "%s:%s:%s", x->spec->provider->name, s->module, func);
    t->is_exit = x->spec->provider->id == ZP_FEXIT;
    t->btf_id = id;
    t->btf_module_fd = s->fd;
}

static int visit(void *arg, uint32_t id, const struct btf_type *t)
{
    const struct scan *s = arg;
    const char *name = zn_btf_name(s->btf, t->name_off);
    size_t n = 1;

    if (!zn_glob(s->pattern, name) || (s->x->spec->provider->id == ZP_FEXIT && zn_locks_up(name)))
        return 0;
    if (s->traceable)
        zn_funcs_find(s->traceable, name, &n);
    if (n)
        add(s, id, name);
    return 0;
}

static void scan_object(struct scan *s)
{
    uint32_t id;

    if (zn_is_glob(s->pattern)) {
        (void)zn_btf_each(s->btf, 1u << BTF_KIND_FUNC, visit, s);
        return;
    }
    id = zn_btf_find(s->btf, s->pattern, 1u << BTF_KIND_FUNC);
    if (id)
        add(s, id, s->pattern);
}

/* One module, if its name matches. */
static int scan_module(void *arg, const char *module)
{
    struct scan *s = arg;
    const struct zn_modbtf *m = zn_glob(s->modules, module) ? zn_modbtf_get(s->x->p, module) : NULL;

    if (!m || zn_modbtf_fd(m) < 0)
        return 0;
    s->btf = zn_modbtf_types(m);
    s->module = module;
    s->fd = zn_modbtf_fd(m);
    scan_object(s);
    return 0;
}

static int check(struct zn_expand *x)
{
    const char *name = x->spec->provider->name;

    if (x->spec->nparts == 3 || (x->spec->nparts == 2 && strcmp(x->spec->parts[0], "bpf") == 0))
        return zn_fail(x, -ENOSYS, "%s on BPF programs is not supported yet", name);
    if (x->spec->nparts == 0 || x->spec->nparts > 3)
        return zn_fail(x, -EINVAL, "%s needs a function: %s", name, x->spec->provider->syntax);
    if (!x->p->env.btf)
        return zn_fail(x, -EOPNOTSUPP,
                       "%s needs the kernel's types: it was built without CONFIG_DEBUG_INFO_BTF",
                       name);
    if (!(x->p->env.features & (1ULL << ZF_FENTRY))) {
        x->hint = "kprobe traces the same functions";
        return zn_fail(x, -EOPNOTSUPP,
                       "this kernel has no %s: it cannot patch functions for BPF "
                       "(CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS)",
                       name);
    }
    return 0;
}

static int collect_name(void *arg, uint32_t id, const struct btf_type *t)
{
    struct scan *s = arg;

    (void)id;
    zn_suggest(s->x, s->pattern, (const char *const[]){zn_btf_name(s->btf, t->name_off)}, 1);
    return s->x->hint != NULL;
}

int zn_expand_fentry(struct zn_expand *x)
{
    const struct zn_attach_spec *s = x->spec;
    uint32_t before = x->out->n;
    const char *module;
    struct scan scan;
    int r = check(x);

    if (r)
        return r;
    module = s->nparts == 2 ? s->parts[0] : NULL;
    scan = (struct scan){.x = x,
                         .btf = x->p->env.btf,
                         .module = "vmlinux",
                         .pattern = s->parts[s->nparts - 1],
                         .modules = module ? module : "*"};
    if (s->provider->id == ZP_FEXIT && zn_locks_up(scan.pattern))
        return zn_fail(x, -EINVAL, "fexit:%s can't be used as it might lock up your system",
                       scan.pattern);
    if (zn_is_glob(scan.pattern)) {
        scan.traceable = zn_funcs_get(x->p);
        if (scan.traceable && !scan.traceable->traceable)
            scan.traceable = NULL;
    }
    if (!module || zn_glob(module, "vmlinux"))
        scan_object(&scan);
    if (module ? strcmp(module, "vmlinux") != 0 : x->out->n == before)
        (void)zn_kbtf_modules(scan_module, &scan);
    if (x->out->n > before)
        return 0;
    scan.btf = x->p->env.btf;
    if (!zn_is_glob(scan.pattern))
        (void)zn_btf_each(scan.btf, 1u << BTF_KIND_FUNC, collect_name, &scan);
    return zn_fail(x, -ENOENT, "kernel function not found: %s%s%s", module ? module : "",
                   module ? ":" : "", scan.pattern);
}

int zn_args_fentry(struct zn_probes *p, struct zn_types *types, struct zn_target *t,
                   const char **why)
{
    struct zn_types *of = t->btf_module_fd > 0 ? zn_modbtf_typeset(p, types, t->module) : types;
    uint32_t proto = of && of->btf ? zn_btf_proto(of->btf, t->btf_id) : 0;
    const struct btf_type *type;

    if (!proto) {
        if (why)
            *why = zn_arena_printf(types->arena, "the kernel's types have no prototype of %s",
                                   t->name);
        return -ENOTSUP;
    }
    (void)zn_proto_args(of, t, proto, false, ZN_ARGS_CTX64, 0);
    type = zn_btf_type(of->btf, proto);
    if (t->provider == ZP_FEXIT && type->type != 0)
        t->retval = zn_type_from_btf(of, type->type);
    return 0;
}

static int list_func(void *arg, uint32_t id, const struct btf_type *t)
{
    struct zn_list *l = arg;
    char name[512];

    (void)id;
    snprintf(name, sizeof(name), "%s:vmlinux:%s", l->provider->name,
             zn_btf_name(l->p->env.btf, t->name_off));
    return zn_list_emit(l, name);
}

int zn_list_fentry(struct zn_list *l)
{
    if (!l->p->env.btf)
        return 0;
    if (!(l->p->env.features & (1ULL << ZF_FENTRY))) {
        if (!l->named)
            return 0;
        l->why = zn_arena_printf(l->types->arena, "this kernel has no %s: none can be attached",
                                 l->provider->name);
    }
    return zn_btf_each(l->p->env.btf, 1u << BTF_KIND_FUNC, list_func, l);
}
