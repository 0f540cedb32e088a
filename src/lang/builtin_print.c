/* SPDX-License-Identifier: Apache-2.0 */
/* Builtins that send something to user space to be shown: printf, print, time, cat, join, exit. */
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "lang/builtin_tables.h"
#include "lang/lower.h"

enum { JOIN_STRINGS = 16, MAX_RECORD = 64 << 10 };

/* ---- formats ---- */

/* Finds the next conversion from *p on: returns its letter ('%' for "%%"), 0 at the end, -1 when it
 * is not one. *p moves behind it. */
static int next_conversion(const char **p)
{
    const char *s = strchr(*p, '%');
    if (!s)
        return 0;
    s++;
    if (*s == '%') {
        *p = s + 1;
        return '%';
    }
    s += strspn(s, "-+ #0'");
    s += strspn(s, "0123456789");
    if (*s == '.') {
        s++;
        s += strspn(s, "0123456789");
    }
    s += strspn(s, "hljztL");
    int c = *s;
    if (!c || !strchr("diouxXcpsr", c))
        return -1;
    s++;
    if (c == 'r' && (*s == 'x' || *s == 'h'))
        s++;
    *p = s;
    return c;
}

static bool fits(int c, const struct zn_type *t)
{
    if (c == 's')
        return true;
    if (c == 'r')
        return t->kind == T_BUF || t->kind == T_STR || t->kind == T_ARRAY;
    switch (t->kind) {
    case T_INT:
    case T_BOOL:
    case T_ENUM:
    case T_PTR:
    case T_KSYM:
    case T_USYM:
    case T_TIMESTAMP:
    case T_COUNT:
    case T_SUM:
    case T_MIN:
    case T_MAX:
    case T_AVG:
    case T_STATS:
    case T_CGPATH:
    case T_STRERROR:
    case T_USERNAME:
    case T_SYSCALL:
    case T_SIGNAME: return true;
    default: return false;
    }
}

static bool check_format(struct zn_cc *cc, struct zn_node *n, struct zn_node *fmt)
{
    const char *p = fmt->str;
    struct zn_node *a = fmt->next;
    unsigned want = 0, have = 0;
    for (struct zn_node *x = a; x; x = x->next)
        have++;
    for (;;) {
        const char *at = strchr(p, '%');
        int c = next_conversion(&p);
        if (!c)
            break;
        if (c == '%')
            continue;
        if (c < 0) {
            size_t len = strspn(at + 1, "-+ #0'.123456789hljztL") + 2;
            struct zn_diag *d =
                zn_cc_error(cc, fmt->pos, "%s: unknown conversion '%.*s' in the format", n->name,
                            (int)ZN_MIN(len, strlen(at)), at);
            if (d)
                zn_hint(cc->d, d, "known are d i u o x X c p s r rx rh and %%%%");
            return false;
        }
        want++;
        if (!a)
            continue;
        if (a->type && !fits(c, a->type)) {
            zn_cc_error(cc, a->pos, "%s: %%%c specifier expects a value of type %s (%s supplied)",
                        n->name, c, c == 'r' ? "buffer" : "integer", zn_type_str_name(cc, a->type));
            return false;
        }
        a = a->next;
    }
    if (want != have) {
        zn_cc_error(cc, n->pos, "%s: %s arguments for format string (%u supplied, %u expected)",
                    n->name, have < want ? "Not enough" : "Too many", have, want);
        return false;
    }
    return true;
}

static bool printf_(struct zn_cc *cc, struct zn_node *n)
{
    struct zn_node *fmt = n->list;
    n->type = zn_type_simple(&cc->types, T_NONE);
    if (fmt->kind != N_STR) {
        zn_cc_error(cc, fmt->pos, "%s() expects a string literal as its format", n->name);
        return false;
    }
    for (struct zn_node *a = fmt->next; a; a = a->next) {
        if (!a->type)
            return false;
        if (a->type->kind == T_NONE || a->type->kind == T_VOID) {
            zn_cc_error(cc, a->pos, "this expression has no value");
            return false;
        }
        if (zn_type_is_agg(a->type)) {
            if (a->type->kind == T_HIST || a->type->kind == T_LHIST) {
                zn_cc_error(cc, a->pos, "a histogram cannot be an argument of %s(): use print()",
                            n->name);
                return false;
            }
            zn_map_lookup(cc, a)->sync_read = true;
        }
    }
    return check_format(cc, n, fmt);
}

/* Writes the arguments' stored forms from offset off of a record; fills the action's list. */
static uint32_t plan_args(struct zn_lower *l, struct zn_node *first, struct zn_action *act,
                          uint32_t off)
{
    uint32_t n = 0;
    for (struct zn_node *a = first; a; a = a->next)
        n++;
    act->args = zn_arena_array(l->cc->arena, struct zn_action_arg, n + 1);
    act->nargs = n;
    uint32_t i = 0;
    for (struct zn_node *a = first; a; a = a->next, i++) {
        struct zn_type *t = a->type;
        if (zn_type_is_agg(t))
            t = zn_type_int(&l->cc->types, 8, true);
        zn_load_all(l->cc, t);
        act->args[i] = (struct zn_action_arg){t, off};
        off += zn_type_stored(t);
    }
    if (off > MAX_RECORD)
        zn_ir_fail(l->f, "the arguments need more than %d bytes", MAX_RECORD);
    return off;
}

static void note_block(void *arg, struct zn_node *n)
{
    *(bool *)arg |= n->kind == N_BLOCK_EXPR;
}

/* Whether evaluating the argument can leave the probe: not allowed while a record is reserved. */
static bool may_leave(struct zn_node *a)
{
    bool r = false;
    struct zn_node alone = *a;
    alone.next = NULL;
    zn_walk(&alone, note_block, &r);
    return r;
}

/* Reserves the record and writes all arguments into it; those that may leave come first. */
static void send(struct zn_lower *l, uint32_t no, uint32_t size, struct zn_node *first)
{
    struct zn_action act = l->cc->img->actions[no];
    struct zn_mem *early = zn_arena_array(l->cc->arena, struct zn_mem, act.nargs + 1);
    zn_vreg base;
    int32_t off;
    uint32_t i = 0;
    for (struct zn_node *a = first; a; a = a->next, i++) {
        if (!may_leave(a))
            continue;
        early[i] = zn_mem(l, zn_type_stored(act.args[i].type));
        zn_mem_addr(l, early[i], &base, &off);
        zn_store_expr(l, a, act.args[i].type, base, off, true);
    }
    struct zn_rec_out o = zn_rec_begin(l, no, size, false);
    i = 0;
    for (struct zn_node *a = first; a; a = a->next, i++) {
        int32_t at = (int32_t)act.args[i].off;
        if (!may_leave(a)) {
            zn_store_expr(l, a, act.args[i].type, o.rec, at, false);
            continue;
        }
        zn_mem_addr(l, early[i], &base, &off);
        zn_copy(l, o.rec, at, base, off, zn_type_stored(act.args[i].type));
    }
    zn_rec_end(l, &o);
}

static struct zn_val lower_printf(struct zn_lower *l, struct zn_node *n)
{
    const struct zn_builtin *b = n->sym;
    struct zn_cc *cc = l->cc;
    uint32_t no = zn_image_action(cc, (enum zn_action_kind)b->detail, n->pos);
    struct zn_action act = cc->img->actions[no];
    act.fmt = zn_arena_strndup(cc->arena, n->list->str, n->list->str_len);
    act.fmt_len = n->list->str_len;
    uint32_t size = plan_args(l, n->list->next, &act, sizeof(struct zn_rec));
    cc->img->actions[no] = act;
    send(l, no, size, n->list->next);
    return zn_none();
}

/* ---- print ---- */

static bool print(struct zn_cc *cc, struct zn_node *n)
{
    struct zn_node *a = n->list;
    n->type = zn_type_simple(&cc->types, T_NONE);
    if (a->kind == N_MAP && !ZN_MAP_KEY(a)) {
        struct zn_mapsym *m = zn_map_lookup(cc, a);
        m->uses++;
        for (struct zn_node *x = a->next; x; x = x->next) {
            int64_t v;
            zn_infer_expr(cc, x);
            if (!zn_const_int(cc, x, &v) || v < 0)
                zn_cc_error(cc, x->pos,
                            "print() needs literal, non-negative numbers for top and div");
        }
        return true;
    }
    if (a->next) {
        zn_cc_error(cc, a->next->pos, "top and div go with a whole map: print(@map, top, div)");
        return false;
    }
    zn_infer_expr(cc, a);
    if (!a->type)
        return false;
    if (a->type->kind == T_NONE || a->type->kind == T_VOID) {
        zn_cc_error(cc, a->pos, "this expression has no value to print");
        return false;
    }
    return true;
}

static void print_map(struct zn_lower *l, struct zn_node *n)
{
    struct zn_cc *cc = l->cc;
    struct zn_mapsym *m = n->list->sym;
    uint32_t no = zn_image_action(cc, ZA_PRINT_MAP, n->pos);
    struct zn_action *act = &cc->img->actions[no];
    act->map = m->image_map;
    act->args = zn_arena_array(cc->arena, struct zn_action_arg, 2);
    int64_t v[2] = {0, 0};
    uint32_t off = sizeof(struct zn_ctl);
    for (struct zn_node *x = n->list->next; x; x = x->next) {
        zn_const_int(cc, x, &v[act->nargs]);
        act->args[act->nargs++] = (struct zn_action_arg){zn_type_int(&cc->types, 8, false), off};
        off += 8;
    }
    uint32_t nargs = act->nargs;
    struct zn_rec_out o = zn_rec_begin(l, no, off, true);
    for (uint32_t i = 0; i < nargs; i++)
        zn_ir_sti(l->f, o.rec, (int32_t)(sizeof(struct zn_ctl) + 8 * i), 8, v[i]);
    zn_rec_end(l, &o);
}

static struct zn_val lower_print(struct zn_lower *l, struct zn_node *n)
{
    struct zn_cc *cc = l->cc;
    struct zn_node *a = n->list;
    if (a->kind == N_MAP && !ZN_MAP_KEY(a)) {
        print_map(l, n);
        return zn_none();
    }
    if (a->kind == N_MAP) { /* one key of a map, shown as the map shows it */
        struct zn_mapsym *m = a->sym;
        uint32_t no = zn_image_action(cc, ZA_PRINT_MAP_KEY, n->pos);
        cc->img->actions[no].map = m->image_map;
        uint32_t size = (uint32_t)sizeof(struct zn_ctl) + zn_type_stored(m->key);
        struct zn_rec_out o = zn_rec_begin(l, no, size, true);
        zn_store_expr(l, ZN_MAP_KEY(a), m->key, o.rec, sizeof(struct zn_ctl), true);
        zn_rec_end(l, &o);
        return zn_none();
    }
    uint32_t no = zn_image_action(cc, ZA_PRINT, n->pos);
    struct zn_action act = cc->img->actions[no];
    uint32_t size = plan_args(l, a, &act, sizeof(struct zn_rec));
    cc->img->actions[no] = act;
    send(l, no, size, a);
    return zn_none();
}

/* ---- the rest ---- */

static bool literal_fmt(struct zn_cc *cc, struct zn_node *n)
{
    n->type = zn_type_simple(&cc->types, T_NONE);
    if (n->list && n->list->kind != N_STR) {
        zn_cc_error(cc, n->list->pos, "%s() expects a string literal", n->name);
        return false;
    }
    return true;
}

static struct zn_val lower_time(struct zn_lower *l, struct zn_node *n)
{
    uint32_t no = zn_image_action(l->cc, ZA_TIME, n->pos);
    struct zn_action *act = &l->cc->img->actions[no];
    act->fmt =
        n->list ? zn_arena_strndup(l->cc->arena, n->list->str, n->list->str_len) : "%H:%M:%S\n";
    act->fmt_len = (uint32_t)strlen(act->fmt);
    struct zn_rec_out o = zn_rec_begin(l, no, sizeof(struct zn_rec), false);
    zn_rec_end(l, &o);
    return zn_none();
}

static bool strftime_(struct zn_cc *cc, struct zn_node *n)
{
    struct zn_node *fmt = n->list;
    if (fmt->kind != N_STR) {
        zn_cc_error(cc, fmt->pos, "strftime() expects a string literal as its format");
        return false;
    }
    if (!fmt->next->type || !zn_want_int(cc, fmt->next, "strftime()'s time"))
        return false;
    n->type = zn_type_new(&cc->types, T_TIMESTAMP);
    n->type->size = 8;
    n->type->fmt = (int32_t)zn_intern(cc, fmt->str, strnlen(fmt->str, fmt->str_len));
    n->type->ts_mode = zn_has(cc, ZF_KTIME_BOOT) ? ZN_TS_BOOT : ZN_TS_MONOTONIC;
    const struct zn_node *t = fmt->next;
    if (t->kind == N_CALL && strcmp(t->name, "nsecs") == 0 && t->list && t->list->kind == N_IDENT) {
        if (strcmp(t->list->name, "monotonic") == 0)
            n->type->ts_mode = ZN_TS_MONOTONIC;
        else if (strcmp(t->list->name, "tai") == 0)
            n->type->ts_mode = ZN_TS_TAI;
    }
    return true;
}

static struct zn_val lower_strftime(struct zn_lower *l, struct zn_node *n)
{
    return zn_vreg_val(n->type, zn_lower_int(l, zn_arg(n, 1)));
}

static bool exit_(struct zn_cc *cc, struct zn_node *n)
{
    n->type = zn_type_simple(&cc->types, T_NONE);
    return !n->list || (n->list->type && zn_want_int(cc, n->list, "exit()'s code"));
}

static struct zn_val lower_exit(struct zn_lower *l, struct zn_node *n)
{
    struct zn_ir_fn *f = l->f;
    uint32_t no = zn_image_action(l->cc, ZA_EXIT, n->pos);
    zn_vreg code = n->list ? zn_lower_int(l, n->list) : zn_ir_imm(f, 0);
    struct zn_rec_out o = zn_rec_begin(l, no, sizeof(struct zn_ctl) + 8, true);
    zn_ir_st(f, o.rec, sizeof(struct zn_ctl), 8, code);
    zn_rec_end(l, &o);
    zn_ir_sti(f, zn_ir_mapval(f, ZN_MAP_DATA, 0), 0, 8, 1);
    zn_ir_jmp(f, l->end);
    return zn_none();
}

static bool join(struct zn_cc *cc, struct zn_node *n)
{
    n->type = zn_type_simple(&cc->types, T_NONE);
    struct zn_node *a = n->list;
    if (!a->type)
        return false;
    if (a->next && a->next->kind != N_STR) {
        zn_cc_error(cc, a->next->pos, "join() expects a string literal as its separator");
        return false;
    }
    return zn_want_int(cc, a, "join()'s argument");
}

/* A record of slots, one string each; payload u32 count, u32 bytes of a slot, slots. */
static struct zn_val lower_join(struct zn_lower *l, struct zn_node *n)
{
    struct zn_ir_fn *f = l->f;
    struct zn_node *a = n->list;
    uint32_t slot = ZN_ALIGN_UP(ZN_MIN(l->cc->config.max_strlen, 1024u), 8u);
    uint32_t no = zn_image_action(l->cc, ZA_JOIN, n->pos);
    struct zn_action *act = &l->cc->img->actions[no];
    act->fmt = a->next ? a->next->str : " ";
    act->fmt_len = (uint32_t)strlen(act->fmt);
    struct zn_val v = zn_lower_expr(l, a);
    enum zn_mem_sort sort = v.type->kind == T_PTR ? zn_deref(l, v).mem : zn_default_sort(l);
    if (sort == M_BTF)
        sort = M_KERNEL;
    zn_vreg ptrs = zn_to_reg(l, v), count = zn_ir_vreg(f, ZN_V_SCALAR);
    int32_t tmp = zn_ir_slot(f, 8);
    int read = sort == M_USER ? H_probe_read_user : H_probe_read_kernel;
    int read_str = sort == M_USER ? H_probe_read_user_str : H_probe_read_kernel_str;
    zn_ir_imm_to(f, count, 0);
    struct zn_rec_out o = zn_rec_begin(l, no, 16 + JOIN_STRINGS * slot, false);
    zn_block done = zn_ir_block(f, "joined");
    for (uint32_t i = 0; i < JOIN_STRINGS; i++) {
        zn_block more = zn_ir_block(f, "string");
        zn_ir_call(f, read, ZN_V_SCALAR, 3, zn_ir_slotaddr(f, tmp, 0), zn_ir_imm(f, 8),
                   zn_ir_alui(f, ALU_ADD, 8, ptrs, 8 * i));
        zn_vreg p = zn_ir_ld(f, zn_ir_slotaddr(f, tmp, 0), 0, 8, false);
        zn_ir_bri(f, CMP_NE, 8, p, 0, more, done);
        zn_ir_at(f, more);
        zn_ir_call(f, read_str, ZN_V_SCALAR, 3, zn_ptr_add(l, o.rec, (int32_t)(16 + i * slot)),
                   zn_ir_imm(f, slot), p);
        zn_ir_imm_to(f, count, i + 1);
    }
    zn_ir_jmp(f, done);
    zn_ir_at(f, done);
    zn_ir_st(f, o.rec, 8, 4, count);
    zn_ir_sti(f, o.rec, 12, 4, slot);
    zn_rec_end(l, &o);
    return zn_none();
}

static bool not_yet(struct zn_cc *cc, struct zn_node *n)
{
    zn_cc_error(cc, n->pos, "%s() is not supported yet", n->name);
    return false;
}

enum { PRINTING = BI_STMT | BI_ASYNC };

const struct zn_builtin zn_builtins_print[] = {
    {"printf", "printf(\"format\", …)", 1, 64, PRINTING, ZA_PRINTF, printf_, lower_printf,
     "prints"},
    {"errorf", "errorf(\"format\", …)", 1, 64, PRINTING, ZA_ERRORF, printf_, lower_printf,
     "prints an error with its place to stderr"},
    {"warnf", "warnf(\"format\", …)", 1, 64, PRINTING, ZA_WARNF, printf_, lower_printf,
     "prints a warning with its place to stderr"},
    {"cat", "cat(\"path format\", …)", 1, 64, PRINTING, ZA_CAT, printf_, lower_printf,
     "prints a file"},
    {"system", "system(\"command format\", …)", 1, 64, PRINTING | BI_UNSAFE, ZA_SYSTEM, printf_,
     lower_printf, "runs a command"},
    {"print", "print(value) or print(@map[, top[, div]])", 1, 3, PRINTING | BI_RAWARGS, 0, print,
     lower_print, "prints a value or a map"},
    {"time", "time([\"format\"])", 0, 1, PRINTING, 0, literal_fmt, lower_time,
     "prints the time of day"},
    {"strftime", "strftime(\"format\", ns)", 2, 2, 0, 0, strftime_, lower_strftime,
     "a time as text"},
    {"exit", "exit([code])", 0, 1, PRINTING, 0, exit_, lower_exit, "ends tracing"},
    {"join", "join(argv[, separator])", 1, 2, PRINTING, 0, join, lower_join,
     "prints an array of strings"},
    {"debugf", "debugf(\"format\", …)", 1, 64, PRINTING, 0, not_yet, NULL,
     "prints to the kernel's trace"},
    {0},
};
