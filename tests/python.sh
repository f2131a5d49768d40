#!/usr/bin/env bash
# python.sh BUILD ROOT - build the wheel, install it into a fresh virtual environment and run the tests
# of the package there: unit tests, doctests, types. The environment with the libraries that it works
# with is kept in BUILD/python. Exit status 77: the packages cannot be had here.
set -euo pipefail
build=$(realpath "$1") root=$(realpath "$2")
venv=$build/python
needed=$root/python/requirements-test.txt peers=$root/python/requirements-peers.txt
install() { "$venv/bin/pip" install -q --disable-pip-version-check "$@" >>"$build/python.log" 2>&1; }
if ! cmp -s "$needed" "$venv/installed.txt"; then
    rm -rf "$venv"
    if ! { python3 -m venv "$venv" >"$build/python.log" 2>&1 && install -r "$needed"; }; then
        echo "skipped: Python packages could not be installed: $needed (see $build/python.log)"
        exit 77
    fi
    install -r "$peers" || echo "without the packages of $peers some tests are skipped"
    cp "$needed" "$venv/installed.txt"
fi
if ! "$root/tools/wheel" "$build/dist" >"$build/wheel.log" 2>&1; then
    cat "$build/wheel.log"
    grep -qE 'No matching distribution|Python.h' "$build/wheel.log" && exit 77
    exit 1
fi
wheel=$(ls "$build"/dist/hedgerow-*-cp310-abi3-manylinux*.whl)
"$venv/bin/pip" install -q --disable-pip-version-check --no-deps --force-reinstall "$wheel"

cd "$(mktemp -d)" # not beside the sources: the installed package is tested
trap 'rm -rf "$PWD"' EXIT
export HEDGEROW_ROOT=$root
"$venv/bin/python" -m pytest -p no:cacheprovider -c "$root/python/pyproject.toml" "$root/python/tests"
package=$("$venv/bin/python" -c 'import hedgerow; print(hedgerow.__path__[0])')
"$venv/bin/python" -m pytest -p no:cacheprovider -q --doctest-modules "$package/__init__.py"
"$venv/bin/python" -m mypy --cache-dir "$PWD/mypy" --config-file "$root/python/pyproject.toml"
"$venv/bin/python" -m pyright --pythonpath "$venv/bin/python" "$package"
"$venv/bin/hedgerow" --version
# The command needs nothing of the machine.
! ldd "$package/bin/hedgerow" 2>/dev/null | grep -q '=>'
