#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The hand-written program on every kernel of the test beds: the ground the loader stands on.
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=${ZHEN_BUILD:?the build folder}
status=0
for kernel in 5.10 6.1 6.12 7; do
    "$here/run.sh" -t 120 $kernel "$here/guest_gate_a.sh" "$build/tests/vm/gate_a" |
        sed -E "s/^((not )?ok|skip) /&$kernel /"
    code=${PIPESTATUS[0]}
    case $code in 0 | 77) ;; *) status=1 ;; esac
done
exit $status
