# SPDX-License-Identifier: Apache-2.0
"""Bad input of every kind: an error in words, exit code 1, no crash, no hang."""
import os
import random
import shutil
import subprocess

import harness as h


def refused(name, run, *words):
    """It ended by itself with 1, and said all these words on stderr."""
    missing = [w for w in words if w not in run.err]
    h.ok("bad input: " + name, run.rc == 1 and not missing and run.err.strip(),
         *["missing: " + w for w in missing], run.shown)



def file_of(name, data):
    path = os.path.join(h.work, name)
    with open(path, "wb") as f:
        f.write(data if isinstance(data, bytes) else data.encode())
    return path


def run(*args, **more):
    return h.trace(*args, timeout=10, **more)


def test_words():
    refused("a mistyped function", run("-e", "BEGIN { @reads = cuont(); }"),
            "stdin:1:18-25: ERROR:", "BEGIN { @reads = cuont(); }", "~~~~~~~", "did you mean count?")
    path = file_of("typo.bt", "// one\nBEGIN {\n\t@x = 1;\n\t@reads = cuont();\n}\n")
    refused("a file's name, line and columns", run(path), path + ":4:", "@reads = cuont();", "~~~~~~~")
    refused("a mistyped builtin", run("-e", "BEGIN { @[comn] = count(); }"), "ERROR", "comm")
    refused("a mistyped field", run("-e", "tracepoint:sched:sched_switch { @[args.prev_com] = count(); }"),
            "ERROR", "prev_com")
    refused("a mistyped probe kind", run("-e", "tracepiont:sched:sched_switch { }"), "ERROR", "tracepoint")
    refused("an unknown tracepoint", run("-e", "tracepoint:sched:sched_swich { }"), "sched_swich")
    refused("an unknown system call", run("-e", "tracepoint:syscalls:sys_enter_raed { }"), "sys_enter_raed")
    refused("a wildcard that matches nothing", run("-e", "tracepoint:nosuch*:* { }"), "nosuch")
    refused("an unknown symbol", run("-e", "uprobe:/bin/bash:no_such_function { }"), "no_such_function")
    refused("a program that is not there", run("-e", "uprobe:/no/such/file:main { }"), "/no/such/file")
    refused("what is expected", run("-e", "BEGIN { @x = ; }"), "ERROR", "BEGIN { @x = ; }", "~")
    refused("an open brace", run("-e", "BEGIN { @x = 1;"), "ERROR")
    refused("an open string", run("-e", 'BEGIN { printf("x); }'), "ERROR")
    refused("a type that does not fit", run("-e", 'BEGIN { @x = 1; @x = "a"; }'), "ERROR")
    refused("$1 that is a word", run("-e", "BEGIN { @x = $1 + 1; }", "abc"), "integer")


def test_scripts():
    refused("an empty script", run(file_of("empty.bt", "")))
    refused("an empty text", run("-e", ""))
    refused("only a comment", run("-e", "// nothing"))
    refused("a missing file", run("/no/such/script.bt"), "/no/such/script.bt")
    refused("a folder", run(h.work), h.work)
    refused("a binary file", run("/bin/true"), "/bin/true")
    rng = random.Random(7)
    for i in range(20):
        got = run(file_of("noise.bt", bytes(rng.randrange(256) for _ in range(2000))))
        if got.rc != 1 or not got.err:
            refused("noise", got)
            break
    else:
        h.ok("bad input: noise", True)
    refused("a zero byte", run(file_of("zero.bt", b"BEGIN { @x = \0 1; }")))
    refused("a line of 1 MB", run(file_of("long.bt", "BEGIN { @x = " + "1+" * (1 << 19) + " }")), "ERROR")
    refused("a name of 1 MB", run(file_of("name.bt", "BEGIN { @x = " + "a" * (1 << 20) + "; }")), "ERROR")
    good = run(file_of("blank.bt", "BEGIN { " + " " * (1 << 20) + "exit(); }"))
    h.ok("bad input: a line of 1 MB that is right runs", good.rc == 0, good.shown)
    for name, text in (("parentheses", "(" * 100000 + "1" + ")" * 100000), ("negations", "-" * 100000 + "1"),
                       ("ternaries", "1 ? " * 50000 + "1"), ("keys", "@x[" * 50000)):
        refused("deeply nested " + name, run(file_of("deep.bt", "BEGIN { @y = %s; }" % text)), "ERROR")
    refused("deeply nested blocks", run(file_of("deep.bt", "BEGIN { " + "if (1) { " * 50000)), "ERROR")


def test_verifier():
    """More branches than the kernel's verifier follows: the place in the script, the cause, the log."""
    text = "BEGIN { unroll(100) { unroll(40) {\n if (nsecs % 3 == 0) { @x[pid] = @x[tid] * 3 + 1; }\n} } exit(); }"
    path = file_of("jumps.bt", text)
    quiet, verbose = h.trace(path), h.trace("-v", path)
    refused("a program that the kernel refuses", quiet, path + ":2:", "ERROR", "@x[tid] * 3 + 1", "~~~", "the kernel refused")
    h.ok("bad input: its log comes with -v only", "bpf_ktime_get" in verbose.err and verbose.rc == 1 and
         "bpf_ktime_get" not in quiet.err, quiet.shown)


def test_options():
    refused("an unknown option", run("--no-such-option"), "--no-such-option")
    refused("no script", run())
    refused("-e without a text", run("-e"))
    refused("an unknown format", run("-f", "xml", "-e", "BEGIN { exit(); }"), "xml")
    refused("an output that can't be written", run("-o", "/no/such/x", "-e", "BEGIN { exit(); }"),
            "/no/such/x")
    refused("a command that is not there", run("-c", "/no/such/command", "-e", "BEGIN { }"),
            "/no/such/command")
    done = subprocess.Popen(["true"])
    done.wait()
    refused("a dead pid", run("-p", str(done.pid), "-e", "BEGIN { }"), str(done.pid))
    refused("a pid that is none", run("-p", "abc", "-e", "BEGIN { }"), "abc")
    refused("unsafe without --unsafe", run("-e", 'BEGIN { system("true"); }'), "--unsafe")
    refused("-c and -p", run("-c", "true", "-p", "1", "-e", "BEGIN { }"))


def test_privileges():
    """As a user without rights: the missing capability has a name."""
    os.chmod(h.work, 0o755)
    copy = os.path.join(h.work, "zhen")
    shutil.copy(h.ZHEN, copy)
    nobody = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", copy, "trace"]
    refused("no privilege", h.trace("-e", "BEGIN { exit(); }", tool=nobody, timeout=10), "CAP_")
    refused("no privilege for a system call's tracepoint",
            h.trace("-e", "tracepoint:syscalls:sys_enter_read { @ = count(); }", tool=nobody, timeout=10), "CAP_")
    secret = file_of("secret.bt", "BEGIN { exit(); }")
    os.chmod(secret, 0)
    refused("an unreadable script", h.trace(secret, tool=nobody, timeout=10), secret)
    some = ["setpriv", "--bounding-set=-all,+bpf", "--inh-caps=-all,+bpf", copy, "trace"]
    refused("one capability of two", h.trace("-e", "interval:ms:1 { exit(); }", tool=some, timeout=10), "CAP_")


def test_check():
    done = subprocess.run([h.ZHEN, "check"], capture_output=True, timeout=10, stdin=subprocess.DEVNULL)
    text = done.stdout.decode()
    wanted = ["kernel", "BTF", "CAP_BPF", "CAP_PERFMON", "uprobe", "tracepoint", "kprobe", "ring buffer",
              "lockdown", "runs in", os.uname().release]
    h.ok("check: what the machine can do", done.returncode == 0 and all(w in text for w in wanted), text)


h.begin("setpriv")
h.run_all(test_words, test_scripts, test_verifier, test_options, test_privileges, test_check)
