#!/usr/bin/env bash
# never_worse.sh COMMAND [ADULT] - hedge, at its quickest, never loses more than another algorithm.
#
# At every k and p of Table 6 of Campan, Truta, Cooper 2010 on Adult (within boundaries and without, if
# the folder is there), and on the synthetic sets of Truta et al. 2008: against greedy-pk and enhanced-pk,
# incognito where all attributes have hierarchies, and k-member where p is 1.
set -euo pipefail
export LC_ALL=C
hedgerow=$(realpath "$1")
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
adult=${2:-$here/../../shared/data/adult}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# ntil JOB FLAG...
ntil() {
    "$hedgerow" anonymize "$@" -o "$work/release.csv" --report "$work/report.json" --bound none --quiet
    sed -n 's/^ *"ntil": \([^,]*\),*$/\1/p' "$work/report.json"
}

# compare JOB K P FLAG...
compare() {
    local job=$1 k=$2 p=$3 ours theirs algorithm algorithms=(greedy-pk enhanced-pk)
    shift 3
    [ "$p" = 1 ] && algorithms+=(k-member)
    grep -q 'type: numeric' "$job" || algorithms+=(incognito)
    ours=$(ntil "$job" -a hedge --effort quick -k "$k" -p "$p" "$@")
    for algorithm in "${algorithms[@]}"; do
        theirs=$(ntil "$job" -a "$algorithm" -k "$k" -p "$p" "$@")
        if ! awk -v ours="$ours" -v theirs="$theirs" 'BEGIN { exit !(ours <= theirs) }'; then
            echo "$(basename "$job"), k = $k, p = $p $*: hedge $ours, $algorithm $theirs" >&2
            failed=1
        fi
    done
}

for kind in uu un nu nn; do
    "$hedgerow" generate $kind --rows 10000 --seed 1 -o "$work" --quiet
    for p in 1 2 4 6 8; do
        compare "$work/$kind.yaml" 20 $p
        compare "$work/$kind-hierarchy.yaml" 20 $p
    done
done
if [ -d "$adult" ]; then
    job=$work/adult.yaml
    echo "input: '$adult/adult.csv'" >"$job"
    echo "attributes:" >>"$job"
    for name in age workclass marital-status race sex native-country; do
        echo "  $name: {role: quasi, hierarchy: '$adult/hierarchies/$name.csv'}"
    done >>"$job"
    for name in education-num education occupation; do echo "  $name: {role: sensitive}"; done >>"$job"
    bounds=(--boundary age=level:1 --boundary native-country=level:1)
    for k in 4 8 10 20; do
        for p in 1 2 3 4 6 8 10 13; do
            [ $p -le $k ] || continue
            compare "$job" $k $p "${bounds[@]}"
            compare "$job" $k $p
        done
    done
fi
exit $failed
