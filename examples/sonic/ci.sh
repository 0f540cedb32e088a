#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The article's CI step: trace the inference, compare its futex calls with a baseline.
#   sudo ./ci.sh [BASELINE.json]     exit code 1 when there are over 30 % more than in the baseline
# The tracer is stopped by `kill %2`, as there; its result is read with jq where there is one, with
# python3 where not.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
baseline=${1:-}
work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$work"' EXIT
futex_calls() {
    if command -v jq >/dev/null; then
        jq '.futex_calls' <"$1"
    else
        python3 -c 'import json, sys; print(json.load(sys.stdin)["futex_calls"])' <"$1"
    fi
}

python3 "$here/workload.py" --frames "${FRAMES:-300}" --state "$work" >"$work/report" &
SONIC_PID=$!
until [ -d "$work/ready" ]; do sleep 0.1; done

# 启动后台跟踪
${BPFTRACE:-zhen trace} -q -o "$work/bpftrace_output.json" "$here/trace_syscalls.bt" $SONIC_PID &
tracer=$!
sleep "${ATTACH_SECONDS:-1}"

# 执行推理任务
kill -USR1 $SONIC_PID
until [ -d "$work/done" ]; do sleep 0.1; done

# 停止采集并解析结果
kill %2 || true
wait $tracer || true
kill -USR1 $SONIC_PID
wait $SONIC_PID
now=$(futex_calls "$work/bpftrace_output.json")
echo "futex_calls: $now"
[ -n "$baseline" ] || exit 0
if [ ! -s "$baseline" ]; then
    echo "{\"futex_calls\": $now}" >"$baseline"
    exit 0
fi
before=$(futex_calls "$baseline")
if [ "$now" -gt $((before * 13 / 10)) ]; then
    echo "potential regression: $before before"
    exit 1
fi
