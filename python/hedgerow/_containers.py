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


def is_table(data: Any) -> bool:
    """An object with columns, of any library; not a single column."""
    known = _comes_from(data, "pandas", "DataFrame") or _comes_from(data, "pyarrow", "RecordBatch")
    return known or (hasattr(data, "__arrow_c_stream__") and not _is_column(data))


def _is_column(data: Any) -> bool:
    return any(_comes_from(data, package, "Series") for package in ("pandas", "polars")) or _comes_from(
        data, "pyarrow", "ChunkedArray"
    )


def _comes_from(data: Any, package: str, *names: str) -> bool:
    """Is it an object of that package? Asks without importing the package."""
    return package in sys.modules and any(
        base.__module__.split(".")[0].lstrip("_") == package and base.__name__ in names
        for base in type(data).__mro__
    )


def _pyarrow() -> Any:
    try:
        import pyarrow
    except ImportError:
        raise ImportError("tables of pandas and DuckDB need pyarrow: pip install pyarrow") from None
    return pyarrow


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
    pyarrow = _pyarrow()
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
    if method is None or _is_column(data):
        raise TypeError(_advice(data))
    return method()


def frame_of(data: Any) -> Any:
    """A Series of pandas or polars or an array of pyarrow as a table of one column; anything else as
    it is."""
    if _comes_from(data, "pyarrow", "Array", "ChunkedArray"):
        import pyarrow

        return pyarrow.table([data], names=["value"])
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


def index_names_of(data: Any) -> list[str]:
    """Names of the index of a pandas DataFrame, which are no columns."""
    if not _comes_from(data, "pandas", "DataFrame"):
        return []
    return [str(name) for name in data.index.names if name is not None]


def _dictionary_as(released: Any, wanted: Any, order: Any) -> Any:
    """A dictionary of the wanted type. It has only values that are released, in the order of `order`
    if that is given."""
    import pyarrow
    from pyarrow.compute import SetLookupOptions, call_function

    values = released.cast(wanted.value_type)
    used = values.unique().drop_null()
    if order is not None:
        left = order.filter(call_function("is_in", [order], SetLookupOptions(used)))
        if len(left) != len(used):
            return released
        used = left
    places = call_function("index_in", [values], SetLookupOptions(used)).cast(wanted.index_type)
    ordered = wanted.ordered and order is not None
    return pyarrow.chunked_array(
        [pyarrow.DictionaryArray.from_arrays(chunk, used, ordered=ordered) for chunk in places.chunks],
        pyarrow.dictionary(wanted.index_type, wanted.value_type, ordered),
    )


def _with_type(released: Any, wanted: Any, order: Any = None) -> Any:
    """A kept column with the Arrow type that it came with, if its values still have that type.
    `order`: the values of an ordered dictionary."""
    import pyarrow

    if released.type == wanted:
        return released
    if getattr(wanted, "storage_type", None) == released.type:
        return pyarrow.chunked_array(
            [wanted.wrap_array(chunk) for chunk in released.chunks], wanted
        )
    coded = [pyarrow.types.is_dictionary(kind) for kind in (wanted, released.type)]
    if all(coded) and wanted.value_type == released.type.value_type:
        return _dictionary_as(released, wanted, order)
    return released


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
        # Only categories that are released: the others are values of suppressed rows.
        left = [category for category in dtype.categories if category in values.cat.categories]
        if len(left) == len(values.cat.categories):
            return values.cat.set_categories(left, ordered=dtype.ordered)
        return values
    if dtype == object and values.dtype != object:
        return pandas.Series(released.to_pylist(), dtype=object)
    from_arrow = getattr(dtype, "__from_arrow__", None)
    if from_arrow is None:
        return values
    sent = pyarrow.array(original.iloc[:0], from_pandas=True).type
    released = _with_type(released, sent)
    return pandas.Series(from_arrow(released)) if released.type == sent else values


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


def _arrow_table(table: Any, model: Any, kept: Collection[str]) -> Any:
    import pyarrow

    released = pyarrow.table(table)
    for at, name in enumerate(released.column_names):
        if name not in kept or name not in model.schema.names:
            continue
        wanted = model.schema.field(name).type
        order = None
        if pyarrow.types.is_dictionary(wanted) and wanted.ordered and hasattr(model, "column"):
            order = pyarrow.chunked_array(model.column(name)).unify_dictionaries().chunk(0).dictionary
        column = _with_type(released.column(at), wanted, order)
        released = released.set_column(at, pyarrow.field(name, column.type), column)
    return released


def _one_batch(table: Any) -> Any:
    """The rows of a pyarrow Table as a RecordBatch, unless its texts are too large for one."""
    batches = table.combine_chunks().to_batches()
    return batches[0] if len(batches) == 1 else table


def like(table: Any, model: Any, kept: Collection[str] = ()) -> Any:
    """`table`, a hedgerow.Table, in the container that `model` came in. The columns `kept` get the
    types that they have there."""
    if _comes_from(model, "pandas", "DataFrame"):
        return _pandas_frame(table, model, kept)
    if _comes_from(model, "polars", "DataFrame"):
        return _polars_frame(table, model, kept)
    if _comes_from(model, "pyarrow", "RecordBatch"):
        return _one_batch(_arrow_table(table, model, kept))
    if _comes_from(model, "pyarrow", "Table", "RecordBatchReader"):
        return _arrow_table(table, model, kept)
    if _comes_from(model, "duckdb", "DuckDBPyRelation"):
        return _pyarrow().table(table)
    return table
