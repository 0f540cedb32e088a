# Values of the wrong kind.

NAME string assigned to an integer variable
PROG
BEGIN { $x = 1; $x = "one"; }
ERROR
stdin:1:17-27: ERROR: Type mismatch for $x: trying to assign value of type 'string[4]' when variable already has a type 'int64'
BEGIN { $x = 1; $x = "one"; }
                ~~~~~~~~~~
---
NAME string assigned to an integer map
PROG
BEGIN { @x = 1; @x = "one"; }
ERROR
stdin:1:17-27: ERROR: Type mismatch for @x: trying to assign value of type 'string[4]' when map already has a type 'int64'
BEGIN { @x = 1; @x = "one"; }
                ~~~~~~~~~~
---
NAME count() into a variable
PROG
BEGIN { $x = count(); }
ERROR
stdin:1:14-21: ERROR: count() should be assigned to a map
BEGIN { $x = count(); }
             ~~~~~~~
HINT: @count = count()
---
NAME count() in an expression
PROG
BEGIN { @x = count() + 1; }
ERROR
stdin:1:14-21: ERROR: count() should be assigned to a map
BEGIN { @x = count() + 1; }
             ~~~~~~~
HINT: @count = count()
---
NAME count() as a statement
PROG
BEGIN { count(); }
ERROR
stdin:1:9-16: ERROR: count() should be assigned to a map
BEGIN { count(); }
        ~~~~~~~
HINT: @count = count()
---
NAME an aggregation over another
PROG
BEGIN { @x = count(); @x = sum(1); }
ERROR
stdin:1:23-34: ERROR: Type mismatch for @x: trying to assign value of type 'sum_t' when map already has a type 'count_t'
BEGIN { @x = count(); @x = sum(1); }
                      ~~~~~~~~~~~
---
NAME an integer over an aggregation
PROG
BEGIN { @x = count(); @x = 5; }
ERROR
stdin:1:23-29: ERROR: Type mismatch for @x: trying to assign value of type 'int64' when map already has a type 'count_t'
BEGIN { @x = count(); @x = 5; }
                      ~~~~~~
---
NAME hist of a string
PROG
BEGIN { @x = hist(comm); }
ERROR
stdin:1:19-23: ERROR: the argument must be an integer, not 'string[16]'
BEGIN { @x = hist(comm); }
                  ~~~~
---
NAME histograms with different bounds
PROG
BEGIN { @x = lhist(1, 0, 10, 1); @x = lhist(1, 0, 20, 1); }
ERROR
stdin:1:34-57: ERROR: Type mismatch for @x: trying to assign value of type 'lhist_t' when map already has a type 'lhist_t'
BEGIN { @x = lhist(1, 0, 10, 1); @x = lhist(1, 0, 20, 1); }
                                 ~~~~~~~~~~~~~~~~~~~~~~~
---
NAME key with and without
PROG
BEGIN { @x = 1; @x[1] = 2; }
ERROR
stdin:1:17-22: ERROR: @x used as a map with an explicit key (non-scalar map), previously used without an explicit key (scalar map)
BEGIN { @x = 1; @x[1] = 2; }
                ~~~~~
---
NAME keys of different types
PROG
BEGIN { @x[1] = 1; @x["a"] = 2; }
ERROR
stdin:1:23-26: ERROR: Argument mismatch for @x: trying to access with arguments: 'string[2]' when map expects arguments: 'int64'
BEGIN { @x[1] = 1; @x["a"] = 2; }
                      ~~~
---
NAME keys of different numbers
PROG
BEGIN { @x[1, 2] = 1; @x[1, 2, 3] = 2; }
ERROR
stdin:1:26-33: ERROR: Argument mismatch for @x: trying to access with arguments: '(int64,int64,int64)' when map expects arguments: '(int64,int64)'
BEGIN { @x[1, 2] = 1; @x[1, 2, 3] = 2; }
                         ~~~~~~~
---
NAME a key without a value
PROG
BEGIN { @x[printf("a")] = 1; }
ERROR
stdin:1:12-23: ERROR: this expression has no value to use as a key
BEGIN { @x[printf("a")] = 1; }
           ~~~~~~~~~~~
---
NAME comparing a string with a number
PROG
BEGIN { if (comm == 1) { exit(); } }
ERROR
stdin:1:12-23: ERROR: Type mismatch for '==': comparing string[16] with int64
BEGIN { if (comm == 1) { exit(); } }
           ~~~~~~~~~~~
---
NAME adding strings
PROG
BEGIN { $x = "a" + "b"; }
ERROR
stdin:1:14-17: ERROR: an operand must be an integer, not 'string[2]'
BEGIN { $x = "a" + "b"; }
             ~~~
---
NAME negating a string
PROG
BEGIN { $x = -comm; }
ERROR
stdin:1:15-19: ERROR: an operand must be an integer, not 'string[16]'
BEGIN { $x = -comm; }
              ~~~~
---
NAME a string as condition
PROG
BEGIN { if (comm) { exit(); } }
ERROR
stdin:1:12-18: ERROR: a condition must be an integer, not 'string[16]'
BEGIN { if (comm) { exit(); } }
           ~~~~~~
---
NAME a string as predicate
PROG
kprobe:vfs_read /comm/ { @ = count(); }
ERROR
stdin:1:18-22: ERROR: a predicate must be an integer, not 'string[16]'
kprobe:vfs_read /comm/ { @ = count(); }
                 ~~~~
---
NAME ternary with two types
PROG
BEGIN { $x = pid ? 1 : "a"; }
ERROR
stdin:1:14-27: ERROR: Ternary operator must return the same type: have 'int64' and 'string[2]'
BEGIN { $x = pid ? 1 : "a"; }
             ~~~~~~~~~~~~~
---
NAME a statement as a value
PROG
BEGIN { $x = printf("a"); }
ERROR
stdin:1:9-25: ERROR: Invalid assignment: this expression has no value
BEGIN { $x = printf("a"); }
        ~~~~~~~~~~~~~~~~
---
NAME dereferencing a string
PROG
BEGIN { $x = *comm; }
ERROR
stdin:1:14-19: ERROR: Can not dereference type 'string[16]'
BEGIN { $x = *comm; }
             ~~~~~
---
NAME incrementing a string
PROG
BEGIN { $x = "a"; $x++; }
ERROR
stdin:1:19-23: ERROR: The ++ operator can not be used on 'string[2]'
BEGIN { $x = "a"; $x++; }
                  ~~~~
---
NAME incrementing an expression
PROG
BEGIN { (1 + 2)++; }
ERROR
stdin:1:9-16: ERROR: '++' works on variables and maps only
BEGIN { (1 + 2)++; }
        ~~~~~~~
---
NAME += on a string
PROG
BEGIN { @x = "a"; @x += "b"; }
ERROR
stdin:1:19-28: ERROR: The += operator cannot be used with type 'string[2]'
BEGIN { @x = "a"; @x += "b"; }
                  ~~~~~~~~~
---
NAME indexing an integer
PROG
BEGIN { $x = (uint8)1; $y = $x[0]; }
ERROR
stdin:1:29-34: ERROR: The array index operator [] can not be used on expression of type 'uint64'
BEGIN { $x = (uint8)1; $y = $x[0]; }
                            ~~~~~
---
NAME index beyond an array
PROG
BEGIN { print(curtask->nums[4]); }
ERROR
stdin:1:29-30: ERROR: the index 4 is out of bounds for array of size 4
BEGIN { print(curtask->nums[4]); }
                            ~
---
NAME index beyond a tuple
PROG
BEGIN { $t = (1, 2); print($t.2); }
ERROR
stdin:1:28-32: ERROR: Invalid tuple index: 2
BEGIN { $t = (1, 2); print($t.2); }
                           ~~~~
---
NAME casting a string
PROG
BEGIN { $x = (int32)comm; }
ERROR
stdin:1:21-25: ERROR: a cast operand must be an integer, not 'string[16]'
BEGIN { $x = (int32)comm; }
                    ~~~~
---
NAME casting between sizes
PROG
BEGIN { $x = (uint8[4])pid; $y = (uint8[3])pid; }
ERROR
stdin:1:34-47: ERROR: Cannot cast from 'uint32' to 'uint8[3]': the sizes differ
BEGIN { $x = (uint8[4])pid; $y = (uint8[3])pid; }
                                 ~~~~~~~~~~~~~
---
NAME unknown type in let
PROG
BEGIN { let $x : uint9 = 1; }
ERROR
stdin:1:18-23: ERROR: unknown type 'uint9'
BEGIN { let $x : uint9 = 1; }
                 ~~~~~
---
NAME str() of a tuple
PROG
BEGIN { $x = str((1, 2)); }
ERROR
stdin:1:18-24: ERROR: str()'s argument must be an integer, not '(int64,int64)'
BEGIN { $x = str((1, 2)); }
                 ~~~~~~
---
NAME buf() without a length
PROG
kprobe:vfs_read { $x = buf(arg1); }
ERROR
stdin:1:24-33: ERROR: buf() expects a length argument for non-array type 'uint64'
kprobe:vfs_read { $x = buf(arg1); }
                       ~~~~~~~~~
---
NAME strlen of a number
PROG
BEGIN { $x = strlen(1); }
ERROR
stdin:1:21-22: ERROR: strlen() expects a string
BEGIN { $x = strlen(1); }
                    ~
---
NAME ntop of a string
PROG
BEGIN { $x = ntop("1.2.3.4"); }
ERROR
stdin:1:19-28: ERROR: ntop()'s address (an integer, or 4 or 16 bytes) must be an integer, not 'string[8]'
BEGIN { $x = ntop("1.2.3.4"); }
                  ~~~~~~~~~
---
NAME macaddr of a number
PROG
BEGIN { $x = macaddr(5); }
ERROR
stdin:1:22-23: ERROR: macaddr() expects 6 bytes or a pointer to them, not 'int64'
BEGIN { $x = macaddr(5); }
                     ~
---
NAME ksym of a string
PROG
BEGIN { $x = ksym("a"); }
ERROR
stdin:1:19-22: ERROR: the address must be an integer, not 'string[2]'
BEGIN { $x = ksym("a"); }
                  ~~~
---
NAME delete of no map
PROG
BEGIN { $x = 1; delete($x); }
ERROR
stdin:1:24-26: ERROR: delete() expects a map to be provided
BEGIN { $x = 1; delete($x); }
                       ~~
---
NAME clear of one key
PROG
BEGIN { @x[1] = 1; clear(@x[1]); }
ERROR
stdin:1:26-31: ERROR: The map passed to clear() should not be indexed by a key
BEGIN { @x[1] = 1; clear(@x[1]); }
                         ~~~~~
---
NAME sizeof of an unknown type
PROG
BEGIN { $x = sizeof(struct nothing); }
ERROR
stdin:1:14-36: ERROR: unknown type 'struct nothing'
BEGIN { $x = sizeof(struct nothing); }
             ~~~~~~~~~~~~~~~~~~~~~~
---
NAME offsetof of an unknown field
PROG
BEGIN { $x = offsetof(struct task_struct, pids); }
ERROR
stdin:1:43-47: ERROR: 'struct task_struct' does not contain a field named 'pids'
BEGIN { $x = offsetof(struct task_struct, pids); }
                                          ~~~~
---
NAME exit with a string
PROG
BEGIN { exit("now"); }
ERROR
stdin:1:14-19: ERROR: exit()'s code must be an integer, not 'string[4]'
BEGIN { exit("now"); }
             ~~~~~
---
NAME min of a stack
PROG
BEGIN { @ = min(kstack); }
ERROR
stdin:1:17-23: ERROR: the argument must be an integer, not 'kstack'
BEGIN { @ = min(kstack); }
                ~~~~~~
---
NAME records with other fields
PROG
BEGIN { @r = (a = 1, b = 2); @r = (a = 1, c = 2); }
ERROR
stdin:1:30-49: ERROR: Type mismatch for @r: trying to assign value of type '(a=int64,c=int64)' when map already has a type '(a=int64,b=int64)'
BEGIN { @r = (a = 1, b = 2); @r = (a = 1, c = 2); }
                             ~~~~~~~~~~~~~~~~~~~
---
