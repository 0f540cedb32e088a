#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Fills a folder with a small userland for run.sh -d: busybox, Debian's Python and what is named.
# usage: userland.sh FOLDER [PROGRAM...]      PROGRAMs are absolute paths, kept where they are
set -euo pipefail
root=${1:?usage: userland.sh FOLDER [PROGRAM...]}
shift

mkdir -p "$root"/{bin,etc,root,usr/bin,usr/sbin,usr/lib,var/tmp}
add() {
    local file library
    for file; do
        mkdir -p "$root$(dirname "$file")"
        [ -e "$root$file" ] || cp -L "$file" "$root$file"
        { ldd "$file" 2>/dev/null || true; } | { grep -oE '/[^ ]+' || true; } |
            while read -r library; do
                mkdir -p "$root$(dirname "$library")"
                [ -e "$root$library" ] || cp -L "$library" "$root$library"
            done
    done
}
python=$(readlink -f /usr/bin/python3)
add "$(command -v busybox)" "$python" "$@"
ln -sf "$(basename "$python")" "$root/usr/bin/python3"
library=/usr/lib/$(basename "$python")
tar -C / --exclude=__pycache__ --exclude=test --exclude=dist-packages -cf - "${library#/}" |
    tar -C "$root" -xf -
for module in "$library"/lib-dynload/*.so; do
    add "$module"
done
for applet in $(busybox --list); do
    [ -e "$root/bin/$applet" ] || [ -e "$root/usr/bin/$applet" ] ||
        ln -s "$(command -v busybox)" "$root/bin/$applet"
done
echo 'root:x:0:0:root:/root:/bin/sh' >"$root/etc/passwd"
echo 'root:x:0:' >"$root/etc/group"
echo '127.0.0.1 localhost' >"$root/etc/hosts"
