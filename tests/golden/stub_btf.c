/* SPDX-License-Identifier: Apache-2.0 */
/* Types of a kernel that does not exist: small enough to know by heart, with every shape that real
 * ones have (bit-fields, anonymous members, nesting, enums, prototypes). Offsets are those of the
 * comments; tests rely on them. */
#include <linux/btf.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "stub_host.h"

enum { MAX_TYPES = 16 << 10, MAX_STRS = 8 << 10 };

struct blob {
    uint32_t ntypes, nwords, nstrs;
    uint32_t words[MAX_TYPES / 4];
    char strs[MAX_STRS];
};

struct member {
    const char *name; /* NULL: anonymous */
    uint32_t type, bit_off, bits;
};

static uint32_t str(struct blob *b, const char *s)
{
    if (!s || !*s)
        return 0;
    for (uint32_t at = 1; at < b->nstrs; at += (uint32_t)strlen(b->strs + at) + 1)
        if (strcmp(b->strs + at, s) == 0)
            return at;
    uint32_t at = b->nstrs, n = (uint32_t)strlen(s) + 1;
    if (at + n > MAX_STRS)
        abort();
    memcpy(b->strs + at, s, n);
    b->nstrs += n;
    return at;
}

static void word(struct blob *b, uint32_t w)
{
    if (b->nwords == ZN_ARRAY_SIZE(b->words))
        abort();
    b->words[b->nwords++] = w;
}

static uint32_t type(struct blob *b, uint32_t kind, const char *name, uint32_t vlen, bool kflag,
                     uint32_t size_or_type)
{
    word(b, str(b, name));
    word(b, (uint32_t)kflag << 31 | kind << 24 | vlen);
    word(b, size_or_type);
    return ++b->ntypes;
}

static uint32_t integer(struct blob *b, const char *name, uint32_t bytes, uint32_t encoding)
{
    uint32_t id = type(b, BTF_KIND_INT, name, 0, false, bytes);
    word(b, encoding << 24 | bytes * 8);
    return id;
}

static uint32_t ptr(struct blob *b, uint32_t to)
{
    return type(b, BTF_KIND_PTR, NULL, 0, false, to);
}

static uint32_t named(struct blob *b, const char *name, uint32_t of)
{
    return type(b, BTF_KIND_TYPEDEF, name, 0, false, of);
}

static uint32_t array(struct blob *b, uint32_t of, uint32_t n)
{
    uint32_t id = type(b, BTF_KIND_ARRAY, NULL, 0, false, 0);
    word(b, of);
    word(b, 1);
    word(b, n);
    return id;
}

static uint32_t record(struct blob *b, uint32_t kind, const char *name, uint32_t bytes,
                       const struct member *m, uint32_t n)
{
    uint32_t id = type(b, kind, name, n, true, bytes);
    for (uint32_t i = 0; i < n; i++) {
        word(b, str(b, m[i].name));
        word(b, m[i].type);
        word(b, m[i].bits << 24 | m[i].bit_off);
    }
    return id;
}

static uint32_t proto(struct blob *b, uint32_t ret, const struct member *m, uint32_t n)
{
    uint32_t id = type(b, BTF_KIND_FUNC_PROTO, NULL, n, false, ret);
    for (uint32_t i = 0; i < n; i++) {
        word(b, str(b, m[i].name));
        word(b, m[i].type);
    }
    return id;
}

#define STRUCT(b, name, bytes, ...)                                               \
    record(b, BTF_KIND_STRUCT, name, bytes, (const struct member[]){__VA_ARGS__}, \
           ZN_ARRAY_SIZE(((const struct member[]){__VA_ARGS__})))
#define UNION(b, name, bytes, ...)                                               \
    record(b, BTF_KIND_UNION, name, bytes, (const struct member[]){__VA_ARGS__}, \
           ZN_ARRAY_SIZE(((const struct member[]){__VA_ARGS__})))
#define PROTO(b, ret, ...)                              \
    proto(b, ret, (const struct member[]){__VA_ARGS__}, \
          ZN_ARRAY_SIZE(((const struct member[]){__VA_ARGS__})))

struct ids {
    uint32_t i32, chr, u8, u16, u32, i64, u64, boolean, file, sock, task, regs;
};

static void numbers(struct blob *b, struct ids *t)
{
    t->i32 = integer(b, "int", 4, BTF_INT_SIGNED);
    t->chr = integer(b, "char", 1, BTF_INT_SIGNED);
    t->u8 = integer(b, "unsigned char", 1, 0);
    t->u16 = integer(b, "unsigned short", 2, 0);
    t->u32 = integer(b, "unsigned int", 4, 0);
    t->i64 = integer(b, "long", 8, BTF_INT_SIGNED);
    t->u64 = integer(b, "unsigned long", 8, 0);
    t->boolean = integer(b, "_Bool", 1, BTF_INT_BOOL);
    named(b, "u32", t->u32);
    named(b, "u64", t->u64);
    named(b, "pid_t", t->i32);
    named(b, "size_t", t->u64);
    uint32_t e = type(b, BTF_KIND_ENUM, "drop_reason", 3, false, 4);
    (void)e;
    static const struct {
        const char *name;
        int32_t value;
    } reasons[] = {{"DROP_NOT_YET", 0}, {"DROP_NO_SOCKET", 3}, {"DROP_TCP_CSUM", 5}};
    for (unsigned i = 0; i < ZN_ARRAY_SIZE(reasons); i++) {
        word(b, str(b, reasons[i].name));
        word(b, (uint32_t)reasons[i].value);
    }
}

static void files(struct blob *b, struct ids *t)
{
    uint32_t pair = STRUCT(b, NULL, 8, {"hash", t->u32, 0, 0}, {"len", t->u32, 32, 0});
    uint32_t both = UNION(b, NULL, 8, {NULL, pair, 0, 0}, {"hash_len", t->u64, 0, 0});
    uint32_t qstr =
        STRUCT(b, "qstr", 16, {NULL, both, 0, 0} /* 0 */, {"name", ptr(b, t->u8), 64, 0} /* 8 */);
    uint32_t fwd = b->ntypes + 2; /* ptr, then the struct it points to */
    uint32_t parent = ptr(b, fwd);
    uint32_t dentry = STRUCT(b, "dentry", 24, {"d_parent", parent, 0, 0}, {"d_name", qstr, 64, 0});
    uint32_t path = STRUCT(b, "path", 8, {"dentry", ptr(b, dentry), 0, 0});
    t->file = STRUCT(b, "file", 24, {"f_path", path, 0, 0}, {"f_flags", t->u32, 64, 0},
                     {"f_pos", t->i64, 128, 0});
    uint32_t addrs =
        STRUCT(b, NULL, 8, {"skc_daddr", t->u32, 0, 0}, {"skc_rcv_saddr", t->u32, 32, 0});
    uint32_t pair2 = UNION(b, NULL, 8, {"skc_addrpair", t->u64, 0, 0}, {NULL, addrs, 0, 0});
    uint32_t common =
        STRUCT(b, "sock_common", 32, {NULL, pair2, 0, 0}, {"skc_dport", t->u16, 64, 0},
               {"skc_num", t->u16, 80, 0}, {"skc_family", t->u16, 96, 0},
               {"skc_v6_daddr", array(b, t->u8, 16), 128, 0});
    t->sock = STRUCT(b, "sock", 40, {"__sk_common", common, 0, 0}, {"sk_wmem", t->i32, 256, 0});
}

static void tasks(struct blob *b, struct ids *t)
{
    uint32_t info =
        STRUCT(b, "thread_info", 24, {"flags", t->u64, 0, 0}, {"syscall_work", t->u64, 64, 0},
               {"status", t->u32, 128, 0}, {"cpu", t->u32, 160, 0});
    uint32_t se =
        STRUCT(b, "sched_entity", 16, {"vruntime", t->u64, 0, 0}, {"on_rq", t->u32, 64, 1},
               {"level", t->u32, 65, 5}, {"bias", t->i32, 70, 4});
    uint32_t comm = array(b, t->chr, 16), nums = array(b, t->i32, 4);
    uint32_t parent = ptr(b, b->ntypes + 2);
    t->task = STRUCT(b, "task_struct", 104, {"thread_info", info, 0, 0} /* 0 */,
                     {"pid", t->i32, 192, 0} /* 24 */, {"tgid", t->i32, 224, 0} /* 28 */,
                     {"real_parent", parent, 256, 0} /* 32 */, {"comm", comm, 320, 0} /* 40 */,
                     {"se", se, 448, 0} /* 56 */, {"prio", t->i32, 576, 0} /* 72 */,
                     {"in_iowait", t->u32, 608, 1} /* 76 */, {"nums", nums, 640, 0} /* 80 */,
                     {"on_cpu", t->boolean, 768, 0} /* 96 */);
    static const char *const regs[] = {"r15", "r14",     "r13", "r12", "bp",    "bx", "r11",
                                       "r10", "r9",      "r8",  "ax",  "cx",    "dx", "si",
                                       "di",  "orig_ax", "ip",  "cs",  "flags", "sp", "ss"};
    struct member m[ZN_ARRAY_SIZE(regs)];
    for (uint32_t i = 0; i < ZN_ARRAY_SIZE(regs); i++)
        m[i] = (struct member){regs[i], t->u64, i * 64, 0};
    t->regs = record(b, BTF_KIND_STRUCT, "pt_regs", sizeof(regs) / sizeof(*regs) * 8, m,
                     ZN_ARRAY_SIZE(regs));
}

static void functions(struct blob *b, const struct ids *t)
{
    uint32_t file = ptr(b, t->file), task = ptr(b, t->task), regs = ptr(b, t->regs),
             any = ptr(b, 0);
    uint32_t rw = PROTO(b, t->i64, {"file", file, 0, 0}, {"buf", ptr(b, t->chr), 0, 0},
                        {"count", t->u64, 0, 0}, {"pos", ptr(b, t->i64), 0, 0});
    type(b, BTF_KIND_FUNC, "vfs_read", 1, false, rw);
    type(b, BTF_KIND_FUNC, "vfs_write", 1, false, rw);
    uint32_t connect = PROTO(b, t->i32, {"sk", ptr(b, t->sock), 0, 0});
    type(b, BTF_KIND_FUNC, "tcp_v4_connect", 1, false, connect);
    uint32_t idle = PROTO(b, task, {"cpu", t->i32, 0, 0}, {"quiet", t->boolean, 0, 0});
    type(b, BTF_KIND_FUNC, "pick_task", 1, false, idle);
    uint32_t call = PROTO(b, 0, {"__data", any, 0, 0}, {"regs", regs, 0, 0}, {"id", t->i64, 0, 0});
    uint32_t sw = PROTO(b, 0, {"__data", any, 0, 0}, {"preempt", t->boolean, 0, 0},
                        {"prev", task, 0, 0}, {"next", task, 0, 0}, {"prev_state", t->u32, 0, 0});
    named(b, "btf_trace_sys_enter", ptr(b, call));
    named(b, "btf_trace_sys_exit", ptr(b, call));
    named(b, "btf_trace_sched_switch", ptr(b, sw));
}

void *stub_btf(size_t *ret_len)
{
    struct blob *b ZN_AUTOFREE = calloc(1, sizeof(*b));
    struct ids t;
    if (!b)
        abort();
    b->nstrs = 1;
    numbers(b, &t);
    files(b, &t);
    tasks(b, &t);
    functions(b, &t);
    struct btf_header h = {.magic = BTF_MAGIC,
                           .version = 1,
                           .hdr_len = sizeof(h),
                           .type_len = b->nwords * 4,
                           .str_off = b->nwords * 4,
                           .str_len = b->nstrs};
    *ret_len = sizeof(h) + h.type_len + h.str_len;
    char *p = malloc(*ret_len);
    if (!p)
        abort();
    memcpy(p, &h, sizeof(h));
    memcpy(p + sizeof(h), b->words, h.type_len);
    memcpy(p + sizeof(h) + h.type_len, b->strs, h.str_len);
    return p;
}
