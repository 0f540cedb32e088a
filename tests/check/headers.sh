#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Every header compiles alone: it includes what it uses, so the order of includes never matters.
set -u
cd "$(dirname "$0")/../.."

export FLAGS="-std=gnu17 -D_GNU_SOURCE -DZHEN_VERSION=\"0\" -Isrc -Wall -Wextra -Werror -fsyntax-only"
check() {
    local errors
    if errors=$(printf '#include "%s"\n#include "%s"\n' "${1#src/}" "${1#src/}" |
        ${CC:-cc} $FLAGS -x c - 2>&1); then
        echo "ok $1 compiles alone"
    else
        printf '%s\nnot ok %s compiles alone\n' "$errors" "$1"
    fi
}
export -f check
output=$(find src -name '*.h' | LC_ALL=C sort |
    xargs -r -P 2 -I{} bash -c 'check {}')
echo "$output"
! grep -q '^not ok' <<<"$output"
