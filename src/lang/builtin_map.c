/* SPDX-License-Identifier: Apache-2.0 */
/* Builtins on maps: delete, clear, zero, has_key, print of maps is in builtin_print.c. */
#include "lang/builtin_tables.h"
#include "lang/lower.h"

/* First argument must be a map; its bare name stands for the whole. */
static struct zn_mapsym *map_arg(struct zn_cc *cc, struct zn_node *n)
{
    struct zn_node *m = n->list;
    if (m->kind != N_MAP) {
        zn_cc_error(cc, m->pos, "%s() expects a map to be provided", n->name);
        return NULL;
    }
    return zn_map_lookup(cc, m);
}

/* delete(@m, k), old spelling delete(@m[k]), delete(@scalar): the key, or NULL. */
static struct zn_node *key_of(struct zn_node *n)
{
    return ZN_MAP_KEY(n->list) ? ZN_MAP_KEY(n->list) : n->list->next;
}

static bool keyed(struct zn_cc *cc, struct zn_node *n)
{
    struct zn_mapsym *m = map_arg(cc, n);
    if (!m)
        return false;
    m->presence = true;
    struct zn_node use = *n->list;
    use.sym = m;
    use.a = key_of(n);
    if (ZN_MAP_KEY(n->list) && n->list->next) {
        zn_cc_error(cc, n->pos, "%s() takes the key either as %s[key] or as an argument", n->name,
                    m->name);
        return false;
    }
    zn_map_use_key(cc, &use);
    n->type = zn_type_simple(&cc->types, T_BOOL);
    return true;
}

static bool delete_(struct zn_cc *cc, struct zn_node *n)
{
    return keyed(cc, n);
}

static bool has_key(struct zn_cc *cc, struct zn_node *n)
{
    return keyed(cc, n);
}

static struct zn_val lower_delete(struct zn_lower *l, struct zn_node *n)
{
    zn_vreg r = zn_ir_vreg(l->f, ZN_V_SCALAR);
    zn_map_delete(l, n->list, key_of(n), r);
    return zn_vreg_val(n->type, r);
}

static struct zn_val lower_has_key(struct zn_lower *l, struct zn_node *n)
{
    return zn_vreg_val(n->type, zn_map_has(l, n->list, key_of(n)));
}

static bool len(struct zn_cc *cc, struct zn_node *n)
{
    if (n->list->kind != N_MAP || ZN_MAP_KEY(n->list)) {
        zn_cc_error(cc, n->list->pos, "len() expects a map (of a stack it is not supported yet)");
        return false;
    }
    struct zn_mapsym *m = zn_map_lookup(cc, n->list);
    m->iterated = true;
    m->uses++;
    n->type = zn_type_int(&cc->types, 8, true);
    if (!zn_has(cc, ZF_FOR_EACH_MAP)) {
        zn_cc_error(cc, n->pos, "this kernel cannot count a map's keys (5.13 can)");
        return false;
    }
    if (m->value && !m->key) {
        zn_cc_error(cc, n->list->pos, "%s has no keys to count", m->name);
        return false;
    }
    return true;
}

static struct zn_val lower_len(struct zn_lower *l, struct zn_node *n)
{
    return zn_vreg_val(n->type, zn_map_len(l, n->list->sym));
}

static bool whole(struct zn_cc *cc, struct zn_node *n)
{
    struct zn_mapsym *m = map_arg(cc, n);
    if (!m)
        return false;
    if (ZN_MAP_KEY(n->list)) {
        zn_cc_error(cc, n->list->pos, "The map passed to %s() should not be indexed by a key",
                    n->name);
        return false;
    }
    n->type = zn_type_simple(&cc->types, T_NONE);
    m->uses++;
    return true;
}

static struct zn_val lower_whole(struct zn_lower *l, struct zn_node *n)
{
    const struct zn_builtin *b = n->sym;
    struct zn_mapsym *m = n->list->sym;
    uint32_t a = zn_image_action(l->cc, (enum zn_action_kind)b->detail, n->pos);
    l->cc->img->actions[a].map = m->image_map;
    struct zn_rec_out o = zn_rec_begin(l, a, sizeof(struct zn_ctl), true);
    zn_rec_end(l, &o);
    return zn_none();
}

const struct zn_builtin zn_builtins_map[] = {
    {"delete", "delete(@map[, key])", 1, 2, BI_RAWARGS, 0, delete_, lower_delete, "removes a key"},
    {"has_key", "has_key(@map, key)", 2, 2, BI_RAWARGS, 0, has_key, lower_has_key,
     "whether a key is there"},
    {"len", "len(@map)", 1, 1, BI_RAWARGS, 0, len, lower_len, "number of keys"},
    {"clear", "clear(@map)", 1, 1, BI_RAWARGS | BI_ASYNC, ZA_CLEAR, whole, lower_whole,
     "removes all keys"},
    {"zero", "zero(@map)", 1, 1, BI_RAWARGS | BI_ASYNC, ZA_ZERO, whole, lower_whole,
     "sets all values to 0"},
    {0},
};
