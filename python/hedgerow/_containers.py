"""Tables of other libraries: how they come in, and how a release goes back."""

from __future__ import annotations

import os
import sys
from typing import Any, Callable, Collection, Optional

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


def _array_of(frame: Any, at: int, name: str) -> Any:
    """A column of a pandas DataFrame as an Arrow array."""
    import pyarrow

    values = frame.iloc[:, at]
    try:
        return pyarrow.array(values, from_pandas=True)
    except (pyarrow.ArrowException, TypeError, ValueError, OverflowError):
        # The exception of pyarrow repeats a value of the column.
        raise _hedgerow.InputError(
            f"column '{name}': its values (dtype {values.dtype}) have no common type that Arrow knows; "
            "convert them, for example with .astype(str)"
        ) from None


def _table_of_pandas(frame: Any, columns: Optional[list[str]]) -> Any:
    """A pandas DataFrame as a pyarrow Table. The index is not a column of the data. Columns that
    are not wanted keep their name and are not converted."""
    import pyarrow

    names = [str(name) for name in frame.columns]
    wanted = set(names if columns is None else columns)
    arrays = [
        _array_of(frame, at, name) if name in wanted else pyarrow.nulls(len(frame))
        for at, name in enumerate(names)
    ]
    return pyarrow.table(arrays, names=names)


def stream_of(data: Any, columns: Optional[list[str]] = None) -> Any:
    """An Arrow stream of a table, as a PyCapsule. Columns that are not wanted may lack values."""
    if _comes_from(data, "pandas", "DataFrame"):
        data = _table_of_pandas(data, columns)
    if _comes_from(data, "pyarrow", "RecordBatch"):
        import pyarrow

        data = pyarrow.Table.from_batches([data])
    method = getattr(data, "__arrow_c_stream__", None)
    if method is None or _comes_from(data, "polars", "Series"):
        raise TypeError(_advice(data))
    return method()


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
        return f"a {name} is not a table: give a relation, such as connection.table('people')"
    if name.endswith(".Series"):
        return f"a {name} is one column, not a table: call .to_frame() first"
    if _comes_from(data, "pyarrow", "Dataset", "Scanner"):
        return f"a {name} has no rows yet: call .to_table() first"
    if isinstance(data, dict):
        return "a dict is not a table here: make one with pandas.DataFrame(...) or pyarrow.table(...)"
    return (
        f"a {name} is not a table: give a pandas or polars DataFrame, a pyarrow Table, a DuckDB "
        "relation, another object with __arrow_c_stream__, a path or an address"
    )


def table_of(
    data: Any, columns: Optional[list[str]] = None, progress: Progress = None
) -> _hedgerow.Table:
    """The table as a hedgerow.Table. `columns`: only these are read; None: all."""
    if isinstance(data, _hedgerow.Table):
        return data
    if is_address(data):
        return _hedgerow.table_read(os.fspath(data), columns)
    return _hedgerow.table_from_arrow(stream_of(data, columns), columns, progress)


def names_of(data: Any) -> Optional[list[str]]:
    """Names of the columns, where the container has them without reading anything."""
    if _comes_from(data, "pandas", "DataFrame"):
        return [str(name) for name in data.columns]
    if not hasattr(data, "__arrow_c_stream__"):
        return None
    holder = getattr(data, "schema", None) if _comes_from(data, "pyarrow", "RecordBatchReader") else data
    for attribute in ("column_names", "columns", "names"):
        names = getattr(holder, attribute, None)
        if names is not None and not callable(names):
            names = list(names)
            return names if all(isinstance(name, str) for name in names) else None
    return None


def _storage(kind: Any) -> Any:
    """The Arrow type in which the values of a type are stored."""
    return getattr(kind, "storage_type", kind)


def _plain_column(released: Any) -> Any:
    """A released column in pandas. A dictionary has an entry for nulls, which is no category."""
    import pandas

    values = released.to_pandas()
    coded = isinstance(values.dtype, pandas.CategoricalDtype)
    return values.cat.remove_unused_categories() if coded else values


def _pandas_column(released: Any, original: Any) -> Any:
    """A kept column with the dtype that it came with, if its values still have that type."""
    import pandas
    import pyarrow

    dtype: Any = original.dtype
    values = _plain_column(released)
    if isinstance(dtype, pandas.CategoricalDtype) and isinstance(values.dtype, pandas.CategoricalDtype):
        # Only categories that are released: others would tell values of suppressed rows.
        left = [category for category in dtype.categories if category in values.cat.categories]
        if len(left) == len(values.cat.categories):
            return values.cat.set_categories(left, ordered=dtype.ordered)
        return values
    from_arrow = getattr(dtype, "__from_arrow__", None)
    if from_arrow is None:
        return values
    sent = pyarrow.array(original.iloc[:0], from_pandas=True).type
    if _storage(sent) != released.type:
        return values
    if sent != released.type:
        released = pyarrow.chunked_array(
            [pyarrow.ExtensionArray.from_storage(sent, chunk) for chunk in released.chunks], sent
        )
    return pandas.Series(from_arrow(released))


def _pandas_frame(table: Any, model: Any, kept: Collection[str]) -> Any:
    import pandas
    import pyarrow

    released = pyarrow.table(table)
    labels = {str(label): (at, label) for at, label in enumerate(model.columns)}
    columns = []
    for name, values in zip(released.column_names, released.columns):
        known = name in kept and name in labels
        columns.append(_pandas_column(values, model.iloc[:, labels[name][0]]) if known else _plain_column(values))
    frame = pandas.concat(columns, axis=1) if columns else pandas.DataFrame(index=range(len(table)))
    frame.columns = pandas.Index([labels.get(name, (0, name))[1] for name in released.column_names])
    return frame


def _polars_frame(table: Any, model: Any, kept: Collection[str]) -> Any:
    import polars

    frame = polars.DataFrame(table)
    for name in frame.columns:
        dtype = model.schema.get(name)
        if name in kept and isinstance(dtype, polars.Enum):
            values = set(frame[name].unique().drop_nulls().cast(polars.String))
            left = [category for category in dtype.categories if category in values]
            if len(left) == len(values):
                frame = frame.with_columns(
                    frame[name].cast(polars.String).cast(polars.Enum(left)).alias(name)
                )
    return frame


def like(table: Any, model: Any, kept: Collection[str] = ()) -> Any:
    """`table`, a hedgerow.Table, in the container that `model` came in. The columns `kept` get the
    types that they have there."""
    if _comes_from(model, "pandas", "DataFrame"):
        return _pandas_frame(table, model, kept)
    if _comes_from(model, "polars", "DataFrame"):
        return _polars_frame(table, model, kept)
    if _comes_from(model, "pyarrow", "Table", "RecordBatch", "RecordBatchReader") or _comes_from(
        model, "duckdb", "DuckDBPyRelation"
    ):
        import pyarrow

        return pyarrow.table(table)
    return table
