/* SPDX-License-Identifier: Apache-2.0 */
/* BTF: small blobs made by hand, the running kernel's against bpftool, and broken ones. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "lang/btf.h"
#include "lang/type.h"

#define INFO(kind, kflag, vlen) ((uint32_t)(kflag) << 31 | (uint32_t)(kind) << 24 | (vlen))

/* A blob of the given words and strings; malloc'ed to its exact size, so that a byte too far shows. */
static void *make_blob(const uint32_t *words, size_t nwords, const char *strs, size_t nstrs,
                       size_t *ret_len)
{
    struct btf_header h = {
        .magic = BTF_MAGIC,
        .version = BTF_VERSION,
        .hdr_len = sizeof(h),
        .type_len = (uint32_t)(nwords * 4),
        .str_off = (uint32_t)(nwords * 4),
        .str_len = (uint32_t)nstrs,
    };
    char *p = malloc(sizeof(h) + nwords * 4 + nstrs);

    assert_non_null(p);
    memcpy(p, &h, sizeof(h));
    memcpy(p + sizeof(h), words, nwords * 4);
    memcpy(p + sizeof(h) + nwords * 4, strs, nstrs);
    *ret_len = sizeof(h) + nwords * 4 + nstrs;
    return p;
}

/* "\0int\0foo\0a\0b\0c\0" */
enum { S_INT = 1, S_FOO = 5, S_A = 9, S_B = 11, S_C = 13 };
static const char strs[] = "\0int\0foo\0a\0b\0c";
static const uint32_t words[] = {
    S_INT,
    INFO(BTF_KIND_INT, 0, 0),
    4,
    BTF_INT_SIGNED << 24 | 32, /* 1 int */
    0,
    INFO(BTF_KIND_PTR, 0, 0),
    4, /* 2 struct foo * */
    0,
    INFO(BTF_KIND_INT, 0, 0),
    4,
    4 << 16 | 3, /* 3 old 3-bit int at 4 */
    S_FOO,
    INFO(BTF_KIND_STRUCT, 0, 3),
    16, /* 4 struct foo, old */
    S_A,
    1,
    0,
    S_B,
    3,
    32,
    S_C,
    2,
    64,
    S_FOO,
    INFO(BTF_KIND_UNION, 1, 2),
    4, /* 5 union foo, kflag */
    S_A,
    1,
    5 << 24 | 2,
    S_B,
    1,
    0,
    0,
    INFO(BTF_KIND_ARRAY, 0, 0),
    0,
    1,
    1,
    7, /* 6 int[7] */
    S_FOO,
    INFO(BTF_KIND_TYPEDEF, 0, 0),
    6, /* 7 typedef */
    S_FOO,
    INFO(BTF_KIND_ENUM, 1, 2),
    4,
    S_A,
    (uint32_t)-5,
    S_B,
    7, /* 8 signed enum */
    S_FOO,
    INFO(19, 0, 1),
    8,
    S_C,
    1,
    2, /* 9 enum64 */
    0,
    INFO(BTF_KIND_PTR, 0, 0),
    10, /* 10 points to itself */
    0,
    INFO(BTF_KIND_CONST, 0, 0),
    12,
    0,
    INFO(BTF_KIND_VOLATILE, 0, 0),
    11, /* 11 <-> 12 */
    0,
    INFO(BTF_KIND_ARRAY, 0, 0),
    0,
    13,
    1,
    2, /* 13 array of itself */
};

static void test_by_hand(void **state)
{
    size_t len;
    void *blob = make_blob(words, ZN_ARRAY_SIZE(words), strs, sizeof(strs), &len);
    struct zn_btf *b = NULL;
    int64_t v;

    (void)state;
    assert_int_equal(zn_btf_open(blob, len, NULL, &b), 0);
    assert_int_equal(zn_btf_count(b), 14);
    assert_int_equal(zn_btf_find(b, "foo", 1U << BTF_KIND_UNION), 5);
    assert_int_equal(zn_btf_find(b, "foo", ~0U), 4);
    assert_int_equal(zn_btf_find(b, "fo", ~0U), 0);
    assert_int_equal(zn_btf_find(b, "oo", ~0U), 0);
    assert_int_equal(zn_btf_find(b, "", ~0U), 0);
    assert_int_equal(zn_btf_size(b, 7), 28);
    assert_int_equal(zn_btf_size(b, 0), -1);
    assert_int_equal(zn_btf_size(b, 11), -1);
    assert_int_equal(zn_btf_size(b, 13), -1);
    assert_int_equal(zn_btf_skip(b, 11), 0);
    assert_int_equal(zn_btf_find_enumerator(b, "a", &v), 8);
    assert_int_equal(v, -5);
    assert_int_equal(zn_btf_find_enumerator(b, "c", &v), 9);
    assert_true(v == 0x200000001);
    assert_null(zn_btf_type(b, 0));
    assert_null(zn_btf_type(b, 14));
    assert_string_equal(zn_btf_name(b, 1 << 30), "");
    zn_btf_close(b);
    free(blob);
}

static void test_fields(void **state)
{
    size_t len;
    void *blob = make_blob(words, ZN_ARRAY_SIZE(words), strs, sizeof(strs), &len);
    struct zn_btf *b = NULL;
    struct zn_arena arena;
    struct zn_types types;
    struct zn_type *t;
    struct zn_field f;
    struct zn_str s;

    (void)state;
    assert_int_equal(zn_btf_open(blob, len, NULL, &b), 0);
    zn_arena_init(&arena);
    zn_types_init(&types, &arena, b, NULL);
    t = zn_type_from_btf(&types, 4);
    assert_true(zn_type_field(&types, t, "b", &f)); /* old encoding: bits 36..38 */
    assert_int_equal(f.off * 8 + f.bit_off, 36);
    assert_int_equal(f.bits, 3);
    assert_true(zn_type_field(&types, t, "c", &f));
    assert_ptr_equal(f.type->elem, t);
    assert_int_equal(f.off, 8);
    t = zn_type_from_btf(&types, 5);
    assert_true(t->is_union);
    assert_true(zn_type_field(&types, t, "a", &f));
    assert_int_equal(f.bits, 5);
    assert_int_equal(f.bit_off, 2);
    assert_true(zn_type_field(&types, t, "b", &f));
    assert_int_equal(f.bits, 0);
    zn_str_init(&s);
    zn_type_name(zn_type_from_btf(&types, 10), &s); /* ends */
    zn_str_fini(&s);
    assert_int_equal(zn_type_from_btf(&types, 13)->kind, T_VOID);
    assert_int_equal(zn_type_from_btf(&types, 99)->kind, T_VOID);
    zn_arena_fini(&arena);
    zn_btf_close(b);
    free(blob);
}

static void test_split(void **state)
{
    /* bar is the module's string, foo and a are vmlinux's */
    static const char mod_strs[] = "bar";
    uint32_t bar = sizeof(strs);
    const uint32_t mod_words[] = {
        bar,   INFO(BTF_KIND_STRUCT, 0, 1), 16, S_A, 4, 0, /* 14 struct bar { struct foo a; } */
        S_FOO, INFO(BTF_KIND_FUNC, 0, 0),   1,             /* 15 a function foo */
    };
    size_t len, mod_len;
    void *blob = make_blob(words, ZN_ARRAY_SIZE(words), strs, sizeof(strs), &len);
    void *mod =
        make_blob(mod_words, ZN_ARRAY_SIZE(mod_words), mod_strs, sizeof(mod_strs), &mod_len);
    struct zn_btf *base = NULL, *b = NULL;
    struct zn_arena arena;
    struct zn_types types;
    struct zn_type *t;
    struct zn_field f;

    (void)state;
    assert_int_equal(zn_btf_open(mod, mod_len, NULL, &b), -EINVAL);
    assert_int_equal(zn_btf_open(blob, len, NULL, &base), 0);
    assert_int_equal(zn_btf_open(mod, mod_len, base, &b), 0);
    assert_int_equal(zn_btf_count(b), 16);
    assert_int_equal(zn_btf_first_id(b), 14);
    assert_int_equal(zn_btf_find(b, "bar", ~0U), 14);
    assert_int_equal(zn_btf_find(b, "foo", 1U << BTF_KIND_FUNC), 15);
    assert_int_equal(zn_btf_find(b, "foo", 1U << BTF_KIND_STRUCT), 4);
    assert_int_equal(zn_btf_find(base, "bar", ~0U), 0);
    assert_int_equal(zn_btf_size(b, 14), 16);
    zn_arena_init(&arena);
    zn_types_init(&types, &arena, base, NULL);
    t = zn_type_from_btf_of(&types, b, 14);
    assert_string_equal(t->name, "bar");
    assert_true(zn_type_field(&types, t, "a", &f));
    assert_ptr_equal(f.type, zn_type_from_btf(&types, 4));
    zn_arena_fini(&arena);
    zn_btf_close(b);
    zn_btf_close(base);
    free(mod);
    free(blob);
}

/* A name looked for at first and one looked for after many others are found alike. */
static void test_many_names(void **state)
{
    char *blob;
    size_t len;
    struct zn_btf *many, *one;
    unsigned step = 0;

    (void)state;
    if (zn_file_read("/sys/kernel/btf/vmlinux", 0, &blob, &len) < 0)
        skip();
    assert_int_equal(zn_btf_open(blob, len, NULL, &many), 0);
    for (uint32_t id = 1; id < zn_btf_count(many); id += 1 + step++ * 17) {
        const struct btf_type *t = zn_btf_type(many, id);
        const char *name = zn_btf_name(many, t->name_off);
        uint32_t kinds = step % 2 ? ~0U : 1U << ZN_BTF_KIND(t), found;

        assert_int_equal(zn_btf_open(blob, len, NULL, &one), 0);
        found = zn_btf_find(one, name, kinds);
        assert_int_equal(found, zn_btf_find(many, name, kinds));
        assert_true(!*name || (found && found <= id));
        zn_btf_close(one);
    }
    assert_true(step > 50);
    assert_int_equal(zn_btf_find(many, "no_such_name_in_any_kernel", ~0U), 0);
    zn_btf_close(many);
    free(blob);
}

static int touch_type(void *arg, uint32_t id, const struct btf_type *bt)
{
    struct zn_types *types = arg;
    struct zn_type *t = zn_type_from_btf(types, id);
    struct zn_field f;

    zn_btf_name(types->btf, bt->name_off);
    zn_btf_size(types->btf, id);
    if (t->kind == T_STRUCT) {
        zn_type_load_fields(types, t);
        zn_type_field(types, t, "no such", &f);
    }
    return 0;
}

/* Everything that reads a blob, run over one that may be broken. */
static void touch(const void *blob, size_t len)
{
    struct zn_btf *b = NULL;
    struct zn_arena arena;
    struct zn_types types;
    int64_t v;

    if (zn_btf_open(blob, len, NULL, &b) < 0)
        return;
    zn_arena_init(&arena);
    zn_types_init(&types, &arena, b, NULL);
    zn_btf_each(b, ~0U, touch_type, &types);
    for (unsigned i = 0; i < 12; i++)
        zn_btf_find(b, i % 2 ? "foo" : "nothing", ~0U);
    zn_btf_find_enumerator(b, "c", &v);
    zn_arena_fini(&arena);
    zn_btf_close(b);
}

static void test_broken(void **state)
{
    size_t len;
    uint8_t *blob = make_blob(words, ZN_ARRAY_SIZE(words), strs, sizeof(strs), &len);
    uint64_t seed = 88172645463325252ULL;

    (void)state;
    for (size_t n = 0; n <= len; n++) { /* cut short */
        uint8_t *cut = malloc(n ? n : 1);

        memcpy(cut, blob, n);
        touch(cut, n);
        free(cut);
    }
    for (unsigned i = 0; i < 30000; i++) { /* bytes changed */
        uint8_t *bad = malloc(len);

        memcpy(bad, blob, len);
        for (unsigned k = 0; k < 1 + i % 4; k++) {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            bad[seed % len] = (uint8_t)(seed >> 32);
        }
        touch(bad, len);
        free(bad);
    }
    free(blob);
}

/* "[114] STRUCT 'task_struct' size=9024 vlen=251" and its members, against what we read. */
struct dump {
    const struct zn_btf *b;
    const struct btf_type *t;
    uint32_t id, seen, members;
};

static void check_dump_line(struct dump *d, const char *line)
{
    char kind[32], name[256], member[256];
    unsigned id, size, vlen, type, bits;

    if (sscanf(line, "[%u] %31s '%255[^']' size=%u vlen=%u", &id, kind, name, &size, &vlen) == 5) {
        d->t = zn_btf_type(d->b, id);
        d->id = id;
        d->members = 0;
        assert_non_null(d->t);
        if (strcmp(name, "(anon)") != 0)
            assert_string_equal(zn_btf_name(d->b, d->t->name_off), name);
        if (strcmp(kind, "STRUCT") == 0 || strcmp(kind, "UNION") == 0) {
            assert_int_equal(zn_btf_size(d->b, id), size);
            assert_int_equal(ZN_BTF_VLEN(d->t), vlen);
        }
        d->seen++;
    } else if (sscanf(line, "[%u] %31s '%255[^']'", &id, kind, name) == 3) {
        d->t = zn_btf_type(d->b, id);
        assert_non_null(d->t);
        if (strcmp(name, "(anon)") != 0)
            assert_string_equal(zn_btf_name(d->b, d->t->name_off), name);
        d->t = NULL;
        d->seen++;
    } else if (d->t &&
               sscanf(line, "\t'%255[^']' type_id=%u bits_offset=%u", member, &type, &bits) == 3) {
        const struct btf_member *m = (const struct btf_member *)(d->t + 1) + d->members++;
        uint32_t off = ZN_BTF_KFLAG(d->t) ? BTF_MEMBER_BIT_OFFSET(m->offset) : m->offset;

        assert_int_equal(off, bits);
        assert_int_equal(m->type, type);
    }
}

static void test_bpftool(void **state)
{
    char *blob, line[4096];
    struct dump d = {0};
    struct zn_btf *b;
    size_t len;
    FILE *f;

    (void)state;
    if (zn_file_read("/sys/kernel/btf/vmlinux", 0, &blob, &len) < 0)
        skip();
    assert_int_equal(zn_btf_open(blob, len, NULL, &b), 0);
    d.b = b;
    f = popen("PATH=$PATH:/usr/sbin bpftool btf dump file /sys/kernel/btf/vmlinux 2>/dev/null",
              "r");
    assert_non_null(f);
    while (fgets(line, sizeof(line), f))
        check_dump_line(&d, line);
    pclose(f);
    zn_btf_close(b);
    free(blob);
    if (!d.seen) {
        print_message("bpftool is not there\n");
        skip();
    }
    print_message("%u types agree with bpftool\n", d.seen);
}

static void test_every_kernel_type(void **state)
{
    char *blob;
    size_t len;

    (void)state;
    if (zn_file_read("/sys/kernel/btf/vmlinux", 0, &blob, &len) < 0)
        skip();
    touch(blob, len);
    free(blob);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_fields),
        cmocka_unit_test(test_split),
        cmocka_unit_test(test_broken),
        cmocka_unit_test(test_many_names),
        cmocka_unit_test(test_bpftool),
        cmocka_unit_test(test_every_kernel_type),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
