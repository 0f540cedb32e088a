#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Fetches a Debian cloud kernel of one series into the cache and prints the folder it lies in.
# usage: kernel.sh 5.10|6.1|6.12|7     exit 77 with a reason: this kernel cannot be had here
#
# The folder holds vmlinuz, lib/modules/RELEASE/ and a file `release`. The mirror is the one that
# this machine's apt is set up for; the suites get lists of their own, so apt's state is untouched.
set -euo pipefail

series=${1:?usage: kernel.sh 5.10|6.1|6.12|7}
case $series in
5.10) suite=bullseye image='^linux-image-5\.10\..*-cloud-amd64$' modules='' ;;
6.1) suite=bookworm image='^linux-image-6\.1\..*-cloud-amd64$' modules='' ;;
6.12) suite=bookworm-backports image='^linux-image-6\.12\..*-cloud-amd64$' modules='' ;;
7) suite=sid image='^linux-binary-7\..*-cloud-amd64$' modules='^linux-modules-7\..*-cloud-amd64$' ;;
*) echo "kernel.sh: no test bed for kernel $series" >&2; exit 2 ;;
esac

cache=${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/zhen/kernels
mkdir -p "$cache"
exec 9>"$cache/$series.lock"
flock 9
if [ -f "$cache/$series/release" ]; then
    echo "$cache/$series"
    exit 0
fi

skip() {
    echo "kernel $series: $*"
    exit 77
}

mirror=$(apt-get indextargets --format '$(ORIGIN)|$(LABEL)|$(REPO_URI)' 'Created-By: Packages' |
    awk -F'|' '$1 == "Debian" && $2 == "Debian" { print $3; exit }')
[ -n "$mirror" ] || skip "missing package lists (run apt-get update)"

work=$cache/$series.tmp
rm -rf "$work"
mkdir -p "$work"/{parts,lists/partial,cache/archives/partial,deb,root}
trap 'rm -rf "$work"' EXIT
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $suite main" \
    >"$work/parts/kernel.list"
apt=(-q -o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts="$work/parts"
    -o Dir::State::Lists="$work/lists" -o Dir::Cache="$work/cache"
    -o Acquire::Languages=none -o Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false
    -o Acquire::Check-Valid-Until=false -o APT::Sandbox::User=root -o Acquire::Retries=3
    -o Acquire::http::Timeout=60)
if ! apt-get "${apt[@]}" -o APT::Update::Error-Mode=any update >"$work/log" 2>&1; then
    cat "$work/log" >&2
    if grep -qE '404|does not have a Release file|403' "$work/log"; then
        skip "suite $suite is not on the mirror"
    fi
    skip "missing network: cannot fetch suite $suite"
fi

# The newest package whose name matches.
newest() {
    apt-cache "${apt[@]}" search --names-only "$1" | awk '{ print $1 }' | sort -V | tail -n 1
}

for pattern in "$image" $modules; do
    package=$(newest "$pattern")
    if [ -z "$package" ]; then
        [ "$pattern" = "$image" ] || continue
        skip "not on the mirror (suite $suite)"
    fi
    (cd "$work/deb" && apt-get "${apt[@]}" download "$package") >&2 ||
        skip "missing network: cannot fetch $package"
done
for deb in "$work"/deb/*.deb; do
    dpkg -x "$deb" "$work/root"
done

mkdir "$work/out"
vmlinuz=$(find "$work/root" -name 'vmlinuz*' -type f | head -n 1)
modules=$(find "$work/root" -path '*lib/modules/*' -prune -type d | head -n 1)
[ -n "$vmlinuz" ] || skip "missing vmlinuz in $package"
cp "$vmlinuz" "$work/out/vmlinuz"
if [ -n "$modules" ]; then
    mkdir -p "$work/out/lib/modules"
    cp -a "$modules" "$work/out/lib/modules/"
fi
echo "${package#linux-*-}" >"$work/out/release"
rm -rf "${cache:?}/$series"
mv "$work/out" "$cache/$series"
echo "$cache/$series"
