#!/usr/bin/env bash
# postgres.sh COMMAND UNIT - PostgreSQL from end to end, with a server that this script starts on a
# socket in a temporary folder: the release of a table is that of the same data as CSV and SQLite;
# types survive; outputs appear whole or not at all; passwords appear nowhere; faults of the server.
# UNIT is the program test_postgres, which tries failing allocations. Exit status 77: there is no server,
# or the command was built without libpq. KILLS sets how often a run is killed (6).
set -uo pipefail
command=$(realpath "$1") unit=$(realpath "$2")
source "$(dirname "$0")/postgres_server.sh"
tests=$(realpath "$(dirname "$0")")
kills=${KILLS:-6}
work=$(mktemp -d)
trap 'stop_server; jobs -p | xargs -r kill 2>/dev/null; rm -rf "$work"' EXIT
cd "$work"
failed=0
fail() { echo "FAILED: $*"; failed=1; }
same() { [ "$2" = "$3" ] || fail "$1: '${2:0:500}' instead of '${3:0:500}'"; }
case $("$command" hierarchy check 'postgresql://none/none?table=t&connect_timeout=1' 2>&1) in
*'this build cannot'*) echo "skipped: the command was built without libpq"; exit 77 ;;
esac
chmod 755 "$work"
mkdir server all
start_server "$work/server" || { echo "skipped: $server_reason"; exit 77; }

sql() { psql -qXAt -v ON_ERROR_STOP=1 "$@" 2>&1; }
# run ARGUMENT...: the command; everything that it prints is kept, to be searched for passwords
run() {
    runs=$((runs + 1))
    "$command" "$@" >"all/out.$runs" 2>&1
}
runs=0
printed() { cat "all/out.$runs"; }
run_ok() { run "$@" || fail "${*} says: $(printed)"; }

# ---- the same release from CSV, SQLite and PostgreSQL ----
"$command" generate census --rows 3000 --seed 5 -o data -q
columns='id text, name text, age integer, sex text, "marital-status" text, birthplace text, residence text, education text, diagnosis text, income integer'
sql -c "CREATE TABLE \"the census\" ($columns)" -c "\\copy \"the census\" FROM data/census.csv csv header"
sql -c 'CREATE SCHEMA trees' -c 'CREATE SCHEMA "odd ""schema"'
for file in data/hierarchies/*.csv; do
    name=$(basename "$file" .csv)
    levels=$(head -1 "$file" | tr ';' '\n' | awk '{ printf "%sl%d text", (NR > 1 ? ", " : ""), NR }')
    sql -c "CREATE TABLE trees.\"$name\" ($levels)" -c "\\copy trees.\"$name\" FROM '$file' csv delimiter ';'"
done
sed -e 's,^input:.*,input: postgresql:///postgres?table=the%20census,' \
    -e 's,hierarchies/\([a-z-]*\).csv,"postgresql:///?table=trees.\1",' \
    -e 's,^output:.*,output: postgresql:///?table=release,' \
    -e '$a trace: postgresql:///?table=trace' data/census.yaml >data/job.yaml
run_ok anonymize data/census.yaml -q --effort quick -o csv.csv
run_ok anonymize data/job.yaml -q --effort quick -o postgres.csv --trace trace.csv
cmp csv.csv postgres.csv || fail 'the releases from CSV and PostgreSQL differ'
run_ok anonymize data/job.yaml -q --effort quick -o 'sqlite:all.db?table=release' --trace trace.csv
run_ok anonymize data/census.yaml -q --effort quick --input 'postgresql:///?query=SELECT * FROM "the census" -- all' -o query.csv
cmp csv.csv query.csv || fail 'the release of a query differs'
run_ok anonymize data/job.yaml --effort quick
# The table has the rows of the file, in their order.
same 'rows of the release' "$(sql --csv -c 'SELECT * FROM release')" "$(tail -n +2 csv.csv)"
same 'types of the release' "$(sql -c "SELECT string_agg(format_type(atttypid, atttypmod), ',' ORDER BY attnum) FROM pg_attribute WHERE attrelid = 'release'::regclass AND attnum > 0")" \
    text,text,text,text,text,text,text,integer
run_ok check 'postgresql:///?table=release' data/job.yaml -q --trace 'postgresql:///?table=trace' --original 'postgresql:///?table=the%20census'
run_ok check 'postgres:///?query=SELECT * FROM release' data/census.yaml -q
same boundaries "$("$command" boundaries data/job.yaml --format csv 2>&1)" "$("$command" boundaries data/census.yaml --format csv 2>&1)"
run_ok compare data/job.yaml -q -a mam -k 5 -p 2
run_ok hierarchy check 'postgresql:///?table=trees.age' --data 'postgresql:///?table=the%20census:age'
run_ok init 'postgresql:///?table=the%20census' -o drafted.yaml
run_ok anonymize drafted.yaml -q --effort quick -o drafted.csv
run_ok anonymize data/job.yaml -q --effort quick -o a.csv --bound lagrangian --trace t.csv --certificate 'postgresql:///?table=proof'
run_ok check a.csv data/job.yaml -q --original 'postgresql:///?table=the%20census' --trace t.csv --certificate 'postgresql:///?table=proof'
# From SQLite into PostgreSQL.
run_ok anonymize 'sqlite:all.db?table=release' --quasi sex --hierarchy sex=flat --keep income -k 3 -q -o 'postgresql:///?table=from_sqlite'
same 'type from SQLite' "$(sql -c "SELECT format_type(atttypid, -1) FROM pg_attribute WHERE attrelid = 'from_sqlite'::regclass AND attname = 'income'")" bigint
# A table of parents.
sql -c 'CREATE TABLE trees.parents (child text, parent text)' -c "INSERT INTO trees.parents VALUES ('a', 'ab'), ('b', 'ab'), ('c', 'cd'), ('d', 'cd'), ('ab', '*'), ('cd', '*')" \
    -c 'CREATE TABLE letters (l text, s text)' -c "INSERT INTO letters SELECT substr('abcd', i % 4 + 1, 1), i % 7 FROM generate_series(1, 40) i"
cat >letters.yaml <<'YAML'
input: postgresql:///?table=letters
model: {k: 3}
attributes:
  l: {role: quasi, hierarchy: {parents: 'postgresql:///?table=trees.parents'}, boundary: [ab, cd]}
  s: {role: sensitive}
output: postgresql:///?table=letters_masked
YAML
mkdir -p elsewhere && cp letters.yaml elsewhere
run_ok anonymize elsewhere/letters.yaml -q

# ---- comments ----
same 'comment on the table' "$(sql -c "SELECT obj_description('release'::regclass)")" \
    "Anonymized by Hedgerow $("$command" --version | cut -d' ' -f2): k = 5, p = 2; boundaries enforced"
same 'comment on a column' "$(sql -c "SELECT col_description('release'::regclass, attnum) FROM pg_attribute WHERE attrelid = 'release'::regclass AND attname IN ('residence', 'income') ORDER BY attnum")" \
    'quasi-identifier, generalized; boundary: level 2
sensitive attribute, as in the original'
same 'comment on letters' "$(sql -c "SELECT col_description('letters_masked'::regclass, 1)")" 'quasi-identifier, generalized; boundary: ab, cd'

# ---- every value and type ----
sql <<'SQL' || fail 'table of types'
CREATE TYPE "a Mood" AS ENUM ('sad', 'o"k', 'happy');
CREATE DOMAIN positive AS integer CHECK (value > 0);
CREATE TABLE types (zip text, i2 smallint, i4 integer, i8 bigint, f4 real, f8 double precision,
    n numeric, n2 numeric(10,2), n50 numeric(50,3), b boolean, "a ""note""" text, c char(5), vc varchar(9), d date, d2 date,
    t time, ts timestamp, ts2 timestamp, tz timestamptz, u uuid, e "a Mood", p positive, iv interval, ip inet, j jsonb);
INSERT INTO types SELECT substr('abc', x % 3 + 1, 1), v2, v4, v8, r, g, n, round(x * 1.37, 2), x / 7.0, x % 2 = 0,
    (ARRAY['', 'text', 'ü€', 'a,b"c', NULL])[x % 5 + 1], 'ab', 'v' || x, DATE '1969-12-30' + x, dd, tt, s, ss, s AT TIME ZONE 'Europe/Paris',
    md5((x % 9)::text)::uuid, (ARRAY['sad', 'o"k', 'happy', NULL])[x % 4 + 1]::"a Mood", x + 1, make_interval(hours => x), ('10.0.0.' || x % 4)::inet, '{"a": 1}'
FROM generate_series(0, 199) x, LATERAL (SELECT
    (ARRAY[-32768, 32767, 0, NULL])[x % 4 + 1]::smallint v2, (ARRAY[-2147483648, 2147483647, 7])[x % 3 + 1]::integer v4,
    (ARRAY[-9223372036854775808, 9223372036854775807, 7])[x % 3 + 1]::bigint v8,
    (ARRAY['NaN', 'Infinity', '-Infinity', '0.1', '-0', '1e-40', '3.4e38'])[x % 7 + 1]::real r,
    (ARRAY['NaN', 'Infinity', '-Infinity', '0.1', '-0', '5e-324', '1.7976931348623157e308', NULL])[x % 8 + 1]::double precision g,
    (ARRAY['NaN', 'Infinity', '-Infinity', '0', '0.00', '1e-20', '12345678901234567890123456789.5', '-10000', '1e30', NULL])[x % 10 + 1]::numeric n,
    (ARRAY['infinity', '-infinity', '0001-01-01', '4713-01-01 BC', '9999-12-31', '20000-01-01', NULL])[x % 7 + 1]::date dd,
    (ARRAY['00:00', '24:00', '12:34:56.789', '23:59:59.999999'])[x % 4 + 1]::time tt,
    (ARRAY['1999-12-31 23:59:59.999999', '2000-01-01', '0044-03-15 12:00 BC', '1900-01-01 00:00:00.5'])[x % 4 + 1]::timestamp s,
    (ARRAY['infinity', '-infinity', '2020-01-01', NULL])[x % 4 + 1]::timestamp ss) v;
SQL
kept=$(sql -c "SELECT string_agg(attname, ',' ORDER BY attnum) FROM pg_attribute WHERE attrelid = 'types'::regclass AND attnum > 1")
run_ok anonymize 'postgresql:///?table=types' --quasi zip --hierarchy zip=flat --keep "$kept" -k 3 -q -o 'postgresql:///?table="odd ""schema"."masked.types"'
masked='"odd ""schema"."masked.types"'
list='i2, i4, i8, f4, f8, n, n2, n50, b, "a ""note""", c, vc, d, d2, t, ts, ts2, tz, u, e, p, iv, ip, j'
same 'rows of types' "$(sql -c "SELECT count(*) FROM $masked")" 200
same 'values that changed' "$(sql -c "SET intervalstyle = iso_8601" -c "SELECT count(*) FROM (SELECT i2, i4, i8, f4::text, f8::text, n::text, n2::text, n50::text, b, \"a \"\"note\"\"\", c::text, vc::text, d, d2, t, ts, ts2, tz, u, e, p, iv::text, ip::text, j::text FROM types EXCEPT ALL SELECT i2, i4, i8, f4::text, f8::text, n::text, n2::text, n50::text, b, \"a \"\"note\"\"\", c, vc, d, d2, t, ts, ts2, tz, u, e, p, iv, ip, j FROM $masked) x")" 0
same 'types that changed' "$(sql -c "SELECT string_agg(attname || ' ' || format_type(atttypid, atttypmod), ', ' ORDER BY attnum) FROM pg_attribute WHERE attrelid = '$masked'::regclass AND attnum > 0")" \
    'zip text, i2 smallint, i4 integer, i8 bigint, f4 real, f8 double precision, n numeric, n2 numeric(10,2), n50 numeric(50,3), b boolean, a "note" text, c text, vc text, d date, d2 date, t time without time zone, ts timestamp without time zone, ts2 timestamp without time zone, tz timestamp with time zone, u uuid, e "a Mood", p integer, iv text, ip text, j text'
# Partitions, inheritance, generated columns, domains of other types, materialized views.
sql -c 'CREATE TABLE parts (z text, v integer, twice integer GENERATED ALWAYS AS (v * 2) STORED) PARTITION BY LIST (z)' \
    -c "CREATE TABLE part_a PARTITION OF parts FOR VALUES IN ('a')" -c "CREATE TABLE part_b PARTITION OF parts FOR VALUES IN ('b')" \
    -c "INSERT INTO parts (z, v) SELECT substr('ab', i % 2 + 1, 1), i FROM generate_series(1, 40) i"
sql -c 'CREATE TABLE kin (z text, v integer)' -c 'CREATE TABLE heir (more integer) INHERITS (kin)' \
    -c "INSERT INTO kin SELECT 'a', i FROM generate_series(1, 10) i" -c "INSERT INTO heir SELECT 'b', i, i FROM generate_series(1, 10) i" \
    -c 'CREATE DOMAIN mood AS "a Mood"' -c 'CREATE DOMAIN price AS numeric(8,2)' -c 'CREATE MATERIALIZED VIEW seen AS SELECT z, v FROM parts' \
    -c "CREATE TABLE domains AS SELECT 'q' AS z, 'sad'::mood AS m, 1.25::price AS e FROM generate_series(1, 5)"
keep() { run_ok anonymize "postgresql:///?table=$1" --quasi z --hierarchy z=flat --keep "$2" -k 3 -q -o "postgresql:///?table=${1}_masked"; }
keep parts v,twice && same 'partitions' "$(sql -c 'SELECT count(*), sum(twice) FROM parts_masked')" '40|1640'
keep kin v && same 'a table and its heir' "$(sql -c 'SELECT count(*), sum(v) FROM kin_masked')" '20|110'
keep seen v && same 'a materialized view' "$(sql -c 'SELECT count(*), sum(v) FROM seen_masked')" '40|820'
keep domains m,e && same 'domains' "$(sql -c "SELECT string_agg(format_type(atttypid, atttypmod), ',' ORDER BY attnum) FROM pg_attribute WHERE attrelid = 'domains_masked'::regclass AND attnum > 0")" 'text,"a Mood",numeric(8,2)'
refused_parts() { run anonymize 'postgresql:///?table=kin' --quasi z --hierarchy z=flat -k 3 -q --replace -o "postgresql:///?table=$1" && fail "$1 was replaced"; printed | grep -q "$2" || fail "$1: $(printed)"; }
refused_parts parts 'is a partitioned table'
refused_parts part_a 'parts depends'
# A database without the enum gets its labels.
sql -c 'CREATE DATABASE other'
run_ok anonymize 'postgresql:///?table=types' --quasi zip --hierarchy zip=flat --keep e,u -k 3 -q -o 'postgresql:///other?table=types'
same 'an enum elsewhere' "$(sql -d other -c "SELECT string_agg(format_type(atttypid, -1), ',' ORDER BY attnum) FROM pg_attribute WHERE attrelid = 'types'::regclass AND attnum > 0")" text,uuid,text
# An enum whose name ends like that of another type.
sql -c "CREATE TYPE mybytea AS ENUM ('x')" -c "CREATE TABLE enums AS SELECT 'a' AS z, 'x'::mybytea AS m FROM generate_series(1, 5)"
keep enums m && same 'an enum' "$(sql -c "SELECT format_type(atttypid, -1) FROM pg_attribute WHERE attrelid = 'enums_masked'::regclass AND attname = 'm'")" mybytea
# Only the columns of the job are asked for: others may be arrays, composites, bytes, or forbidden.
sql -c 'CREATE TABLE odd (z text, a integer[], r types, x bytea, k integer)' -c "INSERT INTO odd SELECT 'q', '{1}', NULL, '\\x00', i FROM generate_series(1, 9) i"
run_ok anonymize 'postgresql:///?table=odd' --quasi z --hierarchy z=flat --keep k -k 3 -q -o odd.csv
for column in a r x; do
    run anonymize 'postgresql:///?table=odd' --quasi z --hierarchy z=flat --keep $column -k 3 -q -o odd.csv && fail "column $column was read"
    printed | grep -q "column '$column' \(is\|has\)" || fail "$column: $(printed)"
done
# `init` drops them, with the reason, and its job runs.
sql -c "CREATE TABLE unread AS SELECT 20 + i % 5 AS age, ARRAY[i] AS a, NULL::types AS r, '\\x00'::bytea AS x FROM generate_series(1, 60) i"
run_ok init 'postgresql:///?table=unread' -o odd.yaml
same 'columns that init drops' "$(grep -c -e '# an array, which is not read' -e '# a composite value, which is not read' -e '# bytes, which are not read' odd.yaml)" 3
run_ok anonymize odd.yaml -q -o odd2.csv

# ---- what is refused, and how ----
# refused STATUS WORDS ARGUMENT... - the command fails with this status and says the words in one line
refused() {
    local status=0
    run anonymize data/job.yaml -q --effort quick "${@:3}" || status=$?
    same "exit status of ${*:3}" "$status" "$1"
    case $(printed) in *"$2"*) ;; *) fail "${*:3} says: $(printed)" ;; esac
    case $(printed | grep -v '^hedgerow: notice: a password') in *$'\n'*) fail "more than one line: $(printed)" ;; esac
}
to() { echo "postgresql:///?table=$1"; }
refused 1 'give --replace' -o "$(to release)"
refused 1 'are the same table' -o "$(to 'the%20census')" --replace
refused 1 'are the same table' -o "postgresql://admin@/postgres?host=$PGHOST&table=public.the%20census" --replace
refused 1 'are the same table' --trace "$(to release)" --replace
refused 1 'are the same table' -o "$(to trees.age)" --replace
sql -c 'CREATE VIEW v AS SELECT * FROM "the census"' -c 'CREATE VIEW w AS SELECT * FROM v'
refused 1 'are the same table' --input "$(to w)" -o "$(to 'the%20census')" --replace
refused 1 'are the same table' --input 'postgresql:///?query=SELECT * FROM w WHERE false' -o "$(to 'the%20census')" --replace
refused 1 'is a view' -o "$(to v)" --replace
sql -c 'CREATE TABLE used (i int)' -c 'CREATE VIEW uses AS SELECT * FROM used' -c 'CREATE TABLE guarded (i int)' -c 'ALTER TABLE guarded ENABLE ROW LEVEL SECURITY'
refused 1 'the view uses depends' -o "$(to used)" --replace
sql -c 'CREATE TABLE shape (i int)' -c "CREATE FUNCTION shapes() RETURNS SETOF shape LANGUAGE sql AS 'SELECT * FROM shape'"
refused 1 'function shapes() depends' -o "$(to shape)" --replace
refused 1 'row security' -o "$(to guarded)" --replace
refused 1 'an output is a table' -o 'postgresql:///?query=SELECT 1'
refused 1 'a report is a file' --report 'postgresql:///?table=r.json'
refused 1 "did you mean 'the census'" --input "$(to 'the%20sensus')" -o x.csv --trace y.csv
refused 1 'no schema' -o "$(to nowhere.t)"
refused 1 'longer than 63 bytes' -o "$(to "$(printf 'x%.0s' {1..64})")"
refused 1 'one SELECT' --input 'postgresql:///?query=DELETE FROM letters' -o x.csv --trace y.csv
refused 1 'cannot insert multiple commands' --input 'postgresql:///?query=SELECT 1; COMMIT; DROP TABLE letters' -o x.csv --trace y.csv
refused 1 'syntax error' --input 'postgresql:///?query=SELECT FROM WHERE' -o x.csv --trace y.csv
sql -c 'CREATE FUNCTION clear() RETURNS integer LANGUAGE sql AS $$ DELETE FROM letters RETURNING 1 $$'
refused 3 'read-only' --input 'postgresql:///?query=SELECT *, clear() FROM "the census"' -o x.csv --trace y.csv
same 'rows that a query deleted' "$(sql -c 'SELECT count(*) FROM letters')" 40
refused 1 'no parameters' --input 'postgresql:///?query=SELECT * FROM "the census" WHERE age > $1' -o x.csv --trace y.csv
refused 1 'postgresql://' --input 'postgresql:///postgres' -o x.csv --trace y.csv
[ -e x.csv ] && fail 'a refused run wrote a file'
# A failing query says which state, not which value.
refused 1 22P02 --input "postgresql:///?query=SELECT *, (name || id)::integer AS oops FROM \"the census\"" --keep oops -o x.csv --trace y.csv

# ---- replacing keeps the grants; a trace is for its owner alone ----
sql -c "CREATE ROLE reader" -c 'GRANT SELECT ON release TO reader' -c 'ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO PUBLIC'
run_ok anonymize data/job.yaml -q --effort quick --replace
same 'grants after --replace' "$(sql -c "SELECT has_table_privilege('reader', 'release', 'SELECT'), has_table_privilege('reader', 'trace', 'SELECT')")" 't|f'
sql -c 'DROP TABLE trace'
run_ok anonymize data/job.yaml -q --effort quick --replace
same 'who reads a new trace' "$(sql -c "SELECT has_table_privilege('reader', 'trace', 'SELECT')")" f
sql -c 'ALTER DEFAULT PRIVILEGES REVOKE SELECT ON TABLES FROM PUBLIC'
same 'tables that were left over' "$(sql -c "SELECT count(*) FROM pg_class WHERE relname LIKE 'hedgerow%'")" 0

HR_TEST_POSTGRES=postgresql:///postgres
sql -c 'CREATE TABLE memory AS SELECT zip, i4, n, e, d, u FROM types LIMIT 20'
HR_TEST_POSTGRES=$HR_TEST_POSTGRES "$unit" >unit.log 2>&1 || fail "test_postgres: $(grep -A3 ERROR unit.log)"

source "$tests/postgres_faults.sh"

# ---- no password in anything that was printed or written ----
grep -rlE 'admin-secret|wrong-secret|reader-secret|writer-secret' all ./*.json ./*.yaml ./*.html ./*.csv 2>/dev/null && fail 'a password was printed or written'
echo "$runs runs, $killed killed while reading or writing"
exit $failed
