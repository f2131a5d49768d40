# pyright: reportMissingImports=false
"""Runs the cells of a plan on the executors, verifies what came back, and reports on it."""

from __future__ import annotations

import json
import math
import time
from typing import Any, Callable, Iterator, Optional

import numpy
import pyarrow as pa

from .. import Error, InfeasibleError, _hedgerow
from .._containers import table_of
from ._base import GROUP, KEY, PEOPLE, Shared, columns_of, named, plan_of
from ._cut import cut_cells
from ._facts import WHOLE_TABLE, Facts

UNKNOWN = 2**64 - 1


class Cells:
    """The cells of a plan, and the group of cells that each belongs to."""

    def __init__(self, plan: _hedgerow.Plan):
        keys, rows, released = plan.cells()
        self.keys = numpy.frombuffer(keys, dtype=numpy.uint64)
        self.rows = numpy.frombuffer(rows, dtype=numpy.uint64)
        self.released = numpy.frombuffer(released, dtype=numpy.uint64)

    @classmethod
    def units(cls, plan: _hedgerow.Plan) -> Cells:
        """What is run at once: cells, and parts in place of the cells that are cut."""
        cells = cls(plan)
        keys, rows = (numpy.frombuffer(part, dtype=numpy.uint64) for part in plan.parts())
        order = numpy.argsort(numpy.concatenate([cells.keys, keys]), kind="stable")
        released = numpy.concatenate([cells.released, rows])[order]
        cells.rows = numpy.concatenate([cells.rows, rows])[order]
        cells.keys = numpy.concatenate([cells.keys, keys])[order]
        cells.released = released
        return cells

    def pack(self, most: int, cut: set[int]) -> Any:
        """Numbers groups of at most that many rows, or of one cell; -1: suppressed, or cut."""
        groups = numpy.full(len(self.keys), -1, dtype=numpy.int32)
        group, held = -1, most
        for i in range(len(self.keys)):
            if self.released[i] == 0 or int(self.keys[i]) in cut:
                continue
            own = int(self.rows[i])
            if held + own > most:
                group, held = group + 1, 0
            groups[i] = group
            held += own
        return groups


def _sent(kind: pa.DataType) -> pa.DataType:
    """The Arrow type in which Spark takes a column back that it gave in this type: some versions give
    timestamps in the time zone of the session."""
    zoned = pa.types.is_timestamp(kind) and kind.tz is not None
    return pa.timestamp(kind.unit, "UTC") if zoned else kind


def _search(shared: Shared, released_names: list[str], texts: list[str], unit: list[str],
            sort: bool) -> Any:
    """Runs the cells of a task. With a unit, a column more says how many people every class has.
    The columns come and go as c0, c1, ..."""

    def search(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        plan = plan_of(shared)
        first = next(batches, None)
        if first is None:
            return
        names = released_names + unit

        def rows() -> Iterator[pa.RecordBatch]:
            yield named(first, names).select(names)
            for batch in batches:
                yield named(batch, names).select(names)

        own = named(first, names).select(names).schema
        if sort:
            table = pa.Table.from_batches(list(rows()), own)
            table = table.sort_by([(name, "ascending") for name in names])
            given = table_of(table)
        else:
            given = table_of(pa.RecordBatchReader.from_batches(own, rows()))
        try:
            release = plan.run(given)
        except InfeasibleError:
            return
        released = pa.table(release.table).select(released_names)
        if unit:
            people = pa.scalar(int(release.figures["achieved_k"]), pa.int64())
            released = released.append_column(PEOPLE, pa.repeat(people, len(released)))
        released = released.cast(pa.schema(
            [(name, pa.string() if name in texts else _sent(own.field(name).type))
             for name in released_names] + [(name, pa.int64()) for name in [PEOPLE] if unit]))
        released = named(released, [f"c{at}" for at in range(len(released_names))])
        yield from released.to_batches(max_chunksize=10_000)

    return search


def _route(shared: Shared, groups: Shared, names: list[str], quasi: list[str]) -> Any:
    def route(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        plan = plan_of(shared)
        known = Cells.units(plan).keys
        of_cell = numpy.frombuffer(groups.value, dtype=numpy.int32)
        for batch in batches:
            if batch.num_rows == 0 or len(known) == 0:
                continue
            keys = numpy.frombuffer(plan.keys(table_of(named(batch, names).select(quasi))), dtype=numpy.uint64)
            at = numpy.minimum(numpy.searchsorted(known, keys), len(known) - 1)
            if numpy.any((known[at] != keys) & (keys != 0)):
                raise Error("the DataFrame has rows now that it had not when it was counted: write it "
                            "to a table, and give that")
            group = numpy.where(known[at] == keys, of_cell[at], -1)
            taken = pa.array(group >= 0)
            routed = batch.append_column(GROUP, pa.array(group, pa.int32())).filter(taken)
            if routed.num_rows:
                yield routed

    return route


def _verify(shared: Shared, names: list[str]) -> Any:
    def verify(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        plan = plan_of(shared)
        first = next(batches, None)
        if first is None:
            return

        def rows() -> Iterator[pa.RecordBatch]:
            yield named(first, names)
            for batch in batches:
                yield named(batch, names)

        own = named(first, names).schema
        figures, counts = plan.verify(table_of(pa.RecordBatchReader.from_batches(own, rows())))
        cells = Cells(plan)
        found = numpy.frombuffer(counts, dtype=numpy.uint64)
        some = numpy.nonzero(found)[0]
        yield pa.record_batch({KEY: pa.array([0], pa.int64()), "n": pa.array([0], pa.int64()),
                               "text": pa.array([json.dumps(figures)], pa.string())})
        yield pa.record_batch({KEY: pa.array(cells.keys[some].view(numpy.int64)),
                               "n": pa.array(found[some].astype(numpy.int64)),
                               "text": pa.nulls(len(some), pa.string())})

    return verify


class Found:
    """What the published rows show, added up."""

    def __init__(self, plan: _hedgerow.Plan, df: Any, quasi: list[str], parts: int):
        from pyspark.sql import functions as F

        shared = Shared(df, plan.exported)
        names = df.columns
        columns = [f"c{names.index(name)}" for name in quasi]
        judged = columns_of(df, names).repartition(parts, *columns).mapInArrow(
            _verify(shared, names), f"{KEY} long, n long, text string")
        rows = judged.groupBy(KEY, "text").agg(F.sum("n").alias("n"), F.count("*").alias("m")).toArrow()
        shared.free()
        texts, times = rows.column("text").to_pylist(), rows.column("m").to_pylist()
        parts_found = [json.loads(text) for text, m in zip(texts, times) if text for _ in range(m)]
        self.figures: dict[str, Any] = {
            name: sum(part[name] for part in parts_found)
            for name in ("rows", "classes", "small_classes", "poor_classes", "failing", "unreadable",
                         "past", "strangers")
        }
        for name, best in (("smallest", min), ("least_values", min), ("largest", max)):
            self.figures[name] = best((part[name] for part in parts_found), default=0)
        means = any(part["il"] is None for part in parts_found)
        self.figures["il"] = None if means else math.fsum(part["il"] for part in parts_found)
        self.figures["squares"] = math.fsum(part["squares"] for part in parts_found)
        cells = Cells(plan)
        self.counts = numpy.zeros(len(cells.keys), dtype=numpy.uint64)
        keys = rows.column(KEY).to_numpy().view(numpy.uint64)
        there = keys != 0
        self.counts[numpy.searchsorted(cells.keys, keys[there])] = (
            rows.column("n").to_numpy()[there].astype(numpy.uint64))
        self.cells = cells

    def reasons(self, whole: bool, enforced: bool) -> list[str]:
        """Why this is not what the job promises. `whole`: every cell must have all its rows;
        `enforced`: values past a boundary are not allowed."""
        f, cells, reasons = self.figures, self.cells, []
        known = cells.released != UNKNOWN
        if f["small_classes"]:
            reasons.append(f"{f['small_classes']:,} classes have fewer than k rows")
        if f["poor_classes"]:
            reasons.append(f"{f['poor_classes']:,} classes have fewer than p sensitive values")
        if f["failing"] and not reasons:
            reasons.append(f"{f['failing']:,} classes violate a model")
        if f["unreadable"]:
            reasons.append(f"{f['unreadable']:,} values are none that the job can publish")
        past = max(f["past"] if enforced else 0, f["strangers"])
        if past:
            reasons.append(f"{past:,} rows lie past a boundary")
        wrong = (self.counts != cells.released) & known if whole else numpy.zeros(0)
        many = int(numpy.sum(wrong)) or int(numpy.sum(self.counts > cells.rows))
        if many:
            reasons.append(f"{many:,} cells have another number of rows than the input")
        return reasons


class Release:
    """A verified release: its table, a Spark DataFrame, and its report."""

    def __init__(self, stored: Any, report: dict[str, Any]):
        self._stored = stored
        self.table = stored.drop(PEOPLE)
        self._report = report

    @property
    def report(self) -> dict[str, Any]:
        """The owner's report. Not for release."""
        return self._report

    @property
    def loss(self) -> Optional[float]:
        """Information loss (NTIL): 0 if nothing was generalized, 1 if nothing is left."""
        loss: Optional[float] = self._report["loss"]["ntil"]
        return loss

    @property
    def classes(self) -> int:
        """Number of classes: groups of rows that are published alike."""
        return int(self._report["classes"]["count"])

    @property
    def suppressed(self) -> int:
        """Number of input rows that are not released."""
        return int(self._report["rows"]["suppressed"])

    @property
    def warnings(self) -> Any:
        return self._report["warnings"]

    def unpersist(self) -> None:
        """Frees the storage of the release; its table cannot be read any more."""
        self._stored.unpersist()

    def __repr__(self) -> str:
        rows = self._report["rows"]
        loss = "" if self.loss is None else f", loss {self.loss:.4f}"
        return (f"<hedgerow.spark.Release: {rows['released']:,} of {rows['input']:,} rows in "
                f"{self.classes:,} classes{loss}>")


class Verdict:
    """The answer of check(): truthy if the table is what the job promises."""

    def __init__(self, figures: dict[str, Any], reasons: list[str]):
        self.figures = figures
        self.reasons = reasons
        self.holds = not reasons

    def __bool__(self) -> bool:
        return self.holds

    def __repr__(self) -> str:
        return "<hedgerow.spark.Verdict: " + ("yes" if self else "no: " + "; ".join(self.reasons)) + ">"


def _kept(df: Any) -> Any:
    """The rows as they are now: what is verified is what is read later."""
    from pyspark import StorageLevel

    try:
        if df.sparkSession.sparkContext.getCheckpointDir():
            return df.checkpoint(eager=True)
    except AttributeError:
        pass
    return df.persist(StorageLevel.DISK_ONLY)


def _output(facts: Facts) -> Any:
    """Some columns are text; the others keep their types. With a unit, the last column is
    PEOPLE."""
    from pyspark.sql.types import LongType, StringType, StructField, StructType

    fields = {field.name: field for field in facts.df.schema.fields}
    schema = StructType([
        StructField(f"c{at}", StringType() if name in facts.texts else fields[name].dataType, True)
        for at, name in enumerate(_released(facts))
    ])
    if facts.unit:
        schema.add(PEOPLE, LongType())
    return schema


def _released(facts: Facts) -> list[str]:
    """The released columns in the order of the input."""
    return [name for name in facts.df.columns if name in facts.released]


def _parallelism(df: Any) -> int:
    try:
        return int(df.sparkSession.sparkContext.defaultParallelism)
    except Exception:
        return 8


def _enforced(job: _hedgerow.Job) -> bool:
    return job.get("boundaries") != "count"


class Stages:
    """Seconds by stage."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._since = time.monotonic()

    def end(self, name: str) -> None:
        now = time.monotonic()
        self.seconds[name] = round(now - self._since, 3)
        self._since = now


def make_release(df: Any, job: _hedgerow.Job, rows_per_task: int, tasks: Optional[int],
                 notice: Callable[[str], None]) -> Release:
    warnings: list[str] = []

    def warn(message: str) -> None:
        warnings.append(message)
        notice(message)

    stages = Stages()
    job.set("threads", "1")
    facts = Facts(df, job)
    plan = facts.plan(warn)
    stages.end("count")
    cells = Cells(plan)
    parallel = tasks or 2 * _parallelism(df)
    cut, whole = cut_cells(facts, plan, cells, rows_per_task, warn)
    stages.end("cut")
    units = Cells.units(plan)
    groups = units.pack(max(1, min(rows_per_task, -(-facts.rows // parallel))), cut)
    table = _run(facts, plan, groups)
    count = int(groups.max()) + 1
    found = Found(plan, table.drop(PEOPLE), facts.quasi, max(count, _parallelism(df)))
    people = _least_people(table) if facts.unit else None
    stages.end("search and verify")
    reasons = found.reasons(whole=True, enforced=_enforced(job))
    if reasons:
        table.unpersist()
        raise Error("the release does not verify, and nothing is released: " + "; ".join(reasons))
    if found.figures["rows"] == 0:
        table.unpersist()
        raise InfeasibleError("nothing can be released: no cell satisfies the models")
    share = (facts.rows - found.figures["rows"]) / facts.rows
    if share > float(job.get("max-suppressed") or 1):
        table.unpersist()
        raise InfeasibleError(
            f"{100 * share:.3g} % of the rows would be suppressed, more than max-suppressed allows: "
            f"{facts.rows - found.figures['rows']:,} of {facts.rows:,}; lower k, or raise max-suppressed")
    report = _report(facts, job, cells, found, stages, warnings, count)
    report["cut"] = {"cells": len(cut), "parts": len(units.keys) - len(cells.keys),
                     "too_large": whole}
    if people is not None:
        report["model"]["achieved"]["k"] = people
        report["risk"] = {"prosecutor": 1 / people, "average": None}
    return Release(table, report)


def _least_people(table: Any) -> int:
    """The people of the smallest class, as the tasks have counted them."""
    from pyspark.sql import functions as F

    return int(table.agg(F.min(PEOPLE)).collect()[0][0] or 0)


def _run(facts: Facts, plan: _hedgerow.Plan, groups: Any) -> Any:
    schema = _output(facts)
    released = _released(facts)
    shared = Shared(facts.df, plan.exported)
    numbers = Shared(facts.df, groups.tobytes())
    from pyspark.sql.types import IntegerType, StructType

    chosen = facts.select(released + facts.unit)
    routed_schema = StructType(list(chosen.schema.fields)).add(GROUP, IntegerType())
    count = max(1, int(groups.max()) + 1)
    routed = chosen.mapInArrow(
        _route(shared, numbers, released + facts.unit, facts.quasi), routed_schema)
    sort = facts.algorithm not in ("hedge", "mam", *WHOLE_TABLE)
    search = _search(shared, released, facts.texts, facts.unit, sort)
    # Spark recognizes the form with iterators by these types.
    search.__annotations__ = {"batches": Iterator[pa.RecordBatch], "return": Iterator[pa.RecordBatch]}
    made = routed.repartition(count, GROUP).groupBy(GROUP).applyInArrow(search, schema)
    return _kept(made.toDF(*released, *[PEOPLE for _ in facts.unit]))


def _report(facts: Facts, job: _hedgerow.Job, cells: Cells, found: Found, stages: Stages,
            warnings: list[str], groups: int) -> dict[str, Any]:
    f = found.figures
    suppressed = facts.rows - f["rows"]
    il = None if f["il"] is None else f["il"] + suppressed * len(facts.quasi)
    return {
        "rows": {"input": facts.rows, "released": f["rows"], "suppressed": suppressed},
        "classes": {"count": f["classes"], "min": f["smallest"], "mean": f["rows"] / f["classes"],
                    "max": f["largest"]},
        "model": {"k": int(job.get("k") or 0), "p": int(job.get("p") or 1),
                  "achieved": {"k": f["smallest"], "p": f["least_values"]},
                  "boundary_violations": 0 if _enforced(job) else None, "verified": True},
        "loss": {"il": il, "ntil": None if il is None else il / (facts.rows * len(facts.quasi)),
                 "ntil_bound": None, "dm": f["squares"] + float(suppressed) * facts.rows,
                 "avg": f["rows"] / f["classes"] / max(1, int(job.get("k") or 1)),
                 "avg_clusters": None, "sse_sst": None},
        "risk": {"prosecutor": 1 / f["smallest"], "average": f["classes"] / f["rows"]},
        "algorithm": facts.algorithm,
        "seed": int(job.get("seed") or 1),
        "cells": {"count": len(cells.keys), "suppressed": int(numpy.sum(cells.released == 0)),
                  "largest": int(cells.rows.max()), "groups": groups},
        "seconds": stages.seconds,
        "warnings": warnings,
    }


def check_release(masked: Any, original: Any, job: _hedgerow.Job,
                  notice: Callable[[str], None]) -> Verdict:
    facts = Facts(original, job)
    reasons = _columns(facts, job, masked)
    released = [name for name in masked.columns if name in facts.released]
    if len(released) < len(facts.released):
        return Verdict({}, reasons)
    plan = facts.plan(notice)
    found = Found(plan, columns_of(masked, released).toDF(*released), facts.quasi,
                  2 * _parallelism(masked))
    return Verdict(found.figures, reasons + found.reasons(whole=False, enforced=_enforced(job)))


def _columns(facts: Facts, job: _hedgerow.Job, masked: Any) -> list[str]:
    """Why these are not the columns that the job releases."""
    roles = {name.strip().casefold(): role for name, role in job.columns()}
    extra = [name for name in masked.columns if name not in facts.released]
    role_of = {name: roles.get(name.strip().casefold()) for name in extra}
    parts = {role: ", ".join(f"'{name}'" for name in extra if role_of[name] == role)
             for role in ("identifier", "drop", None)}
    reasons = []
    if parts["identifier"]:
        reasons.append(f"the DataFrame contains the identifiers {parts['identifier']}")
    if parts["drop"]:
        reasons.append(f"the DataFrame contains columns that the job drops: {parts['drop']}")
    if parts[None]:
        reasons.append(f"the DataFrame contains columns that the job does not release: {parts[None]}")
    lacking = ", ".join(f"'{name}'" for name in facts.released if name not in masked.columns)
    if lacking:
        reasons.append(f"the DataFrame lacks columns that the job releases: {lacking}")
    return reasons
