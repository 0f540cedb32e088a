#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# examples/sonic/workload.py makes exactly the system calls that it reports: strace is the judge.
set -u
cd "$(dirname "$0")/../.."

for tool in strace python3; do
    command -v $tool >/dev/null || { echo "skip workload # missing tool: $tool"; exit 77; }
done
state=$(mktemp -d)
pid=
tracer=
cleanup() {
    [ -z "$tracer" ] || kill "$tracer" 2>/dev/null
    [ -z "$pid" ] || kill -9 "$pid" 2>/dev/null
    rm -rf "$state"
}
trap cleanup EXIT

wait_until() { # SECONDS COMMAND…
    local end=$((SECONDS + $1))
    shift
    until "$@"; do
        [ $SECONDS -lt $end ] || { echo "not ok workload # waited in vain for: $*"; exit 1; }
        sleep 0.05
    done
}
all_threads_traced() {
    ! grep -hE '^TracerPid:[[:space:]]*0$' /proc/"$pid"/task/*/status >/dev/null
}
gone() { ! kill -0 "$1" 2>/dev/null; }

python3 examples/sonic/workload.py --frames 60 --tmp "$state" --state "$state" \
    --report "$state/report.json" >/dev/null &
pid=$!
wait_until 20 test -d "$state/ready"
strace -f -qq -e trace=read,write,openat,close,mmap,futex -e signal=none -o "$state/trace" -p $pid &
tracer=$!
wait_until 20 all_threads_traced
kill -USR1 $pid
wait_until 60 test -d "$state/done"
kill -INT $tracer
wait $tracer
tracer=
kill -USR1 $pid
wait $pid || { echo "not ok workload # it failed"; exit 1; }
pid=

python3 - "$state" <<'PY'
import json, re, sys
state = sys.argv[1]
report = json.load(open(state + "/report.json"))
seen = dict.fromkeys(("read", "write", "openat", "close", "mmap", "futex"), 0)
marked = read = written = 0
for line in open(state + "/trace"):
    call = re.match(r"\d+ +(\w+)\(", line)  # a call's start, complete or "<unfinished ...>"
    if call:
        seen[call.group(1)] += 1
        marked += call.group(1) == "futex" and ", 77777" in line
    done = re.match(r"\d+ +(?:<\.\.\. )?(read|write)\b.* = (\d+)$", line)
    if done:
        read += int(done.group(2)) * (done.group(1) == "read")
        written += int(done.group(2)) * (done.group(1) == "write")
bad = 0
def check(name, got, want, good):
    global bad
    bad += not good
    print("%s workload %s: strace %d, reported %d" % ("ok" if good else "not ok", name, got, want))
for name in ("read", "write", "openat", "close", "mmap"):
    check(name, seen[name], report[name], seen[name] == report[name])
check("bytes read", read, report["bytes_read"], read == report["bytes_read"])
check("bytes written", written, report["bytes_written"], written == report["bytes_written"])
check("marked futex", marked, report["futex_marked"], marked == report["futex_marked"])
check("futex at least", seen["futex"], report["futex_at_least"],
      seen["futex"] >= report["futex_at_least"])
sys.exit(bad != 0)
PY
