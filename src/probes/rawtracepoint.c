/* SPDX-License-Identifier: Apache-2.0 */
/* rawtracepoint:[MODULE:]EVENT. The kernel's types name every one (typedef btf_trace_EVENT); without
 * them the events of tracefs do, which lack a few.
 *
 * The typedef has the arguments' types but no names; the function __traceiter_EVENT, which the same
 * macro makes, has both. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lang/btf.h"
#include "probes/btf_func.h"
#include "probes/kind.h"

#define PREFIX "btf_trace_"

struct collect {
    const struct zn_btf *btf;
    const char *pattern;
    struct zn_names names;
};

static int collect_typedef(void *arg, uint32_t id, const struct btf_type *t)
{
    struct collect *c = arg;
    const char *name = zn_btf_name(c->btf, t->name_off);

    (void)id;
    if (strncmp(name, PREFIX, sizeof(PREFIX) - 1) != 0 ||
        !zn_glob(c->pattern, name + sizeof(PREFIX) - 1))
        return 0;
    return zn_names_add(&c->names, name + sizeof(PREFIX) - 1);
}

/* The events of tracefs are "tracepoint:CATEGORY:EVENT" lines of a listing over them. */
static int collect_line(void *arg, const char *line)
{
    struct collect *c = arg;
    const char *event = strrchr(line, ':') + 1;

    if (strncmp(line, "tracepoint:syscalls:", 20) == 0 || !zn_glob(c->pattern, event))
        return 0;
    return zn_names_add(&c->names, event);
}

static int collect(struct zn_probes *p, const struct zn_btf *btf, const char *pattern,
                   struct zn_names *ret)
{
    struct collect c = {.btf = btf, .pattern = pattern};
    int r;

    if (btf) {
        r = zn_btf_each(btf, 1u << BTF_KIND_TYPEDEF, collect_typedef, &c);
    } else {
        struct zn_list l = {.p = p,
                            .provider = &zn_providers[ZP_TRACEPOINT],
                            .pattern = "*",
                            .fn = collect_line,
                            .arg = &c};

        r = zn_list_tracepoint(&l);
    }
    zn_names_sort(&c.names);
    *ret = c.names;
    return r;
}

static uint32_t find_typedef(const struct zn_btf *btf, const char *event)
{
    char name[256];

    snprintf(name, sizeof(name), PREFIX "%s", event);
    return zn_btf_find(btf, name, 1u << BTF_KIND_TYPEDEF);
}

static void add(struct zn_expand *x, const struct zn_btf *btf, const struct zn_modbtf *mod,
                const char *event)
{
    const char *module = x->spec->nparts == 2 ? x->spec->parts[0] : NULL;
    struct zn_target *t = zn_push(x);

    t->sym = zn_arena_strdup(x->arena, event);
    t->module = module;
    t->name = module ? zn_arena_printf(x->arena, "rawtracepoint:%s:%s", module, event)
                     : zn_arena_printf(x->arena, "rawtracepoint:%s", event);
    t->btf_id = btf ? find_typedef(btf, event) : 0;
    t->btf_module_fd = mod ? zn_modbtf_fd(mod) : 0;
}

int zn_expand_rawtracepoint(struct zn_expand *x)
{
    const struct zn_attach_spec *s = x->spec;
    const struct zn_btf *btf = x->p->env.btf;
    const struct zn_modbtf *mod = NULL;
    struct zn_names names = {0};
    const char *event;
    int r;

    if (s->nparts == 0 || s->nparts > 2 || !*s->parts[s->nparts - 1])
        return zn_fail(x, -EINVAL, "a raw tracepoint has an event: %s", s->provider->syntax);
    event = s->parts[s->nparts - 1];
    if (s->nparts == 2 && strcmp(s->parts[0], "vmlinux") != 0 && !zn_is_glob(s->parts[0])) {
        mod = zn_modbtf_get(x->p, s->parts[0]);
        if (!mod)
            return zn_fail(x, -ENOENT, "no types of kernel module '%s'", s->parts[0]);
        btf = zn_modbtf_types(mod);
    }
    if (btf && !zn_is_glob(event) && find_typedef(btf, event)) {
        add(x, btf, mod, event);
        return 0;
    }
    r = collect(x->p, btf, event, &names);
    for (size_t i = 0; !r && i < names.n; i++)
        add(x, btf, mod, names.v[i]);
    if (!r && names.n == 0) {
        zn_names_fini(&names);
        if (!zn_is_glob(event) && collect(x->p, btf, "*", &names) == 0)
            zn_suggest(x, event, (const char *const *)names.v, names.n);
        r = zn_fail(x, -ENOENT, "raw tracepoint not found: %s", event);
    }
    zn_names_fini(&names);
    return r;
}

/* Prototype with names if there is one, else the typedef's. */
static uint32_t prototype(const struct zn_btf *btf, const char *event)
{
    static const char *const with_names[] = {"__traceiter_", "__probestub_", "__bpf_trace_"};
    char name[256];
    uint32_t id = 0;

    for (size_t i = 0; !id && i < ZN_ARRAY_SIZE(with_names); i++) {
        snprintf(name, sizeof(name), "%s%s", with_names[i], event);
        id = zn_btf_find(btf, name, 1u << BTF_KIND_FUNC);
    }
    if (!id)
        id = find_typedef(btf, event);
    return id ? zn_btf_proto(btf, id) : 0;
}

int zn_args_rawtracepoint(struct zn_probes *p, struct zn_types *types, struct zn_target *t,
                          const char **why)
{
    struct zn_types *of = types;
    uint32_t proto;

    if (t->btf_module_fd > 0 && t->module)
        of = zn_modbtf_typeset(p, types, t->module);
    proto = of && of->btf ? prototype(of->btf, t->sym) : 0;
    if (!proto) {
        if (why)
            *why = zn_arena_printf(types->arena,
                                   "the arguments of %s need the kernel's types (BTF)", t->name);
        return -ENOTSUP;
    }
    zn_proto_args(of, t, proto, true, ZN_ARGS_CTX64, 0);
    return 0;
}

int zn_list_rawtracepoint(struct zn_list *l)
{
    struct zn_names names = {0};
    char name[256];
    int r = collect(l->p, l->p->env.btf, "*", &names);

    for (size_t i = 0; !r && i < names.n; i++) {
        snprintf(name, sizeof(name), "rawtracepoint:%s", names.v[i]);
        r = zn_list_emit(l, name);
    }
    zn_names_fini(&names);
    return r;
}

int zn_list_args_rawtracepoint(struct zn_list *l, const char *name)
{
    const struct zn_btf *btf = l->p->env.btf;
    uint32_t proto = btf ? prototype(btf, strchr(name, ':') + 1) : 0;

    return proto ? zn_list_proto(l, btf, proto, true, false) : 0;
}
