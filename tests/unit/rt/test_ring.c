/* SPDX-License-Identifier: Apache-2.0 */
/* The ring reader over plain memory, and the order of the two rings. */
#include "test.h"

#include <linux/bpf.h>
#include <stdlib.h>

#include "rt/session.h"

enum { SIZE = 256 };

/* A ring that the test produces into; wrapping is mirrored as the kernel's mapping does it. */
struct fake_ring {
    struct zn_ring r;
    uint64_t cons[8], prod[8];
    uint8_t data[2 * SIZE] __attribute__((aligned(8)));
};

static void ring_init(struct fake_ring *f)
{
    memset(f, 0, sizeof(*f));
    f->r = (struct zn_ring){
        .fd = 1000, .cons_map = f->cons, .prod_map = f->prod, .data = f->data, .mask = SIZE - 1};
}

static void put_bytes(struct fake_ring *f, uint64_t pos, const void *p, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        size_t at = (pos + i) & (SIZE - 1);
        f->data[at] = f->data[at + SIZE] = ((const uint8_t *)p)[i];
    }
}

/* Appends a record; returns its position. */
static uint64_t put(struct fake_ring *f, const void *p, uint32_t len, uint32_t flags)
{
    uint64_t pos = f->prod[0];
    uint32_t hdr[2] = {len | flags, 0};
    put_bytes(f, pos, hdr, 8);
    put_bytes(f, pos + 8, p, len);
    f->prod[0] += (len + 8 + 7) & ~7u;
    return pos;
}

static void set_flags(struct fake_ring *f, uint64_t pos, uint32_t len, uint32_t flags)
{
    uint32_t hdr[2] = {len | flags, 0};
    put_bytes(f, pos, hdr, 8);
}

static void reads_skips_and_waits(void **state)
{
    (void)state;
    static struct fake_ring f;
    uint32_t len = 0;
    bool busy = false;
    ring_init(&f);
    assert_null(zn_ring_next(&f.r, zn_ring_produced(&f.r), &len, &busy));
    assert_false(busy);
    put(&f, "one", 3, 0);
    put(&f, "gone", 4, BPF_RINGBUF_DISCARD_BIT);
    uint64_t wait = put(&f, "three", 5, BPF_RINGBUF_BUSY_BIT);
    put(&f, "four", 4, 0);
    const void *p = zn_ring_next(&f.r, zn_ring_produced(&f.r), &len, &busy);
    assert_non_null(p);
    assert_int_equal(len, 3);
    assert_memory_equal(p, "one", 3);
    assert_null(zn_ring_next(&f.r, zn_ring_produced(&f.r), &len, &busy));
    assert_true(busy);
    set_flags(&f, wait, 5, 0);
    p = zn_ring_next(&f.r, zn_ring_produced(&f.r), &len, &busy);
    assert_memory_equal(p, "three", 5);
    uint64_t pos = f.r.pos;
    p = zn_ring_peek(&f.r, &pos, zn_ring_produced(&f.r), &len, NULL);
    assert_memory_equal(p, "four", 4);
    p = zn_ring_next(&f.r, f.r.pos, &len, NULL); /* a limit */
    assert_null(p);
    assert_int_equal(f.cons[0], 0);
    zn_ring_release(&f.r);
    assert_int_equal(f.cons[0], f.r.pos);
}

static void goes_round(void **state)
{
    (void)state;
    static struct fake_ring f;
    ring_init(&f);
    for (uint64_t i = 0; i < 1000; i++) {
        uint64_t v[3] = {i, i * 3, ~i};
        uint32_t len;
        put(&f, v, sizeof(v), 0);
        const void *p = zn_ring_next(&f.r, zn_ring_produced(&f.r), &len, NULL);
        assert_non_null(p);
        assert_int_equal(len, sizeof(v));
        assert_memory_equal(p, v, sizeof(v));
    }
}

struct world {
    struct fake_ring data, ctl;
    struct zn_action actions[2];
    struct zn_image img;
    struct zn_out out;
    struct zn_rt_opts opts;
    struct zn_fmt *fmt[2];
    struct zn_session s;
};

static void world_init(struct world *w)
{
    memset(w, 0, sizeof(*w));
    ring_init(&w->data);
    ring_init(&w->ctl);
    w->actions[0] = (struct zn_action){.kind = ZA_PRINTF, .fmt = "data ", .fmt_len = 5, .size = 8};
    w->actions[1] = (struct zn_action){.kind = ZA_PRINTF, .fmt = "ctl ", .fmt_len = 4, .size = 16};
    w->img.actions = w->actions;
    w->img.nactions = 2;
    zn_out_init(&w->out, -1, false);
    w->out.mode = ZN_OUT_FULL;
    w->s = (struct zn_session){.img = &w->img,
                               .opts = &w->opts,
                               .out = &w->out,
                               .fmt = w->fmt,
                               .data = w->data.r,
                               .ctl = w->ctl.r};
    zn_view_init(&w->s.view, &w->img);
}

static void world_fini(struct world *w)
{
    zn_fmt_free(w->fmt[0]);
    zn_fmt_free(w->fmt[1]);
    zn_str_fini(&w->out.buf);
}

static uint64_t put_data(struct world *w, uint32_t flags)
{
    struct zn_rec rec = {0, 0};
    return put(&w->data, &rec, sizeof(rec), flags);
}

static void put_ctl(struct world *w, uint64_t pos)
{
    struct zn_ctl ctl = {1, 0, pos};
    put(&w->ctl, &ctl, sizeof(ctl), 0);
}

static void control_waits_for_the_data_before_it(void **state)
{
    (void)state;
    static struct world w;
    bool busy;
    world_init(&w);
    put_data(&w, 0);
    put_data(&w, 0);
    put_ctl(&w, w.data.prod[0]);
    put_ctl(&w, w.data.prod[0]);
    put_data(&w, 0);
    put_ctl(&w, w.data.prod[0]);
    put_data(&w, 0);
    assert_int_equal(zn_drain(&w.s, &busy), 7);
    assert_false(busy);
    assert_string_equal(zn_str_c(&w.out.buf), "data data ctl ctl data ctl data ");
    assert_int_equal(w.data.cons[0], w.data.prod[0]);
    assert_int_equal(w.ctl.cons[0], w.ctl.prod[0]);
    world_fini(&w);
}

static void an_unfinished_record_holds_control_back(void **state)
{
    (void)state;
    static struct world w;
    bool busy;
    world_init(&w);
    put_data(&w, 0);
    uint64_t late = put_data(&w, BPF_RINGBUF_BUSY_BIT);
    put_ctl(&w, w.data.prod[0]);
    put_data(&w, 0);
    assert_int_equal(zn_drain(&w.s, &busy), 1);
    assert_true(busy);
    assert_string_equal(zn_str_c(&w.out.buf), "data ");
    set_flags(&w.data, late, sizeof(struct zn_rec), 0);
    assert_int_equal(zn_drain(&w.s, &busy), 3);
    assert_string_equal(zn_str_c(&w.out.buf), "data data ctl data ");
    world_fini(&w);
}

static void nonsense_is_counted(void **state)
{
    (void)state;
    static struct world w;
    bool busy;
    world_init(&w);
    uint32_t unknown[2] = {77, 0};
    put(&w.data, "abc", 3, 0);                 /* too short to be a record */
    put(&w.data, unknown, sizeof(unknown), 0); /* no such action */
    put(&w.ctl, "abc", 3, 0);
    put_data(&w, 0);
    zn_drain(&w.s, &busy);
    assert_int_equal(w.s.bad_records, 3);
    assert_string_equal(zn_str_c(&w.out.buf), "data ");
    world_fini(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_skips_and_waits),
        cmocka_unit_test(goes_round),
        cmocka_unit_test(control_waits_for_the_data_before_it),
        cmocka_unit_test(an_unfinished_record_holds_control_back),
        cmocka_unit_test(nonsense_is_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
