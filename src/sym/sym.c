/* SPDX-License-Identifier: Apache-2.0 */
/* The symboliser: which source of names answers for an address. */
#include "sym/sym.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "sym/demangle.h"
#include "sym/files.h"
#include "sym/kernel.h"
#include "sym/procs.h"
#include "sym/track.h"

enum { DEFAULT_PROCS = 4096, DEFAULT_FILES = 256, DEFAULT_BYTES = 256 << 20 };

struct zn_sym {
    bool raw_names;
    struct zn_files *files;
    struct zn_procs *procs;
    struct zn_kernel_syms *kernel; /* NULL until asked */
    struct zn_track *track;        /* NULL unless started */
    uint64_t lost;                 /* of trackers that were stopped */
    struct zn_str name;            /* the last demangled one */
};

struct zn_sym *zn_sym_new(const struct zn_sym_opts *opts)
{
    static const struct zn_sym_opts none;
    const struct zn_sym_opts *o = opts ? opts : &none;
    struct zn_sym *s = calloc(1, sizeof(*s));
    if (!s)
        return NULL;
    zn_str_init(&s->name);
    s->raw_names = o->raw_names;
    s->procs = zn_procs_new(o->procs ? o->procs : DEFAULT_PROCS);
    s->files = zn_files_new(o->files ? o->files : DEFAULT_FILES,
                            o->bytes ? o->bytes : (uint64_t)DEFAULT_BYTES);
    if (!s->procs || !s->files) {
        zn_sym_free(s);
        return NULL;
    }
    return s;
}

void zn_sym_free(struct zn_sym *s)
{
    if (!s)
        return;
    zn_track_close(s->track);
    zn_kernel_syms_free(s->kernel);
    zn_procs_free(s->procs);
    zn_files_free(s->files);
    zn_str_fini(&s->name);
    free(s);
}

int zn_sym_kernel(struct zn_sym *s, uint64_t addr, struct zn_sym_name *ret)
{
    *ret = (struct zn_sym_name){0};
    if (!s->kernel && !(s->kernel = zn_kernel_syms_new()))
        return -ENOMEM;
    return zn_kernel_syms_find(s->kernel, addr, ret);
}

/* Names addr from a table in which it stands as vaddr. */
static bool name_from(struct zn_sym *s, const struct zn_elf *e, uint64_t vaddr,
                      struct zn_sym_name *ret)
{
    const struct zn_elf_sym *sym = e ? zn_elf_find(e, vaddr) : NULL;
    if (!sym)
        return false;
    ret->name = zn_elf_name(e, sym);
    ret->off = vaddr - sym->addr;
    if (s->raw_names)
        return true;
    zn_str_clear(&s->name);
    zn_demangle(&s->name, ret->name);
    if (!s->name.failed)
        ret->name = zn_str_c(&s->name);
    s->name.failed = false;
    return true;
}

static bool name_from_jit(struct zn_sym *s, struct zn_proc *p, uint64_t addr,
                          struct zn_sym_name *ret)
{
    if (name_from(s, p->jit.table, addr, ret))
        return true;
    return zn_perfmap_update(&p->jit, p->tgid) && name_from(s, p->jit.table, addr, ret);
}

static bool name_in_map(struct zn_sym *s, struct zn_proc *p, struct zn_map *map, uint64_t addr,
                        struct zn_sym_name *ret)
{
    uint64_t off = addr - map->lo + map->off, vaddr;
    uint32_t tgid = p->gone ? 0 : p->tgid;
    ret->module = map->path->s[0] ? map->path->s : "[anon]";
    ret->module_off = off;

    const struct zn_elf *e = NULL;
    if (!strcmp(ret->module, "[vdso]")) { /* a 32-bit process has another one, and low */
        if (map->lo > UINT32_MAX)
            e = zn_files_vdso(s->files, map->hi - map->lo);
    } else {
        zn_files_bind(s->files, tgid, map);
        e = zn_files_symbols(s->files, tgid, map);
    }
    if (!e)
        return map->exec && name_from_jit(s, p, addr, ret);
    if (e->build_id_len) {
        ret->build_id = e->build_id;
        ret->build_id_len = e->build_id_len;
    }
    if (!zn_elf_vaddr(e, off, &vaddr))
        return false;
    ret->module_off = vaddr;
    return name_from(s, e, vaddr, ret);
}

int zn_sym_user(struct zn_sym *s, uint32_t tgid, uint64_t addr, struct zn_sym_name *ret)
{
    *ret = (struct zn_sym_name){0};
    struct zn_proc *p = zn_procs_get(s->procs, tgid);
    if (!p)
        return -ENOMEM;
    int r = 0;
    if (zn_proc_stale(s->procs, p, false))
        r = zn_proc_read(s->procs, p);
    struct zn_map *map = zn_maps_find(&p->maps, addr);
    if (!map && zn_proc_stale(s->procs, p, true)) {
        r = zn_proc_read(s->procs, p);
        map = zn_maps_find(&p->maps, addr);
    }
    if (!map)
        return p->maps.n || !r ? -ENOENT : r;
    return name_in_map(s, p, map, addr, ret) ? 0 : -ENOENT;
}

void zn_sym_put(struct zn_str *out, uint64_t addr, const struct zn_sym_name *n, bool with_off)
{
    if (n->name) {
        zn_str_puts(out, n->name);
        if (with_off)
            zn_str_printf(out, "+%" PRIu64, n->off);
    } else if (n->module && n->module[0] == '/') {
        zn_str_printf(out, "%s+0x%" PRIx64, strrchr(n->module, '/') + 1, n->module_off);
    } else if (n->module && n->module[0] == '[' && strcmp(n->module, "[anon]")) {
        zn_str_printf(out, "%s+0x%" PRIx64, n->module, n->module_off);
    } else {
        zn_str_printf(out, "0x%" PRIx64, addr);
    }
}

int zn_sym_seen(struct zn_sym *s, uint32_t tgid)
{
    struct zn_proc *p = zn_procs_get(s->procs, tgid);
    if (!p)
        return -ENOMEM;
    if (zn_proc_stale(s->procs, p, false))
        return zn_proc_read(s->procs, p);
    return p->maps.n ? 0 : -ESRCH;
}

void zn_sym_refresh(struct zn_sym *s)
{
    zn_procs_refresh(s->procs);
}

int zn_sym_track_start(struct zn_sym *s)
{
    return s->track ? 0 : zn_track_open(s->procs, s->files, &s->track);
}

int zn_sym_track_poll(struct zn_sym *s)
{
    return s->track ? zn_track_poll(s->track) : 0;
}

uint64_t zn_sym_track_lost(const struct zn_sym *s)
{
    return s->lost + (s->track ? zn_track_lost(s->track) : 0);
}

void zn_sym_track_stop(struct zn_sym *s)
{
    if (!s->track)
        return;
    s->lost += zn_track_lost(s->track);
    zn_track_close(s->track);
    s->track = NULL;
}
