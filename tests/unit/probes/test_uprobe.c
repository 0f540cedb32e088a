/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of files: the offset must be where the running process has the function. */
#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <unistd.h>

#include "base/mem.h"
#include "probes/cpp_name.h"
#include "probes/elf_sym.h"
#include "probes/kind.h"
#include "probes/objects.h"
#include "probes_test.h"

int zn_test_plain(int x);
int zn_test_alias(int x);
__attribute__((noipa, used)) int zn_test_plain(int x)
{
    return x + 1;
}
extern __typeof__(zn_test_plain) zn_test_alias __attribute__((alias("zn_test_plain")));

#ifdef __x86_64__
/* Begins with endbr64, as every function does where control-flow protection is on. */
void zn_test_endbr(void);
__asm__(".text\n.globl zn_test_endbr\n.type zn_test_endbr, @function\n"
        "zn_test_endbr: .byte 0xf3, 0x0f, 0x1e, 0xfa\n"
        "push %rbp\npop %rbp\nret\n.size zn_test_endbr, . - zn_test_endbr\n");
#endif

static char self[PATH_MAX];

static int find_self(void **state)
{
    ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

    (void)state;
    return n > 0 ? 0 : -1;
}

/* Where an address of this process lies in its file, by the kernel's own account of the mappings. */
static uint64_t file_offset(const void *addr)
{
    FILE *f = fopen("/proc/self/maps", "re");
    uint64_t a = (uint64_t)(uintptr_t)addr, lo, hi, off, found = 0;
    char line[PATH_MAX + 128];

    assert_non_null(f);
    while (fgets(line, sizeof(line), f))
        if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64, &lo, &hi, &off) == 3 && a >= lo &&
            a < hi)
            found = a - lo + off;
    fclose(f);
    return found;
}

static struct zn_target *one(struct place *p, const char *fmt, const char *file)
{
    char written[PATH_MAX + 64];

    snprintf(written, sizeof(written), fmt, file);
    return place_one(p, written);
}

static int expand(struct place *p, const char *fmt, const char *file)
{
    char written[PATH_MAX + 64];

    snprintf(written, sizeof(written), fmt, file);
    return place_expand(p, written);
}

static void test_own_function(void **state)
{
    struct place p;
    struct zn_target *t;

    (void)state;
    place_open(&p, NULL);
    t = one(&p, "uprobe:%s:zn_test_plain", self);
    assert_true(t->offset == file_offset(zn_test_plain));
    assert_string_equal(t->module, self);
    assert_string_equal(t->sym, "zn_test_plain");
    assert_false(t->is_exit);
    assert_true(one(&p, "uretprobe:%s:zn_test_plain", self)->is_exit);
    t = one(&p, "u:%s:zn_test_plain+2", self);
    assert_true(t->offset == file_offset(zn_test_plain) + 2);
    assert_int_equal(expand(&p, "u:%s:zn_test_plain+4000", self), -EINVAL);
    assert_int_equal(expand(&p, "ur:%s:zn_test_plain+2", self), -EINVAL);
    assert_int_equal(expand(&p, "u:%s:zn_test_pl*+2", self), -EINVAL);
    place_close(&p);
}

static void test_library_function(void **state)
{
    Dl_info info;
    struct place p;
    struct zn_target *t;
    void *addr = dlsym(RTLD_DEFAULT, "getppid");

    (void)state;
    assert_non_null(addr);
    if (!dladdr(addr, &info) || !strstr(info.dli_fname, "libc"))
        skip_here();
    place_open(&p, NULL);
    t = place_one(&p, "uretprobe:libc:getppid");
    assert_true(t->offset == file_offset(addr));
    assert_int_equal(t->module[0], '/');
    assert_true(place_one(&p, "uretprobe:libc.so.6:getppid")->offset == file_offset(addr));
    place_close(&p);
}

static void test_aliases_once(void **state)
{
    struct place p;

    (void)state;
    place_open(&p, NULL);
    assert_int_equal(expand(&p, "u:%s:zn_test_*a*", self), 0);
    for (uint32_t i = 0; i < p.list.n; i++)
        for (uint32_t k = 0; k < i; k++)
            assert_true(p.list.v[i].offset != p.list.v[k].offset);
    assert_int_equal(p.list.n, 1);
    /* Written out, each name works. */
    assert_true(one(&p, "u:%s:zn_test_alias", self)->offset ==
                one(&p, "u:%s:zn_test_plain", self)->offset);
    place_close(&p);
}

static void test_endbr(void **state)
{
#ifdef __x86_64__
    uint64_t at = file_offset(zn_test_endbr);
    struct place p;

    place_open(&p, NULL);
    assert_true(one(&p, "uprobe:%s:zn_test_endbr", self)->offset == at + 4);
    assert_true(one(&p, "uretprobe:%s:zn_test_endbr", self)->offset == at);
    assert_true(one(&p, "uprobe:%s:zn_test_endbr+0", self)->offset == at);
    place_close(&p);
#endif
    (void)state;
}

static void test_address(void **state)
{
    uint64_t addr, size, off;
    struct zn_esym_file *f;
    char text[PATH_MAX + 64];
    struct place p;

    (void)state;
    assert_int_equal(zn_esym_address(self, "zn_test_plain", &addr, &size), 0);
    assert_true(size > 0 && size < 100);
    assert_int_equal(zn_esym_open(self, &f), 0);
    assert_int_equal(zn_esym_offset(f, addr, &off), 0);
    assert_int_equal(zn_esym_offset(f, UINT64_MAX, &off), -ENOENT);
    zn_esym_close(f);
    place_open(&p, NULL);
    snprintf(text, sizeof(text), "uprobe:%s:0x%" PRIx64, self, addr);
    assert_true(place_one(&p, text)->offset == off);
    assert_int_equal(expand(&p, "uprobe:%s:0xffffffffffff", self), -ENOENT);
    assert_int_equal(p.host->uaddr(p.host->arg, self, "zn_test_plain", &addr, &size), 0);
    assert_int_equal(p.host->uaddr(p.host->arg, self, "zn_no_such", &addr, &size), -ENOENT);
    place_close(&p);
}

static void test_mistakes(void **state)
{
    struct place p;

    (void)state;
    place_open(&p, NULL);
    assert_int_equal(expand(&p, "uprobe:%s:zn_test_plian", self), -ENOENT);
    assert_string_equal(p.hint, "did you mean 'zn_test_plain'?");
    assert_int_equal(place_expand(&p, "uprobe:zn_no_such_program:main"), -ENOENT);
    assert_int_equal(place_expand(&p, "uprobe:/nonexistent/lib*.so:main"), -ENOENT);
    assert_int_equal(place_expand(&p, "uprobe:/etc/passwd:main"), -ENOEXEC);
    assert_int_equal(place_expand(&p, "uprobe:*:main"), -EINVAL);
    assert_int_equal(expand(&p, "uprobe:%s:zn_test_plain+x", self), -EINVAL);
    assert_int_equal(expand(&p, "uprobe:%s@test.c", self), -EINVAL);
    place_close(&p);
}

/* A wildcard over files says how many it looked at, and where C++ names hide the word. */
/* `probe` shows the path as it is written; the kernel gets one from the root. */
static void test_relative_path(void **state)
{
    char back[PATH_MAX], dir[PATH_MAX], written[PATH_MAX], *slash;
    const struct zn_target *t;
    struct place p;

    (void)state;
    assert_non_null(getcwd(back, sizeof(back)));
    snprintf(dir, sizeof(dir), "%s", self);
    slash = strrchr(dir, '/');
    *slash = '\0';
    assert_int_equal(chdir(dir), 0);
    place_open(&p, NULL);
    snprintf(written, sizeof(written), "./%.200s", slash + 1);
    t = one(&p, "uprobe:%s:zn_test_plain", written);
    assert_string_equal(t->module, self);
    assert_memory_equal(t->name, "uprobe:./", 9);
    place_close(&p);
    assert_int_equal(chdir(back), 0);
}

static void test_many_files(void **state)
{
    char pattern[PATH_MAX], *slash;
    struct place p;

    (void)state;
    place_open(&p, NULL);
    snprintf(pattern, sizeof(pattern), "%s", self);
    slash = strrchr(pattern, '/');
    snprintf(slash + 1, 32, "%.6s*", strrchr(self, '/') + 1);
    assert_int_equal(expand(&p, "uprobe:%s:zn_test_plain", pattern), 0);
    assert_non_null(p.note);
    assert_non_null(strstr(p.note, "searched "));
    assert_int_equal(expand(&p, "uprobe:%s:zn_no_such", pattern), -ENOENT);
    assert_non_null(strstr(p.why, "libraries"));
    if (place_expand(&p, "uprobe:libstdc++:push_back") == -ENOENT && p.hint)
        assert_non_null(strstr(p.hint, "cpp:\"*push_back*\""));
    place_close(&p);
}

static void test_process(void **state)
{
    struct zn_probes_env env = {.features = ~0ULL, .pid = (uint32_t)getpid()};
    struct place p;

    (void)state;
    place_open(&p, &env);
    assert_int_equal(place_expand(&p, "uprobe:*:zn_test_plain"), 0);
    assert_int_equal(p.list.n, 1);
    assert_string_equal(p.list.v[0].module, self);
    assert_true(place_one(&p, "uretprobe:libc:getppid")->offset ==
                file_offset(dlsym(RTLD_DEFAULT, "getppid")));
    place_close(&p);
}

static void test_object_names(void **state)
{
    (void)state;
    assert_true(zn_object_fits("libc", "libc.so.6"));
    assert_true(zn_object_fits("libc", "libc.so"));
    assert_true(zn_object_fits("libc", "libc-2.31.so"));
    assert_true(zn_object_fits("libc.so", "libc.so.6"));
    assert_true(zn_object_fits("libc.so.6", "libc.so.6"));
    assert_true(zn_object_fits("libssl*", "libssl.so.3"));
    assert_false(zn_object_fits("libc", "libcrypt.so.1"));
    assert_false(zn_object_fits("libc", "libc-client.so.2"));
    assert_false(zn_object_fits("libc.so.6", "libc.so.66"));
    assert_false(zn_object_fits("libssl", "libssl3.so"));
}

static void test_cpp(void **state)
{
    struct zn_cpp_pattern c;

    (void)state;
    zn_cpp_pattern("ns::Thing::run", &c);
    assert_string_equal(c.chunk, "Thing");
    assert_true(zn_cpp_match(&c, "_ZN2ns5Thing3runEi"));
    assert_true(zn_cpp_match(&c, "_ZN2ns5Thing3runEv"));
    assert_false(zn_cpp_match(&c, "_ZN2ns5Thing4run2Ei"));
    assert_false(zn_cpp_match(&c, "Thing"));
    zn_cpp_pattern("ns::Thing::run(int)", &c);
    assert_true(zn_cpp_match(&c, "_ZN2ns5Thing3runEi"));
    assert_false(zn_cpp_match(&c, "_ZN2ns5Thing3runEv"));
    zn_cpp_pattern("*run*", &c);
    assert_true(zn_cpp_match(&c, "_ZN2ns5Thing3runEi"));
    zn_cpp_pattern("std::string::*", &c);
    assert_string_equal(c.chunk, ""); /* mangled as "Ss" */
    assert_true(zn_cpp_match(&c, "_ZNSs9push_backEc"));
}

static int to_file(void *arg, const char *line)
{
    *(bool *)arg |= strstr(line, ":zn_test_plain") != NULL;
    return 0;
}

static void test_list(void **state)
{
    char pattern[PATH_MAX + 64];
    bool seen = false;
    struct place p;

    (void)state;
    place_open(&p, NULL);
    snprintf(pattern, sizeof(pattern), "u:%s:zn_test_p*", self);
    assert_int_equal(zn_list_probes(p.host, &p.types, pattern, false, to_file, &seen, &p.why), 0);
    assert_true(seen);
    assert_int_equal(
        zn_list_probes(p.host, &p.types, "uprobe:/nonexistent:*", false, to_file, &seen, &p.why),
        -ENOENT);
    place_close(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_own_function), cmocka_unit_test(test_library_function),
        cmocka_unit_test(test_aliases_once), cmocka_unit_test(test_endbr),
        cmocka_unit_test(test_address),      cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_many_files),   cmocka_unit_test(test_relative_path),
        cmocka_unit_test(test_process),      cmocka_unit_test(test_object_names),
        cmocka_unit_test(test_cpp),          cmocka_unit_test(test_list),
    };

    return cmocka_run_group_tests(tests, find_self, NULL);
}
