#!/usr/bin/env bash
# claims.sh COMMAND [ADULT] - check what Truta et al. 2008, section 5, claim about AVG (mean rows per
# cluster, divided by k) with k = 20 on five data sets: 10,000 rows of Adult, and UU, UN, NU, NN.
#
#   1. Both clustering algorithms are better than incognito everywhere.
#   2. enhanced-pk is never worse than greedy-pk.
#   3. enhanced-pk is better than greedy-pk where p is hard, that is, where greedy-pk makes fewer clusters
#      than the upper limit that `hedgerow boundaries` prints. (The paper: both are optimal for p = 2 and 4,
#      enhanced-pk is better above.)
#   4. Both clustering algorithms reach that limit for p = 2 and 4.
#   5. greedy-pk loses less on normal quasi-identifiers, incognito on uniform ones.
#
# As in the paper, the clustering algorithms use QI_N as a number and incognito uses its hierarchy, and
# there are no boundaries. Seeds are fixed. Prints the table, and fails if a claim does not hold. ADULT is
# the folder of the Adult data; without it the other sets are checked and the test is skipped (77).
set -euo pipefail
export LC_ALL=C
hedgerow=$(realpath "$1")
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
adult=${2:-$here/../../shared/data/adult}
k=20 rows=10000
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# average JOB ALGORITHM P - print AVG; the NTIL goes to the file ntil-ALGORITHM
average() {
    if ! "$hedgerow" anonymize "$1" -a "$2" -k $k -p "$3" --seed 1 -o "$work/release.csv" \
        --report "$work/report.json" --quiet 2>"$work/stderr"; then
        cat "$work/stderr" >&2
        return 1
    fi
    sed -n 's/^ *"avg_clusters": \([0-9.]*\),*$/\1/p' "$work/report.json"
    sed -n 's/^ *"ntil": \([0-9.]*\),*$/\1/p' "$work/report.json" >"$work/ntil-$2"
}

# least JOB P - print the AVG of a release with the largest possible number of clusters
least() {
    "$hedgerow" boundaries "$1" -k $k -p "$2" --format csv --quiet | awk -F, -v n=$rows -v k=$k '
        NR == 1 { for (i = 1; i <= NF; i++) if ($i == "classes_at_most") at = i }
        NR == 2 { printf "%.15g\n", n / $at / k }'
}

# sample FILE - draw rows without replacement. The generator (Park and Miller) is written out so that every
# version of awk draws the same rows.
sample() {
    awk -v wanted=$rows 'NR == 1 { print; next } { line[++n] = $0 }
        END { seed = 1
              for (i = 1; i <= wanted && i <= n; i++) {
                  seed = (seed * 16807) % 2147483647
                  j = i + seed % (n - i + 1)
                  t = line[i]; line[i] = line[j]; line[j] = t
                  print line[i]
              } }' "$1"
}

write_adult_job() {
    local name
    echo "input: '$work/sample.csv'"
    echo "attributes:"
    for name in age workclass marital-status race sex native-country; do
        echo "  $name: {role: quasi, hierarchy: '$adult/hierarchies/$name.csv'}"
    done
    for name in education-num education occupation; do echo "  $name: {role: sensitive}"; done
}

# compare DATA CLUSTERING-JOB LEVELS-JOB P - print one line of the table
compare() {
    local greedy enhanced incognito bound
    greedy=$(average "$2" greedy-pk "$4")
    enhanced=$(average "$2" enhanced-pk "$4")
    incognito=$(average "$3" incognito "$4")
    bound=$(least "$2" "$4")
    printf '%s,%s,%.4f,%.4f,%.4f,%.4f,%.4f,%.4f\n' "$1" "$4" "$greedy" "$enhanced" "$incognito" "$bound" \
        "$(cat "$work/ntil-greedy-pk")" "$(cat "$work/ntil-incognito")"
}

{
    if [ -r "$adult/adult.csv" ]; then
        adult=$(realpath "$adult")
        sample "$adult/adult.csv" >"$work/sample.csv"
        write_adult_job >"$work/adult.yaml"
        for p in 2 4 6 8 10 12 13; do compare adult "$work/adult.yaml" "$work/adult.yaml" $p; done
    else
        touch "$work/absent"
    fi
    for name in uu un nu nn; do
        "$hedgerow" generate $name --rows $rows --seed 1 -o "$work/$name" --quiet
        for p in 2 4 6 8; do
            compare $name "$work/$name/$name.yaml" "$work/$name/$name-hierarchy.yaml" $p
        done
    done
} >"$work/lines"

echo "data,p,greedy_pk,enhanced_pk,incognito,bound,greedy_pk_ntil,incognito_ntil"
cat "$work/lines"
awk -F, '
    function fails(what) { print $1 ", p = " $2 ": " what > "/dev/stderr"; failed = 1 }
    $3 >= $5 { fails("greedy-pk is not better than incognito") }
    $4 >= $5 { fails("enhanced-pk is not better than incognito") }
    $4 > $3 { fails("enhanced-pk is worse than greedy-pk") }
    $3 > $6 && $4 >= $3 { fails("enhanced-pk is not better than greedy-pk, which is not at the bound") }
    $2 <= 4 && ($3 > $6 || $4 > $6) { fails("an easy p, and not the best AVG there can be") }
    $3 > $6 { hard++ }
    { greedy[$1, $2] = $7; incognito[$1, $2] = $8 }
    /^n[un],/ { uniform = "u" substr($1, 2)
        if (greedy[$1, $2] >= greedy[uniform, $2]) fails("greedy-pk loses no less than on " uniform)
        if (incognito[$1, $2] <= incognito[uniform, $2]) fails("incognito loses no more than on " uniform) }
    END { if (!hard) fails("no p is hard: the third claim says nothing"); exit failed }' "$work/lines"
if [ -e "$work/absent" ]; then
    echo "skipped: the Adult data is absent; the claims hold on the other sets"
    exit 77
fi
