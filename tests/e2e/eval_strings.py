# SPDX-License-Identifier: Apache-2.0
"""Random operations on strings that are known only at run time: scripts made here, modelled here, and
compared with what zhen prints.

    eval_strings.py ZHEN SEED SCRIPTS
"""
import random
import subprocess
import sys
import tempfile

WORDS = ["a", "z", "zh", "zhen", "zhem", "zhenx", "bb", "read", "", "sys_enter_read", "a longer string of words",
         "x" * 15, "x" * 16, "x" * 17, "y" * 63, "y" * 64, "y" * 65]


class Gen:
    def __init__(self, rng):
        self.rng = rng
        names = ["$s%d" % i for i in range(rng.randint(1, 3))] + ["@t%d" % i for i in range(rng.randint(1, 2))]
        self.words = WORDS[:rng.choice([8, 11, len(WORDS)])]
        self.values = dict.fromkeys(names, "zhen") # each begins as comm: never a constant
        self.sizes = dict.fromkeys(names, 16)
        self.moves, self.want = [], []
        # sizes are those of the largest value that is ever assigned: choose these first
        for _ in range(rng.randint(4, 20)):
            name = rng.choice(names)
            source = rng.choice(self.words + names + ["comm"])
            self.moves.append((name, source))
        for _ in range(4):
            for name, source in self.moves:
                size = self.sizes.get(source, 16 if source == "comm" else len(source) + 1)
                self.sizes[name] = max(self.sizes[name], size)

    def operand(self):
        name = self.rng.choice(list(self.values) + ["comm"])
        return name, self.values.get(name, "zhen"), self.sizes.get(name, 16)

    def show(self):
        r = self.rng
        s, v, size = self.operand()
        t, u, _ = self.operand()
        w = r.choice(self.words)
        k = r.randint(0, 6)
        if k == 0:
            return '"[%%s]\\n", %s' % s, "[%s]" % v
        if k == 1:
            return '"%%d\\n", strlen(%s)' % s, "%d" % len(v)
        if k == 2:
            op = r.choice(["==", "!="])
            a, b = r.choice([(s, '"%s"' % w), ('"%s"' % w, s)])
            return '"%%d\\n", %s %s %s' % (a, op, b), "%d" % ((v == w) == (op == "=="))
        if k == 3:
            op = r.choice(["==", "!="])
            return '"%%d\\n", %s %s %s' % (s, op, t), "%d" % ((v == u) == (op == "=="))
        if k == 4:
            n = r.randint(0, 8)
            b, bv = r.choice([(t, u), ('"%s"' % w, w)])
            return '"%%d\\n", strncmp(%s, %s, %d)' % (s, b, n), "%d" % (v[:n] != bv[:n])
        if k == 5:
            if not w:
                w = "e"
            return '"%%d\\n", strcontains(%s, "%s")' % (s, w), "%d" % (w in v)
        start, n = r.randint(0, size - 1), r.randint(1, 6)
        cut = r.random() < 0.6
        return '"[%%s]\\n", substr(%s, %d%s)' % (s, start, ", %d" % n if cut else ""), "[%s]" % (
            v[start:start + n] if cut else v[start:])

    def script(self):
        out = "BEGIN {\n" + "".join("%s = comm;\n" % n for n in self.values)
        for name, source in self.moves:
            known = source in self.values or source == "comm"
            self.values[name] = self.values.get(source, "zhen") if known else source
            out += "%s = %s;\n" % (name, source if known else '"%s"' % source)
            for _ in range(self.rng.randint(0, 2)):
                expr, shown = self.show()
                out += "printf(%s);\n" % expr
                self.want.append(shown)
        return out + "exit();\n}\n"


def check(zhen, seed):
    g = Gen(random.Random(seed))
    script = g.script()
    run = subprocess.run([zhen, "trace", "-q", "-B", "full", "-e", script], capture_output=True, text=True,
                         timeout=60)
    got = [l for l in run.stdout.split("\n") if l and l[0] != "@"]
    if run.returncode == 0 and got == g.want:
        return len(got), True
    path = tempfile.mktemp(prefix="strings_%d_" % seed, suffix=".bt")
    with open(path, "w") as f:
        f.write(script)
    print("# seed %d: exit %d, script %s" % (seed, run.returncode, path))
    shown = [l for l in script.split("\n") if l.startswith("printf")]
    for line, a, b in [x for x in zip(shown, g.want, got) if x[1] != x[2]][:3]:
        print("# %s\n#   want %s, got %s" % (line, a, b))
    print("# " + run.stderr[:700].replace("\n", "\n# "))
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
    print("%s strings are what they should be" % ("not ok" if bad else "ok"))
    return bad != 0


sys.exit(main())
