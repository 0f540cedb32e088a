# SPDX-License-Identifier: Apache-2.0
# In the guest: stacks of those who wait for a kernel mutex; their sum is the plain count.
status=0
./contend 12000 4 &
pid=$!
./zhen trace -q mutex.bt $pid >out 2>&1
if grep -qE '^ +__mutex_lock_slowpath\+' out && grep -qE '^ +_*f?d?get_?pos|fdget_pos\+' out; then
    echo "ok mutex/document"
else
    echo "not ok mutex/document"
    sed 's/^/#   /' out
    status=1
fi
cat >twice.bt <<'END'
kfunc:__mutex_lock_slowpath { if (pid == $1) { @[kstack] = count(); @n = count(); } }
interval:s:3 { exit(); }
END
./zhen trace -q twice.bt $pid >out 2>&1
kill $pid
sum=$(awk '/^\]: / { s += $2 } END { print s + 0 }' out)
n=$(sed -n 's/^@n: //p' out)
if [ "$sum" -gt 0 ] && [ "$sum" = "$n" ]; then
    echo "ok mutex/sum"
else
    echo "not ok mutex/sum # stacks $sum, plain count $n"
    sed 's/^/#   /' out
    status=1
fi
exit $status
