# Which programs there are, on which hooks: merging of system calls, splitting of probes, fallbacks.

NAME six probes, two programs
PROG
t:syscalls:sys_enter_read { @r = count(); } t:syscalls:sys_exit_read { @b = sum(args.ret); } t:syscalls:sys_enter_write { @w = count(); }
t:syscalls:sys_exit_write { @e = count(); } t:syscalls:sys_enter_openat { @o = count(); } t:syscalls:sys_enter_futex { @f = count(); }
PROGS
sys_enter raw_tp event=sys_enter: tracepoint:syscalls:sys_enter_read
sys_exit btf expected=23 event=sys_exit: tracepoint:syscalls:sys_exit_read
attached 6
---
NAME the prefix-less spelling
PROG
syscalls::sys_enter_read, syscalls::sys_enter_write { @[probe] = count(); }
PROGS
sys_enter raw_tp event=sys_enter: syscalls::sys_enter_read
attached 2
---
NAME a wildcard over all calls: those without a number stay on perf
PROG
t:syscalls:sys_enter_* { @[probe] = count(); }
PROGS
sys_enter raw_tp event=sys_enter: tracepoint:syscalls:sys_enter_close
sys_enter_newes perf_tp: tracepoint:syscalls:sys_enter_newest
attached 8
---
NAME every call, entry and exit
PROG
t:syscalls:* { @[probe] = count(); }
PROGS
sys_enter raw_tp event=sys_enter: tracepoint:syscalls:sys_enter_close
sys_exit btf expected=23 event=sys_exit: tracepoint:syscalls:sys_exit_close
sys_enter_newes perf_tp: tracepoint:syscalls:sys_enter_newest
attached 12
---
NAME raw_syscalls and system calls in one program
PROG
t:raw_syscalls:sys_enter { @a = count(); } t:syscalls:sys_enter_read { @r = count(); }
PROGS
sys_enter raw_tp event=sys_enter: tracepoint:raw_syscalls:sys_enter
attached 2
---
NAME kernel stacks need the perf tracepoint
PROG
t:syscalls:sys_enter_read { @[kstack] = count(); } t:syscalls:sys_enter_write { @w = count(); }
PROGS
sys_enter_read perf_tp: tracepoint:syscalls:sys_enter_read
sys_enter raw_tp event=sys_enter: tracepoint:syscalls:sys_enter_write
attached 2
---
NAME arguments want types that the verifier knows
PROG
t:syscalls:sys_enter_read { @ = sum(args.count); }
PROGS
sys_enter btf expected=23 event=sys_enter: tracepoint:syscalls:sys_enter_read
attached 1
---
NAME without them: a plain raw tracepoint
OPT features=-tp_btf
PROG
t:syscalls:sys_enter_read { @ = sum(args.count); }
PROGS
sys_enter raw_tp event=sys_enter: tracepoint:syscalls:sys_enter_read
attached 1
---
NAME without raw tracepoints: perf
OPT features=none
PROG
t:syscalls:sys_enter_read, t:syscalls:sys_exit_read { @[probe] = count(); }
PROGS
sys_enter_read perf_tp: tracepoint:syscalls:sys_enter_read
sys_exit_read perf_tp: tracepoint:syscalls:sys_exit_read
attached 2
---
NAME arm64
OPT arch=arm64
PROG
t:syscalls:sys_enter_read, t:syscalls:sys_enter_openat { @[probe] = count(); }
PROGS
sys_enter raw_tp event=sys_enter: tracepoint:syscalls:sys_enter_read
attached 2
---
NAME a tracepoint whose record is read
PROG
t:sched:sched_switch { @[args.next_comm] = count(); }
PROGS
sched_switch perf_tp: tracepoint:sched:sched_switch
attached 1
---
NAME a tracepoint of which nothing is read
PROG
t:sched:sched_switch { @ = count(); }
PROGS
sched_switch raw_tp event=sched_switch: tracepoint:sched:sched_switch
attached 1
---
NAME the same, its type not known
PROG
t:sched:sched_wakeup { @ = count(); }
PROGS
sched_wakeup perf_tp: tracepoint:sched:sched_wakeup
attached 1
---
NAME several events, each by name
PROG
t:sched:* { @[probe] = count(); }
PROGS
sched_process_e perf_tp: tracepoint:sched:sched_process_exec, tracepoint:sched:sched_switch, tracepoint:sched:sched_wakeup
attached 3
---
NAME several events without cookies
OPT features=-cookie
PROG
t:sched:* { @[probe] = count(); }
PROGS
sched_process_e perf_tp: tracepoint:sched:sched_process_exec
sched_switch perf_tp: tracepoint:sched:sched_switch
sched_wakeup perf_tp: tracepoint:sched:sched_wakeup
attached 3
---
NAME several events, the name not asked for
OPT features=-cookie
PROG
t:sched:* { @ = count(); }
PROGS
sched_process_e perf_tp: tracepoint:sched:sched_process_exec, tracepoint:sched:sched_switch, tracepoint:sched:sched_wakeup
attached 3
---
NAME events whose fields differ are cloned
PROG
t:sched:sched_process_exec, t:sched:sched_wakeup { @[args.pid] = count(); }
PROGS
sched_process_e perf_tp: tracepoint:sched:sched_process_exec
sched_wakeup perf_tp: tracepoint:sched:sched_wakeup
attached 2
---
NAME events whose used fields are alike share a body
PROG
t:syscalls:sys_enter_read, t:syscalls:sys_enter_write { @ = sum(args.count); }
PROGS
sys_enter btf expected=23 event=sys_enter: tracepoint:syscalls:sys_enter_read
attached 2
---
NAME raw tracepoints
PROG
rawtracepoint:sched_switch { @[arg0] = count(); }
PROGS
sched_switch raw_tp event=sched_switch: rawtracepoint:sched_switch
attached 1
---
NAME kprobes by wildcard: one link
PROG
kprobe:vfs_* { @[func] = count(); }
PROGS
vfs_open kprobe_multi expected=42: kprobe:vfs_open, kprobe:vfs_read, kprobe:vfs_write
attached 3
---
NAME the same without multi
OPT features=-kprobe_multi
PROG
kprobe:vfs_* { @[func] = count(); }
PROGS
vfs_open kprobe: kprobe:vfs_open, kprobe:vfs_read, kprobe:vfs_write
attached 3
---
NAME the same without multi and cookies
OPT features=-kprobe_multi,-cookie
PROG
kprobe:vfs_* { @[func] = count(); }
PROGS
vfs_open kprobe: kprobe:vfs_open
vfs_read kprobe: kprobe:vfs_read
vfs_write kprobe: kprobe:vfs_write
attached 3
---
NAME kretprobe
PROG
kretprobe:vfs_* { @[func] = hist(retval); }
PROGS
vfs_open kprobe_multi expected=42: kretprobe:vfs_open, kretprobe:vfs_read, kretprobe:vfs_write
attached 3
---
NAME an instruction in a function
PROG
kprobe:vfs_read+4 { @ = count(); }
PROGS
vfs_read kprobe: kprobe:vfs_read+4
attached 1
---
NAME typed function probes
PROG
fentry:vfs_read, fexit:vfs_read { @[probe] = count(); }
PROGS
vfs_read btf expected=24: fentry:vmlinux:vfs_read
vfs_read btf expected=25: fexit:vmlinux:vfs_read
attached 2
---
NAME typed by old names
PROG
kfunc:vfs_read { @ = count(); } kretfunc:vfs_read { @r = hist(retval); }
PROGS
vfs_read btf expected=24: fentry:vmlinux:vfs_read
vfs_read btf expected=25: fexit:vmlinux:vfs_read
attached 2
---
NAME user functions
PROG
uprobe:/lib/libc.so:mal*, uretprobe:/lib/libc.so:malloc { @[probe] = count(); }
PROGS
malloc uprobe: uprobe:/lib/libc.so:malloc, uprobe:/lib/libc.so:mallopt
malloc uprobe: uretprobe:/lib/libc.so:malloc
attached 3
---
NAME a wildcard path says what it searched
PROG
uprobe:/*/*:m* { @[func] = count(); }
PROGS
main uprobe: uprobe:/bin/app:main, uprobe:/lib/libc.so:malloc, uprobe:/lib/libc.so:mallopt
attached 3
note: searched 2 files
---
NAME user functions without cookies
OPT features=-cookie
PROG
uprobe:/lib/libc.so:mal* { @[func] = count(); }
PROGS
malloc uprobe: uprobe:/lib/libc.so:malloc
mallopt uprobe: uprobe:/lib/libc.so:mallopt
attached 2
---
NAME begin, interval, profile, software, end
PROG
BEGIN { @ = 1; } interval:s:1 { @ = 2; } profile:hz:99 { @p[cpu] = count(); } software:cpu-clock:1000 { @s = count(); } END { @ = 3; }
PROGS
begin run: BEGIN
s run: interval:s:1
hz perf_event: profile:hz:99
cpu_clock perf_event: software:cpu-clock:
end run: END
attached 5
---
NAME the same hook twice stays in order, other hooks apart
PROG
BEGIN { @a = 1; } BEGIN { @a = 2; }
PROGS
begin run: BEGIN
begin run: BEGIN
attached 2
---
NAME a long name is cut for the kernel
PROG
t:sched:sched_process_exec { @ = count(); }
PROGS
sched_process_e perf_tp: tracepoint:sched:sched_process_exec
attached 1
---
NAME several kinds in one probe
PROG
BEGIN, kprobe:vfs_read, t:sched:sched_switch, uprobe:/bin/app:main { @[probe] = count(); }
PROGS
begin run: BEGIN
vfs_read kprobe: kprobe:vfs_read
sched_switch raw_tp event=sched_switch: tracepoint:sched:sched_switch
main uprobe: uprobe:/bin/app:main
attached 4
---
NAME a signal to the tracer
PROG
self:signal:SIGUSR1 { print("hello"); }
PROGS
self run: self:signal:SIGUSR1
attached 1
---
