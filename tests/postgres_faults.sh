# postgres_faults.sh - what goes wrong with a server, and the grants of the how-to page. Sourced by
# postgres.sh. After every fault the old table is there with all its rows, and nothing else is.

slow='postgresql:///?query=SELECT c.* FROM "the census" c, LATERAL (SELECT pg_sleep(0.02 + c.age * 0)) s'
old_rows=$(sql -c 'SELECT count(*) FROM release')
old_sum=$(sql -c 'SELECT sum(income) FROM release')
killed=0
intact() {
    same "the old table after $1" "$(sql -c 'SELECT count(*), sum(income) FROM release')" "$old_rows|$old_sum"
    same "tables left by $1" "$(sql -c "SELECT count(*) FROM pg_class WHERE relname LIKE 'hedgerow%'")" 0
}
# background NAME ARGUMENT...: a run of the command; `ended NAME STATUS WORDS` waits for it
background() {
    "$command" anonymize data/job.yaml -q --effort quick --replace "${@:2}" >"all/$1" 2>&1 &
    run=$!
}
ended() {
    wait $run
    same "exit status after $1" $? "$2"
    grep -q "$3" "all/$1" || fail "after $1: $(cat "all/$1")"
}
# hold SQL: a transaction that stays open until `release_all`
hold() {
    PGAPPNAME=holder psql -qX -c "BEGIN; $1; SELECT pg_sleep(900); COMMIT" >/dev/null 2>&1 &
    until [ "$(sql -c "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'holder' AND query LIKE '%pg_sleep%' AND wait_event = 'PgSleep'")" = 1 ]; do sleep 0.1; done
}
release_all() { sql -c "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'holder'" >/dev/null; }
# until_waiting STATE: until the command waits for something on the server
until_waiting() {
    for _ in $(seq 3000); do
        [ "$(sql -c "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'hedgerow' AND wait_event_type = '$1'")" -gt 0 ] && return
        sleep 0.1
    done
    fail "the command never waited for $1"
}

# ---- connections ----
refused 3 'No such file' --input "postgresql://admin@/postgres?host=$work/none&table=t" -o x.csv --trace y.csv
refused 3 'password authentication failed' --input "postgresql://admin:wrong-secret@/postgres?table=t" -o x.csv --trace y.csv
printed | grep -q 'other users of this machine can read' || fail "no warning: $(printed)"
PGPASSFILE=$work/none refused 3 'put it into a password file' -o x.csv --trace y.csv
refused 3 'does not exist' --input 'postgresql:///nowhere?table=t' -o x.csv --trace y.csv
for address in 'postgresql://admin:wrong@-secret@/postgres?table=t' 'postgresql://admin:wrong-secret/x@/postgres?table=t' 'postgresql://admin:%zzwrong-secret@/postgres?table=t' 'postgresql://admin:wrong-secret@/postgres?table='; do
    refused 1 postgresql:// --input "$address" -o x.csv --trace y.csv
    printed | grep -q -- '-secret' && fail "a part of the password is shown: $(printed)"
done
refused 3 'password authentication failed' --input 'POSTGRES://admin@/postgres?table=t&%70assword=wrong-secret' -o x.csv --trace y.csv
printed | grep -q 'other users of this machine can read' || fail "no warning: $(printed)"
# By URI, by variables, by a service file.
PGPASSFILE=$work/none run_ok anonymize "postgresql://admin:admin-secret@/postgres?table=letters" --quasi l --hierarchy l=flat -k 3 -o x.csv --report uri.json --resolved uri.yaml
PGPASSFILE=$work/none PGPASSWORD=admin-secret run_ok anonymize letters.yaml -q --replace --report variable.json --resolved variable.yaml
printf '[study]\nhost=%s\nuser=admin\npassword=admin-secret\ndbname=postgres\n' "$PGHOST" >"$work/server/services"
PGPASSFILE=$work/none PGSERVICEFILE=$work/server/services run_ok anonymize 'postgresql://?service=study&table=letters' --quasi l --hierarchy l=flat -k 3 -q -o x.csv
run_ok check "postgresql://admin:admin-secret@/postgres?table=letters_masked" letters.yaml
run_ok init "postgresql://admin:admin-secret@/postgres?table=letters" -o secret.yaml
grep -q '^input:.*table=letters' secret.yaml || fail "init wrote: $(grep input secret.yaml)"
run_ok init "postgresql://admin:admin-secret@?host=$PGHOST&query=SELECT * FROM letters" -o secret2.yaml
grep -q '^output:.*query-masked.csv' secret2.yaml || fail "init wrote: $(grep output secret2.yaml)"
sql -c 'CREATE TABLE "50% / ""x""" AS SELECT * FROM letters'
run_ok init 'postgresql:///?table="50%25 / ""x"""' -o percent.yaml
grep -q '^output:.*50% _ __x___-masked.csv' percent.yaml || fail "init wrote: $(grep output percent.yaml)"

# ---- while reading ----
background arguments --input "${slow/\/\/\//\/\/admin:admin-secret@\/}" -o x.csv --trace y.csv
until_waiting Timeout
tr '\0' ' ' <"/proc/$run/cmdline" | grep -q secret && fail 'the password is among the arguments'
kill -INT $run
ended arguments 130 cancelled
sleep 1
same 'statements left on the server' "$(sql -c "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'hedgerow' AND state = 'active'")" 0
# A server that takes no more connections: the request to cancel gets no answer, and is not waited for.
background frozen --input "$slow" -o x.csv --trace y.csv
until_waiting Timeout
postmaster=$(head -1 "$work/server/data/postmaster.pid")
kill -STOP "$postmaster"
kill -INT $run
for _ in $(seq 80); do kill -0 $run 2>/dev/null || break; sleep 0.1; done
kill -0 $run 2>/dev/null && fail 'Ctrl-C does not end a run whose server does not answer'
kill -CONT "$postmaster"
ended frozen 130 cancelled
PGOPTIONS='-c statement_timeout=1s' background timeout --input "$slow" -o x.csv --trace y.csv
ended timeout 3 statement_timeout
sql -c "CREATE FUNCTION conflict(bool) RETURNS integer LANGUAGE plpgsql AS \$\$ BEGIN IF \$1 THEN RAISE EXCEPTION 'Gerda Danquist' USING ERRCODE = '40001'; END IF; RETURN 1; END \$\$"
background conflict --input 'postgresql:///?query=SELECT *, conflict(age = 50) AS c FROM "the census"' --keep c -o x.csv --trace y.csv
ended conflict 3 'serialization failure'
grep -q Gerda all/conflict && fail 'a value was shown'
# A table that vanishes, or changes its type, while it is opened.
sql -c 'CREATE TABLE fading AS SELECT * FROM letters'
hold 'DROP TABLE fading'
"$command" anonymize 'postgresql:///?table=fading' --quasi l --hierarchy l=flat -k 3 -q -o x.csv >all/vanished 2>&1 &
run=$!
until_waiting Lock
sql -c "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE application_name = 'holder'" >/dev/null # ends the sleep and rolls back
wait $run || fail "a table that stays: $(cat all/vanished)"
PGAPPNAME=holder psql -qX -c 'BEGIN; DROP TABLE fading; SELECT pg_sleep(3); COMMIT' >/dev/null 2>&1 &
sleep 1
"$command" anonymize 'postgresql:///?table=fading' --quasi l --hierarchy l=flat -k 3 -q -o x.csv >all/vanished 2>&1 &
run=$!
ended vanished 3 'dropped or changed'
PGAPPNAME=holder psql -qX -c 'BEGIN; ALTER TABLE letters ALTER s TYPE integer USING s::integer; SELECT pg_sleep(3); COMMIT' >/dev/null 2>&1 &
sleep 1
run_ok anonymize 'postgresql:///?table=letters' --quasi l --hierarchy l=flat --keep s -k 3 -q -o x.csv

# ---- while writing: the rows are written, and the old table is in use ----
hold 'SELECT FROM release LIMIT 1'
PGOPTIONS='-c lock_timeout=1s' background lock --trace lock.csv --report lock.json --resolved lock.yaml
ended lock 3 'is using the table'
intact 'a lock'
ls lock.* .lock.* 2>/dev/null && fail 'a run that failed left files'
background cancel
until_waiting Lock
kill -INT $run
ended cancel 130 cancelled
intact 'a cancelled run'
for _ in $(seq "$kills"); do
    background killed
    until_waiting Lock
    kill -9 $run
    wait $run 2>/dev/null
    killed=$((killed + 1))
done
for _ in $(seq 100); do [ "$(sql -c "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'hedgerow'")" = 0 ] && break; sleep 0.1; done
background terminated
until_waiting Lock
sql -c "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'hedgerow'" >/dev/null
ended terminated 3 'cannot write'
release_all
intact 'killed runs'
sql -c "CREATE FUNCTION fault() RETURNS event_trigger LANGUAGE plpgsql AS \$\$ BEGIN IF current_setting('application_name') = 'hedgerow' THEN RAISE EXCEPTION 'no' USING ERRCODE = '40001'; END IF; END \$\$" \
    -c 'CREATE EVENT TRIGGER fault ON ddl_command_end EXECUTE FUNCTION fault()'
background serialization
ended serialization 3 'serialization failure'
sql -c 'DROP EVENT TRIGGER fault'
intact 'a serialization failure'
# Another program creates the table that the run is creating.
mkfifo session && exec 9<>session
PGAPPNAME=holder psql -qX <session >/dev/null 2>&1 &
session=$!
echo 'BEGIN; CREATE TABLE fresh (i integer);' >&9
until [ "$(sql -c "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'holder' AND state = 'idle in transaction'")" = 1 ]; do sleep 0.1; done
background fresh -o "$(to fresh)"
until_waiting Lock
printf '%s\n' 'COMMIT;' '\q' >&9
ended fresh 3 'another program created'
wait $session
exec 9>&-
intact 'a table created meanwhile'
# A character that the encoding of the database lacks.
sql -c "CREATE DATABASE latin ENCODING LATIN1 TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'" -c "CREATE TABLE cyrillic AS SELECT l, 'Ж' AS s FROM letters"
"$command" anonymize 'postgresql:///?table=cyrillic' --quasi l --hierarchy l=flat --keep s -k 3 -q -o 'postgresql:///latin?table=t' >all/latin 2>&1 &
run=$!
ended latin 1 'encoding of the database lacks'

# ---- a full disk: a tablespace on a small file system, where one can be mounted ----
mkdir small
if [ "$(id -u)" = 0 ] && mount -t tmpfs -o size=256k,mode=777 none "$work/small" 2>/dev/null; then
    chown --reference=server/data small
    sql -c "CREATE TABLESPACE small LOCATION '$work/small'"
    PGOPTIONS='-c default_tablespace=small' background full
    ended full 3 'disk of the server is full'
    intact 'a full disk'
    sql -c 'DROP TABLESPACE small'
    umount "$work/small"
else
    echo 'not tried: a full disk, because no file system can be mounted here'
fi

# ---- the server is killed ----
background crash --input "$slow" -o x.csv --trace y.csv
until_waiting Timeout
server -m immediate stop
ended crash 3 'connection to the server was lost\|crashed\|shut down'
killed=$((killed + 1))
server -l "$work/server/data/log" start || fail 'the server did not start again'
intact 'a crash while reading'
hold 'SELECT FROM release LIMIT 1'
background crash2
until_waiting Lock
server -m immediate stop
ended crash2 3 'cannot write'
killed=$((killed + 1))
server -l "$work/server/data/log" start || fail 'the server did not start again'
intact 'a crash while writing'
run_ok anonymize data/job.yaml -q --effort quick --replace
intact 'a server that is back'

# ---- the grants of the how-to page, and no others ----
page=$tests/../docs/howto/postgresql.md
sql -c 'CREATE DATABASE study' -c 'REVOKE ALL ON DATABASE study FROM PUBLIC' -c 'CREATE ROLE researchers LOGIN'
sql -d study -c 'CREATE SCHEMA clinic' -c 'CREATE SCHEMA released' -c 'REVOKE ALL ON SCHEMA public FROM PUBLIC' \
    -c 'CREATE TABLE clinic.patients (name text, age integer, zip text, diagnosis text)' \
    -c "INSERT INTO clinic.patients SELECT 'name' || i, 20 + i % 50, 12000 + i % 9 * 10, substr('abcdef', i % 6 + 1, 1) FROM generate_series(1, 600) i"
awk '/^```sql/ { block = 1; next } /^```/ { block = 0 } block' "$page" >grants.sql
awk '/^```yaml/ { block = 1; next } /^```/ { block = 0 } block' "$page" | sed 's,@db.example.org/,@/,' >page.yaml
[ "$(grep -c GRANT grants.sql)" -ge 7 ] || fail 'the page has no grants'
grep -v researchers grants.sql | sql -d study -f - || fail 'the grants of the page'
sql -c "ALTER ROLE hedgerow_reader PASSWORD 'reader-secret'" -c "ALTER ROLE hedgerow_writer PASSWORD 'writer-secret'"
printf '*:*:*:hedgerow_reader:reader-secret\n*:*:*:hedgerow_writer:writer-secret\n*:*:*:admin:admin-secret\n' >"$PGPASSFILE"
run_ok anonymize page.yaml -q
sql -d study -c 'GRANT USAGE ON SCHEMA released TO researchers'
grep 'released.patients' grants.sql | sql "postgresql://hedgerow_writer@/study" -f - || fail 'the owner grants'
run_ok anonymize page.yaml -q --replace
same 'the grant after a replacement' "$(sql -d study -c "SELECT has_table_privilege('researchers', 'released.patients', 'SELECT')")" t
run anonymize page.yaml -q --replace --keep name && fail 'a column without a grant was read'
printed | grep -q "column 'name'.*no permission" || fail "without a grant: $(printed)"
run_ok init 'postgresql://hedgerow_reader@/study?table=clinic.patients' -o reader.yaml
grep -A1 'this user of the database may not read it' reader.yaml | grep -q 'name: {role: drop}' || fail "init without a grant: $(cat reader.yaml)"
run anonymize page.yaml -q -o 'postgresql://hedgerow_reader@/study?table=released.mine' && fail 'the reader wrote'
printed | grep -q 'no permission' || fail "a reader that writes: $(printed)"
