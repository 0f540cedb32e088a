# SPDX-License-Identifier: Apache-2.0
# In the guest: every way of attaching counts what the test programs trigger.
status=0
for program in test_*_probes; do
    CMOCKA_MESSAGE_OUTPUT=TAP ./$program >out 2>err
    code=$?
    sed -n -E -e "s|^(not )?ok [0-9]+ - ([a-z0-9_]+)\$|\1ok $program/\2|p" \
        -e "s|^not ok [0-9]+ # SKIP ([a-z0-9_]+).*|skip $program/\1 # this kernel has no such feature|p" out
    if [ $code != 0 ]; then
        cat out err | sed 's/^/# /'
        status=1
    fi
done
exit $status
