/* SPDX-License-Identifier: Apache-2.0 */
/* Format files as text, and the running kernel's events. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kern/tracefs.h"

static const char text[] = "name: sys_enter_openat\n"
                           "ID: 713\n"
                           "format:\n"
                           "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
                           "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
                           "\n"
                           "\tfield:int __syscall_nr;\toffset:8;\tsize:4;\tsigned:1;\n"
                           "\tfield:const char * filename;\toffset:24;\tsize:8;\tsigned:0;\n"
                           "\tfield:__data_loc char[] name;\toffset:32;\tsize:4;\tsigned:0;\n"
                           "\tfield:broken line\n"
                           "\n"
                           "print fmt: \"field:int fake;\toffset:1;\tsize:2;\"\n";

static void test_format(void **state)
{
    struct zn_event_format f;

    (void)state;
    assert_int_equal(zn_event_format_parse(strdup(text), &f), 0);
    assert_int_equal(f.id, 713);
    assert_int_equal(f.nfields, 5);
    assert_true(f.fields[1].common && f.fields[1].sign);
    assert_string_equal(f.fields[2].decl, "int __syscall_nr");
    assert_false(f.fields[2].common);
    assert_string_equal(f.fields[3].decl, "const char * filename");
    assert_int_equal(f.fields[3].off, 24);
    assert_int_equal(f.fields[3].size, 8);
    assert_false(f.fields[3].sign);
    assert_string_equal(f.fields[4].decl, "__data_loc char[] name");
    zn_event_format_fini(&f);
}

static void test_broken_format(void **state)
{
    struct zn_event_format f;

    (void)state;
    for (size_t n = 0; n < sizeof(text); n++) {
        char *cut = strndup(text, n);

        if (zn_event_format_parse(cut, &f) == 0)
            zn_event_format_fini(&f);
        else
            free(cut);
    }
}

static void test_running_kernel(void **state)
{
    char root[ZN_TRACEFS_PATH];
    struct zn_tracefs_names l;
    struct zn_event_format f;
    uint64_t id;

    (void)state;
    if (zn_tracefs_find(root) < 0)
        skip();
    assert_int_equal(zn_tracefs_list(root, "events/sched", &l), 0);
    assert_true(l.n > 5);
    for (size_t i = 1; i < l.n; i++)
        assert_true(strcmp(l.v[i - 1], l.v[i]) < 0);
    zn_tracefs_names_fini(&l);
    assert_int_equal(zn_tracefs_list(root, "events/no_such", &l), -ENOENT);
    assert_int_equal(zn_event_format_read(root, "sched", "sched_switch", &f), 0);
    assert_int_equal(zn_event_id(root, "sched", "sched_switch", &id), 0);
    assert_int_equal(f.id, id);
    assert_true(f.fields[0].common && !f.fields[f.nfields - 1].common);
    zn_event_format_fini(&f);
    assert_int_equal(zn_event_id(root, "sched", "no_such", &id), -ENOENT);
    assert_int_equal(zn_event_id(root, "..", "sched", &id), -ENOENT);
    assert_int_equal(zn_event_id(root, "sched", "../sched", &id), -ENOENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_format),
        cmocka_unit_test(test_broken_format),
        cmocka_unit_test(test_running_kernel),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
