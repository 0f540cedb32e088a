# SPDX-License-Identifier: Apache-2.0
"""Random operations on maps of every kind of key, value and place: scripts made here, modelled here,
and compared with what zhen prints while it runs and when it ends.

    eval_maps.py ZHEN SEED SCRIPTS
"""
import random
import subprocess
import sys
import tempfile

M64 = (1 << 64) - 1
AGGS = ["count", "sum", "min", "max", "avg", "stats"]
WORDS = ["a", "bb", "read", "a longer string of words", "", "x" * 40]


def signed(v):
    v &= M64
    return v - (1 << 64) if v >> 63 else v


class Map:
    """One map: how keys are written and shown, and what it should hold."""

    def __init__(self, rng, name):
        self.rng, self.name = rng, name
        self.keys = rng.choice(["none", "none", "small", "small", "wide", "var", "bool", "words", "mixed",
                                "pair", "pair3", "cpu"])
        self.value = rng.choice(["int", "int", "word", "text", "tuple"] + AGGS)
        self.decl = ""
        if self.keys != "none" and rng.random() < 0.25:
            self.decl = "let %s = %s(%d);\n" % (name, rng.choice(["hash", "lruhash", "percpuhash",
                                                                  "percpulruhash"]), 1024)
        self.data = {}

    def key(self):
        """(text in the script, text when shown)"""
        r, k = self.rng, self.keys
        if k == "none":
            return "", ""
        if k == "small":
            v = r.randint(0, 9)
        elif k == "wide":
            v = r.choice([0, 1, -1, -5, 4095, 4096, 5000, 2**40, -2**62])
        elif k == "var":
            v = r.choice([0, 3, 70000])
            return "[%s]" % r.choice(["$k + %d - 7" % v, str(v)]), "[%d]" % v
        elif k == "bool":
            v = r.randint(0, 1)
            return "[%s]" % r.choice(["7 == $k + %d" % (1 - v), ["false", "true"][v]]), "[%s]" % [
                "false", "true"][v]
        elif k == "words":
            w = r.choice(WORDS)
            return '["%s"]' % w, "[%s]" % w
        elif k == "mixed":
            w = r.choice(WORDS[:3] + [None])
            return ('["%s"]' % w, "[%s]" % w) if w is not None else ("[comm]", "[zhen]")
        elif k == "pair":
            a, w = r.randint(-1, 2), r.choice(WORDS[:3])
            return '[%d, "%s"]' % (a, w), "[%d, %s]" % (a, w)
        elif k == "pair3":
            a, b = r.randint(0, 1), r.choice([5, 2**33])
            return "[(%d, comm, $k + %d)]" % (a, b - 7), "[%d, zhen, %d]" % (a, b)
        else:
            return "[cpu * 0 + %d]" % r.randint(0, 0), "[0]"
        return "[%d]" % v, "[%d]" % v

    def operate(self):
        """One statement; changes the model as the script will change the map."""
        r = self.rng
        text, shown = self.key()
        at = self.name + text
        old = self.data.get(shown)
        if r.random() < 0.12:
            self.data.pop(shown, None)
            return "delete(%s);" % at, None
        if self.keys != "none" and r.random() < 0.1:
            return 'printf("%%d\\n", has_key(%s, %s));' % (
                self.name, text[1:-1] if self.keys not in ("pair",) else "(%s)" % text[1:-1]), str(
                    int(old is not None))
        if self.value == "int":
            return self.integer(at, shown, old)
        if self.value == "word":
            w = r.choice(WORDS)
            self.data[shown] = w
            return '%s = "%s";' % (at, w), None
        if self.value == "text":
            w = r.choice(WORDS[:3] + [None])
            self.data[shown] = "zhen" if w is None else w
            return "%s = %s;" % (at, "comm" if w is None else '"%s"' % w), None
        if self.value == "tuple":
            a, b = r.randint(-5, 5), r.choice(WORDS[:3])
            self.data[shown] = "(%d, %s, zhen)" % (a, b)
            return '%s = (%d, "%s", comm);' % (at, a, b), None
        v = r.choice([0, 1, -1, 7, 100, -2**40, 2**62, -2**63 + 1])
        if self.value in ("avg", "stats", "sum"):
            v = r.randint(-1000, 1000)
        self.data[shown] = (old or []) + [v]
        if self.value == "count":
            return at + " = count();", None
        return "%s = %s(%s);" % (at, self.value, r.choice(["%d" % v, "$k + %d" % (v - 7)])), None

    def integer(self, at, shown, old):
        r, v = self.rng, self.rng.randint(-10**6, 10**6)
        k = r.random()
        if k < 0.25:
            self.data[shown] = v
            return "%s = %d;" % (at, v), None
        if k < 0.5:
            op = r.choice("+-*|&^")
            a = (old or 0) & M64
            self.data[shown] = signed({"+": a + v, "-": a - v, "*": a * v, "|": a | (v & M64),
                                       "&": a & v, "^": a ^ (v & M64)}[op])
            return "%s %s= %d;" % (at, op, v), None
        if k < 0.65:
            self.data[shown] = signed((old or 0) + 1)
            return at + "++;", None
        if k < 0.75:
            self.data[shown] = signed((old or 0) - 1)
            return 'printf("%%d\\n", %s--);' % at, str(old or 0)
        return 'printf("%%d\\n", %s);' % at, str(old or 0)

    def shown(self):
        for key, v in self.data.items():
            if isinstance(v, list):
                v = self.aggregate(v)
            yield "%s%s: %s" % (self.name, key, v)

    def aggregate(self, v):
        total, n = sum(v), len(v)
        avg = abs(total) // n * (1 if total >= 0 else -1)
        return {"count": n, "sum": total, "min": min(v), "max": max(v), "avg": avg,
                "stats": "{ .count = %d, .average = %d, .total = %d }" % (n, avg, total)}[self.value]


def make(rng):
    maps = [Map(rng, "@m%d" % i) for i in range(rng.randint(1, 6))]
    script, want = "".join(m.decl for m in maps) + "BEGIN {\n$k = 7;\n", []
    for _ in range(rng.randint(5, 40)):
        stmt, line = rng.choice(maps).operate()
        if rng.random() < 0.15:
            stmt = "if ($k == 7) { %s }" % stmt
        script += stmt + "\n"
        if line is not None:
            want.append(line)
    return script + "exit();\n}\n", want, [s for m in maps for s in m.shown()]


def check(zhen, seed):
    script, want, maps = make(random.Random(seed))
    run = subprocess.run([zhen, "trace", "-q", "-B", "full", "-e", script], capture_output=True, text=True,
                         timeout=60)
    lines = run.stdout.split("\n")
    got = [l for l in lines if l and l[0] != "@"]
    got_maps = [l for l in lines if l and l[0] == "@"]
    if "Undefined map" in run.stderr or "never written" in run.stderr: # all its statements read
        return 0, True
    if run.returncode == 0 and got == want and sorted(got_maps) == sorted(maps):
        return len(want) + len(maps), True
    path = tempfile.mktemp(prefix="maps_%d_" % seed, suffix=".bt")
    with open(path, "w") as f:
        f.write(script)
    print("# seed %d: exit %d, script %s" % (seed, run.returncode, path))
    for name, a, b in (("printed", want, got), ("maps", sorted(maps), sorted(got_maps))):
        for l in [x for x in a if x not in b][:3]:
            print("# %s: missing %s" % (name, l))
        for l in [x for x in b if x not in a][:3]:
            print("# %s: too much %s" % (name, l))
    print("# " + run.stderr[:600].replace("\n", "\n# "))
    return 0, False


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
    print("%s maps hold what was put in" % ("not ok" if bad else "ok"))
    return bad != 0


sys.exit(main())
