#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What zhen costs, beside the tracers that are at hand, in one run: writes bench/RESULTS.md.
#   sudo bench/run.sh [--quick] [-o FILE]
# ZHEN=path of the binary (default build/zhen); PEERS="name=path …" (default: the bpftrace in PATH).
# A figure is the median of its rounds; "failed" means that the tool didn't run the program.
set -u
cd "$(dirname "$0")/.."

out=bench/RESULTS.md quick=0 args="$*"
while [ $# -gt 0 ]; do
    case $1 in
    --quick) quick=1 ;;
    -o) out=${2:?file}; shift ;;
    *) echo "usage: bench/run.sh [--quick] [-o FILE]" >&2; exit 2 ;;
    esac
    shift
done
[ "$(id -u)" = 0 ] || { echo "bench/run.sh: tracing needs root" >&2; exit 1; }
if [ $quick = 1 ]; then
    starts=5 bulk=1 calls=300000 rounds=5 prints=500000
else
    starts=31 bulk=3 calls=1000000 rounds=11 prints=10000000
fi
zhen=${ZHEN:-build/zhen}
peers=${PEERS:-}
[ -n "$peers" ] || ! command -v bpftrace >/dev/null || peers="bpftrace=$(command -v bpftrace)"

names=()
declare -A path
if [ -x "$zhen" ]; then
    names+=(zhen)
    path[zhen]=$zhen
fi
for peer in $peers; do
    names+=("${peer%%=*}")
    path[${peer%%=*}]=${peer#*=}
done
[ ${#names[@]} -gt 0 ] || { echo "bench/run.sh: neither zhen nor a peer found" >&2; exit 1; }

work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null; rm -rf "$work"' EXIT
for helper in calls timeit; do
    cc -O2 -D_GNU_SOURCE -o "$work/$helper" bench/$helper.c || exit 1
done
timeit=$work/timeit callsbin=$work/calls
export BPFTRACE_MAX_PROBES=5000 BPFTRACE_MAX_BPF_PROGS=5000

trace() { # NAME ARGS…: the tool's tracing command
    local name=$1
    shift
    if [ "$name" = zhen ]; then set -- "$zhen" trace "$@"; else set -- "${path[$name]}" "$@"; fi
    command="$*"
    "$@"
}
say() { echo "bench: $*" >&2; }

# The table: rows in order, cells by "row|tool".
rows=()
declare -A cell
row() { rows+=("$1"); say "$1"; }
put() { cell["$1|$2"]=$3; say "    $2: $3"; }

measure_start() { # ROW PROGRAM RUNS
    local name got verb
    row "$1, ms"
    rows+=("$1, peak KiB")
    for name in "${names[@]}"; do
        verb=; [ "$name" = zhen ] && verb=trace
        got=$("$timeit" "$3" "${path[$name]}" $verb -e "$2")
        put "$1, ms" "$name" "${got% *}"
        put "$1, peak KiB" "$name" "${got#* }"
    done
}

tracer=
start_tracer() { # NAME OUTPUT PROGRAM: returns when it is attached
    local i
    local command=("${path[$1]}")
    [ "$1" = zhen ] && command+=(trace)
    "${command[@]}" -o "$2" -e "$3" >"$work/log" 2>&1 & # no function: $! must be the tracer itself
    tracer=$!
    for i in $(seq 200); do
        grep -qs 'Attach' "$work/log" "$2" && break
        kill -0 $tracer 2>/dev/null || { tracer=; return 1; }
        sleep 0.1
    done
    sleep 1.5 # bpftrace says so before it does so
    kill -0 $tracer 2>/dev/null || { tracer=; return 1; }
}
stop_tracer() {
    [ -n "$tracer" ] || return 0
    kill -TERM $tracer 2>/dev/null # not INT, which the shell has background jobs ignore
    wait $tracer 2>/dev/null
    tracer=
}

measure_added() { # ROW CALL PROGRAM
    local name before during after
    row "$1, ns added"
    for name in "${names[@]}"; do
        before=$("$callsbin" "$2" $calls $rounds 0)
        if start_tracer "$name" "$work/out" "$3"; then
            during=$("$callsbin" "$2" $calls $rounds 0)
            stop_tracer
            after=$("$callsbin" "$2" $calls $rounds 0)
            put "$1, ns added" "$name" \
                "$(awk "BEGIN { printf \"%.0f\", $during - ($before + $after) / 2 }")"
        else
            put "$1, ns added" "$name" failed
        fi
    done
    bare=$before
}

printf_program='tracepoint:syscalls:sys_enter_getppid { printf("%d %s\n", pid, comm); }'
measure_printf() { # one | all
    local name took offered lost got seconds title
    [ "$1" = one ] && title="printf, one producer" || title="printf, one producer on each CPU"
    row "$title, k/s delivered"
    rows+=("$title, % lost" "$title, delivered + lost − offered" "$title, producer slowed ×")
    for name in "${names[@]}"; do
        if ! start_tracer "$name" "$work/lines" "$printf_program"; then
            put "$title, k/s delivered" "$name" failed
            continue
        fi
        if [ "$1" = one ]; then
            took=$("$callsbin" getppid $prints 1 0)
            offered=$prints
            seconds=$(awk "BEGIN { print $took * $prints / 1e9 }")
        else
            read -r offered seconds < <("$callsbin" getppid $((prints / $(nproc))) all)
            took=$(awk "BEGIN { print $seconds * 1e9 / ($offered / $(nproc)) }")
        fi
        sleep 1
        stop_tracer
        got=$(grep -c ' calls$' "$work/lines")
        lost=$(cat "$work/lines" "$work/log" | sed -n 's/^Lost \([0-9]*\) events$/\1/p' |
            awk '{ n += $1 } END { print n + 0 }')
        rm -f "$work/lines"
        put "$title, k/s delivered" "$name" "$(awk "BEGIN { printf \"%.0f\", $got / $seconds / 1000 }")"
        put "$title, % lost" "$name" \
            "$(awk "BEGIN { printf \"%.1f\", 100 * ($offered - $got) / $offered }")"
        put "$title, delivered + lost − offered" "$name" "$((got + lost - offered))"
        put "$title, producer slowed ×" "$name" "$(awk "BEGIN { printf \"%.1f\", $took / $bare }")"
    done
}

measure_size() {
    local name
    row "installed with libraries, KiB"
    for name in "${names[@]}"; do
        put "installed with libraries, KiB" "$name" "$(
            { echo "${path[$name]}"; ldd "${path[$name]}" | awk '$3 ~ /^\// { print $3 }'; } |
                grep -vE '/(libc|libm|libpthread|libdl|librt|ld-linux[^/]*)\.so' |
                xargs -r stat -Lc %s | awk '{ n += $1 } END { printf "%d", n / 1024 }')"
    done
}

measure_start 'BEGIN { exit(); }' 'BEGIN { exit(); }' $starts
measure_start 'with kernel types' \
    'BEGIN { printf("%d\n", ((struct task_struct *)curtask)->tgid); exit(); }' $starts
measure_start '26 sched:*, attach + detach' \
    'tracepoint:sched:* { @[probe] = count(); } interval:ms:1 { exit(); }' $bulk
measure_start 'all sys_enter_*, attach + detach' \
    'tracepoint:syscalls:sys_enter_* { @[probe] = count(); } interval:ms:1 { exit(); }' $bulk
measure_added 'raw_syscalls:sys_enter { @[args.id] = count(); }' getppid \
    'tracepoint:raw_syscalls:sys_enter { @[args->id] = count(); }'
measure_added 'sys_enter_getppid { @ = count(); }' getppid \
    'tracepoint:syscalls:sys_enter_getppid { @ = count(); }'
measure_added 'the same with a pid filter that misses' getppid \
    'tracepoint:syscalls:sys_enter_getppid /pid == 1/ { @ = count(); }'
measure_added '@[comm] = count()' getppid \
    'tracepoint:syscalls:sys_enter_getppid { @[comm] = count(); }'
measure_added '@ = hist(nsecs)' getppid \
    'tracepoint:syscalls:sys_enter_getppid { @ = hist(nsecs); }'
measure_added '@[ustack] = count()' getppid \
    'tracepoint:syscalls:sys_enter_getppid { @[ustack] = count(); }'
measure_added 'sys_exit_read { @ = count(); }' read \
    'tracepoint:syscalls:sys_exit_read { @ = count(); }'
measure_added 'sys_exit_read { @b = sum(args.ret); }' read \
    'tracepoint:syscalls:sys_exit_read { @b = sum(args->ret); }'
bare=$("$callsbin" getppid $calls $rounds 0)
measure_printf one
measure_printf all
measure_size

version() { # NAME
    trace "$1" --version 2>/dev/null | head -n 1
}
ratio() { # PEER OURS
    awk "BEGIN { if ($2 + 0 > 0 && $1 + 0 > 0) printf \" (%.2g×)\", $1 / $2 }" 2>/dev/null
}
{
    echo "# What it costs"
    echo
    echo "Made by \`bench/run.sh${args:+ $args}\` on $(date -u +%F): Linux $(uname -r), $(nproc) ×" \
        "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)."
    for name in "${names[@]}"; do echo "$name: \`$(version "$name")\`."; done
    echo "In brackets: the peer's figure over ours. Bare getppid: $bare ns."
    echo
    printf '| |'; printf ' %s |' "${names[@]}"; echo
    printf '|---|'; printf -- '---|%.0s' "${names[@]}"; echo
    for r in "${rows[@]}"; do
        printf '| %s |' "${r//|/\\|}"
        for name in "${names[@]}"; do
            v=${cell["$r|$name"]:-–}
            [ "$name" = zhen ] || v+=$(ratio "$v" "${cell["$r|zhen"]:-0}")
            printf ' %s |' "$v"
        done
        echo
    done
} >"$work/results"
cp "$work/results" "$out"
cat "$out"
