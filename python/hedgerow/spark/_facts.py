# pyright: reportMissingImports=false
"""What must be known of the whole table, in two aggregates: the values of every column with their
counts, and the combinations of MAM cell and sensitive values with theirs. An algorithm that recodes
the whole table at once needs the combinations of all quasi-identifiers and sensitive values in place
of these. Nothing else reaches the driver."""

from __future__ import annotations

from typing import Any, Iterator, Optional

import pyarrow as pa
import pyarrow.compute

from .. import Error, InputError, _hedgerow
from .._containers import table_of
from ._base import KEY, Shared, columns_of, named, plan_of

pc: Any = pyarrow.compute  # its functions are made when it is imported

#: The most distinct values, and the most combinations, that the driver takes.
VALUES_MOST = 20_000_000

#: Rows of a task that are counted together.
CHUNK = 200_000


def chunks(batches: Iterator[pa.RecordBatch], rows: int = CHUNK) -> Iterator[pa.Table]:
    """Joins batches until they have that many rows."""
    held: list[pa.RecordBatch] = []
    count = 0
    for batch in batches:
        held.append(batch)
        count += batch.num_rows
        if count >= rows:
            yield pa.Table.from_batches(held)
            held, count = [], 0
    if count:
        yield pa.Table.from_batches(held)


def texts_of(table: pa.Table) -> pa.Table:
    """The table as the library reads it: every value as text."""
    texts = pa.table(table_of(table).texts())
    return texts.cast(pa.schema([(name, pa.string()) for name in texts.column_names]))


def _values(names: list[str]) -> Any:
    def count(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for table in chunks(batches):
            texts = texts_of(named(table, names))
            for i, name in enumerate(names):
                found = texts.column(name).combine_chunks().value_counts()
                yield pa.record_batch({"c": pa.repeat(pa.scalar(i, pa.int32()), len(found)),
                                       "v": found.field("values"), "n": found.field("counts")})

    return count


def _combinations(shared: Shared, quasi: list[str], columns: dict[str, str], by: list[str],
                  first: list[str]) -> Any:
    """Counts rows by the columns `by`, and finds the first row of each group by the columns
    `first`; `columns` has the short names that these lists use."""

    def count(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        plan = plan_of(shared)
        for table in chunks(batches):
            table = named(table, list(columns.values()))
            keys = plan.keys(table_of(table.select(quasi)))
            texts = texts_of(table)
            found = pa.table(
                {KEY: pa.Array.from_buffers(pa.int64(), len(texts), [None, pa.py_buffer(keys)])}
                | {short: texts.column(name) for short, name in columns.items()})
            filled = pa.table({name: found.column(name) if name == KEY
                               else pc.fill_null(found.column(name), "") for name in by + first})
            order = pc.sort_indices(filled, sort_keys=[(name, "ascending") for name in by + first])
            grouped = pa.TableGroupBy(found.take(order), by, use_threads=False).aggregate(
                [(name, "first", pc.ScalarAggregateOptions(skip_nulls=False)) for name in first]
                + [([], "count_all")])
            counted = {name: grouped.column(name) for name in by}
            counted.update((name, grouped.column(f"{name}_first")) for name in first)
            counted["n"] = grouped.column("count_all")
            yield from pa.table(counted).to_batches()

    return count


#: Algorithms that search the whole table at once, from its combinations of values.
WHOLE_TABLE = ("incognito",)

_NUMBERS = ("tinyint", "smallint", "int", "bigint", "float", "double", "decimal")


class Facts:
    """The facts of a DataFrame for a job."""

    def __init__(self, df: Any, job: _hedgerow.Job):
        self.df = df
        self._job = job
        self.algorithm: str = job.get("algorithm") or "hedge"
        self.roles = self._roles()
        self.quasi = [name for name, role in self.roles if role == "quasi"]
        self.sensitive = [name for name, role in self.roles if role == "sensitive"]
        texts = set(job.text_columns())
        #: Released as text, whatever their type: quasi-identifiers, and kept columns that are recoded so.
        self.texts = [self._column(name) for name, role in job.columns() if name in texts]
        self.recoded = [name for name, role in self.roles if role == "keep" and name in self.texts]
        self.released = [name for name, role in self.roles if role in ("quasi", "sensitive", "keep")]
        unit = job.get("unit")
        self.unit = [self._column(unit)] if unit else []  # read by tasks, never released
        if not self.quasi:
            raise InputError("the job has no quasi-identifier: give at least one column the role quasi")
        self._counted: Optional[_hedgerow.Table] = None
        self._weights = b""
        self._values = self._count_values()
        self.rows = 0
        self._count()

    def _column(self, name: str) -> str:
        """The name that the DataFrame has for a column of the job."""
        there = {own.strip().casefold(): own for own in self.df.columns}
        found = name if name in self.df.columns else there.get(name.strip().casefold())
        if found is None:
            raise InputError(f"the DataFrame has no column '{name}', which the job names; it has "
                             + ", ".join(f"'{column}'" for column in self.df.columns))
        if self.df.columns.count(found) > 1:
            raise InputError(f"the DataFrame has several columns '{found}': rename or drop all but one")
        return found

    def _roles(self) -> list[tuple[str, str]]:
        """Columns of the DataFrame with the roles that the job gives them, in the job's order."""
        return [(self._column(name), role) for name, role in self._job.columns()
                if role in ("quasi", "sensitive", "keep")]

    def select(self, names: list[str]) -> Any:
        """These columns, named c0, c1, ...: see columns_of()."""
        return columns_of(self.df, names)

    def _count_values(self) -> dict[str, pa.Array]:
        from pyspark.sql import functions as F

        names = self.quasi + self.sensitive + self.recoded
        counted = self.select(names).mapInArrow(_values(names), "c int, v string, n long")
        found = _bounded(counted.groupBy("c", "v").agg(F.sum("n").alias("n")),
                         "different values of quasi-identifiers and sensitive columns")
        values = {}
        for i, name in enumerate(names):
            own = found.filter(pc.equal(found.column("c"), i)).sort_by("v")
            values[name] = own.column("v").combine_chunks()
        return values

    def _count(self) -> None:
        from pyspark.sql import functions as F

        if all(len(values) == 0 for values in self._values.values()):
            raise InputError("the input table has no rows: append some first")
        draft = self._planned(self._table(None), b"")
        shared = Shared(self.df, draft.exported)
        short = {f"s{i}": name for i, name in enumerate(self.sensitive)}
        short.update(("u", name) for name in self.unit)
        by = [KEY, *short]
        first = [f"q{i}" for i in range(len(self.quasi))]
        short.update(zip(first, self.quasi))
        what = "combinations of a cell with sensitive values"
        if self.unit:
            what += f" and '{self.unit[0]}'"
        if self.algorithm in WHOLE_TABLE:
            by, first, what = by + first, [], "combinations of quasi-identifiers and sensitive values"
        schema = ", ".join([f"{KEY} long"] + [f"{name} string" for name in by[1:] + first] + ["n long"])
        counted = self.select(list(short.values())).mapInArrow(
            _combinations(shared, self.quasi, short, by, first), schema)
        figures = [F.sum("n").alias("n")] + ([F.min(F.struct(*first)).alias("q")] if first else [])
        found = _bounded(
            counted.groupBy(*by).agg(*figures).select(*by, *(["q.*"] if first else []), "n"), what)
        shared.free()
        if self.unit and found.column("u").null_count:
            raise InputError(f"column '{self.unit[0]}': the unit is missing in some rows, so it is "
                             "unknown whose rows these are: leave them out")
        counts = found.column("n")
        self.rows = pc.sum(counts).as_py()
        if pc.max(counts).as_py() >= 2**32 - 1:
            raise InputError("one cell has more than 4 billion rows with the same sensitive values: "
                             "draw boundaries")
        self._counted = self._table(found)
        self._weights = counts.combine_chunks().cast(pa.uint32()).to_numpy(zero_copy_only=False).tobytes()

    def _table(self, found: Optional[pa.Table]) -> _hedgerow.Table:
        """Rows that stand for others, and then rows that have every value."""
        longest = max(len(values) for values in self._values.values())
        columns = {}
        for name, role in self.roles:
            kind = dict(self.df.dtypes)[name]
            if name not in self._values:
                rows = pa.nulls(longest + (0 if found is None else len(found)), pa.string())
            else:
                values = self._values[name]
                padding = pa.repeat(values[len(values) - 1], longest - len(values))
                parts = [values, padding.cast(pa.string())]
                if found is not None and role == "keep":
                    parts = [pa.nulls(len(found), pa.string()), *parts]
                elif found is not None:
                    at = self.quasi.index(name) if role == "quasi" else self.sensitive.index(name)
                    head = found.column(f"{'q' if role == 'quasi' else 's'}{at}")
                    parts = head.chunks + parts
                rows = pa.chunked_array(parts, pa.string())
            if role != "keep" and kind.split("(")[0] in _NUMBERS:
                rows = rows.cast(_arrow_type(kind))
            columns[name] = rows
        for name in self.unit:
            units = [] if found is None else found.column("u").chunks
            columns[name] = pa.chunked_array(
                [*units, pa.repeat(units[0][0] if units else pa.scalar("unit"), longest)], pa.string())
        return table_of(pa.table(columns))

    def _planned(self, table: _hedgerow.Table, weights: bytes) -> _hedgerow.Plan:
        self._job.set_input(table)
        self._job.set_counts(weights)
        return self._job.plan(None, None)

    def job(self) -> _hedgerow.Job:
        """The job with the counted table as its input."""
        assert self._counted is not None
        self._job.set_input(self._counted)
        self._job.set_counts(self._weights)
        return self._job

    def plan(self, notice: Any) -> _hedgerow.Plan:
        return self.job().plan(None, notice)


def _arrow_type(kind: str) -> pa.DataType:
    if kind.startswith("decimal"):
        digits, scale = kind[8:-1].split(",")
        return pa.decimal128(int(digits), int(scale))
    return {"tinyint": pa.int8(), "smallint": pa.int16(), "int": pa.int32(), "bigint": pa.int64(),
            "float": pa.float32(), "double": pa.float64()}[kind]


def _bounded(df: Any, what: str) -> pa.Table:
    """Collects an aggregate that the driver can hold."""
    from pyspark import StorageLevel

    kept = df.persist(StorageLevel.MEMORY_AND_DISK)
    try:
        count = kept.count()
        if count > VALUES_MOST:
            raise Error(f"there are {count:,} {what}, and the driver takes {VALUES_MOST:,}: round or "
                        "bin them before, or leave a column out")
        return kept.toArrow()
    finally:
        kept.unpersist()
