# SPDX-License-Identifier: Apache-2.0
"""The command line: options, formats, order of output, signals and exit codes."""
import datetime
import glob
import json
import os
import re
import signal
import subprocess
import time

import harness as h

EVENTS = "/sys/kernel/tracing/events/"


def test_command():
    """-c: traced from its first instruction, its end ends tracing."""
    program = h.compile_c(None, "cmd", text="""
        #include <fcntl.h>
        #include <unistd.h>
        int main(int argc, char **argv) { for (int i = 0; i < 25; i++) { int fd = open("/dev/null", O_RDONLY);
            write(fd, "", 0); close(fd); } return argc > 1 ? 7 : 0; }""")
    calls = ("execve", "openat", "mmap", "close", "write", "brk", "exit_group")
    script = "\n".join("tracepoint:syscalls:sys_enter_%s /pid == cpid/ { @%s = count(); }" % (c, c) for c in calls)
    script += "\ntracepoint:syscalls:sys_exit_execve /pid == cpid/ { @left = count(); }"
    log = h.work + "/strace"
    subprocess.run(["strace", "-o", log, program], check=True)
    with open(log) as f:
        lines = f.read().splitlines()
    seen = {c: sum(line.startswith(c + "(") for line in lines) for c in calls}
    run = h.trace("-c", program, "-e", script)
    got = {c: h.value(run.out, c) for c in calls}
    got["execve"] = h.value(run.out, "left")
    h.same("cli -c: as strace counts", got, seen)
    h.same("cli -c: its end ends tracing", run.rc, 0)
    run = h.trace("-c", program + " x", "-e", script)
    h.same("cli -c: its code is not ours", run.rc, 0)
    run = h.trace("-c", program, "-e", 'uprobe:%s:main { @main = count(); } END { printf("end\\n"); }' % program)
    h.ok("cli -c: uprobes hit, END runs", h.value(run.out, "main") == 1 and "end\n" in run.out, run.shown)
    run = h.trace("-c", "sleep 1000", "-e", "BEGIN { printf(\"%d\\n\", cpid); } interval:ms:50 { exit(); }")
    pid = int((re.search(r"^(\d+)$", run.out, re.M) or [0, "1"])[1])
    h.wait_until("the command's end", lambda: h.ended(pid))
    h.ok("cli -c: exit() ends the command", run.rc == 0 and pid > 1, run.shown)


def test_pid():
    worker = subprocess.Popen(["sleep", "1000"])
    tracer = h.Tracer("-p", str(worker.pid), "-e",
                      'tracepoint:syscalls:sys_enter_* { @[pid] = count(); } END { printf("end\\n"); }')
    worker.kill()
    worker.wait()
    text = tracer.wait()
    h.ok("cli -p: ends with the process", tracer.rc == 0 and "end\n" in text, text)
    h.ok("cli -p: this process only", set(h.numbers(text)) <= {str(worker.pid)}, text)


def test_output():
    path = h.work + "/out"
    run = h.trace("-o", path, "-e", 'BEGIN { printf("hello\\n"); @x = 3; exit(); }')
    with open(path) as f:
        text = f.read()
    h.ok("cli -o: all goes to the file", "hello\n" in text and "@x: 3" in text and "hello" not in run.out, text, run.shown)
    run = h.trace("-q", "-e", 'BEGIN { printf("hello\\n"); exit(); }')
    h.same("cli -q: no word but the script's", (run.out.strip(), run.err), ("hello", ""))
    run = h.trace("-e", 'BEGIN { printf("hello\\n"); @x = 3; exit(); }')
    h.same("cli: text output to the letter", (run.out, run.err), ("hello\n\n\n@x: 3\n", "Attached 1 probe\n"))
    run = h.trace("-v", "-e", 'BEGIN { exit(); }')
    h.ok("cli -v: says more", run.rc == 0 and len(run.err) > len("Attached 1 probe\n"), run.shown)
    run = h.trace("--dry-run", "-e", 'BEGIN { printf("hello\\n"); } tracepoint:sched:sched_switch { @ = count(); } END { printf("no\\n"); }')
    h.ok("cli --dry-run: nothing runs", run.rc == 0 and "hello" not in run.out, run.shown)
    run = h.trace("-", data=b'BEGIN { printf("from stdin\\n"); exit(); }')
    h.ok("cli -: a script from standard input", "from stdin\n" in run.out and run.rc == 0, run.shown)
    for stage, word in (("ast", "BEGIN|begin"), ("ir", "."), ("bpf", "exit")):
        run = h.trace("-d", stage, "-e", "BEGIN { @x = 1; }")
        h.ok("cli -d %s: shows and does not run" % stage, run.rc == 0 and re.search(word, run.out) and
             "Attached" not in run.err, run.shown)


def test_buffering():
    """What is printed is there while the script still runs, unless it was asked to wait."""
    for mode in ("line", "none"):
        tracer = h.Tracer("-B", mode, "-e", 'BEGIN { printf("one\\n"); } interval:s:1000 { }')
        h.wait_until("a line", lambda: "one\n" in tracer.text())
        h.ok("cli -B %s: at once" % mode, True)
        tracer.stop()
    run = h.trace("-B", "full", "-e", 'BEGIN { printf("one\\n"); exit(); }')
    h.ok("cli -B full: at the end", "one\n" in run.out and run.rc == 0, run.shown)


def test_json():
    run = h.trace("-f", "json", "-e", """BEGIN {
        @n = 5; @k[1, "a"] = 2; @k[2, "b\\"\\n"] = 3; @s = "text"; @c = count(); @sum = sum(-4); @min = min(2); @max = max(9);
        @avg = avg(4); @avgk[2] = avg(4); @stats = stats(10); @statk["x"] = stats(10);
        @h = hist(0); @h = hist(5); @hk["k"] = hist(-3); @l = lhist(15, 0, 100, 10); @lo = lhist(-5, 0, 100, 10);
        @t = (1, "two", (3, 4));
        printf("plain %d \\"%s\\"\\n", 1, "x"); print(7); print("str"); print((1, "z")); print(@n); time("%Y"); cat("/proc/sys/kernel/ostype");
        @big = 9223372036854775807; @neg = -1; @p = kptr(0xffff888000000000); exit(); }""")
    records, bad = [], []
    for line in run.out.splitlines():
        if line:
            try:
                records.append(json.loads(line))
            except ValueError:
                bad.append(line)
    h.ok("cli json: every line is JSON", not bad and run.rc == 0, *bad, run.shown)
    found = {}
    for r in records:
        if isinstance(r["data"], dict):
            for k, v in r["data"].items():
                found[k] = (r["type"], v)
    want = {
        "probes": ("attached_probes", 1), "@n": ("map", 5), "@k": ("map", {"1,a": 2, '2,b"\n': 3}),
        "@s": ("map", "text"), "@c": ("map", 1), "@sum": ("map", -4), "@min": ("map", 2), "@max": ("map", 9),
        "@avg": ("stats", 4), "@avgk": ("stats", {"2": 4}),
        "@stats": ("stats", {"count": 1, "average": 10, "total": 10}),
        "@statk": ("stats", {"x": {"count": 1, "average": 10, "total": 10}}),
        "@h": ("hist", [{"min": 0, "max": 0, "count": 1}, {"min": 1, "max": 1, "count": 0},
                        {"min": 2, "max": 3, "count": 0}, {"min": 4, "max": 7, "count": 1}]),
        "@hk": ("hist", {"k": [{"max": -1, "count": 1}]}), "@l": ("hist", [{"min": 10, "max": 19, "count": 1}]),
        "@lo": ("hist", [{"max": -1, "count": 1}]), "@t": ("map", [1, "two", [3, 4]]), "@neg": ("map", -1),
    }
    for name, shape in want.items():
        h.same("cli json: " + name, found.get(name), shape)
    rest = [(r["type"], r["data"]) for r in records if not isinstance(r["data"], dict)]
    h.same("cli json: what is printed", rest, [
        ("printf", 'plain 1 "x"\n'), ("value", 7), ("value", "str"), ("value", [1, "z"]),
        ("time", rest[4][1] if len(rest) > 4 else ""), ("cat", "Linux\n")])
    h.ok("cli json: numbers too large for others are text", str(found.get("@big", [0, 0])[1]) == str(2**63 - 1))


def test_list():
    run = h.trace("-l", "tracepoint:sched:*")
    want = {"tracepoint:sched:" + os.path.basename(os.path.dirname(p)) for p in glob.glob(EVENTS + "sched/*/format")}
    h.same("cli -l: tracepoints of sched", set(run.out.split()), want)
    run = h.trace("-l", "tracepoint:syscalls:sys_enter_*")
    want = {"tracepoint:syscalls:" + os.path.basename(p) for p in glob.glob(EVENTS + "syscalls/sys_enter_*")}
    h.same("cli -l: system calls", set(run.out.split()), want)
    run = h.trace("-lv", "tracepoint:sched:sched_process_fork")
    h.ok("cli -lv: fields", "child_pid" in run.out and "parent_comm" in run.out, run.shown)
    run = h.trace("-l", "uprobe:/bin/bash:readlin*")
    h.ok("cli -l: functions of a program", "uprobe:/bin/bash:readline" in run.out.split(), run.shown)
    both = h.trace("-l").out.split("\n"), subprocess.run([h.ZHEN, "list"], capture_output=True).stdout.decode().split("\n")
    h.ok("cli -l: everything, as `zhen list`", len(both[0]) > 500 and both[0] == both[1], str(len(both[0])), str(len(both[1])))


def listed(*args):
    run = h.trace("-l", *args)
    return run.out.splitlines() if run.rc == 0 else run.shown


def test_list_files():
    """Files under the names they were written with, a process's files, scripts, types."""
    program = h.compile_c(None, "listme", text="""
        #include <unistd.h>
        int zn_one(void) { return 1; }
        int zn_two(void) { return 2; }
        int main(void) { pause(); return zn_one() + zn_two(); }""")
    here = os.getcwd()
    os.chdir(h.work)
    try:
        both = ["uprobe:./listme:zn_one", "uprobe:./listme:zn_two"]
        for pattern in ("uprobe:./listme:zn_*", "u:./list*:zn_*", "*:./listme:zn_*"):
            h.same("cli -l: " + pattern, listed(pattern), both)
        h.same("cli -l: two patterns", listed("uretprobe:./listme:zn_one,software:cs"),
               ["uretprobe:./listme:zn_one", "software:cs:"])
        worker = subprocess.Popen([program])
        h.wait_until("the program's start", lambda: "listme" in open("/proc/%d/maps" % worker.pid).read())
        h.ok("cli -l -p: the process's files", "uprobe:%s:zn_one" % program in listed("-p", str(worker.pid)))
        h.same("cli -l -e -p: what a script would attach",
               listed("-p", str(worker.pid), "-e", "uretprobe:*:zn_t* { } interval:ms:7 { }"),
               ["uretprobe:%s:zn_two" % program, "interval:ms:"])
        worker.kill()
        worker.wait()
        with open("listme.bt", "w") as f:
            f.write("BEGIN { } u:./listme:$1 { } hardware:cache-misses:10 { }")
        h.same("cli -l FILE", listed("listme.bt", "zn_one"),
               ["begin", "uprobe:./listme:zn_one", "hardware:cache-misses:"])
    finally:
        os.chdir(here)
    if os.path.exists("/sys/kernel/btf/vmlinux"):
        h.same("cli -lv: a type", listed("-v", "struct list_head"),
               ["vmlinux: struct list_head {", "        struct list_head *next;", "        struct list_head *prev;", "};"])
        h.same("cli -l: types by wildcard", listed("struct list_hea*"), ["vmlinux: struct list_head"])
    h.same("cli -l: nothing matches", h.trace("-l", "tracepoint:no:such*").rc, 1)


def test_help():
    run = h.trace("--help")
    h.ok("cli --help: usage and options", run.rc == 0 and run.out.startswith("USAGE:\n") and
         all(o in run.out for o in ("--probe-filter", "--include", "--info", "--no-warnings")), run.shown)
    run = h.trace("-idonotexist")
    h.ok("cli: usage after a bad option", run.rc == 1 and "USAGE:\n" in run.err, run.shown)
    run = h.trace("-e", "BEGIN { exit(); }", "--aa=20")
    h.ok("cli: a named parameter needs --", run.rc == 1 and "USAGE:\n" in run.err, run.shown)
    run = h.trace("--info")
    h.ok("cli --info: features", run.rc == 0 and re.search(r"^  uprobe_multi: (yes|no)$", run.out, re.M), run.shown)


def test_filter():
    run = h.trace("--probe-filter", "ms:2[0-9]$", "-e", """BEGIN { printf("begin\\n"); } interval:ms:10 { printf("bad\\n"); exit(); }
        interval:ms:20 { printf("hit\\n"); exit(); } END { printf("end\\n"); }""")
    h.same("cli --probe-filter", run.out.split(), ["begin", "hit", "end"])
    run = h.trace("--probe-filter", "nothing", "-e", "interval:ms:10 { exit(); }")
    h.ok("cli --probe-filter: nothing left", run.rc == 1 and "No probes to attach" in run.err, run.shown)
    run = h.trace("--probe-filter", "[bad", "-e", "interval:ms:10 { exit(); }")
    h.ok("cli --probe-filter: a bad pattern", run.rc == 1 and "Invalid --probe-filter regex" in run.err, run.shown)


def test_include():
    path = h.work + "/defs.h"
    with open(path, "w") as f:
        f.write("#define SEVEN 7\nenum e { EIGHT = 8 };\n")
    run = h.trace("--include", path, "-e", 'BEGIN { printf("%d %d\\n", SEVEN, EIGHT); exit(); }')
    h.ok("cli --include: read first", run.rc == 0 and "7 8\n" in run.out, run.shown)
    run = h.trace("--include", path, "-e", "BEGIN { print(nonesuch); }")
    h.ok("cli --include: lines stay what they are", "stdin:1:15-23: ERROR" in run.err, run.shown)
    run = h.trace("--include", h.work + "/none.h", "-e", "BEGIN { exit(); }")
    h.ok("cli --include: no such file", run.rc == 1 and "none.h" in run.err, run.shown)


def test_parameters():
    run = h.trace("-e", 'BEGIN { printf("%d %s %d %s|\\n", $1, str($2), $#, str($4)); exit(); }', "12", "two", "3")
    h.ok("cli: $1, $2, $#, and a missing one", "12 two 3 |\n" in run.out, run.shown)
    run = h.trace("-e", 'BEGIN { printf("%d\\n", $1 + 1); exit(); }', "--", "-5")
    h.ok("cli: what begins with a dash stands behind --", "-4\n" in run.out, run.shown)
    path = h.work + "/p.bt"
    with open(path, "w") as f:
        f.write('#!/usr/bin/env zhen\nBEGIN { printf("<%s>\\n", str($1)); exit(); }\n')
    h.ok("cli: parameters of a file", "<a b>\n" in h.trace(path, "a b").out)


def test_codes():
    for code in (0, 1, 7, 255):
        run = h.trace("-e", 'BEGIN { @x = 1; exit(%d); } END { printf("end\\n"); }' % code)
        h.ok("cli: exit(%d)" % code, run.rc == code and "end\n" in run.out and "@x: 1" in run.out, run.shown)
    run = h.trace("-e", 'BEGIN { printf("a\\n"); exit(); printf("b\\n"); }')
    h.ok("cli: nothing runs after exit()", "a\n" in run.out and "b\n" not in run.out, run.shown)
    for sig in (signal.SIGINT, signal.SIGTERM):
        tracer = h.Tracer("-e", 'interval:ms:1 { @x = 1; } END { printf("end\\n"); }')
        text = tracer.stop(sig)
        h.ok("cli: %s runs END and prints maps" % sig.name, tracer.rc == 0 and "end\n" in text, text)
    for script in ('interval:ms:1 { printf("line\\n"); }', 'tracepoint:syscalls:sys_enter_* { printf("%s\\n", probe); }'):
        done = subprocess.run(["bash", "-c", '"$1" trace -e "$2" 2>/dev/null | head -1', "sh", h.ZHEN, script],
                              capture_output=True, timeout=h.PATIENCE)
        h.ok("cli: a closed pipe ends it", done.stdout.count(b"\n") == 1, done.stdout.decode())


def test_order():
    run = h.trace("-e", """BEGIN { printf("begin\\n"); } interval:ms:1 { if (@done == 0) { @done = 1; printf("tick\\n"); exit(); } }
        END { printf("end\\n"); clear(@done); }""")
    h.same("cli: BEGIN, probes, END", run.out.split(), ["begin", "tick", "end"])
    n = 300
    run = h.trace("-e", """BEGIN { $i = 0; while ($i < %d) { @m[1] = $i; @m[2] = $i; printf("p%%d\\n", $i); $i++; } }
        END { printf("e\\n"); print(@m); clear(@m); printf("f\\n"); }
        interval:ms:1 { exit(); }""" % n)
    want = "".join("p%d\n" % i for i in range(n)) + "e\n@m[1]: %d\n@m[2]: %d\nf\n" % (n - 1, n - 1)
    h.same("cli: printf, print and clear keep their order", re.sub(r"\n\n+", "\n", run.out).strip(), want.strip())

    # Under load: what is printed and cleared and printed again adds up to all that happened.
    worker = h.Worker(stress, "threads", "4", "50000")
    tracer = h.Tracer("-e", """tracepoint:syscalls:sys_enter_getppid /pid == %d/ { @c[0] = count(); @t = count(); }
        interval:ms:2 { printf("mark\\n"); print(@c); clear(@c); printf("after\\n"); }""" % worker.pid)
    worker.go()
    text = tracer.stop()
    worker.finish()
    parts = [int(v) for v in re.findall(r"^@c\[0\]: (\d+)$", text, re.M)]
    h.same("cli: print and clear side by side lose nothing", (sum(parts), h.value(text, "t")), (200000, 200000))
    marks = re.findall(r"^(mark|after|@c\[0\]: \d+)$", re.split(r"\n\n\n", text)[0], re.M)
    h.ok("cli: marks stand round what they mark", re.fullmatch(
        r"(m@?a)*m?@?", "".join(m[0] for m in marks)), "".join(m[0] for m in marks)[:300])


def test_time():
    before = time.time()
    run = h.trace("-e", """BEGIN { @e0 = elapsed; printf("T %s\\n", strftime("%Y-%m-%d %H:%M:%S", nsecs)); time("t %Y-%m-%d %H:%M:%S\\n");
        @start = nsecs; }
        interval:ms:20 { @n++; if (@n == 5) { @took = nsecs - @start; @e1 = elapsed; exit(); } }""",
                  env={"TZ": "UTC"})
    after = time.time()
    for name, letter in (("strftime", "T"), ("time", "t")):
        found = re.search(r"^%s (.*)$" % letter, run.out, re.M)
        at = datetime.datetime.strptime(found.group(1), "%Y-%m-%d %H:%M:%S").replace(tzinfo=datetime.timezone.utc).timestamp() if found else 0
        h.ok("cli: %s is now" % name, int(before) - 1 <= at <= after + 1, run.shown, str(before))
    h.ok("cli: an interval never comes early", h.value(run.out, "took") >= 79_000_000, run.shown)
    h.ok("cli: elapsed grows from the start", 0 <= h.value(run.out, "e0") < h.value(run.out, "e1") and
         h.value(run.out, "e1") <= (after - before) * 1e9, run.shown)


h.begin("cc", "strace")
stress = h.compile_c("stress_calls.c", "zhstress", "-lpthread")
h.run_all(test_command, test_pid, test_output, test_buffering, test_json, test_list, test_list_files,
          test_help, test_filter, test_include, test_parameters, test_codes,
          test_order, test_time)
