/* SPDX-License-Identifier: Apache-2.0 */
/* Reading, merging, clearing and zeroing maps over plain memory. */
#include "test.h"

#include "fake_maps.h"

static struct zn_type t_int = {.kind = T_INT, .size = 8, .sign = true};
static struct zn_type t_count = {.kind = T_COUNT, .size = 8};
static struct zn_type t_stats = {.kind = T_STATS, .size = 16, .sign = true};
static struct zn_type t_max = {.kind = T_MAX, .size = 16, .sign = true};
static struct zn_type t_name = {.kind = T_STR, .size = 8, .interned = true};

static struct fake f;

static uint64_t word(const struct zn_snap *s, uint32_t i, uint32_t w)
{
    uint64_t v;
    memcpy(&v, (const char *)zn_snap_value(s, i) + 8 * w, 8);
    return v;
}

static uint64_t key(const struct zn_snap *s, uint32_t i)
{
    uint64_t v;
    memcpy(&v, zn_snap_key(s, i), 8);
    return v;
}

static void a_cell_is_summed_over_cpus(void **state)
{
    (void)state;
    struct zn_snap s;
    fake_init(&f, NULL, 0);
    f.maps[4] = (struct zn_map){.name = "@",
                                .kind = ZM_CELL,
                                .percpu = true,
                                .cell_off = 64,
                                .touch_off = -1,
                                .overflow = -1,
                                .value = &t_stats};
    assert_int_equal(zn_maps_read(&f.set, 4, false, &s), 0);
    assert_int_equal(s.n, 0); /* never written: absent */
    zn_snap_fini(&s);
    fake_cpu(&f, 0, 64)[0] = 2;
    fake_cpu(&f, 0, 64)[1] = 30;
    fake_cpu(&f, 1, 64)[0] = 1;
    fake_cpu(&f, 1, 64)[1] = (uint64_t)-40;
    assert_int_equal(zn_maps_read(&f.set, 4, false, &s), 0);
    assert_int_equal(s.n, 1);
    assert_int_equal(word(&s, 0, 0), 3);
    assert_int_equal((int64_t)word(&s, 0, 1), -10);
    zn_snap_fini(&s);
    zn_mapset_fini(&f.set);
}

static void a_range_keeps_zero_apart_from_absent(void **state)
{
    (void)state;
    struct zn_snap s;
    fake_init(&f, NULL, 0);
    f.maps[4] = (struct zn_map){.name = "@",
                                .kind = ZM_RANGE,
                                .cell_off = 128,
                                .cell_stride = 16,
                                .range_n = 8,
                                .touch_off = 8,
                                .overflow = 5,
                                .key = &t_int,
                                .value = &t_int};
    f.maps[5] = (struct zn_map){.name = "@",
                                .kind = ZM_HASH,
                                .hidden = true,
                                .key_size = 8,
                                .val_size = 8,
                                .max_entries = 9,
                                .overflow = -1,
                                .key = &t_int,
                                .value = &t_int};
    f.data[(128 + 3 * 16) / 8] = 0;
    f.data[(128 + 3 * 16) / 8 + 1] = 1;
    f.data[(128 + 5 * 16) / 8] = 7;
    f.data[(128 + 5 * 16) / 8 + 1] = 1;
    fake_add(&f, 5, 1000, 0, 11);
    assert_int_equal(zn_maps_read(&f.set, 4, false, &s), 0);
    assert_int_equal(s.n, 3);
    assert_int_equal(key(&s, 0), 3);
    assert_int_equal(word(&s, 0, 0), 0);
    assert_int_equal(key(&s, 1), 5);
    assert_int_equal(word(&s, 1, 0), 7);
    assert_int_equal(key(&s, 2), 1000);
    assert_int_equal(word(&s, 2, 0), 11);
    zn_snap_fini(&s);

    uint64_t v = 99, k = 5;
    assert_int_equal(zn_maps_get(&f.set, 4, &k, &v), 0);
    assert_int_equal(v, 7);
    k = 1000;
    assert_int_equal(zn_maps_get(&f.set, 4, &k, &v), 0);
    assert_int_equal(v, 11);
    k = 2;
    assert_int_equal(zn_maps_get(&f.set, 4, &k, &v), -ENOENT);
    k = 1001;
    assert_int_equal(zn_maps_get(&f.set, 4, &k, &v), -ENOENT);

    assert_int_equal(zn_maps_clear(&f.set, 4), 0);
    assert_int_equal(f.hash[5].n, 0);
    assert_int_equal(zn_maps_read(&f.set, 4, false, &s), 0);
    assert_int_equal(s.n, 0);
    zn_snap_fini(&s);
    zn_mapset_fini(&f.set);
}

static void zero_keeps_the_keys(void **state)
{
    (void)state;
    struct zn_snap s;
    fake_init(&f, NULL, 0);
    f.maps[4] = (struct zn_map){.name = "@",
                                .kind = ZM_RANGE,
                                .percpu = true,
                                .cell_off = 0,
                                .cell_stride = 8,
                                .range_n = 4,
                                .touch_off = -1,
                                .overflow = -1,
                                .key = &t_int,
                                .value = &t_count};
    fake_cpu(&f, 1, 0)[2] = 6;
    assert_int_equal(zn_maps_zero(&f.set, 4), 0);
    assert_int_equal(zn_maps_read(&f.set, 4, false, &s), 0);
    assert_int_equal(s.n, 1);
    assert_int_equal(key(&s, 0), 2);
    assert_int_equal(word(&s, 0, 0), 0);
    zn_snap_fini(&s);
    fake_cpu(&f, 0, 0)[2] = 1; /* counting goes on from zero */
    assert_int_equal(zn_maps_read(&f.set, 4, true, &s), 0);
    assert_int_equal(s.n, 1);
    assert_int_equal(word(&s, 0, 0), 1);
    zn_snap_fini(&s);
    assert_int_equal(zn_maps_read(&f.set, 4, false, &s), 0);
    assert_int_equal(s.n, 0); /* taken: gone */
    zn_snap_fini(&s);
    zn_mapset_fini(&f.set);
}

static void hashes_merge_over_cpus(void **state)
{
    (void)state;
    struct zn_snap s;
    fake_init(&f, NULL, 0);
    f.maps[4] = (struct zn_map){.name = "@",
                                .kind = ZM_HASH,
                                .percpu = true,
                                .key_size = 8,
                                .val_size = 16,
                                .max_entries = 9,
                                .overflow = -1,
                                .key = &t_int,
                                .value = &t_max};
    fake_add(&f, 4, 1, 0, 0);
    uint64_t(*v)[4] = f.hash[4].value[0];
    v[0][0] = 10;
    v[0][1] = 1;
    v[1][0] = 12; /* { order key, set }: the larger one wins */
    v[1][1] = 1;
    fake_add(&f, 4, 2, 0, 5);
    f.hash[4].value[1][0][1] = 1; /* not set on the other CPU */
    f.hash[4].value[1][1][0] = 99;
    assert_int_equal(zn_maps_read(&f.set, 4, false, &s), 0);
    assert_int_equal(s.n, 2);
    assert_int_equal(word(&s, 0, 0), 12);
    assert_int_equal(word(&s, 1, 0), 5);
    zn_snap_fini(&s);
    assert_int_equal(zn_maps_zero(&f.set, 4), 0);
    assert_int_equal(f.hash[4].n, 2);
    assert_int_equal(f.hash[4].value[0][1][0], 0);
    zn_mapset_fini(&f.set);
}

static void equal_texts_are_one_key(void **state)
{
    (void)state;
    static const char *strings[] = {"read", "write", "read", "open"};
    struct zn_snap s;
    fake_init(&f, strings, 4);
    f.maps[4] = (struct zn_map){.name = "@",
                                .kind = ZM_HASH,
                                .key_size = 8,
                                .val_size = 8,
                                .max_entries = 9,
                                .overflow = -1,
                                .key = &t_name,
                                .value = &t_count};
    fake_add(&f, 4, 2, 0, 5);
    fake_add(&f, 4, 1, 0, 7);
    fake_add(&f, 4, 0, 0, 6);
    assert_int_equal(zn_maps_read(&f.set, 4, false, &s), 0);
    assert_int_equal(s.n, 2);
    for (uint32_t i = 0; i < s.n; i++)
        assert_int_equal(word(&s, i, 0), key(&s, i) == 0 ? 11 : 7);
    zn_snap_fini(&s);
    zn_mapset_fini(&f.set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cell_is_summed_over_cpus),
        cmocka_unit_test(a_range_keeps_zero_apart_from_absent),
        cmocka_unit_test(zero_keeps_the_keys),
        cmocka_unit_test(hashes_merge_over_cpus),
        cmocka_unit_test(equal_texts_are_one_key),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
