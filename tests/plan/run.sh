#!/usr/bin/env bash
# run.sh PLAN COMMAND SHARED - run jobs cell by cell in several processes (examples/client/plan.c) and
# compare their releases with those of the command, byte for byte: every algorithm that searches cell
# by cell, with trees, flat hierarchies, numbers and bins. SHARED is the folder of the real data.
set -euo pipefail
plan=$(realpath "$1")
hedgerow=$(realpath "$2")
shared=$(realpath -m "$3")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
failed=0

# compare NAME INPUT PROCESSES LINES... - the job is the file job.yaml with more lines
compare() {
    local name=$1 input=$2 processes=$3
    shift 3
    { cat job.yaml; printf '%s\n' "$@"; } >this.yaml
    "$hedgerow" anonymize this.yaml -o whole.csv --quiet
    "$plan" this.yaml "$input" "$processes" joined.csv
    if cmp -s whole.csv joined.csv; then
        echo "ok $name: $(($(wc -l <whole.csv) - 1)) rows in $processes processes"
    else
        echo "FAILED $name"
        failed=1
    fi
    rm -f whole.csv joined.csv
}

"$hedgerow" generate census --rows 6000 --seed 3 -o census --quiet
grep -v '^output:' census/census.yaml | sed "s,^input:.*,input: census/census.csv,; s,hierarchies/,census/hierarchies/,g" >job.yaml
compare 'census hedge' census/census.csv 3 'algorithm: hedge' 'effort: quick'
for algorithm in greedy-pk enhanced-pk mam incognito GreedyCPKA; do
    compare "census $algorithm" census/census.csv 3 "algorithm: $algorithm" 'order: canonical'
done
sed -i.bak 's/p: [0-9]*/p: 1/' job.yaml
for algorithm in k-member GreedyCKA; do
    compare "census $algorithm" census/census.csv 3 "algorithm: $algorithm"
done
mv job.yaml.bak job.yaml
compare 'census shuffled' census/census.csv 2 'algorithm: greedy-pk' 'order: shuffle' 'seed: 7'
compare 'census reference' census/census.csv 2 'algorithm: greedy-pk' 'reference: true'
compare 'census by the weighted loss' census/census.csv 5 'algorithm: hedge' 'loss: weighted_loss' 'effort: quick'

compare 'census incognito, boundaries counted' census/census.csv 3 'algorithm: incognito' 'boundaries: count'
{ sed 's|^model:.*|model: {k: 5, alpha: 0.9}|' job.yaml; echo 'algorithm: incognito'; } >this.yaml
if "$plan" this.yaml census/census.csv 2 joined.csv 2>message || ! grep -q 'cannot carry alpha' message; then
    echo 'FAILED a model of incognito that a plan cannot carry is refused'
    failed=1
fi

# Numbers, means and missing values, in one cell or few.
"$hedgerow" generate un --rows 3000 --seed 5 -o un --quiet
grep -v '^output:' un/un.yaml | sed 's,^input:.*,input: un/un.csv,; s,hierarchies/,un/hierarchies/,g' >job.yaml
compare 'un hedge' un/un.csv 2 'algorithm: hedge' 'effort: quick'
compare 'un enhanced-pk' un/un.csv 2 'algorithm: enhanced-pk'

awk 'BEGIN {
    srand(4)
    print "name,age,town,job,pay,note"
    for (i = 1; i <= 900; i++)
        printf "%d,%s,t%d,j%d,%d,%d\n", i, rand() < .02 ? "" : 20 + int(60 * rand()) / 2, 7 * rand(), 9 * rand(), 1000 * rand(), i % 50
}' >people.csv
for i in 0 1 2 3 4 5 6; do echo "t$i;$((i < 4)) side;*"; done >towns.csv
cat >job.yaml <<'YAML'
input: people.csv
model: {k: 4, p: 2}
attributes:
  name: {role: identifier}
  age: {role: quasi, type: numeric, on_missing: drop}
  town: {role: quasi, hierarchy: towns.csv, boundary: ["1 side", "0 side"]}
  job: {role: quasi, hierarchy: flat, weight: 3}
  pay: {role: sensitive, bins: 12}
  note: {role: keep}
YAML
for algorithm in hedge greedy-pk enhanced-pk; do
    compare "people $algorithm" people.csv 4 "algorithm: $algorithm"
done
compare 'people in one cell' people.csv 2 'algorithm: greedy-pk' 'boundaries: count'

cat >job.yaml <<'YAML'
input: people.csv
model: {k: 4, p: 2}
attributes:
  name: {role: identifier}
  age: {role: quasi, type: numeric, on_missing: drop}
  pay: {role: quasi, type: numeric}
  job: {role: sensitive}
YAML
for algorithm in micro-k-first micro-p-first; do
    compare "people $algorithm" people.csv 2 "algorithm: $algorithm"
done
sed -i 's/p: 2/p: 1/' job.yaml
for algorithm in mdav cbfs; do
    compare "people $algorithm" people.csv 2 "algorithm: $algorithm"
done

[ -e "$shared/data/adult/adult.csv" ] || exit $((failed ? 1 : 77))
data=$shared/data
{
    echo "input: '$data/adult/adult.csv'"
    echo 'model: {k: 10, p: 3}'
    echo 'attributes:'
    for name in age workclass marital-status race sex native-country; do
        case $name in
        age | native-country) boundary=', boundary: {level: 1}' ;;
        *) boundary= ;;
        esac
        echo "  $name: {role: quasi, hierarchy: '$data/adult/hierarchies/$name.csv'$boundary}"
    done
    echo '  education: {role: sensitive, weight: 0.3}'
    echo '  occupation: {role: sensitive, weight: 0.7}'
} >job.yaml
for algorithm in greedy-pk enhanced-pk; do
    compare "adult $algorithm" "$data/adult/adult.csv" 4 "algorithm: $algorithm"
done
compare 'adult hedge' "$data/adult/adult.csv" 4 'effort: quick'

tr ';' ',' <"$data/fars/fars.csv" >fars.csv
{
    echo 'input: fars.csv'
    echo 'model: {k: 5, p: 2}'
    echo 'attributes:'
    for name in iage irace ideathmon ideathday isex ihispanic istatenum; do
        case $name in
        istatenum | isex) boundary=', boundary: {level: 0}' ;;
        *) boundary= ;;
        esac
        echo "  $name: {role: quasi, hierarchy: '$data/fars/hierarchies/$name.csv'$boundary}"
    done
    echo '  iinjury: {role: sensitive}'
} >job.yaml
compare 'fars hedge' fars.csv 5 'effort: quick'
compare 'fars enhanced-pk' fars.csv 5 'algorithm: enhanced-pk'
exit $failed
