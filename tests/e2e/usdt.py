# SPDX-License-Identifier: Apache-2.0
"""usdt probes (written by hand, by SystemTap's header, and Python's) and watchpoints, counted exactly."""
import os
import platform
import re
import subprocess

import harness as h

X86 = platform.machine() == "x86_64"
PYTHON = "/usr/bin/python3.11"


def semaphore(worker):
    """What the semaphore in the worker's memory is now."""
    with open("/proc/%d/mem" % worker.pid, "rb") as memory:
        memory.seek(int(re.search(r"at (0x[0-9a-f]+)", worker.output()).group(1), 16))
        return int.from_bytes(memory.read(2), "little")


def traced(target, script):
    """What the script says of one run of the target's work, and what the target said."""
    worker = h.Worker(target)
    tracer = h.Tracer("-e", script.replace("EXE", target).replace("PID", str(worker.pid)))
    worker.go()
    text = tracer.stop()
    return text, worker.finish()


def check_values(name, text, **want):
    for key, value in want.items():
        h.same("%s: @%s" % (name, key), h.value(text, key), value)


def test_operands():
    total = 50 * 51 // 2
    for name, flags in (("pie", ("-pie", "-fPIE")), ("no pie", ("-no-pie", "-fno-pie"))):
        target = h.compile_c("usdt_target.c", "usdt_" + name.replace(" ", ""), *flags)
        text, said = traced(target, """usdt:EXE:hand:plain { @plain = count(); @p[probe] = count(); @f[func] = count(); @u[ustack(1)] = count(); }
            usdt:EXE:hand:registers { @neg = sum((int64)arg0); @big = max(arg1); @seven = sum(arg2); @nine = sum((int64)arg3);
                @text[str(arg4)] = count(); }
            usdt:EXE:hand:memory { @local = sum((int64)arg0); @global = sum(arg1); }
            usdt:EXE:hand:many { @ten = sum(arg10); @eleven = sum(arg11); @zero = sum(arg0); }
            usdt:EXE:hand:twice { @twice = count(); @a = sum(arg0); @b = sum(arg1); @tp[probe] = count(); }""")
        check_values("usdt, " + name, text, plain=50, neg=-total, big=(1 << 40) + 50, seven=350, nine=-450, local=-3 * total,
                     ten=500, eleven=total, zero=0, twice=100, a=5 * 50 + total, b=6 * 50 + total)
        h.same("usdt, %s: @global" % name, h.value(text, "global"), 50 * 77777)
        h.same("usdt, %s: text" % name, h.numbers(text, "text"), {"a text": 50})
        h.same("usdt, %s: probe, func" % name, [h.numbers(text, "p"), h.numbers(text, "f"), h.numbers(text, "tp")],
               [{"usdt:%s:hand:plain" % target: 50}, {"plain": 50}, {"usdt:%s:hand:twice" % target: 100}])
        h.ok("usdt, %s: ustack" % name, re.search(r"plain\+\d+\n\]: 50", text), text[:800])
        h.ok("usdt, %s: no semaphore of another probe is raised" % name, "semaphore 0 guarded 0" in said, said)
        if not X86:
            continue
        text, _ = traced(target, """usdt:EXE:hand:narrow { @bl = sum(arg0); @bh = sum(arg1); @cl = sum((int64)arg2); @dx = sum(arg3);
                @si = sum((int64)arg4); }
            usdt:EXE:hand:indexed { @i0 = sum((int64)arg0); @i1 = sum((int64)arg1); @i2 = sum((int64)arg2); @rip = sum(arg3); }""")
        index = sum(i % 4 for i in range(1, 51))
        check_values("usdt, " + name, text, bl=100, bh=50 + total, cl=-total, dx=50 * 0x1234, si=-total - 50000,
                     i0=-100 - index, i1=-150 - index, i2=-50, rip=50 * 77777)


def test_semaphores():
    target = h.compile_c("usdt_target.c", "usdt_sem")
    for name, script, options in (("by file", "usdt:EXE:hand:guarded { @ = count(); @s = max(arg0); }", ()),
                                  ("of a process", "usdt:EXE:hand:guarded { @ = count(); @s = max(arg0); }", ("-p", "PID")),
                                  ("of what it has mapped", "usdt::hand:guarded { @ = count(); @s = max(arg0); }", ("-p", "PID")),
                                  ("of all processes", "usdt:*:hand:guarded /pid == PID/ { @ = count(); @s = max(arg0); }", ())):
        worker, other = h.Worker(target), h.Worker(target)
        tracer = h.Tracer(*[o.replace("PID", str(worker.pid)) for o in options], "-e",
                          script.replace("EXE", target).replace("PID", str(worker.pid)))
        worker.go()
        other.go()
        text = tracer.stop()
        # Probes go a moment after their tracer.
        h.wait_until("the semaphore's fall", lambda: semaphore(worker) == 0)
        worker.go()
        said, others = worker.finish(), other.finish()
        h.same("semaphore %s: raised, then not" % name, said.splitlines()[1:],
               ["semaphore 1 guarded 50", "semaphore 0 guarded 0"])
        both = 100 if name == "by file" else 50
        h.same("semaphore %s: hits" % name, [h.value(text), h.value(text, "s")], [both, 1])
        if options:
            h.ok("semaphore %s: others are left alone" % name, "semaphore 0 guarded 0" in others, others)
    two, said = traced(target, "usdt:EXE:hand:guarded { @a = count(); } usdt:EXE:hand:guarded { @b = count(); }")
    h.same("semaphore: two probes on it", [h.value(two, "a"), h.value(two, "b"), said.splitlines()[1]],
           [50, 50, "semaphore 1 guarded 50"])


def test_commands():
    target = h.compile_c("usdt_target.c", "usdt_cmd")
    os.chdir(h.work)
    run = h.trace("-e", "usdt:%s:hand:guarded { @ = count(); } usdt:./usdt_cmd:many { @m[probe] = sum(arg11); }" % target, "-c",
                  target + " alone")
    h.same("usdt of a command", [h.value(run.out), h.numbers(run.out, "m")], [100, {"usdt:./usdt_cmd:hand:many": 2550}])
    h.ok("usdt of a command: counted by name", "Attached 2 probes" in run.err, run.shown)
    run = h.trace("-e", "usdt:*:hand:guarded { @ = count(); }", "-c", target + " alone")
    h.ok("what a command maps is not known yet", run.rc == 1 and "-c" in run.err, run.shown)


def test_wildcards():
    target = h.compile_c("usdt_target.c", "usdt_wild")
    text, _ = traced(target, "usdt:EXE:hand:m* { @[probe] = count(); } usdt:EXE:h*d:plain { @p++; } usdt:EXE::twice { @t++; }")
    h.same("wildcards", [h.numbers(text), h.value(text, "p"), h.value(text, "t")],
           [{"usdt:%s:hand:many" % target: 50, "usdt:%s:hand:memory" % target: 50}, 50, 100])
    names = ["guarded", "indexed", "many", "memory", "narrow", "plain", "registers", "twice"]
    if not X86:
        names = [n for n in names if n not in ("indexed", "narrow")]
    run = h.trace("-l", "usdt:%s:*" % target)
    h.same("list by file", run.out.splitlines(), ["usdt:%s:hand:%s" % (target, n) for n in names])
    run = h.trace("-l", "usdt:%s:hand:m*" % target, "-v")
    h.ok("list with arguments", "hand:memory\n    int32 arg0\n    uint32 arg1\n" in run.out and
         "    arg12 (not supported: 8f@" in run.out, run.shown)
    worker = h.Worker(target)
    run = h.trace("-l", "usdt", "-p", str(worker.pid))
    h.ok("list by process", {"usdt:%s:hand:%s" % (target, n) for n in names} <= set(run.out.splitlines()), run.shown)
    run = h.trace("-l", "usdt:*:hand:plain")
    h.same("list by all processes", run.out, "usdt:%s:hand:plain\n" % target)
    worker.process.kill()
    worker.process.wait()
    for script, words in (("usdt:%s:hand:plane { }", "did you mean 'plain'?"), ("usdt:%s:nobody:plain { }", "no usdt probe 'nobody:plain'"),
                          ("usdt:%s:hand:memory { print(arg2); }", "has 2 arguments: there is no arg2"),
                          ("usdt:%s:hand:many { print(arg12); }", "cannot be read: 8f@"),
                          ("usdt:%s.not:hand:many { }", "no such program or library")):
        run = h.trace("-e", script % target)
        h.ok("said: " + words, run.rc == 1 and words in run.err, run.shown)


def test_header():
    if not any(os.path.exists(p + "/sys/sdt.h") for p in ("/usr/include", "/usr/include/%s-linux-gnu" % platform.machine())):
        h.skip("usdt by SystemTap's header", "systemtap-sdt-dev is not installed")
        return
    target = h.compile_c("usdt_sdt.c", "usdt_sdt")
    text, said = traced(target, """usdt:EXE:sdt:mixed { @n = count(); @small = sum((int64)arg0); @large = sum(arg1);
            @t[str(arg2)] = count(); @s = sum((int64)arg3); }
        usdt:EXE:sdt:guarded { @g = count(); @gs = sum((int64)arg0); @gl = max(arg1); }""")
    check_values("usdt by SystemTap's header", text, n=20, small=-210, large=210 * 10**9, s=10, g=20, gs=-210, gl=20 * 10**9)
    h.same("usdt by SystemTap's header: text", h.numbers(text, "t"), {"from the header": 20})


def test_python():
    if not os.path.exists(PYTHON) or b"stapsdt" not in subprocess.run(["readelf", "-n", PYTHON], capture_output=True).stdout:
        h.skip("usdt of Python", "this machine has no Python with usdt probes")
        return
    script = os.path.join(h.work, "calls.py")
    with open(script, "w") as f:
        f.write("def zn_called(x):\n    return x\nclass Zn:\n    def zn_method(self):\n        return 1\n"
                "for i in range(100):\n    zn_called(i)\nlist(map(zn_called, range(30)))\nz = Zn()\n"
                "for i in range(55):\n    z.zn_method()\nimport gc\nfor i in range(7):\n    gc.collect(1)\n")
    run = h.trace("-e", """usdt:%s:python:function__return { @[str(arg1)] = count(); @file[str(arg0)] = count(); }
        usdt:%s:python:gc__start { @gc[arg0] = count(); } usdt:%s:python:function__entry { @e++; }""" % (PYTHON, PYTHON, PYTHON),
                  "-c", "%s -S -E %s" % (PYTHON, script))
    found = h.numbers(run.out)
    h.same("usdt of Python: calls", [found.get("zn_called"), found.get("zn_method")], [130, 55])
    h.ok("usdt of Python: its other arguments", h.numbers(run.out, "file").get(script, 0) >= 187 and
         h.numbers(run.out, "gc").get("1", 0) >= 7 and h.value(run.out, "e") > 0, run.shown)


def test_watchpoints():
    target = h.compile_c("watchpoint_target.c", "watch", "-pthread")
    worker = h.Worker(target)
    at = dict(re.findall(r"(\w+) (0x[0-9a-f]+)", worker.output()))
    probe = h.trace("-p", str(worker.pid), "-e", "watchpoint:%s:8:w { } interval:ms:1 { exit(); }" % at["watched"])
    if "no hardware breakpoints" in probe.err:
        h.skip("watchpoints", "this machine has no hardware breakpoints")
        worker.process.kill()
        worker.process.wait()
        return
    h.ok("watchpoint: attaches", probe.rc == 0, probe.shown)
    tracer = h.Tracer("-p", str(worker.pid), "-e", """watchpoint:WATCHED:8:w { @w = count(); @tid[tid == pid] = count(); @p[probe] = count();
            @v = max(*(uint64 *)WATCHED); @u[ustack(1)] = count(); }
        watchpoint:SMALL:4:rw { @small = count(); } watchpoint:EXECUTED:8:x { @x = count(); @ip[reg("ip") == EXECUTED] = count(); }"""
                      .replace("WATCHED", at["watched"]).replace("SMALL", at["small"]).replace("EXECUTED", at["executed"]))
    worker.go()
    text = tracer.stop()
    worker.finish()
    check_values("watchpoint", text, w=150, v=99, x=25, small=14)
    h.same("watchpoint: threads that were there and later ones, and no other process", h.numbers(text, "tid"), {"false": 50, "true": 100})
    h.same("watchpoint: probe", h.numbers(text, "p"), {"watchpoint:%s:8:w" % at["watched"]: 150})
    h.same("watchpoint: where", h.numbers(text, "ip"), {"true": 25})
    h.ok("watchpoint: ustack", "write_some+" in text, text[:800])
    # The same address in every process: a program that lies where it is linked.
    target = h.compile_c("watchpoint_target.c", "watch_fixed", "-pthread", "-no-pie", "-fno-pie")
    worker = h.Worker(target)
    at = dict(re.findall(r"(\w+) (0x[0-9a-f]+)", worker.output()))
    tracer = h.Tracer("-e", "watchpoint:%d:8:w /comm == \"watch_fixed\"/ { @ = count(); }" % int(at["watched"], 16))
    worker.go()
    text = tracer.stop()
    worker.finish()
    h.same("watchpoint: of every process", h.value(text), 160)
    # The kernel, too, writes there: it zeroes what a program begins with.
    run = h.trace("-e", "watchpoint:%s:8:w /usermode/ { @ = count(); }" % at["watched"], "-c", target + " alone")
    h.same("watchpoint: of a command, its threads and processes", h.value(run.out), 160)
    for script, words in (("w:0x1000:3:w { }", "invalid length"), ("w:0x1000:8:rww { }", "twice"), ("w:0x1001:8:w { }", "multiple"),
                          ("w:0x1000:8:w,w:0x2000:8:w,w:0x3000:8:w,w:0x4000:8:w,w:0x5000:8:w { }", "debug registers")):
        if X86 or words != "debug registers":
            run = h.trace("-e", script)
            h.ok("said: " + words, run.rc == 1 and words in run.err, run.shown)


h.begin("cc", "readelf")
h.run_all(test_operands, test_semaphores, test_commands, test_wildcards, test_header, test_python, test_watchpoints)
