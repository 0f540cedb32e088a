# The code of system-call programs: numbers, predicates, compat test, names.

NAME one call: number, then compat test, then the body
PROG
t:syscalls:sys_enter_read { @ = count(); }
BPF
; bpf sys_enter: tracepoint:syscalls:sys_enter_read
0: r6 = r1
1: r0 = map_value[.data]+0
3: r0 = *(u64 *)(r0 +0)
4: if r0 != 0x0 goto pc+16
5: r0 = *(u64 *)(r6 +8)
6: if r0 != 0x0 goto pc+12
7: call bpf_get_current_task_btf#158
8: r0 = *(u32 *)(r0 +16)
9: if r0 & 0x2 goto pc+9
10: call bpf_get_smp_processor_id#8
11: r0 &= 3
12: r5 = r0
13: r5 <<= 6
14: r0 = map_value[.data]+128
16: r0 += r5
17: r5 = 1
18: lock *(u64 *)(r0 +0) += r5
19: r0 = 0
20: exit
21: r0 = 0
22: exit
---
NAME its exit: the number comes from the registers
PROG
t:syscalls:sys_exit_read { @b = sum(args.ret); }
BPF
; bpf sys_exit: tracepoint:syscalls:sys_exit_read
0: r6 = r1
1: r0 = map_value[.data]+0
3: r0 = *(u64 *)(r0 +0)
4: if r0 != 0x0 goto pc+18
5: r0 = *(u64 *)(r6 +0)
6: r0 = *(u64 *)(r0 +120)
7: if r0 != 0x0 goto pc+13
8: call bpf_get_current_task_btf#158
9: r0 = *(u32 *)(r0 +16)
10: if r0 & 0x2 goto pc+10
11: call bpf_get_smp_processor_id#8
12: r0 &= 3
13: r5 = r0
14: r5 <<= 6
15: r0 = map_value[.data]+128
17: r5 += r0
18: r0 = *(u64 *)(r6 +8)
19: lock *(u64 *)(r5 +0) += r0
20: *(u64 *)(r5 +8) = 1
21: r0 = 0
22: exit
23: r0 = 0
24: exit
---
NAME its exit without typed contexts
OPT features=-tp_btf
PROG
t:syscalls:sys_exit_read { @b = sum(args.ret); }
BPF
; bpf sys_exit: tracepoint:syscalls:sys_exit_read
0: r6 = r1
1: r0 = map_value[.data]+0
3: r0 = *(u64 *)(r0 +0)
4: if r0 != 0x0 goto pc+23
5: r3 = *(u64 *)(r6 +0)
6: r3 += 120
7: r1 = r10
8: r1 += -8
9: r2 = 8
10: call bpf_probe_read_kernel#113
11: r0 = *(u64 *)(r10 -8)
12: if r0 != 0x0 goto pc+13
13: call bpf_get_current_task_btf#158
14: r0 = *(u32 *)(r0 +16)
15: if r0 & 0x2 goto pc+10
16: call bpf_get_smp_processor_id#8
17: r0 &= 3
18: r5 = r0
19: r5 <<= 6
20: r0 = map_value[.data]+128
22: r5 += r0
23: r0 = *(u64 *)(r6 +8)
24: lock *(u64 *)(r5 +0) += r0
25: *(u64 *)(r5 +8) = 1
26: r0 = 0
27: exit
28: r0 = 0
29: exit
---
NAME a predicate stands before the compat test
PROG
t:syscalls:sys_enter_read /pid == 42/ { @ = count(); }
BPF
; bpf sys_enter: tracepoint:syscalls:sys_enter_read
0: r6 = r1
1: r0 = map_value[.data]+0
3: r0 = *(u64 *)(r0 +0)
4: if r0 != 0x0 goto pc+19
5: r0 = *(u64 *)(r6 +8)
6: if r0 != 0x0 goto pc+15
7: call bpf_get_current_pid_tgid#14
8: r0 >>= 32
9: if r0 != 0x2a goto pc+12
10: call bpf_get_current_task_btf#158
11: r0 = *(u32 *)(r0 +16)
12: if r0 & 0x2 goto pc+9
13: call bpf_get_smp_processor_id#8
14: r0 &= 3
15: r5 = r0
16: r5 <<= 6
17: r0 = map_value[.data]+128
19: r0 += r5
20: r5 = 1
21: lock *(u64 *)(r0 +0) += r5
22: r0 = 0
23: exit
24: r0 = 0
25: exit
---
NAME two calls in one program, one of them filtered
PROG
t:syscalls:sys_enter_read /pid == 42/ { @r = count(); } t:syscalls:sys_enter_write { @w = count(); }
BPF
; bpf sys_enter: tracepoint:syscalls:sys_enter_read
0: r6 = r1
1: r0 = map_value[.data]+0
3: r0 = *(u64 *)(r0 +0)
4: if r0 != 0x0 goto pc+32
5: r7 = *(u64 *)(r6 +8)
6: if r7 != 0x0 goto pc+15
7: call bpf_get_current_pid_tgid#14
8: r0 >>= 32
9: if r0 != 0x2a goto pc+12
10: call bpf_get_current_task_btf#158
11: r0 = *(u32 *)(r0 +16)
12: if r0 & 0x2 goto pc+9
13: call bpf_get_smp_processor_id#8
14: r0 &= 3
15: r5 = r0
16: r5 <<= 6
17: r0 = map_value[.data]+192
19: r0 += r5
20: r5 = 1
21: lock *(u64 *)(r0 +0) += r5
22: if r7 != 0x1 goto pc+12
23: call bpf_get_current_task_btf#158
24: r0 = *(u32 *)(r0 +16)
25: if r0 & 0x2 goto pc+9
26: call bpf_get_smp_processor_id#8
27: r0 &= 3
28: r5 = r0
29: r5 <<= 6
30: r0 = map_value[.data]+200
32: r0 += r5
33: r5 = 1
34: lock *(u64 *)(r0 +0) += r5
35: r0 = 0
36: exit
37: r0 = 0
38: exit
---
NAME several calls in one body: a table of indices gives the name
PROG
t:syscalls:sys_enter_read, t:syscalls:sys_enter_write { @[probe] = count(); }
BPF
; bpf sys_enter: tracepoint:syscalls:sys_enter_read
0: r6 = r1
1: r0 = map_value[.data]+0
3: r0 = *(u64 *)(r0 +0)
4: if r0 != 0x0 goto pc+29
5: r0 = *(u64 *)(r6 +8)
6: if r0 >= 0x1d8 goto pc+25
7: if r0 >= 0x1d8 goto pc+24
8: r5 = r0
9: r5 <<= 1
10: r0 = map_value[.rodata]+0
12: r0 += r5
13: r7 = *(u16 *)(r0 +0)
14: if r7 == 0x0 goto pc+17
15: call bpf_get_current_task_btf#158
16: r0 = *(u32 *)(r0 +16)
17: if r0 & 0x2 goto pc+14
18: if r7 >= 0x3 goto pc+13
19: r7 &= 3
20: call bpf_get_smp_processor_id#8
21: r0 &= 3
22: r5 = r0
23: r5 <<= 6
24: r0 = map_value[.data]+128
26: r5 += r0
27: r0 = r7
28: r0 <<= 3
29: r5 += r0
30: r0 = 1
31: lock *(u64 *)(r5 +0) += r0
32: r0 = 0
33: exit
34: r0 = 0
35: exit
---
NAME four probes: a table of masks says which bodies run
PROG
t:syscalls:sys_enter_read { @r = count(); } t:syscalls:sys_enter_write { @w = count(); } t:syscalls:sys_enter_close { @c = count(); } t:syscalls:sys_enter_getppid { @g = count(); }
IR
; ir sys_enter: tracepoint:syscalls:sys_enter_read
block0 (entry):
    %0 = mapval 0 +0
    %1 = load u64 [%0]
    if %1 == 0 goto block1 else block2
block1 (running):
    %2 = ctx
    %3 = load u64 [%2 +8]
    if %3 < 472 goto block4 else block3
block2 (stopped):
    return 0
block3 (done):
    return 0
block4 (known number):
    %4 = mapval 1 +0
    %5 = shl %3, 3
    %6 = add %4, %5
    %7 = load u64 [%6]
    if %7 != 0 goto block5 else block3
block5 (wanted number):
    if %7 & 1 goto block11 else block6
block6 (skip):
    if %7 & 2 goto block20 else block15
block11 (predicate):
    %8 = call 158()
    %9 = load u32 [%8 +16]
    if %9 & 2 goto block6 else block12
block12 (body):
    %10 = mapval 0 +320
    %11 = call 8()
    %12 = and %11, 3
    %13 = shl %12, 6
    %14 = add %10, %13
    %15 = 1
    atomic_add u64 [%14], %15
    goto block6
block15 (skip):
    if %7 & 4 goto block29 else block24
block20 (predicate):
    %16 = call 158()
    %17 = load u32 [%16 +16]
    if %17 & 2 goto block15 else block21
block21 (body):
    %18 = mapval 0 +328
    %19 = call 8()
    %20 = and %19, 3
    %21 = shl %20, 6
    %22 = add %18, %21
    %23 = 1
    atomic_add u64 [%22], %23
    goto block15
block24 (skip):
    if %7 & 8 goto block38 else block3
block29 (predicate):
    %24 = call 158()
    %25 = load u32 [%24 +16]
    if %25 & 2 goto block24 else block30
block30 (body):
    %26 = mapval 0 +336
    %27 = call 8()
    %28 = and %27, 3
    %29 = shl %28, 6
    %30 = add %26, %29
    %31 = 1
    atomic_add u64 [%30], %31
    goto block24
block38 (predicate):
    %32 = call 158()
    %33 = load u32 [%32 +16]
    if %33 & 2 goto block3 else block39
block39 (body):
    %34 = mapval 0 +344
    %35 = call 8()
    %36 = and %35, 3
    %37 = shl %36, 6
    %38 = add %34, %37
    %39 = 1
    atomic_add u64 [%38], %39
    goto block3
---
NAME every call: raw_syscalls knows no compat test
PROG
t:raw_syscalls:sys_enter { @[args.id] = count(); }
BPF
; bpf sys_enter: tracepoint:raw_syscalls:sys_enter
0: r6 = r1
1: r0 = map_value[.data]+0
3: r0 = *(u64 *)(r0 +0)
4: if r0 != 0x0 goto pc+18
5: r0 = *(u64 *)(r6 +8)
6: if r0 >= 0x200 goto pc+18
7: r7 = r0
8: r7 &= 511
9: call bpf_get_smp_processor_id#8
10: r0 &= 3
11: r5 = r0
12: r5 <<= 12
13: r0 = map_value[.data]+128
15: r5 += r0
16: r0 = r7
17: r0 <<= 3
18: r0 += r5
19: r5 = 1
20: lock *(u64 *)(r0 +0) += r5
21: r0 = 0
22: exit
23: r0 = 0
24: exit
25: *(u64 *)(r10 -16) = r0
26: r1 = map[@]
28: r2 = r10
29: r2 += -16
30: call bpf_map_lookup_elem#1
31: if r0 != 0x0 goto pc-13
32: *(u64 *)(r10 -8) = 0
33: r1 = map[@]
35: r2 = r10
36: r2 += -16
37: r3 = r10
38: r3 += -8
39: r4 = 1
40: call bpf_map_update_elem#2
41: r1 = map[@]
43: r2 = r10
44: r2 += -16
45: call bpf_map_lookup_elem#1
46: if r0 != 0x0 goto pc-28
47: r0 = map_value[.data]+72
49: r5 = 1
50: lock *(u64 *)(r0 +0) += r5
51: goto pc-31
---
NAME an argument through typed registers
PROG
t:syscalls:sys_enter_read { @ = sum(args.count); }
BPF
; bpf sys_enter: tracepoint:syscalls:sys_enter_read
0: r6 = r1
1: r0 = map_value[.data]+0
3: r0 = *(u64 *)(r0 +0)
4: if r0 != 0x0 goto pc+18
5: r0 = *(u64 *)(r6 +8)
6: if r0 != 0x0 goto pc+14
7: call bpf_get_current_task_btf#158
8: r0 = *(u32 *)(r0 +16)
9: if r0 & 0x2 goto pc+11
10: r0 = *(u64 *)(r6 +0)
11: r7 = *(u64 *)(r0 +96)
12: call bpf_get_smp_processor_id#8
13: r0 &= 3
14: r5 = r0
15: r5 <<= 6
16: r0 = map_value[.data]+128
18: r0 += r5
19: lock *(u64 *)(r0 +0) += r7
20: *(u64 *)(r0 +8) = 1
21: r0 = 0
22: exit
23: r0 = 0
24: exit
---
NAME an argument through a read of kernel memory
OPT features=-tp_btf
PROG
t:syscalls:sys_enter_read { @ = sum(args.count); }
BPF
; bpf sys_enter: tracepoint:syscalls:sys_enter_read
0: r6 = r1
1: r0 = map_value[.data]+0
3: r0 = *(u64 *)(r0 +0)
4: if r0 != 0x0 goto pc+23
5: r0 = *(u64 *)(r6 +8)
6: if r0 != 0x0 goto pc+19
7: call bpf_get_current_task_btf#158
8: r0 = *(u32 *)(r0 +16)
9: if r0 & 0x2 goto pc+16
10: r3 = *(u64 *)(r6 +0)
11: r3 += 96
12: r1 = r10
13: r1 += -8
14: r2 = 8
15: call bpf_probe_read_kernel#113
16: r7 = *(u64 *)(r10 -8)
17: call bpf_get_smp_processor_id#8
18: r0 &= 3
19: r5 = r0
20: r5 <<= 6
21: r0 = map_value[.data]+128
23: r0 += r5
24: lock *(u64 *)(r0 +0) += r7
25: *(u64 *)(r0 +8) = 1
26: r0 = 0
27: exit
28: r0 = 0
29: exit
---
NAME an argument out of the perf record
OPT features=none
PROG
t:syscalls:sys_enter_read { @ = sum(args.count); }
BPF
; bpf sys_enter_read: tracepoint:syscalls:sys_enter_read
0: r6 = r1
1: r0 = map_value[.data]+0
3: r0 = *(u64 *)(r0 +0)
4: if r0 != 0x0 goto pc+12
5: call bpf_get_smp_processor_id#8
6: r0 &= 3
7: r5 = r0
8: r5 <<= 6
9: r0 = map_value[.data]+128
11: r5 += r0
12: r0 = *(u64 *)(r6 +32)
13: lock *(u64 *)(r5 +0) += r0
14: *(u64 *)(r5 +8) = 1
15: r0 = 0
16: exit
17: r0 = 0
18: exit
---
NAME arm64: registers and numbers are others
OPT arch=arm64
PROG
t:syscalls:sys_enter_read { @ = sum(args.count); }
BPF
; bpf sys_enter: tracepoint:syscalls:sys_enter_read
0: r6 = r1
1: r0 = map_value[.data]+0
3: r0 = *(u64 *)(r0 +0)
4: if r0 != 0x0 goto pc+18
5: r0 = *(u64 *)(r6 +8)
6: if r0 != 0x3f goto pc+14
7: call bpf_get_current_task_btf#158
8: r0 = *(u64 *)(r0 +0)
9: if r0 & 0x400000 goto pc+11
10: r0 = *(u64 *)(r6 +0)
11: r7 = *(u64 *)(r0 +16)
12: call bpf_get_smp_processor_id#8
13: r0 &= 3
14: r5 = r0
15: r5 <<= 6
16: r0 = map_value[.data]+128
18: r0 += r5
19: lock *(u64 *)(r0 +0) += r7
20: *(u64 *)(r0 +8) = 1
21: r0 = 0
22: exit
23: r0 = 0
24: exit
---
NAME the pid of -p
OPT pid=7
PROG
t:syscalls:sys_enter_read { @ = count(); }
BPF
; bpf sys_enter: tracepoint:syscalls:sys_enter_read
0: r6 = r1
1: r0 = map_value[.data]+0
3: r0 = *(u64 *)(r0 +0)
4: if r0 != 0x0 goto pc+19
5: r0 = *(u64 *)(r6 +8)
6: if r0 != 0x0 goto pc+15
7: call bpf_get_current_pid_tgid#14
8: r0 >>= 32
9: if r0 != 0x7 goto pc+12
10: call bpf_get_current_task_btf#158
11: r0 = *(u32 *)(r0 +16)
12: if r0 & 0x2 goto pc+9
13: call bpf_get_smp_processor_id#8
14: r0 &= 3
15: r5 = r0
16: r5 <<= 6
17: r0 = map_value[.data]+128
19: r0 += r5
20: r5 = 1
21: lock *(u64 *)(r0 +0) += r5
22: r0 = 0
23: exit
24: r0 = 0
25: exit
---
NAME without BTF the compat word is where it has always been
OPT btf=no
PROG
t:syscalls:sys_enter_read { @ = count(); }
BPF
; bpf sys_enter: tracepoint:syscalls:sys_enter_read
0: r6 = r1
1: r0 = map_value[.data]+0
3: r0 = *(u64 *)(r0 +0)
4: if r0 != 0x0 goto pc+16
5: r0 = *(u64 *)(r6 +8)
6: if r0 != 0x0 goto pc+12
7: call bpf_get_current_task_btf#158
8: r0 = *(u32 *)(r0 +16)
9: if r0 & 0x2 goto pc+9
10: call bpf_get_smp_processor_id#8
11: r0 &= 3
12: r5 = r0
13: r5 <<= 6
14: r0 = map_value[.data]+128
16: r0 += r5
17: r5 = 1
18: lock *(u64 *)(r0 +0) += r5
19: r0 = 0
20: exit
21: r0 = 0
22: exit
---
NAME a call that the table lacks, from its perf record
PROG
t:syscalls:sys_enter_newest { @ = sum(args.flags); }
BPF
; bpf sys_enter_newes: tracepoint:syscalls:sys_enter_newest
0: r6 = r1
1: r0 = map_value[.data]+0
3: r0 = *(u64 *)(r0 +0)
4: if r0 != 0x0 goto pc+12
5: call bpf_get_smp_processor_id#8
6: r0 &= 3
7: r5 = r0
8: r5 <<= 6
9: r0 = map_value[.data]+128
11: r5 += r0
12: r0 = *(u64 *)(r6 +16)
13: lock *(u64 *)(r5 +0) += r0
14: *(u64 *)(r5 +8) = 1
15: r0 = 0
16: exit
17: r0 = 0
18: exit
---
NAME the second argument of raw_syscalls
PROG
t:raw_syscalls:sys_enter { @ = sum(args.args[1]); }
BPF
; bpf sys_enter: tracepoint:raw_syscalls:sys_enter
0: r6 = r1
1: r0 = map_value[.data]+0
3: r0 = *(u64 *)(r0 +0)
4: if r0 != 0x0 goto pc+13
5: r0 = *(u64 *)(r6 +0)
6: r7 = *(u64 *)(r0 +104)
7: call bpf_get_smp_processor_id#8
8: r0 &= 3
9: r5 = r0
10: r5 <<= 6
11: r0 = map_value[.data]+128
13: r0 += r5
14: lock *(u64 *)(r0 +0) += r7
15: *(u64 *)(r0 +8) = 1
16: r0 = 0
17: exit
18: r0 = 0
19: exit
---
NAME the same on its perf tracepoint, and the number
OPT features=none
PROG
t:raw_syscalls:sys_enter { @a = sum(args.args[1]); @i = args.id; }
BPF
; bpf sys_enter: tracepoint:raw_syscalls:sys_enter
0: r6 = r1
1: r0 = map_value[.data]+0
3: r0 = *(u64 *)(r0 +0)
4: if r0 != 0x0 goto pc+23
5: r3 = r6
6: r3 += 24
7: r1 = r10
8: r1 += -8
9: r2 = 8
10: call bpf_probe_read_kernel#113
11: r7 = *(u64 *)(r10 -8)
12: call bpf_get_smp_processor_id#8
13: r0 &= 3
14: r5 = r0
15: r5 <<= 6
16: r0 = map_value[.data]+192
18: r0 += r5
19: lock *(u64 *)(r0 +0) += r7
20: *(u64 *)(r0 +8) = 1
21: r5 = map_value[.data]+120
23: r0 = *(u64 *)(r6 +8)
24: *(u64 *)(r5 +0) = r0
25: *(u64 *)(r5 +8) = 1
26: r0 = 0
27: exit
28: r0 = 0
29: exit
---
NAME registers that do not lie side by side
PROG
t:raw_syscalls:sys_enter { print(args.args); }
ERROR
stdin:1:34-43: ERROR: all of args at once is not supported yet: name one, args.args[0]
t:raw_syscalls:sys_enter { print(args.args); }
                                 ~~~~~~~~~
---
NAME which argument must be known
PROG
t:raw_syscalls:sys_enter { print(args.args[pid]); }
ERROR
stdin:1:34-48: ERROR: args[n] needs a literal n
t:raw_syscalls:sys_enter { print(args.args[pid]); }
                                 ~~~~~~~~~~~~~~
---
NAME an argument that there is not
PROG
t:raw_syscalls:sys_enter { print(args.args[6]); }
ERROR
stdin:1:44-45: ERROR: the index 6 is out of bounds for array of size 6
t:raw_syscalls:sys_enter { print(args.args[6]); }
                                           ~
---
