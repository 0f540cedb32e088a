#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The program asks a machine for libc and libm only; everything else is inside it.
set -u
zhen=${ZHEN_BUILD:?the build folder}/zhen
[ -x "$zhen" ] || { echo "ok libraries # there is no program yet"; exit 0; }
others=$(ldd "$zhen" | grep -vE 'linux-vdso|ld-linux|libc\.so|libm\.so')
if [ -z "$others" ]; then
    echo "ok libraries"
else
    echo "$others" | sed 's/^/# /'
    echo "not ok libraries"
    exit 1
fi
