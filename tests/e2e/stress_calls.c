// SPDX-License-Identifier: Apache-2.0
// Makes as many different system calls as it safely can, each a known number of times.
//
// stress_calls calls     prints `NUMBER COUNT` lines, stops, makes them, stops again
// stress_calls io N      writes 1 … N bytes to one file and reads them, between two stops
// stress_calls exec N    forks N children that execve, and N that execveat, this program
// stress_calls threads T N   T threads that each call getppid N times
//
// Most calls get arguments that are refused (descriptor -1, an address that is no memory): the
// entry counts all the same, and nothing happens. Calls go directly to the kernel, so the C library
// adds none. Output is written before the first stop, but for the word at the end.
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

struct call {
    long number;
    long args[6];
};

#define BAD 1 // an address that no process has
#define FD  (-1L)
#define C(name, ...)    \
    {                   \
        SYS_##name,     \
        {               \
            __VA_ARGS__ \
        }               \
    }

static const struct call calls[] = {
    C(read, FD, BAD, 1),
    C(write, FD, BAD, 1),
    C(close, FD),
    C(fstat, FD, BAD),
    C(lseek, FD, 0, 0),
    C(mmap, BAD, 0, 0, 0, FD, 0),
    C(mprotect, BAD, 1, 0),
    C(munmap, BAD, 0),
    C(brk, 0),
    C(rt_sigaction, 999, 0, 0, 8),
    C(rt_sigprocmask, 99, 0, 0, 8),
    C(ioctl, FD, 0, 0),
    C(pread64, FD, BAD, 1, 0),
    C(pwrite64, FD, BAD, 1, 0),
    C(readv, FD, BAD, 1),
    C(writev, FD, BAD, 1),
    C(sched_yield),
    C(mremap, BAD, 1, 1, 0, 0),
    C(msync, BAD, 1, 0),
    C(mincore, BAD, 1, BAD),
    C(madvise, BAD, 1, 0),
    C(shmget, 0x7a68656e, 0, 0),
    C(shmat, FD, 0, 0),
    C(shmctl, FD, 99, 0),
    C(dup, FD),
    C(nanosleep, BAD, 0),
    C(getitimer, 99, BAD),
    C(setitimer, 99, BAD, 0),
    C(getpid),
    C(sendfile, FD, FD, 0, 1),
    C(socket, FD, 0, 0),
    C(connect, FD, BAD, 1),
    C(accept, FD, 0, 0),
    C(sendto, FD, BAD, 1, 0, 0, 0),
    C(recvfrom, FD, BAD, 1, 0, 0, 0),
    C(sendmsg, FD, BAD, 0),
    C(recvmsg, FD, BAD, 0),
    C(shutdown, FD, 0),
    C(bind, FD, BAD, 1),
    C(listen, FD, 1),
    C(getsockname, FD, BAD, BAD),
    C(getpeername, FD, BAD, BAD),
    C(socketpair, FD, 0, 0, BAD),
    C(setsockopt, FD, 0, 0, BAD, 1),
    C(getsockopt, FD, 0, 0, BAD, BAD),
    C(clone, 0x800, 0, 0, 0, 0),
    C(wait4, FD, 0, 1, 0),
    C(uname, BAD),
    C(semget, 0x7a68656e, 0, 0),
    C(semop, FD, BAD, 1),
    C(semctl, FD, 0, 99, 0),
    C(shmdt, BAD),
    C(msgget, 0x7a68656e, 0),
    C(msgsnd, FD, BAD, 1, 0),
    C(msgrcv, FD, BAD, 1, 0, 0),
    C(msgctl, FD, 99, 0),
    C(fcntl, FD, 0, 0),
    C(flock, FD, 0),
    C(fsync, FD),
    C(fdatasync, FD),
    C(ftruncate, FD, 0),
    C(getcwd, BAD, 0),
    C(fchdir, FD),
    C(fchmod, FD, 0),
    C(fchown, FD, 0, 0),
    C(gettimeofday, BAD, 0),
    C(getrlimit, 99, BAD),
    C(getrusage, 99, BAD),
    C(sysinfo, BAD),
    C(times, BAD),
    C(getuid),
    C(syslog, FD, 0, 0),
    C(getgid),
    C(setuid, -1L),
    C(setgid, -1L),
    C(geteuid),
    C(getegid),
    C(setpgid, -1L, 0),
    C(getppid),
    C(setreuid, -1L, -1L),
    C(setregid, -1L, -1L),
    C(getgroups, -1L, 0),
    C(setresuid, -1L, -1L, -1L),
    C(getresuid, BAD, BAD, BAD),
    C(setresgid, -1L, -1L, -1L),
    C(getresgid, BAD, BAD, BAD),
    C(getpgid, -1L),
    C(setfsuid, -1L),
    C(setfsgid, -1L),
    C(getsid, -1L),
    C(capget, BAD, BAD),
    C(rt_sigpending, BAD, 99),
    C(rt_sigtimedwait, BAD, 0, 0, 8),
    C(rt_sigqueueinfo, 0, 0, BAD),
    C(rt_sigsuspend, BAD, 99),
    C(sigaltstack, 0, 0),
    C(personality, 0xffffffffL),
    C(statfs, BAD, BAD),
    C(fstatfs, FD, BAD),
    C(getpriority, 99, 0),
    C(setpriority, 99, 0, 0),
    C(sched_setparam, -1L, 0),
    C(sched_getparam, -1L, 0),
    C(sched_setscheduler, -1L, 0, 0),
    C(sched_getscheduler, -1L),
    C(sched_get_priority_max, 99),
    C(sched_get_priority_min, 99),
    C(sched_rr_get_interval, -1L, BAD),
    C(mlock, -1L, 1),
    C(munlock, -1L, 1),
    C(mlockall, 0),
    C(munlockall),
    C(pivot_root, BAD, BAD),
    C(prctl, -1L, 0, 0, 0, 0),
    C(adjtimex, BAD),
    C(setrlimit, 99, BAD),
    C(chroot, BAD),
    C(settimeofday, BAD, 0),
    C(umount2, BAD, 0),
    C(swapon, BAD, 0),
    C(swapoff, BAD),
    C(sethostname, BAD, -1L),
    C(setdomainname, BAD, -1L),
    C(delete_module, BAD, 0),
    C(quotactl, -1L, 0, 0, 0),
    C(gettid),
    C(readahead, FD, 0, 0),
    C(setxattr, BAD, BAD, BAD, 0, 0),
    C(lsetxattr, BAD, BAD, BAD, 0, 0),
    C(fsetxattr, FD, BAD, BAD, 0, 0),
    C(getxattr, BAD, BAD, 0, 0),
    C(lgetxattr, BAD, BAD, 0, 0),
    C(fgetxattr, FD, BAD, 0, 0),
    C(listxattr, BAD, 0, 0),
    C(llistxattr, BAD, 0, 0),
    C(flistxattr, FD, 0, 0),
    C(removexattr, BAD, BAD),
    C(lremovexattr, BAD, BAD),
    C(fremovexattr, FD, BAD),
    C(tkill, -1L, 0),
    C(futex, BAD, 0, 0, 0, 0, 0),
    C(sched_setaffinity, -1L, 0, BAD),
    C(sched_getaffinity, 0, 0, BAD),
    C(io_setup, 0, BAD),
    C(io_destroy, BAD),
    C(io_getevents, BAD, 0, 0, 0, 0),
    C(io_submit, BAD, 0, 0),
    C(io_cancel, BAD, BAD, BAD),

    C(remap_file_pages, BAD, 1, 1, 0, 0),
    C(getdents64, FD, BAD, 0),
    C(set_tid_address, 0),
    C(semtimedop, FD, BAD, 1, 0),
    C(fadvise64, FD, 0, 0, 0),
    C(timer_create, 99, 0, BAD),
    C(timer_settime, -1L, 0, BAD, 0),
    C(timer_gettime, -1L, BAD),
    C(timer_getoverrun, -1L),
    C(timer_delete, -1L),
    C(clock_settime, 99, BAD),
    C(clock_gettime, 99, BAD),
    C(clock_getres, 99, BAD),
    C(clock_nanosleep, 99, 0, BAD, 0),

    C(epoll_ctl, FD, 0, FD, BAD),
    C(tgkill, -1L, -1L, 0),
    C(mbind, BAD, 1, 0, 0, 0, 0),
    C(set_mempolicy, 99, 0, 0),
    C(get_mempolicy, BAD, 0, 0, 0, -1L),
    C(mq_open, BAD, 0, 0, 0),
    C(mq_unlink, BAD),
    C(mq_timedsend, FD, BAD, 1, 0, 0),
    C(mq_timedreceive, FD, BAD, 1, 0, 0),
    C(mq_notify, FD, 0),
    C(mq_getsetattr, FD, 0, 0),
    C(waitid, 99, 0, 0, 0, 0),
    C(add_key, BAD, BAD, 0, 0, 0),
    C(request_key, BAD, BAD, 0, 0),
    C(keyctl, -1L, 0, 0, 0, 0),
    C(ioprio_set, 99, 0, 0),
    C(ioprio_get, 99, 0),
    C(inotify_add_watch, FD, BAD, 0),
    C(inotify_rm_watch, FD, 0),
    C(openat, FD, BAD, 0, 0),
    C(mkdirat, FD, BAD, 0),
    C(mknodat, FD, BAD, 0, 0),
    C(fchownat, FD, BAD, 0, 0, 0),

    C(newfstatat, FD, BAD, BAD, 0),
    C(unlinkat, FD, BAD, 0),
    C(renameat, FD, BAD, FD, BAD),
    C(linkat, FD, BAD, FD, BAD, 0),
    C(symlinkat, BAD, FD, BAD),
    C(readlinkat, FD, BAD, BAD, 1),
    C(fchmodat, FD, BAD, 0),
    C(faccessat, FD, BAD, 0),
    C(pselect6, -1L, 0, 0, 0, 0, 0),
    C(ppoll, BAD, 1, BAD, 0, 8),
    C(unshare, 0x7fL),
    C(set_robust_list, 0, 0),
    C(get_robust_list, -1L, BAD, BAD),
    C(splice, FD, 0, FD, 0, 1, 0),
    C(tee, FD, FD, 1, 0),
    C(sync_file_range, FD, 0, 0, 0),
    C(vmsplice, FD, BAD, 1, 0),
    C(move_pages, -1L, 1, BAD, 0, BAD, 0),
    C(utimensat, FD, BAD, BAD, 0),
    C(epoll_pwait, FD, BAD, 1, 0, 0, 0),
    C(timerfd_create, 99, 0),
    C(fallocate, FD, 0, 0, 1),
    C(timerfd_settime, FD, 0, BAD, 0),
    C(timerfd_gettime, FD, BAD),
    C(accept4, FD, 0, 0, -1L),
    C(signalfd4, FD, BAD, 99, 0),
    C(eventfd2, 0, -1L),
    C(epoll_create1, -1L),
    C(dup3, FD, FD, 0),
    C(pipe2, BAD, -1L),
    C(inotify_init1, -1L),
    C(preadv, FD, BAD, 1, 0, 0),
    C(pwritev, FD, BAD, 1, 0, 0),
    C(rt_tgsigqueueinfo, -1L, -1L, 0, BAD),
    C(perf_event_open, BAD, 0, 0, 0, 0),
    C(recvmmsg, FD, BAD, 1, 0, 0),
    C(fanotify_init, -1L, 0),
    C(prlimit64, -1L, 0, 0, 0),
    C(name_to_handle_at, FD, BAD, BAD, BAD, 0),
    C(open_by_handle_at, FD, BAD, 0),
    C(clock_adjtime, 99, BAD),
    C(syncfs, FD),
    C(sendmmsg, FD, BAD, 1, 0),
    C(setns, FD, 0),
    C(getcpu, 0, 0, 0),
    C(process_vm_readv, -1L, 0, 0, 0, 0, 0),
    C(process_vm_writev, -1L, 0, 0, 0, 0, 0),
    C(kcmp, -1L, -1L, 0, 0, 0),
    C(finit_module, FD, BAD, 0),
    C(sched_setattr, -1L, BAD, 0),
    C(sched_getattr, -1L, BAD, 0, 0),
    C(renameat2, FD, BAD, FD, BAD, 0),
    C(seccomp, -1L, 0, 0),
    C(getrandom, BAD, 0, 0),
    C(memfd_create, BAD, 0),
    C(bpf, -1L, 0, 0),
    C(execve, BAD, 0, 0),
    C(execveat, FD, BAD, 0, 0, 0),
    C(userfaultfd, -1L),
    C(membarrier, -1L, 0, 0),
    C(mlock2, -1L, 1, 0),
    C(copy_file_range, FD, 0, FD, 0, 1, 0),
    C(preadv2, FD, BAD, 1, 0, 0, 0),
    C(pwritev2, FD, BAD, 1, 0, 0, 0),
    C(pkey_mprotect, BAD, 1, 0, -1L),
    C(pkey_alloc, -1L, 0),
    C(pkey_free, -1L),
    C(statx, FD, BAD, 0, 0, BAD),
    C(pidfd_send_signal, FD, 0, 0, 0),
    C(open_tree, FD, BAD, 0),
    C(move_mount, FD, BAD, FD, BAD, 0),
    C(fsopen, BAD, 0),
    C(fsconfig, FD, 0, 0, 0, 0),
    C(fsmount, FD, 0, 0),
    C(fspick, FD, BAD, 0),
    C(pidfd_open, -1L, 0),
    C(clone3, 0, 0),
    C(openat2, FD, BAD, BAD, 0),
    C(pidfd_getfd, FD, 0, 0),
    C(faccessat2, FD, BAD, 0, 0),
    C(process_madvise, FD, 0, 0, 0, 0),
    C(epoll_pwait2, FD, BAD, 1, 0, 0, 0),
    C(mount_setattr, FD, BAD, 0, BAD, 0),
    C(landlock_create_ruleset, BAD, 0, 0),
    C(landlock_add_rule, FD, 0, 0, 0),
    C(landlock_restrict_self, FD, 0),
#ifdef __x86_64__
    C(epoll_wait, FD, BAD, 1, 0),
    C(epoll_create, 0),
    C(futimesat, FD, BAD, BAD),
    C(open, BAD, 0, 0),
    C(stat, BAD, BAD),
    C(lstat, BAD, BAD),
    C(poll, BAD, 1, 0),
    C(access, BAD, 0),
    C(pipe, BAD),
    C(select, -1L, 0, 0, 0, 0),
    C(dup2, FD, FD),
    C(alarm, 0),
    C(rename, BAD, BAD),
    C(mkdir, BAD, 0),
    C(rmdir, BAD),
    C(creat, BAD, 0),
    C(link, BAD, BAD),
    C(unlink, BAD),
    C(symlink, BAD, BAD),
    C(readlink, BAD, BAD, 1),
    C(chmod, BAD, 0),
    C(chown, BAD, 0, 0),
    C(lchown, BAD, 0, 0),
    C(getpgrp),
    C(utime, BAD, BAD),
    C(mknod, BAD, 0, 0),
    C(ustat, -1L, BAD),
    C(sysfs, -1L, 0, 0),
    C(modify_ldt, 99, 0, 0),
    C(arch_prctl, -1L, 0),
    C(iopl, 99),
    C(ioperm, -1L, 1, 0),
    C(time, 0),
    C(utimes, BAD, BAD),
    C(signalfd, FD, BAD, 99),
    C(getdents, FD, BAD, 0),
#endif
};
#define CALLS (sizeof(calls) / sizeof(calls[0]))

static int count_of(long number)
{
    return 2 + (int)(number % 7);
}

static void stop(void)
{
    syscall(SYS_kill, getpid(), SIGSTOP);
}

static void say_done(void)
{
    static const char word[] = "done\n";
    syscall(SYS_write, 1, word, sizeof(word) - 1);
}

// The stop at the end is a kill, the word before it a write, and asking for the pid a getpid.
static void make_calls(void)
{
    for (size_t i = 0; i < CALLS; i++) {
        long n = calls[i].number;
        int more = (n == SYS_write) + (n == SYS_getpid);
        printf("%ld %d\n", n, count_of(n) + more);
    }
    printf("%d 1\n", SYS_kill);
    fflush(stdout);
    stop();
    for (size_t i = 0; i < CALLS; i++) {
        const long *a = calls[i].args;
        for (int k = count_of(calls[i].number); k > 0; k--)
            syscall(calls[i].number, a[0], a[1], a[2], a[3], a[4], a[5]);
    }
    say_done();
    stop();
}

static void make_io(long n)
{
    static char bytes[65536];
    int fd = (int)syscall(SYS_memfd_create, "io", 0);
    int far = fcntl(fd, F_DUPFD, 100);
    printf("%d\n", far);
    fflush(stdout);
    stop();
    for (long i = 1; i <= n; i++)
        syscall(SYS_write, far, bytes, i);
    syscall(SYS_lseek, far, 0, 0);
    for (long i = 1; i <= n; i++)
        syscall(SYS_read, far, bytes, i);
    syscall(SYS_read, far, bytes, 77777); // the end: 0
    syscall(SYS_read, -1, bytes, 1);      // EBADF
    say_done();
    stop();
}

static void make_execs(const char *self, long n)
{
    char *args[] = {(char *)self, "nothing", NULL}, *env[] = {NULL};
    stop();
    for (long i = 0; i < 2 * n; i++) {
        pid_t pid = fork();
        if (pid == 0) {
            if (i < n)
                syscall(SYS_execve, self, args, env);
            else
                syscall(SYS_execveat, AT_FDCWD, self, args, env, 0);
            _exit(1);
        }
        waitpid(pid, NULL, 0);
    }
    say_done();
    stop();
}

static long thread_calls;

static void *thread(void *unused)
{
    for (long i = 0; i < thread_calls; i++)
        syscall(SYS_getppid);
    return unused;
}

static void make_threads(long threads, long n)
{
    pthread_t ids[64];
    thread_calls = n;
    stop();
    for (long i = 0; i < threads && i < 64; i++)
        pthread_create(&ids[i], NULL, thread, NULL);
    for (long i = 0; i < threads && i < 64; i++)
        pthread_join(ids[i], NULL);
    say_done();
    stop();
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    long n = argc > 2 ? strtol(argv[2], NULL, 10) : 0;
    if (strcmp(what, "calls") == 0)
        make_calls();
    else if (strcmp(what, "io") == 0)
        make_io(n);
    else if (strcmp(what, "exec") == 0)
        make_execs(argv[0], n);
    else if (strcmp(what, "threads") == 0)
        make_threads(n, argc > 3 ? strtol(argv[3], NULL, 10) : 0);
    return 0;
}
