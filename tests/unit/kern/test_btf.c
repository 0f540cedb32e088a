/* SPDX-License-Identifier: Apache-2.0 */
/* Loading kernel types: the kernel's own, files of raw BTF, ELF files, and files that are neither. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/btf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/mem.h"
#include "kern/btf.h"

static const char strs[] = "\0first\0second\0third";

static void make_btf(char *p, size_t *ret_len)
{
    struct btf_header h = {
        .magic = BTF_MAGIC,
        .version = BTF_VERSION,
        .hdr_len = sizeof(h),
        .str_len = sizeof(strs),
    };

    memcpy(p, &h, sizeof(h));
    memcpy(p + sizeof(h), strs, sizeof(strs));
    *ret_len = sizeof(h) + sizeof(strs);
}

static char path[] = "/tmp/zhen-test-btf-XXXXXX";

static void put_file(const void *p, size_t n)
{
    int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);

    assert_true(fd >= 0);
    assert_int_equal(zn_write_all(fd, p, n), 0);
    close(fd);
}

static int set_up(void **state)
{
    int fd = mkstemp(path);

    (void)state;
    assert_true(fd >= 0);
    close(fd);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    unlink(path);
    return 0;
}

static void test_raw(void **state)
{
    char buf[256];
    struct zn_kbtf *k = NULL;
    size_t len;

    (void)state;
    make_btf(buf, &len);
    put_file(buf, len);
    assert_int_equal(zn_kbtf_open(path, &k), 0);
    assert_int_equal(k->len, len);
    assert_string_equal(k->source, path);
    assert_true(zn_kbtf_has_name(k, "first"));
    assert_true(zn_kbtf_has_name(k, "third"));
    assert_false(zn_kbtf_has_name(k, "irst"));
    assert_false(zn_kbtf_has_name(k, "firs"));
    assert_false(zn_kbtf_has_name(k, "fourth"));
    zn_kbtf_close(k);
    zn_kbtf_close(NULL);
}

/* A file header, the section at an odd place, names, three section headers. */
static size_t make_elf(char *p, const char *section)
{
    static const char names[] = "\0.names\0.BTF";
    Elf64_Ehdr eh = {.e_ident = ELFMAG, .e_shentsize = sizeof(Elf64_Shdr), .e_shnum = 3};
    Elf64_Shdr sh[3] = {{0}};
    size_t at = sizeof(eh) + 3, len;

    eh.e_ident[EI_CLASS] = ELFCLASS64;
    eh.e_shstrndx = 1;
    make_btf(p + at, &len);
    sh[2] = (Elf64_Shdr){.sh_name = 8, .sh_type = SHT_PROGBITS, .sh_offset = at, .sh_size = len};
    at += len;
    memcpy(p + at, names, sizeof(names));
    memcpy(p + at + 8, section, strlen(section) + 1);
    sh[1] = (Elf64_Shdr){
        .sh_name = 1, .sh_type = SHT_STRTAB, .sh_offset = at, .sh_size = sizeof(names)};
    at += sizeof(names);
    eh.e_shoff = at;
    memcpy(p + at, sh, sizeof(sh));
    memcpy(p, &eh, sizeof(eh));
    return at + sizeof(sh);
}

static void test_elf(void **state)
{
    char buf[1024] = {0};
    size_t len = make_elf(buf, ".BTF");
    struct zn_kbtf *k = NULL;

    (void)state;
    put_file(buf, len);
    assert_int_equal(zn_kbtf_open(path, &k), 0);
    assert_int_equal((uintptr_t)k->data % 8, 0);
    assert_true(zn_kbtf_has_name(k, "second"));
    zn_kbtf_close(k);
    for (size_t n = 0; n < len; n++) { /* cut short: refused, or still whole */
        put_file(buf, n);
        if (zn_kbtf_open(path, &k) == 0)
            zn_kbtf_close(k);
    }
    len = make_elf(buf, ".XYZ");
    put_file(buf, len);
    assert_int_equal(zn_kbtf_open(path, &k), -EINVAL);
}

static void test_no_btf(void **state)
{
    struct zn_kbtf *k = NULL;

    (void)state;
    put_file("#!/bin/sh\n", 10);
    assert_int_equal(zn_kbtf_open(path, &k), -EINVAL);
    put_file("", 0);
    assert_true(zn_kbtf_open(path, &k) < 0);
    assert_int_equal(zn_kbtf_open("/no/such/file", &k), -ENOENT);
    assert_int_equal(zn_kbtf_open_module("../btf/vmlinux", &k), -ENOENT);
    assert_int_equal(zn_kbtf_open_module("no_such_module", &k), -ENOENT);
}

static int open_one(void *arg, const char *module)
{
    struct zn_kbtf *k = NULL;
    int fd;

    assert_int_equal(zn_kbtf_open_module(module, &k), 0);
    zn_kbtf_close(k);
    fd = geteuid() == 0 ? zn_kbtf_module_fd(module) : -1;
    if (fd >= 0)
        close(fd);
    ++*(unsigned *)arg;
    return 0;
}

static void test_running_kernel(void **state)
{
    struct zn_kbtf *k = NULL;
    unsigned modules = 0;

    (void)state;
    if (access("/sys/kernel/btf/vmlinux", R_OK) != 0)
        skip();
    assert_int_equal(zn_kbtf_open(NULL, &k), 0);
    assert_true(zn_kbtf_has_name(k, "task_struct"));
    assert_true(zn_kbtf_has_name(k, "BPF_FUNC_map_lookup_elem"));
    assert_false(zn_kbtf_has_name(k, "no_such_name_in_any_kernel"));
    zn_kbtf_close(k);
    assert_int_equal(zn_kbtf_modules(open_one, &modules), 0);
    assert_true(zn_kbtf_module_fd("no_such_module") < 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_raw),
        cmocka_unit_test(test_elf),
        cmocka_unit_test(test_no_btf),
        cmocka_unit_test(test_running_kernel),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
