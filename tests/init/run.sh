#!/usr/bin/env bash
# run.sh COMMAND [DATA] [NAME...] - `hedgerow init` on many files: are its guesses the truth, and do
# its jobs run as they are?
#
# files/NAME.csv says what each column of a file is, and how to make the file (make.awk), which
# generator makes it, or where it lies in DATA; a file that is absent is left out, and the test then
# reports skipped (77). For each file: columns whose role is guessed, quasi-identifiers that are
# released, rows that the job suppresses, loss. The table is the one in docs/howto/draft-a-job.md;
# UPDATE=1 rewrites it. Fails if fewer than 95 of 100 columns agree in all files together, a
# quasi-identifier of some file is not released, more than 5 of 100 rows of a file are suppressed, a
# job fails, or the table in the docs is another one.
set -uo pipefail
export LC_ALL=C
hedgerow=$(realpath "$1")
data=${2:-}
shift $(($# < 2 ? $# : 2))
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
all=$(($# == 0))
[ $# -gt 0 ] || set -- $(cd "$here/files" && ls *.csv | sed 's/\.csv$//')
effort=${EFFORT:-quick}
failed=0 absent=0

# option NAME KEY - the value of a key in the first line of a description
option() { sed -n "1s/.* $2=\([^ ]*\).*/\1/p" "$here/files/$1.csv"; }

# make NAME - make or find the file; prints its path
make() {
    local kind source path=$work/$1/$1.csv
    mkdir -p "$work/$1"
    kind=$(option "$1" generate) source=$(option "$1" source)
    if [ -n "$kind" ]; then
        "$hedgerow" generate "$kind" --rows 2000 --seed 1 -o "$work/$1" --quiet $(option "$1" flags | tr = ' ')
        [ "$kind" = "$1" ] || mv "$work/$1/$kind.csv" "$path"
    elif [ -n "$source" ]; then
        [ -r "$data/$source" ] || return 1
        cp "$data/$source" "$path"
    else
        awk -f "$here/make.awk" "$here/files/$1.csv" >"$path"
    fi
    if [ -n "$(option "$1" encoding)" ]; then
        iconv -f utf-8 -t "$(option "$1" encoding)" "$path" >"$path.other" && mv "$path.other" "$path"
    fi
    echo "$path"
}

# truth NAME - `column,role` for every column
truth() {
    awk -F, 'NR > 2 {
        if (match($1, /\[[0-9]+\]$/)) {
            n = substr($1, RSTART + 1) + 0; name = substr($1, 1, RSTART - 1)
            for (i = 1; i <= n; i++) print name i "," $2
        } else print $1 "," $2
    }' "$here/files/$1.csv"
}

# compare NAME - the line of the table for a file
compare() {
    local path job=$work/$1/job.yaml columns agree quasi released figures suppressed rows loss p
    path=$(make "$1") || { echo "$1: absent" >&2; absent=1; return; }
    if ! "$hedgerow" init "$path" -o "$job" --format csv >"$work/guesses" 2>"$work/errors"; then
        cat "$work/errors" >&2; failed=1; return
    fi
    truth "$1" | sort >"$work/truth"
    tail -n +2 "$work/guesses" | cut -d, -f1,2 | sort >"$work/guessed"
    columns=$(wc -l <"$work/truth")
    agree=$(comm -12 "$work/truth" "$work/guessed" | wc -l)
    comm -13 "$work/truth" "$work/guessed" | sed "s/^/$1: guessed /" >>"$work/wrong"
    quasi=$(grep -c ',quasi$' "$work/truth")
    released=$(comm -12 <(grep ',quasi$' "$work/truth") "$work/guessed" | wc -l)
    if ! "$hedgerow" anonymize "$job" --effort "$effort" -o "$work/$1/release.csv" --format csv >"$work/figures" 2>"$work/errors"; then
        echo "$1: the job does not run" >&2; cat "$work/errors" >&2; failed=1; return
    fi
    figures=$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
        NR == 2 { print $at["rows"], $at["suppressed"], sprintf("%.3f", $at["ntil"]), $at["p"] }' "$work/figures")
    read -r rows suppressed loss p <<<"$figures"
    echo "| $1 | $rows | $columns | $agree | $released of $quasi | $suppressed | $p | $loss |"
    echo "$columns $agree" >>"$work/sums"
    [ "$released" = "$quasi" ] || { echo "$1: $released of $quasi quasi-identifiers are released" >&2; failed=1; }
    [ $((suppressed * 20)) -le "$rows" ] || { echo "$1: $suppressed of $rows rows are suppressed" >&2; failed=1; }
}

: >"$work/sums"; : >"$work/wrong"
for name; do compare "$name"; done >"$work/table"
cat "$work/wrong" >&2
read -r columns agree <<<"$(awk '{ c += $1; a += $2 } END { print c, a }' "$work/sums")"
cat "$work/table"
echo "$agree of $columns columns agree"
[ $((agree * 100)) -ge $((columns * 95)) ] || failed=1
page=$here/../../docs/howto/draft-a-job.md
head='| file | rows | columns | roles right |'
in_page() { awk -v head="$head" 'index($0, head) == 1 { on = 1; next } !/^\|/ { on = 0 } on && !/^\|-/' "$page"; }
if [ "$all" = 1 ] && [ $absent = 0 ] && [ "$effort" = quick ]; then
    if [ -n "${UPDATE:-}" ]; then
        awk -v head="$head" -v table="$work/table" '!/^\|/ { on = 0 } !on
            index($0, head) == 1 { on = 1; getline; print; while ((getline line <table) > 0) print line }' \
            "$page" >"$work/page" && cat "$work/page" >"$page"
    fi
    diff <(in_page) "$work/table" >&2 || { echo "the table in $page differs (UPDATE=1 rewrites it)" >&2; failed=1; }
fi
[ $failed = 0 ] || exit 1
[ $absent = 0 ] || exit 77
