# Statements.

NAME if, else if, else
PROG
BEGIN { if (pid == 1) { @x = 1; } else if (pid == 2) { @x = 2; } else { @x = 3; } }
IR
; ir begin: BEGIN
block0 (entry):
    goto block5
block1 (next):
    return 0
block5 (body):
    %0 = call 14()
    %1 = shr %0, 32
    if %1 == 1 goto block6 else block8
block6 (then):
    %3 = mapval 0 +120
    store u64 [%3], 1
    store u64 [%3 +8], 1
    goto block1
block8 (else):
    if %1 == 2 goto block10 else block12
block10 (then):
    %7 = mapval 0 +120
    store u64 [%7], 2
    store u64 [%7 +8], 1
    goto block1
block12 (else):
    %9 = mapval 0 +120
    store u64 [%9], 3
    store u64 [%9 +8], 1
    goto block1
---
NAME unroll writes its body several times
PROG
BEGIN { $i = 0; unroll(3) { $i += 2; } @x = $i; }
BPF
; bpf begin: BEGIN
0: r0 = 0
1: r0 = 0
2: r0 += 2
3: r0 += 2
4: r0 += 2
5: r5 = map_value[.data]+120
7: *(u64 *)(r5 +0) = r0
8: *(u64 *)(r5 +8) = 1
9: r0 = 0
10: exit
---
NAME return ends its own body only
PROG
t:syscalls:sys_enter_read { if (pid == 1) { return; } @x = count(); } t:syscalls:sys_enter_write { @y = count(); }
IR
; ir sys_enter: tracepoint:syscalls:sys_enter_read
block0 (entry):
    %0 = mapval 0 +0
    %1 = load u64 [%0]
    if %1 == 0 goto block1 else block2
block1 (running):
    %2 = ctx
    %3 = load u64 [%2 +8]
    if %3 == 0 goto block9 else block4
block2 (stopped):
    return 0
block3 (done):
    return 0
block4 (skip):
    if %3 == 1 goto block20 else block3
block9 (predicate):
    %4 = call 158()
    %5 = load u32 [%4 +16]
    if %5 & 2 goto block4 else block10
block10 (body):
    %6 = call 14()
    %7 = shr %6, 32
    if %7 == 1 goto block4 else block13
block13 (endif):
    %8 = mapval 0 +192
    %9 = call 8()
    %10 = and %9, 3
    %11 = shl %10, 6
    %12 = add %8, %11
    %13 = 1
    atomic_add u64 [%12], %13
    goto block4
block20 (predicate):
    %14 = call 158()
    %15 = load u32 [%14 +16]
    if %15 & 2 goto block3 else block21
block21 (body):
    %16 = mapval 0 +200
    %17 = call 8()
    %18 = and %17, 3
    %19 = shl %18, 6
    %20 = add %16, %19
    %21 = 1
    atomic_add u64 [%20], %21
    goto block3
---
NAME exit sets the stop flag and leaves
PROG
BEGIN { exit(3); @never = 1; }
BPF
; bpf begin: BEGIN
0: r1 = map[.ring]
2: r2 = 3
3: call bpf_ringbuf_query#134
4: r7 = r0
5: r1 = map[.ctl]
7: r2 = 24
8: r3 = 0
9: call bpf_ringbuf_reserve#131
10: r1 = r0
11: if r1 == 0x0 goto pc+10
12: *(u64 *)(r1 +0) = 0
13: *(u64 *)(r1 +8) = r7
14: *(u64 *)(r1 +16) = 3
15: r2 = 2
16: call bpf_ringbuf_submit#132
17: r0 = map_value[.data]+0
19: *(u64 *)(r0 +0) = 1
20: r0 = 0
21: exit
22: r0 = map_value[.data]+64
24: r5 = 1
25: lock *(u64 *)(r0 +0) += r5
26: goto pc-10
---
NAME a failed predicate goes on to the next body
PROG
t:syscalls:sys_enter_read /uid == 0/ { @x = count(); } t:syscalls:sys_enter_read { @y = count(); }
IR
; ir sys_enter: tracepoint:syscalls:sys_enter_read
block0 (entry):
    %0 = mapval 0 +0
    %1 = load u64 [%0]
    if %1 == 0 goto block1 else block2
block1 (running):
    %2 = ctx
    %3 = load u64 [%2 +8]
    if %3 == 0 goto block9 else block4
block2 (stopped):
    return 0
block3 (done):
    return 0
block4 (skip):
    if %3 == 0 goto block19 else block3
block9 (predicate):
    %4 = call 15()
    %5 = and %4, 4294967295
    if %5 == 0 goto block11 else block4
block10 (body):
    %8 = mapval 0 +192
    %9 = call 8()
    %10 = and %9, 3
    %11 = shl %10, 6
    %12 = add %8, %11
    %13 = 1
    atomic_add u64 [%12], %13
    goto block4
block11 (wanted):
    %6 = call 158()
    %7 = load u32 [%6 +16]
    if %7 & 2 goto block4 else block10
block19 (predicate):
    %14 = call 158()
    %15 = load u32 [%14 +16]
    if %15 & 2 goto block3 else block20
block20 (body):
    %16 = mapval 0 +200
    %17 = call 8()
    %18 = and %17, 3
    %19 = shl %18, 6
    %20 = add %16, %19
    %21 = 1
    atomic_add u64 [%20], %21
    goto block3
---
NAME let, with and without a type
PROG
BEGIN { let $a : uint8 = 300; let $b = 5; let $c; $c = 2; @x = $a; @y = $b + $c; }
BPF
; bpf begin: BEGIN
0: r5 = 0
1: r4 = 0
2: r0 = 0
3: r5 = 44
4: r4 = 5
5: r0 = 0
6: r0 = 2
7: r3 = map_value[.data]+120
9: *(u64 *)(r3 +0) = r5
10: *(u64 *)(r3 +8) = 1
11: r0 += r4
12: r5 = map_value[.data]+136
14: *(u64 *)(r5 +0) = r0
15: *(u64 *)(r5 +8) = 1
16: r0 = 0
17: exit
---
NAME a declared width holds after += and ++
PROG
BEGIN { let $a : uint8 = 255; $a += pid; @x = $a; $a++; @y = $a; }
BPF
; bpf begin: BEGIN
0: r7 = 0
1: r7 = 255
2: call bpf_get_current_pid_tgid#14
3: r0 >>= 32
4: r0 += r7
5: r7 = r0
6: r7 &= 255
7: r0 = map_value[.data]+120
9: *(u64 *)(r0 +0) = r7
10: *(u64 *)(r0 +8) = 1
11: r0 = r7
12: r0 += 1
13: r7 = r0
14: r7 &= 255
15: r0 = map_value[.data]+136
17: *(u64 *)(r0 +0) = r7
18: *(u64 *)(r0 +8) = 1
19: r0 = 0
20: exit
---
NAME scopes end with their block
PROG
BEGIN { if (1) { $x = 1; print($x); } if (1) { $x = "a"; print($x); } }
AST
probe
 attach BEGIN
 if
  int 1 :: int64
  then
   assign
    var $x :: int64
    int 1 :: int64
   do
    call print :: none
     var $x :: int64
 if
  int 1 :: int64
  then
   assign
    var $x :: string[2]
    string "a" :: string[2]
   do
    call print :: none
     var $x :: string[2]
---
NAME a value that nobody wants
PROG
BEGIN { _ = pid; }
BPF
; bpf begin: BEGIN
0: r0 = 0
1: exit
---
NAME assignment of a string to a map: bytes, zero-padded
PROG
BEGIN { @x = comm; }
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
    %3 = mapval 0 +120
    %5 = load u64 [%0]
    store u64 [%3], %5
    %6 = load u64 [%0 +8]
    store u64 [%3 +8], %6
    store u64 [%3 +16], 1
    goto block1
---
NAME assignment of a constant string is a number
PROG
BEGIN { @x = "abc"; }
BPF
; bpf begin: BEGIN
0: r0 = map_value[.data]+120
2: *(u64 *)(r0 +0) = 1
3: *(u64 *)(r0 +8) = 1
4: r0 = 0
5: exit
---
NAME a constant and a run-time string share a map: bytes
PROG
BEGIN { @x = "abc"; @x = comm; }
IR
; ir begin: BEGIN
block0 (entry):
    goto block5
block1 (next):
    return 0
block5 (body):
    %0 = slot 0
    store u64 [%0], 6513249
    store u64 [%0 +8], 0
    %1 = mapval 0 +120
    %3 = load u64 [%0]
    store u64 [%1], %3
    %4 = load u64 [%0 +8]
    store u64 [%1 +8], %4
    store u64 [%1 +16], 1
    goto block6
block6 (placed):
    %5 = slot 0
    store u64 [%5], 0
    store u64 [%5 +8], 0
    %6 = 16
    call 16(%5, %6)
    %10 = load u64 [%5]
    store u64 [%1], %10
    %11 = load u64 [%5 +8]
    store u64 [%1 +8], %11
    store u64 [%1 +16], 1
    goto block1
---
NAME @m op= e takes its sign from both sides
PROG
BEGIN { @u = (uint64)7; @s = 7; @u /= -2; @u /= 2; @s /= 2; @u >>= 1; @s >>= 1; @s -= 3; @s *= 5; @s |= 8; }
IR
; ir begin: BEGIN
block0 (entry):
    goto block5
block1 (next):
    return 0
block5 (body):
    %1 = mapval 0 +120
    store u64 [%1], 7
    store u64 [%1 +8], 1
    goto block6
block6 (placed):
    %3 = mapval 0 +136
    store u64 [%3], 7
    store u64 [%3 +8], 1
    goto block7
block7 (placed):
    %6 = load u64 [%1]
    %7 = sdiv %6, -2
    store u64 [%1], %7
    store u64 [%1 +8], 1
    goto block8
block8 (placed):
    %10 = load u64 [%1]
    %11 = shr %10, 1
    store u64 [%1], %11
    store u64 [%1 +8], 1
    goto block9
block9 (placed):
    %14 = load u64 [%3]
    %15 = sdiv %14, 2
    store u64 [%3], %15
    store u64 [%3 +8], 1
    goto block10
block10 (placed):
    %18 = load u64 [%1]
    %19 = shr %18, 1
    store u64 [%1], %19
    store u64 [%1 +8], 1
    goto block11
block11 (placed):
    %22 = load u64 [%3]
    %23 = sar %22, 1
    store u64 [%3], %23
    store u64 [%3 +8], 1
    goto block12
block12 (placed):
    %26 = -3
    atomic_add u64 [%3], %26
    store u64 [%3 +8], 1
    goto block13
block13 (placed):
    %29 = load u64 [%3]
    %30 = mul %29, 5
    store u64 [%3], %30
    store u64 [%3 +8], 1
    goto block14
block14 (placed):
    %33 = load u64 [%3]
    %34 = or %33, 8
    store u64 [%3], %34
    store u64 [%3 +8], 1
    goto block1
---
NAME delete of a key
PROG
BEGIN { @x[pid] = 1; delete(@x[pid]); delete(@x, tid); }
IR
; ir begin: BEGIN
block0 (entry):
    goto block5
block1 (next):
    return 0
block5 (body):
    %0 = slot 0
    store u64 [%0], 1
    %1 = slot 8
    %2 = call 14()
    %3 = shr %2, 32
    store u64 [%1], %3
    %5 = 0
    %7 = map 4
    %8 = call 2(%7, %1, %0, %5)
    if %8 != 0 goto block6 else block7
block6 (full): ; cold
    %9 = mapval 0 +72
    %10 = 1
    atomic_add u64 [%9], %10
    goto block7
block7 (stored):
    %12 = slot 0
    store u64 [%12], %3
    call 3(%7, %12)
    goto block9
block9 (deleted):
    %19 = slot 0
    %21 = and %2, 4294967295
    store u64 [%19], %21
    call 3(%7, %19)
    goto block1
---
NAME delete of a scalar
PROG
BEGIN { @x = 1; delete(@x); }
BPF
; bpf begin: BEGIN
0: r0 = map_value[.data]+120
2: *(u64 *)(r0 +0) = 1
3: *(u64 *)(r0 +8) = 1
4: *(u64 *)(r0 +0) = 0
5: *(u64 *)(r0 +8) = 0
6: r0 = 0
7: exit
---
NAME a missing key reads as zero
PROG
kprobe:vfs_read { @x[tid] = nsecs; @d = nsecs - @x[pid]; }
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
    %3 = call 125()
    store u64 [%2], %3
    %4 = slot 8
    %5 = call 14()
    %6 = and %5, 4294967295
    store u64 [%4], %6
    %8 = 0
    %10 = map 4
    %11 = call 2(%10, %4, %2, %8)
    if %11 != 0 goto block8 else block9
block8 (full): ; cold
    %12 = mapval 0 +72
    %13 = 1
    atomic_add u64 [%12], %13
    goto block9
block9 (stored):
    %14 = call 125()
    %15 = 0
    %17 = slot 0
    %19 = shr %5, 32
    store u64 [%17], %19
    %22 = call 1(%10, %17)
    if %22 != 0 goto block11 else block10
block10 (placed):
    %24 = sub %14, %15
    %25 = mapval 0 +120
    store u64 [%25], %24
    store u64 [%25 +8], 1
    goto block3
block11 (hit):
    %15 = load u64 [%22]
    goto block10
---
NAME the usual pair: start and duration
PROG
kprobe:vfs_read { @start[tid] = nsecs; } kretprobe:vfs_read /@start[tid]/ { @ns = hist(nsecs - @start[tid]); delete(@start[tid]); }
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
    %3 = call 125()
    store u64 [%2], %3
    %4 = slot 8
    %5 = call 14()
    %6 = and %5, 4294967295
    store u64 [%4], %6
    %8 = 0
    %10 = map 4
    %11 = call 2(%10, %4, %2, %8)
    if %11 != 0 goto block8 else block3
block8 (full): ; cold
    %12 = mapval 0 +72
    %13 = 1
    atomic_add u64 [%12], %13
    goto block3
; ir vfs_read: kretprobe:vfs_read
block0 (entry):
    %0 = mapval 0 +0
    %1 = load u64 [%0]
    if %1 == 0 goto block6 else block2
block2 (stopped):
    return 0
block3 (next):
    return 0
block6 (predicate):
    %2 = 0
    %4 = slot 0
    %5 = call 14()
    %6 = and %5, 4294967295
    store u64 [%4], %6
    %8 = map 4
    %9 = call 1(%8, %4)
    if %9 != 0 goto block10 else block9
block7 (body):
    %11 = call 125()
    %12 = 0
    %14 = slot 0
    %16 = and %5, 4294967295
    store u64 [%14], %16
    %19 = call 1(%8, %14)
    if %19 != 0 goto block12 else block11
block9 (placed):
    if %2 != 0 goto block7 else block3
block10 (hit):
    %2 = load u64 [%9]
    goto block9
block11 (placed):
    %21 = sub %11, %12
    if %21 s>= 0 goto block14 else block16
block12 (hit):
    %12 = load u64 [%19]
    goto block11
block13 (bucket):
    %39 = mapval 0 +192
    %40 = call 8()
    %41 = and %40, 3
    %42 = mul %41, 576
    %43 = add %39, %42
    %44 = 1
    if %22 < 65 goto block31 else block30
block14 (not negative):
    if %21 < 1 goto block17 else block15
block15 (log):
    %24 = 0
    %25 = %21
    if %25 >= 4294967296 goto block18 else block19
block16 (negative):
    %22 = 0
    goto block13
block17 (small):
    %22 = add %21, 1
    goto block13
block18 (up):
    %24 = add %24, 32
    %25 = shr %25, 32
    goto block19
block19 (next):
    if %25 >= 65536 goto block20 else block21
block20 (up):
    %24 = add %24, 16
    %25 = shr %25, 16
    goto block21
block21 (next):
    if %25 >= 256 goto block22 else block23
block22 (up):
    %24 = add %24, 8
    %25 = shr %25, 8
    goto block23
block23 (next):
    if %25 >= 16 goto block24 else block25
block24 (up):
    %24 = add %24, 4
    %25 = shr %25, 4
    goto block25
block25 (next):
    if %25 >= 4 goto block26 else block27
block26 (up):
    %24 = add %24, 2
    %25 = shr %25, 2
    goto block27
block27 (next):
    if %25 >= 2 goto block28 else block29
block28 (up):
    %24 = add %24, 1
    %25 = shr %25, 1
    goto block29
block29 (next):
    %22 = add %24, 2
    goto block13
block30 (placed):
    %48 = slot 0
    %50 = and %5, 4294967295
    store u64 [%48], %50
    call 3(%8, %48)
    goto block3
block31 (bump):
    %45 = shl %22, 3
    %46 = add %43, %45
    atomic_add u64 [%46], %44
    goto block30
---
NAME a full map is counted as a loss
PROG
kprobe:vfs_read { @x[tid] = 1; }
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
    store u64 [%2], 1
    %3 = slot 8
    %4 = call 14()
    %5 = and %4, 4294967295
    store u64 [%3], %5
    %7 = 0
    %9 = map 4
    %10 = call 2(%9, %3, %2, %7)
    if %10 != 0 goto block8 else block3
block8 (full): ; cold
    %11 = mapval 0 +72
    %12 = 1
    atomic_add u64 [%11], %12
    goto block3
---
