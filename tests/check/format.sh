#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The tree is as ./dev fmt leaves it.
set -u
cd "$(dirname "$0")/../.."

command -v clang-format-14 >/dev/null || { echo "skip format # missing tool: clang-format-14"; exit 77; }
bad=$(find $(ls -d src tests bench examples 2>/dev/null) -name '*.[ch]' -print0 |
    xargs -0r clang-format-14 --dry-run 2>&1 | sed -n 's/: warning: .*//p' |
    awk -F: '!seen[$1]++ { print $1 ":" $2 }')
if [ -z "$bad" ]; then
    echo "ok format"
else
    echo "$bad" | sed 's/^/# /'
    echo "not ok format # run ./dev fmt"
    exit 1
fi
