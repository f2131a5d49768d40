#!/usr/bin/env bash
# docs.sh COMMAND ROOT [PAGE...] - run the commands on the pages of the documentation (README.md, docs/
# and the pages of the examples, or the pages named) and compare what they print with what the page shows.
#
# Every page runs in a temporary folder, with `hedgerow` on the PATH and $ROOT and $BUILD, the folders
# of the project and of the build, in the environment. A library that a page installs into usr/ is
# found by pkg-config and by programs. On a page:
#   ```console        a block of commands. A line `$ command` is run by bash; lines `> ...` after it
#                     continue it; the lines up to the next command are what it prints, standard
#                     output and standard error together. A line `...` stands for any lines. A
#                     command that fails is followed by a line `[exit status N]`. Of lines that begin
#                     with `time`, and of numbers of seconds, only the words count.
#   <!-- file NAME -->      the fenced block that follows is written to the file NAME
#   <!-- run COMMAND -->    run silently; must succeed
#   <!-- needs COMMAND -->  without this command, or if it fails, the rest of the page is skipped
# UPDATE=1 rewrites the outputs on the pages; a block that matches stays as it is.
#
# A command of hedgerow in an indented block would not be run: it fails the test, except for the
# synopses of docs/reference/commands.md and the server of docs/howto/use-the-page.md, which
# tests/browser starts. Other blocks that are not run here: make and its like (the tests are run by
# them), Python (python/tests/test_docs.py), SQL (tests/postgres_faults.sh), Spark (needs a cluster),
# and excerpts of C programs (the complete program of docs/howto/use-the-c-library.md is run).
set -uo pipefail
hedgerow=$(realpath "$1") ROOT=$(realpath "$2")
shift 2
BUILD=${hedgerow%/*}
export ROOT BUILD LC_ALL=C.UTF-8 COLUMNS=100
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" && cp "$hedgerow" "$work/bin/hedgerow"
export PATH=$work/bin:$PATH
failed=0 skipped=0 commands=0

# Figures that differ from run to run become the same text.
mask() { sed -E 's/^time .*/time/; s/[0-9.]+ s\b/N s/g; s/memory [0-9.]+ [kMG]B/memory N MB/; s/[[:space:]]+$//'; }

# matches EXPECTED ACTUAL: line by line; `...` in EXPECTED stands for any number of lines.
matches() {
    awk 'BEGIN { w = h = 0 }
        FILENAME == ARGV[1] { want[++w] = $0; next }
        { have[++h] = $0 }
        END {
            # ok[i]: the first i expected lines match the first j actual lines
            for (i = 0; i <= w; i++) ok[i] = i == 0 || (ok[i - 1] && want[i] == "...")
            for (j = 1; j <= h; j++) {
                last = ok[0]; ok[0] = 0
                for (i = 1; i <= w; i++) {
                    now = want[i] == "..." ? (ok[i - 1] || ok[i]) : (last && want[i] == have[j])
                    last = ok[i]; ok[i] = now
                }
            }
            exit !ok[w]
        }' <(mask <"$1") <(mask <"$2")
}

# Makes a library found that the page installed into usr/.
library() {
    local found
    found=$(find usr -name hedgerow.pc 2>/dev/null) && [ -n "$found" ] || return 0
    export PKG_CONFIG_PATH=$PWD/${found%/*} LD_LIBRARY_PATH=$PWD/${found%/pkgconfig/*}
}

# Runs the command in $command, compares its output with the lines in $work/expected, and appends
# what the page is to show to $work/page.
finish_command() {
    [ -n "$command" ] || return 0
    commands=$((commands + 1))
    local status=0
    (cd "$folder" && library && bash -c "$command") >"$work/actual" 2>&1 </dev/null || status=$?
    [ $status = 0 ] || echo "[exit status $status]" >>"$work/actual"
    if matches "$work/expected" "$work/actual"; then
        cat "$work/expected" >>"$work/page"
    else
        cat "$work/actual" >>"$work/page"
        [ "${UPDATE:-0}" = 1 ] || {
            echo "FAILED ${page#"$ROOT/"}: $command"
            diff -u --label "the page" --label "the command" <(mask <"$work/expected") <(mask <"$work/actual")
            failed=1
        }
    fi
    command=
    : >"$work/expected"
}

# One line of a block of commands.
console_line() {
    case $1 in
    '$ '*) finish_command; command=${1#'$ '}; echo "$1" >>"$work/page" ;;
    '> '*) command+=$'\n'${1#'> '}; echo "$1" >>"$work/page" ;;
    *) if [ -n "$command" ]; then echo "$1" >>"$work/expected"; else echo "$1" >>"$work/page"; fi ;;
    esac
}

# A line outside of blocks. False: the rest of the page is skipped.
plain_line() {
    local word=${1#'<!-- '}
    word=${word%' -->'}
    case $1 in
    '<!-- file '*' -->') file=$folder/${word#file }; mkdir -p "$(dirname "$file")" ;;
    '<!-- run '*' -->')
        (cd "$folder" && bash -c "${word#run }") >"$work/actual" 2>&1 </dev/null || {
            echo "FAILED ${page#"$ROOT/"}: ${word#run }"; cat "$work/actual"; failed=1; } ;;
    '<!-- needs '*' -->')
        (cd "$folder" && bash -c "${word#needs }") >/dev/null 2>&1 </dev/null || {
            echo "skipped ${page#"$ROOT/"}: ${word#needs } fails"; skipped=1; return 1; } ;;
    esac
    return 0
}

# Fails for a command of hedgerow that nothing runs.
find_unrun() {
    case $1 in */reference/commands.md | */howto/use-the-page.md) return ;; esac
    grep -nHE '^    (\$ )?(build/)?hedgerow ' "$1" || return 0
    echo "FAILED ${1#"$ROOT/"}: put the commands above into a block of console"
    failed=1
}

run_page() {
    find_unrun "$1"
    page=$1 folder=$(mktemp -d -p "$work") command='' file='' block=''
    local line rest=run
    : >"$work/page"; : >"$work/expected"
    while IFS= read -r line || [ -n "$line" ]; do
        if [ $rest = skip ]; then
            echo "$line" >>"$work/page"
        elif [ -z "$block" ] && [[ $line == '```'* ]]; then
            block=${line#'```'}; block=${block:-text}
            [ -z "$file" ] || : >"$file"
            echo "$line" >>"$work/page"
        elif [ -n "$block" ] && [[ $line == '```' ]]; then
            finish_command
            block='' file=''
            echo "$line" >>"$work/page"
        elif [ "$block" = console ]; then
            console_line "$line"
        else
            [ -z "$block" ] || [ -z "$file" ] || echo "$line" >>"$file"
            echo "$line" >>"$work/page"
            [ -n "$block" ] || plain_line "$line" || rest=skip
        fi
    done <"$page"
    if [ "${UPDATE:-0}" = 1 ] && ! cmp -s "$work/page" "$page"; then cp "$work/page" "$page"; echo "updated ${page#"$ROOT/"}"; fi
}

if [ $# = 0 ]; then
    mapfile -t pages < <(cd "$ROOT" && ls README.md && find docs examples -name '*.md' | sort)
    set -- "${pages[@]/#/$ROOT/}"
fi
for name; do run_page "$(realpath "$name")"; done
[ $failed = 0 ] || exit 1
[ $commands -gt 0 ] || { echo "no page has a command"; exit 1; }
echo "$commands commands print what the pages show"
[ $skipped = 0 ] || exit 77
