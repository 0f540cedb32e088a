/* SPDX-License-Identifier: Apache-2.0 */
/* Format files of real kernels become typed fields in the right places. */
#include <errno.h>

#include "base/mem.h"
#include "kern/tracefs.h"
#include "probes/tp_format.h"
#include "probes_test.h"

#define COMMON                                                                     \
    "format:\n"                                                                    \
    "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"         \
    "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"         \
    "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
    "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

static const char sched_switch[] = "name: sched_switch\nID: 316\n" COMMON
                                   "\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
                                   "\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
                                   "\tfield:int prev_prio;\toffset:28;\tsize:4;\tsigned:1;\n"
                                   "\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n"
                                   "\tfield:char next_comm[16];\toffset:40;\tsize:16;\tsigned:0;\n"
                                   "\tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;\n"
                                   "\tfield:int next_prio;\toffset:60;\tsize:4;\tsigned:1;\n\n"
                                   "print fmt: \"prev_comm=%s\", REC->prev_comm\n";

static const char mixed[] =
    "name: mixed\nID: 9\n" COMMON "\tfield:__data_loc char[] name;\toffset:8;\tsize:4;\tsigned:0;\n"
    "\tfield:__data_loc unsigned int[] numbers;\toffset:12;\tsize:4;\tsigned:0;\n"
    "\tfield:__data_loc cpumask_t mask;\toffset:16;\tsize:4;\tsigned:0;\n"
    "\tfield:bool write;\toffset:20;\tsize:1;\tsigned:0;\n"
    "\tfield:enum never_heard_of dir;\toffset:24;\tsize:4;\tsigned:0;\n"
    "\tfield:__u8 saddr[4];\toffset:28;\tsize:4;\tsigned:0;\n"
    "\tfield:const void * skaddr;\toffset:32;\tsize:8;\tsigned:0;\n"
    "\tfield:struct never_heard_of * thing;\toffset:40;\tsize:8;\tsigned:0;\n"
    "\tfield:strange_t id;\toffset:48;\tsize:2;\tsigned:1;\n"
    "\tfield:char text[NEVER_DEFINED];\toffset:50;\tsize:6;\tsigned:1;\n"
    "\tfield:unsigned long ips[3];\toffset:56;\tsize:24;\tsigned:0;\n"
    "\tfield:__rel_loc char[] late;\toffset:80;\tsize:4;\tsigned:1;\n"
    "\tfield:unsigned char last;\toffset:84;\tsize:1;\tsigned:0;\n\n";

static const char openat_text[] =
    "name: sys_enter_openat\nID: 782\n" COMMON
    "\tfield:int __syscall_nr;\toffset:8;\tsize:4;\tsigned:1;\n"
    "\tfield:int dfd;\toffset:16;\tsize:8;\tsigned:0;\n"
    "\tfield:const char * filename;\toffset:24;\tsize:8;\tsigned:0;\n"
    "\tfield:int flags;\toffset:32;\tsize:8;\tsigned:0;\n"
    "\tfield:umode_t mode;\toffset:40;\tsize:8;\tsigned:0;\n"
    "\tfield:__data_loc char[] __filename_val;\toffset:48;\tsize:4;\tsigned:0;\n\n";

static const char execve_text[] =
    "name: sys_enter_execve\nID: 862\n" COMMON
    "\tfield:int __syscall_nr;\toffset:8;\tsize:4;\tsigned:1;\n"
    "\tfield:const char * filename;\toffset:16;\tsize:8;\tsigned:0;\n"
    "\tfield:const char *const * argv;\toffset:24;\tsize:8;\tsigned:0;\n"
    "\tfield:const char *const * envp;\toffset:32;\tsize:8;\tsigned:0;\n\n";

static const char sys_exit_read[] = "name: sys_exit_read\nID: 1\n" COMMON
                                    "\tfield:int __syscall_nr;\toffset:8;\tsize:4;\tsigned:1;\n"
                                    "\tfield:long ret;\toffset:16;\tsize:8;\tsigned:1;\n\n";

static const char raw_enter[] =
    "name: sys_enter\nID: 2\n" COMMON "\tfield:long id;\toffset:8;\tsize:8;\tsigned:1;\n"
    "\tfield:unsigned long args[6];\toffset:16;\tsize:48;\tsigned:0;\n";

static const char raw_exit[] =
    "name: sys_exit\nID: 3\n" COMMON "\tfield:long id;\toffset:8;\tsize:8;\tsigned:1;\n"
    "\tfield:long ret;\toffset:16;\tsize:8;\tsigned:1;\n";

static struct zn_target parse(struct place *p, const char *category, const char *event, int nr,
                              const char *text)
{
    struct zn_target t = {.module = category, .sym = event, .name = event, .nr = nr};
    struct zn_event_format f = {0};

    t.is_exit = strncmp(event, "sys_exit_", 9) == 0;
    assert_int_equal(zn_event_format_parse(strdup(text), &f), 0);
    assert_int_equal(zn_tp_args(&p->types, &t, &f, 200), 0);
    zn_event_format_fini(&f);
    return t;
}

static void expect(const struct zn_target *t, const char *name, enum zn_type_kind kind,
                   uint32_t size, uint32_t off, int reg, unsigned arg)
{
    const struct zn_field *f = field_of(t, name);

    if (!f)
        fail_msg("no field %s", name);
    if (f->type->kind != kind || f->type->size != size || f->off != off || f->reg != reg ||
        (reg != ZN_REG_NONE && reg != ZN_REG_SYSNR && f->arg != arg))
        fail_msg("%s: kind %d size %u off %u reg %d arg %u", name, f->type->kind, f->type->size,
                 f->off, f->reg, f->arg);
}

static void test_record(void **state)
{
    struct place p;
    struct zn_target t;

    (void)state;
    place_open(&p, NULL);
    t = parse(&p, "sched", "sched_switch", -1, sched_switch);
    assert_int_equal(t.args->nfields, 7);
    expect(&t, "prev_comm", T_ARRAY, 16, 8, ZN_REG_NONE, 0);
    assert_true(field_of(&t, "prev_comm")->type->elem->is_char);
    expect(&t, "prev_pid", T_INT, 4, 24, ZN_REG_NONE, 0);
    assert_true(field_of(&t, "prev_pid")->type->sign);
    expect(&t, "prev_state", T_INT, 8, 32, ZN_REG_NONE, 0);
    expect(&t, "next_prio", T_INT, 4, 60, ZN_REG_NONE, 0);
    assert_null(field_of(&t, "common_pid"));
    place_close(&p);
}

/* What cannot be resolved has the size that the line gives. */
static void test_mixed(void **state)
{
    struct place p;
    struct zn_target t;

    (void)state;
    place_open(&p, NULL);
    t = parse(&p, "any", "mixed", -1, mixed);
    assert_int_equal(t.args->nfields, 12);
    expect(&t, "name", T_STR, 200, 8, ZN_REG_NONE, 0);
    assert_true(field_of(&t, "name")->data_loc);
    assert_int_equal(field_of(&t, "numbers")->type->kind, T_ARRAY);
    assert_int_equal(field_of(&t, "numbers")->type->elem->size, 4);
    assert_true(field_of(&t, "mask")->data_loc);
    expect(&t, "write", T_BOOL, 1, 20, ZN_REG_NONE, 0);
    expect(&t, "dir", T_INT, 4, 24, ZN_REG_NONE, 0);
    expect(&t, "saddr", T_ARRAY, 4, 28, ZN_REG_NONE, 0);
    expect(&t, "skaddr", T_PTR, 8, 32, ZN_REG_NONE, 0);
    assert_int_equal(field_of(&t, "skaddr")->type->space, ZN_SPACE_KERNEL);
    expect(&t, "thing", T_PTR, 8, 40, ZN_REG_NONE, 0);
    expect(&t, "id", T_INT, 2, 48, ZN_REG_NONE, 0);
    assert_true(field_of(&t, "id")->type->sign);
    expect(&t, "text", T_ARRAY, 6, 50, ZN_REG_NONE, 0);
    expect(&t, "ips", T_ARRAY, 24, 56, ZN_REG_NONE, 0);
    assert_null(field_of(&t, "late"));
    expect(&t, "last", T_INT, 1, 84, ZN_REG_NONE, 0);
    place_close(&p);
}

static void test_syscalls(void **state)
{
    struct place p;
    struct zn_target t;

    (void)state;
    place_open(&p, NULL);
    t = parse(&p, "syscalls", "sys_enter_openat", 257, openat_text);
    assert_int_equal(t.args->nfields, 5); /* without the string's copy */
    expect(&t, "__syscall_nr", T_INT, 4, 0, ZN_REG_SYSNR, 0);
    expect(&t, "dfd", T_INT, 4, 0, ZN_REG_SYSARG, 0);
    expect(&t, "filename", T_PTR, 8, 0, ZN_REG_SYSARG, 1);
    assert_int_equal(field_of(&t, "filename")->type->space, ZN_SPACE_USER);
    assert_true(field_of(&t, "filename")->type->elem->is_char);
    expect(&t, "flags", T_INT, 4, 0, ZN_REG_SYSARG, 2);
    assert_int_equal(field_of(&t, "mode")->arg, 3);

    t = parse(&p, "syscalls", "sys_enter_execve", 59, execve_text);
    expect(&t, "argv", T_PTR, 8, 0, ZN_REG_SYSARG, 1);
    assert_int_equal(field_of(&t, "argv")->type->elem->kind, T_PTR);
    assert_int_equal(field_of(&t, "argv")->type->elem->space, ZN_SPACE_USER);

    t = parse(&p, "syscalls", "sys_exit_read", 0, sys_exit_read);
    expect(&t, "ret", T_INT, 8, 0, ZN_REG_CTX64, 1);
    assert_true(field_of(&t, "ret")->type->sign);
    expect(&t, "__syscall_nr", T_INT, 4, 0, ZN_REG_SYSNR, 0);
    place_close(&p);
}

/* A call that the table lacks is read out of the perf record. */
static void test_unknown_syscall(void **state)
{
    struct place p;
    struct zn_target t;

    (void)state;
    place_open(&p, NULL);
    t = parse(&p, "syscalls", "sys_enter_openat", -1, openat_text);
    assert_int_equal(t.args->nfields, 6);
    expect(&t, "dfd", T_INT, 4, 16, ZN_REG_NONE, 0);
    expect(&t, "filename", T_PTR, 8, 24, ZN_REG_NONE, 0);
    assert_int_equal(field_of(&t, "filename")->type->space, ZN_SPACE_USER);
    assert_true(field_of(&t, "__filename_val")->data_loc);
    place_close(&p);
}

static void test_raw_syscalls(void **state)
{
    struct place p;
    struct zn_target t;

    (void)state;
    place_open(&p, NULL);
    t = parse(&p, "raw_syscalls", "sys_enter", -1, raw_enter);
    expect(&t, "id", T_INT, 8, 0, ZN_REG_CTX64, 1);
    expect(&t, "args", T_ARRAY, 48, 0, ZN_REG_SYSARG, 0);
    assert_int_equal(field_of(&t, "args")->type->nelem, 6);
    t = parse(&p, "raw_syscalls", "sys_exit", -1, raw_exit);
    expect(&t, "id", T_INT, 8, 0, ZN_REG_SYSNR, 0);
    expect(&t, "ret", T_INT, 8, 0, ZN_REG_CTX64, 1);
    place_close(&p);
}

static void test_hostile(void **state)
{
    static const char *const decls[] = {
        "", " ", "[", "int", "int [4]", "__data_loc ", "__data_loc char[]", "__rel_loc x"};
    struct zn_target t = {.module = "a", .sym = "b", .name = "a:b", .nr = -1};
    struct zn_event_format empty = {0};
    struct zn_tp_decl d;
    struct place p;

    (void)state;
    for (size_t i = 0; i < ZN_ARRAY_SIZE(decls); i++)
        assert_false(zn_tp_decl(decls[i], &d));
    place_open(&p, NULL);
    assert_int_equal(zn_tp_args(&p.types, &t, &empty, 200), -EINVAL);
    assert_null(t.args);
    place_close(&p);
}

/* Every event of this kernel has fields that can be read. */
static void test_all_events(void **state)
{
    char root[ZN_TRACEFS_PATH];
    unsigned fields = 0, strange = 0;
    struct place p;

    (void)state;
    if (zn_tracefs_find(root) < 0)
        skip_here();
    place_open(&p, NULL);
    if (place_expand(&p, "tracepoint:*:*") != 0) {
        place_close(&p);
        skip_here();
    }
    for (uint32_t i = 0; i < p.list.n; i++) {
        struct zn_target *t = &p.list.v[i];

        assert_int_equal(p.host->target_args(p.host->arg, &p.types, t, &p.why), 0);
        for (uint32_t k = 0; k < t->args->nfields; k++) {
            const struct zn_field *f = &t->args->fields[k];

            fields++;
            strange += !f->data_loc && f->type->size == 0;
            assert_true(f->type->kind != T_VOID && f->type->kind != T_NONE);
            assert_true(strspn(f->name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                        "0123456789_") == strlen(f->name));
        }
    }
    print_message("# %u events, %u fields\n", p.list.n, fields);
    assert_int_equal(strange, 0);
    place_close(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_record),       cmocka_unit_test(test_mixed),
        cmocka_unit_test(test_syscalls),     cmocka_unit_test(test_unknown_syscall),
        cmocka_unit_test(test_raw_syscalls), cmocka_unit_test(test_hostile),
        cmocka_unit_test(test_all_events),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
