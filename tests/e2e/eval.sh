#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Random integer expressions, computed in the kernel and by eval.py's own rules: the same scripts
# every time (ZHEN_EVAL_SEED and ZHEN_EVAL_SCRIPTS choose others, or more of them).
set -u
here=$(cd "$(dirname "$0")" && pwd)
zhen=${ZHEN:-${ZHEN_BUILD:-$here/../../build}/zhen}
if [ "$(id -u)" != 0 ]; then
    echo "this needs root"
    exit 77
fi
exec python3 "$here/eval.py" "$zhen" "${ZHEN_EVAL_SEED:-1}" "${ZHEN_EVAL_SCRIPTS:-500}"
