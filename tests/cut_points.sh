#!/usr/bin/env bash
# cut_points.sh COMMAND [ADULT] - compare cut points that are chosen from the data with decades.
#
# Adult with the settings of Table 6 of Campan, Truta, Cooper 2010, but age as a number with `boundary: {width: 9}`:
# at every k and p of that table the chosen cut points suppress at most the rows that the decades of the
# hierarchy suppress, although the last of these is 70 to 99, wider than the chosen cells may be. Decades given as
# cut points suppress what the hierarchy does, and a run what `boundaries` says. Prints the table of
# docs/performance.md. Without the Adult data (the folder ADULT) the test is skipped (77).
set -euo pipefail
export LC_ALL=C
hedgerow=$(realpath "$1")
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
adult=${2:-$here/../../shared/data/adult}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [ ! -r "$adult/adult.csv" ]; then
    echo "skipped: the Adult data is absent"
    exit 77
fi

# job AGE - write a job with this description of the age
job() {
    echo "input: '$adult/adult.csv'"
    echo "attributes:"
    echo "  age: {role: quasi, $1}"
    for name in workclass marital-status race sex; do
        echo "  $name: {role: quasi, hierarchy: '$adult/hierarchies/$name.csv'}"
    done
    echo "  native-country: {role: quasi, hierarchy: '$adult/hierarchies/native-country.csv', boundary: {level: 1}}"
    for name in education-num education occupation; do echo "  $name: {role: sensitive}"; done
}
job "hierarchy: '$adult/hierarchies/age.csv', boundary: {level: 1}" >"$work/decades.yaml"
job "type: numeric, boundary: {width: 9}" >"$work/width.yaml"
job "type: numeric, boundary: {cuts: [20, 30, 40, 50, 60, 70]}" >"$work/cuts.yaml"

# prices JOB - print k,p,suppressed for the grid of Table 6
prices() {
    "$hedgerow" boundaries "$work/$1.yaml" -k 4,8,10,20 -p 2,3,4,6,8,10,13 --format csv 2>/dev/null |
        awk -F, 'NR > 1 && $2 <= $1 { print $1 "," $2 "," $3 }'
}
prices decades >"$work/decades"
prices width >"$work/width"
prices cuts >"$work/cuts"
cmp "$work/decades" "$work/cuts" # decades as cut points are the decades of the hierarchy
failed=0
echo "k,p,decades,width 9"
while IFS=, read -r k p decades k2 p2 width; do
    [ "$k,$p" = "$k2,$p2" ]
    echo "$k,$p,$decades,$width"
    if [ "$width" -gt "$decades" ]; then
        echo "k = $k, p = $p: the chosen cut points suppress $width rows, decades $decades" >&2
        failed=1
    fi
done < <(paste -d, "$work/decades" "$work/width")
for kp in "4 3" "20 13"; do
    read -r k p <<<"$kp"
    told=$("$hedgerow" anonymize "$work/width.yaml" -k "$k" -p "$p" -a greedy-pk --bound none --format csv \
        -o "$work/release.csv" 2>/dev/null | awk -F, 'NR == 2 { print $3 }')
    if ! grep -qx "$k,$p,$told" "$work/width"; then
        echo "k = $k, p = $p: a run suppresses $told rows, boundaries says something else" >&2
        failed=1
    fi
done
exit $failed
