#!/usr/bin/env bash
# run.sh COMMAND [CASE...] - run golden cases (all of them if none is named).
#
# A case is a subfolder of this folder with these files:
#   cmd        a bash script; runs in a temporary copy of the folder. $HEDGEROW is the command,
#              $EXAMPLES the folder examples/
#   stdout     expected standard output
#   stderr     expected standard error (optional)
#   status     expected exit status (optional; 0 if absent)
#   expected/  files that the script must write (optional)
# UPDATE=1 rewrites stdout, and stderr and the files in expected/ that already exist: for a new case,
# create them empty. UPDATE never writes `status`, because scripts of users depend on it.
set -uo pipefail
HEDGEROW=$(realpath "$1")
shift
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
EXAMPLES=$(realpath "$here/../../examples")
export HEDGEROW EXAMPLES LC_ALL=C
update=${UPDATE:-0}
if [ $# = 0 ]; then
    for cmd in "$here"/*/cmd; do set -- "$@" "$(basename "$(dirname "$cmd")")"; done
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# same EXPECTED ACTUAL - compare two files; with UPDATE=1, copy the second to the first
same() {
    if [ "$update" = 1 ]; then
        cmp -s "$1" "$2" || cp "$2" "$1"
        return
    fi
    if [ ! -f "$1" ]; then
        echo "there is no ${1#"$here"/} (UPDATE=1 makes it); the command gave:"
        cat "$2"
        return 1
    fi
    diff -u --label "expected ${1#"$here"/}" --label actual "$1" "$2"
}

run_case() {
    local case=$here/$1 copy=$work/$1 status=0 expected=0 good=0 file
    cp -r "$case" "$copy"
    (cd "$copy" && bash ./cmd >"$work/stdout" 2>"$work/stderr" </dev/null) || status=$?
    [ -f "$case/status" ] && expected=$(<"$case/status")
    if [ "$status" != "$expected" ]; then
        echo "exit status $status, expected $expected; standard error:"
        cat "$work/stderr"
        good=1
    fi
    same "$case/stdout" "$work/stdout" || good=1
    if [ -f "$case/stderr" ]; then same "$case/stderr" "$work/stderr" || good=1; fi
    if [ -d "$case/expected" ]; then
        while IFS= read -r -d '' file; do
            file=${file#"$case/expected/"}
            if [ -f "$copy/$file" ]; then
                same "$case/expected/$file" "$copy/$file" || good=1
            else
                echo "the command wrote no $file"
                good=1
            fi
        done < <(find "$case/expected" -type f -print0 | sort -z)
    fi
    return $good
}

failed=0
for name; do
    if [ ! -f "$here/$name/cmd" ]; then
        echo "FAILED $name: no tests/golden/$name/cmd"
        failed=1
    elif output=$(run_case "$name"); then
        echo "ok $name"
    else
        printf 'FAILED %s\n%s\n' "$name" "$output"
        failed=1
    fi
done
exit $failed
