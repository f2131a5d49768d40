#!/usr/bin/env bash
# reference.sh SOURCE - is docs/reference.md what tools/reference makes of the header, and does it have
# every public function?
set -euo pipefail
cd "$1"
diff -u docs/reference.md <(tools/reference include/hedgerow.h) || {
    echo "docs/reference.md is not up to date: make reference" >&2
    exit 1
}
diff <(sed -n 's/^HR_API.*[ *]\(hr_[a-z_]*\)(.*/\1/p' include/hedgerow.h | sort) \
    <(grep -oE '\bhr_[a-z_]+\(' docs/reference.md | tr -d '(' | sort -u)
