#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Attaching to kernel functions, and everything else that attaches, on every kernel of the test beds.
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=${ZHEN_BUILD:?the build folder}
status=0
for kernel in 5.10 6.1 6.12 7; do
    "$here/run.sh" -t 120 $kernel "$here/guest_attach.sh" \
        "$build/tests/unit/test_attach_kernel_probes" "$build/tests/unit/test_attach_probes" |
        sed -E "s/^((not )?ok|skip) /&$kernel /"
    code=${PIPESTATUS[0]}
    case $code in 0 | 77) ;; *) status=1 ;; esac
done
exit $status
