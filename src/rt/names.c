/* SPDX-License-Identifier: Apache-2.0 */
/* Joins the printers to the symbolizer: opened only when a script prints addresses. */
#include <errno.h>

#include "base/str.h"
#include "rt/session.h"
#include "sym/sym.h"

static void put(uint64_t addr, const struct zn_sym_name *n, bool offset, bool module,
                struct zn_str *out)
{
    zn_sym_put(out, addr, n, offset);
    if (module && n->module)
        zn_str_printf(out, " (%s)", n->module);
    else if (module)
        zn_str_puts(out, " ([unknown])");
}

static bool ksym(void *arg, uint64_t addr, bool offset, bool module, struct zn_str *out)
{
    struct zn_sym_name n;
    if (zn_sym_kernel(arg, addr, &n) < 0)
        return false;
    /* as perf: the kernel itself is no module */
    if (module && n.module && n.name && n.module[0] == 'v' &&
        !__builtin_strcmp(n.module, "vmlinux"))
        module = false;
    put(addr, &n, offset, module, out);
    return true;
}

static bool usym(void *arg, uint32_t tgid, uint64_t addr, bool offset, bool module,
                 struct zn_str *out)
{
    struct zn_sym_name n;
    if (zn_sym_user(arg, tgid, addr, &n) < 0 && !n.module)
        return false;
    put(addr, &n, offset, module, out);
    return true;
}

int zn_names_open(struct zn_session *s)
{
    const struct zn_image *img = s->img;
    if (!img->uses_ustack && !img->uses_usym && !img->uses_kstack && !img->uses_ksym)
        return 0;
    struct zn_sym_opts o = {.raw_names = s->cfg && !s->cfg->cpp_demangle};
    s->sym = zn_sym_new(&o);
    if (!s->sym)
        return -ENOMEM;
    s->view.names = (struct zn_names){.arg = s->sym, .ksym = ksym, .usym = usym};
    if (img->uses_ustack || img->uses_usym)
        s->tracking = zn_sym_track_start(s->sym) == 0;
    return 0;
}

void zn_names_close(struct zn_session *s)
{
    if (s->tracking)
        zn_sym_track_stop(s->sym);
    if (s->sym)
        zn_sym_free(s->sym);
    s->sym = NULL;
    s->tracking = false;
}
