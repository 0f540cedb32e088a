/* SPDX-License-Identifier: Apache-2.0 */
/* Filters probes by name, between the compiler and the host; begin and end always stay. */
#include "cli/filter.h"

#include <errno.h>
#include <stdio.h>

int zn_filter_init(struct zn_probe_filter *f, const char *regex)
{
    char why[128];
    int r = regcomp(&f->regex, regex, REG_EXTENDED | REG_NOSUB);
    if (r) {
        regerror(r, &f->regex, why, sizeof(why));
        fprintf(stderr, "ERROR: Invalid --probe-filter regex '%s': %s\n", regex, why);
        return -EINVAL;
    }
    f->compiled = true;
    return 0;
}

void zn_filter_fini(struct zn_probe_filter *f)
{
    if (f->compiled)
        regfree(&f->regex);
    *f = (struct zn_probe_filter){0};
}

static bool stays(const struct zn_probe_filter *f, const struct zn_target *t)
{
    return t->provider == ZP_BEGIN || t->provider == ZP_END ||
           !regexec(&f->regex, t->name, 0, NULL, 0);
}

static int expand(void *arg, struct zn_types *types, const struct zn_attach_spec *spec,
                  struct zn_target_list *out, const char **why, const char **hint,
                  const char **note)
{
    struct zn_probe_filter *f = arg;
    uint32_t kept = out->n;
    int r = f->inner->expand(f->inner->arg, types, spec, out, why, hint, note);
    if (r)
        return r;
    for (uint32_t i = kept; i < out->n; i++)
        if (stays(f, &out->v[i]))
            out->v[kept++] = out->v[i];
    out->n = kept;
    return 0;
}

static int target_args(void *arg, struct zn_types *types, struct zn_target *t, const char **why)
{
    const struct zn_host *h = ((struct zn_probe_filter *)arg)->inner;
    return h->target_args(h->arg, types, t, why);
}

static int kaddr(void *arg, const char *sym, uint64_t *ret)
{
    const struct zn_host *h = ((struct zn_probe_filter *)arg)->inner;
    return h->kaddr(h->arg, sym, ret);
}

static int uaddr(void *arg, const char *path, const char *sym, uint64_t *ret, uint64_t *ret_size)
{
    const struct zn_host *h = ((struct zn_probe_filter *)arg)->inner;
    return h->uaddr(h->arg, path, sym, ret, ret_size);
}

static int cgroupid(void *arg, const char *path, uint64_t *ret)
{
    const struct zn_host *h = ((struct zn_probe_filter *)arg)->inner;
    return h->cgroupid(h->arg, path, ret);
}

void zn_filter_host(struct zn_probe_filter *f, struct zn_env *env)
{
    f->inner = env->host;
    f->host = (struct zn_host){.arg = f,
                               .expand = expand,
                               .target_args = target_args,
                               .kaddr = kaddr,
                               .uaddr = uaddr,
                               .cgroupid = cgroupid};
    env->host = &f->host;
    env->filtered = true;
}
