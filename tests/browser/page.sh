#!/usr/bin/env bash
# page.sh COMMAND SOURCE BUILD SCRIPT - run a test of `hedgerow ui`, or of the reports (`report`):
# SCRIPT.mjs in this folder, with Node, playwright-core and Chromium; `types` checks the types of the page's scripts, and
# runs eslint on them. The packages of npm are installed below BUILD. Skipped (77) without node, npm, its packages, or Chromium.
set -uo pipefail
hedgerow=$(realpath "$1") source=$(realpath "$2") build=$(realpath "$3") script=$4
skip() { echo "skipped: $*"; exit 77; }
command -v node >/dev/null || skip "there is no node (tools/deps browser)"
if [ "$script" != report ] && "$hedgerow" ui --port x 2>&1 | grep -q "this build has no page"; then
    skip "this build has no page"
fi
modules=$build/npm
installed() { cmp -s "$source/tests/browser/package.json" "$modules/node_modules/.complete"; }
if ! installed; then
    command -v npm >/dev/null || skip "there is no npm (tools/deps browser)"
    mkdir -p "$modules"
    exec 9>"$modules/lock"
    flock 9
    if ! installed; then
        cp "$source/tests/browser/package.json" "$modules/"
        (cd "$modules" && timeout 300 npm install --no-audit --no-fund --ignore-scripts >npm.log 2>&1) ||
            skip "npm could not install playwright-core, axe-core, typescript and eslint"
        cp "$modules/package.json" "$modules/node_modules/.complete"
    fi
    flock -u 9
fi
if [ "$script" = types ]; then
    for file in "$source"/src/ui/page/*.js; do node --check "$file" || exit 1; done
    (cd "$source/src/ui/page" && MODULES=$modules "$modules/node_modules/.bin/eslint" --no-config-lookup \
        --max-warnings 0 -c "$source/tests/browser/eslint.config.mjs" .) || exit 1
    exec "$modules/node_modules/.bin/tsc" --noEmit --allowJs --checkJs --strict --noUnusedLocals \
        --noUnusedParameters --noImplicitReturns --target es2022 --module es2022 --moduleResolution bundler \
        --lib es2023,dom,dom.iterable "$source"/src/ui/page/*.js
fi
browser=
for name in chromium-headless-shell chromium chromium-browser google-chrome; do
    browser=$(command -v "$name") && break
done
[ -n "$browser" ] || [ "$script" = attacks ] || skip "there is no Chromium (tools/deps browser)"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export TMPDIR=$work
timeout 540 node "$source/tests/browser/$script.mjs" "$hedgerow" "$modules" "$work/files" "$browser"
