# SPDX-License-Identifier: Apache-2.0
"""The documents' scripts, as they are written, on a Python program that counts its own calls."""
import json
import os
import re
import shutil
import signal
import subprocess

import harness as h

SONIC = os.path.join(h.ROOT, "examples", "sonic")
CALLS = ("read", "write", "openat", "close", "mmap")
FRAMES = "200"


class Sonic:
    """The workload, waiting to be traced."""

    def __init__(self):
        self.state = os.path.join(h.work, "state-%d" % Sonic.made)
        Sonic.made += 1
        os.mkdir(self.state)
        self.process = subprocess.Popen(
            ["python3", SONIC + "/workload.py", "--frames", FRAMES, "--tmp", self.state, "--state", self.state],
            stdout=subprocess.PIPE)
        self.wait("ready")
        self.pid = self.process.pid

    def wait(self, mark):
        h.wait_until(mark, lambda: os.path.isdir(self.state + "/" + mark) or h.ended(self.process.pid))

    def go(self):
        self.process.send_signal(signal.SIGUSR1)
        self.wait("done")

    def report(self):
        self.process.send_signal(signal.SIGUSR1)
        return json.loads(self.process.communicate(timeout=h.PATIENCE)[0])

    made = 0


def counts_of(text, prefix):
    return [h.numbers(text, "all").get(prefix + name) for name in CALLS]


def test_scripts():
    sonic = Sonic()
    pid = str(sonic.pid)
    path = h.work + "/bin"
    os.mkdir(path)
    os.symlink(h.ZHEN, path + "/bpftrace")
    os.symlink(h.ZHEN, path + "/zhen")
    env = {"PATH": path + ":" + os.environ["PATH"], "BPFTRACE": h.ZHEN + " trace"}
    # They all watch the same phase, each is ended in one of the ways.
    six = h.Tracer(tool=[SONIC + "/six_probes.sh", pid], env=env)
    printed = h.Tracer(tool=[SONIC + "/trace_sonic.bt", pid], env=env)
    spelled = h.Tracer(tool=[SONIC + "/trace_sonic_tracepoint.bt", pid], env=env)
    total = h.Tracer(tool=[SONIC + "/bytes.bt", pid], env=env)
    ci = h.Tracer("-q", SONIC + "/trace_syscalls.bt", pid)
    sonic.go()
    six, total, ci = six.stop(), total.stop(), ci.stop(signal.SIGTERM)
    printed, spelled = (printed.stop(signal.SIGINT), printed.rc), (spelled.stop(signal.SIGTERM), spelled.rc)
    report = sonic.report()
    want = [report[name] for name in CALLS]

    h.same("sonic: the six probes", [h.value(six, m) for m in ("reads", "writes", "opens", "closes", "mmaps")],
           want)
    h.ok("sonic: the futexes of the six probes", h.value(six, "futexes") >= report["futex_at_least"], six)
    h.same("sonic: the script as printed", counts_of(printed[0], "enter_"), want)
    h.same("sonic: the script with tracepoint:", counts_of(spelled[0], "sys_enter_"), want)
    h.same("sonic: both see the same calls", {"sys_" + k: v for k, v in h.numbers(printed[0], "all").items()},
           h.numbers(spelled[0], "all"))
    h.ok("sonic: every 1,001st call is shown",
         re.search(r"^\d\d:\d\d:\d\d +enter_\w+ *$", printed[0], re.M), printed[0])
    for name, (text, rc) in (("SIGINT", printed), ("SIGTERM", spelled)):
        lines = text.splitlines()
        h.ok("sonic: first lines and summary, ended by " + name,
             lines[0] == "🔍 Tracing system calls for Sonic (PID %s)..." % pid and
             lines[1] == "TIME     EVENT               " and "📊 Final syscall summary:" in lines and rc == 0,
             text[:300], str(rc))
        h.same("sonic: @all is printed once, by " + name, text.count("enter_read]:"), 1)
    h.same("sonic: bytes that were read", h.value(total, "b"), report["bytes_read"])
    numbers = json.loads(ci)
    h.same("sonic: one JSON object for jq", [numbers["read_calls"], numbers["write_calls"]], want[:2])


def test_job():
    """kill %1 of a shell ends it with the summary."""
    out = h.work + "/job"
    shell = """set -m
        __BPFTRACE_NOTIFY_PROBES_ATTACHED=1 %s trace %s/trace_sonic.bt $$ >%s &
        p=$!
        until grep -q NOTIFY %s 2>/dev/null; do sleep 0.05; done
        for i in 1 2 3 4 5; do read -r x <%s/bytes.bt; done
        kill %%1
        wait $p
        echo "code $?" >>%s""" % (h.ZHEN, SONIC, out, out, SONIC, out)
    subprocess.run(["bash", "-c", shell], timeout=h.PATIENCE, stderr=subprocess.DEVNULL)
    with open(out) as f:
        text = f.read()
    h.ok("sonic: kill %1", "📊 Final syscall summary:" in text and "@all[enter_read]" in text and
         text.endswith("code 0\n"), text)


def test_output_json():
    """As in bpftrace, --output names a file, even if it is called json."""
    run = subprocess.run([h.ZHEN, "trace", "--output", "json", "-e", "BEGIN { @x = 1; exit(); }"],
                         cwd=h.work, capture_output=True, timeout=h.PATIENCE)
    path = h.work + "/json"
    h.ok("sonic: --output json writes that file", os.path.exists(path) and "@x: 1" in open(path).read())
    h.ok("sonic: --output json hints at -f json", b"-f json" in run.stderr and run.returncode == 0,
         run.stderr.decode())


def test_torch():
    tree = h.work + "/usr/local/lib/python3.11/site-packages/torch/lib"
    os.makedirs(tree)
    folder = os.path.dirname(tree)
    mangled = "namespace at { struct Module { int forward(int x); };\n" \
              "__attribute__((noinline)) int Module::forward(int x) { return x + 1; } }\n"
    for name in ("libtorch_a.so", "libtorch_b.so"):
        h.compile_c(None, os.path.relpath(folder, h.work) + "/" + name, "-shared", "-fPIC", text=mangled,
                    compiler="c++")
    with open(SONIC + "/torch_forward.bt") as f:
        script = f.read().replace("/usr/local/lib", h.work + "/usr/local/lib")
    run = h.trace("-e", script)
    h.ok("sonic: forward in no library: how many were searched", run.rc == 1 and
         re.search(r"\b2\b", run.err) and ':cpp:"*forward*"' in run.err, run.shown)
    run = h.trace("--dry-run", "-e", script.replace(':"forward"', ':cpp:"*forward*"'))
    h.ok("sonic: the hinted spelling attaches", run.rc == 0 and "Attached 2 probes" in run.err, run.shown)

    plain = 'extern "C" __attribute__((noinline)) int forward(int x) { asm volatile(""); return x + 1; }\n'
    library = h.compile_c(None, os.path.relpath(folder, h.work) + "/libtorch_a.so", "-shared", "-fPIC",
                          text=plain, compiler="c++")
    program = h.compile_c(None, "infer", library, "-Wl,-rpath," + folder, text="""
        int forward(int); int main(void) { int s = 0; for (int i = 0; i < 123; i++) s += forward(i); return s == 0; }
        """)
    tracer = h.Tracer("-e", script)
    subprocess.run([program], check=True, timeout=h.PATIENCE)
    text = tracer.stop()
    h.ok("sonic: an extern C forward is counted", "libtorch_a.so:forward, infer]: 123" in text, text)


h.begin("c++", "cc")
h.run_all(test_scripts, test_job, test_output_json, test_torch)
