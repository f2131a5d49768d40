# pyright: reportMissingImports=false
"""Cells with more rows than a task is given are cut into parts, by combinations with their counts."""

from __future__ import annotations

from typing import Any, Callable, Iterator

import numpy
import pyarrow as pa
import pyarrow.compute

from .. import _hedgerow
from .._containers import table_of
from ._base import KEY, Shared, named, plan_of
from ._facts import Facts, chunks

pc: Any = pyarrow.compute

#: The most combinations by which cells are cut; if there are more, values are coarsened.
COMBINATIONS_MOST = 1_000_000

#: Limits on the distinct values of a quasi-identifier, tried in this order.
BINS = (1 << 20, 64, 16, 6, 3, 2, 1)


def _combinations(shared: Shared, large: bytes, quasi: list[str], columns: list[str], bins: int) -> Any:
    def count(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        plan = plan_of(shared)
        cells = numpy.frombuffer(large, dtype=numpy.uint64)
        for table in chunks(batches):
            table = named(table, columns)
            keys = numpy.frombuffer(plan.keys(table_of(table.select(quasi))), dtype=numpy.uint64)
            there = numpy.isin(keys, cells)
            if not there.any():
                continue
            coarse = pa.table(plan.coarsen(table_of(table.filter(pa.array(there))), bins))
            names = [f"c{i}" for i in range(len(columns))]
            found = pa.table({KEY: pa.array(keys[there].view(numpy.int64))}
                             | {name: coarse.column(i).cast(pa.string()) for i, name in enumerate(names)})
            grouped = found.group_by([KEY] + names).aggregate([([], "count_all")])
            yield from grouped.select([KEY] + names + ["count_all"]).rename_columns(
                [KEY] + names + ["n"]).to_batches()

    return count


def _collect(facts: Facts, plan: _hedgerow.Plan, large: bytes) -> tuple[pa.Table, list[str]]:
    from pyspark import StorageLevel
    from pyspark.sql import functions as F

    columns = facts.quasi + facts.sensitive
    names = [f"c{i}" for i in range(len(columns))]
    schema = ", ".join([f"{KEY} long"] + [f"{name} string" for name in names] + ["n long"])
    shared = Shared(facts.df, plan.exported)
    found = None
    for bins in BINS:
        counted = facts.select(columns).mapInArrow(
            _combinations(shared, large, facts.quasi, columns, bins), schema)
        kept = counted.groupBy(KEY, *names).agg(F.sum("n").alias("n")).persist(
            StorageLevel.MEMORY_AND_DISK)
        if kept.count() <= COMBINATIONS_MOST or bins == BINS[-1]:
            found = kept.toArrow()
        kept.unpersist()
        if found is not None:
            break
    shared.free()
    assert found is not None
    return found, columns


def cut_cells(facts: Facts, plan: _hedgerow.Plan, cells: Any, most: int,
              warn: Callable[[str], None]) -> tuple[set[int], int]:
    """Cuts the cells that have more rows than `most`. Returns the keys of those that are cut, and how
    many cells or parts are still larger."""
    large = cells.keys[(cells.released > 0) & (cells.rows > most)]
    if len(large) == 0:
        return set(), 0
    if facts.unit:
        warn(f"{len(large):,} cells have more than {most:,} rows and are not cut, because people are "
             "counted in whole cells: draw boundaries, or raise rows_per_task")
        return set(), len(large)
    found, columns = _collect(facts, plan, large.tobytes())
    cut = set()
    for key in large:
        own = found.filter(pc.equal(found.column(KEY), int(key.view(numpy.int64))))
        table = table_of(pa.table({name: own.column(i + 1) for i, name in enumerate(columns)}))
        counts = own.column("n").to_numpy().astype(numpy.uint32).tobytes()
        if plan.cut(int(key), table, counts, most) > 1:
            cut.add(int(key))
    parts = numpy.frombuffer(plan.parts()[1], dtype=numpy.uint64)
    whole = int(numpy.sum(parts > most)) + len(large) - len(cut)
    if cut:
        warn(f"{len(cut):,} cells with more than {most:,} rows are cut into {len(parts):,} parts, which "
             "are searched apart: the loss is higher than that of whole cells; draw boundaries, or raise "
             "rows_per_task")
    if whole:
        warn(f"{whole:,} cells or parts have more than {most:,} rows and could not be cut further")
    return cut, whole
