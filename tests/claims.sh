#!/usr/bin/env bash
# claims.sh COMMAND [ADULT] - what Truta et al. 2008, section 5, say of AVG (rows a cluster over k, as the
# paper counts) with k = 20 on five sets: 10,000 rows of Adult, and UU, UN, NU, NN.
#
#   1. both clustering algorithms are better than incognito, everywhere
#   2. enhanced-pk is not worse than greedy-pk, anywhere
#   3. it is better where p is hard: where greedy-pk makes fewer clusters than there can be (the bound that
#      `hedgerow boundaries` tells; the paper: both are optimal for p = 2 and 4, enhanced-pk is better above)
#   4. both clustering algorithms are at the bound for p = 2 and 4
#   5. greedy-pk loses less where quasi-identifiers are normal, incognito where they are uniform
#
# As the paper did, clusters take QI_N by its numbers and incognito by its hierarchy, and there are no
# boundaries. Seeds are fixed. Prints the table and fails where a claim does not hold. ADULT is the folder
# of the Adult data; where it is absent its lines are left out.
set -euo pipefail
export LC_ALL=C
hedgerow=$(realpath "$1")
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
adult=${2:-$here/../../shared/data/adult}
k=20 rows=10000
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# average JOB ALGORITHM P
average() {
    if ! "$hedgerow" anonymize "$1" -a "$2" -k $k -p "$3" --seed 1 -o "$work/release.csv" \
        --report "$work/report.json" --quiet 2>"$work/stderr"; then
        cat "$work/stderr" >&2
        return 1
    fi
    sed -n 's/^ *"avg_clusters": \([0-9.]*\),*$/\1/p' "$work/report.json"
    sed -n 's/^ *"ntil": \([0-9.]*\),*$/\1/p' "$work/report.json" >"$work/ntil-$2"
}

# least JOB P - AVG with as many clusters as there can be at most
least() {
    "$hedgerow" boundaries "$1" -k $k -p "$2" --format csv --quiet | awk -F, -v n=$rows -v k=$k '
        NR == 1 { for (i = 1; i <= NF; i++) if ($i == "classes_at_most") at = i }
        NR == 2 { printf "%.15g\n", n / $at / k }'
}

# Rows drawn without replacement, by a generator of its own (Park and Miller), so that every awk draws the same.
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

# compare DATA CLUSTERING-JOB LEVELS-JOB P - one line
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
        echo "the Adult data is absent: its lines are left out" >&2
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
