#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Kernel features hidden one by one, and all: other ways to the same numbers. The guests do it too.
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=${ZHEN_BUILD:-$here/../../build}
if [ "$(id -u)" != 0 ]; then
    echo "this needs root"
    exit 77
fi
corpus=$here/../vm/corpus
all=btf,tp_btf,raw_tp,fentry,task_btf,atomic_fetch,for_each_map,cookie,bpf_loop,kprobe_multi
all=$all,percpu_lookup,ktime_boot,ktime_tai,iter_num,cpu_v4,uprobe_multi,long_keys
status=0
for feature in btf tp_btf raw_tp cookie atomic_fetch task_btf uprobe_multi cpu_v4 $all; do
    name=$feature
    [ $feature != $all ] || name=all
    sh "$here/../vm/corpus.sh" "$build/zhen" "$build/tests/vm" without-$name/ \
        --no-feature $feature -- "$corpus"/{sys_count,sys_prefixless,sys_wildcard,aggregations,hist}.bt \
        "$corpus"/{strings,tuples,control,latency,json}.bt || status=1
done
exit $status
