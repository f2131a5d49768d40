#!/usr/bin/env bash
# spark.sh BUILD ROOT - install the wheel with pyspark into a virtual environment and run the tests of
# hedgerow.spark in one session of Spark. The environment is kept in BUILD/spark. Exit status 77: there
# is no Java here, or pyspark cannot be had.
set -euo pipefail
build=$(realpath "$1") root=$(realpath "$2")
venv=$build/spark
needed=$root/python/requirements-spark.txt
if ! java -version >/dev/null 2>&1; then
    echo "skipped: there is no Java (tools/deps spark installs it)"
    exit 77
fi
install() { "$venv/bin/pip" install -q --disable-pip-version-check "$@" >>"$build/spark.log" 2>&1; }
if ! cmp -s "$needed" "$venv/installed.txt"; then
    rm -rf "$venv"
    if ! { python3 -m venv "$venv" >"$build/spark.log" 2>&1 && install -r "$needed"; }; then
        echo "skipped: pyspark could not be installed: $needed (see $build/spark.log)"
        exit 77
    fi
    cp "$needed" "$venv/installed.txt"
fi
if ! "$root/tools/wheel" "$build/dist" >"$build/wheel.log" 2>&1; then
    cat "$build/wheel.log"
    grep -qE 'No matching distribution|Python.h' "$build/wheel.log" && exit 77
    exit 1
fi
"$venv/bin/pip" install -q --disable-pip-version-check --no-deps --force-reinstall \
    "$build"/dist/hedgerow-*-cp310-abi3-manylinux*.whl

cd "$(mktemp -d)" # not beside the sources: the installed package is tested
trap 'rm -rf "$PWD"' EXIT
export HEDGEROW_ROOT=$root HEDGEROW_SPARK=1 PYSPARK_PYTHON=$venv/bin/python SPARK_LOCAL_IP=127.0.0.1
"$venv/bin/python" -m pytest -p no:cacheprovider -c "$root/python/pyproject.toml" \
    --rootdir "$root/python" "$root/python/tests/spark" --durations=5
