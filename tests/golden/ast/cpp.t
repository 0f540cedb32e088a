# SPDX-License-Identifier: Apache-2.0
# The preprocessor.

NAME constants
PROG
#define N 5
#define M (N + 1)
begin { f(N, M) }
AST
probe
 attach begin
 do
  call f
   int 5
   binary +
    int 5
    int 1
---

NAME function-like macros
PROG
#define ADD(x, y) ((x) + (y))
#define ONE() 1
begin { f(ADD(1, ADD(2, 3)), ONE(), ADD) }
AST
probe
 attach begin
 do
  call f
   binary +
    int 1
    binary +
     int 2
     int 3
   int 1
   name ADD
---

NAME stringify and paste
PROG
#define STR(x) #x
#define CAT(a, b) a##b
begin { f(STR(a  b), CAT(pi, d)) }
AST
probe
 attach begin
 do
  call f
   string "a b"
   name pid
---

NAME a macro is not expanded in itself
PROG
#define x x + 1
begin { f(x) }
AST
probe
 attach begin
 do
  call f
   binary +
    name x
    int 1
---

NAME undef
PROG
#define N 5
#undef N
begin { f(N) }
AST
probe
 attach begin
 do
  call f
   name N
---

NAME continued lines
PROG
#define N 1 + \
  2
begin { f(N) }
AST
probe
 attach begin
 do
  call f
   binary +
    int 1
    int 2
---

NAME system headers behind the BTF guard
PROG
#ifndef BPFTRACE_HAVE_BTF
#include <linux/sched.h>
#endif
begin { }
AST
probe
 attach begin
---

NAME system header reached
PROG
#include <linux/sched.h>
begin { }
AST
stdin:1:1-25: WARNING: system headers are not read
#include <linux/sched.h>
~~~~~~~~~~~~~~~~~~~~~~~~
HINT: kernel types come from BTF; put #include lines between #ifndef BPFTRACE_HAVE_BTF and #endif
probe
 attach begin
---

NAME own header
PROG
#include "lib.h"
begin { f(LIB_MAX) }
AST
struct lib
 n : int
probe
 attach begin
 do
  call f
   int 7
---

NAME if, elif, else
PROG
#define N 3
#if N > 3
begin { f(1) }
#elif N == 3 && defined(N) && !defined M
begin { f(2) }
#else
begin { f(3) }
#endif
AST
probe
 attach begin
 do
  call f
   int 2
---

NAME nested conditionals in a skipped group
PROG
#if 0
#if 1
broken ((
#else
#endif
/* #endif */
#else
begin { f(1) }
#endif
AST
probe
 attach begin
 do
  call f
   int 1
---

NAME probes are not expanded
PROG
#define f g
kprobe:f { f() }
AST
probe
 attach kprobe | f
 do
  call g
---

NAME an unused macro may hold anything
PROG
#define Q 'x'
begin { }
AST
probe
 attach begin
---

