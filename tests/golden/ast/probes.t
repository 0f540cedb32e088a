# SPDX-License-Identifier: Apache-2.0
# Attach points and predicates.

NAME begin, old spelling
PROG
BEGIN { }
AST
probe
 attach BEGIN
---

NAME begin and end, new spelling
PROG
begin { } end { }
AST
probe
 attach begin
probe
 attach end
---

NAME several attach points share a body
PROG
kprobe:a, kprobe:b,
  kretprobe:c { exit() }
AST
probe
 attach kprobe | a
 attach kprobe | b
 attach kretprobe | c
 do
  call exit
---

NAME module and offset
PROG
kprobe:mod:func+0x10 { }
AST
probe
 attach kprobe | mod | func+0x10
---

NAME wildcards
PROG
tracepoint:sys*:sys_enter_* { }
AST
probe
 attach tracepoint | sys* | sys_enter_*
---

NAME old kfunc names
PROG
kfunc:vfs_read, kretfunc:vmlinux:vfs_read { }
AST
probe
 attach kfunc | vfs_read
 attach kretfunc | vmlinux | vfs_read
---

NAME path with comment marks
PROG
uprobe:/usr/lib/*/x//y.so:f { }
AST
probe
 attach uprobe | /usr/lib/*/x//y.so | f
---

NAME predicate behind a path
PROG
uprobe:/bin/sh:f /pid == 1/ { }
AST
probe
 attach uprobe | /bin/sh | f
 where
  binary ==
   name pid
   int 1
---

NAME predicate against the probe
PROG
kprobe:f/pid == 1/ { }
AST
probe
 attach kprobe | f
 where
  binary ==
   name pid
   int 1
---

NAME predicate on its own line
PROG
kprobe:f
/pid == 1/
{ }
AST
probe
 attach kprobe | f
 where
  binary ==
   name pid
   int 1
---

NAME division in a predicate
PROG
kprobe:f / pid / 2 == 1 / { }
AST
probe
 attach kprobe | f
 where
  binary ==
   binary /
    name pid
    int 2
   int 1
---

NAME quoted parts
PROG
uprobe:"/a b:c":"f,g{" { }
AST
probe
 attach uprobe | /a b:c | f,g{
---

NAME C++ function
PROG
uprobe:/bin/x:cpp:"ns::f(int)" { }
AST
probe
 attach uprobe | /bin/x | cpp | ns::f(int)
---

NAME source line
PROG
uprobe:./a.out@main.c:12:3 { }
AST
probe
 attach uprobe | ./a.out@main.c | 12 | 3
---

NAME durations stay text
PROG
profile:1ms, interval:s:5 { }
AST
probe
 attach profile | 1ms
 attach interval | s | 5
---

NAME rate
PROG
profile:hz:99 { }
AST
probe
 attach profile | hz | 99
---

NAME usdt with provider
PROG
usdt:/usr/sbin/mysqld:mysql:query { }
AST
probe
 attach usdt | /usr/sbin/mysqld | mysql | query
---

NAME usdt everywhere
PROG
usdt:*:probe { }
AST
probe
 attach usdt | * | probe
---

NAME iterator with pin
PROG
iter:task:/sys/fs/bpf/x { }
AST
probe
 attach iter | task | /sys/fs/bpf/x
---

NAME signal
PROG
self:signal:SIGUSR1 { }
AST
probe
 attach self | signal | SIGUSR1
---

NAME watchpoint
PROG
watchpoint:0x10000000:8:rw { }
AST
probe
 attach watchpoint | 0x10000000 | 8 | rw
---

NAME named probe
PROG
mine=kprobe:f { }
AST
probe
 attach mine = kprobe | f
---

NAME no provider, as some articles write
PROG
syscalls::sys_enter_read { }
AST
probe
 attach syscalls | "" | sys_enter_read
---

NAME parameters in attach points
ARGS vfs_read /bin/a
PROG
kprobe:$1, uprobe:"$2":f$# { }
AST
probe
 attach kprobe | vfs_read
 attach uprobe | /bin/a | f2
---

NAME a parameter may hold a colon
ARGS sched:sched_switch
PROG
tracepoint:$1 { }
AST
probe
 attach tracepoint | sched | sched_switch
---

NAME missing parameter
PROG
kprobe:f$1 { }
AST
stdin:1:1-11: WARNING: positional parameter $1 is not set
kprobe:f$1 { }
~~~~~~~~~~
HINT: it stands for an empty text here
probe
 attach kprobe | f
---

NAME brace against the probe
PROG
kprobe:f{}
AST
probe
 attach kprobe | f
---

NAME empty parts
PROG
hardware:cache-misses: { }
AST
probe
 attach hardware | cache-misses | ""
---

