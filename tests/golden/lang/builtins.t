# Builtin values and functions.

NAME pid, tid, uid, gid
PROG
BEGIN { @a = pid; @b = tid; @c = uid; @d = gid; }
BPF
; bpf begin: BEGIN
0: call bpf_get_current_pid_tgid#14
1: r5 = r0
2: r0 = r5
3: r0 >>= 32
4: r4 = map_value[.data]+120
6: *(u64 *)(r4 +0) = r0
7: *(u64 *)(r4 +8) = 1
8: w0 = w5
9: r5 = map_value[.data]+136
11: *(u64 *)(r5 +0) = r0
12: *(u64 *)(r5 +8) = 1
13: call bpf_get_current_uid_gid#15
14: r5 = r0
15: w0 = w5
16: r4 = map_value[.data]+152
18: *(u64 *)(r4 +0) = r0
19: *(u64 *)(r4 +8) = 1
20: r0 = r5
21: r0 >>= 32
22: r5 = map_value[.data]+168
24: *(u64 *)(r5 +0) = r0
25: *(u64 *)(r5 +8) = 1
26: r0 = 0
27: exit
---
NAME cpu, ncpus, numaid, rand, cgroup, jiffies
PROG
BEGIN { @a = cpu; @b = ncpus; @c = numaid; @d = rand; @e = cgroup; @f = jiffies; }
BPF
; bpf begin: BEGIN
0: call bpf_get_smp_processor_id#8
1: r5 = map_value[.data]+120
3: *(u64 *)(r5 +0) = r0
4: *(u64 *)(r5 +8) = 1
5: r0 = map_value[.data]+136
7: *(u64 *)(r0 +0) = 4
8: *(u64 *)(r0 +8) = 1
9: call bpf_get_numa_node_id#42
10: r5 = map_value[.data]+152
12: *(u64 *)(r5 +0) = r0
13: *(u64 *)(r5 +8) = 1
14: call bpf_get_prandom_u32#7
15: r5 = map_value[.data]+168
17: *(u64 *)(r5 +0) = r0
18: *(u64 *)(r5 +8) = 1
19: call bpf_get_current_cgroup_id#80
20: r5 = map_value[.data]+184
22: *(u64 *)(r5 +0) = r0
23: *(u64 *)(r5 +8) = 1
24: call bpf_jiffies64#118
25: r5 = map_value[.data]+200
27: *(u64 *)(r5 +0) = r0
28: *(u64 *)(r5 +8) = 1
29: r0 = 0
30: exit
---
NAME clocks
PROG
BEGIN { @a = nsecs; @b = nsecs(monotonic); @c = nsecs(tai); @d = elapsed; }
BPF
; bpf begin: BEGIN
0: call bpf_ktime_get_boot_ns#125
1: r5 = map_value[.data]+120
3: *(u64 *)(r5 +0) = r0
4: *(u64 *)(r5 +8) = 1
5: call bpf_ktime_get_ns#5
6: r5 = map_value[.data]+136
8: *(u64 *)(r5 +0) = r0
9: *(u64 *)(r5 +8) = 1
10: call bpf_ktime_get_tai_ns#208
11: r5 = map_value[.data]+152
13: *(u64 *)(r5 +0) = r0
14: *(u64 *)(r5 +8) = 1
15: r0 = map_value[.data]+8
17: r7 = *(u64 *)(r0 +0)
18: call bpf_ktime_get_boot_ns#125
19: r0 -= r7
20: r5 = map_value[.data]+168
22: *(u64 *)(r5 +0) = r0
23: *(u64 *)(r5 +8) = 1
24: r0 = 0
25: exit
---
NAME clocks of an older kernel
OPT features=-ktime_boot
PROG
BEGIN { @a = nsecs; @d = elapsed; }
BPF
; bpf begin: BEGIN
0: call bpf_ktime_get_ns#5
1: r5 = map_value[.data]+120
3: *(u64 *)(r5 +0) = r0
4: *(u64 *)(r5 +8) = 1
5: r0 = map_value[.data]+8
7: r7 = *(u64 *)(r0 +0)
8: call bpf_ktime_get_ns#5
9: r0 -= r7
10: r5 = map_value[.data]+136
12: *(u64 *)(r5 +0) = r0
13: *(u64 *)(r5 +8) = 1
14: r0 = 0
15: exit
---
NAME the parent
PROG
BEGIN { @a = ppid; @b = pcomm; }
IR
; ir begin: BEGIN
block0 (entry):
    goto block5
block1 (next):
    return 0
block5 (body):
    %0 = call 158()
    %1 = load u64 [%0 +32]
    %2 = load s32 [%1 +28]
    %3 = mapval 0 +120
    store u64 [%3], %2
    store u64 [%3 +8], 1
    goto block6
block6 (placed):
    %4 = slot 0
    %6 = load u64 [%0 +32]
    store u64 [%4], 0
    store u64 [%4 +8], 0
    %7 = add %6, 40
    %8 = 16
    %9 = call 115(%4, %8, %7)
    if %9 s< 0 goto block8 else block7
block7 (read):
    %12 = mapval 0 +136
    %13 = slot 0
    %14 = load u64 [%13]
    store u64 [%12], %14
    %15 = load u64 [%13 +8]
    store u64 [%12 +8], %15
    store u64 [%12 +16], 1
    goto block1
block8 (unread): ; cold
    %10 = mapval 0 +112
    %11 = 1
    atomic_add u64 [%10], %11
    goto block7
---
NAME the parent by the old task helper
OPT features=-task_btf
PROG
BEGIN { @a = ppid; }
BPF
; bpf begin: BEGIN
0: call bpf_get_current_task#35
1: r3 = r0
2: r3 += 32
3: r1 = r10
4: r1 += -8
5: r2 = 8
6: call bpf_probe_read_kernel#113
7: r3 = *(u64 *)(r10 -8)
8: r3 += 28
9: r1 = r10
10: r1 += -8
11: r2 = 4
12: call bpf_probe_read_kernel#113
13: r0 = *(u32 *)(r10 -8)
14: r0 <<= 32
15: r0 s>>= 32
16: r5 = map_value[.data]+120
18: *(u64 *)(r5 +0) = r0
19: *(u64 *)(r5 +8) = 1
20: r0 = 0
21: exit
---
NAME probe, func, probetype
PROG
kprobe:vfs_read { @a = probe; @b = func; @c = probetype; }
BPF
; bpf vfs_read: kprobe:vfs_read
0: r0 = map_value[.data]+0
2: r0 = *(u64 *)(r0 +0)
3: if r0 != 0x0 goto pc+14
4: r0 = map_value[.data]+120
6: *(u64 *)(r0 +0) = 1
7: *(u64 *)(r0 +8) = 1
8: r0 = map_value[.data]+136
10: *(u64 *)(r0 +0) = 2
11: *(u64 *)(r0 +8) = 1
12: r0 = map_value[.data]+152
14: *(u64 *)(r0 +0) = 3
15: *(u64 *)(r0 +8) = 1
16: r0 = 0
17: exit
18: r0 = 0
19: exit
---
NAME func of several targets by cookie
PROG
kprobe:vfs_read, kprobe:vfs_open { @a = func; }
BPF
; bpf vfs_read: kprobe:vfs_read, kprobe:vfs_open
0: r6 = r1
1: r0 = map_value[.data]+0
3: r0 = *(u64 *)(r0 +0)
4: if r0 != 0x0 goto pc+12
5: r1 = r6
6: call bpf_get_attach_cookie#174
7: if r0 >= 0x2 goto pc+7
8: r0 += 1
9: r5 = map_value[.data]+120
11: *(u64 *)(r5 +0) = r0
12: *(u64 *)(r5 +8) = 1
13: r0 = 0
14: exit
15: r0 = 0
16: exit
17: r0 = 0
18: exit
---
NAME registers as arguments
PROG
kprobe:vfs_read { @a = arg0; @b = arg5; @c = reg("ip"); }
BPF
; bpf vfs_read: kprobe:vfs_read
0: r6 = r1
1: r0 = map_value[.data]+0
3: r0 = *(u64 *)(r0 +0)
4: if r0 != 0x0 goto pc+17
5: r5 = map_value[.data]+120
7: r0 = *(u64 *)(r6 +112)
8: *(u64 *)(r5 +0) = r0
9: *(u64 *)(r5 +8) = 1
10: r5 = map_value[.data]+136
12: r0 = *(u64 *)(r6 +64)
13: *(u64 *)(r5 +0) = r0
14: *(u64 *)(r5 +8) = 1
15: r5 = map_value[.data]+152
17: r0 = *(u64 *)(r6 +128)
18: *(u64 *)(r5 +0) = r0
19: *(u64 *)(r5 +8) = 1
20: r0 = 0
21: exit
22: r0 = 0
23: exit
---
NAME registers as arguments on arm64
OPT arch=arm64
PROG
kprobe:vfs_read { @a = arg0; @b = arg7; @c = reg("pc"); }
BPF
; bpf vfs_read: kprobe:vfs_read
0: r6 = r1
1: r0 = map_value[.data]+0
3: r0 = *(u64 *)(r0 +0)
4: if r0 != 0x0 goto pc+17
5: r5 = map_value[.data]+120
7: r0 = *(u64 *)(r6 +0)
8: *(u64 *)(r5 +0) = r0
9: *(u64 *)(r5 +8) = 1
10: r5 = map_value[.data]+136
12: r0 = *(u64 *)(r6 +56)
13: *(u64 *)(r5 +0) = r0
14: *(u64 *)(r5 +8) = 1
15: r5 = map_value[.data]+152
17: r0 = *(u64 *)(r6 +256)
18: *(u64 *)(r5 +0) = r0
19: *(u64 *)(r5 +8) = 1
20: r0 = 0
21: exit
22: r0 = 0
23: exit
---
NAME named arguments of a function by its type
PROG
kprobe:vfs_read { @a = args.count; }
BPF
; bpf vfs_read: kprobe:vfs_read
0: r6 = r1
1: r0 = map_value[.data]+0
3: r0 = *(u64 *)(r0 +0)
4: if r0 != 0x0 goto pc+7
5: r5 = map_value[.data]+120
7: r0 = *(u64 *)(r6 +96)
8: *(u64 *)(r5 +0) = r0
9: *(u64 *)(r5 +8) = 1
10: r0 = 0
11: exit
12: r0 = 0
13: exit
---
NAME results
PROG
kretprobe:vfs_read { @a = retval; }
BPF
; bpf vfs_read: kretprobe:vfs_read
0: r6 = r1
1: r0 = map_value[.data]+0
3: r0 = *(u64 *)(r0 +0)
4: if r0 != 0x0 goto pc+7
5: r5 = map_value[.data]+120
7: r0 = *(u64 *)(r6 +80)
8: *(u64 *)(r5 +0) = r0
9: *(u64 *)(r5 +8) = 1
10: r0 = 0
11: exit
12: r0 = 0
13: exit
---
NAME a typed result stands behind the arguments
PROG
fexit:vfs_read { @a = retval; @b = args.count; }
BPF
; bpf vfs_read: fexit:vmlinux:vfs_read
0: r6 = r1
1: r0 = map_value[.data]+0
3: r0 = *(u64 *)(r0 +0)
4: if r0 != 0x0 goto pc+12
5: r5 = map_value[.data]+120
7: r0 = *(u64 *)(r6 +32)
8: *(u64 *)(r5 +0) = r0
9: *(u64 *)(r5 +8) = 1
10: r5 = map_value[.data]+136
12: r0 = *(u64 *)(r6 +16)
13: *(u64 *)(r5 +0) = r0
14: *(u64 *)(r5 +8) = 1
15: r0 = 0
16: exit
17: r0 = 0
18: exit
---
NAME a typed result that is a pointer
PROG
fexit:pick_task { @a = retval->pid; @q = args.quiet; }
BPF
; bpf pick_task: fexit:vmlinux:pick_task
0: r6 = r1
1: r0 = map_value[.data]+0
3: r0 = *(u64 *)(r0 +0)
4: if r0 != 0x0 goto pc+16
5: r0 = *(u64 *)(r6 +16)
6: r0 = *(u32 *)(r0 +24)
7: r0 <<= 32
8: r0 s>>= 32
9: r5 = map_value[.data]+120
11: *(u64 *)(r5 +0) = r0
12: *(u64 *)(r5 +8) = 1
13: r0 = *(u64 *)(r6 +8)
14: r0 &= 255
15: r5 = map_value[.data]+136
17: *(u64 *)(r5 +0) = r0
18: *(u64 *)(r5 +8) = 1
19: r0 = 0
20: exit
21: r0 = 0
22: exit
---
NAME arguments of a raw tracepoint
PROG
rawtracepoint:sched_switch { @a = arg0; @b = args.prev_state; }
BPF
; bpf sched_switch: rawtracepoint:sched_switch
0: r6 = r1
1: r0 = map_value[.data]+0
3: r0 = *(u64 *)(r0 +0)
4: if r0 != 0x0 goto pc+13
5: r5 = map_value[.data]+120
7: r0 = *(u64 *)(r6 +0)
8: *(u64 *)(r5 +0) = r0
9: *(u64 *)(r5 +8) = 1
10: r0 = *(u64 *)(r6 +24)
11: w0 = w0
12: r5 = map_value[.data]+136
14: *(u64 *)(r5 +0) = r0
15: *(u64 *)(r5 +8) = 1
16: r0 = 0
17: exit
18: r0 = 0
19: exit
---
NAME a record's fields by plain loads
PROG
t:sched:sched_switch { @a = args.prev_pid; @b = args.prev_state; }
BPF
; bpf sched_switch: tracepoint:sched:sched_switch
0: r6 = r1
1: r0 = map_value[.data]+0
3: r0 = *(u64 *)(r0 +0)
4: if r0 != 0x0 goto pc+14
5: r5 = map_value[.data]+120
7: r0 = *(u32 *)(r6 +24)
8: r0 <<= 32
9: r0 s>>= 32
10: *(u64 *)(r5 +0) = r0
11: *(u64 *)(r5 +8) = 1
12: r5 = map_value[.data]+136
14: r0 = *(u64 *)(r6 +32)
15: *(u64 *)(r5 +0) = r0
16: *(u64 *)(r5 +8) = 1
17: r0 = 0
18: exit
19: r0 = 0
20: exit
---
NAME a record's string
PROG
t:sched:sched_switch { @a = args.next_comm; }
BPF
; bpf sched_switch: tracepoint:sched:sched_switch
0: r6 = r1
1: r0 = map_value[.data]+0
3: r0 = *(u64 *)(r0 +0)
4: if r0 != 0x0 goto pc+18
5: *(u64 *)(r10 -16) = 0
6: *(u64 *)(r10 -8) = 0
7: r3 = r6
8: r3 += 40
9: r1 = r10
10: r1 += -16
11: r2 = 16
12: call bpf_probe_read_kernel_str#115
13: if r0 s< 0x0 goto pc+11
14: r5 = map_value[.data]+120
16: r0 = *(u64 *)(r10 -16)
17: *(u64 *)(r5 +0) = r0
18: r0 = *(u64 *)(r10 -8)
19: *(u64 *)(r5 +8) = r0
20: *(u64 *)(r5 +16) = 1
21: r0 = 0
22: exit
23: r0 = 0
24: exit
25: r0 = map_value[.data]+112
27: r5 = 1
28: lock *(u64 *)(r0 +0) += r5
29: goto pc-16
---
NAME a record's string of variable length
PROG
t:sched:sched_process_exec { @a = str(args.filename, 15); }
IR
; ir sched_process_e: tracepoint:sched:sched_process_exec
block0 (entry):
    %0 = mapval 0 +0
    %1 = load u64 [%0]
    if %1 == 0 goto block7 else block2
block2 (stopped):
    return 0
block3 (next):
    return 0
block7 (body):
    %2 = slot 0
    %3 = ctx
    %4 = load u32 [%3 +8]
    %5 = and %4, 65535
    %6 = add %3, %5
    store u64 [%2], 0
    store u64 [%2 +8], 0
    %7 = 15
    %8 = call 115(%2, %7, %6)
    if %8 s< 0 goto block9 else block8
block8 (read):
    %11 = mapval 0 +120
    %12 = slot 0
    %13 = load u64 [%12]
    store u64 [%11], %13
    %14 = load u64 [%12 +8]
    store u64 [%11 +8], %14
    store u64 [%11 +16], 1
    goto block3
block9 (unread): ; cold
    %9 = mapval 0 +112
    %10 = 1
    atomic_add u64 [%9], %10
    goto block8
---
NAME str of user memory
PROG
t:syscalls:sys_enter_openat { @a = str(args.filename, 31); }
BPF
; bpf sys_enter: tracepoint:syscalls:sys_enter_openat
0: r6 = r1
1: r0 = map_value[.data]+0
3: r0 = *(u64 *)(r0 +0)
4: if r0 != 0x0 goto pc+29
5: r0 = *(u64 *)(r6 +8)
6: if r0 != 0x101 goto pc+25
7: call bpf_get_current_task_btf#158
8: r0 = *(u32 *)(r0 +16)
9: if r0 & 0x2 goto pc+22
10: r0 = *(u64 *)(r6 +0)
11: r3 = *(u64 *)(r0 +104)
12: *(u64 *)(r10 -32) = 0
13: *(u64 *)(r10 -24) = 0
14: *(u64 *)(r10 -16) = 0
15: *(u64 *)(r10 -8) = 0
16: r1 = r10
17: r1 += -32
18: r2 = 31
19: call bpf_probe_read_user_str#114
20: if r0 s< 0x0 goto pc+15
21: r5 = map_value[.data]+120
23: r0 = *(u64 *)(r10 -32)
24: *(u64 *)(r5 +0) = r0
25: r0 = *(u64 *)(r10 -24)
26: *(u64 *)(r5 +8) = r0
27: r0 = *(u64 *)(r10 -16)
28: *(u64 *)(r5 +16) = r0
29: r0 = *(u64 *)(r10 -8)
30: *(u64 *)(r5 +24) = r0
31: *(u64 *)(r5 +32) = 1
32: r0 = 0
33: exit
34: r0 = 0
35: exit
36: r0 = map_value[.data]+112
38: r5 = 1
39: lock *(u64 *)(r0 +0) += r5
40: goto pc-20
---
NAME str with a length at run time
PROG
kprobe:vfs_read { @a = str(arg1, arg2); }
IR
; ir vfs_read: kprobe:vfs_read
block0 (entry):
    %0 = mapval 0 +0
    %1 = load u64 [%0]
    if %1 == 0 goto block6 else block2
block2 (stopped):
    return 0
block3 (next):
    return 0
block5 (leave):
    store u64 [%2 -8], 0
    goto block3
block6 (predicate):
    %20 = call 8()
    %21 = shl %20, 2
    %22 = slot 0
    store u32 [%22], %21
    %24 = map 5
    %25 = call 1(%24, %22)
    if %25 != 0 goto block12 else block11
block7 (body):
    %3 = ctx
    %4 = load u64 [%3 +104]
    %7 = load u64 [%3 +96]
    if %7 > 1025 goto block8 else block9
block8 (long):
    %7 = 1025
    goto block9
block9 (length):
    %8 = add %2, 1032
    %9 = 0
    %10 = 1032
    call 113(%8, %10, %9)
    %12 = add %2, 1032
    call 115(%12, %7, %4)
    %14 = add %2, 1032
    call 113(%2, %10, %14)
    %17 = mapval 0 +120
    call 113(%17, %10, %2)
    store u64 [%17 +1032], 1
    goto block5
block11 (nested): ; cold
    %50 = mapval 0 +80
    %51 = 1
    atomic_add u64 [%50], %51
    goto block3
block12 (slot):
    %26 = 1
    %27 = atomic_xchg u64 [%25], %26
    if %27 == 0 goto block14 else block13
block13 (busy): ; cold
    %29 = slot 0
    %30 = add %21, 1
    store u32 [%29], %30
    %32 = call 1(%24, %29)
    if %32 != 0 goto block15 else block11
block14 (taken):
    %2 = add %25, 8
    goto block7
block15 (slot):
    %33 = 1
    %34 = atomic_xchg u64 [%32], %33
    if %34 == 0 goto block17 else block16
block16 (busy): ; cold
    %36 = slot 0
    %37 = add %21, 2
    store u32 [%36], %37
    %39 = call 1(%24, %36)
    if %39 != 0 goto block18 else block11
block17 (taken):
    %2 = add %32, 8
    goto block7
block18 (slot):
    %40 = 1
    %41 = atomic_xchg u64 [%39], %40
    if %41 == 0 goto block20 else block19
block19 (busy): ; cold
    %43 = slot 0
    %44 = add %21, 3
    store u32 [%43], %44
    %46 = call 1(%24, %43)
    if %46 != 0 goto block21 else block11
block20 (taken):
    %2 = add %39, 8
    goto block7
block21 (slot):
    %47 = 1
    %48 = atomic_xchg u64 [%46], %47
    if %48 == 0 goto block22 else block11
block22 (taken):
    %2 = add %46, 8
    goto block7
---
NAME buf with a literal and a run-time length
PROG
config = { max_strlen = 32 }
kprobe:vfs_read { @a = buf(arg1, 6); @b = buf(arg1, arg2); }
IR
; ir vfs_read: kprobe:vfs_read
block0 (entry):
    %0 = mapval 0 +0
    %1 = load u64 [%0]
    if %1 == 0 goto block7 else block2
block2 (stopped):
    return 0
block3 (next):
    return 0
block7 (body):
    %2 = slot 0
    %3 = ctx
    %4 = load u64 [%3 +104]
    goto block9
block9 (length):
    %7 = slot 16
    store u64 [%7], 0
    store u64 [%7 +8], 0
    store u64 [%7], 6
    %8 = slot 24
    %9 = 6
    call 113(%8, %9, %4)
    %12 = load u64 [%7]
    store u64 [%2], %12
    %13 = load u64 [%7 +8]
    store u64 [%2 +8], %13
    %14 = mapval 0 +120
    %15 = slot 0
    %16 = load u64 [%15]
    store u64 [%14], %16
    %17 = load u64 [%15 +8]
    store u64 [%14 +8], %17
    store u64 [%14 +16], 1
    goto block10
block10 (placed):
    %18 = slot 0
    %21 = 32
    %23 = load u64 [%3 +96]
    if %23 < 32 goto block11 else block12
block11 (shorter):
    %21 = %23
    goto block12
block12 (length):
    %24 = slot 40
    store u64 [%24], 0
    store u64 [%24 +8], 0
    store u64 [%24 +16], 0
    store u64 [%24 +24], 0
    store u64 [%24 +32], 0
    store u64 [%24], %21
    %25 = slot 48
    call 113(%25, %21, %4)
    %28 = load u64 [%24]
    store u64 [%18], %28
    %29 = load u64 [%24 +8]
    store u64 [%18 +8], %29
    %30 = load u64 [%24 +16]
    store u64 [%18 +16], %30
    %31 = load u64 [%24 +24]
    store u64 [%18 +24], %31
    %32 = load u64 [%24 +32]
    store u64 [%18 +32], %32
    %33 = mapval 0 +144
    %34 = slot 0
    %35 = load u64 [%34]
    store u64 [%33], %35
    %36 = load u64 [%34 +8]
    store u64 [%33 +8], %36
    %37 = load u64 [%34 +16]
    store u64 [%33 +16], %37
    %38 = load u64 [%34 +24]
    store u64 [%33 +24], %38
    %39 = load u64 [%34 +32]
    store u64 [%33 +32], %39
    store u64 [%33 +40], 1
    goto block3
---
NAME substr of a name is a constant
PROG
t:syscalls:sys_enter_read { @a = substr(probe, 20); }
BPF
; bpf sys_enter: tracepoint:syscalls:sys_enter_read
0: r6 = r1
1: r0 = map_value[.data]+0
3: r0 = *(u64 *)(r0 +0)
4: if r0 != 0x0 goto pc+11
5: r0 = *(u64 *)(r6 +8)
6: if r0 != 0x0 goto pc+7
7: call bpf_get_current_task_btf#158
8: r0 = *(u32 *)(r0 +16)
9: if r0 & 0x2 goto pc+4
10: r0 = map_value[.data]+120
12: *(u64 *)(r0 +0) = 1
13: *(u64 *)(r0 +8) = 1
14: r0 = 0
15: exit
16: r0 = 0
17: exit
---
NAME substr at run time
PROG
BEGIN { @a = substr(comm, 2, 3); }
BPF
; bpf begin: BEGIN
0: *(u64 *)(r10 -24) = 0
1: *(u64 *)(r10 -16) = 0
2: r1 = r10
3: r1 += -24
4: r2 = 16
5: call bpf_get_current_comm#16
6: *(u64 *)(r10 -8) = 0
7: r0 = *(u16 *)(r10 -22)
8: *(u16 *)(r10 -8) = r0
9: r0 = *(u8 *)(r10 -20)
10: *(u8 *)(r10 -6) = r0
11: r0 = *(u64 *)(r10 -8)
12: *(u64 *)(r10 -32) = r0
13: r5 = map_value[.data]+120
15: r0 = *(u64 *)(r10 -32)
16: *(u64 *)(r5 +0) = r0
17: *(u64 *)(r5 +8) = 1
18: r0 = 0
19: exit
---
NAME strncmp against a literal
PROG
BEGIN { if (strncmp(comm, "ssh", 3) == 0) { @x = 1; } }
IR
; ir begin: BEGIN
block0 (entry):
    goto block5
block1 (next):
    return 0
block5 (body):
    %1 = slot 0
    store u64 [%1], 0
    store u64 [%1 +8], 0
    %2 = 16
    call 16(%1, %2)
    %4 = slot 16
    store u64 [%4], 6845299
    %5 = load u8 [%1]
    %6 = load u8 [%4]
    if %5 == %6 goto block11 else block1
block6 (then):
    %12 = mapval 0 +120
    store u64 [%12], 1
    store u64 [%12 +8], 1
    goto block1
block11 (same):
    if %5 == 0 goto block6 else block12
block12 (more):
    %7 = load u8 [%1 +1]
    %8 = load u8 [%4 +1]
    if %7 == %8 goto block13 else block1
block13 (same):
    if %7 == 0 goto block6 else block14
block14 (more):
    %9 = load u8 [%1 +2]
    %10 = load u8 [%4 +2]
    if %9 == %10 goto block6 else block1
---
NAME strlen and strcontains of constants
PROG
BEGIN { @a = strlen("abc"); @b = strcontains("abcd", "bc"); }
BPF
; bpf begin: BEGIN
0: r0 = map_value[.data]+120
2: *(u64 *)(r0 +0) = 3
3: *(u64 *)(r0 +8) = 1
4: r0 = map_value[.data]+136
6: *(u64 *)(r0 +0) = 1
7: *(u64 *)(r0 +8) = 1
8: r0 = 0
9: exit
---
NAME strlen of a run-time string
PROG
BEGIN { @a = strlen(comm); }
IR
; ir begin: BEGIN
block0 (entry):
    goto block5
block1 (next):
    return 0
block5 (body):
    %0 = slot 0
    store u64 [%0], 0
    store u64 [%0 +8], 0
    %1 = 16
    call 16(%0, %1)
    %3 = 0
    goto block7
block6 (len):
    if %3 < 16 goto block7 else block9
block7 (char):
    %4 = add %0, %3
    %5 = load u8 [%4]
    if %5 != 0 goto block8 else block9
block8 (next):
    %3 = add %3, 1
    goto block6
block9 (strlen):
    %7 = mapval 0 +120
    store u64 [%7], %3
    store u64 [%7 +8], 1
    goto block1
---
NAME bswap by width
PROG
BEGIN { @a = bswap((uint16)pid); @b = bswap((uint32)pid); @c = bswap(pid + 0); @d = bswap((uint8)pid); }
BPF
; bpf begin: BEGIN
0: call bpf_get_current_pid_tgid#14
1: r5 = r0
2: r5 >>= 32
3: r0 = r5
4: r0 &= 65535
5: r0 = be16 r0
6: r4 = map_value[.data]+120
8: *(u64 *)(r4 +0) = r0
9: *(u64 *)(r4 +8) = 1
10: w0 = w5
11: r0 = be32 r0
12: r4 = map_value[.data]+136
14: *(u64 *)(r4 +0) = r0
15: *(u64 *)(r4 +8) = 1
16: r0 = r5
17: r0 = be64 r0
18: r4 = map_value[.data]+152
20: *(u64 *)(r4 +0) = r0
21: *(u64 *)(r4 +8) = 1
22: r0 = r5
23: r0 &= 255
24: r5 = map_value[.data]+168
26: *(u64 *)(r5 +0) = r0
27: *(u64 *)(r5 +8) = 1
28: r0 = 0
29: exit
---
NAME ntop of a number, of bytes, with a family
PROG
fentry:tcp_v4_connect { @a = ntop(args.sk->__sk_common.skc_daddr); @b = ntop(10, args.sk->__sk_common.skc_v6_daddr); @c = ntop(args.sk->__sk_common.skc_family, args.sk->__sk_common.skc_daddr); }
IR
; ir tcp_v4_connect: fentry:vmlinux:tcp_v4_connect
block0 (entry):
    %0 = mapval 0 +0
    %1 = load u64 [%0]
    if %1 == 0 goto block7 else block2
block2 (stopped):
    return 0
block3 (next):
    return 0
block7 (body):
    %2 = slot 0
    %3 = slot 24
    store u64 [%3], 0
    store u64 [%3 +8], 0
    store u64 [%3 +16], 0
    %4 = ctx
    %5 = load u64 [%4]
    %6 = load u32 [%5]
    store u32 [%3 +8], %6
    store u64 [%3], 4
    %7 = load u64 [%3]
    store u64 [%2], %7
    %8 = load u64 [%3 +8]
    store u64 [%2 +8], %8
    %9 = load u64 [%3 +16]
    store u64 [%2 +16], %9
    %10 = mapval 0 +120
    %12 = load u64 [%2]
    store u64 [%10], %12
    %13 = load u64 [%2 +8]
    store u64 [%10 +8], %13
    %14 = load u64 [%2 +16]
    store u64 [%10 +16], %14
    store u64 [%10 +24], 1
    goto block8
block8 (placed):
    %15 = slot 0
    %16 = slot 24
    store u64 [%16], 0
    store u64 [%16 +8], 0
    store u64 [%16 +16], 0
    %19 = slot 32
    %20 = add %5, 16
    %21 = 16
    call 113(%19, %21, %20)
    store u64 [%16], 16
    %23 = load u64 [%16]
    store u64 [%15], %23
    %24 = load u64 [%16 +8]
    store u64 [%15 +8], %24
    %25 = load u64 [%16 +16]
    store u64 [%15 +16], %25
    %26 = mapval 0 +152
    %28 = load u64 [%15]
    store u64 [%26], %28
    %29 = load u64 [%15 +8]
    store u64 [%26 +8], %29
    %30 = load u64 [%15 +16]
    store u64 [%26 +16], %30
    store u64 [%26 +24], 1
    goto block9
block9 (placed):
    %31 = slot 0
    %32 = slot 24
    store u64 [%32], 0
    store u64 [%32 +8], 0
    store u64 [%32 +16], 0
    %35 = load u32 [%5]
    store u32 [%32 +8], %35
    %38 = load u16 [%5 +12]
    if %38 == 10 goto block10 else block11
block10 (ip6):
    store u64 [%32], 16
    goto block12
block11 (ip4):
    store u64 [%32], 4
    goto block12
block12 (ntop):
    %39 = load u64 [%32]
    store u64 [%31], %39
    %40 = load u64 [%32 +8]
    store u64 [%31 +8], %40
    %41 = load u64 [%32 +16]
    store u64 [%31 +16], %41
    %42 = mapval 0 +184
    %43 = slot 0
    %44 = load u64 [%43]
    store u64 [%42], %44
    %45 = load u64 [%43 +8]
    store u64 [%42 +8], %45
    %46 = load u64 [%43 +16]
    store u64 [%42 +16], %46
    store u64 [%42 +24], 1
    goto block3
---
NAME pton
PROG
BEGIN { @a = ntop(pton("1.2.3.4")); }
BPF
; bpf begin: BEGIN
0: *(u64 *)(r10 -40) = 0
1: *(u64 *)(r10 -32) = 0
2: *(u64 *)(r10 -24) = 0
3: *(u64 *)(r10 -16) = 67305985
4: *(u64 *)(r10 -8) = 0
5: r0 = *(u32 *)(r10 -16)
6: *(u32 *)(r10 -32) = r0
7: *(u64 *)(r10 -40) = 4
8: r0 = *(u64 *)(r10 -40)
9: *(u64 *)(r10 -64) = r0
10: r0 = *(u64 *)(r10 -32)
11: *(u64 *)(r10 -56) = r0
12: r0 = *(u64 *)(r10 -24)
13: *(u64 *)(r10 -48) = r0
14: r5 = map_value[.data]+120
16: r0 = *(u64 *)(r10 -64)
17: *(u64 *)(r5 +0) = r0
18: r0 = *(u64 *)(r10 -56)
19: *(u64 *)(r5 +8) = r0
20: r0 = *(u64 *)(r10 -48)
21: *(u64 *)(r5 +16) = r0
22: *(u64 *)(r5 +24) = 1
23: r0 = 0
24: exit
---
NAME macaddr
PROG
kprobe:vfs_read { @a = macaddr((uint8 *)arg1); }
BPF
; bpf vfs_read: kprobe:vfs_read
0: r6 = r1
1: r0 = map_value[.data]+0
3: r0 = *(u64 *)(r0 +0)
4: if r0 != 0x0 goto pc+13
5: *(u64 *)(r10 -8) = 0
6: r1 = r10
7: r1 += -8
8: r2 = 6
9: r3 = *(u64 *)(r6 +104)
10: call bpf_probe_read_kernel#113
11: r0 = *(u64 *)(r10 -8)
12: r5 = map_value[.data]+120
14: *(u64 *)(r5 +0) = r0
15: *(u64 *)(r5 +8) = 1
16: r0 = 0
17: exit
18: r0 = 0
19: exit
---
NAME kaddr, cgroupid
PROG
BEGIN { @a = kaddr("avenrun"); @b = cgroupid("/sys/fs/cgroup/web"); }
BPF
; bpf begin: BEGIN
0: r0 = map_value[.data]+120
2: *(u64 *)(r0 +0) = -2113929200
3: *(u64 *)(r0 +8) = 1
4: r0 = map_value[.data]+136
6: *(u64 *)(r0 +0) = 77
7: *(u64 *)(r0 +8) = 1
8: r0 = 0
9: exit
---
NAME uaddr is a pointer of the symbol's size
PROG
uprobe:/bin/app:main { @a = *uaddr("counter"); }
BPF
; bpf main: uprobe:/bin/app:main
0: r0 = map_value[.data]+0
2: r0 = *(u64 *)(r0 +0)
3: if r0 != 0x0 goto pc+12
4: r1 = r10
5: r1 += -8
6: r2 = 4
7: r3 = 16400
8: call bpf_probe_read_user#112
9: r0 = *(u32 *)(r10 -8)
10: r5 = map_value[.data]+120
12: *(u64 *)(r5 +0) = r0
13: *(u64 *)(r5 +8) = 1
14: r0 = 0
15: exit
16: r0 = 0
17: exit
---
NAME ksym, usym, strerror, username, cgroup_path, strftime
PROG
kretprobe:vfs_read { @a = ksym(retval); @b = usym(retval); @c = strerror(-retval); @d = username; @e = cgroup_path(cgroup); @f = strftime("%H", nsecs); }
MAPS
@a cell off=0 stride=16 n=1 touch=8 -> ksym_t
@b cell off=16 stride=24 n=1 touch=16 -> usym_t
@c cell off=40 stride=16 n=1 touch=8 -> strerror_t
@d cell off=56 stride=16 n=1 touch=8 -> username
@e cell off=72 stride=16 n=1 touch=8 -> cgroup_path_t
@f cell off=88 stride=16 n=1 touch=8 -> timestamp
---
NAME usym carries the process
PROG
uprobe:/bin/app:main { @a = usym(reg("ip")); }
BPF
; bpf main: uprobe:/bin/app:main
0: r6 = r1
1: r0 = map_value[.data]+0
3: r0 = *(u64 *)(r0 +0)
4: if r0 != 0x0 goto pc+18
5: r0 = *(u64 *)(r6 +128)
6: *(u64 *)(r10 -16) = r0
7: call bpf_get_current_pid_tgid#14
8: r0 >>= 32
9: *(u64 *)(r10 -8) = r0
10: r0 = *(u64 *)(r10 -16)
11: *(u64 *)(r10 -32) = r0
12: r0 = *(u64 *)(r10 -8)
13: *(u64 *)(r10 -24) = r0
14: r5 = map_value[.data]+120
16: r0 = *(u64 *)(r10 -32)
17: *(u64 *)(r5 +0) = r0
18: r0 = *(u64 *)(r10 -24)
19: *(u64 *)(r5 +8) = r0
20: *(u64 *)(r5 +16) = 1
21: r0 = 0
22: exit
23: r0 = 0
24: exit
---
NAME has_key
PROG
BEGIN { @x[1] = 2; if (has_key(@x, 1)) { @y = 1; } }
IR
; ir begin: BEGIN
block0 (entry):
    goto block5
block1 (next):
    return 0
block5 (body):
    %0 = slot 0
    store u64 [%0], 2
    %1 = slot 8
    store u64 [%1], 1
    %3 = 0
    %5 = map 4
    %6 = call 2(%5, %1, %0, %3)
    if %6 != 0 goto block6 else block7
block6 (full): ; cold
    %7 = mapval 0 +72
    %8 = 1
    atomic_add u64 [%7], %8
    goto block7
block7 (stored):
    %9 = 0
    %11 = slot 0
    store u64 [%11], 1
    %14 = call 1(%5, %11)
    if %14 != 0 goto block11 else block10
block8 (then):
    %16 = mapval 0 +120
    store u64 [%16], 1
    store u64 [%16 +8], 1
    goto block1
block10 (placed):
    if %9 != 0 goto block8 else block1
block11 (hit):
    %9 = 1
    goto block8
---
NAME clear of a map
PROG
BEGIN { @x[pid] = 1; clear(@x); }
BPF
; bpf begin: BEGIN
0: *(u64 *)(r10 -16) = 1
1: call bpf_get_current_pid_tgid#14
2: r0 >>= 32
3: *(u64 *)(r10 -8) = r0
4: r1 = map[@x]
6: r2 = r10
7: r2 += -8
8: r3 = r10
9: r3 += -16
10: r4 = 0
11: call bpf_map_update_elem#2
12: if r0 != 0x0 goto pc+18
13: r1 = map[.ring]
15: r2 = 3
16: call bpf_ringbuf_query#134
17: r7 = r0
18: r1 = map[.ctl]
20: r2 = 16
21: r3 = 0
22: call bpf_ringbuf_reserve#131
23: r1 = r0
24: if r1 == 0x0 goto pc+11
25: *(u64 *)(r1 +0) = 0
26: *(u64 *)(r1 +8) = r7
27: r2 = 2
28: call bpf_ringbuf_submit#132
29: r0 = 0
30: exit
31: r0 = map_value[.data]+72
33: r5 = 1
34: lock *(u64 *)(r0 +0) += r5
35: goto pc-23
36: r0 = map_value[.data]+64
38: r5 = 1
39: lock *(u64 *)(r0 +0) += r5
40: goto pc-12
---
NAME print of a map with top and div
PROG
BEGIN { @x[pid] = 1; print(@x, 5, 1000); }
BPF
; bpf begin: BEGIN
0: *(u64 *)(r10 -16) = 1
1: call bpf_get_current_pid_tgid#14
2: r0 >>= 32
3: *(u64 *)(r10 -8) = r0
4: r1 = map[@x]
6: r2 = r10
7: r2 += -8
8: r3 = r10
9: r3 += -16
10: r4 = 0
11: call bpf_map_update_elem#2
12: if r0 != 0x0 goto pc+20
13: r1 = map[.ring]
15: r2 = 3
16: call bpf_ringbuf_query#134
17: r7 = r0
18: r1 = map[.ctl]
20: r2 = 32
21: r3 = 0
22: call bpf_ringbuf_reserve#131
23: r1 = r0
24: if r1 == 0x0 goto pc+13
25: *(u64 *)(r1 +0) = 0
26: *(u64 *)(r1 +8) = r7
27: *(u64 *)(r1 +16) = 5
28: *(u64 *)(r1 +24) = 1000
29: r2 = 2
30: call bpf_ringbuf_submit#132
31: r0 = 0
32: exit
33: r0 = map_value[.data]+72
35: r5 = 1
36: lock *(u64 *)(r0 +0) += r5
37: goto pc-25
38: r0 = map_value[.data]+64
40: r5 = 1
41: lock *(u64 *)(r0 +0) += r5
42: goto pc-12
---
NAME print of a value and of a key
PROG
BEGIN { @x[pid] = 1; print((1, "a", pid)); print(@x[7]); }
BPF
; bpf begin: BEGIN
0: *(u64 *)(r10 -16) = 1
1: call bpf_get_current_pid_tgid#14
2: r7 = r0
3: r0 = r7
4: r0 >>= 32
5: *(u64 *)(r10 -8) = r0
6: r1 = map[@x]
8: r2 = r10
9: r2 += -8
10: r3 = r10
11: r3 += -16
12: r4 = 0
13: call bpf_map_update_elem#2
14: if r0 != 0x0 goto pc+34
15: r1 = map[.ring]
17: r2 = 32
18: r3 = 0
19: call bpf_ringbuf_reserve#131
20: r1 = r0
21: if r1 == 0x0 goto pc+32
22: *(u64 *)(r1 +0) = 0
23: *(u64 *)(r1 +8) = 1
24: *(u64 *)(r1 +16) = 1
25: r0 = r7
26: r0 >>= 32
27: *(u64 *)(r1 +24) = r0
28: r2 = 1
29: call bpf_ringbuf_submit#132
30: r1 = map[.ring]
32: r2 = 3
33: call bpf_ringbuf_query#134
34: r7 = r0
35: r1 = map[.ctl]
37: r2 = 24
38: r3 = 0
39: call bpf_ringbuf_reserve#131
40: r1 = r0
41: if r1 == 0x0 goto pc+17
42: *(u64 *)(r1 +0) = 1
43: *(u64 *)(r1 +8) = r7
44: *(u64 *)(r1 +16) = 7
45: r2 = 2
46: call bpf_ringbuf_submit#132
47: r0 = 0
48: exit
49: r0 = map_value[.data]+72
51: r5 = 1
52: lock *(u64 *)(r0 +0) += r5
53: goto pc-39
54: r0 = map_value[.data]+64
56: r5 = 1
57: lock *(u64 *)(r0 +0) += r5
58: goto pc-29
59: r0 = map_value[.data]+64
61: r5 = 1
62: lock *(u64 *)(r0 +0) += r5
63: goto pc-17
---
NAME printf: what is written where
PROG
BEGIN { printf("%d %s %s %p\n", pid, comm, "lit", 5); }
BPF
; bpf begin: BEGIN
0: r1 = map[.ring]
2: r2 = 48
3: r3 = 0
4: call bpf_ringbuf_reserve#131
5: r7 = r0
6: if r7 == 0x0 goto pc+17
7: *(u64 *)(r7 +0) = 0
8: call bpf_get_current_pid_tgid#14
9: r0 >>= 32
10: *(u64 *)(r7 +8) = r0
11: *(u64 *)(r7 +16) = 0
12: *(u64 *)(r7 +24) = 0
13: r1 = r7
14: r1 += 16
15: r2 = 16
16: call bpf_get_current_comm#16
17: *(u64 *)(r7 +32) = 1
18: *(u64 *)(r7 +40) = 5
19: r1 = r7
20: r2 = 1
21: call bpf_ringbuf_submit#132
22: r0 = 0
23: exit
24: r0 = map_value[.data]+64
26: r5 = 1
27: lock *(u64 *)(r0 +0) += r5
28: goto pc-7
---
NAME printf without arguments
PROG
BEGIN { printf("hello\n"); }
BPF
; bpf begin: BEGIN
0: r1 = map[.ring]
2: r2 = 8
3: r3 = 0
4: call bpf_ringbuf_reserve#131
5: r1 = r0
6: if r1 == 0x0 goto pc+5
7: *(u64 *)(r1 +0) = 0
8: r2 = 1
9: call bpf_ringbuf_submit#132
10: r0 = 0
11: exit
12: r0 = map_value[.data]+64
14: r5 = 1
15: lock *(u64 *)(r0 +0) += r5
16: goto pc-7
---
NAME time, cat, system, join
OPT unsafe=yes
PROG
t:syscalls:sys_enter_execve { time("%H"); cat("/proc/%d/stat", pid); system("ls %s", comm); join(args.argv); }
PROGS
sys_enter btf expected=23 event=sys_enter: tracepoint:syscalls:sys_enter_execve
attached 1
---
NAME signal
OPT unsafe=yes
PROG
BEGIN { signal("SIGKILL"); signal(10); }
BPF
; bpf begin: BEGIN
0: r1 = 9
1: call bpf_send_signal#109
2: r1 = 10
3: call bpf_send_signal#109
4: r0 = 0
5: exit
---
NAME kptr and uptr choose the read
PROG
kprobe:vfs_read { @a = *uptr((uint32 *)arg1); @b = *kptr((uint32 *)arg0); }
IR
; ir vfs_read: kprobe:vfs_read
block0 (entry):
    %0 = mapval 0 +0
    %1 = load u64 [%0]
    if %1 == 0 goto block7 else block2
block2 (stopped):
    return 0
block3 (next):
    return 0
block7 (body):
    %2 = ctx
    %3 = load u64 [%2 +104]
    %4 = slot 0
    %5 = 4
    call 112(%4, %5, %3)
    %7 = load u32 [%4]
    %8 = mapval 0 +120
    store u64 [%8], %7
    store u64 [%8 +8], 1
    goto block8
block8 (placed):
    %10 = load u64 [%2 +112]
    %11 = slot 0
    %12 = 4
    call 113(%11, %12, %10)
    %14 = load u32 [%11]
    %15 = mapval 0 +136
    store u64 [%15], %14
    store u64 [%15 +8], 1
    goto block3
---
NAME usermode
PROG
profile:hz:99 { @[usermode] = count(); }
BPF
; bpf hz: profile:hz:99
0: r6 = r1
1: r0 = map_value[.data]+0
3: r0 = *(u64 *)(r0 +0)
4: if r0 != 0x0 goto pc+14
5: r0 = *(u64 *)(r6 +136)
6: r0 &= 3
7: r0 >>= 1
8: *(u64 *)(r10 -16) = r0
9: r1 = map[@]
11: r2 = r10
12: r2 += -16
13: call bpf_map_lookup_elem#1
14: if r0 == 0x0 goto pc+6
15: r5 = 1
16: lock *(u64 *)(r0 +0) += r5
17: r0 = 0
18: exit
19: r0 = 0
20: exit
21: *(u64 *)(r10 -8) = 0
22: r1 = map[@]
24: r2 = r10
25: r2 += -16
26: r3 = r10
27: r3 += -8
28: r4 = 1
29: call bpf_map_update_elem#2
30: r1 = map[@]
32: r2 = r10
33: r2 += -16
34: call bpf_map_lookup_elem#1
35: if r0 != 0x0 goto pc-21
36: r0 = map_value[.data]+72
38: r5 = 1
39: lock *(u64 *)(r0 +0) += r5
40: goto pc-24
---
NAME min, max: the word that a larger key wins
PROG
BEGIN { @a = min(pid); @b = max(-5); }
IR
; ir begin: BEGIN
block0 (entry):
    goto block5
block1 (next):
    return 0
block5 (body):
    %0 = call 14()
    %1 = shr %0, 32
    %2 = xor %1, -9223372036854775808
    %3 = xor %2, -1
    %4 = mapval 0 +128
    %5 = call 8()
    %6 = and %5, 3
    %7 = shl %6, 6
    %8 = add %4, %7
    %9 = load u64 [%8]
    if %3 > %9 goto block8 else block7
block6 (placed):
    %20 = 9223372036854775803
    %21 = mapval 0 +152
    %23 = and %5, 3
    %24 = shl %23, 6
    %25 = add %21, %24
    %26 = load u64 [%25]
    if %26 < 9223372036854775803 goto block18 else block17
block7 (raised):
    store u64 [%8 +8], 1
    store u64 [%8 +16], 1
    goto block6
block8 (higher):
    %10 = atomic_cmpxchg u64 [%8], %3, %9
    if %10 == %9 goto block7 else block9
block9 (again): ; cold
    %11 = load u64 [%8]
    if %3 > %11 goto block10 else block7
block10 (higher):
    %12 = atomic_cmpxchg u64 [%8], %3, %11
    if %12 == %11 goto block7 else block11
block11 (again): ; cold
    %13 = load u64 [%8]
    if %3 > %13 goto block12 else block7
block12 (higher):
    %14 = atomic_cmpxchg u64 [%8], %3, %13
    if %14 == %13 goto block7 else block13
block13 (again): ; cold
    %15 = load u64 [%8]
    if %3 > %15 goto block14 else block7
block14 (higher):
    %16 = atomic_cmpxchg u64 [%8], %3, %15
    if %16 == %15 goto block7 else block15
block15 (again): ; cold
    %17 = mapval 0 +80
    %18 = 1
    atomic_add u64 [%17], %18
    goto block7
block17 (raised):
    store u64 [%25 +8], 1
    store u64 [%25 +16], 1
    goto block1
block18 (higher):
    %27 = atomic_cmpxchg u64 [%25], %20, %26
    if %27 == %26 goto block17 else block19
block19 (again): ; cold
    %28 = load u64 [%25]
    if %28 < 9223372036854775803 goto block20 else block17
block20 (higher):
    %29 = atomic_cmpxchg u64 [%25], %20, %28
    if %29 == %28 goto block17 else block21
block21 (again): ; cold
    %30 = load u64 [%25]
    if %30 < 9223372036854775803 goto block22 else block17
block22 (higher):
    %31 = atomic_cmpxchg u64 [%25], %20, %30
    if %31 == %30 goto block17 else block23
block23 (again): ; cold
    %32 = load u64 [%25]
    if %32 < 9223372036854775803 goto block24 else block17
block24 (higher):
    %33 = atomic_cmpxchg u64 [%25], %20, %32
    if %33 == %32 goto block17 else block25
block25 (again): ; cold
    %34 = mapval 0 +80
    %35 = 1
    atomic_add u64 [%34], %35
    goto block17
---
NAME avg
PROG
BEGIN { @a = avg(pid); }
BPF
; bpf begin: BEGIN
0: call bpf_get_current_pid_tgid#14
1: r7 = r0
2: r7 >>= 32
3: call bpf_get_smp_processor_id#8
4: r0 &= 3
5: r5 = r0
6: r5 <<= 6
7: r0 = map_value[.data]+128
9: r5 += r0
10: lock *(u64 *)(r5 +8) += r7
11: r0 = 1
12: lock *(u64 *)(r5 +0) += r0
13: r0 = 0
14: exit
---
NAME lhist
PROG
BEGIN { @a = lhist(pid, 10, 50, 20); }
IR
; ir begin: BEGIN
block0 (entry):
    goto block5
block1 (next):
    return 0
block5 (body):
    %0 = call 14()
    %1 = shr %0, 32
    if %1 s< 10 goto block6 else block7
block6 (below):
    %2 = 0
    goto block10
block7 (from lo):
    if %1 s>= 50 goto block8 else block9
block8 (above):
    %2 = 3
    goto block10
block9 (within):
    %3 = add %1, -10
    %4 = div %3, 20
    %2 = add %4, 1
    goto block10
block10 (bucket):
    %6 = mapval 0 +128
    %7 = call 8()
    %8 = and %7, 3
    %9 = shl %8, 6
    %10 = add %6, %9
    %11 = 1
    if %2 < 4 goto block12 else block1
block12 (bump):
    %12 = shl %2, 3
    %13 = add %10, %12
    atomic_add u64 [%13], %11
    goto block1
---
NAME hist with bits
PROG
BEGIN { @a = hist(pid, 2); }
IR
; ir begin: BEGIN
block0 (entry):
    goto block5
block1 (next):
    return 0
block5 (body):
    %0 = call 14()
    %1 = shr %0, 32
    if %1 s>= 0 goto block7 else block9
block6 (bucket):
    %24 = mapval 0 +128
    %25 = call 8()
    %26 = and %25, 3
    %27 = shl %26, 11
    %28 = add %24, %27
    %29 = 1
    if %2 < 249 goto block24 else block1
block7 (not negative):
    if %1 < 4 goto block10 else block8
block8 (log):
    %4 = 0
    %5 = %1
    if %5 >= 4294967296 goto block11 else block12
block9 (negative):
    %2 = 0
    goto block6
block10 (small):
    %2 = add %1, 1
    goto block6
block11 (up):
    %4 = add %4, 32
    %5 = shr %5, 32
    goto block12
block12 (next):
    if %5 >= 65536 goto block13 else block14
block13 (up):
    %4 = add %4, 16
    %5 = shr %5, 16
    goto block14
block14 (next):
    if %5 >= 256 goto block15 else block16
block15 (up):
    %4 = add %4, 8
    %5 = shr %5, 8
    goto block16
block16 (next):
    if %5 >= 16 goto block17 else block18
block17 (up):
    %4 = add %4, 4
    %5 = shr %5, 4
    goto block18
block18 (next):
    if %5 >= 4 goto block19 else block20
block19 (up):
    %4 = add %4, 2
    %5 = shr %5, 2
    goto block20
block20 (next):
    if %5 >= 2 goto block21 else block22
block21 (up):
    %4 = add %4, 1
    %5 = shr %5, 1
    goto block22
block22 (next):
    %18 = sub %4, 2
    %19 = and %18, 63
    %20 = shr %1, %19
    %21 = shl %19, 2
    %22 = add %21, %20
    %2 = add %22, 1
    goto block6
block24 (bump):
    %30 = shl %2, 3
    %31 = add %28, %30
    atomic_add u64 [%31], %29
    goto block1
---
NAME a kernel stack: hashed, sent once, known afterwards
PROG
kprobe:vfs_read { @[kstack(3)] = count(); }
IR
; ir vfs_read: kprobe:vfs_read
block0 (entry):
    %0 = mapval 0 +0
    %1 = load u64 [%0]
    if %1 == 0 goto block6 else block2
block2 (stopped):
    return 0
block3 (next):
    return 0
block5 (leave):
    store u64 [%5 -8], 0
    goto block3
block6 (predicate):
    %48 = call 8()
    %49 = shl %48, 2
    %50 = slot 0
    store u32 [%50], %49
    %52 = map 6
    %53 = call 1(%52, %50)
    if %53 != 0 goto block23 else block22
block7 (body):
    %3 = slot 0
    %4 = 0
    %6 = 0
    %7 = 24
    %8 = add %5, 32
    %9 = ctx
    %10 = call 67(%9, %8, %7, %6)
    if %10 s> 0 goto block10 else block11
block9 (hit):
    %47 = 1
    atomic_add u64 [%2], %47
    goto block5
block10 (stack):
    %11 = %10
    %12 = 0
    goto block16
block11 (stack id):
    store u64 [%3], %4
    %36 = slot 0
    %37 = map 4
    %2 = call 1(%37, %36)
    if %2 != 0 goto block9 else block20
block12 (new): ; cold
    store u64 [%5], 0
    %25 = shr %10, 3
    store u64 [%5 +24], %25
    if %10 <= 1016 goto block19 else block13
block13 (stack lost): ; cold
    %30 = mapval 0 +88
    %31 = 1
    atomic_add u64 [%30], %31
    goto block11
block14 (stack sent): ; cold
    %32 = add %5, 8
    %33 = 0
    call 2(%23, %32, %32, %33)
    goto block11
block15 (frames):
    if %12 < 24 goto block16 else block18
block16 (in):
    if %12 < %10 goto block17 else block18
block17 (frame):
    %13 = add %5, %12
    %14 = load u64 [%13 +32]
    %15 = xor %11, %14
    %16 = mul %15, -7046029254386353131
    %17 = shr %16, 29
    %11 = xor %16, %17
    %12 = add %12, 8
    goto block15
block18 (hashed):
    %4 = or %11, 1
    store u64 [%5 +8], %4
    store u64 [%5 +16], 0
    %22 = add %5, 8
    %23 = map 5
    %24 = call 1(%23, %22)
    if %24 != 0 goto block11 else block12
block19 (size):
    %26 = 1
    %27 = add %10, 32
    %28 = map 2
    %29 = call 130(%28, %5, %27, %26)
    if %29 == 0 goto block14 else block13
block20 (new key): ; cold
    %39 = slot 8
    store u64 [%39], 0
    %40 = 1
    call 2(%37, %36, %39, %40)
    %2 = call 1(%37, %36)
    if %2 != 0 goto block9 else block21
block21 (full): ; cold
    %45 = mapval 0 +72
    %46 = 1
    atomic_add u64 [%45], %46
    goto block5
block22 (nested): ; cold
    %78 = mapval 0 +80
    %79 = 1
    atomic_add u64 [%78], %79
    goto block3
block23 (slot):
    %54 = 1
    %55 = atomic_xchg u64 [%53], %54
    if %55 == 0 goto block25 else block24
block24 (busy): ; cold
    %57 = slot 0
    %58 = add %49, 1
    store u32 [%57], %58
    %60 = call 1(%52, %57)
    if %60 != 0 goto block26 else block22
block25 (taken):
    %5 = add %53, 8
    goto block7
block26 (slot):
    %61 = 1
    %62 = atomic_xchg u64 [%60], %61
    if %62 == 0 goto block28 else block27
block27 (busy): ; cold
    %64 = slot 0
    %65 = add %49, 2
    store u32 [%64], %65
    %67 = call 1(%52, %64)
    if %67 != 0 goto block29 else block22
block28 (taken):
    %5 = add %60, 8
    goto block7
block29 (slot):
    %68 = 1
    %69 = atomic_xchg u64 [%67], %68
    if %69 == 0 goto block31 else block30
block30 (busy): ; cold
    %71 = slot 0
    %72 = add %49, 3
    store u32 [%71], %72
    %74 = call 1(%52, %71)
    if %74 != 0 goto block32 else block22
block31 (taken):
    %5 = add %67, 8
    goto block7
block32 (slot):
    %75 = 1
    %76 = atomic_xchg u64 [%74], %75
    if %76 == 0 goto block33 else block22
block33 (taken):
    %5 = add %74, 8
    goto block7
---
NAME a user stack carries the process
PROG
profile:hz:99 { @s = ustack(perf, 3); }
MAPS
@s cell off=0 stride=24 n=1 touch=16 -> ustack
.stacks internal hash key=16 value=8 max=65536 no_prealloc
.scratch internal array key=4 value=1056 max=16
---
