#!/usr/bin/env bash
# run.sh COMMAND - the reports of a release: no value of an identifier, of a sensitive or of a kept
# column is in any of them, the public one has nothing of suppressed rows, and both are whole pages.
# Then definitions.py computes the figures again; it is skipped (77) without Python.
set -uo pipefail
hedgerow=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
fail() { echo "FAILED $*"; failed=1; }
cd "$work" || exit 1

# Columns in which every value has a mark: MARKID in identifiers, MARKSICK and 70000 to 79999 in
# sensitive columns, MARKNOTE in kept ones, GONE in the values of rows that must be suppressed.
awk 'BEGIN {
    print "name,town,age,job,illness,income,note"
    for (i = 0; i < 400; i++)
        printf "MARKID%d,%s,%d,%s,MARKSICK%d,%d,MARKNOTE%d\n", i, substr("GrazLinzBern", 1 + 4 * (i % 3), 4),
            20 + i * 7 % 50, i % 2 ? "cook" : "nurse", i % 5, 70000 + i * 13 % 9999, i % 3
    for (i = 0; i < 2; i++) printf "MARKIDX%d,GONETOWN,%d,cook,MARKSICK9,79999,MARKNOTE9\n", i, 97 + i
}' >rows.csv
printf '%s\n' 'Graz;Austria;*' 'Linz;Austria;*' 'Bern;Swiss;*' 'GONETOWN;GONELAND;*' >town.csv
cat >job.yaml <<'JOB'
input: rows.csv
output: out.csv
report: [report.json, report.html]
public_report: public.html
model: {k: 4, p: 2}
effort: quick
study: [[age, income], [town, illness]]
attributes:
  name: {role: identifier}
  town: {role: quasi, hierarchy: town.csv, boundary: {level: 1}}
  age: {role: quasi, type: numeric, boundary: {width: 30}}
  job: {role: quasi, hierarchy: flat}
  illness: {role: sensitive}
  income: {role: sensitive, bins: 8}
  note: {role: keep}
JOB
"$hedgerow" anonymize job.yaml --quiet || fail "anonymize"
grep -q MARKSICK out.csv || fail "the release has no marks, so nothing is tested"
for file in report.json report.html public.html; do
    [ -s $file ] || fail "$file is absent"
    grep -Eo 'MARK[A-Z0-9]*|(^|[^0-9.a-f])7[0-9]{4}([^0-9a-f]|$)' $file && fail "$file has a value that no report may have"
done
grep -q GONETOWN report.html || fail "the owner does not learn who is suppressed"
grep -Eo 'GONE[A-Z]*|[Ss]uppressed rows|rows are suppressed' public.html &&
    fail "the public report tells of suppressed rows"
# The loss in the public report is that of the released rows: the other one tells how many are gone.
lost=$(awk -F'[:,]' '/"ntil":/ { printf "%.4f", $2 }' report.json)
grep -q "NTIL $lost" report.html || fail "the loss of the report is not in its page"
grep -q "$lost" public.html && fail "the public report has the loss with suppressed rows"
# Pages and only the owner's report is private.
for file in report.html public.html; do
    [ "$(tail -c 8 $file)" = "</html>" ] || fail "$file is not whole"
    grep -q "default-src 'none'" $file || fail "$file has no policy"
    grep -Eoi '<script|( src=| href=|url\(|@import|https?:|=.//)[^ ]*' $file && fail "$file names another place"
done
[ "$(stat -c %a report.html)" = 600 ] || fail "others can read the owner's report"
# Hashes are those of the files.
for file in rows.csv out.csv; do
    grep -q "$(sha256sum <$file | cut -d' ' -f1)" report.html || fail "the hash of $file is not in the report"
done
grep -q "$(sha256sum <rows.csv | cut -d' ' -f1)" public.html && fail "the public report has the hash of the input"
# The same run gives the same pages.
cp report.html first.html && cp public.html first-public.html
"$hedgerow" anonymize job.yaml --quiet --threads 1 || fail "anonymize again"
cmp first.html report.html || fail "the report differs between runs"
cmp first-public.html public.html || fail "the public report differs between runs"
# With `unit` k counts people, and the pages say so; `keys` are in the owner's report.
awk -F, -v OFS=, '{ print $0, NR == 1 ? "person" : "MARKID" int(NR / 3) }' rows.csv >stays.csv
"$hedgerow" anonymize job.yaml --input stays.csv --unit person --keys age:job --report u.html --public-report up.html \
    -o u.csv --quiet || fail "anonymize with unit"
for words in 'looks like rows of at least <b>3 other people</b>' 'people (person)' 'picks the right person' \
    '<li>\[age, job\]: at least'; do
    grep -q "$words" u.html || fail "the report with unit lacks: $words"
done
grep -q 'looks like rows of at least <b>3 other people</b>' up.html || fail "the public report counts rows"
grep -Eo 'MARKID[0-9]*|people \(person\)' up.html && fail "the public report tells of people"
grep -Eo 'MARKID[0-9]*' u.html && fail "the report has a value of the unit"
# Each model is stated once, with its columns. The public report names the levels.
"$hedgerow" anonymize job.yaml --alpha 0.9 --bound none --report m.html --public-report mp.html -o m.csv --quiet ||
    fail "anonymize with alpha"
[ "$(grep -c '<li>alpha = 0.9 also holds for <b>illness</b>, <b>income</b> (' m.html)" = 1 ] || fail "alpha is not stated once"
grep -q 'least possible loss is not known: no bound was computed' m.html || fail "the report does not say that there is no bound"
grep -Eq '<th scope="row">town</th><td>[0-9.]*</td><td class="words list">as it is: ' mp.html ||
    fail "the public report does not name the levels"
grep -Eo 'MARK[A-Z0-9]*|GONE[A-Z]*' mp.html && fail "the public report with alpha tells too much"
# k = 1 promises nothing; the report does not pretend otherwise.
"$hedgerow" anonymize job.yaml -k 1 -p 1 --report one.html --public-report onep.html -o one.csv --quiet || fail "anonymize with k = 1"
for file in one.html onep.html; do
    grep -q 'k = 1 asks for nothing' $file || fail "$file does not say that k = 1 asks for nothing"
    grep -Eq 'at least <b>0|at most 1 in 1<|[^0-9]1 rows' $file && fail "$file counts wrongly"
done
grep -q '<b>with certainty</b>' one.html || fail "the report with k = 1 hides a certain risk"
# Messages.
for flags in '--report r.txt' '--public-report p.json' '--study age' '--study age:name' '--study age:weight' '--study age:age'; do
    # shellcheck disable=SC2086
    "$hedgerow" anonymize job.yaml $flags --quiet 2>message
    [ $? = 1 ] || fail "$flags is accepted"
    grep -Eq 'report|study' message || fail "$flags: $(cat message)"
done
if command -v python3 >/dev/null; then
    python3 "$here/definitions.py" "$hedgerow" || fail "definitions"
elif [ $failed = 0 ]; then
    echo "skipped: there is no Python to compute the figures again"
    exit 77
fi
[ $failed = 0 ] && echo "ok"
exit $failed
