/* SPDX-License-Identifier: Apache-2.0 */
/* ELF tables against what nm and objdump say of the same files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <gnu/libc-version.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "sym/debugfile.h"
#include "sym/elf.h"

static char dir[] = "/tmp/zn-elf-XXXXXX";
static char prog[64], stripped[64], linked[64];

static const char source[] =
    "#include <stdio.h>\n"
    "static int hidden(int x) { return x * 3; }\n"
    "int shown(int x) { return hidden(x) + 1; }\n"
    "__asm__(\".text\\n.globl sized\\n.type sized,%function\\nsized:\\n nop\\n nop\\n nop\\n nop\\n\"\n"
    "        \".size sized,.-sized\\n\"\n"
    "        \".skip 64\\n\" /* belongs to nobody */\n"
    "        \".globl outer\\n.type outer,%function\\nouter:\\n .skip 16\\n\"\n"
    "        \".globl inner\\n.type inner,%function\\ninner:\\n .skip 8\\n.size inner,.-inner\\n\"\n"
    "        \"label:\\n .skip 8\\n.size outer,.-outer\\n\"\n"
    "        \"open_ended:\\n .skip 32\\n\"\n"
    "        \".globl twin\\n.type twin,%function\\n.globl __twin\\n.type __twin,%function\\n\"\n"
    "        \"__twin:\\ntwin:\\n .skip 16\\n.size twin,.-twin\\n.size __twin,.-__twin\\n\");\n"
    "int main(int argc, char **argv) { printf(\"%d\", shown(argc)); puts(argv[0]); return 0; }\n";

static int run(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static int run(const char *fmt, ...)
{
    char cmd[1024];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(cmd, sizeof(cmd), fmt, ap);
    va_end(ap);
    return system(cmd);
}

static int setup(void **state)
{
    (void)state;
    char path[64];
    if (!mkdtemp(dir))
        return -1;
    snprintf(prog, sizeof(prog), "%s/prog", dir);
    snprintf(stripped, sizeof(stripped), "%s/stripped", dir);
    snprintf(linked, sizeof(linked), "%s/stripped.debug", dir);
    snprintf(path, sizeof(path), "%s/prog.c", dir);
    FILE *f = fopen(path, "w");
    if (!f)
        return -1;
    fputs(source, f);
    fclose(f);
    return run("cc -O1 -fno-inline -Wl,--build-id=sha1 -o %s %s && "
               "objcopy --only-keep-debug %s %s && "
               "objcopy --strip-all --add-gnu-debuglink=%s %s %s",
               prog, path, prog, linked, linked, prog, stripped);
}

static int teardown(void **state)
{
    (void)state;
    return run("rm -rf %s", dir);
}

static struct zn_elf *load(const char *path)
{
    ZN_AUTOCLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
    const struct zn_elf_src src = {.fd = fd};
    struct zn_elf *e = NULL;
    assert_true(fd >= 0);
    assert_int_equal(zn_elf_open(&src, &e), 0);
    (void)zn_elf_load(e, &src, 1 << 30);
    zn_elf_load_plt(e, &src);
    zn_elf_finish(e);
    return e;
}

static const char *name_at(const struct zn_elf *e, uint64_t addr)
{
    const struct zn_elf_sym *s = zn_elf_find(e, addr);
    return s ? zn_elf_name(e, s) : "-";
}

static uint64_t addr_of(const struct zn_elf *e, const char *name)
{
    for (uint32_t i = 0; i < e->nsyms; i++)
        if (!strcmp(zn_elf_name(e, &e->syms[i]), name))
            return e->syms[i].addr;
    fail_msg("no symbol %s", name);
    return 0;
}

/* Every sized function that nm lists is found from its first to its last byte, under a name that nm
 * has at that address too; and none where its end is the next one's start. */
static void agrees_with_nm(const char *path, const char *flags)
{
    struct zn_elf *e = load(path);
    char cmd[256], name[1024], type;
    snprintf(cmd, sizeof(cmd), "nm -S --defined-only --without-symbol-versions %s %s", flags, path);
    FILE *f = popen(cmd, "r");
    uint64_t addr, size;
    char line[2048];
    int seen = 0, same = 0;
    assert_non_null(f);
    while (fgets(line, sizeof(line), f)) {
        if (sscanf(line, "%" SCNx64 " %" SCNx64 " %c %1023s", &addr, &size, &type, name) != 4 ||
            !strchr("tTwWiu", type) || !size)
            continue;
        const struct zn_elf_sym *s = zn_elf_find(e, addr);
        if (!s)
            fail_msg("%s at %" PRIx64 " not found", name, addr);
        assert_int_equal(s->addr, addr);
        assert_true(zn_elf_find(e, addr + size - 1) != NULL);
        seen++;
        same += !strcmp(zn_elf_name(e, s), name);
    }
    pclose(f);
    assert_true(seen > 0);
    assert_true(same * 2 > seen); /* aliases: one of them is shown */
    zn_elf_close(e);
}

static void test_nm(void **state)
{
    (void)state;
    char self[4096];
    ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
    assert_true(n > 0);
    self[n] = '\0';
    Dl_info libc;
    assert_true(dladdr((void *)(uintptr_t)gnu_get_libc_version, &libc));
    agrees_with_nm(prog, "");
    agrees_with_nm(self, "");
    agrees_with_nm(libc.dli_fname, "-D");
}

static void test_sizes_and_nesting(void **state)
{
    (void)state;
    struct zn_elf *e = load(prog);
    uint64_t sized = addr_of(e, "sized"), outer = addr_of(e, "outer");
    assert_string_equal(name_at(e, sized + 3), "sized");
    assert_string_equal(name_at(e, sized + 4), "-");
    assert_string_equal(name_at(e, outer - 1), "-");
    assert_string_equal(name_at(e, outer + 15), "outer");
    assert_string_equal(name_at(e, outer + 16), "inner");
    assert_string_equal(name_at(e, outer + 23), "inner");
    assert_string_equal(name_at(e, outer + 24), "outer"); /* not "label", a place in it */
    assert_string_equal(name_at(e, outer + 31), "outer");
    assert_string_equal(name_at(e, outer + 32), "open_ended");
    assert_string_equal(name_at(e, outer + 63), "open_ended");
    assert_string_equal(name_at(e, outer + 64), "twin"); /* rather than "__twin" */
    assert_string_equal(name_at(e, 0), "-");
    assert_string_equal(name_at(e, UINT64_MAX), "-");
    zn_elf_close(e);
}

static void test_stubs(void **state)
{
    (void)state;
    struct zn_elf *e = load(prog);
    char cmd[256], line[512], name[256];
    snprintf(cmd, sizeof(cmd), "objdump -d --no-show-raw-insn %s | grep '@plt>:$'", prog);
    FILE *f = popen(cmd, "r");
    uint64_t addr;
    int seen = 0;
    while (f && fgets(line, sizeof(line), f)) {
        if (sscanf(line, "%" SCNx64 " <%255[^>]", &addr, name) != 2)
            continue;
        assert_string_equal(name_at(e, addr), name);
        assert_string_equal(name_at(e, addr + 7), name);
        seen++;
    }
    pclose(f);
    assert_true(seen >= 2); /* printf, puts */
    zn_elf_close(e);
}

/* A stripped program gets its names from the debug file beside it, but not from a stranger's. */
static void test_debug_file(void **state)
{
    (void)state;
    for (int wrong = 0; wrong <= 1; wrong++) {
        struct zn_elf *e = load(stripped);
        ZN_AUTOCLOSE int fd = open(stripped, O_RDONLY | O_CLOEXEC);
        assert_false(e->symtab);
        if (wrong)
            assert_int_equal(run("echo 'int main(void){return 0;}' | cc -x c -o %s -", linked), 0);
        zn_debug_load(e, &(struct zn_elf_src){.fd = fd}, 0, stripped, 1 << 30);
        zn_elf_finish(e);
        bool found = false;
        for (uint32_t i = 0; i < e->nsyms; i++)
            found |= !strcmp(zn_elf_name(e, &e->syms[i]), "hidden");
        assert_int_equal(found, !wrong);
        zn_elf_close(e);
    }
}

static void test_offsets(void **state)
{
    (void)state;
    struct zn_elf *e = load(prog);
    uint64_t vaddr = 0;
    assert_true(zn_elf_vaddr(e, 0, &vaddr));
    assert_int_equal(vaddr, 0);
    assert_false(zn_elf_vaddr(e, UINT64_MAX, &vaddr));
    assert_false(zn_elf_vaddr(e, 1ULL << 40, &vaddr));
    assert_int_equal(e->build_id_len, 20);
    zn_elf_close(e);
}

/* Cut at every length and with every byte spoilt in turn: no crash, no endless loop. */
static void test_hostile_files(void **state)
{
    (void)state;
    char path[64];
    static uint8_t bytes[65536];
    snprintf(path, sizeof(path), "%s/bad", dir);
    int fd = open(prog, O_RDONLY | O_CLOEXEC);
    ssize_t n = read(fd, bytes, sizeof(bytes));
    close(fd);
    assert_true(n > 4096);
    uint32_t seed = 1;
    for (int round = 0; round < 600; round++) {
        fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
        size_t len = round % 2 ? (size_t)n : (size_t)n * (unsigned)round / 600;
        assert_int_equal(write(fd, bytes, len), len);
        for (int i = 0; round % 2 && i < 40; i++) {
            seed = seed * 1664525 + 1013904223;
            size_t span = i % 2 ? (size_t)n : 1024, at = seed % span;
            if (i % 4 == 3)
                at = (size_t)n - 1 - seed % 4096;
            uint8_t b = (uint8_t)(seed >> 20);
            assert_int_equal(pwrite(fd, &b, 1, (off_t)at), 1);
        }
        const struct zn_elf_src src = {.fd = fd};
        struct zn_elf *e = NULL;
        if (!zn_elf_open(&src, &e)) {
            (void)zn_elf_load(e, &src, 1 << 24);
            zn_elf_load_plt(e, &src);
            zn_elf_finish(e);
            (void)zn_elf_find(e, seed);
            zn_elf_close(e);
        } else {
            assert_null(e);
        }
        close(fd);
    }
}

static void test_not_elf(void **state)
{
    (void)state;
    struct zn_elf *e = NULL;
    ZN_AUTOCLOSE int fd = open("/etc/passwd", O_RDONLY | O_CLOEXEC);
    assert_int_equal(zn_elf_open(&(struct zn_elf_src){.fd = fd}, &e), -ENOEXEC);
    assert_null(e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nm),      cmocka_unit_test(test_sizes_and_nesting),
        cmocka_unit_test(test_stubs),   cmocka_unit_test(test_debug_file),
        cmocka_unit_test(test_offsets), cmocka_unit_test(test_hostile_files),
        cmocka_unit_test(test_not_elf),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
