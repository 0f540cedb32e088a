# SPDX-License-Identifier: Apache-2.0
"""Rings and maps that are too small: delivered + lost = offered, for each probe and in all."""
import json
import os
import re
import signal

import harness as h

ROW = re.compile(r"^  (\S+): (\d+) (.*)$", re.M)


def lost(error):
    """The total that it admits, and the rows {probe: {reason: count}}."""
    total = re.search(r"^WARNING: Total lost event count: (\d+)$", error, re.M)
    rows = {}
    for probe, count, reason in ROW.findall(error):
        rows.setdefault(probe, {})[reason] = int(count)
    return int(total.group(1)) if total else 0, rows


def of_ring(rows, probe):
    return sum(n for reason, n in rows.get(probe, {}).items() if "ring" in reason)


def test_ring():
    """A producer on each processor, and a ring of one page."""
    threads, n = 2 * len(os.sched_getaffinity(0)), 20000
    worker = h.Worker(stress, "threads", str(threads), str(n))
    enter, leave = ("tracepoint:syscalls:sys_%s_getppid" % way for way in ("enter", "exit"))
    script = """%s /pid == %d/ { printf("enter %%d %%d\\n", tid, nsecs); @in = count(); }
        %s /pid == %d/ { printf("exit %%d %%s\\n", tid, comm); @out = count(); }""" % (
        enter, worker.pid, leave, worker.pid)
    tracer = h.Tracer("-e", script, env={"BPFTRACE_PERF_RB_PAGES": "1"})
    other = h.Tracer("-f", "json", "-e", script, env={"BPFTRACE_PERF_RB_PAGES": "1"})
    os.kill(other.process.pid, signal.SIGSTOP)  # this one reads nothing until all is over
    worker.go()
    os.kill(other.process.pid, signal.SIGCONT)
    text, lines = tracer.stop(), other.stop()
    worker.finish()
    offered = threads * n
    shown = {way: len(re.findall(r"^%s \d+ \S+$" % way, text, re.M)) for way in ("enter", "exit")}
    total, rows = lost(tracer.error_text())
    h.same("losses ring: every line is whole", len(re.findall(r"^(?:enter|exit)\b", text, re.M)), sum(shown.values()))
    h.same("losses ring: entries delivered + lost = offered", shown["enter"] + of_ring(rows, enter), offered)
    h.same("losses ring: exits delivered + lost = offered", shown["exit"] + of_ring(rows, leave), offered)
    h.same("losses ring: the total", sum(shown.values()) + total, 2 * offered)
    h.same("losses ring: live notices add up to the total",
           sum(map(int, re.findall(r"^Lost (\d+) events$", tracer.error_text(), re.M))), total)
    h.same("losses ring: maps lose nothing", [h.value(text, "in"), h.value(text, "out")], [offered, offered])

    records = [json.loads(line) for line in lines.splitlines() if line]
    delivered = sum(r["type"] == "printf" for r in records)
    gone = sum(r["data"]["events"] for r in records if r["type"] == "lost_events")
    h.same("losses ring: as JSON", delivered + gone, 2 * offered)
    h.ok("losses ring: who does not read loses nearly all", gone > offered, str(gone))


def test_nothing_lost():
    """With room for all of them, all of them arrive, in the order of each thread."""
    worker = h.Worker(stress, "threads", "2", "2000")
    tracer = h.Tracer("-e", 'tracepoint:syscalls:sys_enter_getppid /pid == %d/ { @n[tid]++; printf("%%d %%d\\n", tid, @n[tid]); }'
                      % worker.pid, env={"BPFTRACE_PERF_RB_PAGES": "4096"})
    worker.go()
    text = tracer.stop()
    worker.finish()
    seen = {}
    for tid, number in re.findall(r"^(\d+) (\d+)$", text, re.M):
        seen.setdefault(tid, []).append(int(number))
    h.ok("losses: none with room for all, and in order",
         len(seen) == 2 and all(v == list(range(1, 2001)) for v in seen.values()) and
         lost(tracer.error_text())[0] == 0, text[-500:], tracer.error_text())


def test_map_full():
    for what, assign in (("count", "= count()"), ("number", "= $i"), ("sum", "= sum(1)"), ("++", "++"),
                         ("hist", "= hist($i)"), ("text", '= "abc"')):
        run = h.trace("-e", """config = { max_map_keys = 10 }
            BEGIN { $i = 0; while ($i < 1000) { @x[$i] %s; $i++; } exit(); }""" % assign)
        total, rows = lost(run.err)
        kept = len(re.findall(r"^@x\[\d+\]:", run.out, re.M))
        h.same("losses map of %s: inserted + dropped = offered" % what,
               [kept, kept + total, sum(sum(r.values()) for r in rows.values())], [10, 1000, total])
    run = h.trace("-e", "BEGIN { $i = 0; while ($i < 100) { @x[$i] = count(); $i++; } exit(); }",
                  env={"BPFTRACE_MAX_MAP_KEYS": "10"})
    h.same("losses map: limit by the environment", lost(run.err)[0], 90)
    run = h.trace("-f", "json", "-e", """config = { max_map_keys = 10 }
        BEGIN { $i = 0; while ($i < 1000) { @x[$i] = count(); $i++; } exit(); }""")
    records = [json.loads(line) for line in run.out.splitlines() if line]
    h.same("losses map: as JSON", sum(r["data"]["events"] for r in records if r["type"] == "lost_events"), 990)
    h.ok("losses map: the script's line is shown", "Map full" in h.trace(
        "-e", "config = { max_map_keys = 1 } BEGIN { @x[pid] = 1; @x[tid + nsecs] = 2; exit(); }").err)


def test_map_full_from_all_sides():
    """Threads insert their own keys at the same time; a key that is in counts on."""
    threads, n = 8, 5000
    worker = h.Worker(stress, "threads", str(threads), str(n))
    tracer = h.Tracer("-e", """config = { max_map_keys = 4 }
        tracepoint:syscalls:sys_enter_getppid /pid == %d/ { @x[tid] = count(); }""" % worker.pid)
    worker.go()
    text = tracer.stop()
    worker.finish()
    counts = h.numbers(text, "x")
    total, _ = lost(tracer.error_text())
    h.same("losses map: counted + dropped = offered", [len(counts), sum(counts.values()) + total],
           [4, threads * n])


h.begin("cc")
stress = h.compile_c("stress_calls.c", "zhstress", "-lpthread")
h.run_all(test_ring, test_nothing_lost, test_map_full, test_map_full_from_all_sides)
