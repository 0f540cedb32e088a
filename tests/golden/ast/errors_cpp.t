# SPDX-License-Identifier: Apache-2.0
# Mistakes before the preprocessor.

NAME conditional without end
PROG
#if 1
begin { }
ERROR
stdin:1:1-4: ERROR: this conditional has no #endif
#if 1
~~~
---

NAME endif alone
PROG
#endif
begin { }
ERROR
stdin:1:1-7: ERROR: #endif without #if
#endif
~~~~~~
---

NAME else twice
PROG
#if 1
#else
#else
#endif
begin { }
ERROR
stdin:3:1-6: ERROR: #else after #else
#else
~~~~~
---

NAME unknown directive
PROG
#defnie N 1
begin { }
ERROR
stdin:1:2-8: ERROR: unknown directive '#defnie'
#defnie N 1
 ~~~~~~
HINT: did you mean '#define'?
---

NAME error directive
PROG
#error not on this kernel
begin { }
ERROR
stdin:1:1-7: ERROR: #error not on this kernel
#error not on this kernel
~~~~~~
---

NAME division by zero
PROG
#if 1 / 0
#endif
begin { }
ERROR
stdin:1:7-8: ERROR: division by zero
#if 1 / 0
      ~
---

NAME empty condition
PROG
#if
#endif
begin { }
ERROR
stdin:1:1-4: ERROR: expected an expression after the directive
#if
~~~
---

NAME missing file
PROG
#include "none.h"
begin { }
ERROR
stdin:1:1-18: ERROR: cannot read the included file 'none.h'
#include "none.h"
~~~~~~~~~~~~~~~~~
---

NAME wrong number of arguments
PROG
#define ADD(x, y) x + y
begin { f(ADD(1)) }
ERROR
stdin:2:11-17: ERROR: macro 'ADD' takes 2 arguments, not 1
begin { f(ADD(1)) }
          ~~~~~~
---

NAME macro call not closed
PROG
#define ADD(x, y) x + y
begin { f(ADD(1, 2 }
ERROR
stdin:2:11-14: ERROR: the call of macro 'ADD' has no closing ')'
begin { f(ADD(1, 2 }
          ~~~
---

NAME mistake inside a macro is where it is used
PROG
#define BAD 1 +
begin { $x = BAD; }
ERROR
stdin:2:17-18: ERROR: expected an expression, found ';'
begin { $x = BAD; }
                ~
---

NAME runaway macros
PROG
#define a0 a1 + a1 + a1 + a1
#define a1 a2 + a2 + a2 + a2
#define a2 a3 + a3 + a3 + a3
#define a3 a4 + a4 + a4 + a4
#define a4 a5 + a5 + a5 + a5
#define a5 a6 + a6 + a6 + a6
#define a6 a7 + a7 + a7 + a7
#define a7 a8 + a8 + a8 + a8
#define a8 a9 + a9 + a9 + a9
#define a9 a10 + a10 + a10 + a10
begin { a0 }
ERROR
stdin:11:9-11: ERROR: too long a chain: more than 1000 levels of operators
begin { a0 }
        ~~
stdin:11:9-11: ERROR: macros expand to more than 200000 tokens
begin { a0 }
        ~~
---

