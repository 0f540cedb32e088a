# SPDX-License-Identifier: Apache-2.0
# In the guest: is this the userland and the preemption model that were asked for?
if [ "$(python3 -c 'import json, threading, ctypes; print(6 * 7)')" = 42 ]; then
    echo "ok python"
else
    echo "not ok python"
fi
if grep -q '(full)' /sys/kernel/debug/sched/preempt; then
    echo "ok preempt_full"
else
    echo "not ok preempt_full # $(cat /sys/kernel/debug/sched/preempt)"
fi
