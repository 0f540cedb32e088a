#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The first process of a test guest: mounts what tracing needs, runs the test, switches off.
if [ -x /usr/lib/zhen-vm/busybox ]; then
    busybox=/usr/lib/zhen-vm/busybox # second life, in the ext4 image
else
    busybox=/bin/busybox
    $busybox --install -s /bin
fi
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root TERM=dumb

$busybox mount -t devtmpfs dev /dev 2>/dev/null
set -- /modules/*.ko
if [ -e "$1" ]; then
    for module; do
        $busybox insmod "$module"
    done
    i=0
    while [ ! -b /dev/vda ] && [ $i -lt 50 ]; do
        $busybox sleep 0.1
        i=$((i + 1))
    done
    $busybox mount -t ext4 /dev/vda /newroot
    $busybox umount /dev
    exec $busybox switch_root /newroot /usr/lib/zhen-vm/busybox sh /usr/lib/zhen-vm/init
fi

$busybox mount -t proc proc /proc
$busybox mount -t sysfs sys /sys
$busybox mount -t tracefs tracefs /sys/kernel/tracing
$busybox mount -t debugfs debugfs /sys/kernel/debug
$busybox mount -t bpf bpf /sys/fs/bpf
$busybox mount -t tmpfs tmp /tmp
$busybox ip link set lo up 2>/dev/null
$busybox stty -F /dev/ttyS1 raw -echo

cd /test || exit 1
echo "zhen-guest-begin $($busybox uname -r)" >/dev/ttyS1
if [ -x /bin/bash ]; then shell=/bin/bash; else shell="$busybox sh"; fi
$shell ./guest.sh </dev/null >/dev/ttyS1 2>&1
echo "zhen-guest-exit $?" >/dev/ttyS1
$busybox sync
$busybox sleep 0.3
$busybox poweroff -f
