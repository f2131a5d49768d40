# pyright: reportMissingImports=false
"""What driver and executors share: versions, errors, and plans that are sent once."""

from __future__ import annotations

import contextlib
import re
from typing import Any, Iterator

from .. import Error, InfeasibleError, InputError, InputOutputError, _hedgerow

#: Columns that hold the key of a row's cell, the group of cells that a task runs, and the people in
#: the smallest class of that task.
KEY, GROUP, PEOPLE = "__hedgerow_key", "__hedgerow_group", "__hedgerow_people"

_NEEDED = (4, 1)
_LARGE = "spark.sql.execution.arrow.useLargeVarTypes"


def columns_of(df: Any, names: list[str]) -> Any:
    """These columns, named c0, c1, ... in this order: Spark reads a dot or a backtick in a name as
    syntax, and takes two names for one that differ in case alone. Tasks call named()."""
    every = df.columns
    plain = df.toDF(*[f"c{at}" for at in range(len(every))])
    chosen = plain.select(*[f"c{every.index(name)}" for name in names])
    return chosen.toDF(*[f"c{at}" for at in range(len(names))])


def named(table: Any, names: list[str]) -> Any:
    """A table or batch of columns_of() with the names of its columns. Others may follow."""
    kept = table.column_names if hasattr(table, "column_names") else table.schema.names
    return type(table).from_arrays(table.columns, names=names + kept[len(names):])


def need_spark(df: Any) -> None:
    """pyspark 4.1 or newer, and a DataFrame of it."""
    try:
        import pyspark
    except ImportError:
        raise Error("hedgerow.spark needs pyspark 4.1 or newer: pip install 'pyspark>=4.1'") from None
    found = tuple(int(part) for part in re.findall(r"\d+", pyspark.__version__)[:2])
    if found < _NEEDED:
        raise Error(
            f"hedgerow.spark needs pyspark 4.1 or newer, and this is {pyspark.__version__}: "
            "pip install -U 'pyspark>=4.1' here and on the executors"
        )
    from pyspark.sql import DataFrame

    if not isinstance(df, DataFrame):
        raise TypeError(
            f"hedgerow.spark needs a Spark DataFrame, not a {type(df).__qualname__}: "
            "hedgerow.anonymize takes other tables"
        )
    if df.sparkSession.conf.get(_LARGE, "false") == "true":
        raise Error(f"hedgerow.spark needs {_LARGE} to be false, as it is by default")


_ERRORS = {"InputError": InputError, "InfeasibleError": InfeasibleError,
           "InputOutputError": InputOutputError, "Error": Error}


def _without_rows(message: str) -> str:
    """A message of the library without numbers of rows, which are those of counted combinations or of
    one task: a DataFrame numbers no rows."""
    message = re.sub(r"^row [\d,]+, ", "", message)
    message = re.sub(r" \([\d,]+ such rows?\)", "", message)
    message = re.sub(r" in [\d,]+ rows?(?= (has|have) no leaf)", "", message)
    message = re.sub(r"\brows? [\d, ]+?(and [\d,]+ more )?(has|have) no value", "some rows have no value",
                     message)
    return message.replace("to suppress it,", "to suppress them,")


@contextlib.contextmanager
def translated() -> Iterator[None]:
    """What failed on an executor is raised as what it is. Only messages of the library, which name no
    sensitive value, are kept of the task's traceback."""
    from pyspark.errors import PySparkException

    try:
        yield
    except (InputError, InfeasibleError) as error:
        text = _without_rows(str(error))
        if text == str(error):
            raise
        raise type(error)(text) from None
    except PySparkException as caught:
        text = str(caught)
        found = re.search(r"hedgerow\.(\w+Error|Error): (.*)", text)
        if found:
            kind = _ERRORS.get(found.group(1), Error)
            raise kind(_without_rows(found.group(2).strip())) from None
        missing = re.search(r"No module named '?([\w.]+)", text)
        if missing and missing.group(1).split(".")[0] in ("hedgerow", "pyarrow", "numpy", "pandas"):
            raise Error(
                f"the executors have no Python package '{missing.group(1)}': install hedgerow and "
                "pyarrow in the Python that they run (PYSPARK_PYTHON)"
            ) from None
        raise


class Shared:
    """Bytes that every task reads: a broadcast variable, or a part of the function where the session
    has none (Spark Connect)."""

    def __init__(self, df: Any, value: bytes):
        self._broadcast: Any = None
        self._value = b""
        try:
            self._broadcast = df.sparkSession.sparkContext.broadcast(value)
        except Exception:
            self._value = value

    @property
    def value(self) -> bytes:
        return self._value if self._broadcast is None else bytes(self._broadcast.value)

    def free(self) -> None:
        if self._broadcast is not None:
            self._broadcast.unpersist()


_imported: dict[int, _hedgerow.Plan] = {}


def plan_of(shared: Shared) -> _hedgerow.Plan:
    """The plan in this process; the last one is kept for the next task."""
    value = shared.value
    key = hash(value)
    if key not in _imported:
        _imported.clear()
        _imported[key] = _hedgerow.plan_import(value)
    return _imported[key]
