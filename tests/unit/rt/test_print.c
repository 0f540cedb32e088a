/* SPDX-License-Identifier: Apache-2.0 */
/* What whole maps look like, in text and JSON. */
#include "test.h"

#include <stdio.h>

#include "fake_maps.h"
#include "rt/print.h"
#include "rt/stacks.h"

static struct zn_type t_int = {.kind = T_INT, .size = 8, .sign = true};
static struct zn_type t_u64 = {.kind = T_INT, .size = 8};
static struct zn_type t_count = {.kind = T_COUNT, .size = 8};
static struct zn_type t_avg = {.kind = T_AVG, .size = 16, .sign = true};
static struct zn_type t_stats = {.kind = T_STATS, .size = 16, .sign = true};
static struct zn_type t_str = {.kind = T_STR, .size = 8};
static struct zn_type t_hist = {.kind = T_HIST, .size = 0};
static struct zn_type t_hist2 = {.kind = T_HIST, .size = 2};
static struct zn_type t_kstack = {.kind = T_KSTACK, .size = 8, .stack_depth = 8};
static struct zn_field pair_fields[] = {{.type = &t_int, .off = 0}, {.type = &t_str, .off = 8}};
static struct zn_type t_pair = {
    .kind = T_TUPLE, .size = 16, .fields = pair_fields, .nfields = 2, .fields_done = true};

static struct fake f;
static struct zn_out out;

static void hash(struct zn_type *k, struct zn_type *v)
{
    fake_init(&f, NULL, 0);
    f.maps[4] = (struct zn_map){.name = "@x",
                                .kind = ZM_HASH,
                                .key_size = zn_type_stored(k),
                                .val_size = zn_type_stored(v),
                                .max_entries = 9,
                                .overflow = -1,
                                .key = k,
                                .value = v};
}

static const struct zn_stack *find_stack(void *stacks, uint64_t id)
{
    return zn_stacks_find(stacks, id);
}

static const char *shown(bool json, uint64_t top, uint64_t div, struct zn_stacks *stacks)
{
    struct zn_view v;
    struct zn_snap s;
    zn_view_init(&v, &f.img);
    v.stack = stacks ? find_stack : NULL;
    v.stack_arg = stacks;
    zn_str_fini(&out.buf);
    zn_out_init(&out, -1, json);
    assert_int_equal(zn_maps_read(&f.set, 4, false, &s), 0);
    zn_snap_sort(&v, &f.maps[4], &s);
    zn_print_snap(&v, &out, &f.maps[4], &s, top, div, true);
    zn_snap_fini(&s);
    return zn_str_c(&out.buf);
}

static void done(void)
{
    zn_mapset_fini(&f.set);
    zn_str_fini(&out.buf);
}

static void sorted_by_value_then_key(void **state)
{
    (void)state;
    hash(&t_int, &t_count);
    fake_add(&f, 4, 9, 0, 5);
    fake_add(&f, 4, (uint64_t)-1, 0, 5);
    fake_add(&f, 4, 3, 0, 500);
    fake_add(&f, 4, 4, 0, 1);
    assert_string_equal(shown(false, 0, 0, NULL), "@x[4]: 1\n@x[-1]: 5\n@x[9]: 5\n@x[3]: 500\n");
    assert_string_equal(shown(false, 2, 0, NULL), "@x[9]: 5\n@x[3]: 500\n");
    assert_string_equal(shown(false, 2, 5, NULL), "@x[9]: 1\n@x[3]: 100\n");
    assert_string_equal(shown(true, 0, 0, NULL),
                        "{\"type\": \"map\", \"data\": {\"@x\": {\"4\": 1, "
                        "\"-1\": 5, \"9\": 5, \"3\": 500}}}\n");
    done();
}

static void tuples_lose_their_parentheses_as_keys(void **state)
{
    (void)state;
    uint64_t text = 0;
    memcpy(&text, "a \"b", 4);
    hash(&t_pair, &t_u64);
    fake_add(&f, 4, 1, text, 1ULL << 60);
    fake_add(&f, 4, 0, text, UINT64_MAX);
    assert_string_equal(shown(false, 0, 0, NULL),
                        "@x[1, a \"b]: 1152921504606846976\n@x[0, a \"b]: 18446744073709551615\n");
    /* no blanks in JSON keys; a number that a double can't hold is a string */
    assert_string_equal(
        shown(true, 0, 0, NULL),
        "{\"type\": \"map\", \"data\": {\"@x\": {\"1,a\\\"b\": 1152921504606846976, "
        "\"0,a\\\"b\": \"18446744073709551615\"}}}\n");
    done();
}

static void averages(void **state)
{
    (void)state;
    hash(&t_int, &t_stats);
    fake_add(&f, 4, 1, 0, 2);
    f.hash[4].value[0][0][1] = (uint64_t)-9;
    fake_add(&f, 4, 2, 0, 4);
    f.hash[4].value[1][0][1] = (uint64_t)-100;
    assert_string_equal(shown(false, 0, 0, NULL),
                        "@x[2]: { .count = 4, .average = -25, .total = -100 }\n"
                        "@x[1]: { .count = 2, .average = -4, .total = -9 }\n");
    assert_string_equal(shown(true, 1, 0, NULL),
                        "{\"type\": \"stats\", \"data\": {\"@x\": {\"1\": "
                        "{\"count\": 2, \"average\": -4, \"total\": -9}}}}\n");
    f.maps[4].value = &t_avg;
    assert_string_equal(shown(false, 0, 0, NULL), "@x[2]: -25\n@x[1]: -4\n");
    assert_string_equal(shown(true, 0, 0, NULL),
                        "{\"type\": \"stats\", \"data\": {\"@x\": {\"2\": -25, \"1\": -4}}}\n");
    done();
}

static void scalars(void **state)
{
    (void)state;
    fake_init(&f, NULL, 0);
    f.maps[4] = (struct zn_map){.name = "@x",
                                .kind = ZM_CELL,
                                .cell_off = 8,
                                .touch_off = -1,
                                .overflow = -1,
                                .value = &t_count};
    assert_string_equal(shown(false, 0, 0, NULL), "@x: 0\n"); /* print(@x) of what was never set */
    f.data[1] = 7;
    assert_string_equal(shown(false, 0, 0, NULL), "@x: 7\n");
    assert_string_equal(shown(true, 0, 0, NULL), "{\"type\": \"map\", \"data\": {\"@x\": 7}}\n");
    done();
}

static void stacks_in_keys(void **state)
{
    (void)state;
    struct zn_stacks st;
    const uint64_t frames[] = {0xffff10, 0xffff20};
    zn_stacks_init(&st);
    assert_int_equal(zn_stacks_add(&st, 77, 0, frames, 2), 0);
    hash(&t_kstack, &t_count);
    fake_add(&f, 4, 77, 0, 3);
    assert_string_equal(shown(false, 0, 0, &st), "@x[\n    0xffff10\n    0xffff20\n]: 3\n");
    t_kstack.stack_mode = ZN_STACK_RAW;
    assert_string_equal(shown(false, 0, 0, &st), "@x[\nffff10\nffff20\n]: 3\n");
    t_kstack.stack_mode = ZN_STACK_PERF;
    assert_string_equal(shown(false, 0, 0, &st), "@x[\n\tffff10 0xffff10 ([unknown])\n"
                                                 "\tffff20 0xffff20 ([unknown])\n]: 3\n");
    assert_string_equal(shown(false, 0, 0, NULL), "@x[\n    [stack was lost]\n]: 3\n");
    zn_stacks_fini(&st);
    done();
}

static const char *rows(const struct zn_type *t, const uint64_t *counts, uint64_t div)
{
    zn_str_fini(&out.buf);
    zn_out_init(&out, -1, false);
    zn_put_hist_rows(t, counts, div, &out.buf);
    return zn_str_c(&out.buf);
}

static void histogram_rows(void **state)
{
    (void)state;
    uint64_t c[1024] = {0};
    assert_string_equal(rows(&t_hist, c, 0), "");
    c[zn_hist_bucket(1, 0)] = 1;
    c[zn_hist_bucket(1024, 0)] = 4;
    assert_string_equal(
        rows(&t_hist, c, 0),
        "[1]                    1 |@@@@@@@@@@@@@                                       |\n"
        "[2, 4)                 0 |                                                    |\n"
        "[4, 8)                 0 |                                                    |\n"
        "[8, 16)                0 |                                                    |\n"
        "[16, 32)               0 |                                                    |\n"
        "[32, 64)               0 |                                                    |\n"
        "[64, 128)              0 |                                                    |\n"
        "[128, 256)             0 |                                                    |\n"
        "[256, 512)             0 |                                                    |\n"
        "[512, 1K)              0 |                                                    |\n"
        "[1K, 2K)               4 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|\n");
    memset(c, 0, sizeof(c));
    c[zn_hist_bucket(-5, 0)] = 2;
    c[zn_hist_bucket(0, 0)] = 1;
    assert_string_equal(
        rows(&t_hist, c, 0),
        "(..., 0)               2 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|\n"
        "[0]                    1 |@@@@@@@@@@@@@@@@@@@@@@@@@@                          |\n");
    memset(c, 0, sizeof(c));
    c[zn_hist_bucket(INT64_MAX, 0)] = 9;
    assert_string_equal(
        rows(&t_hist, c, 3),
        "[4E, 8E)               3 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|\n");
    memset(c, 0, sizeof(c));
    c[zn_hist_bucket(7, 2)] = 1;
    c[zn_hist_bucket(8, 2)] = 1;
    assert_string_equal(
        rows(&t_hist2, c, 0),
        "[7]                    1 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|\n"
        "[8, 10)                1 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|\n");
    zn_str_fini(&out.buf);
}

/* Every bound in the labels is the bound of the buckets that the programs use. */
static void histogram_bounds_agree(void **state)
{
    (void)state;
    for (unsigned k = 0; k <= 5; k++) {
        struct zn_type t = {.kind = T_HIST, .size = k};
        uint32_t n = zn_hist_buckets(k);
        uint64_t *c = calloc(n, sizeof(*c));
        for (uint32_t i = 1; i + 1 < n; i++) {
            int64_t lo;
            uint64_t hi;
            char want[128];
            zn_hist_range(i, k, &lo, &hi);
            if (hi >= (1ULL << 53))
                break;
            c[i] = 1;
            snprintf(want, sizeof(want), "[{\"min\": %lld, \"max\": %llu, \"count\": 1}]",
                     (long long)lo, (unsigned long long)hi);
            zn_str_fini(&out.buf);
            zn_out_init(&out, -1, true);
            zn_put_hist_json(&t, c, 0, &out.buf);
            assert_string_equal(zn_str_c(&out.buf), want);
            c[i] = 0;
        }
        free(c);
    }
    zn_str_fini(&out.buf);
}

static void linear_histograms(void **state)
{
    (void)state;
    struct zn_type t = {.kind = T_LHIST, .lo = -10, .hi = 20, .step = 10, .sign = true};
    uint64_t c[5] = {1, 2, 0, 4, 1};
    assert_string_equal(
        rows(&t, c, 0),
        "(..., -10)             1 |@@@@@@@@@@@@@                                       |\n"
        "[-10, 0)               2 |@@@@@@@@@@@@@@@@@@@@@@@@@@                          |\n"
        "[0, 10)                0 |                                                    |\n"
        "[10, 20)               4 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|\n"
        "[20, ...)              1 |@@@@@@@@@@@@@                                       |\n");
    zn_str_clear(&out.buf);
    zn_put_hist_json(&t, c, 0, &out.buf);
    assert_string_equal(
        zn_str_c(&out.buf),
        "[{\"max\": -11, \"count\": 1},{\"min\": -10, \"max\": -1, \"count\": 2},"
        "{\"min\": 0, \"max\": 9, \"count\": 0},{\"min\": 10, \"max\": 19, \"count\": 4},"
        "{\"min\": 20, \"count\": 1}]");
    struct zn_type unit = {.kind = T_LHIST, .lo = 0, .hi = 3, .step = 1, .sign = true};
    uint64_t u[5] = {0, 0, 1, 0, 0};
    assert_string_equal(
        rows(&unit, u, 0),
        "[1]                    1 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|\n");
    struct zn_type kilo = {.kind = T_LHIST, .lo = 0, .hi = 3 << 20, .step = 1 << 20, .sign = true};
    uint64_t m[5] = {0, 0, 1, 0, 0};
    assert_string_equal(
        rows(&kilo, m, 0),
        "[1M, 2M)               1 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|\n");
    zn_str_fini(&out.buf);
}

static void structures(void **state)
{
    (void)state;
    struct zn_type u16 = {.kind = T_INT, .size = 2}, s8 = {.kind = T_INT, .size = 1, .sign = true};
    struct zn_type chr = {.kind = T_INT, .size = 1, .sign = true, .is_char = true};
    struct zn_type name = {.kind = T_ARRAY, .size = 4, .elem = &chr, .nelem = 4};
    struct zn_type pair = {.kind = T_ARRAY, .size = 4, .elem = &u16, .nelem = 2};
    struct zn_field fields[] = {
        {.name = "a", .type = &u16, .off = 0},
        {.name = "b", .type = &s8, .off = 2},
        {.name = "low", .type = &u16, .off = 3, .bit_off = 1, .bits = 3},
        {.name = "n", .type = &name, .off = 4},
        {.name = "p", .type = &pair, .off = 8},
    };
    struct zn_type st = {
        .kind = T_STRUCT, .size = 12, .fields = fields, .nfields = 5, .fields_done = true};
    const uint8_t bytes[16] = {0xff, 0xff, 0xfe, 0x0b, 'a', 'b', 0, 'x', 1, 0, 2, 0};
    struct zn_view v;
    fake_init(&f, NULL, 0);
    zn_view_init(&v, &f.img);
    zn_str_fini(&out.buf);
    zn_out_init(&out, -1, false);
    zn_print_value(&v, &out, &st, bytes);
    assert_string_equal(zn_str_c(&out.buf),
                        "{ .a = 65535, .b = -2, .low = 5, .n = ab, .p = [1,2] }\n");
    out.json = true;
    zn_str_clear(&out.buf);
    zn_print_value(&v, &out, &st, bytes);
    assert_string_equal(zn_str_c(&out.buf),
                        "{\"type\": \"value\", \"data\": {\"a\": 65535, \"b\": -2, "
                        "\"low\": 5, \"n\": \"ab\", \"p\": [1,2]}}\n");
    done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sorted_by_value_then_key),
        cmocka_unit_test(tuples_lose_their_parentheses_as_keys),
        cmocka_unit_test(averages),
        cmocka_unit_test(scalars),
        cmocka_unit_test(stacks_in_keys),
        cmocka_unit_test(histogram_rows),
        cmocka_unit_test(histogram_bounds_agree),
        cmocka_unit_test(linear_histograms),
        cmocka_unit_test(structures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
