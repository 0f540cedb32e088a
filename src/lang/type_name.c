/* SPDX-License-Identifier: Apache-2.0 */
/* How types are called in messages: the words that bpftrace uses. */
#include "base/str.h"
#include "lang/type_impl.h"

static const char *const kind_names[_ZN_TYPE_MAX] = {
    [T_NONE] = "none",
    [T_VOID] = "void",
    [T_BOOL] = "bool",
    [T_INT] = "int",
    [T_ENUM] = "enum",
    [T_PTR] = "pointer",
    [T_ARRAY] = "array",
    [T_STRUCT] = "struct",
    [T_STR] = "string",
    [T_BUF] = "buffer",
    [T_TUPLE] = "tuple",
    [T_RECORD] = "record",
    [T_INET] = "inet",
    [T_KSYM] = "ksym_t",
    [T_USYM] = "usym_t",
    [T_KSTACK] = "kstack",
    [T_USTACK] = "ustack",
    [T_MAC] = "mac_address",
    [T_TIMESTAMP] = "timestamp",
    [T_CGPATH] = "cgroup_path_t",
    [T_STRERROR] = "strerror_t",
    [T_USERNAME] = "username",
    [T_SYSCALL] = "syscall_name",
    [T_SIGNAME] = "signal_name",
    [T_COUNT] = "count_t",
    [T_SUM] = "sum_t",
    [T_MIN] = "min_t",
    [T_MAX] = "max_t",
    [T_AVG] = "avg_t",
    [T_STATS] = "stats_t",
    [T_HIST] = "hist_t",
    [T_LHIST] = "lhist_t",
    [T_TSERIES] = "tseries_t",
};

static void name_at(const struct zn_type *t, struct zn_str *out, unsigned depth);

static void fields_name(const struct zn_type *t, struct zn_str *out, unsigned depth)
{
    zn_str_putc(out, '(');
    for (uint32_t i = 0; i < t->nfields; i++) {
        if (i)
            zn_str_putc(out, ',');
        if (t->fields[i].name)
            zn_str_printf(out, "%s=", t->fields[i].name);
        name_at(t->fields[i].type, out, depth + 1);
    }
    zn_str_putc(out, ')');
}

static void name_at(const struct zn_type *t, struct zn_str *out, unsigned depth)
{
    if (depth > ZN_TYPE_MAX_DEPTH) {
        zn_str_puts(out, "...");
        return;
    }
    switch (t->kind) {
    case T_INT: zn_str_printf(out, "%sint%u", t->sign ? "" : "u", t->size * 8); break;
    case T_ENUM:
    case T_STRUCT:
        zn_str_puts(out, t->kind == T_ENUM ? "enum" : t->is_union ? "union" : "struct");
        if (t->name)
            zn_str_printf(out, " %s", t->name);
        break;
    case T_PTR:
        name_at(t->elem, out, depth + 1);
        zn_str_puts(out, " *");
        break;
    case T_ARRAY:
        name_at(t->elem, out, depth + 1);
        zn_str_printf(out, "[%u]", t->nelem);
        break;
    case T_STR:
    case T_BUF:
    case T_INET: zn_str_printf(out, "%s[%u]", kind_names[t->kind], t->size); break;
    case T_TUPLE:
    case T_RECORD: fields_name(t, out, depth); break;
    case T_SUM:
    case T_MIN:
    case T_MAX:
    case T_AVG:
    case T_STATS: zn_str_printf(out, "%s%s", t->sign ? "" : "u", kind_names[t->kind]); break;
    default: zn_str_puts(out, kind_names[t->kind]);
    }
}

void zn_type_name(const struct zn_type *t, struct zn_str *out)
{
    name_at(t, out, 0);
}
