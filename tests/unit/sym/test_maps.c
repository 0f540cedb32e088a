/* SPDX-License-Identifier: Apache-2.0 */
/* Mappings: the parser of /proc/PID/maps and what a new mapping does to those it covers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sym/files.h"
#include "sym/maps.h"

static const char sample[] =
    "55d0c0000000-55d0c0002000 r--p 00000000 fe:01 1234                       /usr/bin/some prog\n"
    "55d0c0002000-55d0c0008000 r-xp 00002000 fe:01 1234                       /usr/bin/some prog\n"
    "7f0000000000-7f0000021000 rw-p 00000000 00:00 0 \n"
    "7f1000000000-7f1000004000 r-xp 00001000 08:02 99                         /tmp/x.so (deleted)\n"
    "this line is not one\n"
    "7ffd00000000-7ffd00021000 rw-p 00000000 00:00 0                          [stack]\n"
    "7ffd00100000-7ffd00102000 r-xp 00000000 00:00 0                          [vdso]";

static void parse(struct zn_maps *m, const char *text)
{
    char *copy = strdup(text);
    assert_non_null(copy);
    assert_int_equal(zn_maps_parse(m, copy), 0);
    free(copy);
}

static void test_parse(void **state)
{
    (void)state;
    struct zn_maps m = {0};
    parse(&m, sample);
    assert_int_equal(m.n, 6);
    struct zn_map *text = zn_maps_find(&m, 0x55d0c0002001);
    assert_non_null(text);
    assert_true(text->exec);
    assert_int_equal(text->off, 0x2000);
    assert_int_equal(text->ino, 1234);
    assert_int_equal(text->maj, 0xfe);
    assert_string_equal(text->path->s, "/usr/bin/some prog");
    struct zn_map *gone = zn_maps_find(&m, 0x7f1000003fff);
    assert_true(gone->deleted);
    assert_string_equal(gone->path->s, "/tmp/x.so");
    assert_null(zn_maps_find(&m, 0x7f1000004000));
    assert_null(zn_maps_find(&m, 0));
    assert_string_equal(zn_maps_find(&m, 0x7f0000000000)->path->s, "");
    assert_string_equal(zn_maps_find(&m, 0x7ffd00101000)->path->s, "[vdso]");
    zn_maps_fini(&m);
}

static void insert(struct zn_maps *m, uint64_t lo, uint64_t hi, const char *path)
{
    const struct zn_map map = {.lo = lo, .hi = hi, .off = 0x100000, .ino = 7, .exec = true};
    assert_int_equal(zn_maps_insert(m, &map, path), 0);
}

static const char *at(const struct zn_maps *m, uint64_t addr)
{
    const struct zn_map *map = zn_maps_find(m, addr);
    return map ? map->path->s : "-";
}

static void test_insert_cuts(void **state)
{
    (void)state;
    struct zn_maps m = {0};
    insert(&m, 0x10000, 0x20000, "a");
    insert(&m, 0x14000, 0x18000, "b"); /* a hole */
    assert_int_equal(m.n, 3);
    assert_string_equal(at(&m, 0x13fff), "a");
    assert_string_equal(at(&m, 0x14000), "b");
    assert_string_equal(at(&m, 0x18000), "a");
    const struct zn_map *tail = zn_maps_find(&m, 0x18000);
    assert_int_equal(tail->off, 0x108000);
    assert_int_equal(tail->base, 0x10000);
    insert(&m, 0x13000, 0x15000, "c"); /* over both edges */
    assert_string_equal(at(&m, 0x12fff), "a");
    assert_string_equal(at(&m, 0x13000), "c");
    assert_string_equal(at(&m, 0x15000), "b");
    insert(&m, 0x0f000, 0x21000, "d"); /* over everything */
    assert_int_equal(m.n, 1);
    insert(&m, 0x30000, 0x31000, "e");
    insert(&m, 0x22000, 0x23000, "f"); /* between, covering nothing */
    assert_int_equal(m.n, 3);
    assert_string_equal(at(&m, 0x22000), "f");
    assert_string_equal(at(&m, 0x23000), "-");
    assert_int_equal(zn_maps_insert(&m, &(struct zn_map){.lo = 5, .hi = 5}, "g"), -22);
    zn_maps_fini(&m);
}

static void test_ghosts_and_copies(void **state)
{
    (void)state;
    struct zn_maps old = {0}, new = {0}, copy = {0};
    insert(&old, 0x1000, 0x2000, "unloaded.so");
    insert(&old, 0x5000, 0x6000, "replaced.so");
    insert(&new, 0x5800, 0x7000, "new.so");
    assert_int_equal(zn_maps_keep_ghosts(&new, &old), 0);
    assert_string_equal(at(&new, 0x1000), "unloaded.so");
    assert_string_equal(at(&new, 0x5000), "-");
    assert_string_equal(at(&new, 0x5800), "new.so");
    assert_int_equal(zn_maps_copy(&copy, &new), 0);
    zn_maps_fini(&old);
    zn_maps_fini(&new);
    assert_string_equal(at(&copy, 0x1fff), "unloaded.so");
    zn_maps_fini(&copy);
}

/* Against an array of pages: whatever is inserted, each page belongs to its latest mapping. */
static void test_random_inserts(void **state)
{
    (void)state;
    enum { PAGES = 64 };
    static const char *const names[] = {"p", "q", "r", "s", "t"};
    const char *model[PAGES];
    for (int i = 0; i < PAGES; i++)
        model[i] = "-";
    struct zn_maps m = {0};
    uint32_t seed = 12345;
    for (int round = 0; round < 2000; round++) {
        seed = seed * 1664525 + 1013904223;
        uint32_t lo = (seed >> 8) % PAGES, n = 1 + (seed >> 16) % 12, name = (seed >> 24) % 5;
        uint32_t hi = lo + n < PAGES ? lo + n : PAGES;
        insert(&m, 0x1000 * lo, 0x1000 * hi, names[name]);
        for (uint32_t i = lo; i < hi; i++)
            model[i] = names[name];
        for (uint32_t i = 0; i < PAGES; i++)
            assert_string_equal(at(&m, 0x1000 * i + 0x800), model[i]);
    }
    zn_maps_fini(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parse),
        cmocka_unit_test(test_insert_cuts),
        cmocka_unit_test(test_ghosts_and_copies),
        cmocka_unit_test(test_random_inserts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
