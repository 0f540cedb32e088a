# SPDX-License-Identifier: Apache-2.0
# In the guest: the documents' scripts over a process that is known by its number.
status=0

# Traces one run of the workload with FILE and the further words; what is printed goes to out, err.
trace() {
    sh -c 'kill -STOP $$; exec ./work calls' &
    pid=$!
    while ! grep -q '^State:.*T' /proc/$pid/status; do sleep 0.05; done
    script=$1
    shift
    : >err
    ./zhen trace "$@" "$script" $pid >out 2>err &
    tracer=$!
    while ! grep -q '^Attached' err && kill -0 $tracer 2>/dev/null; do sleep 0.05; done
    kill -CONT $pid
    wait $pid
    kill -INT $tracer
    wait $tracer
    code=$?
}
judge() { # NAME LINE…
    name=$1 wrong=
    shift
    [ $code = 0 ] || wrong="exit code $code"
    for line; do
        grep -qE -e "$line" out || wrong="${wrong:+$wrong; }nothing like '$line'"
    done
    if [ -z "$wrong" ]; then
        echo "ok $name"
    else
        echo "not ok $name # $wrong"
        cat out err | head -n 60 | sed 's/^/#   /'
        status=1
    fi
}

all=btf,tp_btf,raw_tp,fentry,task_btf,atomic_fetch,for_each_map,cookie,bpf_loop,kprobe_multi
all=$all,percpu_lookup,ktime_boot,ktime_tai,iter_num,cpu_v4,uprobe_multi,long_keys
for hide in '' $all; do
    suffix=${hide:+-without-all}
    trace six_probes.bt ${hide:+--no-feature $hide}
    judge document/six_probes$suffix '^@reads: 50$' '^@writes: 125$' '^@opens: 15$' '^@closes: 8$' '^@futexes: 4$'
    trace trace_sonic.bt ${hide:+--no-feature $hide}
    judge document/trace_sonic$suffix 'Tracing system calls for Sonic \(PID [0-9]+\)' \
        '^@all\[enter_getppid\]: 1000$' '^@all\[enter_write\]: 125$' '^@all\[enter_read\]: 50$' \
        '^[0-9:]{8} enter_' 'Final syscall summary'
    trace trace_sonic_tracepoint.bt ${hide:+--no-feature $hide}
    judge document/trace_sonic_tracepoint$suffix '^@all\[sys_enter_getppid\]: 1000$' \
        '^@all\[sys_enter_write\]: 125$' '^@all\[sys_enter_read\]: 50$'
    trace bytes.bt ${hide:+--no-feature $hide}
    judge document/bytes$suffix '^@b: 3200$'
    trace trace_syscalls.bt ${hide:+--no-feature $hide}
    judge document/trace_syscalls$suffix '^\{"futex_calls": 4, "read_calls": 50, "write_calls": 125\}$'
done
exit $status
