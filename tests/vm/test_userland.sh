#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The test bed with a whole userland on an ext4 disk, on a fully preemptible kernel.
set -u
here=$(cd "$(dirname "$0")" && pwd)
command -v mke2fs >/dev/null || { echo "skip userland # missing tool: mke2fs"; exit 77; }
stage=$(mktemp -d "${TMPDIR:-/tmp}/zhen-userland.XXXXXX")
trap 'rm -rf "$stage"' EXIT
"$here/userland.sh" "$stage" || exit 1
"$here/run.sh" -t 120 -a preempt=full -d "$stage" 6.12 "$here/guest_userland.sh"
