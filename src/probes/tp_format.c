/* SPDX-License-Identifier: Apache-2.0 */
/* From a tracepoint's format file to typed fields.
 *
 * System calls are special: their programs sit on raw tracepoints, so a field is an argument
 * register of the caller and not a place in the record. The k-th field after __syscall_nr is
 * argument k; newer kernels add copies of strings after the arguments, which are in no register. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "kern/tracefs.h"
#include "lang/ast.h"
#include "probes/kind.h"
#include "probes/tp_format.h"

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* "char[] name" or "cpumask_t name": the element's type and the name. */
static bool split_loc(const char *decl, struct zn_tp_decl *d)
{
    const char *name = strrchr(decl, ' ');
    size_t n = name ? ZN_MIN(strcspn(decl, "["), (size_t)(name - decl)) : 0;

    if (!n || !name[1])
        return false;
    snprintf(d->name, sizeof(d->name), "%s", name + 1);
    snprintf(d->type, sizeof(d->type), "%.*s", (int)n, decl);
    return true;
}

bool zn_tp_decl(const char *decl, struct zn_tp_decl *ret)
{
    struct zn_tp_decl d = {0};
    size_t end, begin;

    if (strncmp(decl, "__data_loc ", 11) == 0)
        d.data_loc = true, decl += 11;
    else if (strncmp(decl, "__rel_loc ", 10) == 0)
        d.rel_loc = true, decl += 10;
    if (d.data_loc || d.rel_loc) {
        if (!split_loc(decl, &d))
            return false;
        *ret = d;
        return true;
    }
    /* The name is the last word before the array's brackets. */
    end = strcspn(decl, "[");
    while (end && !is_word(decl[end - 1]))
        end--;
    begin = end;
    while (begin && is_word(decl[begin - 1]))
        begin--;
    if (begin == end || begin == 0)
        return false;
    snprintf(d.name, sizeof(d.name), "%.*s", (int)(end - begin), decl + begin);
    snprintf(d.type, sizeof(d.type), "%s", decl);
    *ret = d;
    return true;
}

/* The type by what the line says of size and sign, for declarations that nobody can resolve. */
static struct zn_type *type_by_size(struct zn_types *types, const struct zn_event_field *f)
{
    const char *decl = f->decl;

    if (strchr(decl, '['))
        return zn_type_array(types, zn_type_int(types, 1, strncmp(decl, "char", 4) == 0), f->size);
    if (strchr(decl, '*'))
        return zn_type_ptr(types, zn_type_simple(types, T_VOID), ZN_SPACE_KERNEL);
    if (f->size == 1 || f->size == 2 || f->size == 4 || f->size == 8)
        return zn_type_int(types, f->size, f->sign);
    return zn_type_array(types, zn_type_int(types, 1, false), f->size);
}

/* Pointers of a record, and pointers found behind them, lead to one address space. */
static struct zn_type *in_space(struct zn_types *types, struct zn_type *t, enum zn_space space)
{
    return t->kind == T_PTR ? zn_type_ptr(types, in_space(types, t->elem, space), space) : t;
}

static struct zn_type *declared_type(struct zn_types *types, const char *decl)
{
    const char *name = NULL, *why = NULL;
    struct zn_ctype *c = zn_parse_cdecl(types->arena, decl, &name);

    return c ? zn_type_from_ctype(types, c, &why) : NULL;
}

static struct zn_type *field_type(struct zn_types *types, const struct zn_event_field *f,
                                  const struct zn_tp_decl *d, enum zn_space space,
                                  uint32_t max_strlen)
{
    struct zn_type *t;

    if (d->data_loc) {
        if (strcmp(d->type, "char") == 0)
            return zn_type_str(types, max_strlen, false);
        t = declared_type(types, d->type);
        return zn_type_array(types, t ? t : zn_type_int(types, 1, false), 0);
    }
    t = declared_type(types, d->type);
    if (!t || t->kind == T_VOID || (t->kind == T_STRUCT && t->size != f->size) ||
        (t->kind == T_ARRAY && t->nelem == 0) || t->size > f->size)
        t = type_by_size(types, f);
    return in_space(types, t, space);
}

enum flavour { FL_RECORD, FL_SYS_ENTER, FL_SYS_EXIT, FL_RAW_ENTER, FL_RAW_EXIT };

static enum flavour flavour_of(const struct zn_target *t)
{
    if (strcmp(t->module, "raw_syscalls") == 0 && strcmp(t->sym, "sys_enter") == 0)
        return FL_RAW_ENTER;
    if (strcmp(t->module, "raw_syscalls") == 0 && strcmp(t->sym, "sys_exit") == 0)
        return FL_RAW_EXIT;
    if (strcmp(t->module, "syscalls") != 0 || t->nr < 0)
        return FL_RECORD;
    return t->is_exit ? FL_SYS_EXIT : FL_SYS_ENTER;
}

/* Where a field's value is; false: nowhere that a program can reach. nsys counts the arguments. */
static bool locate(enum flavour fl, const struct zn_tp_decl *f, unsigned *nsys,
                   struct zn_field *out)
{
    switch (fl) {
    case FL_RECORD: return true;
    case FL_SYS_ENTER:
        if (strcmp(f->name, "__syscall_nr") == 0) {
            out->reg = ZN_REG_SYSNR;
            return true;
        }
        if (f->data_loc || *nsys >= 6)
            return false;
        out->reg = ZN_REG_SYSARG;
        out->arg = (uint8_t)(*nsys)++;
        return true;
    case FL_SYS_EXIT:
        out->reg = strcmp(f->name, "ret") == 0 ? ZN_REG_CTX64 : ZN_REG_SYSNR;
        out->arg = 1;
        return true;
    case FL_RAW_ENTER:
        out->reg = strcmp(f->name, "id") == 0 ? ZN_REG_CTX64 : ZN_REG_SYSARG;
        out->arg = out->reg == ZN_REG_CTX64 ? 1 : 0;
        return true;
    case FL_RAW_EXIT:
        out->reg = strcmp(f->name, "ret") == 0 ? ZN_REG_CTX64 : ZN_REG_SYSNR;
        out->arg = 1;
        return true;
    }
    return false;
}

int zn_tp_args(struct zn_types *types, struct zn_target *t, const struct zn_event_format *format,
               uint32_t max_strlen)
{
    struct zn_type *rec = zn_type_new(types, T_RECORD);
    enum flavour fl = flavour_of(t);
    enum zn_space space = strstr(t->module, "syscalls") ? ZN_SPACE_USER : ZN_SPACE_KERNEL;
    unsigned nsys = 0;

    if (format->nfields == 0)
        return -EINVAL;
    rec->fields = zn_arena_array(types->arena, struct zn_field, format->nfields);
    for (size_t i = 0; i < format->nfields; i++) {
        const struct zn_event_field *f = &format->fields[i];
        struct zn_field out = {0};
        struct zn_tp_decl d;

        if (f->common || !zn_tp_decl(f->decl, &d) || d.rel_loc || !locate(fl, &d, &nsys, &out))
            continue;
        out.name = zn_arena_strdup(types->arena, d.name);
        out.type = field_type(types, f, &d, space, max_strlen);
        out.data_loc = d.data_loc;
        if (out.reg == ZN_REG_NONE)
            out.off = f->off;
        rec->fields[rec->nfields++] = out;
        rec->size = ZN_MAX(rec->size, f->off + f->size);
    }
    rec->fields_done = true;
    t->args = rec;
    return 0;
}

int zn_args_tracepoint(struct zn_probes *p, struct zn_types *types, struct zn_target *t,
                       const char **why)
{
    struct zn_event_format format = {0};
    int r = p->tracefs ? zn_event_format_read(p->tracefs, t->module, t->sym, &format) : -ENODEV;

    if (!r) {
        r = zn_tp_args(types, t, &format, p->env.max_strlen);
        zn_event_format_fini(&format);
    }
    if (r && why)
        *why = zn_arena_printf(types->arena, "cannot read the fields of %s: %s", t->name,
                               strerror(-r));
    return r;
}

/* As the kernel declares them: "    unsigned int fd". */
int zn_list_args_tracepoint(struct zn_list *l, const char *name)
{
    struct zn_event_format format = {0};
    char category[128];
    int r = 0;

    name += strlen("tracepoint:");
    snprintf(category, sizeof(category), "%.*s", (int)strcspn(name, ":"), name);
    name += strcspn(name, ":") + 1;
    if (zn_event_format_read(l->p->tracefs, category, name, &format) < 0)
        return 0;
    for (size_t i = 0; !r && i < format.nfields; i++)
        if (!format.fields[i].common)
            r = zn_list_line(l, "    %s", format.fields[i].decl);
    zn_event_format_fini(&format);
    return r;
}
