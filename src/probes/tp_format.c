/* SPDX-License-Identifier: Apache-2.0 */
/* From a tracepoint's format file to typed fields.
 *
 * System calls are special: their programs sit on raw tracepoints, so a field is an argument
 * register of the caller and not a place in the record. The k-th field after __syscall_nr is
 * argument k; newer kernels add copies of strings after the arguments, which are in no register. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/file.h"
#include "base/mem.h"
#include "lang/ast.h"
#include "probes/kind.h"
#include "probes/tp_format.h"

static bool number_after(const char *line, const char *key, uint32_t *ret)
{
    const char *p = strstr(line, key);
    char *end;

    if (!p)
        return false;
    p += strlen(key);

    unsigned long v = strtoul(p, &end, 10);

    if (end == p || v > 1 << 20)
        return false;
    *ret = (uint32_t)v;
    return true;
}

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* The name is the last word before the array brackets. */
static bool split_name(char *decl, struct zn_tp_field *f, struct zn_tp_field *ret)
{
    size_t n = strcspn(decl, "[");
    size_t end = n;

    if (f->data_loc || f->rel_loc) { /* "char[] name" */
        char *last = strrchr(decl, ' ');

        if (!last || !last[1])
            return false;
        decl[n] = '\0';
        if (last < decl + n) /* no brackets: "cpumask_t name" */
            *last = '\0';
        f->type = decl;
        f->name = last + 1;
        *ret = *f;
        return true;
    }
    while (end && !is_word(decl[end - 1]))
        end--;

    size_t begin = end;

    while (begin && is_word(decl[begin - 1]))
        begin--;
    if (begin == end || begin == 0)
        return false;
    f->decl = decl;
    f->name = decl + begin; /* cut by the caller, who still needs decl whole */
    *ret = *f;
    return true;
}

bool zn_tp_next(char **pos, struct zn_tp_field *ret)
{
    char *line = *pos;

    while (line && *line) {
        char *next = strchr(line, '\n');
        struct zn_tp_field f = {0};
        uint32_t sign = 0;

        if (next)
            *next++ = '\0';
        *pos = next ? next : line + strlen(line);

        char *decl = strstr(line, "field:");
        char *semi = decl ? strchr(decl, ';') : NULL;

        line = *pos;
        if (!semi || !number_after(semi, "offset:", &f.off) || !number_after(semi, "size:", &f.size))
            continue;
        f.sign = number_after(semi, "signed:", &sign) && sign;
        *semi = '\0';
        decl += strlen("field:");
        if (strncmp(decl, "__data_loc ", 11) == 0)
            f.data_loc = true, decl += 11;
        else if (strncmp(decl, "__rel_loc ", 10) == 0)
            f.rel_loc = true, decl += 10;
        if (split_name(decl, &f, ret))
            return true;
    }
    return false;
}

/* The type by what the line says of size and sign, for declarations that nobody can resolve. */
static struct zn_type *type_by_size(struct zn_types *types, const struct zn_tp_field *f)
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

static struct zn_type *field_type(struct zn_types *types, const struct zn_tp_field *f,
                                  enum zn_space space)
{
    struct zn_type *t;

    if (f->data_loc) {
        if (strcmp(f->type, "char") == 0)
            return zn_type_str(types, 0, false); /* as long as max_strlen allows */
        t = declared_type(types, f->type);
        return zn_type_array(types, t ? t : zn_type_int(types, 1, false), 0);
    }
    t = declared_type(types, f->decl);
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
static bool locate(enum flavour fl, const struct zn_tp_field *f, unsigned *nsys,
                   struct zn_field *out)
{
    switch (fl) {
    case FL_RECORD:
        return true;
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

int zn_tp_args(struct zn_types *types, struct zn_target *t, char *format)
{
    struct zn_type *rec = zn_type_new(types, T_RECORD);
    enum flavour fl = flavour_of(t);
    enum zn_space space = fl == FL_RECORD && strcmp(t->module, "syscalls") != 0 ? ZN_SPACE_KERNEL
                                                                                : ZN_SPACE_USER;
    struct zn_tp_field f;
    unsigned nsys = 0;
    uint32_t cap = 0;
    bool any = false;

    while (zn_tp_next(&format, &f)) {
        struct zn_field out = {.off = f.off, .data_loc = f.data_loc};

        any = true;
        if (strncmp(f.name, "common_", 7) == 0 || f.rel_loc || !locate(fl, &f, &nsys, &out))
            continue;
        out.type = field_type(types, &f, space);
        out.name = zn_arena_strndup(types->arena, f.name, strcspn(f.name, " ["));
        if (out.reg != ZN_REG_NONE)
            out.off = 0;
        zn_arena_grow(types->arena, rec->fields, rec->nfields, cap);
        rec->fields[rec->nfields++] = out;
        rec->size = ZN_MAX(rec->size, f.off + f.size);
    }
    if (!any)
        return -EINVAL;
    rec->fields_done = true;
    t->args = rec;
    return 0;
}

static int read_format(struct zn_probes *p, const char *category, const char *event, char **ret)
{
    char path[512];

    if (!p->tracefs)
        return -ENODEV;
    snprintf(path, sizeof(path), "%s/events/%s/%s/format", p->tracefs, category, event);
    return zn_file_read(path, 1 << 20, ret, NULL);
}

int zn_args_tracepoint(struct zn_probes *p, struct zn_types *types, struct zn_target *t,
                       const char **why)
{
    ZN_AUTOFREE char *text = NULL;
    int r = read_format(p, t->module, t->sym, &text);

    if (!r)
        r = zn_tp_args(types, t, text);
    if (r && why)
        *why = zn_arena_printf(types->arena, "cannot read the fields of %s: %s", t->name,
                               strerror(-r));
    return r;
}

/* As the kernel declares them: "    unsigned int fd". */
int zn_list_args_tracepoint(struct zn_list *l, const char *name)
{
    ZN_AUTOFREE char *text = NULL;
    char category[128];
    struct zn_tp_field f;
    char *pos;
    int r;

    name += strlen("tracepoint:");
    snprintf(category, sizeof(category), "%.*s", (int)strcspn(name, ":"), name);
    name += strcspn(name, ":") + 1;
    if (read_format(l->p, category, name, &text) < 0)
        return 0;
    pos = text;
    while (zn_tp_next(&pos, &f)) {
        if (strncmp(f.name, "common_", 7) == 0)
            continue;
        if (f.data_loc || f.rel_loc)
            r = zn_list_line(l, "    %s %s[] %s", f.data_loc ? "__data_loc" : "__rel_loc", f.type,
                             f.name);
        else
            r = zn_list_line(l, "    %s", f.decl);
        if (r)
            return r;
    }
    return 0;
}
