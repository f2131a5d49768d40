#!/usr/bin/env bash
# time_limit.sh COMMAND - `hedge --time-limit` on a cell whose boxes are not listed, with limits below, near and above
# what its first release takes: the release keeps the job's promises by `hedgerow check`, the seconds of the report
# say that the time was used, and with ample time less is lost than with hardly any. With a model beside k and p, some
# release better than that of the whole table as one class is found early, whatever the limit cancels.
set -euo pipefail
export LC_ALL=C
hedgerow=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
"$hedgerow" generate census --rows 10000 --seed 3 -o census --quiet

# figure NAME - the first number of this name in the report
figure() { sed -n "s/^ *\"$1\": \([0-9][0-9.e+-]*\),*$/\1/p" report.json | head -1; }

# second NAME - of a stage of the run
second() { sed -n '/^  "seconds": {/,/}/s/^ *"'"$1"'": \([0-9.e+-]*\),*$/\1/p' report.json; }

lost=()
for limit in 0.05 0.5 6; do
    rm -f report.json release.csv trace.csv
    "$hedgerow" anonymize census/census.yaml --boundaries count --time-limit "$limit" --quiet -o release.csv --trace trace.csv \
        --report report.json
    "$hedgerow" check release.csv census/census.yaml --boundaries count --original census/census.csv --trace trace.csv \
        --quiet
    lost+=("$(figure ntil)")
    awk -v limit="$limit" -v bound="$(second bound)" -v search="$(second search)" 'BEGIN {
        if (bound + search < 0.8 * limit) { print "limit " limit " ended after " bound + search " seconds"; exit 1 } }'
done
awk -v least="${lost[2]}" -v most="${lost[0]}" 'BEGIN {
    print "NTIL " most " with hardly any time, " least " with six seconds"
    exit !(least < most) }'

for model in "entropy-l 3" "alpha 0.4" "t 0.3"; do
    rm -f report.json release.csv trace.csv
    # shellcheck disable=SC2086 # a flag and its value
    "$hedgerow" anonymize census/census.yaml --boundaries count --$model --time-limit 0.3 --quiet -o release.csv \
        --trace trace.csv --report report.json
    # shellcheck disable=SC2086
    "$hedgerow" check release.csv census/census.yaml --boundaries count --$model --original census/census.csv \
        --trace trace.csv --quiet
    awk -v model="$model" -v lost="$(figure ntil)" 'BEGIN {
        print "NTIL " lost " with " model
        exit !(lost < 0.9) }'
done
