# SPDX-License-Identifier: Apache-2.0
"""What the tests of the running program share: verdicts, tracers that have attached, C programs."""
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BUILD = os.environ.get("ZHEN_BUILD", os.path.join(ROOT, "build"))
ZHEN = os.environ.get("ZHEN", os.path.join(BUILD, "zhen"))
ATTACHED = b"__BPFTRACE_NOTIFY_PROBES_ATTACHED"
PATIENCE = 60  # seconds after which something that must happen is taken for broken

failures = 0
work = ""


def begin(*tools):
    """Asks for root and for tools; makes the folder that is gone at the end."""
    global work
    if os.geteuid() != 0:
        print("this needs root")
        sys.exit(77)
    for tool in tools:
        if not shutil.which(tool):
            print("missing tool: " + tool)
            sys.exit(77)
    work = tempfile.mkdtemp(prefix="zhen-e2e-")


def end():
    for tracer in list(Tracer.alive):
        tracer.kill()
    shutil.rmtree(work, ignore_errors=True)
    sys.exit(1 if failures else 0)


def ok(name, good, *details):
    """One verdict; details are shown when it is bad."""
    global failures
    if not good:
        failures += 1
        for detail in details:
            text = detail if isinstance(detail, str) else repr(detail)
            for line in text.splitlines()[:40]:
                print("#   " + line[:400])
    print(("ok " if good else "not ok ") + name, flush=True)
    return good


def same(name, got, want):
    return ok(name, got == want, "got  %r" % (got,), "want %r" % (want,))


def skip(name, reason):
    print("skip %s # %s" % (name, reason), flush=True)


def trace(*args, env=None, timeout=PATIENCE, stdin=subprocess.DEVNULL, data=None, tool=None):
    """A whole run of `zhen trace`: an object with out, err and rc (None: it hung)."""
    command = (tool or [ZHEN, "trace"]) + list(args)
    feed = {"input": data} if data is not None else {"stdin": stdin}
    try:
        done = subprocess.run(command, capture_output=True, timeout=timeout,
                              env=dict(os.environ, **(env or {})), **feed)
        out, err, rc = done.stdout, done.stderr, done.returncode
    except subprocess.TimeoutExpired as e:
        out, err, rc = e.stdout or b"", e.stderr or b"", None

    class Run:
        pass
    run = Run()
    run.out, run.err, run.rc = out.decode(errors="replace"), err.decode(errors="replace"), rc
    run.all = run.out + run.err
    run.shown = "exit code %s\n%s%s" % (rc, run.out[-2000:], run.err[-3000:])
    return run


class Tracer:
    """A tracer in the background: made, it has attached everything."""
    alive = []

    def __init__(self, *args, tool=None, env=None):
        self.path = tempfile.mktemp(dir=work)
        self.errors = self.path + ".err"
        environment = dict(os.environ, __BPFTRACE_NOTIFY_PROBES_ATTACHED="1", **(env or {}))
        with open(self.path, "wb") as out, open(self.errors, "wb") as err:
            self.process = subprocess.Popen((tool or [ZHEN, "trace"]) + list(args), stdout=out,
                                            stderr=err, stdin=subprocess.DEVNULL, env=environment)
        Tracer.alive.append(self)
        until = time.monotonic() + PATIENCE
        while ATTACHED not in self.bytes() and ATTACHED.decode() not in self.error_text():
            if self.process.poll() is not None or time.monotonic() > until:
                raise RuntimeError("no tracer: " + self.text() + self.error_text())
            time.sleep(0.01)

    def bytes(self):
        with open(self.path, "rb") as f:
            return f.read()

    def text(self):
        return self.bytes().decode(errors="replace").replace(ATTACHED.decode() + "\n", "")

    def error_text(self):
        with open(self.errors, "rb") as f:
            return f.read().decode(errors="replace")

    def wait(self):
        try:
            self.rc = self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.kill()
            self.rc = None
        if self in Tracer.alive:
            Tracer.alive.remove(self)
        return self.text()

    def stop(self, sig=signal.SIGINT):
        self.process.send_signal(sig)
        return self.wait()

    def kill(self):
        self.process.kill()
        self.process.wait()
        if self in Tracer.alive:
            Tracer.alive.remove(self)


def wait_until(what, condition):
    until = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > until:
            raise RuntimeError("waited in vain for " + what)
        time.sleep(0.01)


def stopped(pid):
    """Has the process stopped itself?"""
    with open("/proc/%d/stat" % pid) as f:
        return f.read().rsplit(")", 1)[1].split()[0] == "T"


def ended(pid):
    """Is it a zombie, or gone?"""
    try:
        with open("/proc/%d/stat" % pid) as f:
            return f.read().rsplit(")", 1)[1].split()[0] in "ZX"
    except FileNotFoundError:
        return True


class Worker:
    """A program that stops itself before and after what it does, so that tracers come and go."""

    def __init__(self, *command):
        self.path = tempfile.mktemp(dir=work)
        with open(self.path, "wb") as out:
            self.process = subprocess.Popen(command, stdout=out)
        self.pid = self.process.pid
        wait_until("the worker's start", lambda: stopped(self.pid) or ended(self.pid))

    def go(self):
        """Lets it work; returns when it has stopped again, or ended."""
        before = self.output()
        os.kill(self.pid, signal.SIGCONT)
        wait_until("the work's end", lambda: self.settled(before))

    def settled(self, before):
        if ended(self.pid):
            return True
        # The stop that it began with can be seen for a moment: `done` in its output comes after.
        return stopped(self.pid) and self.output() != before

    def output(self):
        with open(self.path) as f:
            return f.read()

    def finish(self):
        if not ended(self.pid):
            os.kill(self.pid, signal.SIGCONT)
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        return self.output()


def compile_c(source, name, *flags, text=None, compiler="cc"):
    """Builds a C program or library of the test's; source is a file's name or None with text."""
    target = os.path.join(work, name)
    if text is not None:
        source = target + (".cc" if compiler != "cc" else ".c")
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(source, "w") as f:
            f.write(text)
    else:
        source = os.path.join(HERE, source)
    subprocess.run([compiler, "-g", "-O1", "-fno-omit-frame-pointer", "-w", "-o", target, source, *flags],
                   check=True)
    return target


def maps(text):
    """Lines such as `@x[a, b]: 5` as {"x": {"a, b": "5"}}; scalars under the key ""."""
    found = {}
    for name, key, value in re.findall(r"^@(\w*)(?:\[(.*)\])?: (.*)$", text, re.M):
        found.setdefault(name, {})[key] = value
    return found


def numbers(text, name=""):
    return {k: int(v) for k, v in maps(text).get(name, {}).items()}


def value(text, name=""):
    return numbers(text, name).get("", 0)


def wrong(error):
    """A test that broke off counts as failed."""
    import traceback
    traceback.print_exception(error)
    ok("ran to its end: %s" % error, False)


def run_all(*tests):
    for test in tests:
        try:
            test()
        except Exception as e:  # noqa: BLE001: whatever it was, the others still run
            wrong(e)
        for tracer in list(Tracer.alive):
            tracer.kill()
    end()
