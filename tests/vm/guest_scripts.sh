# SPDX-License-Identifier: Apache-2.0
# In the guest: the corpus, and the same numbers with features hidden one by one and all together.
status=0
sh ./corpus.sh /test/zhen /test corpus/ -- *.bt || status=1
all=btf,tp_btf,raw_tp,fentry,task_btf,atomic_fetch,for_each_map,cookie,bpf_loop,kprobe_multi
all=$all,percpu_lookup,ktime_boot,ktime_tai,iter_num,cpu_v4,uprobe_multi,long_keys
for feature in btf tp_btf raw_tp cookie atomic_fetch task_btf uprobe_multi $all; do
    name=$feature
    [ $feature != $all ] || name=all
    sh ./corpus.sh /test/zhen /test without-$name/ --no-feature $feature -- \
        sys_count.bt sys_prefixless.bt sys_wildcard.bt aggregations.bt hist.bt || status=1
done
exit $status
