# SPDX-License-Identifier: Apache-2.0
"""Random integer arithmetic: scripts made here, evaluated here by the language's rules, and compared
with what the kernel computes.

The rules: an integer is 8 bytes and signed or not; an operation is unsigned when both sides are, or
when one is and the other is a plain literal or a truth value; a difference is signed; what is
shifted right says alone whether zeroes come in; x / 0 is 0 and x % 0 is x; a shift counts modulo
64. A loop's counter is signed. A variable or map has the type that holds all values assigned to it.

    eval.py ZHEN SEED SCRIPTS
"""
import random
import subprocess
import sys
import tempfile

M64 = (1 << 64) - 1
BOOL = ("bool",)
S64, U64 = ("int", 8, True), ("int", 8, False)
ARITH = ["+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^"]
COMPARE = ["==", "!=", "<", "<=", ">", ">="]
PREC = {"*": 10, "/": 10, "%": 10, "+": 9, "-": 9, "<<": 8, ">>": 8, "<": 7, "<=": 7, ">": 7, ">=": 7,
        "==": 6, "!=": 6, "&": 5, "^": 4, "|": 3, "&&": 2, "||": 1}
EDGES = [0, 1, 2, 3, 5, 7, 8, 31, 32, 63, 64, 100, 127, 128, 255, 256, 65535, 65536, 2**31 - 1, 2**31,
         2**32 - 1, 2**32, 2**32 + 1, 2**63 - 1, 2**63, 2**64 - 1]


def signed(v):
    v &= M64
    return v - (1 << 64) if v >> 63 else v


class Gen:
    """One script: statements over variables and maps."""

    def __init__(self, rng):
        self.rng = rng
        self.vars = ["$v%d" % i for i in range(rng.randint(2, 9))]
        self.maps = ["@m%d" % i for i in range(rng.randint(1, 4))] + ["@h[%d]" % i for i in range(3)]
        self.counters = [] # of the loops around: read, never assigned
        self.loops = 0
        self.stmts = []

    def literal(self):
        r = self.rng
        v = r.choice(EDGES) if r.random() < 0.6 else r.getrandbits(r.choice([3, 8, 16, 33, 62]))
        return ("lit", v, hex(v) if r.random() < 0.3 else str(v))

    def expr(self, depth):
        r = self.rng
        if depth <= 0 or r.random() < 0.1:
            k = r.random()
            if k < 0.35:
                return self.literal()
            return ("ref", r.choice(self.vars + self.counters if k < 0.7 else self.maps))
        k = r.random()
        if k < 0.5:
            op, b = r.choice(ARITH), self.expr(depth - 1)
            if op in "/%" and not reads(b):
                b = ("ref", r.choice(self.vars)) # a divisor known to be 0 is an error
            return ("bin", op, self.expr(depth - 1), b)
        if k < 0.62:
            return ("cmp", r.choice(COMPARE), self.expr(depth - 1), self.expr(depth - 1))
        if k < 0.7:
            return ("log", r.choice(["&&", "||"]), self.expr(depth - 1), self.expr(depth - 1))
        if k < 0.8:
            return ("un", r.choice("-~!"), self.expr(depth - 1))
        if k < 0.9:
            cast = "%sint%d" % (r.choice(["u", ""]), r.choice([8, 16, 32, 64]))
            return ("cast", cast, self.expr(depth - 1))
        return ("?", self.expr(depth - 1), self.expr(depth - 1), self.expr(depth - 1))

    def loop(self, depth):
        r = self.rng
        kind = r.choice(["for", "for", "while", "unroll"])
        name, first, turns = "$i%d" % self.loops, r.randint(-2, 2), r.randint(1, 4)
        self.loops += 1
        if kind == "unroll":
            return (kind, name, 0, turns, list(self.body(r.randint(1, 3), depth - 1)))
        self.counters.append(name)
        body = list(self.body(r.randint(1, 4), depth - 1, True))
        self.counters.pop()
        return (kind, name, first, first + turns, body)

    def body(self, n, depth, in_loop=False):
        r = self.rng
        for _ in range(n):
            k = r.random()
            if k > 0.95 and depth > 0:
                yield self.loop(depth)
                continue
            if k > 0.85 and in_loop:
                yield ("leave", self.expr(2), r.choice(["break", "continue"]))
                continue
            target = r.choice(self.vars + self.maps)
            if k < 0.35 or depth == 0:
                yield ("print", self.expr(r.randint(1, 5)))
            elif k < 0.6:
                yield ("set", target, "", self.expr(r.randint(1, 4)))
            elif k < 0.8:
                op, e = r.choice(ARITH), self.expr(r.randint(0, 3))
                yield ("set", target, op, e if op not in "/%" or reads(e) else ("ref", "$v0"))
            elif k < 0.9:
                yield ("inc", target, r.choice(["++", "--"]))
            else:
                yield ("if", self.expr(3), list(self.body(r.randint(1, 3), depth - 1)),
                       list(self.body(r.randint(0, 2), depth - 1)))

    def script(self):
        for name in self.vars + self.maps:
            e = self.literal()
            if self.rng.random() < 0.4:
                e = ("cast", "uint64", e)
            elif self.rng.random() < 0.3:
                e = ("un", "-", e)
            self.stmts.append(("set", name, "", e))
        self.stmts += self.body(24, 2)
        return self.stmts


def reads(e):
    return e[0] == "ref" or any(isinstance(x, tuple) and reads(x) for x in e)


def text(e, rng, outer=0):
    k = e[0]
    if k == "lit":
        return e[2]
    if k == "ref":
        return e[1]
    if k == "un":
        s = e[1] + text(e[2], rng, 11)
        return s if not s.startswith("--") else "-(" + s[1:] + ")"
    if k == "cast":
        return "(%s)%s" % (e[1], text(e[2], rng, 11))
    if k == "?":
        return "(%s ? %s : %s)" % tuple(text(x, rng) for x in e[1:])
    p = PREC[e[1]]
    s = "%s %s %s" % (text(e[2], rng, p), e[1], text(e[3], rng, p + 1))
    return "(%s)" % s if p < outer or rng.random() < 0.3 else s


def write(stmts, rng):
    out = ""
    for s in stmts:
        if s[0] == "print":
            out += 'printf("%%ld\\n", %s);\n' % text(s[1], rng)
        elif s[0] == "set":
            out += "%s %s= %s;\n" % (s[1], s[2], text(s[3], rng))
        elif s[0] == "inc":
            out += s[1] + s[2] + ";\n"
        elif s[0] == "leave":
            out += "if (%s) { %s; }\n" % (text(s[1], rng), s[2])
        elif s[0] == "unroll":
            out += "unroll(%d) {\n%s}\n" % (s[3], write(s[4], rng))
        elif s[0] == "for":
            out += "for (%s : %d..%d) {\n%s}\n" % (s[1], s[2], s[3], write(s[4], rng))
        elif s[0] == "while":
            out += "%s = %d;\nwhile (%s < %d) {\n%s++;\n%s}\n" % (s[1], s[2] - 1, s[1], s[3] - 1, s[1],
                                                                   write(s[4], rng))
        else:
            out += "if (%s) {\n%s}" % (text(s[1], rng), write(s[2], rng))
            out += " else {\n%s}\n" % write(s[3], rng) if s[3] else "\n"
    return out


def unify(a, b):
    if not a or not b or a == b:
        return a or b
    return ("int", 8, any(t[0] == "int" and t[2] for t in (a, b)))


def key(name):
    return name.split("[")[0]


class Leave(Exception):
    pass


class Eval:
    def __init__(self, stmts):
        self.types, self.values, self.out = {}, {}, []
        old = None
        while old != self.types:
            old = dict(self.types)
            self.collect(stmts)
        self.run(stmts)

    def collect(self, stmts):
        for s in stmts:
            if s[0] == "set":
                t = self.type(s[3])
                t = ("int", 8, t[2]) if t[0] == "int" else t
                name = key(s[1])
                if name[0] == "$" or not s[2]: # a map keeps its type under `@m op= e`
                    self.types[name] = unify(self.types.get(name), t)
            elif s[0] == "inc" and s[1][0] == "@":
                self.types[key(s[1])] = unify(self.types.get(key(s[1])), S64)
            elif s[0] == "if":
                self.collect(s[2])
                self.collect(s[3])
            elif s[0] in ("for", "while", "unroll"):
                self.types[s[1]] = S64
                self.collect(s[4])

    def neutral(self, e):
        return e[0] == "lit" and e[1] < 1 << 63 or self.type(e) == BOOL

    def unsigned(self, a, b):
        na, nb = self.neutral(a), self.neutral(b)
        ta, tb = self.type(a), self.type(b)
        ua, ub = ta[0] == "int" and not ta[2], tb[0] == "int" and not tb[2]
        return (ua or na) and (ub or nb) and not (na and nb)

    def type(self, e):
        k = e[0]
        if k == "lit":
            return U64 if e[1] >> 63 else S64
        if k == "ref":
            return self.types.get(key(e[1])) or S64
        if k in ("cmp", "log") or k == "un" and e[1] == "!":
            return BOOL
        if k == "un":
            t = self.type(e[2])
            return ("int", 8, e[1] == "-" or t[0] != "int" or t[2])
        if k == "cast":
            return ("int", int(e[1].lstrip("uint")) // 8, e[1][0] != "u")
        if k == "?":
            return unify(self.type(e[2]), self.type(e[3]))
        return ("int", 8, e[1] == "-" or not self.unsigned(e[2], e[3]))

    def arith(self, op, ea, eb):
        a, b = self.value(ea), self.value(eb)
        uns = self.unsigned(ea, eb)
        t = self.type(ea)
        if op == ">>" and (t[0] != "int" or not t[2]):
            uns = True
        return self.compute(op, a, b, uns)

    @staticmethod
    def compute(op, a, b, uns):
        x, y = (a & M64, b & M64) if uns else (signed(a), signed(b))
        if op in "+-*":
            return {"+": x + y, "-": x - y, "*": x * y}[op] & M64
        if op in "/%":
            if y == 0:
                return 0 if op == "/" else a & M64
            q = abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
            return (q if op == "/" else x - q * y) & M64
        if op == "<<":
            return a << (b & 63) & M64
        if op == ">>":
            return x >> (b & 63) & M64
        return {"&": a & b, "|": a | b, "^": a ^ b}[op] & M64

    def value(self, e):
        k = e[0]
        if k == "lit":
            return e[1]
        if k == "ref":
            return self.values[e[1]]
        if k == "bin":
            return self.arith(*e[1:])
        if k == "cmp":
            a, b = self.value(e[2]), self.value(e[3])
            if not self.unsigned(e[2], e[3]):
                a, b = signed(a), signed(b)
            return int({"==": a == b, "!=": a != b, "<": a < b, "<=": a <= b, ">": a > b,
                        ">=": a >= b}[e[1]])
        if k == "log":
            if e[1] == "&&":
                return int(self.value(e[2]) != 0 and self.value(e[3]) != 0)
            return int(self.value(e[2]) != 0 or self.value(e[3]) != 0)
        if k == "un":
            a = self.value(e[2])
            return (-a & M64) if e[1] == "-" else (~a & M64) if e[1] == "~" else int(a == 0)
        if k == "cast":
            _, size, sign = self.type(e)
            v = self.value(e[2]) & ((1 << 8 * size) - 1)
            return (v - (1 << 8 * size) & M64) if sign and v >> (8 * size - 1) else v
        return self.value(e[2] if self.value(e[1]) else e[3])

    def run(self, stmts):
        for s in stmts:
            if s[0] == "print":
                self.out.append(signed(self.value(s[1])))
            elif s[0] == "set":
                v = self.arith(s[2], ("ref", s[1]), s[3]) if s[2] else self.value(s[3])
                self.values[s[1]] = v
            elif s[0] == "inc":
                self.values[s[1]] = self.values[s[1]] + (1 if s[2] == "++" else -1) & M64
            elif s[0] == "leave":
                if self.value(s[1]):
                    raise Leave(s[2])
            elif s[0] == "if":
                self.run(s[2] if self.value(s[1]) else s[3])
            else:
                self.turns(s)

    def turns(self, s):
        for i in range(s[2], s[3]):
            self.values[s[1]] = i & M64
            try:
                self.run(s[4])
            except Leave as why:
                if why.args[0] == "break":
                    break


def trouble(seed, script, what):
    path = tempfile.mktemp(prefix="eval_%d_" % seed, suffix=".bt")
    with open(path, "w") as f:
        f.write(script)
    print("# seed %d: %s\n# script: %s" % (seed, what, path))


def check(zhen, seed):
    rng = random.Random(seed)
    stmts = Gen(rng).script()
    script = "BEGIN {\n%sexit();\n}\n" % write(stmts, rng)
    want = Eval(stmts).out
    run = subprocess.run([zhen, "trace", "-q", "-B", "full", "-e", script], capture_output=True, text=True,
                         timeout=60)
    got = [l for l in run.stdout.split("\n") if l and not l.startswith("@")]
    if any(w in run.stderr for w in ("division by zero", "kernel's verifier")):
        return 0, True # a divisor known to be 0; branches in loops, more than a verifier follows
    if run.returncode or [str(v) for v in want] != got:
        at = next((i for i, (a, b) in enumerate(zip(want, got)) if str(a) != b), -1)
        trouble(seed, script, "exit %d, value %d: want %s, got %s\n# %s" % (
            run.returncode, at, want[at:at + 1], got[at:at + 1], run.stderr[:400].replace("\n", "\n# ")))
        return 0, False
    return len(want), True


def main():
    zhen, seed, n = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    values = bad = 0
    for i in range(n):
        got, ok = check(zhen, seed + i)
        values += got
        bad += not ok
        if bad >= 5:
            break
    print("# %d values of %d scripts" % (values, n))
    print("%s arithmetic as the rules say" % ("not ok" if bad else "ok"))
    return bad != 0


sys.exit(main())
