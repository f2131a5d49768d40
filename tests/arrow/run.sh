#!/usr/bin/env bash
# run.sh BUILD - round trips of Arrow tables between other libraries and the shared library of a build.
# The Python packages are installed into BUILD/venv once. Exit status 77: they cannot be had here.
set -euo pipefail
build=$(realpath "$1")
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
venv=$build/venv
packages="pyarrow pandas polars duckdb"

if ! "$venv/bin/python" -c "import ${packages// /, }" 2>/dev/null; then
    rm -rf "$venv"
    if ! { python3 -m venv "$venv" && "$venv/bin/pip" install -q --disable-pip-version-check $packages; } >"$build/venv.log" 2>&1; then
        echo "skipped: Python packages could not be installed: $packages (see $build/venv.log)"
        exit 77
    fi
fi
"$venv/bin/python" "$here/round_trip.py" "$build/libhedgerow.so"
