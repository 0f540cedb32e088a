# SPDX-License-Identifier: Apache-2.0
# Mistakes in scripts: where they are said to be, and what is said.

NAME missing expression
PROG
begin { $x = ; }
ERROR
stdin:1:14-15: ERROR: expected an expression, found ';'
begin { $x = ; }
             ~
---

NAME missing semicolon
PROG
begin { $x = 1 $y = 2; }
ERROR
stdin:1:16-18: ERROR: expected ';' after the statement, found variable $y
begin { $x = 1 $y = 2; }
               ~~
---

NAME missing semicolon on the line before
PROG
begin {
	f()
	g();
}
ERROR
stdin:3:2-3: ERROR: expected ';' after the statement, found 'g'
    g();
    ~
---

NAME unexpected closing parenthesis
PROG
begin { f(1)) }
ERROR
stdin:1:13-14: ERROR: expected ';' after the statement, found ')'
begin { f(1)) }
            ~
---

NAME missing parenthesis
PROG
begin { f(1; }
ERROR
stdin:1:12-13: ERROR: expected ',' or ')', found ';'
begin { f(1; }
           ~
---

NAME several mistakes
PROG
begin { $x = ; $y = 1; g(,); }
end { @x[] = 1; }
ERROR
stdin:1:14-15: ERROR: expected an expression, found ';'
begin { $x = ; $y = 1; g(,); }
             ~
stdin:1:26-27: ERROR: expected an expression, found ','
begin { $x = ; $y = 1; g(,); }
                         ~
stdin:2:10-11: ERROR: expected a key between '[' and ']', found ']'
end { @x[] = 1; }
         ~
---

NAME misspelt keyword
PROG
begin { whlie ($x) { } }
ERROR
stdin:1:20-21: ERROR: expected ';' after the statement, found '{'
begin { whlie ($x) { } }
                   ~
HINT: did you mean 'while'?
---

NAME misspelt item
PROG
marco f() { }
ERROR
stdin:1:7-8: ERROR: expected '{' or a predicate after the probe, found 'f'
marco f() { }
      ~
HINT: did you mean 'macro'?
---

NAME blank in an attach point
PROG
kprobe :f { }
ERROR
stdin:1:8-9: ERROR: expected '{' or a predicate after the probe, found ':'
kprobe :f { }
       ~
HINT: an attach point has no white space around its colons
---

NAME else without if
PROG
begin { else { } }
ERROR
stdin:1:9-13: ERROR: 'else' without 'if'
begin { else { } }
        ~~~~
---

NAME unterminated string
PROG
begin { f("abc); }
end { }
ERROR
stdin:1:11-19: ERROR: unterminated string: '"' is missing before the end of the line
begin { f("abc); }
          ~~~~~~~~
---

NAME unterminated comment
PROG
begin { } /* never
closed
ERROR
stdin:1:11-13: ERROR: unterminated comment: '*/' is missing
begin { } /* never
          ~~
---

NAME unclosed block
PROG
begin {
  if (1) {

ERROR
stdin:2:10-11: ERROR: this '{' has no matching '}'
  if (1) {
         ~
---

NAME unclosed block is told once
PROG
begin { $x = 1; if (1) { f(
ERROR
stdin:1:28-29: ERROR: expected an expression, found the end of the script
begin { $x = 1; if (1) { f(
                           ~
---

NAME character literal
PROG
begin { f('x') }
ERROR
stdin:1:11-14: ERROR: character literals are not supported: write a string or a number
begin { f('x') }
          ~~~
---

NAME floating point
PROG
begin { f(1.5) }
ERROR
stdin:1:13-14: ERROR: floating-point numbers are not supported
begin { f(1.5) }
            ~
---

NAME number too large
PROG
begin { f(18446744073709551616) }
ERROR
stdin:1:11-31: ERROR: the number does not fit in 64 bits
begin { f(18446744073709551616) }
          ~~~~~~~~~~~~~~~~~~~~
---

NAME bad octal
PROG
begin { f(089) }
ERROR
stdin:1:11-14: ERROR: '089' is not an octal number
begin { f(089) }
          ~~~
---

NAME bad suffix
PROG
begin { f(12abc) }
ERROR
stdin:1:11-16: ERROR: '12abc' is not a number: unknown suffix 'abc'
begin { f(12abc) }
          ~~~~~
---

NAME increment of a number
PROG
begin { 5++; ++$x.y; }
ERROR
stdin:1:9-10: ERROR: '++' works on variables and maps only
begin { 5++; ++$x.y; }
        ~
stdin:1:16-20: ERROR: '++' works on variables and maps only
begin { 5++; ++$x.y; }
               ~~~~
---

NAME octal escape too large
PROG
begin { f("\777") }
ERROR
stdin:1:11-17: ERROR: bad escape sequence '\7'
begin { f("\777") }
          ~~~~~~
---

NAME suffix with U in the middle
PROG
begin { f(1lul) }
ERROR
stdin:1:11-15: ERROR: '1lul' is not a number: unknown suffix 'lul'
begin { f(1lul) }
          ~~~~
---

NAME unknown escape
PROG
begin { f("a\q") }
ERROR
stdin:1:11-16: ERROR: bad escape sequence '\q'
begin { f("a\q") }
          ~~~~~
---

NAME stray byte
PROG
begin { # }
ERROR
stdin:1:9-10: ERROR: expected an expression, found '#'
begin { # }
        ~
---

NAME letters outside ASCII
PROG
begin { 你好 }
ERROR
stdin:1:9-15: ERROR: characters outside ASCII may stand in strings and comments only
begin { 你好 }
        ~~
---

NAME dollar alone
PROG
begin { $ = 1; }
ERROR
stdin:1:9-10: ERROR: expected a variable's name after '$'
begin { $ = 1; }
        ~
---

NAME assignment to a field
PROG
kprobe:f { args.x = 1; }
ERROR
stdin:1:12-18: ERROR: only variables and maps may be assigned to
kprobe:f { args.x = 1; }
           ~~~~~~
---

NAME assignment to an expression
PROG
begin { 1 + 2 = 3; }
ERROR
stdin:1:9-14: ERROR: only variables and maps may be assigned to
begin { 1 + 2 = 3; }
        ~~~~~
---

NAME map declared in a probe
PROG
begin { let @x = hash(1); }
ERROR
stdin:1:13-15: ERROR: maps are declared outside of probes: let @x = hash(N);
begin { let @x = hash(1); }
            ~~
---

NAME loop over a scalar
PROG
begin { for ($x : 5) { } }
ERROR
stdin:1:19-20: ERROR: a loop runs over a map or over a range like 0..10
begin { for ($x : 5) { } }
                  ~
---

NAME loop without a variable
PROG
begin { for (x : @m) { } }
ERROR
stdin:1:14-15: ERROR: expected the loop's variable, like $x, found 'x'
begin { for (x : @m) { } }
             ~
---

NAME body without braces
PROG
begin { if 1 exit(); }
ERROR
stdin:1:14-18: ERROR: expected '{' after the condition, found 'exit'
begin { if 1 exit(); }
             ~~~~
HINT: the statements of an 'if' stand between braces
---

NAME empty key
PROG
begin { @x[] }
ERROR
stdin:1:12-13: ERROR: expected a key between '[' and ']', found ']'
begin { @x[] }
           ~
---

NAME comma in config
PROG
config = { a = 1, b = 2 }
begin { }
ERROR
stdin:1:17-18: ERROR: expected ';' after the setting, found ','
config = { a = 1, b = 2 }
                ~
---

NAME config without =
PROG
config { a = 1 }
ERROR
stdin:1:8-9: ERROR: expected '=' after 'config', found '{'
config { a = 1 }
       ~
---

NAME not a probe
PROG
{ }
ERROR
stdin:1:1-2: ERROR: expected a probe, like kprobe:vfs_read, found '{'
{ }
~
---

NAME block missing
PROG
kprobe:f
ERROR
stdin:1:9-10: ERROR: expected '{' or a predicate after the probe, found the end of the script
kprobe:f
        ~
---

NAME predicate not closed
PROG
kprobe:f /pid == 1 { }
ERROR
stdin:1:20-21: ERROR: expected '/' after the predicate, found '{'
kprobe:f /pid == 1 { }
                   ~
---

NAME field name missing
PROG
kprobe:f { f(args.) }
ERROR
stdin:1:19-20: ERROR: expected a field's name after '.', found ')'
kprobe:f { f(args.) }
                  ~
---

NAME cast without operand
PROG
begin { $x = (uint8); }
ERROR
stdin:1:21-22: ERROR: expected an expression, found ';'
begin { $x = (uint8); }
                    ~
---

NAME struct without a name
PROG
begin { $x = (struct *)1; }
ERROR
stdin:1:22-23: ERROR: expected a name after 'struct', found '*'
begin { $x = (struct *)1; }
                     ~
---

NAME reserved word
PROG
begin { $x = return; }
ERROR
stdin:1:14-20: ERROR: expected an expression, found 'return'
begin { $x = return; }
             ~~~~~~
---

NAME macro parameter
PROG
macro m(1) { }
ERROR
stdin:1:9-10: ERROR: expected a parameter: $name, @name or name, found '1'
macro m(1) { }
        ~
---

NAME fn parameter without type
PROG
fn f($a) { }
ERROR
stdin:1:8-9: ERROR: expected ':' and a type after the parameter, found ')'
fn f($a) { }
       ~
---

NAME map type missing
PROG
let @x = 5;
ERROR
stdin:1:10-11: ERROR: expected a map type, like hash(1024), found '5'
let @x = 5;
         ~
---

NAME import without quotes
PROG
import foo;
ERROR
stdin:1:8-11: ERROR: expected a file's name in quotes after 'import', found 'foo'
import foo;
       ~~~
---

NAME nested too deeply
PROG
begin { f((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((1)))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))) }
ERROR
stdin:1:209-210: ERROR: nested more than 200 levels deep
...(((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((1))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))...
                                                               ~
---

NAME semicolon missing behind a typedef
PROG
typedef int a
begin { }
ERROR
stdin:2:1-6: ERROR: expected ';' after the definition, found 'begin'
begin { }
~~~~~
---

NAME variable behind a struct
PROG
struct s { int a; } x;
begin { }
ERROR
stdin:1:21-22: ERROR: expected ';' after the definition, found 'x'
struct s { int a; } x;
                    ~
---

NAME blanks in words
PROG
begin { if (pid) exit(); }
ERROR
stdin:1:24-25: ERROR: expected '{' after the condition, found ';'
begin { if (pid) exit(); }
                       ~
HINT: the statements of an 'if' stand between braces
---

NAME mistake in a nested block
PROG
begin { if (1) { $x = ; } else { $y = 1; } $z = ; }
ERROR
stdin:1:23-24: ERROR: expected an expression, found ';'
begin { if (1) { $x = ; } else { $y = 1; } $z = ; }
                      ~
stdin:1:49-50: ERROR: expected an expression, found ';'
begin { if (1) { $x = ; } else { $y = 1; } $z = ; }
                                                ~
---

NAME field without semicolon
PROG
struct s { int a int b; };
ERROR
stdin:1:18-21: ERROR: expected ';' after the field, found 'int'
struct s { int a int b; };
                 ~~~
---

NAME dimension is no constant
PROG
struct s { int a[NOPE]; };
ERROR
stdin:1:18-22: ERROR: 'NOPE' is not a constant
struct s { int a[NOPE]; };
                 ~~~~
---

NAME range over two lines
PROG
begin { $x = 1; } end {
  (1 +
  2) = 3;
}
ERROR
stdin:2-3: ERROR: only variables and maps may be assigned to
---

NAME tabs are shown as four spaces
PROG
begin {
		$x =	;
}
ERROR
stdin:2:8-9: ERROR: expected an expression, found ';'
        $x =    ;
                ~
---

NAME end of the script in an expression
PROG
begin { $x = 1 +
ERROR
stdin:1:17-18: ERROR: expected an expression, found the end of the script
begin { $x = 1 +
                ~
---

NAME parameter zero
PROG
begin { f($0) }
ERROR
stdin:1:11-13: ERROR: positional parameters count from $1
begin { f($0) }
          ~~
---

