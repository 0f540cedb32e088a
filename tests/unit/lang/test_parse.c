/* SPDX-License-Identifier: Apache-2.0 */
/* The front half by its C interface: diagnostics, tokens, preprocessor, positions, limits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/mem.h"
#include "base/str.h"
#include "lang/ast.h"
#include "lang/lex.h"

struct fix {
    struct zn_arena arena;
    struct zn_diags d;
    struct zn_script *s;
    struct zn_str out;
};

static void fix_fini(struct fix *f)
{
    zn_str_fini(&f->out);
    zn_arena_fini(&f->arena);
}
#define AUTOFIX ZN_CLEANUP(fix_fini)

static void start(struct fix *f, const char *text, size_t len)
{
    struct zn_source src = {.name = "stdin", .text = text, .len = len};
    zn_arena_init(&f->arena);
    zn_str_init(&f->out);
    zn_diags_init(&f->d, &f->arena, src);
}

static void parse_env(struct fix *f, const char *text, const struct zn_param_env *env)
{
    start(f, text, strlen(text));
    f->s = zn_parse(&f->arena, &f->d, env);
    assert_non_null(f->s);
}

static void parse(struct fix *f, const char *text)
{
    static const struct zn_param_env env;
    parse_env(f, text, &env);
}

/* The first statement of the first probe. */
static struct zn_node *parse_stmt(struct fix *f, const char *text)
{
    parse(f, text);
    assert_int_equal(f->d.errors, 0);
    return f->s->items->list;
}

static void assert_rendered(struct fix *f, const char *want)
{
    zn_diags_render(&f->d, false, &f->out);
    assert_string_equal(zn_str_c(&f->out), want);
}

/* ---- diagnostics ---- */

static void test_locate(void **state)
{
    (void)state;
    static const struct zn_source src = {.name = "x", .text = "ab\n\ncd", .len = 6};
    static const struct {
        uint32_t off;
        unsigned line, col;
    } cases[] = {{0, 1, 1}, {2, 1, 3}, {3, 2, 1}, {4, 3, 1}, {6, 3, 3}};
    for (size_t i = 0; i < ZN_ARRAY_SIZE(cases); i++) {
        unsigned line, col;
        zn_source_locate(&src, cases[i].off, &line, &col);
        assert_int_equal(line, cases[i].line);
        assert_int_equal(col, cases[i].col);
    }
}

static void test_render_forms(void **state)
{
    (void)state;
    struct fix f AUTOFIX;
    const char *text = "one\n\ttwo é three\nfour";
    start(&f, text, strlen(text));
    zn_error(&f.d, (struct zn_pos){0, 0}, "nowhere");
    zn_warning(&f.d, (struct zn_pos){5, 8}, "the word %d", 2);
    zn_hint(&f.d, zn_error(&f.d, (struct zn_pos){9, 11}, "not ASCII"), "write %s", "e");
    zn_error(&f.d, (struct zn_pos){0, 8}, "two lines");
    zn_error(&f.d, (struct zn_pos){22, 22}, "at the end");
    assert_int_equal(f.d.errors, 4);
    assert_int_equal(f.d.warnings, 1);
    assert_rendered(&f, "ERROR: nowhere\n"
                        "stdin:2:2-5: WARNING: the word 2\n"
                        "    two é three\n"
                        "    ~~~\n"
                        "stdin:2:6-8: ERROR: not ASCII\n"
                        "    two é three\n"
                        "        ~\n"
                        "HINT: write e\n"
                        "stdin:1-2: ERROR: two lines\n"
                        "stdin:3:5-6: ERROR: at the end\n"
                        "four\n"
                        "    ~\n");
}

static void test_render_color(void **state)
{
    (void)state;
    struct fix f AUTOFIX;
    start(&f, "x", 1);
    zn_error(&f.d, (struct zn_pos){0, 1}, "bad");
    zn_diags_render(&f.d, true, &f.out);
    assert_string_equal(zn_str_c(&f.out), "stdin:1:1-2: \033[31mERROR\033[0m: bad\nx\n~\n");
}

static void test_render_long_line(void **state)
{
    (void)state;
    struct fix f AUTOFIX;
    char text[2000];
    memset(text, 'a', sizeof(text));
    start(&f, text, sizeof(text));
    zn_error(&f.d, (struct zn_pos){1000, 1003}, "here");
    zn_diags_render(&f.d, false, &f.out);
    assert_true(f.out.len < 600);
    assert_non_null(strstr(zn_str_c(&f.out), "~~~\n"));
}

static void test_fifty_errors_are_kept(void **state)
{
    (void)state;
    struct fix f AUTOFIX;
    start(&f, "x", 1);
    for (int i = 0; i < 60; i++)
        zn_hint(&f.d, zn_error(&f.d, (struct zn_pos){0, 1}, "number %d", i), "a hint");
    assert_int_equal(f.d.errors, 60);
    zn_diags_render(&f.d, false, &f.out);
    assert_non_null(strstr(zn_str_c(&f.out), "number 49"));
    assert_null(strstr(zn_str_c(&f.out), "number 50"));
    assert_non_null(strstr(zn_str_c(&f.out), "10 more errors"));
}

static void test_nearest(void **state)
{
    (void)state;
    static const char *const words[] = {"printf", "print", "count", "kstack", "ustack"};
    static const struct {
        const char *name, *want;
    } cases[] = {
        {"prinft", "printf"}, {"pritn", "print"}, {"conut", "count"}, {"kstak", "kstack"},
        {"zzzzz", NULL},      {"x", NULL},        {"", NULL},
    };
    for (size_t i = 0; i < ZN_ARRAY_SIZE(cases); i++) {
        const char *got = zn_nearest(cases[i].name, words, ZN_ARRAY_SIZE(words));
        if (cases[i].want)
            assert_string_equal(got, cases[i].want);
        else
            assert_null(got);
    }
}

/* ---- tokens ---- */

static void test_tokens(void **state)
{
    (void)state;
    static const enum zn_tk want[] = {
        TK_VAR,   TK_SHL_EQ, TK_INT, TK_DOTDOT, TK_INT, TK_ARROW,  TK_IDENT, TK_MAP, TK_LBRACK,
        TK_PARAM, TK_RBRACK, TK_INC, TK_NE,     TK_NOT, TK_ASSIGN, TK_STR,   TK_EOF, TK_EOF,
    };
    struct fix f AUTOFIX;
    const char *text = "$a <<= 0..10->b @[$1]++ != ! = \"s\"";
    struct zn_lexer lx;
    struct zn_tok t;
    start(&f, text, strlen(text));
    zn_lex_init(&lx, &f.arena, &f.d, NULL, text, strlen(text));
    for (size_t i = 0; i < ZN_ARRAY_SIZE(want); i++) {
        zn_lex_next(&lx, &t);
        assert_int_equal(t.kind, want[i]);
    }
}

static void test_numbers(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t want;
        bool ok;
    } cases[] = {
        {"0", 0, true},
        {"0x10", 16, true},
        {"0XfF", 255, true},
        {"010", 8, true},
        {"1e3", 1000, true},
        {"1_000_000", 1000000, true},
        {"7ULL", 7, true},
        {"7lu", 7, true},
        {"3ms", 3000000, true},
        {"2d", 172800000000000, true},
        {"18446744073709551615", UINT64_MAX, true},
        {"18446744073709551616", 0, false},
        {"1e20", 0, false},
        {"0e99999999", 0, true},
        {"08", 0, false},
        {"1x", 0, false},
        {"1ulu", 0, false},
        {"9999999d", 0, false},
        {"0xfffffffffffffffff", 0, false},
    };
    for (size_t i = 0; i < ZN_ARRAY_SIZE(cases); i++) {
        struct fix f AUTOFIX;
        struct zn_lexer lx;
        struct zn_tok t;
        start(&f, cases[i].text, strlen(cases[i].text));
        zn_lex_init(&lx, &f.arena, &f.d, NULL, cases[i].text, strlen(cases[i].text));
        zn_lex_next(&lx, &t);
        assert_int_equal(t.kind, cases[i].ok ? TK_INT : TK_ERROR);
        if (cases[i].ok)
            assert_int_equal((uint64_t)t.num, cases[i].want);
        zn_lex_next(&lx, &t);
        assert_int_equal(t.kind, TK_EOF);
    }
}

static void test_string_bytes(void **state)
{
    (void)state;
    struct fix f AUTOFIX;
    static const char text[] = "begin { f(\"a\\0b\\xff\\7\x80 \\\"\") }";
    struct zn_node *s = parse_stmt(&f, text);
    const struct zn_node *str = s->a->list;
    assert_int_equal(str->kind, N_STR);
    assert_int_equal(str->str_len, 8);
    assert_memory_equal(str->str, "a\0b\xff\7\x80 \"", 8);
}

static void test_nul_bytes(void **state)
{
    (void)state;
    struct fix f AUTOFIX;
    static const char text[] = "begin { f(\"a\0b\"); \0 }";
    start(&f, text, sizeof(text) - 1);
    f.s = zn_parse(&f.arena, &f.d, NULL);
    assert_non_null(f.s);
    assert_int_equal(f.d.errors, 1);
    assert_rendered(&f, "stdin:1:19-20: ERROR: unexpected byte 0x00\n"
                        "begin { f(\"a.b\"); . }\n"
                        "                  ~\n");
}

/* ---- positions ---- */

static void assert_text(const char *text, const struct zn_node *n, const char *want)
{
    assert_int_equal(n->pos.end - n->pos.begin, strlen(want));
    assert_memory_equal(text + n->pos.begin, want, strlen(want));
}

static void test_positions(void **state)
{
    (void)state;
    struct fix f AUTOFIX;
    const char *text = "kprobe:f /pid/ { @x[1, $y] = (a.b + 2) ; }";
    struct zn_node *s = parse_stmt(&f, text);
    assert_text(text, s, "@x[1, $y] = (a.b + 2)");
    assert_text(text, s->a, "@x[1, $y]");
    assert_text(text, s->a->a, "1, $y");
    assert_true(s->a->a->implied);
    assert_text(text, s->b, "(a.b + 2)");
    assert_text(text, s->b->a, "a.b");
    assert_text(text, f.s->items->list2, "kprobe:f");
    assert_text(text, f.s->items->c, "pid");
    assert_text(text, f.s->items, text);
}

static void test_positions_of_macros(void **state)
{
    (void)state;
    struct fix f AUTOFIX;
    const char *text = "#define TWO(x) (x + x)\nbegin { $a = TWO(9); }";
    struct zn_node *s = parse_stmt(&f, text);
    assert_text(text, s->b, "TWO(9)");
    assert_text(text, s->b->a, "TWO(9)");
}

/* ---- environment ---- */

static int read_include(void *arg, struct zn_arena *arena, const char *name, const char **text,
                        size_t *len)
{
    (void)arena;
    assert_string_equal(name, "a/b.h");
    *text = arg;
    *len = strlen(arg);
    return 0;
}

static void test_include(void **state)
{
    (void)state;
    struct fix f AUTOFIX;
    char header[] = "struct q { int a; };\nkprobe:f 5";
    struct zn_param_env env = {.read_include = read_include, .arg = header};
    parse_env(&f, "#include \"a/b.h\"\nbegin { }", &env);
    assert_string_equal(f.s->cdecls->name, "q");
    assert_rendered(&f, "stdin:1:1-17: ERROR: expected '{' or a predicate after the probe, "
                        "found '5'\n"
                        "#include \"a/b.h\"\n"
                        "~~~~~~~~~~~~~~~~\n");
}

static void test_self_include_ends(void **state)
{
    (void)state;
    struct fix f AUTOFIX;
    char header[] = "#include \"a/b.h\"\n";
    struct zn_param_env env = {.read_include = read_include, .arg = header};
    parse_env(&f, "#include \"a/b.h\"\nbegin { }", &env);
    assert_int_equal(f.d.errors, 1);
    assert_non_null(f.s->items);
}

static void test_btf_macro(void **state)
{
    (void)state;
    const char *text = "#ifdef BPFTRACE_HAVE_BTF\nbegin { }\n#else\nend { }\n#endif";
    for (int btf = 0; btf <= 1; btf++) {
        struct fix f AUTOFIX;
        struct zn_param_env env = {.have_btf = btf};
        parse_env(&f, text, &env);
        assert_string_equal(f.s->items->list2->parts[0], btf ? "begin" : "end");
        assert_null(f.s->items->next);
    }
}

static void test_attach_parameters(void **state)
{
    (void)state;
    static const char *const argv[] = {"/bin/x y", "g"};
    struct fix f AUTOFIX;
    struct zn_param_env env = {.argv = argv, .argc = 2};
    parse_env(&f, "uprobe:\"$1\":$2$2, kprobe:$3f { }", &env);
    const struct zn_node *a = f.s->items->list2;
    assert_int_equal(a->num, 3);
    assert_string_equal(a->parts[1], "/bin/x y");
    assert_string_equal(a->parts[2], "gg");
    assert_string_equal(a->name, "uprobe:\"/bin/x y\":gg");
    assert_string_equal(a->next->parts[1], "f");
    assert_int_equal(f.d.errors, 0);
    assert_int_equal(f.d.warnings, 1);
}

/* ---- zn_parse_cdecl ---- */

static void test_cdecl(void **state)
{
    (void)state;
    static const struct {
        const char *text, *type, *name;
        unsigned ptr, ndim;
        int64_t dim;
    } cases[] = {
        {"unsigned int nr", "unsigned int", "nr", 0, 0, 0},
        {"char comm[16]", "char", "comm", 0, 1, 16},
        {"const char * filename", "char", "filename", 1, 0, 0},
        {"const char __user *const *argv", "char", "argv", 2, 0, 0},
        {"__data_loc char[] name", "__data_loc char", "name", 0, 1, -1},
        {"struct sock * sk", "struct sock", "sk", 1, 0, 0},
        {"unsigned long args[6];", "unsigned long", "args", 0, 1, 6},
        {"__u8 saddr[sizeof(struct sockaddr_in6)]", "__u8", "saddr", 0, 1, -1},
        {"char comm[TASK_COMM_LEN]", "char", "comm", 0, 1, -1},
        {"int (*fn)(void *)", "void", "fn", 1, 0, 0},
        {"long long unsigned int x", "unsigned long long", "x", 0, 0, 0},
        {"u64", "u64", NULL, 0, 0, 0},
        {"enum hrtimer_mode mode", "enum hrtimer_mode", "mode", 0, 0, 0},
        {"_Bool b", "bool", "b", 0, 0, 0},
    };
    struct zn_arena arena;
    zn_arena_init(&arena);
    for (size_t i = 0; i < ZN_ARRAY_SIZE(cases); i++) {
        const char *name = "";
        const struct zn_ctype *ct = zn_parse_cdecl(&arena, cases[i].text, &name);
        assert_non_null(ct);
        assert_string_equal(ct->name, cases[i].type);
        assert_int_equal(ct->ptr, cases[i].ptr);
        assert_int_equal(ct->ndim, cases[i].ndim);
        if (ct->ndim)
            assert_int_equal(ct->dim[0], cases[i].dim);
        if (cases[i].name)
            assert_string_equal(name, cases[i].name);
        else
            assert_null(name);
    }
    static const char *const bad[] = {
        "", "*", "int a b", "struct", "int a[", "struct { int a", "(", "int a; int b"};
    for (size_t i = 0; i < ZN_ARRAY_SIZE(bad); i++)
        assert_null(zn_parse_cdecl(&arena, bad[i], NULL));
    zn_arena_fini(&arena);
}

/* ---- limits ---- */

static char *repeat(struct zn_arena *arena, const char *head, const char *mid, size_t n,
                    const char *tail)
{
    size_t h = strlen(head), m = strlen(mid), t = strlen(tail);
    char *s = zn_arena_alloc(arena, h + m * n + t + 1);
    memcpy(s, head, h);
    for (size_t i = 0; i < n; i++)
        memcpy(s + h + i * m, mid, m);
    memcpy(s + h + m * n, tail, t);
    return s;
}

static void test_deep_input(void **state)
{
    (void)state;
    static const struct {
        const char *head, *mid, *tail;
        unsigned errors;
    } cases[] = {
        {"begin { f(", "(", "", 1},
        {"begin ", "{", "", 1},
        {"begin { $x = ", "!", "1; }", 1},
        {"begin { $x = ", "-", "1; }", 1},
        {"begin { $x = ", "1+", "1; }", 1},
        {"begin { $x = $y", ".a", "; }", 1},
        {"begin { $x = ", "(int8)", "1; }", 1},
        {"begin { $x = ", "1 ? ", "", 1},
        {"begin { $x = ", "@a[", "", 1},
        {"begin { if (1) { } ", "else if (1) { } ", "}", 1},
        {"begin { ", "if (1) { ", "", 1},
        {"begin { let $x : ", "typeof(", "", 1},
        {"", "struct a { ", "", 1},
        {"#if ", "(", "1\n#endif\n", 1},
        {"#if ", "!", "1\n#endif\n", 1},
        {"#define f(x) x\nbegin { $x = ", "f(", "", 0},
        {"begin { ", "f(); ", "}", 0},
        {"begin { f(\"", "\xff", "\") }", 0},
        {"a", ":", "{ }", 0},
        {"begin { } // ", "x", "", 0},
    };
    for (size_t i = 0; i < ZN_ARRAY_SIZE(cases); i++) {
        struct zn_arena arena;
        struct fix f AUTOFIX;
        zn_arena_init(&arena);
        parse(&f, repeat(&arena, cases[i].head, cases[i].mid, 100000, cases[i].tail));
        if (cases[i].errors)
            assert_int_equal(f.d.errors, cases[i].errors);
        zn_ast_dump(f.s, &f.out);
        zn_diags_render(&f.d, false, &f.out);
        zn_arena_fini(&arena);
    }
}

static void test_height_is_recorded(void **state)
{
    (void)state;
    struct fix f AUTOFIX;
    struct zn_node *s = parse_stmt(&f, "begin { $x = 1 + 2 + 3; }");
    assert_int_equal(s->b->height, 3);
    assert_int_equal(s->height, 4);
}

static void test_op_names(void **state)
{
    (void)state;
    for (int op = OP_ADD; op < _ZN_OP_MAX; op++)
        assert_string_not_equal(zn_op_name((enum zn_op)op), "?");
    assert_string_equal(zn_op_name(OP_SHL), "<<");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_locate),
        cmocka_unit_test(test_render_forms),
        cmocka_unit_test(test_render_color),
        cmocka_unit_test(test_render_long_line),
        cmocka_unit_test(test_fifty_errors_are_kept),
        cmocka_unit_test(test_nearest),
        cmocka_unit_test(test_tokens),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_string_bytes),
        cmocka_unit_test(test_nul_bytes),
        cmocka_unit_test(test_positions),
        cmocka_unit_test(test_positions_of_macros),
        cmocka_unit_test(test_include),
        cmocka_unit_test(test_self_include_ends),
        cmocka_unit_test(test_btf_macro),
        cmocka_unit_test(test_attach_parameters),
        cmocka_unit_test(test_cdecl),
        cmocka_unit_test(test_deep_input),
        cmocka_unit_test(test_height_is_recorded),
        cmocka_unit_test(test_op_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
