/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses of real processes: this one, others, those that are gone, and code that nothing on disk
 * describes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "sym/sym.h"

static char dir[] = "/tmp/zn-sym-XXXXXX";
static char helper[64];

/* Prints the address of a static function, then waits for its standard input to close. */
static const char source[] = "#include <stdio.h>\n"
                             "static int far_function(int x) { return x * 7; }\n"
                             "int main(int argc, char **argv) {\n"
                             "    printf(\"%lx\\n\", (unsigned long)far_function + 1);\n"
                             "    fflush(stdout);\n"
                             "    while (argc > 1 && getchar() != EOF) ;\n"
                             "    return far_function((int)argv[0][0]) == 1;\n"
                             "}\n";

static int setup(void **state)
{
    (void)state;
    char cmd[256];
    if (!mkdtemp(dir))
        return -1;
    snprintf(helper, sizeof(helper), "%s/helper", dir);
    snprintf(cmd, sizeof(cmd), "cc -O1 -fno-inline -x c -o %s -", helper);
    FILE *f = popen(cmd, "w");
    if (!f)
        return -1;
    fputs(source, f);
    return pclose(f);
}

static int teardown(void **state)
{
    (void)state;
    char cmd[128];
    snprintf(cmd, sizeof(cmd), "rm -rf %s", dir);
    return system(cmd);
}

struct child {
    pid_t pid;
    int in, out;
    uint64_t addr;
};

static struct child start(const char *path, bool wait)
{
    int in[2], out[2];
    char line[64] = "";
    assert_int_equal(pipe2(in, O_CLOEXEC), 0);
    assert_int_equal(pipe2(out, O_CLOEXEC), 0);
    struct child c = {.pid = fork()};
    assert_true(c.pid >= 0);
    if (!c.pid) {
        dup2(in[0], 0);
        dup2(out[1], 1);
        execl(path, path, wait ? "wait" : NULL, (char *)NULL);
        _exit(127);
    }
    close(in[0]);
    close(out[1]);
    c.in = in[1];
    c.out = out[0];
    assert_true(read(c.out, line, sizeof(line) - 1) > 0);
    c.addr = strtoull(line, NULL, 16);
    return c;
}

static void stop(struct child *c)
{
    close(c->in);
    close(c->out);
    waitpid(c->pid, NULL, 0);
}

static void expect(struct zn_sym *s, uint32_t tgid, uint64_t addr, const char *name, uint64_t off)
{
    struct zn_sym_name n;
    assert_int_equal(zn_sym_user(s, tgid, addr, &n), 0);
    assert_string_equal(n.name, name);
    assert_int_equal(n.off, off);
}

static int my_own_function(int x)
{
    return x + 1;
}

static void test_own_functions(void **state)
{
    (void)state;
    struct zn_sym *s = zn_sym_new(NULL);
    uint32_t me = (uint32_t)getpid();
    int (*volatile f)(int) = my_own_function;
    expect(s, me, (uint64_t)(uintptr_t)f, "my_own_function", 0);
    expect(s, me, (uint64_t)(uintptr_t)f + 1, "my_own_function", 1);
    struct zn_sym_name n;
    assert_int_equal(zn_sym_user(s, me, (uint64_t)(uintptr_t)dir, &n), 0); /* a variable */
    assert_string_equal(n.name, "dir");
    zn_sym_free(s);
}

static void test_agrees_with_dladdr(void **state)
{
    (void)state;
    static const char *const names[] = {"qsort",       "strtoull",       "opendir", "regcomp",
                                        "getaddrinfo", "pthread_create", "fopen",   "setlocale",
                                        "cbrt",        "dlopen"};
    struct zn_sym *s = zn_sym_new(NULL);
    int seen = 0;
    for (size_t i = 0; i < ZN_ARRAY_SIZE(names); i++) {
        void *p = dlsym(RTLD_DEFAULT, names[i]);
        Dl_info info;
        struct zn_sym_name n;
        if (!p || !dladdr(p, &info) || !info.dli_sname)
            continue;
        uint64_t addr = (uint64_t)(uintptr_t)p;
        assert_int_equal(zn_sym_user(s, (uint32_t)getpid(), addr + 1, &n), 0);
        assert_int_equal(addr + 1 - n.off, (uintptr_t)info.dli_saddr);
        void *again = dlsym(RTLD_DEFAULT, n.name);
        assert_ptr_equal(again ? again : p, p);
        assert_string_equal(strrchr(n.module, '/') + 1,
                            strrchr(realpath(info.dli_fname, (char[4096]){0}), '/') + 1);
        seen++;
    }
    assert_true(seen >= 5);
    zn_sym_free(s);
}

static void test_vdso(void **state)
{
    (void)state;
    struct zn_sym *s = zn_sym_new(NULL);
    void *vdso = dlopen("linux-vdso.so.1", RTLD_NOW | RTLD_NOLOAD);
    void *f = vdso ? dlsym(vdso, "__vdso_clock_gettime") : NULL;
    struct zn_sym_name n;
    if (!f)
        skip();
    assert_int_equal(zn_sym_user(s, (uint32_t)getpid(), (uint64_t)(uintptr_t)f, &n), 0);
    assert_string_equal(n.name, "clock_gettime");
    assert_string_equal(n.module, "[vdso]");
    struct child c = start(helper, true);
    ZN_AUTOFREE char *maps = NULL;
    size_t len;
    char path[64];
    snprintf(path, sizeof(path), "/proc/%d/maps", c.pid);
    assert_int_equal(zn_file_read(path, 0, &maps, &len), 0);
    char *line = strstr(maps, "[vdso]");
    while (line && line > maps && line[-1] != '\n')
        line--;
    uint64_t there = line ? strtoull(line, NULL, 16) : 0;
    uint64_t off = (uint64_t)(uintptr_t)f - getauxval(AT_SYSINFO_EHDR);
    expect(s, (uint32_t)c.pid, there + off, "clock_gettime", 0);
    stop(&c);
    zn_sym_free(s);
}

static void put(struct zn_sym *s, uint32_t tgid, uint64_t addr, struct zn_str *out)
{
    struct zn_sym_name n;
    (void)zn_sym_user(s, tgid, addr, &n);
    zn_str_clear(out);
    zn_sym_put(out, addr, &n, true);
}

static void test_unknown_addresses(void **state)
{
    (void)state;
    struct zn_sym *s = zn_sym_new(NULL);
    struct zn_sym_name n;
    ZN_AUTOSTR struct zn_str out;
    zn_str_init(&out);
    uint32_t me = (uint32_t)getpid();
    assert_int_equal(zn_sym_user(s, me, 16, &n), -ENOENT);
    assert_null(n.name);
    assert_null(n.module);
    put(s, me, 16, &out);
    assert_string_equal(zn_str_c(&out), "0x10");
    assert_int_equal(zn_sym_user(s, 0x7ffffff0, 16, &n), -ESRCH);
    Dl_info info; /* the ELF header: in a file's mapping, in no symbol */
    assert_true(dladdr((void *)(uintptr_t)test_vdso, &info));
    assert_int_equal(zn_sym_user(s, me, (uint64_t)(uintptr_t)info.dli_fbase + 4, &n), -ENOENT);
    assert_non_null(n.module);
    assert_int_equal(n.module_off, 4);
    put(s, me, (uint64_t)(uintptr_t)info.dli_fbase + 4, &out);
    assert_non_null(strstr(zn_str_c(&out), "+0x4"));
    zn_sym_free(s);
}

static void test_other_process(void **state)
{
    (void)state;
    struct zn_sym *s = zn_sym_new(NULL);
    struct child c = start(helper, true);
    expect(s, (uint32_t)c.pid, c.addr, "far_function", 1);
    stop(&c);
    zn_sym_refresh(s); /* remembered, though it exited */
    expect(s, (uint32_t)c.pid, c.addr, "far_function", 1);
    zn_sym_free(s);
}

static void test_deleted_file(void **state)
{
    (void)state;
    if (geteuid())
        skip(); /* map_files needs privileges */
    char copy[80], cmd[256];
    snprintf(copy, sizeof(copy), "%s-copy", helper);
    snprintf(cmd, sizeof(cmd), "cp %s %s", helper, copy);
    assert_int_equal(system(cmd), 0);
    struct zn_sym *s = zn_sym_new(NULL);
    struct child c = start(copy, true);
    assert_int_equal(unlink(copy), 0);
    expect(s, (uint32_t)c.pid, c.addr, "far_function", 1);
    stop(&c);
    zn_sym_free(s);
}

/* Another program now stands at the path: its names must not be used. */
static void test_replaced_file(void **state)
{
    (void)state;
    char copy[80], cmd[512];
    snprintf(copy, sizeof(copy), "%s-old", helper);
    snprintf(cmd, sizeof(cmd), "cp %s %s", helper, copy);
    assert_int_equal(system(cmd), 0);
    struct zn_sym *s = zn_sym_new(NULL);
    struct child c = start(copy, true);
    snprintf(cmd, sizeof(cmd), "cp /bin/true %s.new && mv %s.new %s", copy, copy, copy);
    assert_int_equal(system(cmd), 0);
    struct zn_sym_name n;
    if (!zn_sym_user(s, (uint32_t)c.pid, c.addr, &n))
        assert_string_equal(n.name, "far_function");
    else
        assert_int_not_equal(geteuid(), 0);
    stop(&c);
    zn_sym_free(s);
}

static void test_seen_before_exit(void **state)
{
    (void)state;
    struct zn_sym *s = zn_sym_new(NULL);
    struct child c = start(helper, true);
    assert_int_equal(zn_sym_seen(s, (uint32_t)c.pid), 0);
    stop(&c);
    expect(s, (uint32_t)c.pid, c.addr, "far_function", 1);
    assert_int_equal(zn_sym_seen(s, 0x7ffffff0), -ESRCH);
    zn_sym_free(s);
}

static void test_tracker(void **state)
{
    (void)state;
    struct zn_sym *s = zn_sym_new(NULL);
    int r = zn_sym_track_start(s);
    if (r == -EACCES || r == -EPERM) {
        zn_sym_free(s);
        skip();
    }
    assert_int_equal(r, 0);
    for (int i = 0; i < 50; i++) {
        struct child c = start(helper, false);
        stop(&c); /* it is gone before anything about it is known */
        assert_true(zn_sym_track_poll(s) > 0);
        expect(s, (uint32_t)c.pid, c.addr, "far_function", 1);
    }
    assert_int_equal(zn_sym_track_lost(s), 0);
    zn_sym_track_stop(s);
    assert_int_equal(zn_sym_track_poll(s), 0);
    zn_sym_free(s);
}

/* A forked child runs its parent's program without an exec of its own. */
static void test_tracker_fork(void **state)
{
    (void)state;
    struct zn_sym *s = zn_sym_new(NULL);
    int r = zn_sym_track_start(s);
    if (r == -EACCES || r == -EPERM) {
        zn_sym_free(s);
        skip();
    }
    pid_t pid = fork();
    if (!pid)
        _exit(0);
    waitpid(pid, NULL, 0);
    assert_true(zn_sym_track_poll(s) > 0);
    int (*volatile f)(int) = my_own_function;
    expect(s, (uint32_t)pid, (uint64_t)(uintptr_t)f, "my_own_function", 0);
    zn_sym_free(s);
}

static void test_perf_map(void **state)
{
    (void)state;
    struct zn_sym *s = zn_sym_new(NULL);
    uint32_t me = (uint32_t)getpid();
    uint8_t *code = mmap(NULL, 8192, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(code, MAP_FAILED);
    uint64_t at = (uint64_t)(uintptr_t)code;
    char path[64];
    snprintf(path, sizeof(path), "/tmp/perf-%u.map", me);
    struct zn_sym_name n;
    assert_int_equal(zn_sym_user(s, me, at, &n), -ENOENT);
    FILE *f = fopen(path, "w");
    fprintf(f, "%" PRIx64 " 40 LazyCompile:~old name.js:1\n", at);
    fprintf(f, "%" PRIx64 " 40 second\nnot a line\n", at + 0x40);
    fprintf(f, "%" PRIx64 " 40 LazyCompile:*new name.js:1\n%" PRIx64, at, at + 0x80);
    fclose(f);
    usleep(110000); /* it is looked for ten times a second */
    expect(s, me, at + 3, "LazyCompile:*new name.js:1", 3);
    expect(s, me, at + 0x7f, "second", 0x3f);
    assert_int_equal(zn_sym_user(s, me, at + 0x80, &n), -ENOENT);
    unlink(path);
    munmap(code, 8192);
    zn_sym_free(s);
}

static void test_limits(void **state)
{
    (void)state;
    const struct zn_sym_opts opts = {.procs = 2, .files = 1, .bytes = 1 << 20};
    struct zn_sym *s = zn_sym_new(&opts);
    struct child c[4];
    for (int i = 0; i < 4; i++)
        c[i] = start(helper, true);
    int (*volatile f)(int) = my_own_function;
    for (int round = 0; round < 8; round++) {
        expect(s, (uint32_t)c[round % 4].pid, c[round % 4].addr, "far_function", 1);
        expect(s, (uint32_t)getpid(), (uint64_t)(uintptr_t)f, "my_own_function", 0);
    }
    for (int i = 0; i < 4; i++)
        stop(&c[i]);
    zn_sym_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_own_functions), cmocka_unit_test(test_agrees_with_dladdr),
        cmocka_unit_test(test_vdso),          cmocka_unit_test(test_unknown_addresses),
        cmocka_unit_test(test_other_process), cmocka_unit_test(test_deleted_file),
        cmocka_unit_test(test_replaced_file), cmocka_unit_test(test_seen_before_exit),
        cmocka_unit_test(test_tracker),       cmocka_unit_test(test_tracker_fork),
        cmocka_unit_test(test_perf_map),      cmocka_unit_test(test_limits),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
