#!/usr/bin/env bash
# sqlite.sh COMMAND - SQLite databases from end to end: the release of a table is that of the same data
# as CSV; types survive; outputs appear whole or not at all, also if the run is killed at any moment;
# exit statuses. Exit status 77: Python's sqlite3, which makes and inspects the databases, or SQLite in
# the command is absent. KILLS sets how often a run is killed (12).
set -uo pipefail
command=$(realpath "$1")
kills=${KILLS:-12}
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
cd "$work"
failed=0
fail() { echo "FAILED: $*"; failed=1; }
same() { [ "$2" = "$3" ] || fail "$1: '$2' instead of '$3'"; }

python3 -c 'import sqlite3' 2>/dev/null || { echo "skipped: Python's sqlite3 is absent"; exit 77; }
case $("$command" hierarchy check 'sqlite:none.db?table=t' 2>&1) in
*'this build cannot'*) echo "skipped: the command was built without SQLite"; exit 77 ;;
esac

# sql FILE STATEMENT... - runs the statements; prints the rows of the last one
sql() {
    python3 - "$@" <<'PY'
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
rows = []
for statement in sys.argv[2:]:
    rows = db.execute(statement).fetchall()
db.commit()
for row in rows:
    print("|".join("NULL" if v is None else str(v) for v in row))
PY
}

# load CSV FILE TABLE - stores a CSV file as a table; income and age are integers
load() {
    python3 - "$@" <<'PY'
import csv, sqlite3, sys
rows = list(csv.reader(open(sys.argv[1], newline="")))
quote = lambda name: '"' + name.replace('"', '""') + '"'
types = {"age": "INTEGER", "income": "INTEGER"}
db = sqlite3.connect(sys.argv[2])
db.execute("CREATE TABLE %s (%s)" % (quote(sys.argv[3]), ", ".join(
    quote(name) + " " + types.get(name, "TEXT") for name in rows[0])))
db.executemany("INSERT INTO %s VALUES (%s)" % (
    quote(sys.argv[3]), ", ".join("?" * len(rows[0]))), rows[1:])
db.commit()
PY
}

"$command" generate census --rows 3000 --seed 5 -o data >/dev/null 2>&1
load data/census.csv data/study.db 'the census'
for file in data/hierarchies/*.csv; do
    python3 - "$file" <<'PY'
import csv, os, sqlite3, sys
rows = list(csv.reader(open(sys.argv[1], newline=""), delimiter=";"))
db = sqlite3.connect("data/trees.db")
name = os.path.basename(sys.argv[1])[:-4]
db.execute('CREATE TABLE "%s" (%s)' % (name, ", ".join("l%d" % i for i in range(len(rows[0])))))
db.executemany('INSERT INTO "%s" VALUES (%s)' % (name, ", ".join("?" * len(rows[0]))), rows)
db.commit()
PY
done

# ---- the same release from CSV and from SQLite, with paths relative to the job ----
sed -e 's,^input:.*,input: sqlite:study.db?table=the%20census,' \
    -e 's,hierarchies/\([a-z-]*\).csv,"sqlite:trees.db?table=\1",' \
    -e 's,^output:.*,output: sqlite:out.db?table=release,' \
    -e '$a trace: sqlite:out.db?table=trace' data/census.yaml >data/job.yaml
"$command" anonymize data/census.yaml -q --effort quick --trace trace.csv -o csv.csv || fail csv
"$command" anonymize data/job.yaml -q --effort quick --trace trace2.csv -o sqlite.csv || fail sqlite
cmp csv.csv sqlite.csv || fail 'the releases differ'
cmp trace.csv trace2.csv || fail 'the traces differ'
"$command" anonymize data/job.yaml -q --effort quick || fail 'sqlite to sqlite'
python3 - <<'PY' || fail 'the released table differs from the CSV file'
import csv, sqlite3
rows = list(csv.reader(open("csv.csv", newline="")))
db = sqlite3.connect("data/out.db")
table = db.execute("SELECT * FROM release ORDER BY rowid")
assert [c[0] for c in table.description] == rows[0]
table = table.fetchall()
assert [["" if v is None else str(v) for v in row] for row in table] == rows[1:]
types = dict(db.execute("SELECT name, type FROM pragma_table_info('release')").fetchall())
assert types["income"] == "INTEGER" and types["age"] == "TEXT" and types["diagnosis"] == "TEXT", types
income = rows[0].index("income")
assert all(isinstance(row[income], int) for row in table if row[income] is not None)
PY
"$command" check 'sqlite:data/out.db?table=release' data/job.yaml -q --trace 'sqlite:data/out.db?table=trace' \
    --original 'sqlite:data/study.db?table=the%20census' >/dev/null || fail check
"$command" check 'sqlite:data/out.db?query=SELECT * FROM release' data/census.yaml -q >/dev/null || fail 'check of a query'
same boundaries "$("$command" boundaries data/job.yaml --format csv 2>&1)" \
    "$("$command" boundaries data/census.yaml --format csv 2>&1)"
"$command" compare data/job.yaml -q -a mam -k 5 -p 2 >/dev/null || fail compare
"$command" hierarchy check 'sqlite:data/trees.db?table=age' --data 'sqlite:data/study.db?table=the%20census:age' \
    >/dev/null || fail 'hierarchy check'
"$command" init "sqlite:$PWD/data/study.db?table=the%20census" -o "$PWD/data/draft.yaml" -q || fail 'a draft'
same 'input of a draft' "$(grep '^input' data/draft.yaml)" 'input: "sqlite:study.db?table=the%20census"'
# Tables of builders; the address is relative to the job.
sql data/trees.db 'CREATE TABLE regions (child, parent)' \
    "INSERT INTO regions VALUES ('Graz', 'Styria'), ('Linz', 'Upper Austria'), ('Styria', 'South'), ('Upper Austria', 'North')"
printf 'town\nGraz\nLinz\nGraz\nLinz\n' >data/towns.csv
printf '%s\n' 'input: towns.csv' 'model: {k: 4}' 'attributes:' \
    '  town: {role: quasi, hierarchy: {parents: "sqlite:trees.db?table=regions"}}' >data/towns.yaml
same 'parents of a database' "$("$command" anonymize data/towns.yaml -q | tr '\n' ' ')" 'town * * * * '
same 'ancestors of a database' "$("$command" hierarchy build \
    "{parents: 'sqlite:data/trees.db?query=SELECT * FROM regions'}" --data data/towns.csv:town -q | tr '\n' ' ')" \
    'Graz;Styria;South;* Linz;Upper Austria;North;* '
"$command" anonymize data/job.yaml -q --effort quick -o a.csv --bound lagrangian --trace a-trace.csv \
    --certificate 'sqlite:data/out.db?table=proof' || fail certificate
"$command" check a.csv data/job.yaml -q --original data/census.csv --trace a-trace.csv \
    --certificate 'sqlite:data/out.db?table=proof' >/dev/null || fail 'check of a certificate'
same 'mode of a new database with a trace' "$(stat -c %a data/out.db)" 600

# ---- every value and type of sensitive and kept columns survives a run ----
python3 - <<'PY'
import random, sqlite3
random.seed(1)
db = sqlite3.connect("types.db")
db.execute('CREATE TABLE people (zip TEXT, age INTEGER, weight REAL, "a ""note""", day DATE, sum NUMERIC)')
for i in range(500):
    db.execute("INSERT INTO people VALUES (?, ?, ?, ?, ?, ?)", (
        random.choice("abc"), random.randrange(20, 30),
        random.choice([None, 70.0, 0.1 + 0.2, 1e300, random.random()]),
        random.choice([None, "", "text", 5, 5.0, 2.5, -1, "0x5", "5,0"]),
        random.choice([None, "2020-02-29", "", 2020]), random.choice([1, 1.5, "n/a"])))
db.commit()
PY
"$command" anonymize 'sqlite:types.db?table=people' --quasi zip,age --hierarchy zip=flat --numeric age \
    --sensitive weight --keep 'a "note",day,sum' -k 3 -q --effort quick -o 'sqlite:types.db?table=masked' || fail types
python3 - <<'PY' || fail 'values or types changed'
import sqlite3
db = sqlite3.connect("types.db")
columns = 'weight, typeof(weight), "a ""note""", typeof("a ""note"""), day, typeof(day), sum, typeof(sum)'
read = lambda table: sorted(map(repr, db.execute("SELECT %s FROM %s" % (columns, table))))
assert read("people") == read("masked")
declared = [t for t, in db.execute("SELECT type FROM pragma_table_info('masked')")]
assert declared == ["TEXT", "TEXT", "REAL", "", "NUMERIC", "NUMERIC"], declared
PY

# ---- what is refused, and how ----
# refused STATUS WORDS ARGUMENT... - the command fails with this status and says the words
refused() {
    local status=0 message
    message=$("$command" anonymize data/job.yaml -q --effort quick "${@:3}" 2>&1) || status=$?
    same "exit status of ${*:3}" "$status" "$1"
    case $message in *"$2"*) ;; *) fail "${*:3} says: $message" ;; esac
    case $message in *$'\n'*) fail "more than one line: $message" ;; esac
}
refused 1 'give --replace' -o 'sqlite:data/out.db?table=RELEASE'
refused 1 'are the same table' -o 'sqlite:data/../data/study.db?table=The Census' --replace
refused 1 'are the same file' -o data/study.db
refused 1 'are the same table' --trace 'sqlite:data/out.db?table=release' --replace
refused 1 'a report is a file' --report 'sqlite:data/out.db?table=r.json'
refused 1 'an output is a table' -o 'sqlite:data/out.db?query=SELECT 1'
refused 1 'has no table' --input 'sqlite:data/study.db?table=the sensus' -o x.csv --trace y.csv
refused 1 'FILE?table=NAME' --input sqlite:data/study.db -o x.csv --trace y.csv
refused 3 'No such file' --input 'sqlite:data/none.db?table=t' -o x.csv --trace y.csv
refused 3 'No such file' -o 'sqlite:none/none.db?table=t' --trace x.csv
[ -e x.csv ] && fail 'a refused run wrote a file'
sql data/study.db 'CREATE VIEW v AS SELECT * FROM "the census"' >/dev/null
refused 1 'has a view' -o 'sqlite:data/study.db?table=v' --replace
# Another table of the input's own database is fine.
"$command" anonymize data/job.yaml -q --effort quick -o 'sqlite:data/study.db?table=masked' --trace x.csv ||
    fail 'output into the database of the input'
same 'rows of the input' "$(sql data/study.db 'SELECT count(*) FROM "the census"')" 3000
if [ "$(id -u)" != 0 ]; then
    mkdir sealed && cp data/study.db sealed && chmod 500 sealed
    refused 3 'cannot write' -o 'sqlite:sealed/study.db?table=x' --trace x.csv
    "$command" anonymize data/job.yaml -q --effort quick --input 'sqlite:sealed/study.db?table=the%20census' \
        -o y.csv --trace x.csv || fail 'reading from a read-only folder'
fi

# ---- a locked database ----
python3 -c '
import sqlite3, sys, time
db = sqlite3.connect("data/out.db", isolation_level=None)
db.execute("BEGIN EXCLUSIVE")
print("locked", flush=True)
time.sleep(60)' >locked &
holder=$!
until [ -s locked ]; do sleep 0.05; done
refused 3 'has locked the database' --replace
"$command" anonymize data/job.yaml -q --replace 2>/dev/null &
run=$!
sleep 1
kill -INT $run
wait $run
same 'cancelled while waiting' $? 130
kill $holder
wait $holder 2>/dev/null
"$command" anonymize data/job.yaml -q --effort quick --replace || fail 'a database that is free again'

# ---- killed at any moment: the old table is whole, or the new one ----
"$command" generate census --rows 60000 --seed 6 -o big >/dev/null 2>&1
sed -e 's,^output:.*,output: sqlite:big.db?table=release,' -e '$a algorithm: mam\nreplace: true\nbound: none' \
    -e '$a trace: sqlite:big.db?table=trace' big/census.yaml >big/job.yaml
start=$(date +%s%N)
"$command" anonymize big/job.yaml -q || fail 'the run to be killed'
length=$((($(date +%s%N) - start) / 1000000)) # milliseconds
sql big/big.db 'DROP TABLE release' 'CREATE TABLE release (old)' \
    'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50000) INSERT INTO release SELECT i FROM n' \
    'DROP TABLE trace' 'CREATE TABLE trace (old)' \
    'CREATE TABLE tree (leaf, root)' "INSERT INTO tree VALUES ('a', '*'), ('b', '*')" >/dev/null
cp big/big.db old.db
old='50000|0'
writing=0
RANDOM=7
for _ in $(seq "$kills"); do
    cp old.db big/big.db
    rm -f big/big.db-journal
    "$command" anonymize big/job.yaml -q 2>/dev/null &
    run=$!
    # Half of the kills are aimed at the time when the database is being written.
    if [ $((RANDOM % 2)) = 0 ]; then
        for _ in $(seq 2000); do [ -e big/big.db-journal ] && break; sleep 0.002; done
        sleep "0.$(printf %03d $((RANDOM % 200)))"
    else
        sleep "$(printf '%d.%03d' $((length / 1000)) $((RANDOM % (length % 1000 + 1))))"
    fi
    [ -e big/big.db-journal ] && writing=$((writing + 1))
    kill -9 $run 2>/dev/null
    wait $run 2>/dev/null
    status=$?
    # The first to read what the killed run left is the command itself.
    "$command" hierarchy check 'sqlite:big/big.db?table=tree' >/dev/null || fail 'reading after a kill'
    now=$(sql big/big.db 'SELECT (SELECT count(*) FROM release), (SELECT count(*) FROM trace)')
    same 'integrity' "$(sql big/big.db 'PRAGMA integrity_check')" ok
    if [ $status = 0 ] || [ "$now" != "$old" ]; then # the run was faster
        "$command" check 'sqlite:big/big.db?table=release' big/job.yaml -q --original big/census.csv \
            --trace 'sqlite:big/big.db?table=trace' >/dev/null || fail 'neither the old nor the new table is there'
    else
        same 'the old table' "$(sql big/big.db 'SELECT sum(old) FROM release')" 1250025000
    fi
done
[ "$writing" -gt 0 ] || fail 'no run was killed while it wrote'
# A write that fails leaves the old tables, too: the file must not grow beyond 2 MB.
cp old.db big/big.db
rm -f big/big.db-journal
(ulimit -f 2048 && exec "$command" anonymize big/job.yaml -q 2>message)
same 'exit status of a write that fails' $? 3
grep -q 'cannot write' message || fail "a write that fails says: $(cat message)"
same 'the table after a write that failed' "$(sql big/big.db 'SELECT sum(old) FROM release')" 1250025000

echo "$kills runs killed, $writing of them while writing"
exit $failed
