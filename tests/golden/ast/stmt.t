# SPDX-License-Identifier: Apache-2.0
# Statements.

NAME if, else if, else
PROG
begin { if (1) { a() } else if (2) { b(); } else { c() } }
AST
probe
 attach begin
 if
  int 1
  then
   do
    call a
  else
   if
    int 2
    then
     do
      call b
    else
     do
      call c
---

NAME if without parentheses
PROG
begin { if !pid { exit() } }
AST
probe
 attach begin
 if
  unary !
   name pid
  then
   do
    call exit
---

NAME while, break, continue
PROG
begin { while ($i < 5) { if ($i) { break; } continue } }
AST
probe
 attach begin
 while
  binary <
   var $i
   int 5
  if
   var $i
   then
    break
  continue
---

NAME unroll
PROG
begin { unroll(5) { f() } unroll ($1) { } }
AST
probe
 attach begin
 unroll
  int 5
  do
   call f
 unroll
  param $1
---

NAME for over a map
PROG
begin { for ($kv : @m) { print($kv.0) } }
AST
probe
 attach begin
 for-map $kv
  map @m
  do
   call print
    element .0
     var $kv
---

NAME for over a range
PROG
begin { for ($i : 0..10) { f($i) } for $j : $a+1..(2 * 3) { } }
AST
probe
 attach begin
 for-range $i
  int 0
  int 10
  do
   call f
    var $i
 for-range $j
  binary +
   var $a
   int 1
  binary *
   int 2
   int 3
---

NAME let
PROG
begin { let $a; let $b = 1; let $c : uint8 = 2; let $d : typeof($a); let $e: struct s *; }
AST
probe
 attach begin
 let $a
 let $b
  int 1
 let $c : uint8
  int 2
 let $d : typeof
  of
   var $a
 let $e : struct s *
---

NAME assignment operators
PROG
begin { $a = 1; $a += 1; $a -= 1; $a *= 1; $a /= 1; $a %= 1; @a &= 1; @a |= 1; @a ^= 1; @a <<= 1; @a[2] >>= 1; }
AST
probe
 attach begin
 assign
  var $a
  int 1
 assign +
  var $a
  int 1
 assign -
  var $a
  int 1
 assign *
  var $a
  int 1
 assign /
  var $a
  int 1
 assign %
  var $a
  int 1
 assign &
  map @a
  int 1
 assign |
  map @a
  int 1
 assign ^
  map @a
  int 1
 assign <<
  map @a
  int 1
 assign >>
  map @a
   int 2
  int 1
---

NAME discard
PROG
begin { _ = f(); }
AST
probe
 attach begin
 assign
  name _
  call f
---

NAME return
PROG
begin { return; } test:a { return 1 }
AST
probe
 attach begin
 return
probe
 attach test | a
 return
  int 1
---

NAME block statement
PROG
begin { { $x = 1; } { f() } }
AST
probe
 attach begin
 block
  assign
   var $x
   int 1
 block
  do
   call f
---

NAME stray semicolons
PROG
begin { ;; f();; if (1) { }; }
AST
probe
 attach begin
 do
  call f
 if
  int 1
---

NAME last statement without semicolon
PROG
begin { $x = 1; $y = 2 }
AST
probe
 attach begin
 assign
  var $x
  int 1
 assign
  var $y
  int 2
---

NAME nested if in tail position is a statement
PROG
begin { if (1) { if (2) { f() } } }
AST
probe
 attach begin
 if
  int 1
  then
   if
    int 2
    then
     do
      call f
---

NAME if with values unused
PROG
begin { if (1) { 2 } else { 3 } f() }
AST
probe
 attach begin
 if
  int 1
  then
   do
    int 2
  else
   do
    int 3
 do
  call f
---


NAME if and else with one statement each, without braces
PROG
begin { if (pid == 1) @[kstack] = count(); if (1 == 2) @x = 1; else if (tid) { @y = 2 } else @z++; if (1) exit() }
AST
probe
 attach begin
 if
  binary ==
   name pid
   int 1
  then
   assign
    map @
     name kstack
    call count
 if
  binary ==
   int 1
   int 2
  then
   assign
    map @x
    int 1
  else
   if
    name tid
    then
     assign
      map @y
      int 2
    else
     do
      postfix ++
       map @z
 if
  int 1
  then
   do
    call exit
---
