/* SPDX-License-Identifier: Apache-2.0 */
/* A hand-written image from loading to the printed maps. Needs root. */
#include "test.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "hand_image.h"
#include "rt/rt.h"

struct run {
    struct hand h;
    struct zn_out out;
    struct zn_str notices, text;
    struct zn_arena arena;
    struct zn_diags d;
    struct zn_rt_opts opts;
    int fd, code, r;
};

static void keep(void *arg, const char *text, size_t len)
{
    zn_str_add(arg, text, len);
}

static void run_begin(struct run *x, bool json, bool exits, int times)
{
    memset(x, 0, sizeof(*x));
    hand_image(&x->h, exits, times);
    x->fd = memfd_create("out", 0);
    zn_str_init(&x->notices);
    zn_str_init(&x->text);
    zn_out_init(&x->out, x->fd, json);
    x->out.notice = keep;
    x->out.notice_arg = &x->notices;
    zn_arena_init(&x->arena);
    zn_diags_init(&x->d, &x->arena, x->h.img.src);
    x->code = -1;
}

static void run_go(struct run *x)
{
    x->r = zn_rt_run(&x->h.img, &x->h.cfg, &x->opts, &x->out, &x->d, &x->code);
    zn_out_fini(&x->out);
    char buf[4096];
    ssize_t n;
    lseek(x->fd, 0, SEEK_SET);
    while ((n = read(x->fd, buf, sizeof(buf))) > 0)
        zn_str_add(&x->text, buf, (size_t)n);
}

static void run_end(struct run *x)
{
    close(x->fd);
    zn_str_fini(&x->notices);
    zn_str_fini(&x->text);
    zn_arena_fini(&x->arena);
}

static void counts_prints_and_exits(void **state)
{
    (void)state;
    need_bpf();
    static struct run x;
    run_begin(&x, false, true, 2);
    run_go(&x);
    assert_int_equal(x.r, 0);
    assert_int_equal(x.code, 3);
    assert_string_equal(zn_str_c(&x.text), "42 hand\n42 hand\n\n\n@n: 2\n@h[7]: 9\n");
    assert_string_equal(zn_str_c(&x.notices), "Attached 1 probe\n");
    run_end(&x);
}

static void speaks_json(void **state)
{
    (void)state;
    need_bpf();
    static struct run x;
    run_begin(&x, true, true, 1);
    run_go(&x);
    assert_int_equal(x.r, 0);
    assert_string_equal(zn_str_c(&x.text),
                        "{\"type\": \"attached_probes\", \"count\": 1, \"data\": {\"probes\": 1}}\n"
                        "{\"type\": \"printf\", \"data\": \"42 hand\\n\"}\n"
                        "{\"type\": \"map\", \"data\": {\"@n\": 1}}\n"
                        "{\"type\": \"map\", \"data\": {\"@h\": {\"7\": 9}}}\n");
    assert_string_equal(zn_str_c(&x.notices), "");
    run_end(&x);
}

static void explains_a_rejection(void **state)
{
    (void)state;
    need_bpf();
    static struct run x;
    run_begin(&x, false, true, 1);
    x.h.insns[x.h.n - 2] = MOV_REG(0, 9); /* never set */
    run_go(&x);
    assert_int_equal(x.r, -EACCES);
    assert_int_equal(x.d.errors, 1);
    assert_string_equal(x.d.first->msg,
                        "the kernel refused the program: a value is used before it has been set");
    assert_string_equal(x.d.first->hint, "the kernel's words: R9 !read_ok");
    assert_int_equal(x.d.first->pos.end, 5);
    run_end(&x);
}

static void ends_with_the_child(void **state)
{
    (void)state;
    need_bpf();
    static struct run x;
    struct zn_child child;
    char why[256];
    run_begin(&x, false, false, 1);
    x.opts.quiet = true;
    zn_child_init(&child);
    assert_int_equal(zn_child_start(&child, "no-such-program-here", why, sizeof(why)), -ENOENT);
    assert_string_equal(why, "can't run 'no-such-program-here': no such executable file");
    assert_int_equal(zn_child_start(&child, "true", why, sizeof(why)), 0);
    x.opts.child = &child;
    run_go(&x);
    zn_child_fini(&child);
    assert_int_equal(x.r, 0);
    assert_int_equal(x.code, 0);
    assert_string_equal(zn_str_c(&x.text), "42 hand\n\n\n@n: 1\n@h[7]: 9\n");
    assert_string_equal(zn_str_c(&x.notices), "");
    run_end(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_prints_and_exits),
        cmocka_unit_test(speaks_json),
        cmocka_unit_test(explains_a_rejection),
        cmocka_unit_test(ends_with_the_child),
    };
    prctl(PR_SET_NAME, "hand");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
