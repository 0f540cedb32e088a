# SPDX-License-Identifier: Apache-2.0
"""Probes of every kind that this kernel may have without kprobes; counts and values are known."""
import os
import re
import subprocess

import harness as h

BPFTRACE = ["bpftrace", "-B", "line"]
STRUCTS = """struct inner { int16_t small; uint64_t large; };
    struct record { uint32_t low : 3, middle : 7, high : 22; int32_t sbits : 5; struct inner inner;
        struct inner *pointer; char name[16]; int32_t values[4]; union { uint32_t whole; uint8_t bytes[4]; }; };
    """


def traced(*scripts, options=()):
    """The outputs of scripts that watch one run of the target; PID, EXE and NAME are filled in."""
    worker = h.Worker(target)
    fill = [s.replace("PID", str(worker.pid)).replace("EXE", target) for s in scripts]
    tracers = [h.Tracer(*options, "-e", s) for s in fill]
    worker.go()
    texts = [tracer.stop() for tracer in tracers]
    worker.finish()
    return texts


def test_uprobes():
    text, = traced("""uprobe:EXE:target_add { @n = count(); @a = sum(arg0); @b = sum((int64)arg1); @c = sum(arg2);
            @min = min(arg0); @max = max(arg0); @avg = avg(arg0); @st = stats(arg0); @h = hist(arg0);
            @l = lhist(arg0, 0, 100, 25); @f[func] = count(); @p[probe] = count(); }
        uretprobe:EXE:target_add { @r = sum((int64)retval); @rf[func] = count(); }
        uprobe:EXE:target_text { @s[str(arg0)] = count(); @s3[str(arg0, 4)] = count(); }
        uretprobe:EXE:target_text { @rt[(int32)retval] = count(); }
        uprobe:EXE:many_* { @m[func] = count(); }
        uprobe:EXE:many_a, uprobe:EXE:many_c { @two++; }
        uretprobe:EXE:many_* { @ur = count(); }
        uprobe:EXE:target_add+4 { @off = count(); }
        uprobe:EXE:target_add /arg0 % 10 == 0 && pid == PID/ { @tens = count(); }
        uprobe:EXE:target_add /arg0 > 1000/ { @never = count(); }""".replace("target_add+4", "target_add+%d" % second))
    total = 100 * 101 // 2
    for name, want in (("n", 100), ("a", total), ("b", -2 * total), ("c", 100000), ("min", 1), ("max", 100),
                       ("avg", total // 100), ("r", 100000 - total), ("two", 44), ("ur", 66), ("off", 100),
                       ("tens", 10), ("never", 0)):
        h.same("uprobe: @" + name, h.value(text, name), want)
    h.same("uprobe: stats", h.maps(text).get("st", {}).get("").replace("{ .count = ", "count "),
           "count 100, .average = %d, .total = %d }" % (total // 100, total))
    for name, want in (("f", {"target_add": 100}), ("rf", {"target_add": 100}),
                       ("p", {"uprobe:%s:target_add" % target: 100}), ("s", {"even one": 20, "odd one": 20}),
                       ("rt", {"-3": 40}), ("m", {"many_a": 11, "many_b": 22, "many_c": 33})):
        h.same("uprobe: @%s[]" % name, h.numbers(text, name), want)
    rows = dict(re.findall(r"^(\[\S+, \S+\)|\[\S+\])\s+(\d+) \|", text, re.M))
    h.same("uprobe: hist and lhist", [rows.get(k) for k in ("[1]", "[2, 4)", "[4, 8)", "[32, 64)", "[64, 128)",
                                                            "[0, 25)", "[25, 50)", "[50, 75)", "[75, 100)")],
           ["1", "2", "4", "32", "37", "24", "25", "25", "25"])
    h.ok("uprobe: lhist's end", re.search(r"^\[100, \.\.\.\)\s+1 \|", text, re.M), text[-1500:])


def test_stacks():
    # At its first instruction the caller is not on the frame chain yet: inner_middle may be left out.
    text, = traced("uprobe:EXE:inner_most { @u[ustack] = count(); @three[ustack(3)] = count(); @perf[ustack(perf, 2)] = count(); @raw[usym(reg(\"ip\"))] = count(); }")
    symbols = {line.split()[2]: int(line.split()[0], 16) for line in
               subprocess.run(["nm", target], capture_output=True, text=True).stdout.splitlines()
               if len(line.split()) == 3}
    three = re.search(r"^@three\[\n((?:.*\n)*?)\]: (\d+)", text, re.M)
    frames = [line.strip() for line in three.group(1).splitlines()] if three else []
    names = [f.split("+")[0] for f in frames]
    h.ok("ustack: names and counts", names[:1] == ["inner_most"] and set(names) <= set(symbols) and
         three.group(2) == "30", text[:1500])
    perf = re.search(r"^@perf\[\n\s*([0-9a-f]+) (\w+)\+(\d+)", text, re.M)
    h.ok("ustack: addresses end as nm's", perf and perf.group(2) == "inner_most" and
         (int(perf.group(1), 16) - int(perf.group(3)) - symbols["inner_most"]) % 4096 == 0, text[:1500])
    h.ok("ustack: the callers are there", "inner_outer+" in text and "main+" in text, text[:900])


def test_structs():
    # A bit-field is read without its sign, as bpftrace does.
    text, = traced(STRUCTS + """uprobe:EXE:target_record { $r = (struct record *)arg0;
        @low = $r->low; @middle = $r->middle; @high = $r->high; @sbits = $r->sbits; @small = $r->inner.small;
        @large = $r->inner.large; @far = $r->pointer->small; @farl = $r->pointer->large; @name[$r->name] = count();
        @v1 = $r->values[1]; @v3 = $r->values[3]; @whole = $r->whole; @b2 = $r->bytes[2]; @size = sizeof(struct record);
        @inner = $r->inner; @off = offsetof(struct record, name); }""")
    for name, want in (("low", 5), ("middle", 100), ("high", 3000000), ("sbits", -9 & 31), ("small", -2), ("large", 1 << 40),
                       ("far", -7), ("farl", 0x123456789abcdef), ("v1", -20), ("v3", -40), ("whole", 0x04030201), ("b2", 3),
                       ("size", 72), ("off", 32)):
        h.same("user struct: @" + name, h.value(text, name), want)
    h.same("user struct: text", h.numbers(text, "name"), {"a record": 7})
    h.ok("user struct: a whole one", "@inner: { .small = -2, .large = %d }" % (1 << 40) in text, text)


def test_kernel_structs():
    text, = traced("""tracepoint:syscalls:sys_enter_madvise /pid == PID/ { @pid = curtask->tgid; @tid = curtask->pid;
        @comm[curtask->comm] = count(); @parent = curtask->real_parent->tgid; @group = curtask->group_leader->pid;
        @mine[comm, pid, tid] = count(); @t = ((struct task_struct *)curtask)->pid; @k[kstack(2)] = count();
        @u[uid, gid, cpu >= 0, nsecs > 0, elapsed > 0] = count(); }""")
    h.ok("kernel struct: curtask is who it says", h.value(text, "pid") == h.value(text, "tid") == h.value(text, "group") ==
         h.value(text, "t") > 0, text)
    pid = h.value(text, "pid")
    h.same("kernel struct: parent", h.value(text, "parent"), os.getpid())
    h.same("kernel struct: comm", h.numbers(text, "comm"), {"probestarget": 1})
    h.same("builtins as keys", [h.numbers(text, "mine"), len(h.numbers(text, "u"))],
           [{"probestarget, %d, %d" % (pid, pid): 1}, 1])


def test_page_faults():
    text, old = traced("software:page-faults:1 /pid == PID/ { @ = count(); }", "software:faults:1 /comm == \"probestarget\"/ { @ = count(); }")
    h.ok("software: page faults", h.value(text) >= 500, text)
    h.ok("software: its other name", h.value(old) >= 500, old)


def test_clocks():
    spin = h.compile_c(None, "zhspin", text="int main(void) { for (volatile long i = 0;; i++) ; }")
    worker = subprocess.Popen([spin])
    try:
        run = h.trace("-e", """profile:hz:99 /pid == %d/ { @[comm] = count(); @u[ustack(1)] = count(); if (@n++ > 5) { exit(); } }
            interval:s:30 { exit(); }""" % worker.pid)
    finally:
        worker.kill()
        worker.wait()
    h.ok("profile: a busy process is seen", h.numbers(run.out).get("zhspin", 0) >= 1 and "main+" in run.out, run.shown)
    run = h.trace("-e", "interval:ms:10 { @n++; if (@n == 5) { exit(); } } interval:us:1500 { @u = count(); } interval:hz:100 { @h = count(); }")
    h.ok("interval: all units tick", h.value(run.out, "n") == 5 and h.value(run.out, "u") > 0 and
         h.value(run.out, "h") > 0, run.shown)


def test_tracepoints():
    """Processes that are made, run a program and end: as Debian's bpftrace sees them in the same run."""
    worker = h.Worker(stress, "exec", "15")
    script = """tracepoint:sched:sched_process_fork /args.parent_pid == PID/ { @fork[args.parent_comm] = count(); }
        tracepoint:sched:sched_process_exec /args.pid == args.old_pid && comm == "zhstress"/ { @exec[str(args.filename)] = count(); }
        tracepoint:sched:sched_process_exit /comm == "zhstress"/ { @exit[args.comm] = count(); @pids = sum(args.pid); }
        """.replace("PID", str(worker.pid))
    theirs = h.Tracer("-e", script.replace("args.", "args->"), tool=BPFTRACE)
    mine, perf = h.Tracer("-e", script), h.Tracer("--no-feature", "raw_tp,tp_btf", "-e", script)
    wild = h.Tracer("-e", """tracepoint:sch*:sched_process_e* /comm == "zhstress"/ { @[probe] = count(); }
        rawtracepoint:sched_process_exec /comm == "zhstress"/ { @raw = count(); }
        rawtracepoint:sched_process_fork { if (((struct task_struct *)arg0)->tgid == PID) { @child[((struct task_struct *)arg1)->comm] = count(); } }
        rawtracepoint:sched_process_exit { if (args.p->comm == "zhstress") { @named = count(); } }
        tracepoint:sched:sched_process_exec, tracepoint:sched:sched_process_exit /comm == "zhstress"/ { @both = count(); }
        """.replace("PID", str(worker.pid)))
    worker.go()
    texts = [t.stop() for t in (theirs, mine, perf)]
    text = wild.stop()
    worker.finish()
    got = [[h.numbers(t, m) for m in ("fork", "exec", "exit")] for t in texts]
    h.same("tracepoint: forks, execs, exits as expected", got[1], [{"zhstress": 30}, {stress: 30}, {"zhstress": 30}])
    got[0][0] = {"zhstress": sum(got[0][0].values())}  # this field is text of another kind than it knew
    h.same("tracepoint: as bpftrace", got[1] + [h.value(texts[1], "pids")], got[0] + [h.value(texts[0], "pids")])
    h.same("tracepoint: as through perf", got[1] + [h.value(texts[1], "pids")], got[2] + [h.value(texts[2], "pids")])
    h.same("tracepoint: wildcards in both parts", h.numbers(text),
           {"tracepoint:sched:sched_process_exec": 30, "tracepoint:sched:sched_process_exit": 30})
    h.same("rawtracepoint: count, arg0, args", [h.value(text, "raw"), h.numbers(text, "child"), h.value(text, "named")],
           [30, {"zhstress": 30}, 30])
    h.same("tracepoint: several attach points", h.value(text, "both"), 60)


def test_language():
    run = h.trace("-e", """BEGIN { $i = 0; while ($i < 10) { $i++; if ($i == 3) { continue; } if ($i == 8) { break; } @w += $i; }
        for ($k : 0..5) { @f += $k; } unroll(4) { @u++; } $t = (1, "two", (3, -4)); @t[$t.0, $t.1] = $t.2.1;
        @x[1] = 10; @x[2] = 20; for ($kv : @x) { @sum += $kv.1; @keys += $kv.0; } @len = len(@x); delete(@x, 1);
        @tern = 5 > 3 ? 7 : 8; @s[substr("abcdef", 2, 3)] = 1; @hask = has_key(@x, 2); @strl = strlen("four");
        @cmp = strncmp("abcd", "abXX", 2); exit(); }""")
    text = run.out
    for name, want in (("w", 1 + 2 + 4 + 5 + 6 + 7), ("f", 10), ("u", 4), ("sum", 30), ("keys", 3), ("len", 2), ("tern", 7),
                       ("strl", 4), ("cmp", 0)):
        h.same("language: @" + name, h.value(text, name), want)
    h.same("language: tuples as keys and values", h.numbers(text, "t"), {"1, two": -4})
    h.same("language: what is left after delete", h.numbers(text, "x"), {"2": 20})
    h.same("language: substr", h.numbers(text, "s"), {"cde": 1})


def second_instruction():
    """Where the second instruction of target_add begins, as an offset."""
    text = subprocess.run(["objdump", "-d", "--no-show-raw-insn", "--disassemble=target_add", target],
                          capture_output=True, text=True).stdout
    addresses = [int(a, 16) for a in re.findall(r"^\s+([0-9a-f]+):", text, re.M)]
    return addresses[1] - addresses[0]


h.begin("cc", "nm", "objdump", "bpftrace")
target = h.compile_c("probes_target.c", "probestarget")
stress = h.compile_c("stress_calls.c", "zhstress", "-lpthread")
second = second_instruction()
h.run_all(test_uprobes, test_stacks, test_structs, test_kernel_structs, test_page_faults, test_clocks, test_tracepoints,
          test_language)
