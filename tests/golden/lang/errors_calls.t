# Calls with arguments that cannot be.

NAME too few arguments
PROG
BEGIN { @ = sum(); }
ERROR
stdin:1:13-18: ERROR: sum() takes sum(n)
BEGIN { @ = sum(); }
            ~~~~~
---
NAME too many arguments
PROG
BEGIN { @ = count(1); }
ERROR
stdin:1:13-21: ERROR: count() takes count()
BEGIN { @ = count(1); }
            ~~~~~~~~
---
NAME too many for a plain function
PROG
BEGIN { $x = ksym(1, 2); }
ERROR
stdin:1:14-24: ERROR: ksym() requires 1 argument (2 provided)
BEGIN { $x = ksym(1, 2); }
             ~~~~~~~~~~
HINT: ksym(address)
---
NAME too few for a function with a choice
PROG
BEGIN { $x = substr(comm); }
ERROR
stdin:1:14-26: ERROR: substr() requires at least 2 arguments (1 provided)
BEGIN { $x = substr(comm); }
             ~~~~~~~~~~~~
HINT: substr(s, start[, length])
---
NAME too many for a function with a choice
PROG
BEGIN { exit(1, 2); }
ERROR
stdin:1:9-19: ERROR: exit() takes up to 1 argument (2 provided)
BEGIN { exit(1, 2); }
        ~~~~~~~~~~
HINT: exit([code])
---
NAME printf without its arguments
PROG
BEGIN { printf("%d %d\n", 1); }
ERROR
stdin:1:9-29: ERROR: printf: Not enough arguments for format string (1 supplied, 2 expected)
BEGIN { printf("%d %d\n", 1); }
        ~~~~~~~~~~~~~~~~~~~~
---
NAME printf with too many
PROG
BEGIN { printf("%d\n", 1, 2); }
ERROR
stdin:1:9-29: ERROR: printf: Too many arguments for format string (2 supplied, 1 expected)
BEGIN { printf("%d\n", 1, 2); }
        ~~~~~~~~~~~~~~~~~~~~
---
NAME printf of a string as a number
PROG
BEGIN { printf("%d\n", comm); }
ERROR
stdin:1:24-28: ERROR: printf: %d specifier expects a value of type integer (string[16] supplied)
BEGIN { printf("%d\n", comm); }
                       ~~~~
---
NAME printf with an unknown conversion
PROG
BEGIN { printf("%f\n", 1); }
ERROR
stdin:1:16-22: ERROR: printf: unknown conversion '%f' in the format
BEGIN { printf("%f\n", 1); }
               ~~~~~~
HINT: known are d i u o x X c p s r rx rh and %%
---
NAME printf ending in a percent sign
PROG
BEGIN { printf("100%"); }
ERROR
stdin:1:16-22: ERROR: printf: unknown conversion '%' in the format
BEGIN { printf("100%"); }
               ~~~~~~
HINT: known are d i u o x X c p s r rx rh and %%
---
NAME printf without a literal
PROG
BEGIN { $f = "x"; printf($f); }
ERROR
stdin:1:26-28: ERROR: printf() expects a string literal as its format
BEGIN { $f = "x"; printf($f); }
                         ~~
---
NAME printf of a number as a buffer
PROG
BEGIN { printf("%r\n", 1); }
ERROR
stdin:1:24-25: ERROR: printf: %r specifier expects a value of type buffer (int64 supplied)
BEGIN { printf("%r\n", 1); }
                       ~
---
NAME printf of a histogram
PROG
BEGIN { @h = hist(1); printf("%s\n", @h); }
ERROR
stdin:1:38-40: ERROR: a histogram cannot be an argument of printf(): use print()
BEGIN { @h = hist(1); printf("%s\n", @h); }
                                     ~~
---
NAME print of a key with top
PROG
BEGIN { @x[1] = 1; print(@x[1], 5); }
ERROR
stdin:1:33-34: ERROR: top and div go with a whole map: print(@map, top, div)
BEGIN { @x[1] = 1; print(@x[1], 5); }
                                ~
---
NAME print with a run-time top
PROG
BEGIN { @x[1] = 1; print(@x, pid); }
ERROR
stdin:1:30-33: ERROR: print() needs literal, non-negative numbers for top and div
BEGIN { @x[1] = 1; print(@x, pid); }
                             ~~~
---
NAME division by zero
PROG
BEGIN { @ = pid / 0; }
ERROR
stdin:1:19-20: ERROR: division by zero
BEGIN { @ = pid / 0; }
                  ~
---
NAME remainder by zero, by constants
PROG
BEGIN { @ = pid % (2 - 2); }
ERROR
stdin:1:19-26: ERROR: division by zero
BEGIN { @ = pid % (2 - 2); }
                  ~~~~~~~
---
NAME hist with too many bits
PROG
BEGIN { @ = hist(1, 6); }
ERROR
stdin:1:21-22: ERROR: hist: bits 6 must be 0..5
BEGIN { @ = hist(1, 6); }
                    ~
---
NAME lhist with bounds in the wrong order
PROG
BEGIN { @ = lhist(1, 10, 5, 1); }
ERROR
stdin:1:13-31: ERROR: lhist() min must be less than max (provided min 10 and max 5)
BEGIN { @ = lhist(1, 10, 5, 1); }
            ~~~~~~~~~~~~~~~~~~
---
NAME lhist with a negative bound
PROG
BEGIN { @ = lhist(1, -10, 5, 1); }
ERROR
stdin:1:13-32: ERROR: lhist() min must be non-negative (provided min -10, max 5)
BEGIN { @ = lhist(1, -10, 5, 1); }
            ~~~~~~~~~~~~~~~~~~~
---
NAME lhist with step zero
PROG
BEGIN { @ = lhist(1, 0, 5, 0); }
ERROR
stdin:1:13-30: ERROR: lhist() step must be >= 1 (0 provided)
BEGIN { @ = lhist(1, 0, 5, 0); }
            ~~~~~~~~~~~~~~~~~
---
NAME lhist with too many buckets
PROG
BEGIN { @ = lhist(1, 0, 100000, 1); }
ERROR
stdin:1:13-35: ERROR: lhist() too many buckets, must be <= 1000 (would need 100000)
BEGIN { @ = lhist(1, 0, 100000, 1); }
            ~~~~~~~~~~~~~~~~~~~~~~
---
NAME lhist with a run-time bound
PROG
BEGIN { @ = lhist(1, 0, pid, 1); }
ERROR
stdin:1:25-28: ERROR: lhist() needs literal bounds and step
BEGIN { @ = lhist(1, 0, pid, 1); }
                        ~~~
---
NAME unroll too often
PROG
BEGIN { unroll(101) { @ = count(); } }
ERROR
stdin:1:15-20: ERROR: unroll maximum is 100
BEGIN { unroll(101) { @ = count(); } }
              ~~~~~
---
NAME unroll of nothing
PROG
BEGIN { unroll(0) { @ = count(); } }
ERROR
stdin:1:15-18: ERROR: unroll minimum is 1
BEGIN { unroll(0) { @ = count(); } }
              ~~~
---
NAME unroll by a run-time number
PROG
BEGIN { unroll(pid) { @ = count(); } }
ERROR
stdin:1:15-20: ERROR: unroll needs a literal number of turns
BEGIN { unroll(pid) { @ = count(); } }
              ~~~~~
---
NAME break outside of a loop
PROG
BEGIN { break; }
ERROR
stdin:1:9-14: ERROR: break statement not in a loop
BEGIN { break; }
        ~~~~~
---
NAME continue outside of a loop
PROG
BEGIN { if (1) { continue; } }
ERROR
stdin:1:18-26: ERROR: continue statement not in a loop
BEGIN { if (1) { continue; } }
                 ~~~~~~~~
---
NAME assigning to a loop's counter
PROG
BEGIN { for ($i : 0..3) { $i = 1; } }
ERROR
stdin:1:27-29: ERROR: $i is a loop variable and cannot be assigned
BEGIN { for ($i : 0..3) { $i = 1; } }
                          ~~
---
NAME declared twice
PROG
BEGIN { let $x = 1; let $x = 2; }
ERROR
stdin:1:21-31: ERROR: Variable $x was already declared. Variable shadowing is not allowed.
BEGIN { let $x = 1; let $x = 2; }
                    ~~~~~~~~~~
---
NAME assigning to a call
PROG
BEGIN { pid = 1; }
ERROR
stdin:1:9-12: ERROR: only variables and maps may be assigned to
BEGIN { pid = 1; }
        ~~~
---
NAME str with a negative length
PROG
kprobe:vfs_read { $x = str(arg1, -1); }
ERROR
stdin:1:34-36: ERROR: str cannot use negative length (-1)
kprobe:vfs_read { $x = str(arg1, -1); }
                                 ~~
---
NAME substr with a run-time start
PROG
BEGIN { $x = substr(comm, pid); }
ERROR
stdin:1:27-30: ERROR: substr() needs literal positions
BEGIN { $x = substr(comm, pid); }
                          ~~~
---
NAME substr beyond the end
PROG
BEGIN { $x = substr(comm, 16); }
ERROR
stdin:1:27-29: ERROR: substr() start 16 is not within the 16 bytes of the string
BEGIN { $x = substr(comm, 16); }
                          ~~
---
NAME strncmp with a run-time length
PROG
BEGIN { $x = strncmp(comm, "a", pid); }
ERROR
stdin:1:33-36: ERROR: strncmp() needs a literal length
BEGIN { $x = strncmp(comm, "a", pid); }
                                ~~~
---
NAME pton of no address
PROG
BEGIN { $x = pton("1.2.3"); }
ERROR
stdin:1:19-26: ERROR: pton() expects an IPv4 or IPv6 address, got '1.2.3'
BEGIN { $x = pton("1.2.3"); }
                  ~~~~~~~
---
NAME strftime without a literal
PROG
BEGIN { $x = strftime(comm, nsecs); }
ERROR
stdin:1:23-27: ERROR: strftime() expects a string literal as its format
BEGIN { $x = strftime(comm, nsecs); }
                      ~~~~
---
NAME time without a literal
PROG
BEGIN { time(pid); }
ERROR
stdin:1:14-17: ERROR: time() expects a string literal
BEGIN { time(pid); }
             ~~~
---
NAME unsafe in safe mode
PROG
BEGIN { system("ls"); }
ERROR
stdin:1:9-21: ERROR: system() is an unsafe function being used in safe mode
BEGIN { system("ls"); }
        ~~~~~~~~~~~~
HINT: --unsafe allows it
---
NAME too many stack frames
PROG
kprobe:vfs_read { @[kstack(500)] = count(); }
PROGS
stdin:1:28-31: WARNING: kstack() keeps at most 127 frames
kprobe:vfs_read { @[kstack(500)] = count(); }
                           ~~~
vfs_read kprobe: kprobe:vfs_read
attached 1
---
NAME stack frames at run time
PROG
kprobe:vfs_read { @[kstack(pid)] = count(); }
ERROR
stdin:1:28-31: ERROR: Invalid stack mode: pid
kprobe:vfs_read { @[kstack(pid)] = count(); }
                           ~~~
HINT: bpftrace, perf, raw or build_id
---
NAME if without else as a value
PROG
BEGIN { @x = !if (pid) { 1 }; }
ERROR
stdin:1:15-29: ERROR: an if that is used as a value needs an else
BEGIN { @x = !if (pid) { 1 }; }
              ~~~~~~~~~~~~~~
---
