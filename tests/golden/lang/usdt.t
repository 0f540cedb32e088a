NAME a constant, registers and memory, each as wide as its note says
PROG
usdt:/bin/app:app:kinds { printf("%d %d %d", arg0, arg1, arg2); }
BPF
; bpf kinds: usdt:/bin/app:app:kinds
0: r6 = r1
1: r0 = map_value[.data]+0
3: r0 = *(u64 *)(r0 +0)
4: if r0 != 0x0 goto pc+21
5: r1 = map[.ring]
7: r2 = 32
8: r3 = 0
9: call bpf_ringbuf_reserve#131
10: r1 = r0
11: if r1 == 0x0 goto pc+16
12: *(u64 *)(r1 +0) = 0
13: *(u64 *)(r1 +8) = -5
14: r0 = *(u64 *)(r6 +80)
15: r0 >>= 8
16: r0 &= 255
17: *(u64 *)(r1 +16) = r0
18: r0 = *(u64 *)(r6 +64)
19: r0 <<= 48
20: r0 s>>= 48
21: *(u64 *)(r1 +24) = r0
22: r2 = 1
23: call bpf_ringbuf_submit#132
24: r0 = 0
25: exit
26: r0 = 0
27: exit
28: r0 = map_value[.data]+64
30: r5 = 1
31: lock *(u64 *)(r0 +0) += r5
32: goto pc-9
---
NAME memory with a base, with an index, and of a symbol
PROG
usdt:/bin/app:kinds { printf("%d %d %d", arg3, arg4, arg5); }
BPF
; bpf kinds: usdt:/bin/app:app:kinds
0: r6 = r1
1: r0 = map_value[.data]+0
3: r0 = *(u64 *)(r0 +0)
4: if r0 != 0x0 goto pc+42
5: r1 = map[.ring]
7: r2 = 32
8: r3 = 0
9: call bpf_ringbuf_reserve#131
10: r7 = r0
11: if r7 == 0x0 goto pc+37
12: *(u64 *)(r7 +0) = 0
13: r3 = *(u64 *)(r6 +32)
14: r3 += -8
15: r1 = r10
16: r1 += -8
17: r2 = 4
18: call bpf_probe_read_user#112
19: r0 = *(u32 *)(r10 -8)
20: *(u64 *)(r7 +8) = r0
21: r3 = *(u64 *)(r6 +80)
22: r3 += 8
23: r0 = *(u64 *)(r6 +40)
24: r0 <<= 2
25: r3 += r0
26: r1 = r10
27: r1 += -8
28: r2 = 8
29: call bpf_probe_read_user#112
30: r0 = *(u64 *)(r10 -8)
31: *(u64 *)(r7 +16) = r0
32: r3 = *(u64 *)(r6 +128)
33: r3 += 12032
34: r1 = r10
35: r1 += -8
36: r2 = 1
37: call bpf_probe_read_user#112
38: r0 = *(u8 *)(r10 -8)
39: r0 <<= 56
40: r0 s>>= 56
41: *(u64 *)(r7 +24) = r0
42: r1 = r7
43: r2 = 1
44: call bpf_ringbuf_submit#132
45: r0 = 0
46: exit
47: r0 = 0
48: exit
49: r0 = map_value[.data]+64
51: r5 = 1
52: lock *(u64 *)(r0 +0) += r5
53: goto pc-9
---
NAME an argument of two digits
PROG
usdt:/bin/app:app:many { printf("%d %d", arg10, arg11); }
BPF
; bpf many: usdt:/bin/app:app:many
0: r6 = r1
1: r0 = map_value[.data]+0
3: r0 = *(u64 *)(r0 +0)
4: if r0 != 0x0 goto pc+16
5: r1 = map[.ring]
7: r2 = 24
8: r3 = 0
9: call bpf_ringbuf_reserve#131
10: r1 = r0
11: if r1 == 0x0 goto pc+11
12: *(u64 *)(r1 +0) = 0
13: *(u64 *)(r1 +8) = 10
14: r0 = *(u64 *)(r6 +88)
15: w0 = w0
16: *(u64 *)(r1 +16) = r0
17: r2 = 1
18: call bpf_ringbuf_submit#132
19: r0 = 0
20: exit
21: r0 = 0
22: exit
23: r0 = map_value[.data]+64
25: r5 = 1
26: lock *(u64 *)(r0 +0) += r5
27: goto pc-9
---
NAME places whose used arguments lie alike share a program
PROG
usdt:/bin/app:app:inlined { print(arg0); }
PROGS
inlined uprobe: usdt:/bin/app:app:inlined, usdt:/bin/app:app:inlined
attached 1
---
NAME places whose used arguments differ have a program each
PROG
usdt:/bin/app:app:inlined { print(arg1); }
PROGS
inlined uprobe: usdt:/bin/app:app:inlined
inlined uprobe: usdt:/bin/app:app:inlined
attached 1
---
NAME places that are asked for no argument share a program, whatever they are
PROG
usdt:/bin/app:* { exit(); }
PROGS
inlined uprobe: usdt:/bin/app:app:inlined, usdt:/bin/app:app:inlined, usdt:/bin/app:app:kinds, usdt:/bin/app:app:many
attached 3
---
NAME an argument that is not there
PROG
usdt:/bin/app:app:inlined { print(arg2); }
ERROR
stdin:1:35-39: ERROR: usdt:/bin/app:app:inlined has 2 arguments: there is no arg2
usdt:/bin/app:app:inlined { print(arg2); }
                                  ~~~~
---
NAME an argument in a register that programs do not see
PROG
usdt:/bin/app:app:kinds { print(arg6); }
ERROR
stdin:1:33-37: ERROR: arg6 of usdt:/bin/app:app:kinds lies where it cannot be read: 8f@%xmm0
usdt:/bin/app:app:kinds { print(arg6); }
                                ~~~~
---
NAME a wildcard over probes with different numbers of arguments
PROG
usdt:/bin/app:app:* { print(arg6); }
ERROR
stdin:1:29-33: ERROR: usdt:/bin/app:app:inlined has 2 arguments: there is no arg6
usdt:/bin/app:app:* { print(arg6); }
                            ~~~~
stdin:1:29-33: ERROR: arg6 of usdt:/bin/app:app:kinds lies where it cannot be read: 8f@%xmm0
usdt:/bin/app:app:* { print(arg6); }
                            ~~~~
---
NAME no leading zeroes
PROG
usdt:/bin/app:app:many { print(arg01); }
ERROR
stdin:1:32-37: ERROR: Unknown identifier: 'arg01'
usdt:/bin/app:app:many { print(arg01); }
                               ~~~~~
HINT: did you mean arg0?
---
NAME a watchpoint sees the registers, and user memory
PROG
watchpoint:0x1000:8:w { @[*(uint64 *)0x1000, reg("ip"), usermode] = count(); }
BPF
; bpf watchpoint: watchpoint:0x1000
0: r6 = r1
1: r0 = map_value[.data]+0
3: r0 = *(u64 *)(r0 +0)
4: if r0 != 0x0 goto pc+23
5: r1 = r10
6: r1 += -8
7: r2 = 8
8: r3 = 4096
9: call bpf_probe_read_user#112
10: r0 = *(u64 *)(r10 -8)
11: *(u64 *)(r10 -32) = r0
12: r0 = *(u64 *)(r6 +128)
13: *(u64 *)(r10 -24) = r0
14: r0 = *(u64 *)(r6 +136)
15: r0 &= 3
16: r0 >>= 1
17: *(u64 *)(r10 -16) = r0
18: r1 = map[@]
20: r2 = r10
21: r2 += -32
22: call bpf_map_lookup_elem#1
23: if r0 == 0x0 goto pc+6
24: r5 = 1
25: lock *(u64 *)(r0 +0) += r5
26: r0 = 0
27: exit
28: r0 = 0
29: exit
30: *(u64 *)(r10 -8) = 0
31: r1 = map[@]
33: r2 = r10
34: r2 += -32
35: r3 = r10
36: r3 += -8
37: r4 = 1
38: call bpf_map_update_elem#2
39: r1 = map[@]
41: r2 = r10
42: r2 += -32
43: call bpf_map_lookup_elem#1
44: if r0 != 0x0 goto pc-21
45: r0 = map_value[.data]+72
47: r5 = 1
48: lock *(u64 *)(r0 +0) += r5
49: goto pc-24
---
NAME a watchpoint of the kernel's memory
PROG
watchpoint:0xffffffff80001000:8:w { print(*(uint64 *)0xffffffff80001000); }
BPF
; bpf watchpoint: watchpoint:0xffffffff80001000
0: r0 = map_value[.data]+0
2: r0 = *(u64 *)(r0 +0)
3: if r0 != 0x0 goto pc+20
4: r1 = map[.ring]
6: r2 = 16
7: r3 = 0
8: call bpf_ringbuf_reserve#131
9: r7 = r0
10: if r7 == 0x0 goto pc+15
11: *(u64 *)(r7 +0) = 0
12: r1 = r10
13: r1 += -8
14: r2 = 8
15: r3 = -2147479552
16: call bpf_probe_read_kernel#113
17: r0 = *(u64 *)(r10 -8)
18: *(u64 *)(r7 +8) = r0
19: r1 = r7
20: r2 = 1
21: call bpf_ringbuf_submit#132
22: r0 = 0
23: exit
24: r0 = 0
25: exit
26: r0 = map_value[.data]+64
28: r5 = 1
29: lock *(u64 *)(r0 +0) += r5
30: goto pc-9
---
NAME a watchpoint has no arguments
PROG
watchpoint:0x1000:8:w { print(arg0); }
ERROR
stdin:1:31-35: ERROR: The arg0 builtin can not be used with 'watchpoint' probes
watchpoint:0x1000:8:w { print(arg0); }
                              ~~~~
---
