/* SPDX-License-Identifier: Apache-2.0 */
/* usdt notes byte by byte, operands of both processors, and probes of this program itself. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <unistd.h>

#include "arch/arch.h"
#include "base/mem.h"
#include "probes/kind.h"
#include "probes/usdt_note.h"
#include "probes_test.h"

/* ---- notes ---- */

struct bytes {
    uint8_t v[1024];
    size_t n;
};

static void put(struct bytes *b, const void *p, size_t n)
{
    memcpy(b->v + b->n, p, n);
    b->n += n;
}

static void put32(struct bytes *b, uint32_t v)
{
    put(b, &v, sizeof(v));
}

static void pad(struct bytes *b)
{
    while (b->n % 4)
        b->v[b->n++] = 0;
}

/* strings: provider, name and arguments with their ends, len bytes. */
static void put_note(struct bytes *b, const char *owner, uint32_t type, unsigned word,
                     const char *strings, size_t len)
{
    uint64_t where[3] = {0x1122, 0x3344, 0x5566};

    put32(b, (uint32_t)strlen(owner) + 1);
    put32(b, (uint32_t)(3 * word + len));
    put32(b, type);
    put(b, owner, strlen(owner) + 1);
    pad(b);
    for (int i = 0; i < 3; i++)
        put(b, &where[i], word);
    put(b, strings, len);
    pad(b);
}

struct seen {
    struct zn_usdt_note v[8];
    int n, stop_at;
};

static int see(void *arg, const struct zn_usdt_note *n)
{
    struct seen *s = arg;

    assert_in_range(s->n, 0, 7);
    s->v[s->n++] = *n;
    return s->n == s->stop_at ? 7 : 0;
}

/* In memory of exactly that size, so that a sanitizer sees one byte too much. */
static int walk(const struct bytes *b, size_t len, unsigned word, struct seen *s)
{
    ZN_AUTOFREE uint8_t *copy = malloc(len ? len : 1);
    int r;

    assert_non_null(copy);
    memcpy(copy, b->v, len);
    s->n = 0;
    r = zn_usdt_notes(copy, len, word, see, s);
    for (int i = 0; i < s->n; i++) /* the strings go with the copy */
        s->v[i].provider = s->v[i].name = s->v[i].args = NULL;
    return r;
}

#define STRINGS(s) s, sizeof(s)

static void test_notes(void **state)
{
    struct bytes b = {.n = 0};
    struct seen s = {.n = 0};

    (void)state;
    put_note(&b, "stapsdt", 3, 8, STRINGS("app\0start\0-4@%eax"));
    put_note(&b, "GNU", 3, 8, STRINGS("app\0other owner\0"));
    put_note(&b, "stapsdt", 2, 8, STRINGS("app\0other type\0"));
    put_note(&b, "stapsdt", 3, 8, STRINGS("app\0end\0"));
    assert_int_equal(zn_usdt_notes(b.v, b.n, 8, see, &s), 0);
    assert_int_equal(s.n, 2);
    assert_string_equal(s.v[0].provider, "app");
    assert_string_equal(s.v[0].name, "start");
    assert_string_equal(s.v[0].args, "-4@%eax");
    assert_true(s.v[0].loc == 0x1122 && s.v[0].base == 0x3344 && s.v[0].sem == 0x5566);
    assert_string_equal(s.v[1].name, "end");
    assert_string_equal(s.v[1].args, "");
    s.stop_at = 1;
    assert_int_equal(walk(&b, b.n, 8, &s), 7);
    assert_int_equal(s.n, 1);

    b.n = 0;
    s.stop_at = 0;
    put_note(&b, "stapsdt", 3, 4, STRINGS("app\0small\0"));
    assert_int_equal(walk(&b, b.n, 4, &s), 0);
    assert_int_equal(s.n, 1);
    assert_true(s.v[0].loc == 0x1122 && s.v[0].sem == 0x5566);
}

static void test_hostile_notes(void **state)
{
    static const uint32_t sizes[] = {0, 1, 7, 9, 0x7fffffff, 0x80000000, 0xfffffffc, 0xffffffff};
    struct bytes b = {.n = 0};
    struct seen s = {.n = 0};

    (void)state;
    put_note(&b, "stapsdt", 3, 8, STRINGS("app\0start\0-4@%eax"));
    for (size_t len = 0; len < b.n - 2; len++) { /* 2 bytes of padding */
        assert_int_equal(walk(&b, len, 8, &s), 0);
        assert_int_equal(s.n, 0);
    }
    for (size_t field = 0; field < 2; field++)
        for (size_t i = 0; i < ZN_ARRAY_SIZE(sizes); i++) {
            struct bytes c = b;

            memcpy(c.v + field * 4, &sizes[i], 4);
            assert_int_equal(walk(&c, c.n, 8, &s), 0);
            assert_int_equal(s.n, 0);
        }

    /* Strings that do not end, that are missing, that are empty; too short for its addresses. */
    b.n = 0;
    put_note(&b, "stapsdt", 3, 8, "app\0start\0open", 14);
    put_note(&b, "stapsdt", 3, 8, "app\0start", 9);
    put_note(&b, "stapsdt", 3, 8, "app", 3);
    put_note(&b, "stapsdt", 3, 8, "\0start\0", 8);
    put_note(&b, "stapsdt", 3, 8, "app\0\0", 6);
    put_note(&b, "stapsdt", 3, 8, "", 0);
    put_note(&b, "stapsdt", 3, 4, "", 0);
    put_note(&b, "stapsdt", 3, 8, STRINGS("app\0good\0"));
    assert_int_equal(zn_usdt_notes(b.v, b.n, 8, see, &s), 0);
    assert_int_equal(s.n, 1);
    assert_string_equal(s.v[0].name, "good");
}

/* ---- arguments ---- */

static int symbol(void *arg, const char *name, uint64_t *ret)
{
    (void)arg;
    *ret = 0x5000;
    return strcmp(name, "sym") == 0 ? 0 : -ENOENT;
}

struct row {
    const char *text;
    enum zn_usdt_kind kind;
    uint8_t size;
    bool sign;
    const char *base, *index; /* registers, NULL none */
    uint8_t shift;
    int64_t disp;
};

static int offset_of(const struct zn_arch *a, const char *reg)
{
    for (unsigned i = 0; reg && i < a->nregs; i++)
        if (strcmp(a->regs[i].name, reg) == 0)
            return a->regs[i].off;
    return -1;
}

static void check_rows(const struct zn_arch *arch, const struct row *v, size_t n)
{
    struct zn_usdt_place at = {.arch = arch, .loc = 0x1000, .symbol = symbol};
    struct zn_arena arena;

    zn_arena_init(&arena);
    for (size_t i = 0; i < n; i++) {
        uint32_t count = 0;
        const struct zn_usdt_arg *a = zn_usdt_args(&arena, &at, v[i].text, &count);

        if (count != 1 || a->kind != v[i].kind)
            print_error("%s\n", v[i].text);
        assert_int_equal(count, 1);
        assert_string_equal(a->text, v[i].text);
        assert_int_equal(a->kind, v[i].kind);
        if (a->kind == ZN_USDT_UNKNOWN)
            continue;
        if (a->size != v[i].size || a->shift != v[i].shift || a->disp != v[i].disp)
            print_error("%s\n", v[i].text);
        assert_int_equal(a->size, v[i].size);
        assert_int_equal(a->sign, v[i].sign);
        assert_int_equal(a->base, offset_of(arch, v[i].base));
        assert_int_equal(a->index, offset_of(arch, v[i].index));
        assert_int_equal(a->shift, v[i].shift);
        assert_true(a->disp == v[i].disp);
    }
    zn_arena_fini(&arena);
}

static void test_x86_args(void **state)
{
    static const struct row rows[] = {
        {"-4@%eax", ZN_USDT_REG, 4, true, "ax", NULL, 0, 0},
        {"8@%rdi", ZN_USDT_REG, 8, false, "di", NULL, 0, 0},
        {"2@%r9w", ZN_USDT_REG, 2, false, "r9", NULL, 0, 0},
        {"4@%r15d", ZN_USDT_REG, 4, false, "r15", NULL, 0, 0},
        {"1@%r10b", ZN_USDT_REG, 1, false, "r10", NULL, 0, 0},
        {"8@%r8", ZN_USDT_REG, 8, false, "r8", NULL, 0, 0},
        {"-2@%si", ZN_USDT_REG, 2, true, "si", NULL, 0, 0},
        {"1@%sil", ZN_USDT_REG, 1, false, "si", NULL, 0, 0},
        {"1@%bpl", ZN_USDT_REG, 1, false, "bp", NULL, 0, 0},
        {"1@%al", ZN_USDT_REG, 1, false, "ax", NULL, 0, 0},
        {"-1@%dh", ZN_USDT_REG, 1, true, "dx", NULL, 8, 0},
        {"%rbx", ZN_USDT_REG, 8, false, "bx", NULL, 0, 0},
        {"4@$5", ZN_USDT_CONST, 4, false, NULL, NULL, 0, 5},
        {"-8@$-1", ZN_USDT_CONST, 8, true, NULL, NULL, 0, -1},
        {"4@$-1", ZN_USDT_CONST, 4, false, NULL, NULL, 0, 0xffffffff},
        {"-1@$255", ZN_USDT_CONST, 1, true, NULL, NULL, 0, -1},
        {"8@$0x10", ZN_USDT_CONST, 8, false, NULL, NULL, 0, 16},
        {"8@$18446744073709551615", ZN_USDT_CONST, 8, false, NULL, NULL, 0, -1},
        {"8@-16(%rbp)", ZN_USDT_MEM, 8, false, "bp", NULL, 0, -16},
        {"8@(%rsp)", ZN_USDT_MEM, 8, false, "sp", NULL, 0, 0},
        {"1@(%rax,%rbx,4)", ZN_USDT_MEM, 1, false, "ax", "bx", 2, 0},
        {"-4@8(%rax,%r12)", ZN_USDT_MEM, 4, true, "ax", "r12", 0, 8},
        {"8@-8(,%rcx,8)", ZN_USDT_MEM, 8, false, NULL, "cx", 3, -8},
        {"8@sym(%rip)", ZN_USDT_MEM, 8, false, "ip", NULL, 0, 0x4000},
        {"-4@sym+8(%rip)", ZN_USDT_MEM, 4, true, "ip", NULL, 0, 0x4008},
        {"4@sym-8", ZN_USDT_MEM, 4, false, "ip", NULL, 0, 0x3ff8},
        {"4@sym(,%rax,4)", ZN_USDT_MEM, 4, false, "ip", "ax", 2, 0x4000},
        {"4@sym(%rax)", ZN_USDT_MEM, 4, false, "ip", "ax", 0, 0x4000},
        {"8@4096", ZN_USDT_MEM, 8, false, NULL, NULL, 0, 4096},
        /* Not understood. */
        {.text = "8f@%xmm0"},
        {.text = "16@%xmm0"},
        {.text = "8@%xmm0"},
        {.text = "3@%eax"},
        {.text = "0@%eax"},
        {.text = "-@%eax"},
        {.text = "@%eax"},
        {.text = "8@"},
        {.text = "8@$"},
        {.text = "8@$sym"},
        {.text = "8@$99999999999999999999"},
        {.text = "8@%st(1)"},
        {.text = "8@%cs"},
        {.text = "8@%flags"},
        {.text = "8@%fs:-8"},
        {.text = "8@%"},
        {.text = "8@%raxx"},
        {.text = "8@(%rax"},
        {.text = "8@(%rax,%rbx,3)"},
        {.text = "8@(%rax,%rbx,4"},
        {.text = "8@(rax)"},
        {.text = "8@sym(%rax,%rbx,4)"},
        {.text = "8@nosym(%rip)"},
        {.text = "8@(%rax)(%rax)"},
        {.text = "8@8(%rax)9"},
        {.text = "264@%rax"},
    };

    (void)state;
    check_rows(&zn_arch_x86_64, rows, ZN_ARRAY_SIZE(rows));
}

static void test_arm64_args(void **state)
{
    static const struct row rows[] = {
        {"-4@w1", ZN_USDT_REG, 4, true, "r1", NULL, 0, 0},
        {"8@x30", ZN_USDT_REG, 8, false, "r30", NULL, 0, 0},
        {"8@sp", ZN_USDT_REG, 8, false, "sp", NULL, 0, 0},
        {"8@xzr", ZN_USDT_CONST, 8, false, NULL, NULL, 0, 0},
        {"4@5", ZN_USDT_CONST, 4, false, NULL, NULL, 0, 5},
        {"-4@#-5", ZN_USDT_CONST, 4, true, NULL, NULL, 0, -5},
        {"8@[sp]", ZN_USDT_MEM, 8, false, "sp", NULL, 0, 0},
        {"-4@[sp, 12]", ZN_USDT_MEM, 4, true, "sp", NULL, 0, 12},
        {"-4@[x29, #-20]", ZN_USDT_MEM, 4, true, "r29", NULL, 0, -20},
        {"8@[x0, x1]", ZN_USDT_MEM, 8, false, "r0", "r1", 0, 0},
        {"8@[x0, x1, lsl 3]", ZN_USDT_MEM, 8, false, "r0", "r1", 3, 0},
        {"8@[x0,x1,lsl #3]", ZN_USDT_MEM, 8, false, "r0", "r1", 3, 0},
        {.text = "8@x31"},
        {.text = "8@pc"},
        {.text = "8f@d0"},
        {.text = "8@d0"},
        {.text = "8@[sp, 12"},
        {.text = "8@[sp, 12]!"},
        {.text = "8@[x0, w1, sxtw 3]"},
        {.text = "8@[x0, x1, lsl 9]"},
        {.text = "8@[x0, :lo12:sym]"},
        {.text = "8@[xzr]"},
        {.text = "8@"},
    };

    (void)state;
    check_rows(&zn_arch_arm64, rows, ZN_ARRAY_SIZE(rows));
}

static void test_many_args(void **state)
{
    struct zn_usdt_place at = {.arch = &zn_arch_x86_64};
    struct zn_arena arena;
    const struct zn_usdt_arg *a;
    char text[300 * 8];
    uint32_t n = 99;

    (void)state;
    zn_arena_init(&arena);
    (void)zn_usdt_args(&arena, &at, "", &n);
    assert_int_equal(n, 0);
    (void)zn_usdt_args(&arena, &at, "   ", &n);
    assert_int_equal(n, 0);
    a = zn_usdt_args(&arena, &at, "8@%rax  junk -4@8(%rsp) ", &n);
    assert_int_equal(n, 3);
    assert_true(a[0].kind == ZN_USDT_REG && a[1].kind == ZN_USDT_UNKNOWN &&
                a[2].kind == ZN_USDT_MEM);
    at.arch = &zn_arch_arm64;
    a = zn_usdt_args(&arena, &at, "8@[sp, 12] 4@w0 ]] 8@x1", &n);
    assert_int_equal(n, 4);
    assert_true(a[0].kind == ZN_USDT_MEM && a[1].kind == ZN_USDT_REG && a[3].kind == ZN_USDT_REG);
    for (int i = 0; i < 300; i++)
        memcpy(text + (size_t)i * 8, "8@1     ", 8);
    text[sizeof(text) - 1] = '\0';
    (void)zn_usdt_args(&arena, &at, text, &n);
    assert_int_equal(n, ZN_USDT_MAX_ARGS);
    zn_arena_fini(&arena);
}

/* ---- this program ---- */

#ifdef __x86_64__
unsigned short zn_test_sem __attribute__((section(".probes"), used));
void zn_test_place(void);

#define PLACE(label, name, sem, args)                                     \
    label ": nop\n"                                                       \
          ".pushsection .note.stapsdt,\"\",@note\n"                       \
          ".balign 4\n.4byte 92f-91f, 94f-93f, 3\n"                       \
          "91: .asciz \"stapsdt\"\n92: .balign 4\n"                       \
          "93: .8byte " label ", _.stapsdt.base, " sem "\n"               \
          ".asciz \"zntest\"\n.asciz \"" name "\"\n.asciz \"" args "\"\n" \
          "94: .balign 4\n.popsection\n"

__asm__(".pushsection .stapsdt.base,\"aG\",@progbits,.stapsdt.base,comdat\n"
        ".weak _.stapsdt.base\n.hidden _.stapsdt.base\n_.stapsdt.base: .space 1\n"
        ".size _.stapsdt.base, 1\n.popsection\n"
        ".text\n.globl zn_test_place\n.type zn_test_place, @function\n"
        "zn_test_place:\n" PLACE("zn_test_one", "single", "zn_test_sem",
                                 "-4@%edi 2@zn_test_sem(%rip)")
            PLACE("zn_test_two", "double", "0", "8@%rax")
                PLACE("zn_test_three", "double", "0",
                      "8@%rbx") "ret\n.size zn_test_place, . - zn_test_place\n");

extern const char zn_test_one[], zn_test_two[], zn_test_three[];

/* Where an address of this process lies in its file, by the kernel's own account of the mappings. */
static uint64_t file_offset(const void *addr)
{
    FILE *f = fopen("/proc/self/maps", "re");
    uint64_t a = (uint64_t)(uintptr_t)addr, lo, hi, off, found = 0;
    char line[PATH_MAX + 128];

    assert_non_null(f);
    while (fgets(line, sizeof(line), f))
        if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64, &lo, &hi, &off) == 3 && a >= lo &&
            a < hi)
            found = a - lo + off;
    fclose(f);
    return found;
}

static void test_own_probes(void **state)
{
    struct zn_probes_env env = {.pid = (uint32_t)getpid()};
    char self[PATH_MAX] = "", written[PATH_MAX + 64], name[PATH_MAX + 64];
    struct zn_target *t;
    struct place p;

    (void)state;
    assert_true(readlink("/proc/self/exe", self, sizeof(self) - 1) > 0);
    place_open(&p, NULL);
    snprintf(written, sizeof(written), "usdt:%s:zntest:single", self);
    t = place_one(&p, written);
    assert_string_equal(t->name, written);
    assert_string_equal(t->func, "zn_test_place");
    assert_string_equal(t->module, self);
    assert_true(t->offset == file_offset(zn_test_one));
    assert_true(t->value == file_offset(&zn_test_sem));
    assert_int_equal(t->nusdt_args, 2);
    assert_int_equal(t->pid, 0);
    assert_true(t->usdt_args[1].disp == (const char *)&zn_test_sem - zn_test_one);
    snprintf(written, sizeof(written), "usdt:%s:double", self);
    assert_int_equal(place_expand(&p, written), 0);
    assert_int_equal(p.list.n, 2);
    assert_true(p.list.v[0].offset == file_offset(zn_test_two));
    assert_true(p.list.v[1].offset == file_offset(zn_test_three));
    assert_true(p.list.v[0].value == 0);
    snprintf(written, sizeof(written), "usdt:%s:zn*:*", self);
    assert_int_equal(place_expand(&p, written), 0);
    assert_int_equal(p.list.n, 3);
    snprintf(written, sizeof(written), "usdt:%s:zntest:singel", self);
    assert_int_equal(place_expand(&p, written), -ENOENT);
    assert_string_equal(p.hint, "did you mean 'single'?");
    assert_int_equal(place_expand(&p, "usdt:/no/such/file:x"), -ENOENT);
    assert_int_equal(place_expand(&p, "usdt:/etc/passwd:x"), -ENOEXEC);
    assert_int_equal(place_expand(&p, "usdt:/etc/passwd:"), -EINVAL);
    place_close(&p);

    place_open(&p, &env); /* all that this process has mapped */
    t = place_one(&p, "usdt:*:zntest:single");
    snprintf(name, sizeof(name), "usdt:%s:zntest:single", self);
    assert_string_equal(t->name, name);
    assert_int_equal(t->pid, getpid());
    assert_int_equal(place_expand(&p, "usdt::zntest:d*"), 0);
    assert_int_equal(p.list.n, 2);
    place_close(&p);
    zn_test_place();
}
#else
static void test_own_probes(void **state)
{
    (void)state;
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_notes),     cmocka_unit_test(test_hostile_notes),
        cmocka_unit_test(test_x86_args),  cmocka_unit_test(test_arm64_args),
        cmocka_unit_test(test_many_args), cmocka_unit_test(test_own_probes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
