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


_ERRORS = {"InputError": InputError, "InfeasibleError": InfeasibleError,
           "InputOutputError": InputOutputError, "Error": Error}


@contextlib.contextmanager
def translated() -> Iterator[None]:
    """What failed on an executor is raised as what it is. Only messages of the library, which name no
    sensitive value, are kept of the task's traceback."""
    from pyspark.errors import PySparkException

    try:
        yield
    except PySparkException as caught:
        text = str(caught)
        found = re.search(r"hedgerow\.(\w+Error|Error): (.*)", text)
        if found:
            kind = _ERRORS.get(found.group(1), Error)
            raise kind(found.group(2).strip()) from None
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
