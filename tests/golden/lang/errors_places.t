# Things in places where they cannot be, and limits.

NAME arguments of BEGIN
PROG
BEGIN { @ = args.x; }
ERROR
stdin:1:13-17: ERROR: The args builtin can not be used with 'begin' probes
BEGIN { @ = args.x; }
            ~~~~
---
NAME registers of a tracepoint
PROG
t:sched:sched_switch { @ = arg0; }
ERROR
stdin:1:28-32: ERROR: The arg0 builtin can not be used with 'tracepoint' probes
t:sched:sched_switch { @ = arg0; }
                           ~~~~
HINT: use args.NAME
---
NAME result of a function's start
PROG
kprobe:vfs_read { @ = retval; }
ERROR
stdin:1:23-29: ERROR: The retval builtin can only be used with 'kretprobe', 'uretprobe' and 'fexit' probes
kprobe:vfs_read { @ = retval; }
                      ~~~~~~
---
NAME more arguments than registers
PROG
kprobe:vfs_read { @ = arg7; }
ERROR
stdin:1:23-27: ERROR: x86_64 doesn't support arg7
kprobe:vfs_read { @ = arg7; }
                      ~~~~
---
NAME arguments of a return
PROG
kretprobe:vfs_read { @ = arg0; }
ERROR
stdin:1:26-30: ERROR: The arg0 builtin can not be used with 'kretprobe' probes
kretprobe:vfs_read { @ = arg0; }
                         ~~~~
---
NAME registers of an interval
PROG
interval:s:1 { @ = reg("ip"); }
ERROR
stdin:1:20-29: ERROR: The reg function can not be used with 'interval' probes
interval:s:1 { @ = reg("ip"); }
                   ~~~~~~~~~
---
NAME usermode of a tracepoint
PROG
t:sched:sched_switch { @ = usermode; }
ERROR
stdin:1:28-36: ERROR: usermode can not be used with 'tracepoint' probes
t:sched:sched_switch { @ = usermode; }
                           ~~~~~~~~
---
NAME typed probes without types
OPT btf=no
PROG
fentry:vfs_read { @ = args.count; }
ERROR
stdin:1:1-16: ERROR: this kernel has no types (BTF): fentry
fentry:vfs_read { @ = args.count; }
~~~~~~~~~~~~~~~
---
NAME arguments of a kprobe without types
OPT btf=no
PROG
kprobe:vfs_read { @ = args.count; }
ERROR
stdin:1:1-16: ERROR: the arguments of kprobe:vfs_read need the kernel's types (BTF)
kprobe:vfs_read { @ = args.count; }
~~~~~~~~~~~~~~~
---
NAME arguments of a kretprobe
PROG
kretprobe:vfs_read { @ = args.count; }
ERROR
stdin:1:26-30: ERROR: The args builtin can not be used with 'kretprobe' probes
kretprobe:vfs_read { @ = args.count; }
                         ~~~~
---
NAME the parent without types
OPT btf=no
PROG
BEGIN { @ = ppid; }
ERROR
stdin:1:13-17: ERROR: ppid needs the kernel's types (BTF), which are not there
BEGIN { @ = ppid; }
            ~~~~
---
NAME a clock that the kernel lacks
OPT features=-ktime_tai
PROG
BEGIN { @ = nsecs(tai); }
ERROR
stdin:1:19-22: ERROR: this kernel has no TAI clock for BPF (6.1 has)
BEGIN { @ = nsecs(tai); }
                  ~~~
---
NAME functions, later
PROG
fn f($x : uint64) : uint64 { return $x; }
BEGIN { @ = 1; }
ERROR
stdin:1:1-42: ERROR: functions (fn) are not supported yet
fn f($x : uint64) : uint64 { return $x; }
~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
---
NAME import, later
PROG
import "lib";
BEGIN { @ = 1; }
ERROR
stdin:1:1-14: ERROR: import is not supported yet
import "lib";
~~~~~~~~~~~~~
---
NAME functions for later
PROG
BEGIN { $x = strstr("abc", "b"); }
ERROR
stdin:1:14-32: ERROR: strstr() is not supported yet
BEGIN { $x = strstr("abc", "b"); }
             ~~~~~~~~~~~~~~~~~~
---
NAME time series, later
PROG
BEGIN { @ = tseries(1, 1s, 5); }
ERROR
stdin:1:13-30: ERROR: tseries() is not supported yet
BEGIN { @ = tseries(1, 1s, 5); }
            ~~~~~~~~~~~~~~~~~
---
NAME the context, later
PROG
kprobe:vfs_read { print(ctx); }
ERROR
stdin:1:25-28: ERROR: ctx is not supported yet
kprobe:vfs_read { print(ctx); }
                        ~~~
---
NAME arguments as a whole, later
PROG
t:syscalls:sys_enter_read { print(args); }
ERROR
stdin:1:35-39: ERROR: args as a whole is not supported yet: name a field
t:syscalls:sys_enter_read { print(args); }
                                  ~~~~
---
NAME build ids of stacks, later
PROG
kprobe:vfs_read { @[ustack(build_id)] = count(); }
ERROR
stdin:1:21-37: ERROR: the build_id stack mode is not supported yet
kprobe:vfs_read { @[ustack(build_id)] = count(); }
                    ~~~~~~~~~~~~~~~~
---
NAME comm of another process, later
PROG
BEGIN { print(comm(1)); }
ERROR
stdin:1:15-22: ERROR: comm(pid) is not supported yet
BEGIN { print(comm(1)); }
              ~~~~~~~
---
NAME config: unknown key, suggestion
PROG
config = { max_strlne = 64 }
BEGIN { @ = 1; }
ERROR
stdin:1:12-27: ERROR: Unrecognized config variable: max_strlne
config = { max_strlne = 64 }
           ~~~~~~~~~~~~~~~
HINT: did you mean max_strlen?
---
NAME config: a renamed key
PROG
config = { strlen = 64 }
BEGIN { @ = 1; }
ERROR
stdin:1:12-23: ERROR: Unrecognized config variable: strlen
config = { strlen = 64 }
           ~~~~~~~~~~~
HINT: did you mean max_strlen?
---
NAME config: a number out of range
PROG
config = { max_strlen = 100000 }
BEGIN { @ = 1; }
ERROR
stdin:1:12-31: ERROR: max_strlen: expected a number from 1 to 16384
config = { max_strlen = 100000 }
           ~~~~~~~~~~~~~~~~~~~
---
NAME config: no number
PROG
config = { max_map_keys = many }
BEGIN { @ = 1; }
ERROR
stdin:1:12-31: ERROR: max_map_keys: expected a number from 1 to 16777216
config = { max_map_keys = many }
           ~~~~~~~~~~~~~~~~~~~
---
NAME config: unknown choice
PROG
config = { stack_mode = perv }
BEGIN { @ = 1; }
ERROR
stdin:1:12-29: ERROR: stack_mode: expected one of bpftrace, perf, raw…
config = { stack_mode = perv }
           ~~~~~~~~~~~~~~~~~
---
NAME config: no truth value
PROG
config = { print_maps_on_exit = 2 }
BEGIN { @ = 1; }
ERROR
stdin:1:12-34: ERROR: print_maps_on_exit: expected true or false
config = { print_maps_on_exit = 2 }
           ~~~~~~~~~~~~~~~~~~~~~~
---
NAME too many probes
PROG
config = { max_probes = 3 }
t:syscalls:* { @ = count(); }
ERROR
ERROR: Can't attach to 12 probes because it exceeds the current limit of 3 probes.
HINT: BPFTRACE_MAX_PROBES=12 raises the limit
---
NAME a map of unknown type, suggestion
PROG
let @x = lruhsh(10);
BEGIN { @x[1] = 1; }
ERROR
stdin:1:1-21: ERROR: Invalid bpf map type: lruhsh
let @x = lruhsh(10);
~~~~~~~~~~~~~~~~~~~~
HINT: did you mean lruhash?
---
NAME a map without room
PROG
let @x = hash(0);
BEGIN { @x[1] = 1; }
ERROR
stdin:1:1-18: ERROR: a map needs room for at least one key
let @x = hash(0);
~~~~~~~~~~~~~~~~~
---
NAME no probes at all
PROG
config = { max_strlen = 64 }
ERROR
ERROR: No probes to attach
---
NAME arguments that differ between targets
PROG
t:syscalls:sys_enter_read, t:syscalls:sys_enter_openat { @ = args.count; }
ERROR
stdin:1:62-72: ERROR: tracepoint:syscalls:sys_enter_openat has no argument named 'count'
t:syscalls:sys_enter_read, t:syscalls:sys_enter_openat { @ = args.count; }
                                                             ~~~~~~~~~~
---
NAME a map that is never written
PROG
BEGIN { clear(@x); }
ERROR
stdin:1:15-17: ERROR: Undefined map: @x
BEGIN { clear(@x); }
              ~~
---
NAME two mistakes are both shown
PROG
BEGIN { @ = nope1(); @x = nope2(); }
ERROR
stdin:1:13-20: ERROR: Unknown function: 'nope1'
BEGIN { @ = nope1(); @x = nope2(); }
            ~~~~~~~
stdin:1:27-34: ERROR: Unknown function: 'nope2'
BEGIN { @ = nope1(); @x = nope2(); }
                          ~~~~~~~
---
NAME a syntax error
PROG
BEGIN { @ = ; }
ERROR
stdin:1:13-14: ERROR: expected an expression, found ';'
BEGIN { @ = ; }
            ~
---
NAME a missing brace
PROG
BEGIN { @ = 1;
ERROR
stdin:1:7-8: ERROR: this '{' has no matching '}'
BEGIN { @ = 1;
      ~
---
NAME a record that is too large
PROG
config = { max_strlen = 16384 }
kprobe:vfs_read { printf("%s%s%s%s%s\n", str(arg1), str(arg1), str(arg1), str(arg1), str(arg1)); }
ERROR
stdin:2:19-96: ERROR: the arguments need more than 65536 bytes
kprobe:vfs_read { printf("%s%s%s%s%s\n", str(arg1), str(arg1), str(arg1), str(arg1), str(arg1)); }
                  ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
---
