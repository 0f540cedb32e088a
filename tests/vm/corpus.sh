#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs scripts that say in their comments what they must print; sh of busybox is enough.
# usage: corpus.sh ZHEN FOLDER PREFIX [FLAG...] -- SCRIPT.bt...
#   ZHEN    the program      FOLDER  where the workload lies, /test in the scripts
#   PREFIX  stands before every test's name
#   FLAG    further options for every script (--no-feature btf)
#
# Words of a script:
#   // run: COMMAND       traced by -c; without it the script must end by itself
#   // args: WORDS        what stands behind the script
#   // flags: WORDS       options of the command line
#   // needs: FEATURE…    rows of `zhen check` without which the script is skipped
#   // status: N          the exit code, 0 if not said
#   // dry                load and attach only
#   // expect: LINE       a line of the output, exactly
#   // expect~ REGEX      a line of the output, extended regular expression
#   // forbid: REGEX      no line may match
set -u
zhen=$1 folder=$2 prefix=$3
shift 3
flags=
while [ "$1" != -- ]; do
    flags="$flags $1"
    shift
done
shift
work=$(mktemp -d "${TMPDIR:-/tmp}/zhen-corpus.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 143' INT TERM
failed=0

# shellcheck disable=SC2086
has_feature() {
    printf '%s\n' "$features" | grep -qE "^  $1 +yes"
}
words() { sed -n "s|^// $1 ||p" "$script"; }

features=$("$zhen" check 2>/dev/null)
for script; do
    name=$prefix$(basename "$script" .bt)
    missing=
    for feature in $(words needs:); do
        case " $flags " in *[\ ,]"$feature"[\ ,]*) missing=$feature ;; esac
        has_feature "$feature" || missing=$feature
    done
    if [ -n "$missing" ]; then
        echo "skip $name # this kernel has no $missing"
        continue
    fi
    run=$(words run:) more=$(words flags:) args=$(words args:) want=$(words status:)
    sed "s|/test/work|$folder/work|g" "$script" >"$work/script.bt"
    set -- $flags $more
    if grep -q '^// dry' "$script"; then
        set -- "$@" --dry-run
    elif [ -n "$run" ]; then
        set -- "$@" -c "$folder/$run"
    fi
    timeout 60 "$zhen" trace "$@" "$work/script.bt" $args >"$work/out" 2>"$work/err" </dev/null
    status=$?
    cat "$work/err" >>"$work/out"
    wrong=
    [ $status = "${want:-0}" ] || wrong="exit code $status"
    words expect: >"$work/lines"
    while IFS= read -r line; do
        grep -qxF -e "$line" "$work/out" || wrong="${wrong:+$wrong; }no line '$line'"
    done <"$work/lines"
    words 'expect~' >"$work/lines"
    while IFS= read -r line; do
        grep -qE -e "$line" "$work/out" || wrong="${wrong:+$wrong; }nothing like '$line'"
    done <"$work/lines"
    words forbid: >"$work/lines"
    while IFS= read -r line; do
        ! grep -qE -e "$line" "$work/out" || wrong="${wrong:+$wrong; }there is '$line'"
    done <"$work/lines"
    if [ -z "$wrong" ]; then
        echo "ok $name"
    else
        echo "not ok $name # $wrong"
        head -n 60 "$work/out" | cut -c 1-200 | sed 's/^/#   /'
        failed=1
    fi
done
exit $failed
