/* SPDX-License-Identifier: Apache-2.0 */
/* Types: C definitions laid out as this compiler does, names of all kinds, kernel types. */
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
#include "lang/ast.h"
#include "lang/btf.h"
#include "lang/type.h"

/* The same text is compiled here and read by the parser. */
#define BOTH(...) \
    __VA_ARGS__   \
    static const char text[] = #__VA_ARGS__;

/* clang-format off */
BOTH(
enum color { RED, GREEN = 5, BLUE };
enum negative { MINUS = -3, PLUS };
enum wide { HUGE_ONE = 0x100000000 };
struct plain { char a; int b; short c; long d; char e; };
struct tight { char a; int b; short c; long d; char e; } __attribute__((packed));
struct nested { char x; struct plain p; struct tight t; char y; };
struct arrays { char name[13]; int m[2][3]; struct tight v[2]; struct plain *ptr; void *fn; };
union both { char c[5]; int i; short s; };
struct anon { int a; union { long l; struct { short lo; short hi; }; }; char z; };
struct named_inner { char a; struct { char q; long w; } in; struct { short s; } list[3]; };
struct bits { unsigned a : 3; unsigned b : 5; unsigned c : 20; unsigned d : 10; char e; };
struct bits2 { char a : 2; short b : 9; long c : 33; int d : 31; unsigned char e : 1; };
struct bits3 { long a; int b : 17; int c : 17; short d; int : 5; int e : 2; };
struct tbits { unsigned a : 7; unsigned b : 20; unsigned long c : 40; short d : 5; char e; }
    __attribute__((packed));
union ubits { int a : 3; long b : 40; char c; };
struct mixed { float f; double d; enum color col; enum wide w; _Bool ok; unsigned char u; };
typedef struct { int x; long y; } pair_t;
typedef unsigned int handle_t;
struct uses { handle_t h; pair_t p; pair_t *next; struct uses *self; size_t n; uint16_t s; };
struct in_tight { char a; union both u; struct plain p; } __attribute__((packed));
)
/* clang-format on */

struct rig {
    struct zn_arena arena;
    struct zn_types types;
    struct zn_script *script;
};

static void *blob;
static struct zn_btf *vmlinux;

static int set_up(void **state)
{
    struct rig *r = calloc(1, sizeof(*r));
    struct zn_diags d;
    struct zn_param_env env = {0};
    char *script = NULL;

    assert_non_null(r);
    zn_arena_init(&r->arena);
    script = zn_arena_printf(&r->arena, "%s BEGIN { exit() }", text);
    zn_diags_init(&d, &r->arena,
                  (struct zn_source){.name = "t", .text = script, .len = strlen(script)});
    r->script = zn_parse(&r->arena, &d, &env);
    assert_non_null(r->script);
    if (d.errors)
        print_message("%s\n", d.first->msg);
    assert_int_equal(d.errors, 0);
    zn_types_init(&r->types, &r->arena, vmlinux, r->script->cdecls);
    *state = r;
    return 0;
}

static int tear_down(void **state)
{
    struct rig *r = *state;

    zn_arena_fini(&r->arena);
    free(r);
    return 0;
}

static struct zn_type *type_of(struct rig *r, const char *decl)
{
    struct zn_ctype *c = zn_parse_cdecl(&r->arena, decl, NULL);
    const char *why = NULL;
    struct zn_type *t;

    assert_non_null(c);
    t = zn_type_from_ctype(&r->types, c, &why);
    if (!t)
        assert_non_null(why);
    return t;
}

static const char *name_of(struct rig *r, const struct zn_type *t)
{
    struct zn_str s;
    const char *copy;

    zn_str_init(&s);
    zn_type_name(t, &s);
    copy = zn_arena_strdup(&r->arena, zn_str_c(&s));
    zn_str_fini(&s);
    return copy;
}

static void check_field(struct rig *r, const char *type, const char *field, size_t off, size_t size,
                        size_t total)
{
    struct zn_type *t = type_of(r, type);
    struct zn_field f;

    if (!t || !zn_type_field(&r->types, t, field, &f))
        fail_msg("%s.%s is not found", type, field);
    if (f.off != off || f.type->size != size || t->size != total || f.bits)
        fail_msg("%s.%s: offset %u size %u of %u, but gcc says %zu %zu %zu", type, field, f.off,
                 f.type->size, t->size, off, size, total);
}

#define FIELD(type, field) \
    check_field(r, #type, #field, offsetof(type, field), sizeof(((type *)0)->field), sizeof(type))

static void test_layout(void **state)
{
    struct rig *r = *state;

    FIELD(struct plain, a);
    FIELD(struct plain, b);
    FIELD(struct plain, c);
    FIELD(struct plain, d);
    FIELD(struct plain, e);
    FIELD(struct tight, b);
    FIELD(struct tight, d);
    FIELD(struct tight, e);
    FIELD(struct nested, p);
    FIELD(struct nested, t);
    FIELD(struct nested, y);
    FIELD(struct arrays, name);
    FIELD(struct arrays, m);
    FIELD(struct arrays, v);
    FIELD(struct arrays, ptr);
    FIELD(struct arrays, fn);
    FIELD(union both, c);
    FIELD(union both, i);
    FIELD(union both, s);
    FIELD(struct anon, l);
    FIELD(struct anon, lo);
    FIELD(struct anon, hi);
    FIELD(struct anon, z);
    FIELD(struct named_inner, in);
    FIELD(struct named_inner, list);
    FIELD(struct bits, e);
    FIELD(struct bits3, d);
    FIELD(struct tbits, e);
    FIELD(union ubits, c);
    FIELD(struct mixed, f);
    FIELD(struct mixed, d);
    FIELD(struct mixed, col);
    FIELD(struct mixed, w);
    FIELD(struct mixed, ok);
    FIELD(struct mixed, u);
    FIELD(struct uses, h);
    FIELD(struct uses, p);
    FIELD(struct uses, next);
    FIELD(struct uses, self);
    FIELD(struct uses, n);
    FIELD(struct uses, s);
    FIELD(struct in_tight, u);
    FIELD(struct in_tight, p);
}

/* The bits that gcc sets when the field is filled are exactly the ones that the type names. */
static void check_bits(struct rig *r, const char *type, const char *field, const void *filled,
                       size_t total)
{
    struct zn_type *t = type_of(r, type);
    const uint8_t *bytes = filled;
    struct zn_field f;
    uint32_t begin;

    if (!t || !zn_type_field(&r->types, t, field, &f))
        fail_msg("%s.%s is not found", type, field);
    assert_int_equal(t->size, total);
    assert_int_not_equal(f.bits, 0);
    begin = f.off * 8 + f.bit_off;
    for (uint32_t i = 0; i < total * 8; i++) {
        bool want = i >= begin && i < begin + f.bits;

        if ((bytes[i / 8] >> (i % 8) & 1) != want)
            fail_msg("%s.%s: %u bits from bit %u are wrong at bit %u", type, field, f.bits, begin,
                     i);
    }
}

#define BITS(type, field)                              \
    do {                                               \
        type _v;                                       \
        memset(&_v, 0, sizeof(_v));                    \
        _v.field = -1;                                 \
        check_bits(r, #type, #field, &_v, sizeof(_v)); \
    } while (0)

static void test_bit_fields(void **state)
{
    struct rig *r = *state;

    BITS(struct bits, a);
    BITS(struct bits, b);
    BITS(struct bits, c);
    BITS(struct bits, d);
    BITS(struct bits2, a);
    BITS(struct bits2, b);
    BITS(struct bits2, c);
    BITS(struct bits2, d);
    BITS(struct bits2, e);
    BITS(struct bits3, b);
    BITS(struct bits3, c);
    BITS(struct bits3, e);
    BITS(struct tbits, a);
    BITS(struct tbits, b);
    BITS(struct tbits, c);
    BITS(struct tbits, d);
    BITS(union ubits, a);
    BITS(union ubits, b);
}

static void test_enums(void **state)
{
    struct rig *r = *state;
    struct zn_type *t;
    int64_t v;

    assert_true(zn_type_enumerator(&r->types, "BLUE", &t, &v));
    assert_int_equal(v, 6);
    assert_string_equal(t->name, "color");
    assert_int_equal(t->size, sizeof(enum color));
    assert_false(t->sign);
    assert_true(zn_type_enumerator(&r->types, "PLUS", &t, &v));
    assert_int_equal(v, -2);
    assert_true(t->sign);
    assert_true(zn_type_enumerator(&r->types, "HUGE_ONE", &t, &v));
    assert_int_equal(t->size, sizeof(enum wide));
    assert_false(zn_type_enumerator(&r->types, "no_such_constant_anywhere", &t, &v));
    assert_ptr_equal(type_of(r, "enum color"), type_of(r, "enum color"));
}

static void check_word(struct rig *r, const char *decl, const char *name, uint32_t stored)
{
    struct zn_type *t = type_of(r, decl);

    if (!t)
        fail_msg("%s is unknown", decl);
    assert_string_equal(name_of(r, t), name);
    if (zn_type_stored(t) != stored)
        fail_msg("%s is stored in %u bytes, not %u", decl, zn_type_stored(t), stored);
}

static void test_words(void **state)
{
    static const struct {
        const char *decl, *name;
        uint32_t stored;
    } words[] = {
        {"uint8", "uint8", 8},
        {"int64", "int64", 8},
        {"u32", "uint32", 8},
        {"__s16", "int16", 8},
        {"unsigned", "uint32", 8},
        {"long unsigned int", "uint64", 8},
        {"unsigned long long", "uint64", 8},
        {"short", "int16", 8},
        {"signed char", "int8", 8},
        {"char", "int8", 8},
        {"_Bool", "bool", 8},
        {"bool", "bool", 8},
        {"size_t", "uint64", 8},
        {"pid_t", "int32", 8},
        {"uintptr_t", "uint64", 8},
        {"const char *", "int8 *", 8},
        {"void *", "void *", 8},
        {"struct plain *", "struct plain *", 8},
        {"struct plain", "struct plain", sizeof(struct plain)},
        {"union both", "union both", 8},
        {"enum color", "enum color", 8},
        {"struct not_defined *", "struct not_defined *", 8},
        {"int **", "int32 * *", 8},
        {"char[16]", "int8[16]", 16},
        {"uint8[3]", "uint8[3]", 8},
        {"int32[2][3]", "int32[3][2]", 24},
        {"string[60]", "string[60]", 64},
        {"buffer[12]", "buffer[12]", 24},
        {"string", "string[0]", 0},
        {"inet", "inet[24]", 24},
        {"ksym_t", "ksym_t", 8},
        {"usym_t", "usym_t", 16},
        {"count_t", "count_t", 8},
        {"__data_loc char[]", "int8[0]", 0},
        {"handle_t", "uint32", 8},
        {"pair_t", "struct", 16},
        {"void", "void", 0},
    };
    static const char *const unknown[] = {
        "struct not_defined", "no_such_t", "enum nope", "enum nope *", "void[3]", "double",
    };
    struct rig *r = *state;

    for (size_t i = 0; i < ZN_ARRAY_SIZE(words); i++)
        check_word(r, words[i].decl, words[i].name, words[i].stored);
    for (size_t i = 0; i < ZN_ARRAY_SIZE(unknown); i++)
        if (type_of(r, unknown[i]))
            fail_msg("%s should be unknown", unknown[i]);
    assert_true(type_of(r, "char")->is_char);
    assert_false(type_of(r, "unsigned char")->is_char);
}

static void test_wrong_definitions(void **state)
{
    static const char wrong[] = "struct self { int a; struct self s; };\n"
                                "struct loop_a { struct loop_b *p; struct loop_b b; };\n"
                                "struct loop_b { struct loop_a a; };\n"
                                "struct unknown_member { no_such_t x; };\n"
                                "struct ptr_only { struct later *p; struct nowhere *q; };\n"
                                "struct later { int x; };\n"
                                "BEGIN { exit() }";
    struct rig *r = *state;
    struct zn_diags d;
    struct zn_param_env env = {0};
    struct zn_script *s;

    zn_diags_init(&d, &r->arena, (struct zn_source){"t", wrong, sizeof(wrong) - 1});
    s = zn_parse(&r->arena, &d, &env);
    assert_int_equal(d.errors, 0);
    zn_types_init(&r->types, &r->arena, NULL, s->cdecls);
    assert_null(type_of(r, "struct self"));
    assert_null(type_of(r, "struct loop_a"));
    assert_null(type_of(r, "struct loop_b"));
    assert_null(type_of(r, "struct unknown_member"));
    assert_null(type_of(r, "struct unknown_member"));
    assert_non_null(type_of(r, "struct ptr_only"));
    assert_int_equal(type_of(r, "struct later")->size, 4);
}

static void test_equal(void **state)
{
    struct rig *r = *state;
    struct zn_types *t = &r->types;
    struct zn_type *a[] = {zn_type_int(t, 8, true), zn_type_str(t, 16, false)};
    struct zn_type *b[] = {zn_type_int(t, 8, true), zn_type_str(t, 24, false)};
    static const char *const names[] = {"x", "y"};
    struct zn_type *pair = zn_type_tuple(t, a, NULL, 2);

    assert_true(zn_type_equal(pair, zn_type_tuple(t, a, NULL, 2)));
    assert_false(zn_type_equal(pair, zn_type_tuple(t, b, NULL, 2)));
    assert_false(zn_type_equal(pair, zn_type_tuple(t, a, names, 2)));
    assert_int_equal(zn_type_stored(pair), 24);
    assert_string_equal(name_of(r, pair), "(int64,string[16])");
    assert_string_equal(name_of(r, zn_type_tuple(t, a, names, 2)), "(x=int64,y=string[16])");
    assert_int_equal(pair->fields[1].off, 8);
    assert_true(zn_type_equal(type_of(r, "struct plain *"), type_of(r, "struct plain *")));
    assert_false(zn_type_equal(type_of(r, "struct plain *"), type_of(r, "struct tight *")));
    assert_false(zn_type_equal(type_of(r, "int"), type_of(r, "unsigned")));
}

static void test_histograms(void **state)
{
    static const int64_t edges[] = {
        0, 1, 2, 3, 4, 7, 8, 31, 32, 33, 1000, 4095, 4096, 1LL << 40, INT64_MAX - 1, INT64_MAX};

    (void)state;
    assert_int_equal(zn_hist_buckets(0), 65);
    for (unsigned k = 0; k <= 5; k++) {
        int64_t next = 0;

        assert_int_equal(zn_hist_bucket(-1, k), 0);
        assert_int_equal(zn_hist_bucket(INT64_MIN, k), 0);
        assert_int_equal(zn_hist_bucket(INT64_MAX, k), zn_hist_buckets(k) - 1);
        for (uint32_t b = 1; b < zn_hist_buckets(k); b++) { /* no gap, no overlap */
            int64_t lo;
            uint64_t hi;

            zn_hist_range(b, k, &lo, &hi);
            assert_int_equal(lo, next);
            assert_int_equal(zn_hist_bucket(lo, k), b);
            if (b + 1 < zn_hist_buckets(k))
                assert_int_equal(zn_hist_bucket((int64_t)hi, k), b);
            else
                assert_true(hi == UINT64_MAX);
            next = (int64_t)(hi + 1);
        }
        for (size_t i = 0; i < ZN_ARRAY_SIZE(edges); i++)
            assert_true(zn_hist_bucket(edges[i], k) < zn_hist_buckets(k));
    }
    assert_int_equal(zn_lhist_buckets(0, 100, 10), 12);
    assert_int_equal(zn_lhist_buckets(0, 95, 10), 12);
    assert_int_equal(zn_lhist_buckets(-10, 10, 5), 6);
    assert_int_equal(zn_lhist_buckets(10, 10, 5), 0);
    assert_int_equal(zn_lhist_buckets(0, 10, 0), 0);
    assert_int_equal(zn_lhist_buckets(INT64_MIN, INT64_MAX, 1), 0);
}

static void test_kernel(void **state)
{
    struct rig *r = *state;
    struct zn_type *task, *e;
    struct zn_field f, g;
    int64_t v;

    if (!vmlinux)
        skip();
    task = type_of(r, "struct task_struct");
    assert_non_null(task);
    assert_true(task->size > 1000);
    assert_ptr_equal(task, type_of(r, "struct task_struct *")->elem);
    assert_true(zn_type_field(&r->types, task, "comm", &f));
    assert_int_equal(f.type->kind, T_ARRAY);
    assert_true(f.type->elem->is_char);
    assert_int_equal(f.type->nelem, 16);
    assert_true(zn_type_field(&r->types, task, "real_parent", &f));
    assert_ptr_equal(f.type->elem, task);
    assert_true(zn_type_field(&r->types, task, "in_iowait", &f));
    assert_int_equal(f.bits, 1);
    assert_true(zn_type_field(&r->types, task, "pid", &f));
    assert_string_equal(name_of(r, f.type), "int32");
    assert_string_equal(name_of(r, type_of(r, "pid_t")), "int32");
    assert_string_equal(name_of(r, type_of(r, "spinlock_t")), "struct spinlock");
    /* an anonymous union, and what lies in it */
    assert_true(zn_type_field(&r->types, type_of(r, "struct sk_buff"), "dev", &f));
    assert_true(zn_type_field(&r->types, type_of(r, "struct sk_buff"), "cb", &g));
    assert_true(g.off > f.off);
    assert_false(zn_type_field(&r->types, task, "no_such_field", &f));
    assert_true(zn_type_enumerator(&r->types, "BPF_PROG_TYPE_KPROBE", &e, &v));
    assert_int_equal(v, 2);
    assert_string_equal(e->name, "bpf_prog_type");
    assert_true(zn_type_enumerator(&r->types, "BPF_F_CURRENT_CPU", &e, &v));
    assert_int_equal(v, 0xffffffff);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_layout, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_bit_fields, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_enums, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_words, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_wrong_definitions, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_equal, set_up, tear_down),
        cmocka_unit_test(test_histograms),
        cmocka_unit_test_setup_teardown(test_kernel, set_up, tear_down),
    };
    size_t len;
    char *data = NULL;
    int failed;

    if (zn_file_read("/sys/kernel/btf/vmlinux", 0, &data, &len) == 0) {
        blob = data;
        assert_return_code(zn_btf_open(blob, len, NULL, &vmlinux), 0);
    }
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    zn_btf_close(vmlinux);
    free(blob);
    return failed;
}
