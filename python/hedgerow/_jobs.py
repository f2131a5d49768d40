"""Jobs: dictionaries and keyword arguments as the library takes them."""

from __future__ import annotations

import datetime
import decimal
import json
import os
import warnings
from typing import Any, Iterable, Mapping, Optional

from . import _hedgerow
from ._containers import is_address, is_table, table_of


class HedgerowWarning(UserWarning):
    """A notice of a run: something that the data owner should read."""

    __module__ = "hedgerow"


def hierarchy_of(given: Any, name: str) -> _hedgerow.Hierarchy:
    """A Hierarchy of a Hierarchy, a mapping from leaf to ancestors, or a table."""
    tree: Any = getattr(given, "_tree", given)
    if isinstance(tree, _hedgerow.Hierarchy):
        return tree
    if isinstance(given, Mapping):
        return _from_mapping(given, name)
    if is_table(given):
        return _hedgerow.hierarchy_from_table(name, table_of(given))
    raise TypeError(
        f"hierarchy of '{name}': give a Hierarchy, a mapping from leaf to ancestors, a table with a "
        f"column for each level, a builder or a path, not a {type(given).__name__}"
    )


def _label(value: Any) -> str:
    """The text that a value of a table has: 20 of 20.0, true of True."""
    value = plain(value)
    if value is None or value != value:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    return str(value)


def _from_mapping(paths: Mapping[Any, Any], name: str) -> _hedgerow.Hierarchy:
    """{"Wichita": ["Kansas", "Midwest", "*"], ...}: the ancestors of each leaf."""
    rows = []
    for leaf, above in paths.items():
        above = [above] if isinstance(above, str) else list(above)
        rows.append([_label(label) for label in (leaf, *above)])
    width = {len(row) for row in rows}
    if len(width) != 1:
        raise _hedgerow.InputError(
            f"hierarchy of '{name}': every leaf needs equally many ancestors"
            + (f", not {min(width) - 1} to {max(width) - 1}" if width else "; there is no leaf")
        )
    labels = [label for row in rows for label in row]
    return _hedgerow.hierarchy_from_labels(name, labels, width.pop())


def is_builder(value: Any) -> bool:
    """{"prefix": [3, 2]} is a builder; {"Wichita": ["Kansas", "*"]} is a tree."""
    names = {entry["name"] for entry in _hedgerow.list("builders")}
    if isinstance(value, list):
        return all(isinstance(part, Mapping) and is_builder(part) for part in value)
    return isinstance(value, Mapping) and bool(names & set(value))


def _is_tree(value: Any) -> bool:
    """A hierarchy that is an object. Anything else belongs to the text of the job."""
    held = isinstance(getattr(value, "_tree", value), _hedgerow.Hierarchy)
    return held or is_table(value) or (isinstance(value, Mapping) and not is_builder(value))


def _take_hierarchies(job: dict[str, Any]) -> dict[str, Any]:
    """Takes the hierarchies that are objects out of a job, by column."""
    found = {}
    attributes = {}
    for column, described in dict(job.get("attributes") or {}).items():
        if isinstance(described, Mapping) and "hierarchy" in described:
            value = described["hierarchy"]
            if _is_tree(value):
                found[column] = hierarchy_of(value, str(column))
                described = {k: v for k, v in described.items() if k != "hierarchy"}
        attributes[column] = described
    if found:
        job["attributes"] = attributes
    return found


def plain(value: Any) -> Any:
    """What JSON has, of paths, dates, and the numbers and lists of other libraries."""
    if value is None or isinstance(value, (str, bool, int, float)):
        return value
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, decimal.Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat()
    if hasattr(value, "tolist"):
        listed = value.tolist()
        return [plain(item) for item in listed] if isinstance(listed, list) else plain(listed)
    if isinstance(value, (set, frozenset)):
        return sorted((plain(item) for item in value), key=str)
    if isinstance(value, Iterable) and not is_table(value):
        return [plain(item) for item in value]
    raise TypeError(f"a job cannot contain a {type(value).__qualname__}")


def as_json(value: Any) -> str:
    return json.dumps(plain(value))


def escape(name: str) -> str:
    """A column name in a list of columns: --quasi 'income\\, net,age'."""
    for character in "\\,:=":
        name = name.replace(character, "\\" + character)
    return name


def _texts(key: str, value: Any) -> list[Optional[str]]:
    """The values of a keyword argument as the flags of that name take them."""
    if isinstance(value, Iterable) and not isinstance(value, (str, Mapping)):
        # A tuple is the name of a column, as pandas has them.
        value = [str(item) if isinstance(item, tuple) else item for item in value]
    value = plain(value)
    if value is True:
        return [None]
    if value is False:
        return ["false"]
    if isinstance(value, Mapping):
        if key == "sensitive":
            return [",".join(f"{escape(c)}:{w}" for c, w in value.items())]
        return [f"{escape(c)}={setting(v)}" for c, v in value.items()]
    if isinstance(value, list):
        if key in ("missing", "report"):
            return [str(item) for item in value]
        return [",".join(escape(str(item)) for item in value)]
    return [str(value)]


def setting(value: Any) -> str:
    """What stands behind COLUMN= in a flag."""
    value = plain(value)
    if isinstance(value, Mapping) and set(value) <= {"level", "width", "cells"}:
        return ":".join(str(part) for part in next(iter(value.items())))
    if isinstance(value, Mapping) or is_builder(value):
        return json.dumps(value)
    if isinstance(value, list):
        return ",".join(escape(str(item)) for item in value)
    return str(value)


def make_job(job: Any, keys: dict[str, Any], given: bool) -> _hedgerow.Job:
    """A job of the library. `given`: the caller has a table, so input and output are left out."""
    hierarchies: dict[str, Any] = {}
    if job is None:
        made = _hedgerow.job_parse("{}", None)
    elif is_address(job):
        made = _hedgerow.job_read(os.fspath(job))
    elif isinstance(job, Mapping):
        contents = dict(job)
        hierarchies = _take_hierarchies(contents)
        made = _hedgerow.job_parse(as_json(contents), None)
    else:
        raise TypeError(f"a job is a dict or the path of a job file, not a {type(job).__name__}")
    for column, tree in hierarchies.items():
        made.set_hierarchy(str(column), tree)
    _set_keys(made, keys)
    if given:
        for key in ("input", "output"):
            if made.get(key) not in (None, "-") and key not in keys:
                warnings.warn(
                    f"the job's {key} is ignored: a table was given", HedgerowWarning, stacklevel=4
                )
        if "output" not in keys and made.get("output") is not None:
            made.set("output", "-")
    return made


def _set_keys(made: _hedgerow.Job, keys: dict[str, Any]) -> None:
    for name, value in keys.items():
        if value is None:
            continue
        key = name.replace("_", "-")
        if key == "hierarchy" and isinstance(value, Mapping):
            for column, tree in value.items():
                if _is_tree(tree):
                    made.set_hierarchy(str(column), hierarchy_of(tree, str(column)))
                else:
                    made.set(key, f"{escape(str(column))}={setting(tree)}")
            continue
        for text in _texts(key, value):
            made.set(key, text)
