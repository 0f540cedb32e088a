/* SPDX-License-Identifier: Apache-2.0 */
/* printf conversions: integers against the C library's own, the rest against what is written here. */
#include "test.h"

#include <inttypes.h>
#include <stdio.h>

#include "rt/format.h"

static struct zn_type t_s64 = {.kind = T_INT, .size = 8, .sign = true};
static struct zn_type t_u64 = {.kind = T_INT, .size = 8};
static struct zn_type t_s32 = {.kind = T_INT, .size = 4, .sign = true};
static struct zn_type t_u32 = {.kind = T_INT, .size = 4};
static struct zn_type t_bool = {.kind = T_BOOL, .size = 1};
static struct zn_type t_str = {.kind = T_STR, .size = 16};
static struct zn_type t_ptr = {.kind = T_PTR, .size = 8};

static const char *strings[] = {"tracepoint:sched:sched_switch", ""};
static struct zn_image img = {.strings = strings, .nstrings = 2};

/* The text of fmt with one argument, in a buffer that the next call reuses. */
static const char *one(const char *fmt, struct zn_type *t, const void *value)
{
    static struct zn_str out;
    struct zn_view v;
    struct zn_action_arg arg = {t, 0};
    zn_view_init(&v, &img);
    v.max_strlen = 15;
    zn_str_clear(&out);
    struct zn_fmt *f = zn_fmt_new(fmt, (uint32_t)strlen(fmt), &arg, t ? 1 : 0);
    assert_non_null(f);
    zn_fmt_run(f, &v, value, &out);
    zn_fmt_free(f);
    return zn_str_c(&out);
}

static const char *num(const char *fmt, struct zn_type *t, int64_t n)
{
    return one(fmt, t, &n);
}

static const char *str(const char *fmt, const char *s)
{
    char buf[24] = {0};
    strncpy(buf, s, 16);
    return one(fmt, &t_str, buf);
}

static const int64_t values[] = {0,
                                 1,
                                 -1,
                                 7,
                                 42,
                                 99,
                                 100,
                                 101,
                                 255,
                                 -255,
                                 999,
                                 1000,
                                 65535,
                                 2147483647,
                                 -2147483648LL,
                                 4294967295LL,
                                 1234567890123LL,
                                 INT64_MAX,
                                 INT64_MIN};
static const char *const flags[] = {"",   "-",  "+",  " ",  "#",  "0",
                                    "-+", "+0", " 0", "#0", "-#", "+ "};
static const char *const sizes[] = {"",   "1",  "5",   "12",  "25",   ".0",
                                    ".1", ".4", ".12", "8.3", "12.12"};

static void compare(const char *spec, const char *len, struct zn_type *t, int64_t n)
{
    char fmt[32], want[256];
    snprintf(fmt, sizeof(fmt), "<%%%s%s>", spec, len);
    /* the length modifier says how C takes the argument */
    if (!strncmp(len, "hh", 2) || *len == 'h' || t->size == 4)
        snprintf(want, sizeof(want), fmt, (int)n);
    else
        snprintf(want, sizeof(want), fmt, (long long)n);
    assert_string_equal(num(fmt, t, n), want);
}

static void integers_like_c(void **state)
{
    (void)state;
    static const char *const lengths[] = {"ll%c", "l%c", "j%c", "z%c", "t%c", "hh%c", "h%c"};
    for (size_t v = 0; v < ZN_ARRAY_SIZE(values); v++)
        for (size_t f = 0; f < ZN_ARRAY_SIZE(flags); f++)
            for (size_t s = 0; s < ZN_ARRAY_SIZE(sizes); s++)
                for (size_t l = 0; l < ZN_ARRAY_SIZE(lengths); l++)
                    for (const char *c = "diuoxX"; *c; c++) {
                        char spec[16], len[8];
                        snprintf(spec, sizeof(spec), "%s%s", flags[f], sizes[s]);
                        snprintf(len, sizeof(len), lengths[l], *c);
                        compare(spec, len, *c == 'd' || *c == 'i' ? &t_s64 : &t_u64, values[v]);
                    }
}

static void small_integers_are_ints(void **state)
{
    (void)state;
    for (const char *c = "diuoxX"; *c; c++) {
        char len[2] = {*c, '\0'};
        compare("", len, &t_s32, -1);
        compare("12", len, &t_s32, -200);
        compare("#", len, &t_u32, 4294967295LL);
    }
    /* where C would cut a 64-bit number, it is shown whole */
    assert_string_equal(num("%d", &t_s64, 1234567890123LL), "1234567890123");
    assert_string_equal(num("%lx", &t_u64, 0x123456789abcLL), "123456789abc");
    assert_string_equal(num("%x", &t_u64, 0x123456789abcLL), "56789abc");
    assert_string_equal(num("%u", &t_u64, -1), "18446744073709551615");
    assert_string_equal(num("%d", &t_s64, INT64_MIN), "-9223372036854775808");
}

static void thousands(void **state)
{
    (void)state;
    assert_string_equal(num("%'d", &t_s64, 1234567), "1,234,567");
    assert_string_equal(num("%'d", &t_s64, -123456), "-123,456");
    assert_string_equal(num("%'d", &t_s64, 999), "999");
    assert_string_equal(num("%'12d|", &t_s64, 1234567), "   1,234,567|");
    assert_string_equal(num("%-'12d|", &t_s64, 1234567), "1,234,567   |");
    assert_string_equal(num("%'u", &t_u64, -1), "18,446,744,073,709,551,615");
}

static void text(void **state)
{
    (void)state;
    assert_string_equal(str("%s", "bash"), "bash");
    assert_string_equal(str("[%8s]", "bash"), "[    bash]");
    assert_string_equal(str("[%-8s]", "bash"), "[bash    ]");
    assert_string_equal(str("[%.2s]", "bash"), "[ba]");
    assert_string_equal(str("[%5.2s]", "bash"), "[   ba]");
    assert_string_equal(str("[%20s]", "bash"), "[                bash]");
    assert_string_equal(str("%s", ""), "");
    /* a string that fills its place was cut */
    assert_string_equal(str("%s", "0123456789abcde"), "0123456789abcde..");
    assert_string_equal(str("%s", "0123456789abcd"), "0123456789abcd");
    assert_string_equal(num("%c%%", &t_s64, 'A'), "A%");
    assert_string_equal(num("%3c|", &t_s64, 'A'), "  A|");
    assert_string_equal(num("%p", &t_ptr, 0x7f00), "0x7f00");
    assert_string_equal(num("%10p|", &t_ptr, 0x7f00), "    0x7f00|");
    assert_string_equal(num("%p", &t_ptr, 0), "0x0");
}

static void any_type_as_string(void **state)
{
    (void)state;
    struct zn_type interned = {.kind = T_STR, .size = 8, .interned = true};
    struct zn_enumerator e[] = {{"RED", 1}, {"BLUE", -2}};
    struct zn_type color = {.kind = T_ENUM, .size = 4, .sign = true, .enums = e, .nenums = 2};
    assert_string_equal(num("%s", &interned, 0), "tracepoint:sched:sched_switch");
    assert_string_equal(num("%s", &interned, 99), "");
    assert_string_equal(num("%s", &color, 1), "RED");
    assert_string_equal(num("%-6s|", &color, -2), "BLUE  |");
    assert_string_equal(num("%s", &color, 3), "3");
    assert_string_equal(num("%d", &color, -2), "-2");
    assert_string_equal(num("%s", &t_bool, 1), "true");
    assert_string_equal(num("%d", &t_bool, 1), "1");
    assert_string_equal(num("%s", &t_s64, -5), "-5");
    assert_string_equal(num("%5s|", &t_u32, 5), "    5|");
    assert_string_equal(num("%s", &t_ptr, 0xffff), "0xffff");
}

static void bytes(void **state)
{
    (void)state;
    struct {
        uint64_t len;
        char data[16];
    } b = {5, "a\1 \xff~"};
    struct zn_type t = {.kind = T_BUF, .size = 16};
    assert_string_equal(one("%r", &t, &b), "a\\x01 \\xff~");
    assert_string_equal(one("%s", &t, &b), "a\\x01 \\xff~");
    assert_string_equal(one("%rx", &t, &b), "\\x61\\x01\\x20\\xff\\x7e");
    assert_string_equal(one("%rh|", &t, &b), "61 01 20 ff 7e|");
    b.len = 1000; /* more than there is room for */
    assert_int_equal(strlen(one("%rh", &t, &b)), 16 * 3 - 1);
}

static void odd_formats(void **state)
{
    (void)state;
    assert_string_equal(one("plain", NULL, NULL), "plain");
    assert_string_equal(one("", NULL, NULL), "");
    assert_string_equal(one("100%", NULL, NULL), "100%");
    assert_string_equal(one("%%%%d", NULL, NULL), "%%d");
    assert_string_equal(one("%d", NULL, NULL), "%d");
    assert_string_equal(num("%d %d", &t_s64, 1), "1 %d");
    assert_string_equal(num("%q %d", &t_s64, 1), "%q 1");
    assert_string_equal(num("%d%", &t_s64, 1), "1%");
    assert_int_equal(strlen(num("%99999999d", &t_s64, 1)), 4096);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_like_c),    cmocka_unit_test(small_integers_are_ints),
        cmocka_unit_test(thousands),          cmocka_unit_test(text),
        cmocka_unit_test(any_type_as_string), cmocka_unit_test(bytes),
        cmocka_unit_test(odd_formats),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
