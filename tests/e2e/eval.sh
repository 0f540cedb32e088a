#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Random integer expressions, map operations and strings, in the kernel and by a model beside it: the
# same scripts every time (ZHEN_EVAL_SEED and ZHEN_EVAL_SCRIPTS choose others, or more of them).
set -u
here=$(cd "$(dirname "$0")" && pwd)
zhen=${ZHEN:-${ZHEN_BUILD:-$here/../../build}/zhen}
if [ "$(id -u)" != 0 ]; then
    echo "this needs root"
    exit 77
fi
status=0
for model in eval eval_maps eval_strings; do
    python3 "$here/$model.py" "$zhen" "${ZHEN_EVAL_SEED:-1}" "${ZHEN_EVAL_SCRIPTS:-500}" || status=1
done
exit $status
