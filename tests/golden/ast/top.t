# SPDX-License-Identifier: Apache-2.0
# Items beside probes.

NAME config
PROG
config = { max_map_keys = 10; stack_mode=perf; license = "GPL"; x = true; y = -1 }
begin { }
AST
config
 set max_map_keys
  int 10
 set stack_mode
  name perf
 set license
  string "GPL"
 set x
  bool true
 set y
  int -1
probe
 attach begin
---

NAME import
PROG
import "a.bt"; import "b.h";
AST
import "a.bt"
import "b.h"
---

NAME macro
PROG
macro add(x, $v, @m) { $v += x; @m[x] = $v; x + 1 }
AST
macro add
 name x
 var $v
 map @m
 assign +
  var $v
  name x
 assign
  map @m
   name x
  var $v
 value
  binary +
   name x
   int 1
---

NAME import inside a macro
PROG
macro m() { import "a.bpf.c"; f(1) }
AST
macro m
 import "a.bpf.c"
 value
  call f
   int 1
---

NAME macro without a value
PROG
macro say() { print(1); }
AST
macro say
 do
  call print
   int 1
---

NAME macro whose value is an if
PROG
macro pick(c) { if (c) { 1 } else { 2 } }
AST
macro pick
 name c
 value
  if-value
   name c
   block-value
    value
     int 1
   block-value
    value
     int 2
---

NAME macro calls, old and new
PROG
begin { add(1, $x); add!(1); if (a != (1)) { } }
AST
probe
 attach begin
 do
  call add
   int 1
   var $x
 do
  call add
   int 1
 if
  binary !=
   name a
   int 1
---

NAME fn
PROG
fn f($a : int64, $b : struct s *) : uint8[4] { return $a; }
AST
fn f : uint8[4]
 let $a : int64
 let $b : struct s *
 return
  var $a
---

NAME map declarations
ARGS 32
PROG
let @a = hash(100);
let @ = lruhash(5);
let @b = percpuhash($1);
AST
let-map @a hash 100
let-map @ lruhash 5
let-map @b percpuhash 32
---

NAME shebang
PROG
#!/usr/bin/zhen
begin { }
AST
probe
 attach begin
---

