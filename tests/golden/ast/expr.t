# SPDX-License-Identifier: Apache-2.0
# Expressions.

NAME precedence
PROG
begin { $x = 1 + 2 * 3 - 4 / 5 % 6; }
AST
probe
 attach begin
 assign
  var $x
  binary -
   binary +
    int 1
    binary *
     int 2
     int 3
   binary %
    binary /
     int 4
     int 5
    int 6
---

NAME bits and shifts
PROG
begin { $x = 1 | 2 ^ 3 & 4 << 5 >> 6; }
AST
probe
 attach begin
 assign
  var $x
  binary |
   int 1
   binary ^
    int 2
    binary &
     int 3
     binary >>
      binary <<
       int 4
       int 5
      int 6
---

NAME comparisons and logic
PROG
begin { $x = 1 < 2 == 3 >= 4 && 5 != 6 || !7; }
AST
probe
 attach begin
 assign
  var $x
  binary ||
   binary &&
    binary ==
     binary <
      int 1
      int 2
     binary >=
      int 3
      int 4
    binary !=
     int 5
     int 6
   unary !
    int 7
---

NAME unary operators
PROG
begin { $x = -~!*&$y; }
AST
probe
 attach begin
 assign
  var $x
  unary -
   unary ~
    unary !
     unary *
      unary &
       var $y
---

NAME increment
PROG
begin { $a++; --$a; @b++; ++@c[1]; }
AST
probe
 attach begin
 do
  postfix ++
   var $a
 do
  prefix --
   var $a
 do
  postfix ++
   map @b
 do
  prefix ++
   map @c
    int 1
---

NAME ternary is right-associative
PROG
begin { $x = 1 ? 2 : 3 ? 4 : 5; }
AST
probe
 attach begin
 assign
  var $x
  ternary
   int 1
   int 2
   ternary
    int 3
    int 4
    int 5
---

NAME ternary without a middle
PROG
begin { $x = pid ?: 3; }
AST
probe
 attach begin
 assign
  var $x
  ternary
   name pid
   int 3
---

NAME void ternary
PROG
begin { pid ? print(1) : exit(); }
AST
probe
 attach begin
 do
  ternary
   name pid
   call print
    int 1
   call exit
---

NAME numbers
PROG
begin { f(0x1F, 0755, 1e6, 1_000, 10UL, 5ull, 0, 18446744073709551615) }
AST
probe
 attach begin
 do
  call f
   int 31
   int 493
   int 1000000
   int 1000
   int 10
   int 5
   int 0
   int 18446744073709551615
---

NAME durations
PROG
begin { f(1ns, 2us, 3ms, 4s, 5m, 6h, 7d) }
AST
probe
 attach begin
 do
  call f
   int 1
   int 2000
   int 3000000
   int 4000000000
   int 300000000000
   int 21600000000000
   int 604800000000000
---

NAME escapes
PROG
begin { f("a\n\t\r\"\\\101\x42\0z") }
AST
probe
 attach begin
 do
  call f
   string "a\n\t\r\"\\AB\u0000z"
---

NAME UTF-8 in strings is kept
PROG
begin { f("é 你好 😀") }
AST
probe
 attach begin
 do
  call f
   string "é 你好 😀"
---

NAME booleans
PROG
begin { f(true, false) }
AST
probe
 attach begin
 do
  call f
   bool true
   bool false
---

NAME parameters
PROG
begin { f($1, $#, str($2)) }
AST
probe
 attach begin
 do
  call f
   param $1
   param $#
   call str
    param $2
---

NAME scalar and keyed maps
PROG
begin { f(@, @x, @[1], @x[1, "a"], @x[(1, "a")], @x[1][2]) }
AST
probe
 attach begin
 do
  call f
   map @
   map @x
   map @
    int 1
   map @x
    tuple of keys
     int 1
     string "a"
   map @x
    tuple
     int 1
     string "a"
   index
    map @x
     int 1
    int 2
---

NAME fields
PROG
kprobe:f { $x = ((struct a *)arg0)->b.c[1].d; }
AST
probe
 attach kprobe | f
 assign
  var $x
  field .d
   index
    field .c
     field ->b
      cast : struct a *
       name arg0
    int 1
---

NAME old args arrow
PROG
kprobe:f { f(args->x, args.y, curtask->comm) }
AST
probe
 attach kprobe | f
 do
  call f
   field ->x
    name args
   field .y
    name args
   field ->comm
    name curtask
---

NAME casts
PROG
kprobe:f { f((uint8)1, (struct s *)arg0, (int32*)arg1, (uint8[8])$x, (int8[])$x, (enum e)3) }
AST
probe
 attach kprobe | f
 do
  call f
   cast : uint8
    int 1
   cast : struct s *
    name arg0
   cast : int32 *
    name arg1
   cast : uint8[8]
    var $x
   cast : int8[]
    var $x
   cast : enum e
    int 3
---

NAME casts to names of other types
PROG
kprobe:f { f((foo_t *)arg0, (foo_t)$x, (foo) + 1, (pid) - 1) }
AST
probe
 attach kprobe | f
 do
  call f
   cast : foo_t *
    name arg0
   cast : foo_t
    var $x
   binary +
    name foo
    int 1
   binary -
    name pid
    int 1
---

NAME integer types are normalised
PROG
begin { f((long unsigned int)1, (short)2, (unsigned)3, (const char *)4, (signed char)5) }
AST
probe
 attach begin
 do
  call f
   cast : unsigned long
    int 1
   cast : short
    int 2
   cast : unsigned int
    int 3
   cast : char *
    int 4
   cast : signed char
    int 5
---

NAME sized types
PROG
begin { f((string[64])"a", (buffer[4])$x) }
AST
probe
 attach begin
 do
  call f
   cast : string[64]
    string "a"
   cast : buffer[4]
    var $x
---

NAME cast to a type of
PROG
begin { f((typeof($x))1, (typeof(struct s) *)2) }
AST
probe
 attach begin
 do
  call f
   cast : typeof
    of
     var $x
    int 1
   cast : struct s *
    int 2
---

NAME a cast binds closer than an operator
PROG
begin { $x = (uint8)1 + 2; }
AST
probe
 attach begin
 assign
  var $x
  binary +
   cast : uint8
    int 1
   int 2
---

NAME tuples
PROG
begin { f((1, "a"), (1,), (), (1, (2, 3))) }
AST
probe
 attach begin
 do
  call f
   tuple
    int 1
    string "a"
   tuple
    int 1
   tuple
   tuple
    int 1
    tuple
     int 2
     int 3
---

NAME tuple elements
PROG
begin { f($t.0, $t.1.2, $t[0]) }
AST
probe
 attach begin
 do
  call f
   element .0
    var $t
   element .2
    element .1
     var $t
   index
    var $t
    int 0
---

NAME records
PROG
begin { $r = (x=1, y="a"); f($r.x) }
AST
probe
 attach begin
 assign
  var $r
  record
   with x
    int 1
   with y
    string "a"
 do
  call f
   field .x
    var $r
---

NAME sizeof and offsetof
PROG
begin { f(sizeof(int), sizeof(struct s), sizeof($x + 1), sizeof(foo_t *), offsetof(struct s, a.b)) }
AST
probe
 attach begin
 do
  call f
   sizeof : int
   sizeof : struct s
   sizeof
    binary +
     var $x
     int 1
   sizeof : foo_t *
   offsetof : struct s
    name a
    name b
---

NAME typeinfo
PROG
begin { f(typeinfo(uint8), typeinfo($x)) }
AST
probe
 attach begin
 do
  call f
   typeof typeinfo : uint8
   typeof typeinfo
    var $x
---

NAME comptime
PROG
begin { $x = comptime 1 + 2; }
AST
probe
 attach begin
 assign
  var $x
  comptime
   binary +
    int 1
    int 2
---

NAME builtins with parentheses
PROG
begin { f(pid(), nsecs(boot)) }
AST
probe
 attach begin
 do
  call f
   call pid
   call nsecs
    name boot
---

NAME old delete
PROG
begin { delete(@m[1]); delete(@m, 1, 2) }
AST
probe
 attach begin
 do
  call delete
   map @m
    int 1
 do
  call delete
   map @m
   int 1
   int 2
---

NAME block as a value
PROG
begin { $x = { let $y = 1; $y + 1 }; }
AST
probe
 attach begin
 assign
  var $x
  block-value
   let $y
    int 1
   value
    binary +
     var $y
     int 1
---

NAME if as a value
PROG
begin { $x = if pid { 1 } else if tid { 2 } else { 3 }; }
AST
probe
 attach begin
 assign
  var $x
  if-value
   name pid
   block-value
    value
     int 1
   block-value
    value
     if-value
      name tid
      block-value
       value
        int 2
      block-value
       value
        int 3
---

NAME comments between tokens
PROG
begin { /* a */ $x /* b */ = // c
 1; }
AST
probe
 attach begin
 assign
  var $x
  int 1
---

