# Expressions: what each kind becomes.

NAME arithmetic, signed and unsigned
PROG
BEGIN { @a = 7; @u = (uint64)7; @r = (@a + 1) * 3 - @a / 2 + @a % 5; @s = @u / 2 + @u % 5; }
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
    %4 = 0
    %4 = load u64 [%1]
    goto block8
block8 (placed):
    %7 = add %4, 1
    %8 = mul %7, 3
    %9 = 0
    %9 = load u64 [%1]
    goto block9
block9 (placed):
    %12 = sdiv %9, 2
    %13 = sub %8, %12
    %14 = 0
    %14 = load u64 [%1]
    goto block10
block10 (placed):
    %17 = smod %14, 5
    %18 = add %13, %17
    %19 = mapval 0 +152
    store u64 [%19], %18
    store u64 [%19 +8], 1
    goto block11
block11 (placed):
    %20 = 0
    %20 = load u64 [%3]
    goto block12
block12 (placed):
    %23 = shr %20, 1
    %24 = 0
    %24 = load u64 [%3]
    goto block13
block13 (placed):
    %27 = mod %24, 5
    %28 = add %23, %27
    %29 = mapval 0 +168
    store u64 [%29], %28
    store u64 [%29 +8], 1
    goto block1
---
NAME shifts: a signed value keeps its sign
PROG
BEGIN { @a = 7; @u = (uint64)7; @x = @a >> 2; @y = @u >> 2; @z = @a << 3; }
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
    %4 = 0
    %4 = load u64 [%1]
    goto block8
block8 (placed):
    %7 = sar %4, 2
    %8 = mapval 0 +152
    store u64 [%8], %7
    store u64 [%8 +8], 1
    goto block9
block9 (placed):
    %9 = 0
    %9 = load u64 [%3]
    goto block10
block10 (placed):
    %12 = shr %9, 2
    %13 = mapval 0 +168
    store u64 [%13], %12
    store u64 [%13 +8], 1
    goto block11
block11 (placed):
    %14 = 0
    %14 = load u64 [%1]
    goto block12
block12 (placed):
    %17 = shl %14, 3
    %18 = mapval 0 +184
    store u64 [%18], %17
    store u64 [%18 +8], 1
    goto block1
---
NAME bits
PROG
BEGIN { @a = 7; @x = (@a & 3) | (@a ^ 5) | ~@a; }
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
    %2 = 0
    %2 = load u64 [%1]
    goto block7
block7 (placed):
    %5 = and %2, 3
    %6 = 0
    %6 = load u64 [%1]
    goto block8
block8 (placed):
    %9 = xor %6, 5
    %10 = or %5, %9
    %11 = 0
    %11 = load u64 [%1]
    goto block9
block9 (placed):
    %14 = xor %11, -1
    %15 = or %10, %14
    %16 = mapval 0 +136
    store u64 [%16], %15
    store u64 [%16 +8], 1
    goto block1
---
NAME a constant expression is one number
PROG
BEGIN { @x = (1 << 10) + 5 * 3 - 7 / 2; }
BPF
; bpf begin: BEGIN
0: r0 = map_value[.data]+120
2: *(u64 *)(r0 +0) = 1036
3: *(u64 *)(r0 +8) = 1
4: r0 = 0
5: exit
---
NAME a literal beyond 63 bits is unsigned
PROG
BEGIN { @x = 0xffffffffffffffff >> 60; @y = (0 - 1) >> 60; }
BPF
; bpf begin: BEGIN
0: r0 = map_value[.data]+120
2: *(u64 *)(r0 +0) = 15
3: *(u64 *)(r0 +8) = 1
4: r0 = map_value[.data]+136
6: *(u64 *)(r0 +0) = -1
7: *(u64 *)(r0 +8) = 1
8: r0 = 0
9: exit
---
NAME comparison takes its sign from both sides
PROG
BEGIN { @a = 7; @u = (uint64)7; @x = @a < 5; @y = @u < 5; @z = @a < @u; }
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
    %4 = 0
    %5 = 0
    %5 = load u64 [%1]
    goto block10
block8 (true):
    %4 = 1
    goto block9
block9 (bool):
    %8 = mapval 0 +152
    store u64 [%8], %4
    store u64 [%8 +8], 1
    goto block11
block10 (placed):
    if %5 s< 5 goto block8 else block9
block11 (placed):
    %9 = 0
    %10 = 0
    %10 = load u64 [%3]
    goto block14
block12 (true):
    %9 = 1
    goto block13
block13 (bool):
    %13 = mapval 0 +168
    store u64 [%13], %9
    store u64 [%13 +8], 1
    goto block15
block14 (placed):
    if %10 < 5 goto block12 else block13
block15 (placed):
    %14 = 0
    %15 = 0
    %15 = load u64 [%1]
    goto block18
block16 (true):
    %14 = 1
    goto block17
block17 (bool):
    %21 = mapval 0 +184
    store u64 [%21], %14
    store u64 [%21 +8], 1
    goto block1
block18 (placed):
    %18 = 0
    %18 = load u64 [%3]
    goto block19
block19 (placed):
    if %15 s< %18 goto block16 else block17
---
NAME the right side of && and of || is tested only if it matters
PROG
BEGIN { @a = 7; @b = 8; @x = @a && @b > 3 || !@b; }
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
    store u64 [%3], 8
    store u64 [%3 +8], 1
    goto block7
block7 (placed):
    %4 = 0
    %5 = 0
    %5 = load u64 [%1]
    goto block12
block8 (true):
    %4 = 1
    goto block9
block9 (bool):
    %14 = mapval 0 +152
    store u64 [%14], %4
    store u64 [%14 +8], 1
    goto block1
block10 (and):
    %11 = 0
    %11 = load u64 [%3]
    goto block14
block11 (and):
    %8 = 0
    %8 = load u64 [%3]
    goto block13
block12 (placed):
    if %5 != 0 goto block11 else block10
block13 (placed):
    if %8 s> 3 goto block8 else block10
block14 (placed):
    if %11 != 0 goto block9 else block8
---
NAME ! of a comparison turns it round
PROG
BEGIN { @a = 7; if (!(@a == 5)) { @x = 1; } }
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
    %2 = 0
    %2 = load u64 [%1]
    goto block9
block7 (then):
    %6 = mapval 0 +136
    store u64 [%6], 1
    store u64 [%6 +8], 1
    goto block1
block9 (placed):
    if %2 == 5 goto block1 else block7
---
NAME ternary
PROG
BEGIN { @a = 7; @x = @a > 5 ? @a : 0; }
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
    %3 = 0
    %3 = load u64 [%1]
    goto block10
block7 (then):
    %6 = 0
    %6 = load u64 [%1]
    goto block11
block8 (else):
    %2 = 0
    goto block9
block9 (join):
    %10 = mapval 0 +136
    store u64 [%10], %2
    store u64 [%10 +8], 1
    goto block1
block10 (placed):
    if %3 s> 5 goto block7 else block8
block11 (placed):
    %2 = %6
    goto block9
---
NAME short ternary evaluates its condition once
PROG
BEGIN { @a = 7; @x = @a ?: 3; }
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
    %3 = 0
    %3 = load u64 [%1]
    goto block10
block7 (then):
    %2 = %3
    goto block9
block8 (else):
    %2 = 3
    goto block9
block9 (join):
    %7 = mapval 0 +136
    store u64 [%7], %2
    store u64 [%7 +8], 1
    goto block1
block10 (placed):
    if %3 != 0 goto block7 else block8
---
NAME ternary of strings
PROG
BEGIN { @s = pid == 1 ? "init" : "other"; }
IR
; ir begin: BEGIN
block0 (entry):
    goto block5
block1 (next):
    return 0
block5 (body):
    %1 = call 14()
    %2 = shr %1, 32
    if %2 == 1 goto block6 else block7
block6 (then):
    %0 = 1
    goto block8
block7 (else):
    %0 = 2
    goto block8
block8 (join):
    %5 = mapval 0 +120
    store u64 [%5], %0
    store u64 [%5 +8], 1
    goto block1
---
NAME casts cut and extend
PROG
BEGIN { @a = 300; @x = (uint8)@a; @y = (int8)@a; @z = (uint32)@a; @w = (int32)@a; }
IR
; ir begin: BEGIN
block0 (entry):
    goto block5
block1 (next):
    return 0
block5 (body):
    %1 = mapval 0 +120
    store u64 [%1], 300
    store u64 [%1 +8], 1
    goto block6
block6 (placed):
    %2 = 0
    %2 = load u64 [%1]
    goto block7
block7 (placed):
    %5 = and %2, 255
    %6 = mapval 0 +136
    store u64 [%6], %5
    store u64 [%6 +8], 1
    goto block8
block8 (placed):
    %7 = 0
    %7 = load u64 [%1]
    goto block9
block9 (placed):
    %10 = shl %7, 56
    %11 = sar %10, 56
    %12 = mapval 0 +152
    store u64 [%12], %11
    store u64 [%12 +8], 1
    goto block10
block10 (placed):
    %13 = 0
    %13 = load u64 [%1]
    goto block11
block11 (placed):
    %16 = and %13, 4294967295
    %17 = mapval 0 +168
    store u64 [%17], %16
    store u64 [%17 +8], 1
    goto block12
block12 (placed):
    %18 = 0
    %18 = load u64 [%1]
    goto block13
block13 (placed):
    %21 = shl %18, 32
    %22 = sar %21, 32
    %23 = mapval 0 +184
    store u64 [%23], %22
    store u64 [%23 +8], 1
    goto block1
---
NAME ++ and -- on a variable: before and after
PROG
BEGIN { $i = pid; @a = $i++; @b = ++$i; @c = $i--; @d = --$i; }
IR
; ir begin: BEGIN
block0 (entry):
    goto block5
block1 (next):
    return 0
block5 (body):
    %0 = 0
    %1 = call 14()
    %0 = shr %1, 32
    %3 = %0
    %0 = add %0, 1
    %5 = mapval 0 +120
    store u64 [%5], %3
    store u64 [%5 +8], 1
    goto block6
block6 (placed):
    %0 = add %0, 1
    %8 = mapval 0 +136
    store u64 [%8], %0
    store u64 [%8 +8], 1
    goto block7
block7 (placed):
    %9 = %0
    %0 = sub %0, 1
    %11 = mapval 0 +152
    store u64 [%11], %9
    store u64 [%11 +8], 1
    goto block8
block8 (placed):
    %0 = sub %0, 1
    %14 = mapval 0 +168
    store u64 [%14], %0
    store u64 [%14 +8], 1
    goto block1
---
NAME ++ on a map whose result is used
PROG
BEGIN { @x = 1; @a = @x++; @b = ++@x; }
IR
; ir begin: BEGIN
block0 (entry):
    goto block5
block1 (next):
    return 0
block5 (body):
    %1 = mapval 0 +120
    store u64 [%1], 1
    store u64 [%1 +8], 1
    goto block6
block6 (placed):
    %3 = 1
    %2 = 0
    %2 = atomic_fetch_add u64 [%1], %3
    store u64 [%1 +8], 1
    goto block7
block7 (placed):
    %6 = mapval 0 +136
    store u64 [%6], %2
    store u64 [%6 +8], 1
    goto block8
block8 (placed):
    %8 = 1
    %7 = 0
    %10 = atomic_fetch_add u64 [%1], %8
    %7 = add %10, 1
    store u64 [%1 +8], 1
    goto block9
block9 (placed):
    %12 = mapval 0 +152
    store u64 [%12], %7
    store u64 [%12 +8], 1
    goto block1
---
NAME the same without atomics that fetch
OPT features=-atomic_fetch
PROG
BEGIN { @x = 1; @a = @x++; }
IR
; ir begin: BEGIN
block0 (entry):
    goto block5
block1 (next):
    return 0
block5 (body):
    %1 = mapval 0 +120
    store u64 [%1], 1
    store u64 [%1 +8], 1
    goto block6
block6 (placed):
    %3 = 1
    %2 = 0
    %2 = load u64 [%1]
    atomic_add u64 [%1], %3
    store u64 [%1 +8], 1
    goto block7
block7 (placed):
    %6 = mapval 0 +136
    store u64 [%6], %2
    store u64 [%6 +8], 1
    goto block1
---
NAME without division of signed numbers it is made of unsigned
OPT features=-cpu_v4
PROG
BEGIN { @a = 7; @x = @a / -2; }
BPF
; bpf begin: BEGIN
0: r5 = map_value[.data]+120
2: *(u64 *)(r5 +0) = 7
3: *(u64 *)(r5 +8) = 1
4: r0 = 0
5: r0 = *(u64 *)(r5 +0)
6: r5 = r0
7: r5 s>>= 63
8: r0 ^= r5
9: r0 -= r5
10: r4 = 2
11: r0 /= r4
12: r5 ^= -1
13: r0 ^= r5
14: r0 -= r5
15: r5 = map_value[.data]+136
17: *(u64 *)(r5 +0) = r0
18: *(u64 *)(r5 +8) = 1
19: r0 = 0
20: exit
---
NAME and with it
PROG
BEGIN { @a = 7; @x = @a / -2; }
BPF
; bpf begin: BEGIN
0: r5 = map_value[.data]+120
2: *(u64 *)(r5 +0) = 7
3: *(u64 *)(r5 +8) = 1
4: r0 = 0
5: r0 = *(u64 *)(r5 +0)
6: r0 s/= -2
7: r5 = map_value[.data]+136
9: *(u64 *)(r5 +0) = r0
10: *(u64 *)(r5 +8) = 1
11: r0 = 0
12: exit
---
NAME a tuple and its elements
PROG
BEGIN { $t = (1, pid); @x = $t.1; @y = $t[0]; }
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
    store u64 [%0], 1
    %2 = call 14()
    %3 = shr %2, 32
    store u64 [%0 +8], %3
    %5 = load u64 [%0 +8]
    %6 = mapval 0 +120
    store u64 [%6], %5
    store u64 [%6 +8], 1
    goto block6
block6 (placed):
    %7 = slot 0
    %8 = load u64 [%7]
    %9 = mapval 0 +136
    store u64 [%9], %8
    store u64 [%9 +8], 1
    goto block1
---
NAME a record and its fields
PROG
BEGIN { $r = (a = 5, b = pid); @x = $r.b; }
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
    store u64 [%0], 5
    %2 = call 14()
    %3 = shr %2, 32
    store u64 [%0 +8], %3
    %5 = load u64 [%0 +8]
    %6 = mapval 0 +120
    store u64 [%6], %5
    store u64 [%6 +8], 1
    goto block1
---
NAME equality of tuples by words
PROG
BEGIN { @a = (1, 2); if (@a == (1, 2)) { @x = 1; } }
IR
; ir begin: BEGIN
block0 (entry):
    goto block5
block1 (next):
    return 0
block5 (body):
    %0 = slot 0
    store u64 [%0], 1
    store u64 [%0 +8], 2
    %1 = mapval 0 +120
    %3 = load u64 [%0]
    store u64 [%1], %3
    %4 = load u64 [%0 +8]
    store u64 [%1 +8], %4
    store u64 [%1 +16], 1
    goto block6
block6 (placed):
    %5 = slot 0
    %6 = slot 16
    store u64 [%6], 0
    store u64 [%6 +8], 0
    %9 = load u64 [%1]
    store u64 [%6], %9
    %10 = load u64 [%1 +8]
    store u64 [%6 +8], %10
    goto block9
block7 (then):
    %20 = mapval 0 +144
    store u64 [%20], 1
    store u64 [%20 +8], 1
    goto block1
block9 (placed):
    %11 = slot 16
    %12 = load u64 [%11]
    store u64 [%5], %12
    %13 = load u64 [%11 +8]
    store u64 [%5 +8], %13
    store u64 [%11], 1
    store u64 [%11 +8], 2
    %15 = load u64 [%5]
    %16 = load u64 [%11]
    if %15 == %16 goto block10 else block1
block10 (cmp):
    %17 = load u64 [%5 +8]
    %18 = load u64 [%11 +8]
    if %17 == %18 goto block7 else block1
---
NAME a struct through BTF, pointer by pointer
PROG
kprobe:vfs_read { $f = (struct file *)arg0; @x = $f->f_path.dentry->d_name.len; }
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
    %2 = 0
    %3 = ctx
    %2 = load u64 [%3 +112]
    %5 = slot 0
    %6 = 8
    call 113(%5, %6, %2)
    %8 = load u64 [%5]
    %10 = add %8, 12
    %11 = 4
    call 113(%5, %11, %10)
    %13 = load u32 [%5]
    %14 = mapval 0 +120
    store u64 [%14], %13
    store u64 [%14 +8], 1
    goto block3
---
NAME a typed argument is read without a helper
PROG
fentry:vfs_read { @x = args.file->f_flags; }
BPF
; bpf vfs_read: fentry:vmlinux:vfs_read
0: r6 = r1
1: r0 = map_value[.data]+0
3: r0 = *(u64 *)(r0 +0)
4: if r0 != 0x0 goto pc+8
5: r0 = *(u64 *)(r6 +0)
6: r0 = *(u32 *)(r0 +8)
7: r5 = map_value[.data]+120
9: *(u64 *)(r5 +0) = r0
10: *(u64 *)(r5 +8) = 1
11: r0 = 0
12: exit
13: r0 = 0
14: exit
---
NAME a member of an anonymous union in a struct
PROG
fentry:tcp_v4_connect { @x = args.sk->__sk_common.skc_daddr; }
BPF
; bpf tcp_v4_connect: fentry:vmlinux:tcp_v4_connect
0: r6 = r1
1: r0 = map_value[.data]+0
3: r0 = *(u64 *)(r0 +0)
4: if r0 != 0x0 goto pc+8
5: r0 = *(u64 *)(r6 +0)
6: r0 = *(u32 *)(r0 +0)
7: r5 = map_value[.data]+120
9: *(u64 *)(r5 +0) = r0
10: *(u64 *)(r5 +8) = 1
11: r0 = 0
12: exit
13: r0 = 0
14: exit
---
NAME the current task is read directly
PROG
BEGIN { @x = curtask->prio; }
BPF
; bpf begin: BEGIN
0: call bpf_get_current_task_btf#158
1: r0 = *(u32 *)(r0 +72)
2: r0 <<= 32
3: r0 s>>= 32
4: r5 = map_value[.data]+120
6: *(u64 *)(r5 +0) = r0
7: *(u64 *)(r5 +8) = 1
8: r0 = 0
9: exit
---
NAME bit-fields: one bit, several; never signed
PROG
BEGIN { @a = curtask->in_iowait; @b = curtask->se.level; @c = curtask->se.bias; }
IR
; ir begin: BEGIN
block0 (entry):
    goto block5
block1 (next):
    return 0
block5 (body):
    %0 = call 158()
    %1 = slot 0
    %2 = add %0, 76
    %3 = 1
    call 113(%1, %3, %2)
    %5 = load u8 [%1]
    %6 = shl %5, 63
    %7 = shr %6, 63
    %8 = mapval 0 +120
    store u64 [%8], %7
    store u64 [%8 +8], 1
    goto block6
block6 (placed):
    %10 = slot 0
    %11 = add %0, 64
    %12 = 1
    call 113(%10, %12, %11)
    %14 = load u8 [%10]
    %15 = shl %14, 58
    %16 = shr %15, 59
    %17 = mapval 0 +136
    store u64 [%17], %16
    store u64 [%17 +8], 1
    goto block7
block7 (placed):
    %19 = slot 0
    %20 = add %0, 64
    %21 = 2
    call 113(%19, %21, %20)
    %23 = load u16 [%19]
    %24 = shl %23, 54
    %25 = shr %24, 60
    %26 = mapval 0 +152
    store u64 [%26], %25
    store u64 [%26 +8], 1
    goto block1
---
NAME an element of an array
PROG
BEGIN { @x = curtask->nums[2]; }
BPF
; bpf begin: BEGIN
0: call bpf_get_current_task_btf#158
1: r0 = *(u32 *)(r0 +88)
2: r0 <<= 32
3: r0 s>>= 32
4: r5 = map_value[.data]+120
6: *(u64 *)(r5 +0) = r0
7: *(u64 *)(r5 +8) = 1
8: r0 = 0
9: exit
---
NAME an element by a variable
PROG
BEGIN { $i = pid % 4; @x = curtask->nums[$i]; }
IR
; ir begin: BEGIN
block0 (entry):
    goto block5
block1 (next):
    return 0
block5 (body):
    %0 = 0
    %1 = call 14()
    %2 = shr %1, 32
    %0 = and %2, 3
    %4 = call 158()
    %5 = shl %0, 2
    %6 = add %4, 80
    %7 = add %6, %5
    %8 = slot 0
    %9 = 4
    call 113(%8, %9, %7)
    %11 = load s32 [%8]
    %12 = mapval 0 +120
    store u64 [%12], %11
    store u64 [%12 +8], 1
    goto block1
---
NAME pointer arithmetic counts elements
PROG
kprobe:vfs_read { $p = (uint32 *)arg1; @x = *($p + 3); @y = $p[2]; }
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
    %2 = 0
    %3 = ctx
    %2 = load u64 [%3 +104]
    %5 = add %2, 12
    %6 = slot 0
    %7 = 4
    call 113(%6, %7, %5)
    %9 = load u32 [%6]
    %10 = mapval 0 +120
    store u64 [%10], %9
    store u64 [%10 +8], 1
    goto block8
block8 (placed):
    %11 = slot 0
    %12 = add %2, 8
    %13 = 4
    call 113(%11, %13, %12)
    %15 = load u32 [%11]
    %16 = mapval 0 +136
    store u64 [%16], %15
    store u64 [%16 +8], 1
    goto block3
---
NAME a user's struct
PROG
struct pair { int a; unsigned char b; long c; };
uprobe:/bin/app:main { $p = (struct pair *)arg0; @x = $p->b; @y = $p->c; }
IR
; ir main: uprobe:/bin/app:main
block0 (entry):
    %0 = mapval 0 +0
    %1 = load u64 [%0]
    if %1 == 0 goto block7 else block2
block2 (stopped):
    return 0
block3 (next):
    return 0
block7 (body):
    %2 = 0
    %3 = ctx
    %2 = load u64 [%3 +112]
    %5 = slot 0
    %6 = add %2, 4
    %7 = 1
    call 112(%5, %7, %6)
    %9 = load u8 [%5]
    %10 = mapval 0 +120
    store u64 [%10], %9
    store u64 [%10 +8], 1
    goto block8
block8 (placed):
    %11 = slot 0
    %12 = add %2, 8
    %13 = 8
    call 112(%11, %13, %12)
    %15 = load s64 [%11]
    %16 = mapval 0 +136
    store u64 [%16], %15
    store u64 [%16 +8], 1
    goto block3
---
NAME an enum of the kernel
PROG
BEGIN { @x = DROP_NO_SOCKET; @y = (enum drop_reason)3; }
MAPS
@x cell off=0 stride=16 n=1 touch=8 -> enum drop_reason
@y cell off=16 stride=16 n=1 touch=8 -> enum drop_reason
---
NAME an enum of the script
PROG
enum color { RED, GREEN = 7, BLUE };
BEGIN { @x = BLUE; }
BPF
; bpf begin: BEGIN
0: r0 = map_value[.data]+120
2: *(u64 *)(r0 +0) = 8
3: *(u64 *)(r0 +8) = 1
4: r0 = 0
5: exit
---
NAME a constant by #define
PROG
#define LIMIT 5
#define TWICE(n) ((n) * 2)
BEGIN { @x = TWICE(LIMIT); }
BPF
; bpf begin: BEGIN
0: r0 = map_value[.data]+120
2: *(u64 *)(r0 +0) = 10
3: *(u64 *)(r0 +8) = 1
4: r0 = 0
5: exit
---
NAME sizeof and offsetof
PROG
struct pair { int a; unsigned char b; long c; };
BEGIN { @a = sizeof(struct pair); @b = offsetof(struct pair, c); @c = sizeof(struct task_struct); @d = offsetof(struct task_struct, se.level); @e = sizeof(uint16); }
BPF
; bpf begin: BEGIN
0: r0 = map_value[.data]+120
2: *(u64 *)(r0 +0) = 16
3: *(u64 *)(r0 +8) = 1
4: r0 = map_value[.data]+136
6: *(u64 *)(r0 +0) = 8
7: *(u64 *)(r0 +8) = 1
8: r0 = map_value[.data]+152
10: *(u64 *)(r0 +0) = 104
11: *(u64 *)(r0 +8) = 1
12: r0 = map_value[.data]+168
14: *(u64 *)(r0 +0) = 64
15: *(u64 *)(r0 +8) = 1
16: r0 = map_value[.data]+184
18: *(u64 *)(r0 +0) = 2
19: *(u64 *)(r0 +8) = 1
20: r0 = 0
21: exit
---
NAME positional parameters
OPT argv=12,abc
PROG
BEGIN { @a = $1; @b = $#; if (comm == str($2)) { @c = 1; } }
BPF
; bpf begin: BEGIN
0: r0 = map_value[.data]+120
2: *(u64 *)(r0 +0) = 12
3: *(u64 *)(r0 +8) = 1
4: r0 = map_value[.data]+136
6: *(u64 *)(r0 +0) = 2
7: *(u64 *)(r0 +8) = 1
8: *(u64 *)(r10 -16) = 0
9: *(u64 *)(r10 -8) = 0
10: r1 = r10
11: r1 += -16
12: r2 = 16
13: call bpf_get_current_comm#16
14: r0 = *(u32 *)(r10 -16)
15: if r0 != 0x636261 goto pc+4
16: r0 = map_value[.data]+152
18: *(u64 *)(r0 +0) = 1
19: *(u64 *)(r0 +8) = 1
20: r0 = 0
21: exit
---
NAME $1 in a probe's name
OPT argv=read
PROG
kprobe:vfs_$1 { @ = count(); }
PROGS
vfs_read kprobe: kprobe:vfs_read
attached 1
---
NAME true and false
PROG
BEGIN { @a = true; @b = false; }
BPF
; bpf begin: BEGIN
0: r0 = map_value[.data]+120
2: *(u64 *)(r0 +0) = 1
3: *(u64 *)(r0 +8) = 1
4: r0 = map_value[.data]+136
6: *(u64 *)(r0 +0) = 0
7: *(u64 *)(r0 +8) = 1
8: r0 = 0
9: exit
---
NAME comparing strings: a run-time string with a literal
PROG
BEGIN { if (comm == "sshd") { @x = 1; } }
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
    %3 = load u32 [%0]
    if %3 == 1684566899 goto block8 else block1
block6 (then):
    %6 = mapval 0 +120
    store u64 [%6], 1
    store u64 [%6 +8], 1
    goto block1
block8 (cmp):
    %4 = load u8 [%0 +4]
    if %4 == 0 goto block6 else block1
---
NAME comparing strings: two names of the same kind
PROG
kprobe:vfs_read, kprobe:vfs_write { if (func == "vfs_read") { @x = 1; } }
IR
; ir vfs_read: kprobe:vfs_read, kprobe:vfs_write
block0 (entry):
    %0 = mapval 0 +0
    %1 = load u64 [%0]
    if %1 == 0 goto block1 else block2
block1 (running):
    %2 = ctx
    %3 = call 174(%2)
    if %3 < 2 goto block9 else block4
block2 (stopped):
    return 0
block4 (bad cookie):
    return 0
block5 (next):
    return 0
block9 (body):
    %4 = add %3, 1
    if %4 == 1 goto block10 else block5
block10 (then):
    %7 = mapval 0 +120
    store u64 [%7], 1
    store u64 [%7 +8], 1
    goto block5
---
NAME one's own predicate is a condition like any other
PROG
kprobe:vfs_read /arg2 > 4096 && pid != 1/ { @x = count(); }
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
block6 (predicate):
    %2 = ctx
    %3 = load u64 [%2 +96]
    if %3 > 4096 goto block9 else block3
block7 (body):
    %6 = mapval 0 +128
    %7 = call 8()
    %8 = and %7, 3
    %9 = shl %8, 6
    %10 = add %6, %9
    %11 = 1
    atomic_add u64 [%10], %11
    goto block3
block9 (and):
    %4 = call 14()
    %5 = shr %4, 32
    if %5 != 1 goto block7 else block3
---
NAME a block as a value
PROG
BEGIN { $x = { let $y = pid; $y * 2 }; @x = $x; }
IR
; ir begin: BEGIN
block0 (entry):
    goto block5
block1 (next):
    return 0
block5 (body):
    %0 = 0
    %1 = 0
    %2 = call 14()
    %1 = shr %2, 32
    %0 = shl %1, 1
    %5 = mapval 0 +120
    store u64 [%5], %0
    store u64 [%5 +8], 1
    goto block1
---
NAME if as a value
PROG
BEGIN { let $x = if pid > 5 { 1 } else { 2 }; @x = $x; }
IR
; ir begin: BEGIN
block0 (entry):
    goto block5
block1 (next):
    return 0
block5 (body):
    %0 = 0
    %2 = call 14()
    %3 = shr %2, 32
    if %3 > 5 goto block6 else block7
block6 (then):
    %1 = 1
    goto block8
block7 (else):
    %1 = 2
    goto block8
block8 (join):
    %0 = %1
    %6 = mapval 0 +120
    store u64 [%6], %0
    store u64 [%6 +8], 1
    goto block1
---
NAME address of a variable: it lies in scratch
PROG
BEGIN { $a = 1; $b = &$a; @ = *$b; }
IR
; ir begin: BEGIN
block0 (entry):
    goto block4
block1 (next):
    return 0
block3 (leave):
    store u64 [%0 -8], 0
    goto block1
block4 (predicate):
    %8 = call 8()
    %9 = shl %8, 2
    %10 = slot 0
    store u32 [%10], %9
    %12 = map 5
    %13 = call 1(%12, %10)
    if %13 != 0 goto block8 else block7
block5 (body):
    store u64 [%0], 0
    %1 = 0
    store u64 [%0], 1
    %1 = %0
    %3 = slot 0
    %4 = 8
    call 113(%3, %4, %1)
    %6 = load s64 [%3]
    %7 = mapval 0 +120
    store u64 [%7], %6
    store u64 [%7 +8], 1
    goto block3
block7 (nested): ; cold
    %38 = mapval 0 +80
    %39 = 1
    atomic_add u64 [%38], %39
    goto block1
block8 (slot):
    %14 = 1
    %15 = atomic_xchg u64 [%13], %14
    if %15 == 0 goto block10 else block9
block9 (busy): ; cold
    %17 = slot 0
    %18 = add %9, 1
    store u32 [%17], %18
    %20 = call 1(%12, %17)
    if %20 != 0 goto block11 else block7
block10 (taken):
    %0 = add %13, 8
    goto block5
block11 (slot):
    %21 = 1
    %22 = atomic_xchg u64 [%20], %21
    if %22 == 0 goto block13 else block12
block12 (busy): ; cold
    %24 = slot 0
    %25 = add %9, 2
    store u32 [%24], %25
    %27 = call 1(%12, %24)
    if %27 != 0 goto block14 else block7
block13 (taken):
    %0 = add %20, 8
    goto block5
block14 (slot):
    %28 = 1
    %29 = atomic_xchg u64 [%27], %28
    if %29 == 0 goto block16 else block15
block15 (busy): ; cold
    %31 = slot 0
    %32 = add %9, 3
    store u32 [%31], %32
    %34 = call 1(%12, %31)
    if %34 != 0 goto block17 else block7
block16 (taken):
    %0 = add %27, 8
    goto block5
block17 (slot):
    %35 = 1
    %36 = atomic_xchg u64 [%34], %35
    if %36 == 0 goto block18 else block7
block18 (taken):
    %0 = add %34, 8
    goto block5
---
