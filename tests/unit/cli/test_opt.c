/* SPDX-License-Identifier: Apache-2.0 */
/* Command lines: what is an option, what is the script's. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/str.h"
#include "cli/machine.h"
#include "cli/opt.h"

static const struct zn_opt opts[] = {
    {"quiet", 'q', false, NULL, "", 'q'},
    {"output", 'o', true, "FILE", "", 'o'},
    {NULL, 'e', true, "PROGRAM", "", 'e'},
    {"unsafe", 0, false, NULL, "", 'u'},
};

static int note(void *ctx, const struct zn_opt *o, const char *value)
{
    zn_str_printf(ctx, "%c%s%s ", o->id, value ? "=" : "", value ? value : "");
    return 0;
}

/* "options | arguments", or NULL for a mistake. */
static const char *parse(const char *line)
{
    static struct zn_str s;
    char copy[256], *argv[32], *save = NULL;
    int argc = 1;
    struct zn_args args;
    snprintf(copy, sizeof(copy), "%s", line);
    argv[0] = copy;
    for (char *w = strtok_r(copy, " ", &save); w; w = strtok_r(NULL, " ", &save))
        argv[argc++] = w;
    zn_str_clear(&s);
    int r = zn_opt_parse("zhen test", opts, ZN_ARRAY_SIZE(opts), argc, argv, note, &s, &args);
    zn_str_puts(&s, "|");
    for (unsigned i = 0; i < args.n; i++)
        zn_str_printf(&s, " %s", args.v[i]);
    zn_args_fini(&args);
    return r ? NULL : zn_str_c(&s);
}

static void options_and_arguments_mix(void **state)
{
    (void)state;
    assert_string_equal(parse("-q file -o out 1 2"), "q o=out | file 1 2");
    assert_string_equal(parse("-qoout -ex"), "q o=out e=x |");
    assert_string_equal(parse("--output=a=b --unsafe"), "o=a=b u |");
    assert_string_equal(parse("--output - -"), "o=- | -");
    assert_string_equal(parse("s.bt -- -q --x=1"), "| s.bt -q --x=1");
    assert_string_equal(parse("s.bt -5 -q"), "q | s.bt -5"); /* a number, no option */
    assert_string_equal(parse(""), "|");
}

static void mistakes_are_refused(void **state)
{
    (void)state;
    assert_null(parse("--quite"));
    assert_null(parse("-x"));
    assert_null(parse("-qx"));
    assert_null(parse("-o"));
    assert_null(parse("--output"));
    assert_null(parse("--quiet=yes"));
}

static bool needs(const char *text)
{
    return zn_needs_types(text, strlen(text));
}

static void types_are_opened_when_asked_for(void **state)
{
    (void)state;
    assert_false(needs("BEGIN { exit(); }"));
    assert_false(needs("interval:s:1 { @ = count(); }"));
    assert_false(needs("uprobe:libc:malloc { @[comm] = hist(arg0); }"));
    assert_true(needs("tracepoint:sched:sched_switch { }"));
    assert_true(needs("k:vfs_read { }"));
    assert_true(needs("BEGIN { $t = curtask; }"));
    assert_true(needs("uprobe:libc:malloc { @ = ((struct foo *)arg0)->x; }"));
    assert_true(needs("BEGIN { $x = (task_struct *)0; }"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_and_arguments_mix),
        cmocka_unit_test(mistakes_are_refused),
        cmocka_unit_test(types_are_opened_when_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
