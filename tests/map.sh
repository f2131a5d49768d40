#!/usr/bin/env bash
# map.sh TREE - check that every file and folder that src/README.md and CONTRIBUTING.md name in
# backquotes exists, that src/README.md names every folder of src/, that links of pages lead to files and
# headings, that docs/README.md leads to every page of docs/, and that the losses on Adult in README.md
# are those of tests/results.csv.
set -euo pipefail
cd "$1"
failed=0
# names FILE - print what stands in backquotes and looks like a path: a folder, or a file in a folder
names() { grep -o '`[A-Za-z0-9_./-]*/[A-Za-z0-9_.]*`' "$1" | tr -d '`' | sort -u; }
for name in $(names src/README.md); do
    [ -e "src/$name" ] || [ -e "$name" ] || { echo "src/README.md names $name"; failed=1; }
done
for name in $(names CONTRIBUTING.md); do
    [ -e "$name" ] || { echo "CONTRIBUTING.md names $name"; failed=1; }
done
for folder in $(find src -mindepth 1 -type d | sed 's,^src/,,'); do
    grep -qF "| \`$folder/\` |" src/README.md || { echo "src/README.md does not name $folder/"; failed=1; }
done

# anchors PAGE - the anchors of its headings
anchors() { sed -n 's/^#\{1,6\} //p' "$1" | LC_ALL=C tr 'A-Z' 'a-z' | LC_ALL=C sed 's/[!-,./:-@[-^`{-~]//g; s/ /-/g'; }
for page in README.md CONTRIBUTING.md src/README.md docs/*.md docs/*/*.md examples/*/*.md python/README.md; do
    for link in $(grep -oE '\]\([^) ]+\)' "$page" | sed 's/^](//; s/)$//' | grep -vE '^[a-z]+:' | sort -u); do
        file=${link%%#*} anchor=
        [[ $link != *#* ]] || anchor=${link#*#}
        target=$page
        [ -z "$file" ] || target=$(dirname "$page")/$file
        [ -e "$target" ] || { echo "$page links to $link"; failed=1; continue; }
        [ -z "$anchor" ] || grep -qxF -- "$anchor" <<<"$(anchors "$target")" || { echo "$page links to $link"; failed=1; }
    done
done
for page in docs/*.md docs/*/*.md; do
    [ "$page" = docs/README.md ] || grep -qF "](${page#docs/})" docs/README.md || { echo "docs/README.md does not lead to $page"; failed=1; }
done

# loss BOUNDARIES K P - the loss of hedge on Adult, as README.md writes it
loss() {
    awk -F, -v mode="$1" -v k="$2" -v p="$3" '$1 == "adult" && $2 == "hedge:normal" && $3 == mode && $4 == k && $5 == p {
        printf "%.4f", $6 }' tests/results.csv | sed 's/^0//'
}
for mode in count enforce; do
    losses="$(loss $mode 4 2), $(loss $mode 10 3)"
    grep -qF "| $losses" README.md || { echo "README.md has other losses on Adult than $losses"; failed=1; }
done
exit $failed
