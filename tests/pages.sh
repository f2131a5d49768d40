#!/usr/bin/env bash
# pages.sh COMMAND ROOT - manual pages and completions: every command and flag that --help lists has
# its entry in the page and in each script; the pages have no roff errors; bash, zsh and fish
# complete with the scripts; the examples of --help run. A shell or checker that is not installed makes the test end as skipped.
set -uo pipefail
hedgerow=$(realpath "$1") root=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0 skipped=0
fail() { echo "FAILED $*"; failed=1; }
skip() { echo "skipped: $*"; skipped=1; }
"$root/tools/pages" "$hedgerow" "$work" || exit 1
mkdir "$work/bin" && cp "$hedgerow" "$work/bin/hedgerow"
PATH=$work/bin:$PATH

# ---- Every flag of --help ----
commands=$("$hedgerow" help | sed -n '/^usage:/,/^`/p' | awk '/^  / { print $1 }')
[ "$(wc -w <<<"$commands")" -ge 8 ] || fail "the list of commands: $commands"
for name in $commands; do
    page=$work/hedgerow-$name.1
    flags=$("$hedgerow" "$name" --help | sed -n '/^flags/,$p' | grep -oE '^  (-[a-z], |    )?--?[a-z-]+' | grep -oE -- '--?[a-z-]+$')
    [ "$(wc -l <<<"$flags")" -ge 2 ] || fail "$name has no flags"
    wide=$("$hedgerow" "$name" --help | awk 'length > 80')
    [ -z "$wide" ] || fail "$name --help has more than 80 columns: $wide"
    for flag in $flags; do
        roff=${flag//-/\\\\-}
        grep -q -- "^\\\\fB.*$roff" "$page" || fail "$page lacks $flag"
    done
done

# ---- Every example runs, in the order of the commands; `ui` would wait for a browser ----
mkdir "$work/examples"
(
    cd "$work/examples" && hedgerow generate patients --rows 300 -o . --quiet || exit 1
    for name in $commands; do
        lines=$("$hedgerow" "$name" --help | sed -n '/^examples:/,/^$/s/^  //p')
        [ -n "$lines" ] || { echo "$name has no example"; exit 1; }
        [ "$name" = ui ] && continue
        while IFS= read -r line; do
            bash -c "$line" >out 2>&1 </dev/null || { echo "$line"; cat out; exit 1; }
        done <<<"$lines"
    done
) || fail "an example"

# ---- Lines fit a terminal of 80 columns ----
wide=$("$hedgerow" --help | awk 'length > 80'; "$hedgerow" list | awk 'length > 80')
[ -z "$wide" ] || fail "--help or list has more than 80 columns: $wide"

# ---- The pages ----
if command -v mandoc >/dev/null; then
    for page in "$work"/*.1; do
        # The pages have no date: their bytes must not depend on the day of the build.
        mandoc -T lint -W error "$page" >"$work/lint" || { cat "$work/lint"; fail "$page"; }
        shown=$(mandoc -T ascii "$page" | sed 's/.\x08//g')
        [[ $shown == *"EXIT STATUS"*cancelled* ]] || fail "$page does not show the exit statuses"
    done
else
    skip "mandoc is not installed"
fi

# ---- Completions: what is typed, and words that must and must not be offered ----
# expect SHELL "offered words" TYPED YES [NO]
expect() {
    local word
    for word in $4; do grep -qxF -e "$word" <<<"$2" || fail "$1: '$3' does not offer $word"; done
    for word in ${5:-}; do ! grep -qxF -e "$word" <<<"$2" || fail "$1: '$3' offers $word"; done
}
cases() { # complete_SHELL SHELL
    expect "$2" "$("$1" 'hedgerow ')" 'hedgerow ' 'anonymize check list'
    expect "$2" "$("$1" 'hedgerow an')" 'hedgerow an' anonymize check
    expect "$2" "$("$1" 'hedgerow anonymize --or')" 'anonymize --or' --order --trace
    expect "$2" "$("$1" 'hedgerow anonymize --order ')" 'anonymize --order' 'canonical input shuffle' table
    expect "$2" "$("$1" 'hedgerow anonymize -a gr')" 'anonymize -a gr' greedy-pk hedge
    local second=mam,greedy-pk
    [ "$2" != zsh ] || second=greedy-pk # zsh lists the part after the comma
    expect "$2" "$("$1" 'hedgerow compare -a mam,gr')" 'compare -a mam,gr' "$second" hedge
    expect "$2" "$("$1" 'hedgerow hierarchy ')" hierarchy 'show check build'
    expect "$2" "$("$1" 'hedgerow check --orig')" 'check --orig' --original --order
    expect "$2" "$("$1" 'hedgerow anonymize --report da')" 'a file' data.csv
}
cd "$work" && touch data.csv

complete_bash() {
    bash --norc -c 'source "$1/hedgerow.bash"
        compopt() { :; }
        read -r -a COMP_WORDS <<<"$2"
        [[ $2 != *" " ]] || COMP_WORDS+=("")
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
        _hedgerow
        # Without an answer the shell completes files.
        [ ${#COMPREPLY[@]} -gt 0 ] || COMPREPLY=($(compgen -f -- "${COMP_WORDS[COMP_CWORD]}"))
        printf "%s\n" "${COMPREPLY[@]}"' - "$work" "$1"
}
cases complete_bash bash

if command -v fish >/dev/null; then
    complete_fish() { HOME=$work fish --no-config -c "source $work/hedgerow.fish; complete -C '$1'" | cut -f1; }
    cases complete_fish fish
else
    skip "fish is not installed"
fi

# zsh completes only on a terminal: zpty is one, and the completion list is read from it.
if command -v zsh >/dev/null; then
    cat >"$work/zsh.sh" <<'ZSH'
zmodload zsh/zpty
zpty terminal zsh -f -i
say() { zpty -w terminal "$1" }
say "PROMPT='' LISTMAX=10000 COLUMNS=60; fpath=($1 \$fpath); autoload -U compinit; compinit -u -d $1/dump"
say "zstyle ':completion:*' list-rows-first true; zstyle ':completion:*' verbose no"
say "bindkey '^I' complete-word; setopt no_auto_menu no_list_packed; _complete_all() { compstate[insert]=; compstate[list]='list force'; _main_complete; }"
say "zle -C complete-all complete-word _complete_all; bindkey '^T' complete-all; print ready"
zpty -r terminal line '*ready*ready*'
zpty -n -w terminal "$2"$'\C-t'
sleep 1
zpty -n -w terminal $'\C-u'
say "print -n do; print ne"
while zpty -r terminal line; do
    print -r -- "$line"
    [[ $line == *done* ]] && break
done
ZSH
    complete_zsh() {
        timeout 20 zsh -f "$work/zsh.sh" "$work" "$1" 2>/dev/null | sed 's/\x1b\[[0-9;?]*[A-Za-z]//g' | tr -s '\r\n \b\a' '\n'
    }
    cases complete_zsh zsh
else
    skip "zsh is not installed"
fi

[ $failed = 0 ] || exit 1
[ $skipped = 0 ] || exit 77
echo "manual pages and completions are complete"
