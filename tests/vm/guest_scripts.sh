# SPDX-License-Identifier: Apache-2.0
# In the guest: the corpus, the same numbers with features hidden one by one and all together, and
# the scripts of the documents.
status=0
cat >not_corpus <<'END'
six_probes.bt
trace_sonic.bt
trace_sonic_tracepoint.bt
bytes.bt
trace_syscalls.bt
END
sh ./corpus.sh /test/zhen /test corpus/ -- $(ls *.bt | grep -v -x -f not_corpus) || status=1
all=btf,tp_btf,raw_tp,fentry,task_btf,atomic_fetch,for_each_map,cookie,bpf_loop,kprobe_multi
all=$all,percpu_lookup,ktime_boot,ktime_tai,iter_num,cpu_v4,uprobe_multi,long_keys
for feature in btf tp_btf raw_tp cookie atomic_fetch task_btf uprobe_multi $all; do
    name=$feature
    [ $feature != $all ] || name=all
    sh ./corpus.sh /test/zhen /test without-$name/ --no-feature $feature -- \
        sys_count.bt sys_prefixless.bt sys_wildcard.bt aggregations.bt hist.bt || status=1
done
sh ./guest_document.sh || status=1
exit $status
