/* SPDX-License-Identifier: Apache-2.0 */
/* The table of system calls against the running kernel: every sys_enter_X that it lists has a row with
 * as many arguments, and calling by the row's number makes that event. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "arch/arch.h"
#include "base/file.h"
#include "base/mem.h"
#include "kern/tracefs.h"

/* Calls that end, stop or copy the caller, or that touch the whole machine, whatever their arguments. */
static const char *const not_called[] = {
    "exit",   "exit_group", "fork",   "vfork",  "clone",      "clone3",          "pause",
    "sync",   "vhangup",    "reboot", "uprobe", "uretprobe",  "rt_sigreturn",    "sched_yield",
    "setsid", "kill",       "tkill",  "tgkill", "kexec_load", "restart_syscall",
};

static char root[ZN_TRACEFS_PATH];
static bool wanted[1024]; /* by row: called, and the kernel has its event */

static bool is_called(const struct zn_syscall *s)
{
    for (size_t i = 0; i < ZN_ARRAY_SIZE(not_called); i++)
        if (strcmp(not_called[i], s->name) == 0)
            return false;
    return s->entry != NULL;
}

static void test_table(void **state)
{
    static const struct zn_arch *const archs[] = {&zn_arch_x86_64, &zn_arch_arm64};

    (void)state;
    for (size_t k = 0; k < ZN_ARRAY_SIZE(archs); k++) {
        const struct zn_arch *a = archs[k];

        for (unsigned i = 0; i < a->nsyscalls; i++) {
            const struct zn_syscall *s = &a->syscalls[i];

            assert_true(i == 0 || s[-1].nr < s->nr);
            assert_true(s->nr < (int)a->max_nr && s->nargs <= a->nsysargs);
            assert_ptr_equal(zn_syscall_by_nr(a, s->nr), s);
            if (s->entry)
                assert_ptr_equal(zn_syscall_by_entry(a, s->entry), s);
        }
        assert_null(zn_syscall_by_nr(a, -1));
        assert_null(zn_syscall_by_nr(a, (int)a->max_nr));
        assert_null(zn_syscall_by_entry(a, "no_such_call"));
        assert_int_equal(zn_syscall_by_entry(a, "openat")->nargs, 4);
    }
    assert_string_equal(zn_syscall_by_nr(&zn_arch_x86_64, 63)->entry, "newuname");
    assert_string_equal(zn_syscall_by_nr(&zn_arch_x86_64, 40)->name, "sendfile");
    assert_int_equal(zn_syscall_by_entry(&zn_arch_arm64, "newfstat")->nr, 80);
    assert_string_equal(zn_arch_native()->regs[0].name,
                        zn_arch_native() == &zn_arch_x86_64 ? "r15" : "r0");
}

/* Registers that a call gets: the fields after its number, without copies of strings. */
static unsigned format_args(const char *event)
{
    struct zn_event_format f;
    unsigned n = 0;
    bool after = false;

    assert_int_equal(zn_event_format_read(root, "syscalls", event, &f), 0);
    for (size_t i = 0; i < f.nfields; i++) {
        if (strstr(f.fields[i].decl, "__syscall_nr"))
            after = true;
        else if (after && f.fields[i].size == 8)
            n++;
    }
    zn_event_format_fini(&f);
    return n;
}

/* Kernels before 7.2 read three arguments of bpf; the row holds the most that any kernel reads. */
static bool same_args(const struct zn_syscall *s, unsigned listed)
{
    return listed == s->nargs || (listed == 3 && strcmp(s->name, "bpf") == 0);
}

static void test_listed(void **state)
{
    struct zn_tracefs_names l;
    unsigned seen = 0, wrong = 0;

    (void)state;
    if (zn_tracefs_find(root) < 0 || zn_tracefs_list(root, "events/syscalls", &l) < 0)
        skip();
    for (size_t i = 0; i < l.n; i++) {
        const struct zn_syscall *s;

        if (strncmp(l.v[i], "sys_enter_", 10) != 0)
            continue;
        seen++;
        s = zn_syscall_by_entry(zn_arch_native(), l.v[i] + 10);
        if (s && same_args(s, format_args(l.v[i])))
            continue;
        print_error("%s has %u arguments, its row %d\n", l.v[i], format_args(l.v[i]),
                    s ? s->nargs : -1);
        wrong++;
    }
    zn_tracefs_names_fini(&l);
    assert_int_equal(wrong, 0);
    print_message("%u calls have a row\n", seen);
}

static int write_file(const char *dir, const char *file, const char *text)
{
    char path[512];

    snprintf(path, sizeof(path), "%s/%s", dir, file);
    ZN_AUTOCLOSE int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
    return fd < 0 ? -errno : zn_write_all(fd, text, strlen(text));
}

static bool has_event(const struct zn_syscall *s)
{
    char path[512];

    snprintf(path, sizeof(path), "%s/events/syscalls/sys_enter_%s", root, s->entry);
    return access(path, F_OK) == 0;
}

/* In the child: each call once, with arguments that all are -1. */
static void call_all(int go)
{
    const struct zn_arch *a = zn_arch_native();
    char c;

    if (read(go, &c, 1) != 1)
        _exit(1);
    for (unsigned i = 0; i < a->nsyscalls; i++)
        if (wanted[i])
            syscall(a->syscalls[i].nr, -1L, -1L, -1L, -1L, -1L, -1L);
    _exit(0);
}

static bool wait_for(pid_t pid, unsigned seconds)
{
    int status = 0;

    for (unsigned i = 0; i < seconds * 100; i++) {
        const struct timespec tick = {.tv_nsec = 10000000};

        if (waitpid(pid, &status, WNOHANG) == pid)
            return WIFEXITED(status) && WEXITSTATUS(status) == 0;
        nanosleep(&tick, NULL);
    }
    kill(pid, SIGKILL);
    waitpid(pid, &status, 0);
    return false;
}

/* "  prog-12 [000] ..... 1.5: sys_openat(dfd: …", in the order of the calls. */
static unsigned count_in_trace(char *text)
{
    const struct zn_arch *a = zn_arch_native();
    char *at = text;
    unsigned found = 0;

    for (unsigned i = 0; i < a->nsyscalls; i++) {
        char want[64];
        char *hit;

        if (!wanted[i])
            continue;
        snprintf(want, sizeof(want), ": sys_%s(", a->syscalls[i].entry);
        hit = strstr(at, want);
        if (!hit)
            fail_msg("number %d makes no sys_enter_%s", a->syscalls[i].nr, a->syscalls[i].entry);
        at = hit + strlen(want);
        found++;
    }
    return found;
}

static void test_called(void **state)
{
    char dir[ZN_TRACEFS_PATH + 64], path[512], pid_text[16];
    char *text = NULL;
    int pipe_fd[2];
    size_t len;
    pid_t pid;
    bool done;

    (void)state;
    if (geteuid() != 0 || zn_tracefs_find(root) < 0)
        skip();
    snprintf(dir, sizeof(dir), "%s/instances/zhen_test_%d", root, (int)getpid());
    if (mkdir(dir, 0700) < 0) {
        print_message("no tracing instance: %s\n", strerror(errno));
        skip();
    }
    for (unsigned i = 0; i < zn_arch_native()->nsyscalls; i++)
        wanted[i] =
            is_called(&zn_arch_native()->syscalls[i]) && has_event(&zn_arch_native()->syscalls[i]);
    assert_return_code(pipe(pipe_fd), errno);
    fflush(NULL);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0)
        call_all(pipe_fd[0]);
    snprintf(pid_text, sizeof(pid_text), "%d", (int)pid);
    write_file(dir, "set_event_pid", pid_text);
    write_file(dir, "events/syscalls/enable", "1");
    assert_int_equal(zn_write_all(pipe_fd[1], "g", 1), 0);
    done = wait_for(pid, 20);
    write_file(dir, "events/syscalls/enable", "0");
    snprintf(path, sizeof(path), "%s/trace", dir);
    assert_int_equal(zn_file_read(path, 0, &text, &len), 0);
    rmdir(dir);
    close(pipe_fd[0]);
    close(pipe_fd[1]);
    if (!done)
        fail_msg("a call did not return; the last ones were:\n%s",
                 text + (len > 600 ? len - 600 : 0));
    print_message("%u calls made their event\n", count_in_trace(text));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_listed),
        cmocka_unit_test(test_called),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
