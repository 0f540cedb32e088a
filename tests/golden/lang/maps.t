# Where maps live: the table of pass_map.c, line by line.

NAME a scalar
PROG
BEGIN { @x = 1; }
MAPS
@x cell off=0 stride=16 n=1 touch=8 -> int64
---
NAME a scalar that counts: one cell per CPU
PROG
BEGIN { @x = count(); }
MAPS
@x cell off=0 stride=8 n=1 percpu -> count_t
---
NAME every aggregation as a scalar
PROG
BEGIN { @c = count(); @s = sum(1); @mi = min(1); @ma = max(1); @a = avg(1); @st = stats(1); @h = hist(1); @l = lhist(1, 0, 10, 2); }
MAPS
@c cell off=0 stride=8 n=1 percpu -> count_t
@s cell off=8 stride=16 n=1 touch=8 percpu -> sum_t
@mi cell off=24 stride=24 n=1 touch=16 percpu -> min_t
@ma cell off=48 stride=24 n=1 touch=16 percpu -> max_t
@a cell off=72 stride=16 n=1 percpu -> avg_t
@st cell off=88 stride=16 n=1 percpu -> stats_t
@h cell off=104 stride=520 n=1 percpu -> hist_t
@l cell off=624 stride=56 n=1 percpu -> lhist_t
---
NAME a finer histogram has more buckets
PROG
BEGIN { @h2 = hist(1, 2); }
MAPS
@h2 cell off=0 stride=1992 n=1 percpu -> hist_t
---
NAME an aggregation that the program reads is shared
PROG
BEGIN { @x = count(); if (@x > 5) { exit(); } }
MAPS
@x cell off=0 stride=8 n=1 -> count_t
---
NAME ++ and += on a scalar
PROG
BEGIN { @x++; @y += 5; }
MAPS
@x cell off=0 stride=16 n=1 touch=8 -> int64
@y cell off=16 stride=16 n=1 touch=8 -> int64
---
NAME a string, a tuple, a stack as value
PROG
kprobe:vfs_read { @s = comm; @t = (1, "a", comm); @k = kstack; }
MAPS
@s cell off=0 stride=24 n=1 touch=16 -> string[16]
@t cell off=24 stride=40 n=1 touch=32 -> (int64,string[2],string[16])
@k cell off=64 stride=16 n=1 touch=8 -> kstack
.stacks internal hash key=16 value=8 max=65536 no_prealloc
.scratch internal array key=4 value=1056 max=16
---
NAME keys of known range: the processor
PROG
kprobe:vfs_read { @x[cpu] = count(); }
MAPS
@x range off=0 stride=8 n=4 percpu [uint64] -> count_t
---
NAME keys of known range: literals
PROG
BEGIN { @x[3] = 1; @x[7] = 2; }
MAPS
@x range off=0 stride=16 n=8 touch=8 [int64] -> int64
---
NAME a literal key beyond the range
PROG
BEGIN { @x[5000] = 1; }
MAPS
@x hash hash key=8 value=8 max=65536 no_prealloc [int64] -> int64
---
NAME a negative literal key
PROG
BEGIN { @x[-1] = 1; }
MAPS
@x hash hash key=8 value=8 max=65536 no_prealloc [int64] -> int64
---
NAME one use with an unknown key makes a hash
PROG
BEGIN { @x[3] = 1; @x[pid] = 2; }
MAPS
@x hash hash key=8 value=8 max=65536 no_prealloc [int64] -> int64
---
NAME an unknown key in a condition counts as well
PROG
BEGIN { @x[3] = 1; if (@x[pid]) { exit(); } }
MAPS
@x hash hash key=8 value=8 max=65536 no_prealloc [int64] -> int64
---
NAME an unknown key in a predicate counts as well
PROG
BEGIN { @x[3] = 1; } kprobe:vfs_read /@x[tid]/ { exit(); }
MAPS
@x hash hash key=8 value=8 max=65536 no_prealloc [int64] -> int64
---
NAME a truth value as key
PROG
BEGIN { @x[true] = 1; }
MAPS
@x range off=0 stride=16 n=2 touch=8 [bool] -> int64
---
NAME the number of a system call: a range, and a hash for the rest
PROG
t:raw_syscalls:sys_enter { @x[args.id] = count(); }
MAPS
@x range off=0 stride=8 n=512 percpu overflow=5 [int64] -> count_t
@x hash percpu_hash key=8 value=8 max=65536 no_prealloc percpu hidden [int64] -> count_t
---
NAME the name of the probe: a cell a name
PROG
t:syscalls:sys_enter_read, t:syscalls:sys_enter_write { @x[probe] = count(); }
MAPS
@x range off=0 stride=8 n=3 percpu [string[64]] -> count_t
---
NAME the name of the function, cut
PROG
kprobe:vfs_* { @x[substr(func, 4)] = count(); }
MAPS
@x range off=0 stride=8 n=4 percpu [string[64]] -> count_t
---
NAME names and literals share the numbers
PROG
t:syscalls:sys_enter_* { @x[probe] = count(); } END { @x["end"] = count(); }
MAPS
@x range off=0 stride=8 n=10 percpu [string[64]] -> count_t
---
NAME a name and a run-time string: a hash of bytes
PROG
t:syscalls:sys_enter_read { @x[probe] = count(); @x[comm] = count(); }
MAPS
@x hash percpu_hash key=64 value=8 max=65536 no_prealloc percpu [string[64]] -> count_t
---
NAME a number that counts: a hash per CPU
PROG
kprobe:vfs_read { @x[pid] = count(); }
MAPS
@x hash percpu_hash key=8 value=8 max=65536 no_prealloc percpu [uint64] -> count_t
---
NAME the same, read by the program: shared
PROG
kprobe:vfs_read { @x[pid] = count(); if (@x[pid] > 5) { exit(); } }
MAPS
@x hash hash key=8 value=8 max=65536 no_prealloc [uint64] -> count_t
---
NAME the same, deleted: shared, so that a key goes on all CPUs
PROG
kprobe:vfs_read { @x[pid] = count(); delete(@x[pid]); }
MAPS
@x hash hash key=8 value=8 max=65536 no_prealloc [uint64] -> count_t
---
NAME a number that is assigned: shared
PROG
kprobe:vfs_read { @x[tid] = nsecs; }
MAPS
@x hash hash key=8 value=8 max=65536 no_prealloc [uint64] -> uint64
---
NAME a histogram under a key: too large for a hash per CPU
PROG
kprobe:vfs_read { @x[pid] = hist(arg2); }
MAPS
@x hash hash key=8 value=520 max=65536 no_prealloc [uint64] -> hist_t
---
NAME many CPUs make it too large earlier
OPT ncpu=256
PROG
kprobe:vfs_read { @x[pid] = count(); @y[pid] = stats(1); }
MAPS
@x hash hash key=8 value=8 max=65536 no_prealloc [uint64] -> count_t
@y hash hash key=8 value=16 max=65536 no_prealloc [uint64] -> stats_t
---
NAME a linear histogram of many buckets
PROG
kprobe:vfs_read { @x[pid] = lhist(arg2, 0, 1000, 1); }
MAPS
@x hash hash key=8 value=8016 max=4096 no_prealloc [uint64] -> lhist_t
---
NAME several keys
PROG
kprobe:vfs_read { @x[pid, comm, cpu] = count(); }
MAPS
@x hash percpu_hash key=32 value=8 max=65536 no_prealloc percpu [(uint64,string[16],uint64)] -> count_t
---
NAME several keys with a name
PROG
kprobe:vfs_read { @x[probe, cpu] = count(); }
MAPS
@x hash percpu_hash key=16 value=8 max=65536 no_prealloc percpu [(string[64],uint64)] -> count_t
---
NAME stacks as keys
PROG
kprobe:vfs_read { @x[kstack, ustack(5)] = count(); }
MAPS
@x hash percpu_hash key=24 value=8 max=65536 no_prealloc percpu [(kstack,ustack)] -> count_t
.stacks internal hash key=16 value=8 max=65536 no_prealloc
.scratch internal array key=4 value=1056 max=16
---
NAME declared: hash
PROG
let @x = hash(100);
BEGIN { @x[1] = count(); }
MAPS
@x hash hash key=8 value=8 max=100 no_prealloc [int64] -> count_t
---
NAME declared: lruhash
PROG
let @x = lruhash(100);
BEGIN { @x[1] = 5; }
MAPS
@x hash lru_hash key=8 value=8 max=100 [int64] -> int64
---
NAME declared: percpuhash
PROG
let @x = percpuhash(100);
BEGIN { @x[1] = count(); }
MAPS
@x hash percpu_hash key=8 value=8 max=100 no_prealloc percpu [int64] -> count_t
---
NAME declared: percpulruhash
PROG
let @x = percpulruhash(100);
BEGIN { @x[1] = count(); }
MAPS
@x hash lru_percpu_hash key=8 value=8 max=100 percpu [int64] -> count_t
---
NAME declared per CPU, but what is assigned must be shared
PROG
let @x = percpuhash(100);
BEGIN { @x[1] = 5; }
MAPS
@x hash hash key=8 value=8 max=100 no_prealloc [int64] -> int64
---
NAME max_map_keys
PROG
config = { max_map_keys = 128 }
kprobe:vfs_read { @x[pid] = 1; }
MAPS
@x hash hash key=8 value=8 max=128 no_prealloc [uint64] -> int64
---
NAME an older kernel preallocates
OPT features=-ktime_tai
PROG
kprobe:vfs_read { @x[pid] = 1; @h[pid] = hist(1); }
MAPS
@x hash hash key=8 value=8 max=4096 [uint64] -> int64
@h hash hash key=8 value=520 max=4096 [uint64] -> hist_t
---
NAME iterated: shared
PROG
BEGIN { @x[1] = count(); for ($kv : @x) { print($kv); } }
MAPS
@x hash hash key=8 value=8 max=65536 no_prealloc [int64] -> count_t
.scratch internal array key=4 value=48 max=16
---
NAME deleted under a literal key: a hash
PROG
BEGIN { @x[1] = 1; delete(@x[1]); }
MAPS
@x hash hash key=8 value=8 max=65536 no_prealloc [int64] -> int64
---
NAME a scalar that is deleted
PROG
BEGIN { @x = 1; delete(@x); }
MAPS
@x cell off=0 stride=16 n=1 touch=8 -> int64
---
NAME widest type wins
PROG
BEGIN { @x[pid] = (uint8)1; @x[tid] = (int16)-1; @y = (uint32)pid; }
MAPS
@x hash hash key=8 value=8 max=65536 no_prealloc [uint64] -> int64
@y cell off=0 stride=16 n=1 touch=8 -> uint64
---
NAME three CPUs take the room of four
OPT ncpu=3
PROG
BEGIN { @x = count(); @y[cpu] = sum(1); }
MAPS
@x cell off=0 stride=8 n=1 percpu -> count_t
@y range off=8 stride=16 n=3 touch=8 percpu [uint64] -> sum_t
---
NAME the anonymous map and a named one
PROG
BEGIN { @ = 1; @a[comm] = 2; }
MAPS
@ cell off=0 stride=16 n=1 touch=8 -> int64
@a hash hash key=16 value=8 max=65536 no_prealloc [string[16]] -> int64
---
NAME @x = @x + 1
PROG
BEGIN { @x = @x + 1; @u = @u * nsecs; }
MAPS
@x cell off=0 stride=16 n=1 touch=8 -> int64
@u cell off=16 stride=16 n=1 touch=8 -> uint64
---
NAME has_key asks for all CPUs: a shared hash
PROG
BEGIN { @x[1] = count(); print(has_key(@x, 2)); }
MAPS
@x hash hash key=8 value=8 max=65536 no_prealloc [int64] -> count_t
---
