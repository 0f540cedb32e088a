#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Boots one kernel of the test beds in QEMU, runs a script in the guest and prints what it printed.
# usage: run.sh [-1] [-a APPEND] [-t SECONDS] [-m MIB] [-d FOLDER] KERNEL GUEST_SCRIPT [FILE...]
#   -1          both processors in one thread: an old kernel that patches its code while the other
#               processor runs it may otherwise meet a stale translation and never come back
#   -a APPEND   further words for the kernel's command line (preempt=full)
#   -t SECONDS  time limit for the whole guest, 180 if not given
#   -m MIB      memory of the guest, 1024 if not given
#   -d FOLDER   the guest's root file system: FOLDER packed as an ext4 image; else a busybox initramfs
#   KERNEL      5.10, 6.1, 6.12 or 7
#   FILE        lies in the guest as /test/NAME; programs bring the libraries that ldd names
#
# The guest script is run by sh as root in /test with proc, sys, dev, tracefs, debugfs and bpffs
# mounted. It reports on stdout: `ok NAME`, `not ok NAME`, `skip NAME # reason`; other lines are
# passed on. Exit: the script's own status; 77 if the kernel is not to be had; 124 on a time-out;
# 1 if the guest died. Results travel on the second serial port, kernel messages on the first.
set -euo pipefail

append='' limit=180 memory=1024 folder='' threads=multi
while getopts 1a:t:m:d: option; do
    case $option in
    1) threads=single ;;
    a) append=$OPTARG ;;
    t) limit=$OPTARG ;;
    m) memory=$OPTARG ;;
    d) folder=$OPTARG ;;
    *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))
[ $# -ge 2 ] || { echo "usage: run.sh [options] KERNEL GUEST_SCRIPT [FILE...]" >&2; exit 2; }
series=$1 script=$2
shift 2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

for tool in qemu-system-x86_64 cpio busybox; do
    command -v $tool >/dev/null || { echo "skip guest # missing tool: $tool"; exit 77; }
done
kernel=$("$here/kernel.sh" "$series") || {
    status=$?
    [ $status != 77 ] || echo "skip guest # $kernel"
    exit $status
}

work=$(mktemp -d "${TMPDIR:-/tmp}/zhen-vm.XXXXXX")
qemu=
cleanup() {
    [ -z "$qemu" ] || kill -9 "$qemu" 2>/dev/null || true
    rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# A program or file, with the shared libraries it needs at the paths it looks for them.
add_file() {
    local root=$1 file=$2 library
    cp -L "$file" "$root/test/"
    { ldd "$file" 2>/dev/null || true; } | { grep -oE '/[^ ]+' || true; } |
        while read -r library; do
        [ ! -e "$root$library" ] || continue
        mkdir -p "$root$(dirname "$library")"
        cp -L "$library" "$root$library"
    done
}

# A module and what it depends on, in the order in which they must be loaded.
module_order() {
    local dep line found
    found=$(find "$kernel/lib/modules" -name "$1.ko*" | head -n 1)
    [ -n "$found" ] || return 0
    line=$({ modinfo -F depends "$found" || true; } | tr ',' ' ')
    for dep in $line; do
        module_order "$dep"
    done
    echo "$found"
}

boot=$work/boot
mkdir -p "$boot"/{bin,proc,sys,dev,tmp,test,newroot,modules}
cp -L "$(command -v busybox)" "$boot/bin/busybox"
ln -s busybox "$boot/bin/sh"
target=$boot
drive=()
if [ -n "$folder" ]; then
    target=$work/root
    cp -a "$folder" "$target"
    mkdir -p "$target"/{proc,sys,dev,tmp,test,run}
    mkdir -p "$target/usr/lib/zhen-vm"
    cp -L "$(command -v busybox)" "$target/usr/lib/zhen-vm/busybox"
    number=10
    for module in virtio_pci virtio_blk; do
        for file in $(module_order $module); do
            name=$(basename "$file")
            case $file in
            *.xz) xz -dc "$file" >"$boot/modules/$number-${name%.xz}" ;;
            *.zst) zstd -qdc "$file" >"$boot/modules/$number-${name%.zst}" ;;
            *) cp "$file" "$boot/modules/$number-$name" ;;
            esac
            number=$((number + 1))
        done
    done
fi
for file in "$@"; do
    add_file "$target" "$file"
done
cp "$script" "$target/test/guest.sh"
cp "$here/guest_init.sh" "$boot/init"
chmod +x "$boot/init"
if [ -n "$folder" ]; then
    cp "$here/guest_init.sh" "$target/usr/lib/zhen-vm/init"
    chmod +x "$target/usr/lib/zhen-vm/init"
    size=$(($(du -sm "$target" | cut -f1) * 5 / 4 + 64))
    truncate -s "${size}M" "$work/image"
    mke2fs -q -F -t ext4 -d "$target" "$work/image"
    drive=(-drive "file=$work/image,if=virtio,format=raw,cache=unsafe")
fi
(cd "$boot" && find . | cpio -o -H newc --quiet) >"$work/initrd"

# What the guest printed so far, without the carriage returns of its terminal.
output() { tr -d '\r' <"$work/out"; }

# Boots once; sets status to the script's, or to timeout or died.
boot_guest() {
    : >"$work/out"
    status=timeout
    # Without cx16: QEMU 7.2 now and then spoils the flags of cmpxchg16b, which crashes the guest's
    # allocator; a kernel on a processor without it takes another way.
    qemu-system-x86_64 -accel tcg,thread=$threads -cpu max,-cx16 -m "$memory" -smp 2 \
        -display none -monitor none -no-reboot -nodefaults \
        -serial "file:$work/console" -serial "file:$work/out" \
        -kernel "$kernel/vmlinuz" -initrd "$work/initrd" "${drive[@]}" \
        -append "console=ttyS0 panic=-1 quiet loglevel=4 $append" </dev/null &
    qemu=$!
    for ((tick = 0; tick < limit * 5; tick++)); do
        if grep -q '^zhen-guest-exit ' "$work/out"; then
            status=$(output | sed -n 's/^zhen-guest-exit //p')
            break
        fi
        if ! kill -0 "$qemu" 2>/dev/null; then
            status=$(output | sed -n 's/^zhen-guest-exit //p')
            status=${status:-died}
            break
        fi
        sleep 0.2
    done
    kill -9 "$qemu" 2>/dev/null || true
    wait "$qemu" 2>/dev/null || true
    qemu=
}

# An emulated processor sometimes fails while the kernel boots: that says nothing about the test.
for attempt in 1 2 3; do
    boot_guest
    ! grep -q '^zhen-guest-begin' "$work/out" || break
    echo "# kernel $series did not boot, attempt $attempt: $status" >&2
done
output | grep -v '^zhen-guest-' || true
case $status in
timeout)
    echo "not ok guest # kernel $series ran past $limit s; the console ended with:"
    tail -n 40 "$work/console" | tr -d '\r' | sed 's/^/# /'
    exit 124
    ;;
died)
    echo "not ok guest # kernel $series died; the console ended with:"
    tail -n 40 "$work/console" | tr -d '\r' | sed 's/^/# /'
    exit 1
    ;;
esac
if [ "$status" != 0 ]; then
    tail -n 20 "$work/console" | tr -d '\r' | sed 's/^/# console: /'
fi
exit "$status"
