# SPDX-License-Identifier: Apache-2.0
"""System calls, counted by four at once while one program makes more than 150 different ones:

zhen's one program on raw_syscalls, the kernel's own ftrace in an instance of its own, and for some
calls (each event costs 60 ms to detach) zhen without raw tracepoints, through perf, and Debian's
bpftrace. The program itself knows how often it made each number.
"""
import collections
import os
import re

import harness as h

FTRACE = "/sys/kernel/tracing/instances/zhen-e2e-%d" % os.getpid()
PERF = ("--no-feature", "raw_tp,tp_btf")
BPFTRACE = ["bpftrace", "-B", "line"]


def write(path, text):
    with open(FTRACE + "/" + path, "w") as f:
        f.write(text)


class Ftrace:
    """The kernel's own record of one process's system calls, and of its children's."""

    def __init__(self, pid):
        os.mkdir(FTRACE)
        write("buffer_size_kb", "4096")
        write("options/event-fork", "1")
        write("set_event_pid", str(pid))
        write("events/syscalls/enable", "1")

    def counts(self):
        write("events/syscalls/enable", "0")
        enters, exits = collections.Counter(), collections.Counter()
        self.results = collections.defaultdict(list)
        with open(FTRACE + "/trace") as f:
            for line in f:
                found = re.search(r"\d: sys_(\w+)(\(| -> )(.*)$", line)
                if found and found.group(2) == "(":
                    enters[found.group(1)] += 1
                elif found:
                    exits[found.group(1)] += 1
                    self.results[found.group(1)].append(int(found.group(3), 16))
        with open(FTRACE + "/per_cpu/cpu0/stats") as f:
            assert re.search(r"overrun: 0\b", f.read()), "ftrace lost records"
        return enters, exits

    def close(self):
        if os.path.isdir(FTRACE):
            write("events/syscalls/enable", "0")
            os.rmdir(FTRACE)


def by_name(text, map_name):
    return {k.rsplit("sys_", 1)[1].split("_", 1)[1]: v for k, v in h.numbers(text, map_name).items()}


def differences(got, want):
    return ["%s: got %s, want %s" % (k, got.get(k, 0), want.get(k, 0))
            for k in sorted(set(got) | set(want)) if got.get(k, 0) != want.get(k, 0)]


def equal(name, got, want):
    h.ok("syscalls %s (%d calls)" % (name, len(want)), got == want and want, *differences(got, want))


def test_every_call():
    script = """tracepoint:syscalls:sys_enter_* /pid == %d/ { @enter[probe] = count(); }
        tracepoint:syscalls:sys_exit_* /pid == %d/ { @exit[probe] = count(); }"""
    worker = h.Worker(stress, "calls")
    pid = worker.pid
    known = dict(map(int, line.split()) for line in worker.output().splitlines())
    some = ["read", "newfstat", "newuname", "umount"]
    bpftrace_script = " ".join(
        "tracepoint:syscalls:sys_%s_%s /pid == %d/ { @%s[probe] = count(); }" % (way, name, pid, way)
        for name in some for way in ("enter", "exit"))
    ftrace = Ftrace(pid)
    other = h.Tracer("-e", bpftrace_script, tool=BPFTRACE)
    fast = h.Tracer("-e", script % (pid, pid))
    slow = h.Tracer(*PERF, "-e", script.replace("_*", "_s*e*t*") % (pid, pid))
    numbers = h.Tracer("-e", "tracepoint:raw_syscalls:sys_enter /pid == %d/ { @[args.id] = count(); } "
                       "tracepoint:raw_syscalls:sys_exit /pid == %d/ { @out[args.id] = count(); } " %
                       (pid, pid))
    named = h.Tracer("-e", "tracepoint:syscalls:sys_enter_* /pid == %d/ "
                     "{ @[args.__syscall_nr] = count(); }" % pid)
    worker.go()
    enters, exits = ftrace.counts()
    raw, mine = numbers.stop(), named.stop()
    theirs, quick, perf = other.stop(), fast.stop(), slow.stop()
    worker.finish()
    ftrace.close()

    h.ok("syscalls: more than 150 different calls are made", len(known) > 150, str(len(known)))
    equal("raw_syscalls as the program knows them",
          {int(k): v for k, v in h.numbers(raw).items()}, known)
    # What the kernel was built without has a number and an entry, but no event of its own.
    by_number = {int(k): v for k, v in h.numbers(mine).items()}
    equal("sys_enter_* by number as the program knows them", by_number,
          {n: c for n, c in known.items() if n in by_number})
    h.same("syscalls: as many numbers as ftrace sees names", len(by_number), len(enters))
    equal("entries as ftrace's", by_name(quick, "enter"), dict(enters))
    equal("exits as ftrace's", by_name(quick, "exit"), dict(exits))
    for way in ("enter", "exit"):
        equal("%s through perf as the fast ones" % way, by_name(perf, way),
              {k: v for k, v in by_name(quick, way).items() if re.match("s.*e.*t", k)})
    for way, want in (("enter", enters), ("exit", exits)):
        equal("%ss as bpftrace's" % way, by_name(theirs, way), {k: want[k] for k in some if want[k]})
    h.same("syscalls every exit has its entry", sum(h.numbers(raw, "out").values()),
           sum(h.numbers(raw).values()))


def test_arguments():
    n = 300
    worker = h.Worker(stress, "io", str(n))
    pid, fd = worker.pid, int(worker.output())
    script = """tracepoint:syscalls:sys_enter_write /pid == %d && args.fd == %d/
            { @wcount = sum(args.count); @wfd[args.fd] = count(); @wmax = max(args.count); }
        tracepoint:syscalls:sys_exit_write /pid == %d/ { @wret = sum(args.ret); }
        tracepoint:syscalls:sys_enter_read /pid == %d/
            { @rcount = sum(args.count); @rfd[args.fd] = count(); }
        tracepoint:syscalls:sys_exit_read /pid == %d && args.ret > 0/ { @rret = sum(args.ret); }
        tracepoint:syscalls:sys_exit_read /pid == %d && args.ret <= 0/ { @rends[args.ret] = count(); }
        """ % (pid, fd, pid, pid, pid, pid)
    ftrace = Ftrace(pid)
    theirs = h.Tracer("-e", script.replace("args.", "args->"), tool=BPFTRACE)
    tracers = [("bpftrace", theirs), ("fast", h.Tracer("-e", script)),
               ("perf", h.Tracer(*PERF, "-e", script))]
    worker.go()
    ftrace.counts()
    total = n * (n + 1) // 2
    signed = [r - (1 << 64) if r >> 63 else r for r in ftrace.results["read"]]
    h.same("syscalls results of read as ftrace's", sum(r for r in signed if r > 0), total)
    for name, tracer in tracers:
        text = tracer.stop()
        h.same("syscalls arguments, %s" % name,
               [h.value(text, m) for m in ("wcount", "wret", "wmax", "rcount", "rret")],
               [total, total + len("done\n"), n, total + 77777 + 1, total])
        h.same("syscalls descriptors, %s" % name,
               {k: v for m in ("wfd", "rfd") for k, v in h.numbers(text, m).items() if k.strip("-").isdigit()},
               {str(fd): n + 1} | {k: 1 for k in h.numbers(text, "rfd") if k != str(fd)})
        h.same("syscalls refused and empty results, %s" % name, h.numbers(text, "rends"),
               {"0": 1, "-9": 1})
    worker.finish()
    ftrace.close()


def test_exits():
    """An execveat leaves as execve, exit_group does not leave, a failed one leaves under its name."""
    n = 20
    worker = h.Worker(stress, "exec", str(n))
    script = """tracepoint:syscalls:sys_enter_exec* /comm == "zhstress"/ { @enter[probe] = count(); }
        tracepoint:syscalls:sys_exit_exec* /comm == "zhstress"/ { @exit[probe] = count(); }
        tracepoint:syscalls:sys_exit_exec* /comm == "zhstress" && args.ret == 0/ { @good[probe] = count(); }
        tracepoint:syscalls:sys_enter_exit* /comm == "zhstress"/ { @enter[probe] = count(); }
        tracepoint:syscalls:sys_exit_exit* /comm == "zhstress"/ { @exit[probe] = count(); }"""
    ftrace = Ftrace(worker.pid)
    other = h.Tracer("-e", script.replace("args.", "args->"), tool=BPFTRACE)
    fast, slow = h.Tracer("-e", script), h.Tracer(*PERF, "-e", script)
    worker.go()
    enters, exits = ftrace.counts()
    texts = {"bpftrace": other.stop(), "fast": fast.stop(), "perf": slow.stop()}
    worker.finish()
    ftrace.close()
    calls = ("execve", "execveat", "exit", "exit_group")
    want = ({"execve": n, "execveat": n, "exit_group": 2 * n}, {"execve": 2 * n})
    h.same("syscalls exec: ftrace sees what is expected", ({k: enters[k] for k in calls if enters[k]},
                                                           {k: exits[k] for k in calls if exits[k]}), want)
    for name, text in texts.items():
        h.same("syscalls exec and exit, %s" % name, (by_name(text, "enter"), by_name(text, "exit")), want)
        h.same("syscalls exec results, %s" % name, by_name(text, "good"), {"execve": 2 * n})


def test_threads():
    """Counting is exact where several processors count one thing."""
    threads, n = 4, 20000
    worker = h.Worker(stress, "threads", str(threads), str(n))
    tracer = h.Tracer("-e", """tracepoint:syscalls:sys_enter_getppid /pid == %d/
        { @c = count(); @n++; @s = sum(2); @k[probe] = count(); @v[pid]++; @a = avg(3); @h = hist(5);
          @t[tid] = count(); }""" % worker.pid)
    worker.go()
    text = tracer.stop()
    worker.finish()
    total = threads * n
    h.same("syscalls threads: scalars", [h.value(text, "c"), h.value(text, "n"), h.value(text, "s"),
                                         h.value(text, "a")], [total, total, 2 * total, 3])
    h.same("syscalls threads: keys", [h.numbers(text, "k").get("tracepoint:syscalls:sys_enter_getppid"),
                                      h.numbers(text, "v").get(str(worker.pid))], [total, total])
    h.same("syscalls threads: each thread", sorted(h.numbers(text, "t").values()), [n] * threads)
    h.ok("syscalls threads: histogram", re.search(r"^\[4, 8\)\s+%d \|" % total, text, re.M), text)


h.begin("cc", "bpftrace")
stress = h.compile_c("stress_calls.c", "zhstress", "-lpthread")
try:
    h.run_all(test_every_call, test_arguments, test_exits, test_threads)
finally:
    if os.path.isdir(FTRACE):
        Ftrace.close(None)
