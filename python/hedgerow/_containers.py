"""Tables of other libraries: how they come in, and how a release goes back."""

from __future__ import annotations

import os
import sys
from typing import Any, Callable, Optional

from . import _hedgerow

Progress = Optional[Callable[..., None]]


def is_address(data: Any) -> bool:
    """A path, or an address such as sqlite:FILE?table=NAME."""
    return isinstance(data, (str, os.PathLike))


def _comes_from(data: Any, package: str, *names: str) -> bool:
    """Is it an object of that package? Asks without importing the package."""
    return package in sys.modules and any(
        base.__module__.split(".")[0].lstrip("_") == package and base.__name__ in names
        for base in type(data).__mro__
    )


def stream_of(data: Any) -> Any:
    """An Arrow stream of a table, as a PyCapsule."""
    if _comes_from(data, "pandas", "DataFrame"):
        import pyarrow

        # The index is not a column of the data.
        data = pyarrow.Table.from_pandas(data, preserve_index=False)
    if _comes_from(data, "pyarrow", "RecordBatch"):
        import pyarrow

        data = pyarrow.Table.from_batches([data])
    method = getattr(data, "__arrow_c_stream__", None)
    if method is not None:
        return method()
    raise TypeError(_advice(data))


def frame_of(data: Any) -> Any:
    """A Series of pandas or polars as a table of one column; anything else as it is."""
    if _comes_from(data, "pandas", "Series"):
        return data.to_frame("value" if data.name is None else str(data.name))
    return data.to_frame() if _comes_from(data, "polars", "Series") else data


def _advice(data: Any) -> str:
    name = f"{type(data).__module__}.{type(data).__qualname__}"
    if _comes_from(data, "polars", "LazyFrame"):
        return f"a {name} has no rows yet: call .collect() first"
    if _comes_from(data, "duckdb", "DuckDBPyConnection"):
        return f"a {name} is no table: give a relation, such as connection.table('people')"
    if isinstance(data, dict):
        return "a dict is no table here: make one with pandas.DataFrame(...) or pyarrow.table(...)"
    return (
        f"a {name} is no table: give a pandas or polars DataFrame, a pyarrow Table, a DuckDB "
        "relation, another object with __arrow_c_stream__, a path or an address"
    )


def table_of(
    data: Any, columns: Optional[list[str]] = None, progress: Progress = None
) -> _hedgerow.Table:
    """The table as a hedgerow.Table. `columns`: only these are read; None: all."""
    if isinstance(data, _hedgerow.Table):
        return data
    if is_address(data):
        return _hedgerow.table_read(os.fspath(data))
    return _hedgerow.table_from_arrow(stream_of(data), columns, progress)


def names_of(data: Any) -> Optional[list[str]]:
    """Names of the columns, where the container has them without reading anything."""
    if not hasattr(data, "__arrow_c_stream__"):
        return None
    for attribute in ("column_names", "columns"):
        names = getattr(data, attribute, None)
        if names is not None and not callable(names):
            names = list(names)
            return names if all(isinstance(name, str) for name in names) else None
    return None


def like(table: Any, model: Any) -> Any:
    """`table`, a hedgerow.Table, in the container that `model` came in."""
    if _comes_from(model, "pandas", "DataFrame"):
        import pyarrow

        return pyarrow.table(table).to_pandas()
    if _comes_from(model, "polars", "DataFrame"):
        import polars

        return polars.DataFrame(table)
    if _comes_from(model, "pyarrow", "Table", "RecordBatch", "RecordBatchReader") or _comes_from(
        model, "duckdb", "DuckDBPyRelation"
    ):
        import pyarrow

        return pyarrow.table(table)
    return table
