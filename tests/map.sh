#!/usr/bin/env bash
# map.sh TREE - check that every file and folder that src/README.md and CONTRIBUTING.md name in
# backquotes exists, and that src/README.md names every folder of src/.
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
exit $failed
