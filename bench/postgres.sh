#!/usr/bin/env bash
# postgres.sh COMMAND FOLDER ROWS TURNS - compares reading and writing a table of PostgreSQL with \copy of
# psql, on a server that this script starts in FOLDER, an empty folder. Prints lines of bench/results.csv,
# below its header; prints nothing, and says why, where there is no server.
#
# They take turns, and the best turn counts. The time of psql is that of \copy alone. The time of `hedgerow
# anonymize` is `seconds.read` (connecting, COPY, encoding, hierarchies) and `seconds.write` (connecting,
# making the table, COPY). Neither has the COMMIT. `ratio` is the time of \copy in text format, the default
# of psql, over that of the line; MB/s are of that text. `identical`: the release of the
# table has the rows of the release of the CSV file; every written table has them in the same order.
set -euo pipefail
command=$(realpath "$1") rows=$3 turns=$4
header=$(head -1 "$(dirname "$0")/results.csv")
source "$(dirname "$0")/../tests/postgres_server.sh"
cd "$2"
trap stop_server EXIT
case $("$command" hierarchy check 'postgresql://none/none?table=t&connect_timeout=1' 2>&1) in
*'this build cannot'*) echo "PostgreSQL is not measured: the command was built without libpq" >&2; exit ;;
esac
chmod 755 .
mkdir server
start_server "$PWD/server" || { echo "PostgreSQL is not measured: $server_reason" >&2; exit; }

sql() { psql -qXAt -v ON_ERROR_STOP=1 "$@"; }

# timed STATEMENT [BEFORE]... - print the seconds of one statement of psql, in a transaction after others
timed() {
    local statement=$1 before=(-c BEGIN)
    shift
    for one; do before+=(-c "$one"); done
    sql "${before[@]}" -c '\timing on' -c "$statement" -c '\timing off' -c COMMIT |
        awk '$1 == "Time:" { print $2 / 1000; found = 1 } END { exit !found }'
}

# keep NAME SECONDS - the best turn of this name
declare -A best
keep() {
    if [ -z "${best[$1]:-}" ] || awk "BEGIN { exit !($2 < ${best[$1]}) }"; then best[$1]=$2; fi
}

# reported NAME - the seconds of a stage, from the report
reported() { sed -n '/"seconds"/,/}/s/^ *"'"$1"'": \([0-9.e+-]*\),*$/\1/p' report.json; }

# line NAME SIZE REFERENCE IDENTICAL
line() {
    awk -v name="$1" -v rows="$rows" -v bytes="$2" -v s="${best[$1]}" -v r="${3:+${best[$3]}}" -v same="$4" 'BEGIN {
        printf "%s,census,%d,,,,,,%.4f,%s,%s,%s,,,%.0f,,,,,,,\n", name, rows, s,
            r == "" ? "" : sprintf("%.4f", r), r == "" ? "" : sprintf("%.2f", r / s), same, bytes / 1e6 / s }'
}

"$command" generate census --rows "$rows" --seed 1 -o data --quiet
job=(data/census.yaml -a greedy-pk --bound none --quiet)
sql -c 'CREATE TABLE census (id text, name text, age integer, sex text, "marital-status" text, birthplace text,
        residence text, education text, diagnosis text, income integer)' \
    -c '\copy census FROM data/census.csv csv header' -c 'VACUUM ANALYZE census'
needed='SELECT age, sex, "marital-status", birthplace, residence, education, diagnosis, income FROM census'
"$command" anonymize "${job[@]}" -o csv.csv

# What psql loads: the same release, as the table that hedgerow makes.
"$command" anonymize "${job[@]}" --input 'postgresql:///?table=census' -o 'postgresql:///?table=model'
sql --csv -c 'SELECT * FROM model' >model.csv
read_same=no
if cmp -s <(tail -n +2 csv.csv) model.csv; then read_same=yes; fi
sql -c '\copy model TO release.text' -c '\copy model TO release.binary (FORMAT binary)'

write_same=$read_same
for ((turn = 0; turn < turns; turn++)); do
    for format in text binary; do
        keep "psql-out-$format" "$(timed "\\copy ($needed) TO needed.$format (FORMAT $format)")"
        sql -c CHECKPOINT
        keep "psql-in-$format" "$(timed "\\copy loaded FROM release.$format (FORMAT $format, FREEZE)" \
            'CREATE TABLE loaded (LIKE model)')"
        sql -c 'DROP TABLE loaded' -c CHECKPOINT
    done
    "$command" anonymize "${job[@]}" --input 'postgresql:///?table=census' -o 'postgresql:///?table=release' \
        --report report.json
    keep postgres-read "$(reported read)"
    keep postgres-write "$(reported write)"
    sql -c '\copy release TO again.text' -c 'DROP TABLE release' -c CHECKPOINT
    cmp -s release.text again.text || write_same=no
done
out=$(stat -c %s needed.text) in=$(stat -c %s release.text)
echo "$header"
line psql-out-text "$out" "" ""
line psql-out-binary "$out" psql-out-text ""
line postgres-read "$out" psql-out-text $read_same
line psql-in-text "$in" "" ""
line psql-in-binary "$in" psql-in-text ""
line postgres-write "$in" psql-in-text $write_same
