# SPDX-License-Identifier: Apache-2.0
# C definitions ahead of the probes.

NAME struct
PROG
struct s { int a; unsigned long b[4][2]; struct t *next; char *name; char rest[]; };
AST
struct s
 a : int
 b : unsigned long[4][2]
 next : struct t *
 name : char *
 rest : char[]
---

NAME semicolons missing
PROG
struct s { int a; int b }
kprobe:f { }
AST
struct s
 a : int
 b : int
probe
 attach kprobe | f
---

NAME bit-fields
PROG
struct s { int a : 3, b : 5; u8 : 4; };
AST
struct s
 a : int bits 3
 b : int bits 5
 _ : u8 bits 4
---

NAME anonymous members
PROG
struct s { union { int i; struct { char c; }; } u; struct { int x; }; struct { int y; } *p, q[2]; };
AST
struct s
 u
  union
   i : int
   _
    struct
     c : char
 _
  struct
   x : int
 p : *
  struct
   y : int
 q : [2]
  struct
   y : int
---

NAME tagged struct inside comes first
PROG
struct o { struct i { int a; } one; struct i two; };
AST
struct i
 a : int
struct o
 one : struct i
 two : struct i
---

NAME packed
PROG
struct s { int a; } __attribute__((packed));
struct __attribute__((packed)) t { int b; };
struct u __attribute__((packed)) { int c; };
AST
struct s packed
 a : int
struct t packed
 b : int
struct u packed
 c : int
---

NAME function pointers
PROG
struct s { int (*cb)(void *, int); void (*many[3])(void); };
AST
struct s
 cb : void *
 many : void *[3]
---

NAME enum
PROG
enum e { A, B = 5, C, D = 1 << 4 | B, E = -1 };
AST
enum e
 A = 0
 B = 5
 C = 6
 D = 21
 E = -1
---

NAME anonymous enum, its constants as dimensions
PROG
enum { N = 4 };
struct s { int a[N * 2]; };
AST
enum
 N = 4
struct s
 a : int[8]
---

NAME typedefs
PROG
typedef unsigned int uint;
typedef struct { int z; } zt, *zp;
typedef struct t { int q; } tt;
begin { (zt *)1; (uint)(2) }
AST
typedef uint
 _ : unsigned int
typedef zt
 _
  struct
   z : int
typedef zp
 _ : *
  struct
   z : int
struct t
 q : int
typedef tt
 _ : struct t
probe
 attach begin
 do
  cast : zt *
   int 1
 do
  cast : uint
   int 2
---

NAME qualifiers
PROG
struct s { const volatile char * const p; char __user *u; long long unsigned l; _Bool b; };
AST
struct s
 p : char *
 u : char *
 l : unsigned long long
 b : bool
---

