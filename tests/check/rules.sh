#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Small rules that a grep can hold: banned functions, file length, licence lines, shell syntax.
set -u
cd "$(dirname "$0")/../.."
status=0
verdict() { # NAME OFFENDERS
    if [ -z "$2" ]; then
        echo "ok $1"
    else
        echo "$2" | sed 's/^/# /'
        echo "not ok $1"
        status=1
    fi
}

sources=$(find $(ls -d src tests bench examples 2>/dev/null) -name '*.[ch]' | LC_ALL=C sort)

# Comments are taken out first, so that they may speak of what is banned.
banned='\b(strcpy|strcat|sprintf|vsprintf|gets|atoi|atol|atoll|alloca|strtok)[ ]*\('
verdict "no banned functions (snprintf, memcpy, strtol … instead)" "$(
    for file in $sources; do
        cc -fpreprocessed -dD -E "$file" 2>/dev/null | grep -vE '^#' |
            grep -oE "$banned" | sort -u | sed "s|^|$file: |"
    done)"

# A file marked as generated in its first lines may be as long as it likes.
verdict "no file above 1000 lines" "$(
    for file in $sources; do
        lines=$(wc -l <"$file")
        [ "$lines" -le 1000 ] || head -n 5 "$file" | grep -qi 'generated' || echo "$file: $lines lines"
    done)"

verdict "every file names its licence" "$(
    find $(ls -d src tests tools bench dev .ci/run 2>/dev/null) \( -name '*.[ch]' -o -name '*.sh' -o -name '*.py' \
        -o -name meson.build -o -name dev -o -name run \) -type f | LC_ALL=C sort |
        while read -r file; do
            head -n 3 "$file" | grep -q 'SPDX-License-Identifier: Apache-2.0' || echo "$file"
        done)"

verdict "shell scripts parse" "$(
    find $(ls -d dev .ci/run tests tools bench 2>/dev/null) \( -name '*.sh' -o -name dev -o -name run \) -type f |
        while read -r file; do
            bash -n "$file" 2>&1
        done)"

verdict "tests are executable" "$(
    find tests/check tests/e2e tests/vm -name '*.sh' ! -name 'guest*' ! -name 'lib*' ! -perm -u+x)"
exit $status
