#!/usr/bin/env bash
# run.sh BUILD COMPILER - install a build into a temporary prefix and test it as a user's program would
# use it: compile the example client through pkg-config (shared and static) and through find_package,
# run the command, and compare the symbols of the shared library with the header.
set -euo pipefail
build=$(realpath "$1")
CC=$2
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The prefix is moved after the installation: no installed file may contain the path of the prefix.
cmake --install "$build" --prefix "$work/first" >/dev/null
mv "$work/first" "$work/prefix"
prefix=$work/prefix
pc=$(find "$prefix" -name hedgerow.pc)
export PKG_CONFIG_PATH=${pc%/*}
library=$(dirname "${pc%/*}")

# The shared library exports exactly the functions that the header declares.
sed -n 's/^HR_API.*[ *]\(hr_[a-z_]*\)(.*/\1/p' "$prefix/include/hedgerow.h" | sort >"$work/declared"
nm -D --defined-only "$library/libhedgerow.so" | awk '$2 == "T" { sub(/@.*/, "", $3); print $3 }' | sort >"$work/exported"
diff -u "$work/declared" "$work/exported"
echo "ok exports: $(wc -l <"$work/exported") functions"

cp "$source"/examples/client/* "$work"
cd "$work"
flags="-std=c17 -Wall -Wextra -Wpedantic -Werror"

# shellcheck disable=SC2046,SC2086
$CC $flags client.c -o client-shared $(pkg-config --cflags --libs hedgerow)
LD_LIBRARY_PATH=$library ./client-shared >shared.txt
grep -q '"verified": *true' shared.txt
echo "ok client: shared library through pkg-config"

# shellcheck disable=SC2046,SC2086
$CC $flags arrow.c -o arrow-shared $(pkg-config --cflags --libs hedgerow)
LD_LIBRARY_PATH=$library ./arrow-shared >arrow.txt
diff - arrow.txt <<'ROWS'
age: c
town: c
31..36 Ghent
31..36 Namur
31..36 Namur
38..55 Ghent
38..55 Ghent
38..55 Namur
ROWS
echo "ok client: an Arrow stream in and out"

# shellcheck disable=SC2046,SC2086
$CC $flags client.c -o client-static $(pkg-config --cflags hedgerow) "$library/libhedgerow.a" \
    $(pkg-config --static --libs-only-l --libs-only-other hedgerow | sed 's/-lhedgerow//')
./client-static >static.txt
echo "ok client: static library through pkg-config"

cmake -S . -B cmake -DCMAKE_C_COMPILER="$CC" -DCMAKE_PREFIX_PATH="$prefix" >/dev/null
cmake --build cmake >/dev/null
./cmake/client >cmake.txt
./cmake/client-static >cmake-static.txt
echo "ok client: both through find_package"

# Times and memory differ from run to run; the release does not.
for other in static cmake cmake-static; do
    diff <(sed '/^{/,$d' shared.txt) <(sed '/^{/,$d' $other.txt)
done
echo "ok the same release from all four"

version=$(pkg-config --modversion hedgerow)
"$prefix/bin/hedgerow" --version | grep -qF "$version"
echo "ok command: version $version"
