#!/usr/bin/env bash
# layers.sh SRC - check that the folders of src/ include each other only in the stated order.
#
# `folder: others` allows a folder to include from itself, from the others named, and from everything
# that those may include. A folder that is not in this table fails, and so does an include that leads to
# no file. `hedgerow.h` may be included everywhere.
set -euo pipefail
export LC_ALL=C
cd "$1"
table='
base:
data: base
io: data
hierarchy: data
hierarchy/build: hierarchy
model: hierarchy
measure: model
bound: measure
algorithm: bound
algorithm/index: algorithm
algorithm/greedy: algorithm/index
algorithm/lattice: algorithm
algorithm/micro: algorithm
algorithm/hedge: algorithm
job: algorithm hierarchy/build io
report: job
report/count: report
report/page: report
run: report/page report/count
run/compare: run
run/init: run
run/plan: run
run/suggest: run algorithm/lattice
run/tree: run
generate: io
ui:
cli: ui
'

find . -name '*.[ch]' | sed 's,^\./,,' | sort | xargs grep -Hn '^[ \t]*#[ \t]*include[ \t]*"' | awk '
part == "table" {
    if (/^$/) next
    split($0, side, /: */)
    order[++folders] = side[1]
    count = split(side[2], other, " ")
    allowed[side[1], side[1]] = 1
    for (i = 1; i <= count; i++) {
        if (!((other[i], other[i]) in allowed)) fail("the table names " other[i] " before it is declared")
        for (j = 1; j <= folders; j++)
            if ((other[i], order[j]) in allowed) allowed[side[1], order[j]] = 1
    }
    next
}
function fail(message) { print message; failed = 1 }
function folder_of(path) { return sub("/[^/]*$", "", path) ? path : "." }
{
    split($0, place, ":")
    file = place[1]
    from = folder_of(file)
    match($0, /"[^"]*"/)
    name = substr($0, RSTART + 1, RLENGTH - 2)
    if (name == "hedgerow.h") next
    if (!((from, from) in allowed)) {
        if (!complained[from]++) fail("src/" from " is not in the table of tests/layers.sh")
        next
    }
    path = name ~ "/" ? name : from "/" name
    if ((getline line < path) < 0) { fail("src/" file ":" place[2] ": there is no src/" path); next }
    close(path)
    if (!((from, folder_of(path)) in allowed))
        fail("src/" file ":" place[2] ": " from " may not include " name)
    includes++
}
END {
    if (!includes) fail("no includes found")
    if (!failed) print "ok: " includes " includes between " folders " folders"
    exit failed
}' part=table <(echo "$table") part=code -
