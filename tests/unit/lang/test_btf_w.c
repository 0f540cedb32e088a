/* SPDX-License-Identifier: Apache-2.0 */
/* The BTF writer: the blob's shape here, the kernel's opinion where bpf(2) is allowed. */
#include <errno.h>
#include <linux/bpf.h>
#include <linux/btf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/mem.h"
#include "lang/btf_w.h"
#include "lang/ir.h"

static const char script[] = "# a script\n"
                             "kprobe:f {\n"
                             "    @a = count();   @b = 1\n"
                             "}\n";

static int set_up(void **state)
{
    static struct zn_arena a;
    zn_arena_init(&a);
    *state = &a;
    return 0;
}

static int tear_down(void **state)
{
    zn_arena_fini(*state);
    return 0;
}

static uint32_t all_kinds(struct zn_btf_w *w)
{
    uint32_t u64 = zn_btf_w_int(w, "u64", 8, false), s32 = zn_btf_w_int(w, "int", 4, true);
    uint32_t arr = zn_btf_w_array(w, u64, s32, 16), ptr = zn_btf_w_ptr(w, u64);
    const struct zn_btf_member members[] = {{"key", u64, 0}, {"p", ptr, 64}, {"a", arr, 128}};
    uint32_t st = zn_btf_w_struct(w, "value", 144, members, 3);
    uint32_t var = zn_btf_w_var(w, "state", st);
    const struct zn_btf_secinfo sec[] = {{var, 0, 144}};
    zn_btf_w_datasec(w, ".bss", 144, sec, 1);
    const struct zn_btf_member params[] = {{"ctx", ptr, 0}};
    return zn_btf_w_func(w, "probe", zn_btf_w_proto(w, s32, params, 1));
}

static void test_blob(void **state)
{
    struct zn_btf_w *w = zn_btf_w_new(*state);
    assert_int_equal(all_kinds(w), 9);
    uint32_t off = zn_btf_w_str(w, "u64", 3);
    assert_int_equal(zn_btf_w_str(w, "u64x", 3), off);
    assert_int_equal(zn_btf_w_str(w, "", 0), 0);
    char name[16];
    for (int k = 0; k < 500; k++) {
        int n = snprintf(name, sizeof(name), "name%d", k % 250);
        uint32_t at = zn_btf_w_str(w, name, (size_t)n);
        assert_int_equal(at, zn_btf_w_str(w, name, (size_t)n));
    }
    size_t len;
    const uint8_t *blob = zn_btf_w_finish(w, &len);
    struct btf_header h;
    memcpy(&h, blob, sizeof(h));
    assert_int_equal(h.magic, BTF_MAGIC);
    assert_int_equal(h.hdr_len + h.type_len + h.str_len, len);
    assert_int_equal(h.str_off, h.type_len);
    const char *strs = (const char *)blob + h.hdr_len + h.str_off;
    assert_string_equal(strs, "");
    assert_string_equal(strs + off, "u64");
    assert_int_equal(strs[h.str_len - 1], 0);
}

static struct zn_code two_lines(struct zn_arena *a)
{
    struct zn_ir_fn *f = zn_ir_fn_new(a, "probe");
    zn_ir_call(f, BPF_FUNC_ktime_get_ns, ZN_V_SCALAR, 0);
    f->pos = (struct zn_pos){11, 19};
    zn_vreg t = zn_ir_call(f, BPF_FUNC_ktime_get_ns, ZN_V_SCALAR, 0);
    f->pos = (struct zn_pos){26, 38};
    t = zn_ir_alui(f, ALU_ADD, 8, t, 0x123456789abc);
    f->pos = (struct zn_pos){42, 48};
    zn_ir_retv(f, t);
    struct zn_code code;
    const char *why;
    assert_int_equal(zn_ir_assemble(f, false, &code, &why), 0);
    return code;
}

static void test_lines(void **state)
{
    struct zn_btf_w *w = zn_btf_w_new(*state);
    const struct zn_source src = {"s.bt", script, sizeof(script) - 1};
    struct zn_code code = two_lines(*state);
    uint32_t func = all_kinds(w);
    const struct zn_btf_part parts[] = {{&code, 0, func}, {&code, code.n, func}};
    struct zn_btf_info info = zn_btf_w_info(w, &src, parts, 2);
    assert_int_equal(info.nfuncs, 2);
    assert_int_equal(info.funcs[1].insn_off, code.n);
    assert_int_equal(info.nlines, 4);
    assert_int_equal(info.lines[0].insn_off, 0);
    assert_int_equal(info.lines[0].line_col, 2 << 10 | 1);
    assert_int_equal(info.lines[1].line_col, 3 << 10 | 5);
    assert_int_equal(info.lines[1].insn_off, 2);
    assert_int_equal(info.lines[2].insn_off, code.n);
    size_t len;
    const uint8_t *blob = zn_btf_w_finish(w, &len);
    struct btf_header h;
    memcpy(&h, blob, sizeof(h));
    const char *strs = (const char *)blob + h.hdr_len + h.str_off;
    assert_string_equal(strs + info.lines[1].line_off, "    @a = count();   @b = 1");
    assert_string_equal(strs + info.lines[1].file_name_off, "s.bt");
}

static void test_no_position(void **state)
{
    struct zn_btf_w *w = zn_btf_w_new(*state);
    struct zn_ir_fn *f = zn_ir_fn_new(*state, "probe");
    zn_ir_ret(f, 0);
    struct zn_code code;
    const char *why;
    assert_int_equal(zn_ir_assemble(f, false, &code, &why), 0);
    const struct zn_source src = {"stdin", "", 0};
    const struct zn_btf_part part = {&code, 0, all_kinds(w)};
    struct zn_btf_info info = zn_btf_w_info(w, &src, &part, 1);
    assert_int_equal(info.nlines, 1);
    assert_int_equal(info.lines[0].line_col, 1 << 10 | 1);
}

/* The kernel takes the blob, and its log quotes the script. */
static void test_kernel(void **state)
{
    struct zn_btf_w *w = zn_btf_w_new(*state);
    const struct zn_source src = {"s.bt", script, sizeof(script) - 1};
    struct zn_code code = two_lines(*state);
    const struct zn_btf_part part = {&code, 0, all_kinds(w)};
    struct zn_btf_info info = zn_btf_w_info(w, &src, &part, 1);
    size_t len;
    const void *blob = zn_btf_w_finish(w, &len);
    ZN_AUTOFREE char *log = calloc(1, 1 << 16);
    union bpf_attr attr = {.btf = (uintptr_t)blob,
                           .btf_size = (uint32_t)len,
                           .btf_log_buf = (uintptr_t)log,
                           .btf_log_size = 1 << 16,
                           .btf_log_level = 1};
    ZN_AUTOCLOSE int btf = (int)syscall(SYS_bpf, BPF_BTF_LOAD, &attr, sizeof(attr));
    if (btf < 0 && (errno == EPERM || errno == ENOSYS))
        skip();
    if (btf < 0)
        fail_msg("btf: %s: %s", strerror(errno), log);
    union bpf_attr prog = {.prog_type = BPF_PROG_TYPE_RAW_TRACEPOINT,
                           .insns = (uintptr_t)code.insns,
                           .insn_cnt = code.n,
                           .license = (uintptr_t) "GPL",
                           .log_level = 2,
                           .log_buf = (uintptr_t)log,
                           .log_size = 1 << 16,
                           .prog_btf_fd = (uint32_t)btf,
                           .func_info = (uintptr_t)info.funcs,
                           .func_info_cnt = info.nfuncs,
                           .func_info_rec_size = sizeof(*info.funcs),
                           .line_info = (uintptr_t)info.lines,
                           .line_info_cnt = info.nlines,
                           .line_info_rec_size = sizeof(*info.lines)};
    ZN_AUTOCLOSE int fd = (int)syscall(SYS_bpf, BPF_PROG_LOAD, &prog, sizeof(prog));
    if (fd < 0)
        fail_msg("program: %s: %s", strerror(errno), log);
    assert_non_null(strstr(log, "@a = count();"));
    assert_non_null(strstr(log, "s.bt:3"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_blob, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_lines, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_no_position, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_kernel, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
