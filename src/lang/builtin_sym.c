/* SPDX-License-Identifier: Apache-2.0 */
/* Builtins whose values user space turns into names: stacks, symbols, addresses, cgroups, users. */
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "lang/builtin_tables.h"
#include "lang/lower.h"

enum { MAX_FRAMES = 127, USER_STACK = 256 /* BPF_F_USER_STACK */, KNOWN_STACKS = 65536 };

/* ---- stacks ---- */

static bool stack_mode(const char *name, uint8_t *ret)
{
    static const char *const modes[] = {"bpftrace", "perf", "raw", "build_id"};
    for (uint8_t i = 0; i < 4; i++)
        if (strcmp(name, modes[i]) == 0) {
            *ret = i;
            return true;
        }
    return false;
}

static bool stack(struct zn_cc *cc, struct zn_node *n)
{
    const struct zn_builtin *b = n->sym;
    struct zn_type *t = zn_type_new(&cc->types, (enum zn_type_kind)b->detail);
    t->size = b->detail == T_USTACK ? 16 : 8;
    t->stack_mode = cc->config.stack_mode;
    t->stack_depth = MAX_FRAMES;
    for (struct zn_node *a = n->list; a; a = a->next) {
        int64_t depth;
        if (a->kind == N_IDENT && stack_mode(a->name, &t->stack_mode))
            continue;
        if (a->kind == N_IDENT) {
            struct zn_diag *d = zn_cc_error(cc, a->pos, "Invalid stack mode: %s", a->name);
            if (d)
                zn_hint(cc->d, d, "bpftrace, perf, raw or build_id");
            return false;
        }
        zn_infer_expr(cc, a);
        if (!zn_const_int(cc, a, &depth) || depth < 0) {
            zn_cc_error(cc, a->pos, "%s() needs a literal number of frames", n->name);
            return false;
        }
        if (depth > MAX_FRAMES)
            zn_cc_warn(cc, a->pos, "%s() keeps at most %d frames", n->name, MAX_FRAMES);
        t->stack_depth = (uint32_t)ZN_MIN(depth, (int64_t)MAX_FRAMES);
    }
    if (t->stack_mode == ZN_STACK_BUILD_ID) {
        zn_cc_error(cc, n->pos, "the build_id stack mode is not supported yet");
        return false;
    }
    n->type = t;
    return true;
}

static int32_t stacks_map(struct zn_cc *cc)
{
    if (cc->stacks_map < 0) {
        cc->stacks_map = zn_image_map(cc, ".stacks");
        struct zn_map *m = &cc->img->maps[cc->stacks_map];
        m->bpf_type = BPF_MAP_TYPE_HASH;
        m->key_size = 16;
        m->val_size = 8;
        m->max_entries = KNOWN_STACKS;
        if (zn_has(cc, ZF_KTIME_TAI))
            m->flags = BPF_F_NO_PREALLOC;
    }
    return cc->stacks_map;
}

/* 64-bit hash over n bytes of frames at base + off. */
static zn_vreg hash_frames(struct zn_lower *l, zn_vreg base, int32_t off, zn_vreg n, uint32_t depth)
{
    struct zn_ir_fn *f = l->f;
    zn_vreg h = zn_ir_vreg(f, ZN_V_SCALAR), i = zn_ir_vreg(f, ZN_V_SCALAR);
    zn_block head = zn_ir_block(f, "frames"), in = zn_ir_block(f, "in"),
             step = zn_ir_block(f, "frame"), done = zn_ir_block(f, "hashed");
    zn_ir_mov_to(f, h, n);
    zn_ir_imm_to(f, i, 0);
    zn_ir_jmp(f, head);
    zn_ir_at(f, head);
    zn_ir_bri(f, CMP_LT, 8, i, depth * 8, in, done);
    zn_ir_at(f, in);
    zn_ir_br(f, CMP_LT, 8, i, n, step, done);
    zn_ir_at(f, step);
    zn_vreg w = zn_ir_ld(f, zn_ir_padd(f, base, i), off, 8, false);
    zn_vreg x = zn_ir_alu(f, ALU_XOR, 8, h, w);
    x = zn_ir_alui(f, ALU_MUL, 8, x, (int64_t)0x9e3779b97f4a7c15ULL);
    x = zn_ir_alu(f, ALU_XOR, 8, x, zn_ir_alui(f, ALU_SHR, 8, x, 29));
    zn_ir_mov_to(f, h, x);
    zn_ir_mov_to(f, i, zn_ir_alui(f, ALU_ADD, 8, i, 8));
    zn_ir_jmp(f, head);
    zn_ir_at(f, done);
    return h;
}

/* The id of the stack at hand; a stack not seen before travels to user space once. Layout in
 * scratch: the ZA_STACK record. */
zn_vreg zn_stack_id(struct zn_lower *l, bool user, uint32_t depth)
{
    struct zn_ir_fn *f = l->f;
    zn_vreg id = zn_ir_vreg(f, ZN_V_SCALAR);
    zn_ir_imm_to(f, id, 0);
    if (!depth)
        return id;
    int32_t map = stacks_map(l->cc);
    uint32_t act = zn_image_action(l->cc, ZA_STACK, f->pos);
    struct zn_mem m = zn_mem(l, 32 + MAX_FRAMES * 8);
    zn_vreg base;
    int32_t off;
    zn_mem_addr(l, m, &base, &off);
    zn_block have = zn_ir_block(f, "stack"), done = zn_ir_block(f, "stack id"),
             fresh = zn_ir_block(f, "new"), lost = zn_ir_block(f, "stack lost"),
             sent = zn_ir_block(f, "stack sent");
    f->blocks[fresh].cold = f->blocks[lost].cold = f->blocks[sent].cold = true;
    zn_vreg n = zn_ir_call(f, H_get_stack, ZN_V_SCALAR, 4, zn_ctx(l), zn_ptr_add(l, base, off + 32),
                           zn_ir_imm(f, depth * 8), zn_ir_imm(f, user ? USER_STACK : 0));
    zn_ir_bri(f, CMP_SGT, 8, n, 0, have, done);
    zn_ir_at(f, have);
    zn_vreg h = hash_frames(l, base, off + 32, n, depth);
    zn_vreg tgid =
        user ? zn_ir_alui(f, ALU_SHR, 8, zn_ir_call(f, H_get_current_pid_tgid, ZN_V_SCALAR, 0), 32)
             : zn_ir_imm(f, 0);
    zn_ir_mov_to(f, id, zn_ir_alui(f, ALU_OR, 8, h, 1));
    zn_ir_st(f, base, off + 8, 8, id);
    zn_ir_st(f, base, off + 16, 8, tgid);
    zn_vreg key = zn_ptr_add(l, base, off + 8);
    zn_vreg seen = zn_ir_call(f, H_map_lookup_elem, ZN_V_PTR, 2, zn_ir_map(f, map), key);
    zn_ir_bri(f, CMP_NE, 8, seen, 0, done, fresh);
    zn_ir_at(f, fresh);
    zn_ir_sti(f, base, off, 8, (int64_t)((uint64_t)l->body->probe_no << 32 | act));
    zn_ir_st(f, base, off + 24, 8, zn_ir_alui(f, ALU_SHR, 8, n, 3));
    zn_block ok = zn_ir_block(f, "size");
    zn_ir_bri(f, CMP_LE, 8, n, MAX_FRAMES * 8, ok, lost);
    zn_ir_at(f, ok);
    zn_vreg r =
        zn_ir_call(f, H_ringbuf_output, ZN_V_SCALAR, 4, zn_ir_map(f, ZN_MAP_RING),
                   zn_ptr_add(l, base, off), zn_ir_alui(f, ALU_ADD, 8, n, 32), zn_ir_imm(f, 1));
    zn_ir_bri(f, CMP_EQ, 8, r, 0, sent, lost);
    zn_ir_at(f, lost);
    zn_loss(l, ZL_STACK);
    zn_ir_jmp(f, done);
    zn_ir_at(f, sent);
    key = zn_ptr_add(l, base, off + 8);
    zn_ir_call(f, H_map_update_elem, ZN_V_SCALAR, 4, zn_ir_map(f, map), key, key, zn_ir_imm(f, 0));
    zn_ir_jmp(f, done);
    zn_ir_at(f, done);
    return id;
}

/* A pair of words in memory: what is looked up, and whose address space it is of. */
static struct zn_val with_tgid(struct zn_lower *l, struct zn_type *t, zn_vreg word)
{
    struct zn_ir_fn *f = l->f;
    struct zn_mem m = zn_mem(l, 16);
    zn_vreg base;
    int32_t off;
    zn_mem_addr(l, m, &base, &off);
    zn_ir_st(f, base, off, 8, word);
    zn_ir_st(f, base, off + 8, 8,
             zn_ir_alui(f, ALU_SHR, 8, zn_ir_call(f, H_get_current_pid_tgid, ZN_V_SCALAR, 0), 32));
    return zn_vaddr(t, base, off, M_DIRECT);
}

static struct zn_val lower_stack(struct zn_lower *l, struct zn_node *n)
{
    bool user = n->type->kind == T_USTACK;
    struct zn_image *img = l->cc->img;
    if (user)
        img->uses_ustack = true;
    else
        img->uses_kstack = true;
    zn_vreg id = zn_stack_id(l, user, n->type->stack_depth);
    return user ? with_tgid(l, n->type, id) : zn_vreg_val(n->type, id);
}

/* ---- symbols ---- */

static bool sym(struct zn_cc *cc, struct zn_node *n)
{
    const struct zn_builtin *b = n->sym;
    if (!n->list->type || !zn_want_int(cc, n->list, "the address"))
        return false;
    n->type = zn_type_simple(&cc->types, (enum zn_type_kind)b->detail);
    return true;
}

static struct zn_val lower_sym(struct zn_lower *l, struct zn_node *n)
{
    zn_vreg a = zn_lower_int(l, n->list);
    if (n->type->kind == T_USYM) {
        l->cc->img->uses_usym = true;
        return with_tgid(l, n->type, a);
    }
    l->cc->img->uses_ksym = true;
    return zn_vreg_val(n->type, a);
}

static void becomes(struct zn_cc *cc, struct zn_node *n, uint64_t v)
{
    n->kind = N_INT;
    n->num = (int64_t)v;
    n->implied = true;
    n->type = zn_type_int(&cc->types, 8, false);
}

static bool literal(struct zn_cc *cc, struct zn_node *n)
{
    if (n->list->kind == N_STR)
        return true;
    zn_cc_error(cc, n->list->pos, "%s() expects a string literal", n->name);
    return false;
}

static bool kaddr(struct zn_cc *cc, struct zn_node *n)
{
    uint64_t v = 0;
    if (!literal(cc, n))
        return false;
    if (!cc->env->host->kaddr || cc->env->host->kaddr(cc->env->host->arg, n->list->str, &v) < 0) {
        zn_cc_error(cc, n->pos, "Failed to resolve kernel symbol: %s", n->list->str);
        return false;
    }
    becomes(cc, n, v);
    return true;
}

static bool uaddr(struct zn_cc *cc, struct zn_node *n)
{
    uint64_t v = 0, size = 0;
    const struct zn_target *t = cc->body->targets;
    if (!literal(cc, n))
        return false;
    if (cc->body->provider != ZP_UPROBE && cc->body->provider != ZP_URETPROBE &&
        cc->body->provider != ZP_USDT) {
        zn_cc_error(cc, n->pos, "uaddr can only be used with u(ret)probes and usdt probes");
        return false;
    }
    if (!cc->env->host->uaddr ||
        cc->env->host->uaddr(cc->env->host->arg, t->module, n->list->str, &v, &size) < 0) {
        zn_cc_error(cc, n->pos, "Could not resolve symbol: %s:%s", t->module, n->list->str);
        return false;
    }
    becomes(cc, n, v);
    unsigned w = size == 1 || size == 2 || size == 4 ? (unsigned)size : 8;
    n->type = zn_type_ptr(&cc->types, zn_type_int(&cc->types, w, false), ZN_SPACE_USER);
    return true;
}

static bool cgroupid(struct zn_cc *cc, struct zn_node *n)
{
    uint64_t v = 0;
    if (!literal(cc, n))
        return false;
    int r = cc->env->host->cgroupid ? cc->env->host->cgroupid(cc->env->host->arg, n->list->str, &v)
                                    : -1;
    if (r < 0) {
        zn_cc_error(cc, n->list->pos, "cgroupid(): no cgroup at %s", n->list->str);
        return false;
    }
    becomes(cc, n, v);
    return true;
}

/* ---- network ---- */

static bool ntop(struct zn_cc *cc, struct zn_node *n)
{
    struct zn_node *a = n->list->next ? n->list->next : n->list;
    if (!a->type || (n->list->next && !zn_want_int(cc, n->list, "ntop()'s address family")))
        return false;
    struct zn_type *t = a->type;
    bool bytes =
        t->kind == T_ARRAY && t->elem && t->elem->size == 1 && (t->nelem == 4 || t->nelem == 16);
    bool str = t->kind == T_STR && (t->size == 5 || t->size == 16);
    if (!bytes && !str && !zn_want_int(cc, a, "ntop()'s address (an integer, or 4 or 16 bytes)"))
        return false;
    n->type = zn_type_simple(&cc->types, T_INET);
    return true;
}

static struct zn_val lower_ntop(struct zn_lower *l, struct zn_node *n)
{
    struct zn_ir_fn *f = l->f;
    struct zn_node *af = n->list->next ? n->list : NULL, *a = af ? n->list->next : n->list;
    struct zn_mem m = zn_mem(l, 24);
    zn_vreg base;
    int32_t off;
    zn_mem_addr(l, m, &base, &off);
    zn_zero(l, base, off, 24);
    struct zn_type *t = a->type;
    bool mem = t->kind == T_ARRAY || t->kind == T_STR;
    if (mem)
        zn_read_bytes(l, zn_lower_expr(l, a), base, off + 8,
                      t->kind == T_ARRAY ? t->nelem : t->size & ~1u);
    else
        zn_ir_st(f, base, off + 8, 4, zn_lower_int(l, a));
    int64_t fixed = mem && (t->kind == T_ARRAY ? t->nelem : t->size & ~1u) == 16 ? 16 : 4, c;
    if (!af) {
        zn_ir_sti(f, base, off, 8, fixed);
    } else if (zn_const_int(l->cc, af, &c)) {
        zn_ir_sti(f, base, off, 8, c == 10 ? 16 : 4);
    } else {
        zn_block six = zn_ir_block(f, "ip6"), four = zn_ir_block(f, "ip4"),
                 done = zn_ir_block(f, "ntop");
        zn_ir_bri(f, CMP_EQ, 8, zn_lower_int(l, af), 10, six, four);
        zn_ir_at(f, six);
        zn_ir_sti(f, base, off, 8, 16);
        zn_ir_jmp(f, done);
        zn_ir_at(f, four);
        zn_ir_sti(f, base, off, 8, 4);
        zn_ir_jmp(f, done);
        zn_ir_at(f, done);
    }
    return zn_vaddr(n->type, base, off, M_DIRECT);
}

static bool macaddr(struct zn_cc *cc, struct zn_node *n)
{
    struct zn_type *t = n->list->type;
    if (!t)
        return false;
    bool six =
        (t->kind == T_ARRAY && t->size == 6) || (t->kind == T_STR && !t->interned && t->size == 7);
    if (!six && t->kind != T_PTR) {
        zn_cc_error(cc, n->list->pos, "macaddr() expects 6 bytes or a pointer to them, not '%s'",
                    zn_type_str_name(cc, t));
        return false;
    }
    n->type = zn_type_simple(&cc->types, T_MAC);
    return true;
}

static struct zn_val lower_macaddr(struct zn_lower *l, struct zn_node *n)
{
    struct zn_ir_fn *f = l->f;
    struct zn_val v = zn_lower_expr(l, n->list);
    if (v.kind != V_ADDR)
        v = zn_deref(l, v);
    if (v.mem == M_BTF)
        v.mem = M_KERNEL;
    int32_t slot = zn_ir_slot(f, 8);
    zn_vreg p = zn_ir_slotaddr(f, slot, 0);
    zn_ir_sti(f, p, 0, 8, 0);
    zn_read_bytes(l, v, p, 0, 6);
    return zn_vreg_val(n->type, zn_ir_ld(f, zn_ir_slotaddr(f, slot, 0), 0, 8, false));
}

/* ---- numbers with names ---- */

static bool cgroup_path(struct zn_cc *cc, struct zn_node *n)
{
    if (!n->list->type || !zn_want_int(cc, n->list, "cgroup_path()'s id"))
        return false;
    if (n->list->next && n->list->next->kind != N_STR) {
        zn_cc_error(cc, n->list->next->pos, "cgroup_path() expects a string literal as its filter");
        return false;
    }
    n->type = zn_type_new(&cc->types, T_CGPATH);
    n->type->size = 8;
    n->type->fmt = -1;
    if (n->list->next)
        n->type->fmt = (int32_t)zn_intern(cc, n->list->next->str, strlen(n->list->next->str));
    return true;
}

static bool number_name(struct zn_cc *cc, struct zn_node *n)
{
    const struct zn_builtin *b = n->sym;
    if (n->list && (!n->list->type || !zn_want_int(cc, n->list, "the argument")))
        return false;
    n->type = zn_type_simple(&cc->types, (enum zn_type_kind)b->detail);
    return true;
}

static struct zn_val lower_word(struct zn_lower *l, struct zn_node *n)
{
    return zn_vreg_val(n->type, zn_lower_int(l, n->list));
}

static struct zn_val lower_username(struct zn_lower *l, struct zn_node *n)
{
    zn_vreg r = zn_ir_call(l->f, H_get_current_uid_gid, ZN_V_SCALAR, 0);
    return zn_vreg_val(n->type, zn_ir_alui(l->f, ALU_ADD, 4, r, 0));
}

static bool signal_(struct zn_cc *cc, struct zn_node *n)
{
    struct zn_node *a = n->list;
    n->type = zn_type_simple(&cc->types, T_NONE);
    if (a->kind == N_STR) {
        const char *s = strncasecmp(a->str, "SIG", 3) == 0 ? a->str + 3 : a->str;
        for (int i = 1; i < 32; i++) {
            const char *abbrev = sigabbrev_np(i);
            if (abbrev && strcasecmp(abbrev, s) == 0) {
                becomes(cc, a, (uint64_t)i);
                return true;
            }
        }
        zn_cc_error(cc, a->pos, "%s is not a valid signal", a->str);
        return false;
    }
    return a->type && zn_want_int(cc, a, "signal()'s argument");
}

/* ---- getopt ---- */

static struct zn_named *named_arg(struct zn_cc *cc, const char *name, const char **value)
{
    size_t len = strlen(name);
    for (unsigned i = 0; i < cc->nnamed; i++) {
        const char *t = cc->named[i].text;
        if (strncmp(t, name, len) != 0 || (t[len] && t[len] != '='))
            continue;
        cc->named[i].asked = true;
        *value = t[len] ? t + len + 1 : NULL;
        return &cc->named[i];
    }
    return NULL;
}

/* Evaluated here: the node becomes the literal that the command line or the default gives. */
static bool getopt_(struct zn_cc *cc, struct zn_node *n)
{
    struct zn_node *def = n->list->next;
    if (!literal(cc, n))
        return false;
    const char *v = NULL, *name = n->list->str;
    bool given = named_arg(cc, name, &v) != NULL;
    if (def)
        zn_infer_expr(cc, def);
    if (def && !def->type)
        return false;
    if (def && def->kind == N_STR) {
        struct zn_node keep = *def;
        n->kind = N_STR;
        n->str = given ? (v ? v : "") : keep.str;
        n->str_len = (uint32_t)strlen(n->str);
        n->type = zn_type_str(&cc->types, n->str_len + 1, true);
        return true;
    }
    int64_t num = 0;
    bool is_bool = !def || def->kind == N_BOOL;
    if (def && !zn_const_int(cc, def, &num)) {
        zn_cc_error(cc, def->pos, "getopt() needs a literal default");
        return false;
    }
    if (given && is_bool) {
        num = !v || strcasecmp(v, "true") == 0 || strcmp(v, "1") == 0;
        if (v && !num && strcasecmp(v, "false") != 0 && strcmp(v, "0") != 0) {
            zn_error(cc->d, n->pos, "--%s takes true or false, not '%s'", name, v);
            return false;
        }
    } else if (given) {
        char *end = NULL;
        num = v ? (*v == '-' ? strtoll(v, &end, 0) : (int64_t)strtoull(v, &end, 0)) : 0;
        if (!v || !*v || *end) {
            zn_error(cc->d, n->pos, "--%s takes an integer, not '%s'", name, v ? v : "");
            return false;
        }
    }
    n->kind = is_bool ? N_BOOL : N_INT;
    n->num = num;
    n->implied = !is_bool && given && num < 0 && v && *v != '-';
    n->type = n->implied ? zn_type_int(&cc->types, 8, false)
              : is_bool  ? zn_type_simple(&cc->types, T_BOOL)
                         : zn_type_int(&cc->types, 8, true);
    return true;
}

static struct zn_val lower_signal(struct zn_lower *l, struct zn_node *n)
{
    zn_ir_call(l->f, H_send_signal, ZN_V_SCALAR, 1, zn_lower_int(l, n->list));
    return zn_none();
}

static bool not_yet(struct zn_cc *cc, struct zn_node *n)
{
    zn_cc_error(cc, n->pos, "%s() is not supported yet", n->name);
    return false;
}

#define LATER(name)                                                               \
    {                                                                             \
        name, name "()", 0, 64, BI_RAWARGS, 0, not_yet, NULL, "not supported yet" \
    }

const struct zn_builtin zn_builtins_sym[] = {
    {"kstack", "kstack[([mode, ]frames)]", 0, 2, BI_BARE | BI_RAWARGS, T_KSTACK, stack, lower_stack,
     "the kernel's stack"},
    {"ustack", "ustack[([mode, ]frames)]", 0, 2, BI_BARE | BI_RAWARGS, T_USTACK, stack, lower_stack,
     "the process's stack"},
    {"ksym", "ksym(address)", 1, 1, 0, T_KSYM, sym, lower_sym, "name of a kernel address"},
    {"usym", "usym(address)", 1, 1, 0, T_USYM, sym, lower_sym, "name of an address of the process"},
    {"kaddr", "kaddr(\"symbol\")", 1, 1, BI_RAWARGS, 0, kaddr, NULL, "address of a kernel symbol"},
    {"uaddr", "uaddr(\"symbol\")", 1, 1, BI_RAWARGS, 0, uaddr, NULL,
     "address of a symbol of the traced file"},
    {"cgroupid", "cgroupid(\"path\")", 1, 1, BI_RAWARGS, 0, cgroupid, NULL, "id of a cgroup"},
    {"cgroup_path", "cgroup_path(id[, \"filter\"])", 1, 2, 0, 0, cgroup_path, lower_word,
     "path of a cgroup"},
    {"ntop", "ntop([family, ]address)", 1, 2, 0, 0, ntop, lower_ntop, "an IP address as text"},
    {"macaddr", "macaddr(bytes)", 1, 1, 0, 0, macaddr, lower_macaddr, "a MAC address as text"},
    {"strerror", "strerror(errno)", 1, 1, 0, T_STRERROR, number_name, lower_word,
     "an error's text"},
    {"username", "username", 0, 0, BI_BARE, T_USERNAME, number_name, lower_username,
     "name of the user"},
    {"signal", "signal(number or \"NAME\")", 1, 1, BI_UNSAFE, 0, signal_, lower_signal,
     "sends the current process a signal"},
    {"syscall_name", "syscall_name(number)", 1, 1, 0, T_SYSCALL, number_name, lower_word,
     "name of a system call"},
    {"signal_name", "signal_name(number)", 1, 1, 0, T_SIGNAME, number_name, lower_word,
     "name of a signal"},
    {"getopt", "getopt(\"name\"[, default[, description]])", 1, 3, BI_RAWARGS, 0, getopt_, NULL,
     "an option of the script's command line"},
    LATER("path"),
    LATER("override"),
    LATER("skboutput"),
    LATER("socket_cookie"),
    LATER("signal_thread"),
    LATER("unwatch"),
    LATER("percpu_kaddr"),
    LATER("find"),
    LATER("strstr"),
    LATER("strcap"),
    LATER("memcmp"),
    LATER("write_user"),
    LATER("is_err"),
    LATER("fail"),
    LATER("assert"),
    LATER("static_assert"),
    LATER("kfunc_exist"),
    LATER("kfunc_allowed"),
    LATER("container_of"),
    LATER("dw_ustack"),
    LATER("replace"),
    LATER("match"),
    {0},
};
