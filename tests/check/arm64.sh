#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The rooms that know a processor, and those they stand on, compile for arm64 too.
set -u
cd "$(dirname "$0")/../.."

export CROSS=aarch64-linux-gnu-gcc
command -v $CROSS >/dev/null || { echo "skip arm64 # missing tool: $CROSS"; exit 77; }
check() {
    local errors
    if errors=$($CROSS -std=gnu17 -D_GNU_SOURCE -Isrc -O1 -Wall -Wextra \
        -Wno-missing-field-initializers -Werror -c -o /dev/null "$1" 2>&1); then
        echo "ok $1 compiles for arm64"
    else
        printf '%s\nnot ok %s compiles for arm64\n' "$errors" "$1"
    fi
}
export -f check
output=$(find src/base src/arch src/lang -name '*.c' | LC_ALL=C sort |
    xargs -r -P 2 -I{} bash -c 'check {}')
echo "$output"
! grep -q '^not ok' <<<"$output"
