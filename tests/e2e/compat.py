# SPDX-License-Identifier: Apache-2.0
"""`int $0x80` from a 64-bit program, x32 numbers and -1: only raw_syscalls shows them."""
import platform

import harness as h

PROGRAM = r"""
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
static long old_way(long number)
{
    long result;
    __asm__ volatile("int $0x80" : "=a"(result) : "a"(number), "b"(0L), "c"(0L), "d"(0L)
                     : "memory", "r8", "r9", "r10", "r11");
    return result;
}
int main(void)
{
    int bad = 0;
    kill(getpid(), SIGSTOP);
    for (int i = 0; i < 1000; i++)
        bad += old_way(20) != getpid(); // getpid there, writev in the 64-bit table
    for (int i = 0; i < 300; i++)
        syscall(0x40000000L | SYS_getppid);
    for (int i = 0; i < 200; i++)
        syscall(-1L);
    for (int i = 0; i < 100; i++)
        syscall(SYS_getppid);
    for (int i = 0; i < 50; i++)
        syscall(99999);
    write(1, bad ? "bad\n" : "done\n", bad ? 4 : 5);
    kill(getpid(), SIGSTOP);
    return 0;
}
"""


def test_compat():
    worker = h.Worker(h.compile_c(None, "compat", text=PROGRAM))
    condition = "/pid == %d/" % worker.pid
    exact = """tracepoint:syscalls:sys_enter_writev PID { @enter = count(); }
        tracepoint:syscalls:sys_exit_writev PID { @exit = count(); }
        tracepoint:syscalls:sys_enter_getppid PID { @ppid = count(); }
        tracepoint:syscalls:sys_exit_getppid PID { @ppidout = count(); }""".replace("PID", condition)
    every = """tracepoint:syscalls:sys_enter_* PID { @in[probe] = count(); }
        tracepoint:syscalls:sys_exit_* PID { @out[probe] = count(); }""".replace("PID", condition)
    raw = """tracepoint:raw_syscalls:sys_enter PID { @in[args.id] = count(); }
        tracepoint:raw_syscalls:sys_exit PID { @out[args.id] = count(); }""".replace("PID", condition)
    tracers = [h.Tracer("-e", exact), h.Tracer("--no-feature", "tp_btf", "-e", exact), h.Tracer("-e", every),
               h.Tracer("-e", raw), h.Tracer("--no-feature", "raw_tp,tp_btf", "-e", exact)]
    worker.go()
    texts = [tracer.stop() for tracer in tracers]
    h.same("compat: the program's own view", worker.finish(), "done\n")
    for name, text in zip(("fast", "without BTF", "perf"), texts[:2] + texts[4:]):
        h.same("compat: exact numbers, " + name, [h.value(text, m) for m in ("enter", "exit", "ppid", "ppidout")],
               [0, 0, 100, 100])
    inside, outside = h.numbers(texts[2], "in"), h.numbers(texts[2], "out")
    want = {"getppid": 100, "write": 1, "kill": 1}
    h.same("compat: all entries", {k.split("sys_enter_")[1]: v for k, v in inside.items()
                                   if "getpid" not in k}, want)
    h.same("compat: all exits", {k.split("sys_exit_")[1]: v for k, v in outside.items()
                                 if "getpid" not in k}, want)
    numbers = h.numbers(texts[3], "in")
    h.same("compat: raw_syscalls shows everything",
           [numbers.get(k, 0) for k in ("20", str(0x40000000 | 110), "-1", "110", "99999")],
           [1000, 300, 200, 100, 50])
    numbers = h.numbers(texts[3], "out")
    h.same("compat: raw exits", [numbers.get(k, 0) for k in ("20", "110", "99999")], [1000, 100, 50])


h.begin("cc")
if platform.machine() != "x86_64":
    h.skip("compat", "this machine has no int $0x80")
    h.end()
h.run_all(test_compat)
