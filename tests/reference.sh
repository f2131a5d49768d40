#!/usr/bin/env bash
# reference.sh COMMAND SOURCE - are docs/reference/c-interface.md and docs/reference/commands.md what the header and the
# tables of the command say, does the first have every public function, do the other pages of
# docs/reference name every key, option, model, measure, algorithm and builder, and is every report key
# and exit status explained? Do the commands that pages show without running them exist, with their flags?
set -euo pipefail
command=$(realpath "$1")
cd "$2"
failed=0
diff -u docs/reference/c-interface.md <(tools/reference include/hedgerow.h) || failed=1
diff -u docs/reference/commands.md <("$command" help --markdown) || failed=1
[ $failed = 0 ] || { echo "docs/reference/c-interface.md or docs/reference/commands.md is not up to date: make reference" >&2; exit 1; }
diff <(sed -n 's/^HR_API.*[ *]\(hr_[a-z_]*\)(.*/\1/p' include/hedgerow.h | sort) \
    <(grep -oE '\bhr_[a-z_]+\(' docs/reference/c-interface.md | tr -d '(' | sort -u)

# names SECTION - the names in the first column of the tables of a section, one per line
names() {
    sed -n "/^## $1\$/,/^## /p" docs/reference/commands.md | sed -nE 's/^\| [`{]*([A-Za-z0-9_.-]+).*/\1/p' |
        grep -vxE 'key|flag|name|status|in' || true
}
# The pages of the reference that are written by hand.
mapfile -t written < <(ls docs/reference/*.md | grep -vE '/(commands|c-interface)\.md$')
# must NAME SECTION - one of them names it, as code or as a key
must() {
    local plain=${1//-/[-_]}
    grep -qE "(\`|--| \`?\{)$plain\b" "${written[@]}" || { echo "no page of docs/reference explains $1 ($2)" >&2; failed=1; }
}
for section in 'Job keys' 'Keys of an attribute' Measures Algorithms Builders Models Formats; do
    listed=$(names "$section")
    [ "$(wc -w <<<"$listed")" -ge 2 ] || { echo "docs/reference/commands.md: no names in $section" >&2; failed=1; }
    for name in $listed; do
        case $section in # models and formats are named in sentences
        Models | Formats) grep -qiw "$name" "${written[@]}" || must "$name" "$section" ;;
        *) must "$name" "$section" ;;
        esac
    done
done
# Each report key and exit status is explained in the table.
keys=$(sed -n '/^## Report keys$/,$p' docs/reference/commands.md | grep -E '^\| (`|[0-9])')
[ "$(wc -l <<<"$keys")" -ge 100 ] || { echo "docs/reference/commands.md: no report keys" >&2; failed=1; }
if grep -E '\|  \|$' <<<"$keys" >&2; then echo "docs/reference/commands.md does not explain these" >&2; failed=1; fi

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

# A fenced block with commands of hedgerow is run by docs.sh: it is marked `console`. Python blocks are run by
# python.sh.
for page in README.md docs/*.md docs/*/*.md examples/*/README.md; do
    awk -v page="$page" '/^```/ { open = !open; kind = substr($0, 4); next }
        open && kind != "console" && /^[$ ]*hedgerow [a-z]+ / { print page ": not run: " $0; bad = 1 } END { exit bad }' "$page" >&2 ||
        failed=1
done
exit $failed
