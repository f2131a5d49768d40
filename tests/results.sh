#!/usr/bin/env bash
# results.sh COMMAND [ADULT] - compare the losses of the algorithms with results.csv in this folder.
#
# data x algorithm x boundaries x k x p -> ntil, clusters, classes, suppressed. Recomputes every line; if a
# line differs, prints a diff and fails. UPDATE=1 rewrites the file, so that a better or worse result shows
# in the diff of the commit. ADULT is the folder of the Adult data; without it the lines of Adult stay
# unchanged and, if the other lines agree, the test is skipped (77).
set -euo pipefail
export LC_ALL=C
hedgerow=$(realpath "$1")
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
adult=${2:-$here/../../shared/data/adult}
expected=$here/results.csv
header=data,algorithm,boundaries,k,p,ntil,clusters,classes,suppressed
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# figure SECTION NAME - print a number of the report, which has one name per line
figure() { sed -n "/^  \"$1\"/,/^  }/s/^ *\"$2\": \([^,]*\),*\$/\1/p" "$work/report.json"; }

# result DATA JOB ALGORITHM[:EFFORT] BOUNDARIES K P - run the job and print its line
result() {
    local flags=(-a "${3%:*}" -k "$5" -p "$6" -o "$work/release.csv" --report "$work/report.json" --quiet)
    case $3 in
    *:*) flags+=(--effort "${3#*:}" --bound simple) ;;
    esac
    case $3,$4 in
    Greedy*) ;; # the names of the papers imply whether boundaries are enforced
    *,none) ;;
    *) flags+=(--boundaries "$4") ;;
    esac
    if ! "$hedgerow" anonymize "$2" "${flags[@]}" 2>"$work/stderr"; then
        echo "hedgerow anonymize, $*:" >&2
        cat "$work/stderr" >&2
        return 1
    fi
    printf '%s,%s,%s,%s,%s,%.8f,%s,%s,%s\n' "$1" "$3" "$4" "$5" "$6" "$(figure loss ntil)" \
        "$(sed -n 's/^  "clusters": \([0-9]*\).*/\1/p' "$work/report.json")" \
        "$(figure classes count)" "$(figure rows suppressed)"
}

# The setting of Campan, Truta, Cooper 2010.
write_adult_job() {
    local name boundary
    echo "input: '$adult/adult.csv'"
    echo "attributes:"
    for name in age workclass marital-status race sex native-country; do
        case $name in
        age | native-country) boundary=", boundary: {level: 1}" ;;
        *) boundary= ;;
        esac
        echo "  $name: {role: quasi, hierarchy: '$adult/hierarchies/$name.csv'$boundary}"
    done
    echo "  education-num: {role: sensitive, weight: 0.3}"
    echo "  education: {role: sensitive, weight: 0.3}"
    echo "  occupation: {role: sensitive, weight: 0.4}"
}

adult_results() {
    local job=$work/adult.yaml algorithm boundaries asked
    write_adult_job >"$job"
    for boundaries in enforce count; do
        for algorithm in greedy-pk enhanced-pk incognito mam hedge:quick hedge:normal; do
            for asked in "4 2" "10 3" "20 13"; do
                result adult "$job" $algorithm $boundaries $asked
            done
        done
        for asked in 4 10 20; do result adult "$job" k-member $boundaries $asked 1; done
    done
    for asked in "4 2" "10 3" "20 13"; do result adult "$job" GreedyCPKA enforce $asked; done
    for asked in "4 2" "10 3" "20 13"; do
        result adult "$job" GreedyPKClustering count $asked
    done
    for asked in 4 10 20; do result adult "$job" GreedyCKA enforce $asked 1; done
}

# kind_results NAME - a synthetic set, which has no boundaries
kind_results() {
    local algorithm p
    "$hedgerow" generate "$1" --rows 10000 --seed 1 -o "$work/$1" --quiet
    for algorithm in greedy-pk enhanced-pk hedge:quick; do
        for p in 2 4 6 8; do result "$1" "$work/$1/$1.yaml" $algorithm none 20 $p; done
    done
    result "$1" "$work/$1/$1.yaml" k-member none 20 1
    for p in 2 4 6 8; do result "$1" "$work/$1/$1-hierarchy.yaml" incognito none 20 $p; done
}

touch "$work/adult" "$work/kinds"
if [ -r "$adult/adult.csv" ]; then
    adult=$(realpath "$adult")
    adult_results >"$work/adult"
else
    touch "$work/absent"
    if [ -f "$expected" ]; then sed -n '/^adult,/p' "$expected" >"$work/adult"; fi
fi
for name in uu un nu nn; do kind_results $name >>"$work/kinds"; done
{ echo $header; cat "$work/adult" "$work/kinds"; } >"$work/results.csv"

if [ "${UPDATE:-0}" = 1 ]; then
    cp "$work/results.csv" "$expected"
else
    diff -U0 --label expected "$expected" --label actual "$work/results.csv"
    if [ -e "$work/absent" ]; then
        echo "skipped: the Adult data is absent; the other lines agree"
        exit 77
    fi
fi
