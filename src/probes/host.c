/* SPDX-License-Identifier: Apache-2.0 */
/* The one table of probe kinds, and the host that hands them to the compiler. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arch/arch.h"
#include "kern/kallsyms.h"
#include "probes/btf_func.h"
#include "probes/elf_sym.h"
#include "probes/functions.h"
#include "probes/kind.h"

const struct zn_kind zn_kinds[_ZN_PROVIDER_MAX] = {
    [ZP_BEGIN] = {.expand = zn_expand_special, .list = zn_list_special},
    [ZP_END] = {.expand = zn_expand_special, .list = zn_list_special},
    [ZP_INTERVAL] = {.expand = zn_expand_period, .list = zn_list_period},
    [ZP_PROFILE] = {.expand = zn_expand_period, .list = zn_list_period},
    [ZP_SOFTWARE] = {.expand = zn_expand_software, .list = zn_list_software},
    [ZP_HARDWARE] = {.expand = zn_expand_hardware, .list = zn_list_hardware},
    [ZP_TRACEPOINT] = {.expand = zn_expand_tracepoint,
                       .args = zn_args_tracepoint,
                       .list = zn_list_tracepoint,
                       .list_args = zn_list_args_tracepoint},
    [ZP_RAWTRACEPOINT] = {.expand = zn_expand_rawtracepoint,
                          .args = zn_args_rawtracepoint,
                          .list = zn_list_rawtracepoint,
                          .list_args = zn_list_args_rawtracepoint},
    [ZP_KPROBE] = {.expand = zn_expand_kprobe,
                   .args = zn_args_kprobe,
                   .list = zn_list_kprobe,
                   .list_args = zn_list_args_func},
    [ZP_KRETPROBE] = {.expand = zn_expand_kprobe, .list = zn_list_kprobe, .list_named = true},
    [ZP_FENTRY] = {.expand = zn_expand_fentry,
                   .args = zn_args_fentry,
                   .list = zn_list_fentry,
                   .list_args = zn_list_args_func},
    [ZP_FEXIT] = {.expand = zn_expand_fentry,
                  .args = zn_args_fentry,
                  .list = zn_list_fentry,
                  .list_named = true,
                  .list_args = zn_list_args_func},
    [ZP_UPROBE] = {.expand = zn_expand_uprobe, .list = zn_list_uprobe, .list_named = true},
    [ZP_URETPROBE] = {.expand = zn_expand_uprobe, .list = zn_list_uprobe, .list_named = true},
    [ZP_USDT] = {.expand = zn_expand_usdt, .list = zn_list_usdt},
    [ZP_WATCHPOINT] = {.expand = zn_expand_watchpoint},
    [ZP_ITER] = {.expand = zn_expand_later},
    [ZP_SELF] = {.expand = zn_expand_self},
    [ZP_TEST] = {.expand = zn_expand_later},
    [ZP_BENCH] = {.expand = zn_expand_later},
};

static int cmp_target(const void *a, const void *b)
{
    const struct zn_target *x = a, *y = b;
    int d = strcmp(x->name, y->name);

    return d ? d : (x->offset > y->offset) - (x->offset < y->offset);
}

/* Sorts what one attach point added and drops duplicates. */
static void tidy(struct zn_target_list *out, uint32_t from)
{
    uint32_t kept = from;

    if (out->n - from < 2)
        return;
    qsort(out->v + from, out->n - from, sizeof(*out->v), cmp_target);
    for (uint32_t i = from; i < out->n; i++)
        if (kept == from || cmp_target(&out->v[kept - 1], &out->v[i]) != 0)
            out->v[kept++] = out->v[i];
    out->n = kept;
}

static int host_expand(void *arg, struct zn_types *types, const struct zn_attach_spec *spec,
                       struct zn_target_list *out, const char **why, const char **hint,
                       const char **note)
{
    struct zn_expand x = {
        .p = arg, .types = types, .arena = types->arena, .spec = spec, .out = out};
    uint32_t from = out->n;
    int r = zn_kinds[spec->provider->id].expand(&x);

    if (r == 0 && out->n == from)
        r = zn_fail(&x, -ENOENT, "no probe matches '%s'", spec->written);
    if (r)
        out->n = from;
    else
        tidy(out, from);
    if (why && r)
        *why = x.why;
    if (hint && r)
        *hint = x.hint;
    if (note && !r)
        *note = x.note;
    return r;
}

static int host_target_args(void *arg, struct zn_types *types, struct zn_target *t,
                            const char **why)
{
    int r = 0;

    if (t->args_done)
        return 0;
    if (zn_kinds[t->provider].args)
        r = zn_kinds[t->provider].args(arg, types, t, why);
    if (!r)
        t->args_done = true;
    return r;
}

static int host_kaddr(void *arg, const char *sym, uint64_t *ret)
{
    (void)arg;
    return zn_kallsyms_find_quick(NULL, sym, NULL, ret);
}

static int host_uaddr(void *arg, const char *path, const char *sym, uint64_t *ret,
                      uint64_t *ret_size)
{
    (void)arg;
    return zn_esym_address(path, sym, ret, ret_size);
}

/* The id that the kernel's helpers give is the inode number of the directory (v2 and v1 alike). */
static int host_cgroupid(void *arg, const char *path, uint64_t *ret)
{
    struct stat st;

    (void)arg;
    if (stat(path, &st) < 0)
        return -errno;
    if (!S_ISDIR(st.st_mode))
        return -ENOTDIR;
    *ret = st.st_ino;
    return 0;
}

struct zn_host *zn_probes_host(const struct zn_probes_env *env)
{
    struct zn_probes *p = calloc(1, sizeof(*p));

    if (!p)
        return NULL;
    p->env = *env;
    if (!p->env.max_strlen)
        p->env.max_strlen = 1024;
    if (!p->env.arch)
        p->env.arch = zn_arch_native();
    if (env->tracefs)
        snprintf(p->tracefs_path, sizeof(p->tracefs_path), "%s", env->tracefs);
    if (env->tracefs || zn_tracefs_find(p->tracefs_path) != -ENOENT)
        p->tracefs = p->tracefs_path;
    p->host = (struct zn_host){
        .arg = p,
        .expand = host_expand,
        .target_args = host_target_args,
        .kaddr = host_kaddr,
        .uaddr = host_uaddr,
        .cgroupid = host_cgroupid,
    };
    return &p->host;
}

void zn_probes_host_free(struct zn_host *h)
{
    struct zn_probes *p = (struct zn_probes *)h;

    if (!p)
        return;
    zn_funcs_free(p->funcs);
    zn_modbtf_free(p->modbtf);
    free(p);
}
