#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Lists files by pattern for meson, sorted, relative to the folder given: a new file needs no edit.
# usage: tools/sources.sh FOLDER PATTERN [EXCEPT_PATTERN...]
set -eu
cd "$1" 2>/dev/null || exit 0
pattern=$2
shift 2
for f in $pattern; do
    [ -e "$f" ] || continue
    for except in "$@"; do
        case $f in $except) continue 2 ;; esac
    done
    printf '%s\n' "$f"
done | LC_ALL=C sort
