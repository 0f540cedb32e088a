# Names that mean nothing, or not what was meant.

NAME unknown function, suggestion
PROG
BEGIN { @reads = cuont(); }
ERROR
stdin:1:18-25: ERROR: Unknown function: 'cuont'
BEGIN { @reads = cuont(); }
                 ~~~~~~~
HINT: did you mean count?
---
NAME unknown function without a neighbour
PROG
BEGIN { frobnicate_all(1); }
ERROR
stdin:1:9-26: ERROR: Unknown function: 'frobnicate_all'
BEGIN { frobnicate_all(1); }
        ~~~~~~~~~~~~~~~~~
---
NAME unknown builtin value, suggestion
PROG
BEGIN { @ = cpuu; }
ERROR
stdin:1:13-17: ERROR: Unknown identifier: 'cpuu'
BEGIN { @ = cpuu; }
            ~~~~
HINT: did you mean cpu?
---
NAME a function used without parentheses
PROG
BEGIN { @ = printf; }
ERROR
stdin:1:13-19: ERROR: printf is a function
BEGIN { @ = printf; }
            ~~~~~~
HINT: write printf("format", …)
---
NAME undefined variable, suggestion
PROG
BEGIN { $count = 1; print($cuont); }
ERROR
stdin:1:27-33: ERROR: Undefined or undeclared variable: $cuont
BEGIN { $count = 1; print($cuont); }
                          ~~~~~~
HINT: did you mean $count?
---
NAME variable of another block
PROG
BEGIN { if (1) { $x = 1; } print($x); }
ERROR
stdin:1:34-36: ERROR: Undefined or undeclared variable: $x
BEGIN { if (1) { $x = 1; } print($x); }
                                 ~~
---
NAME a variable is not seen by another probe
PROG
BEGIN { $x = 1; } END { print($x); }
ERROR
stdin:1:31-33: ERROR: Undefined or undeclared variable: $x
BEGIN { $x = 1; } END { print($x); }
                              ~~
---
NAME undefined map
PROG
BEGIN { print(@nothing); }
ERROR
stdin:1:15-23: ERROR: Undefined map: @nothing
BEGIN { print(@nothing); }
              ~~~~~~~~
---
NAME undefined map in an expression
PROG
BEGIN { @x = @y + 1; }
ERROR
stdin:1:14-16: ERROR: Undefined map: @y
BEGIN { @x = @y + 1; }
             ~~
---
NAME unknown field, suggestion
PROG
kprobe:vfs_read { $f = (struct file *)arg0; @ = $f->f_flag; }
ERROR
stdin:1:49-59: ERROR: 'struct file' does not contain a field named 'f_flag'
kprobe:vfs_read { $f = (struct file *)arg0; @ = $f->f_flag; }
                                                ~~~~~~~~~~
HINT: did you mean f_flags?
---
NAME unknown argument, suggestion
PROG
t:syscalls:sys_enter_read { @ = args.cuont; }
ERROR
stdin:1:33-43: ERROR: tracepoint:syscalls:sys_enter_read has no argument named 'cuont'
t:syscalls:sys_enter_read { @ = args.cuont; }
                                ~~~~~~~~~~
HINT: did you mean count?
---
NAME field of an integer
PROG
BEGIN { $x = 1; print($x.a); }
ERROR
stdin:1:23-27: ERROR: Can not access field 'a' on expression of type 'int64'
BEGIN { $x = 1; print($x.a); }
                      ~~~~
---
NAME unknown struct in a cast
PROG
kprobe:vfs_read { @ = ((struct fiel *)arg0)->f_flags; }
ERROR
stdin:1:23-44: ERROR: struct fiel is not known: neither the script nor the kernel's types define it
kprobe:vfs_read { @ = ((struct fiel *)arg0)->f_flags; }
                      ~~~~~~~~~~~~~~~~~~~~~
---
NAME unknown kind of probe, suggestion
PROG
kprob:vfs_read { @ = count(); }
ERROR
stdin:1:1-15: ERROR: Invalid probe type: kprob
kprob:vfs_read { @ = count(); }
~~~~~~~~~~~~~~
HINT: did you mean kprobe?
---
NAME unknown function to probe, suggestion
PROG
kprobe:vfs_raed { @ = count(); }
ERROR
stdin:1:1-16: ERROR: function not found: vfs_raed
kprobe:vfs_raed { @ = count(); }
~~~~~~~~~~~~~~~
HINT: did you mean vfs_read?
---
NAME unknown tracepoint, suggestion
PROG
tracepoint:sched:sched_swich { @ = count(); }
ERROR
stdin:1:1-29: ERROR: tracepoint not found: sched:sched_swich
tracepoint:sched:sched_swich { @ = count(); }
~~~~~~~~~~~~~~~~~~~~~~~~~~~~
HINT: did you mean sched_switch?
---
NAME wildcard without a match
PROG
kprobe:xyz_* { @ = count(); }
ERROR
stdin:1:1-13: ERROR: function not found: xyz_*
kprobe:xyz_* { @ = count(); }
~~~~~~~~~~~~
---
NAME prefix-less system call, misspelt
PROG
syscalls::sys_enter_raed { @ = count(); }
ERROR
stdin:1:1-25: ERROR: tracepoint not found: syscalls:sys_enter_raed
syscalls::sys_enter_raed { @ = count(); }
~~~~~~~~~~~~~~~~~~~~~~~~
HINT: did you mean sys_enter_read?
---
NAME prefix-less system call, too many parts
PROG
syscalls:a:b:c { @ = count(); }
ERROR
stdin:1:1-15: ERROR: Invalid probe: syscalls:a:b:c
syscalls:a:b:c { @ = count(); }
~~~~~~~~~~~~~~
HINT: write syscalls::sys_enter_NAME or tracepoint:syscalls:sys_enter_NAME
---
NAME a user function that is not there
PROG
uprobe:/bin/app:mian { @ = count(); }
ERROR
stdin:1:1-21: ERROR: function not found: mian
uprobe:/bin/app:mian { @ = count(); }
~~~~~~~~~~~~~~~~~~~~
HINT: did you mean main?
---
NAME probe with too few parts
PROG
tracepoint:sched { @ = count(); }
ERROR
stdin:1:1-17: ERROR: tracepoint probe type requires other arguments
tracepoint:sched { @ = count(); }
~~~~~~~~~~~~~~~~
HINT: tracepoint:CATEGORY:EVENT
---
NAME BEGIN takes nothing
PROG
BEGIN:x { @ = count(); }
ERROR
stdin:1:1-8: ERROR: begin probe type requires no arguments
BEGIN:x { @ = count(); }
~~~~~~~
HINT: begin
---
NAME a kind of probe for later
PROG
iter:task { @ = count(); }
ERROR
stdin:1:1-10: ERROR: iter probes are not supported yet
iter:task { @ = count(); }
~~~~~~~~~
---
NAME every unknown probe is named
PROG
kprobe:nope1 { } kprobe:nope2 { }
ERROR
stdin:1:1-13: ERROR: function not found: nope1
kprobe:nope1 { } kprobe:nope2 { }
~~~~~~~~~~~~
stdin:1:18-30: ERROR: function not found: nope2
kprobe:nope1 { } kprobe:nope2 { }
                 ~~~~~~~~~~~~
---
NAME missing probes may be ignored, but not all
PROG
config = { missing_probes = ignore }
kprobe:nope { @ = count(); }
ERROR
ERROR: No probes to attach
---
NAME missing probes as warnings
PROG
config = { missing_probes = warn }
kprobe:nope, kprobe:vfs_read { @ = count(); }
PROGS
stdin:2:1-12: WARNING: function not found: nope
kprobe:nope, kprobe:vfs_read { @ = count(); }
~~~~~~~~~~~
vfs_read kprobe: kprobe:vfs_read
attached 1
---
NAME unknown kernel symbol
PROG
BEGIN { @ = kaddr("avenrum"); }
ERROR
stdin:1:13-29: ERROR: Failed to resolve kernel symbol: avenrum
BEGIN { @ = kaddr("avenrum"); }
            ~~~~~~~~~~~~~~~~
---
NAME unknown symbol of a file
PROG
uprobe:/bin/app:main { @ = uaddr("conter"); }
ERROR
stdin:1:28-43: ERROR: Could not resolve symbol: /bin/app:conter
uprobe:/bin/app:main { @ = uaddr("conter"); }
                           ~~~~~~~~~~~~~~~
---
NAME uaddr outside of a user probe
PROG
BEGIN { @ = uaddr("counter"); }
ERROR
stdin:1:13-29: ERROR: uaddr can only be used with u(ret)probes and usdt probes
BEGIN { @ = uaddr("counter"); }
            ~~~~~~~~~~~~~~~~
---
NAME unknown cgroup
PROG
BEGIN { @ = cgroupid("/nowhere"); }
ERROR
stdin:1:22-32: ERROR: cgroupid(): no cgroup at /nowhere
BEGIN { @ = cgroupid("/nowhere"); }
                     ~~~~~~~~~~
---
NAME unknown register
PROG
kprobe:vfs_read { @ = reg("eax9"); }
ERROR
stdin:1:27-33: ERROR: 'eax9' is not a valid register on this architecture (x86_64)
kprobe:vfs_read { @ = reg("eax9"); }
                          ~~~~~~
---
NAME unknown signal
OPT unsafe=yes
PROG
BEGIN { signal("SIGFOO"); }
ERROR
stdin:1:16-24: ERROR: SIGFOO is not a valid signal
BEGIN { signal("SIGFOO"); }
               ~~~~~~~~
---
NAME unknown stack mode
PROG
BEGIN { @[kstack(perv)] = count(); }
ERROR
stdin:1:18-22: ERROR: Invalid stack mode: perv
BEGIN { @[kstack(perv)] = count(); }
                 ~~~~
HINT: bpftrace, perf, raw or build_id
---
NAME unknown clock
PROG
BEGIN { @ = nsecs(monotone); }
ERROR
stdin:1:19-27: ERROR: nsecs() takes monotonic, boot, tai or sw_tai
BEGIN { @ = nsecs(monotone); }
                  ~~~~~~~~
---
NAME positional parameter missing
PROG
BEGIN { @ = $1; }
MAPS
stdin:1:13-15: WARNING: positional parameter $1 is not given: it is 0 here
BEGIN { @ = $1; }
            ~~
@ cell off=0 stride=16 n=1 touch=8 -> int64
---
NAME positional parameter as text missing
PROG
BEGIN { @ = str($2); }
MAPS
stdin:1:17-19: WARNING: positional parameter $2 is not given: it is "" here
BEGIN { @ = str($2); }
                ~~
@ cell off=0 stride=16 n=1 touch=8 -> string[1]
---
