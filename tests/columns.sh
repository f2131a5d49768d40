#!/usr/bin/env bash
# columns.sh FILE... - fail if a line has more than 100 columns. clang-format breaks long lines of code
# but leaves comments and string literals as they are.
set -euo pipefail
export LC_ALL=C # awk counts bytes; of a character in UTF-8 only the first byte is counted
awk '{ line = $0; gsub(/[\200-\277]/, "", line) }
    length(line) > 100 { print FILENAME ":" FNR ": " length(line) " columns"; failed = 1 }
    END { exit failed }' "$@"
