#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Scripts compiled, loaded and counted on every kernel of the test beds, two guests at a time.
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=${ZHEN_BUILD:?the build folder}
work=$(mktemp -d "${TMPDIR:-/tmp}/zhen-scripts.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'kill $(jobs -p) 2>/dev/null; exit 143' INT TERM
programs=("$build/zhen" "$build/tests/vm/work" "$build/tests/vm/contend")

sonic=$here/../../examples/sonic
document=("$sonic"/{six_probes,trace_sonic,trace_sonic_tracepoint,bytes,trace_syscalls}.bt)

# Runs one guest and keeps what it says.
guest() { # RESULT PREFIX RUN_ARGUMENTS…
    local result=$1 prefix=$2
    shift 2
    "$here/run.sh" -t 280 "$@" "${programs[@]}" 2>&1 |
        sed -E "s,^((not )?ok|skip) ,&$prefix ," >"$work/$result.out"
    echo "${PIPESTATUS[0]}" >"$work/$result.code"
}
scripts() { # RESULT KERNEL
    guest "$1" "$2" -1 "$2" "$here/guest_scripts.sh" "$here/corpus.sh" \
        "$here/guest_document.sh" "$here"/corpus/*.bt "${document[@]}"
}
both=("$here/guest_mutex.sh" "$here/guest_nest.sh" "$here/nest.bt" "$sonic/mutex.bt")

# Each line of work has its own kernels.
(scripts 1 5.10; scripts 3 6.12; guest 5 '6.1 preempt' -a preempt=full 6.1 "$here/guest_mutex_nest.sh" "${both[@]}") &
(scripts 2 6.1; scripts 4 7; guest 6 '6.12 preempt' -a preempt=full 6.12 "$here/guest_mutex_nest.sh" "${both[@]}") &
wait

status=0
for result in 1 2 3 4 5 6; do
    cat "$work/$result.out"
    case $(cat "$work/$result.code") in 0 | 77) ;; *) status=1 ;; esac
done
exit $status
