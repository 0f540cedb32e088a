/* SPDX-License-Identifier: Apache-2.0 */
/* Prototypes in BTF: each parameter's type and the slot or register it is passed in. */
#include "probes/btf_func.h"

#include <string.h>

#include "base/arena.h"
#include "base/str.h"
#include "lang/btf.h"
#include "probes/kind.h"

static const struct btf_param *params_of(const struct btf_type *proto)
{
    return (const struct btf_param *)(proto + 1);
}

uint32_t zn_btf_proto(const struct zn_btf *b, uint32_t id)
{
    for (unsigned depth = 0; depth < 16; depth++) {
        const struct btf_type *t = zn_btf_type(b, id);

        if (!t)
            return 0;
        switch (ZN_BTF_KIND(t)) {
        case BTF_KIND_FUNC_PROTO: return id;
        case BTF_KIND_FUNC:
        case BTF_KIND_TYPEDEF:
        case BTF_KIND_PTR:
        case BTF_KIND_CONST:
        case BTF_KIND_VOLATILE: id = t->type; break;
        default: return 0;
        }
    }
    return 0;
}

/* How many u64 places a parameter takes; 0: it is passed in memory. */
static unsigned slots_of(const struct zn_btf *b, uint32_t type)
{
    int64_t size = zn_btf_size(b, type);

    return size <= 8 ? 1 : size <= 16 ? 2 : 0;
}

static bool is_aggregate(const struct zn_btf *b, uint32_t type)
{
    const struct btf_type *t = zn_btf_type(b, zn_btf_skip(b, type));

    return t && (ZN_BTF_KIND(t) == BTF_KIND_STRUCT || ZN_BTF_KIND(t) == BTF_KIND_UNION);
}

unsigned zn_proto_args(struct zn_types *types, struct zn_target *t, uint32_t proto, bool skip_first,
                       enum zn_args_at at, unsigned nregs)
{
    const struct zn_btf *b = types->btf;
    const struct btf_type *p = zn_btf_type(b, proto);
    const struct btf_param *param = params_of(p);
    unsigned n = ZN_BTF_VLEN(p), slot = 0;
    struct zn_type *rec = zn_type_new(types, T_RECORD);

    rec->fields = zn_arena_array(types->arena, struct zn_field, n + 1);
    for (unsigned i = skip_first ? 1 : 0; i < n; i++) {
        unsigned take = slots_of(b, param[i].type);
        const char *name = zn_btf_name(b, param[i].name_off);

        if (param[i].type == 0) /* "..." */
            break;
        if (take == 0 || (at == ZN_ARGS_REGS && slot + take > nregs))
            continue;
        if (!is_aggregate(b, param[i].type) && take == 1) {
            struct zn_field *f = &rec->fields[rec->nfields++];

            f->name = *name ? zn_arena_strdup(types->arena, name)
                            : zn_arena_printf(types->arena, "arg%u", slot);
            f->type = zn_type_from_btf(types, param[i].type);
            f->reg = at == ZN_ARGS_REGS ? ZN_REG_ARG : ZN_REG_CTX64;
            f->arg = (uint8_t)slot;
        }
        slot += take;
    }
    rec->size = slot * 8;
    rec->fields_done = true;
    t->args = rec;
    return slot;
}

static const char *tag_of(uint32_t kind)
{
    switch (kind) {
    case BTF_KIND_STRUCT: return "struct ";
    case BTF_KIND_UNION: return "union ";
    case BTF_KIND_ENUM:
    case BTF_KIND_ENUM64: return "enum ";
    default: return "";
    }
}

static void cname(const struct zn_btf *b, uint32_t id, struct zn_str *out, unsigned depth)
{
    const struct btf_type *t = zn_btf_type(b, id);

    if (!t || depth > 16) {
        zn_str_puts(out, "void");
        return;
    }
    switch (ZN_BTF_KIND(t)) {
    case BTF_KIND_PTR:
        cname(b, t->type, out, depth + 1);
        if (out->len && zn_str_c(out)[out->len - 1] != '*')
            zn_str_putc(out, ' ');
        zn_str_putc(out, '*');
        break;
    case BTF_KIND_CONST:
        zn_str_puts(out, "const ");
        cname(b, t->type, out, depth + 1);
        break;
    case BTF_KIND_VOLATILE:
    case BTF_KIND_RESTRICT:
    case BTF_KIND_TYPE_TAG: cname(b, t->type, out, depth + 1); break;
    case BTF_KIND_ARRAY: {
        const struct btf_array *a = (const struct btf_array *)(t + 1);

        cname(b, a->type, out, depth + 1);
        zn_str_printf(out, "[%u]", a->nelems);
        break;
    }
    case BTF_KIND_FUNC_PROTO:
        cname(b, t->type, out, depth + 1);
        zn_str_puts(out, " (*)()");
        break;
    default:
        zn_str_puts(out, tag_of(ZN_BTF_KIND(t)));
        zn_str_puts(out, t->name_off ? zn_btf_name(b, t->name_off) : "{...}");
    }
}

void zn_btf_cname(const struct zn_btf *b, uint32_t id, struct zn_str *out)
{
    cname(b, id, out, 0);
}

int zn_list_proto(struct zn_list *l, const struct zn_btf *b, uint32_t proto, bool skip_first,
                  bool retval)
{
    const struct btf_type *p = zn_btf_type(b, proto);
    const struct btf_param *param = params_of(p);
    unsigned n = ZN_BTF_VLEN(p);
    ZN_AUTOSTR struct zn_str s;
    int r = 0;

    zn_str_init(&s);
    for (unsigned i = skip_first ? 1 : 0; !r && i < n && param[i].type; i++) {
        const char *name = zn_btf_name(b, param[i].name_off);

        zn_str_clear(&s);
        zn_btf_cname(b, param[i].type, &s);
        if (*name)
            r = zn_list_line(l, "    %s %s", zn_str_c(&s), name);
        else
            r = zn_list_line(l, "    %s arg%u", zn_str_c(&s), i - (skip_first ? 1 : 0));
    }
    if (!r && retval && p->type) {
        zn_str_clear(&s);
        zn_btf_cname(b, p->type, &s);
        r = zn_list_line(l, "    %s retval", zn_str_c(&s));
    }
    return r;
}
