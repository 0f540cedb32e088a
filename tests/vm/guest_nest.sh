# SPDX-License-Identifier: Apache-2.0
# In the guest: what programs that interrupt each other kept and what they lost is what was offered.
status=0
./zhen trace -c '/test/work load 3000 4' nest.bt >out 2>err

# Values of one map added up, and what was lost at one probe but for cut strings.
kept() {
    awk -v map="@$1[" '/^@/ { mine = index($0, map) == 1 } mine && /\]: [0-9]+$/ { s += $NF }
        END { print s + 0 }' out
}
lost() {
    sed -n "s/^  $1.*: //p" err | tr ',' '\n' |
        awk '!/cut|trunc/ { s += $1 } END { print s + 0 }'
}
value() { sed -n "s/^$1 //p" out; }

check() { # NAME OFFERED COUNTED MAP PROBE
    kept=$(kept $4) lost=$(lost $5)
    if [ -n "$2" ] && [ "$2" -gt 0 ] && [ "$2" = "$3" ] && [ $((kept + lost)) = "$2" ]; then
        echo "ok nest/$1"
    else
        echo "not ok nest/$1 # offered '$2', counted '$3', kept $kept, lost $lost"
        grep -v 'Lost\|WARNING' err | sed 's/^/#   /'
        status=1
    fi
}
check tracepoint "$(value load-opens)" "$(value @opens:)" open tracepoint
check uprobe "$(value load-steps)" "$(value @steps:)" step uprobe
check profile "$(value @samples:)" "$(value @samples:)" sample profile
sed -n '/^  /p' err | sed 's/^/# /'
exit $status
