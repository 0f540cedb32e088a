/* SPDX-License-Identifier: Apache-2.0 */
/* The types of kernel modules: split BTF over vmlinux's, opened when first asked for. */
#include <stdio.h>
#include <string.h>

#include "kern/btf.h"
#include "lang/btf.h"
#include "probes/btf_func.h"
#include "probes/kind.h"

struct zn_modbtf {
    char name[64];
    struct zn_kbtf *blob;
    struct zn_btf *btf;
    int fd;                 /* the kernel's object, for loading programs; -1 */
    struct zn_types *types; /* of the compile whose arena was seen last */
    struct zn_arena *arena;
    struct zn_modbtf *next;
};

static struct zn_modbtf *open_module(struct zn_probes *p, const char *module)
{
    struct zn_modbtf *m = calloc(1, sizeof(*m));

    if (!m)
        return NULL;
    m->fd = -1;
    snprintf(m->name, sizeof(m->name), "%s", module);
    if (zn_kbtf_open_module(module, &m->blob) < 0 ||
        zn_btf_open(m->blob->data, m->blob->len, p->env.btf, &m->btf) < 0) {
        zn_modbtf_free(m);
        return NULL;
    }
    m->fd = zn_kbtf_module_fd(module);
    return m;
}

static struct zn_modbtf *get(struct zn_probes *p, const char *module)
{
    struct zn_modbtf *m;

    if (!p->env.btf || strchr(module, '/') || strcmp(module, "vmlinux") == 0)
        return NULL;
    for (m = p->modbtf; m; m = m->next)
        if (strcmp(m->name, module) == 0)
            return m;
    m = open_module(p, module);
    if (m) {
        m->next = p->modbtf;
        p->modbtf = m;
    }
    return m;
}

const struct zn_modbtf *zn_modbtf_get(struct zn_probes *p, const char *module)
{
    return get(p, module);
}

const struct zn_btf *zn_modbtf_types(const struct zn_modbtf *m)
{
    return m->btf;
}

int zn_modbtf_fd(const struct zn_modbtf *m)
{
    return m->fd;
}

struct zn_types *zn_modbtf_typeset(struct zn_probes *p, struct zn_types *types, const char *module)
{
    struct zn_modbtf *m = get(p, module);

    if (!m)
        return NULL;
    if (m->arena != types->arena) {
        m->arena = types->arena;
        m->types = zn_arena_new(types->arena, struct zn_types);
        zn_types_init(m->types, types->arena, m->btf, types->cdecls);
    }
    return m->types;
}

void zn_modbtf_free(struct zn_modbtf *m)
{
    while (m) {
        struct zn_modbtf *next = m->next;

        if (m->btf)
            zn_btf_close(m->btf);
        if (m->fd >= 0)
            close(m->fd);
        zn_kbtf_close(m->blob);
        free(m);
        m = next;
    }
}
