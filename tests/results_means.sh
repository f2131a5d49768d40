#!/usr/bin/env bash
# results_means.sh COMMAND [CENSUS] - compare the losses of the algorithms that publish means with
# results_means.csv in this folder.
#
# data x algorithm x k x p -> sse_sst, clusters, classes. If a line differs, prints a diff and fails;
# UPDATE=1 rewrites the file. CENSUS is the file of the census of Domingo-Ferrer, Sebé, Solanas 2007;
# without it the test is skipped (77).
set -euo pipefail
export LC_ALL=C
hedgerow=$(realpath "$1")
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
census=${2:-$here/../../shared/data/casc/census.csv}
expected=$here/results_means.csv
quasi=AFNLWGT,AGI,EMCONTRB,FEDTAX,PTOTVAL,STATETAX
if [ ! -r "$census" ]; then
    echo "skipped: the census is absent"
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# result ALGORITHM K P - run the algorithm and print its line
result() {
    "$hedgerow" anonymize "$census" --quasi $quasi --numeric $quasi \
        --sensitive TAXINC,POTHVAL,INTVAL --bins TAXINC=15 --bins POTHVAL=15 --bins INTVAL=15 \
        --drop PEARNVAL,FICA,WSALVAL,ERNVAL -a "$1" -k "$2" -p "$3" -o "$work/release.csv" \
        --format csv >"$work/figures"
    awk -F, -v name="census,$1,$2,$3" '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
        NR == 2 { printf "%s,%.8f,%s,%s\n", name, $at["sse_sst"], $at["clusters"], $at["classes"] }' \
        "$work/figures"
}

{
    echo data,algorithm,k,p,sse_sst,clusters,classes
    for k in 3 5 7 10; do
        for algorithm in mdav cbfs; do result $algorithm $k 1; done
        for p in 3 5 7 10; do
            if [ $p -gt $k ]; then continue; fi
            for algorithm in micro-k-first micro-p-first; do result $algorithm $k $p; done
        done
    done
} >"$work/results.csv"

if [ "${UPDATE:-0}" = 1 ]; then
    cp "$work/results.csv" "$expected"
else
    diff -U0 --label expected "$expected" --label actual "$work/results.csv"
fi
