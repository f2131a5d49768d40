#!/usr/bin/env bash
# reference.sh COMMAND SOURCE - are docs/reference.md and docs/commands.md what the header and the
# tables of the command say, does the first have every public function, and does the manual name
# every key, flag, option, model, measure, algorithm, builder, report key and exit status? Do the commands
# that pages show without running them exist, with their flags?
set -euo pipefail
command=$(realpath "$1")
cd "$2"
failed=0
diff -u docs/reference.md <(tools/reference include/hedgerow.h) || failed=1
diff -u docs/commands.md <("$command" help --markdown) || failed=1
[ $failed = 0 ] || { echo "docs/reference.md or docs/commands.md is not up to date: make reference" >&2; exit 1; }
diff <(sed -n 's/^HR_API.*[ *]\(hr_[a-z_]*\)(.*/\1/p' include/hedgerow.h | sort) \
    <(grep -oE '\bhr_[a-z_]+\(' docs/reference.md | tr -d '(' | sort -u)

# names SECTION - the names in the first column of the tables of a section, one per line
names() {
    sed -n "/^## $1\$/,/^## /p" docs/commands.md | sed -nE 's/^\| [`{]*([A-Za-z0-9_.-]+).*/\1/p' |
        grep -vxE 'key|flag|name|status|in' || true
}
# must NAME SECTION - the manual names it: as code, as a key or as a status
must() {
    local plain=${1//-/[-_]}
    grep -qE "(\`|--| \`?\{)$plain\b" docs/manual.md || { echo "docs/manual.md does not name $1 ($2)" >&2; failed=1; }
}
for section in 'Job keys' 'Keys of an attribute' Measures Algorithms Builders Models Formats; do
    listed=$(names "$section")
    [ "$(wc -w <<<"$listed")" -ge 2 ] || { echo "docs/commands.md: no names in $section" >&2; failed=1; }
    for name in $listed; do
        case $section in # models and formats are named in sentences
        Models | Formats) grep -qiw "$name" docs/manual.md || must "$name" "$section" ;;
        *) must "$name" "$section" ;;
        esac
    done
done
for path in $(sed -n '/^## Report keys$/,/^## /p' docs/commands.md | sed -nE 's/^\| `([^`]*)`.*/\1/p' |
    tr '.[]' '   ' | tr -s ' ' '\n' | grep -vxE '[A-Z]+|' | sort -u); do
    must "$path" 'Report keys'
done
for status in $(names 'Exit statuses'); do
    grep -q "^| $status |" docs/manual.md || { echo "docs/manual.md does not name the exit status $status" >&2; failed=1; }
done

# Commands that the pages show without running them (indented lines): each command and flag exists.
# A line that ends with a backslash continues.
shown=$(cat README.md docs/*.md docs/*/*.md examples/*/README.md python/README.md |
    sed -e ':a' -e '/^    .*\\$/{N;s/\\\n */ /;ba' -e '}' | grep -E '^    hedgerow [a-z]' | sed 's/ #.*//' | sort -u)
[ "$(wc -l <<<"$shown")" -ge 10 ] || { echo "no commands on the pages" >&2; failed=1; }
while read -r _ name rest; do
    help=$("$command" "$name" --help 2>/dev/null) || { echo "a page shows 'hedgerow $name'" >&2; failed=1; continue; }
    for flag in $(grep -oE -- '(^| )--[a-z-]+' <<<"$rest" || true); do
        grep -qE -- "$flag( |\$)" <<<"$help" || { echo "a page shows 'hedgerow $name $flag'" >&2; failed=1; }
    done
done <<<"$shown"
exit $failed
