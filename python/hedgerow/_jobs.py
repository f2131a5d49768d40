"""Jobs: dictionaries and keyword arguments as the library takes them."""

from __future__ import annotations

import json
import os
import warnings
from typing import Any, Mapping, Optional

from . import _hedgerow
from ._containers import is_address, table_of


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
    return _hedgerow.hierarchy_from_table(name, table_of(given))


def _from_mapping(paths: Mapping[Any, Any], name: str) -> _hedgerow.Hierarchy:
    """{"Wichita": ["Kansas", "Midwest", "*"], ...}: the ancestors of each leaf."""
    rows = []
    for leaf, above in paths.items():
        above = [above] if isinstance(above, str) else list(above)
        rows.append([str(leaf)] + [str(label) for label in above])
    width = {len(row) for row in rows}
    if len(width) != 1:
        raise _hedgerow.InputError(
            f"hierarchy of '{name}': every leaf needs equally many ancestors"
            + (f", not {min(width) - 1} to {max(width) - 1}" if width else "; there is no leaf")
        )
    labels = [label for row in rows for label in row]
    return _hedgerow.hierarchy_from_labels(name, labels, width.pop())


def _is_builder(value: Any) -> bool:
    """{"prefix": [3, 2]} is a builder; {"Wichita": ["Kansas", "*"]} is a tree."""
    names = {entry["name"] for entry in _hedgerow.list("builders")}
    if isinstance(value, list):
        return all(isinstance(part, Mapping) and _is_builder(part) for part in value)
    return isinstance(value, Mapping) and bool(names & set(value))


def _take_hierarchies(job: dict[str, Any]) -> dict[str, Any]:
    """Takes the hierarchies that are objects out of a job, by column."""
    found = {}
    attributes = {}
    for column, described in dict(job.get("attributes") or {}).items():
        if isinstance(described, Mapping) and "hierarchy" in described:
            value = described["hierarchy"]
            if not is_address(value) and not _is_builder(value):
                found[column] = hierarchy_of(value, str(column))
                described = {k: v for k, v in described.items() if k != "hierarchy"}
        attributes[column] = described
    if found:
        job["attributes"] = attributes
    return found


def plain(value: Any) -> Any:
    """For json: paths and numbers of other libraries."""
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if hasattr(value, "item"):
        return value.item()
    raise TypeError(f"a job cannot contain a {type(value).__qualname__}")


def escape(name: str) -> str:
    """A column name in a list of columns: --quasi 'income\\, net,age'."""
    for character in "\\,:=":
        name = name.replace(character, "\\" + character)
    return name


def _texts(key: str, value: Any) -> list[Optional[str]]:
    """The values of a keyword argument as the flags of that name take them."""
    if value is True:
        return [None]
    if value is False:
        return ["false"]
    if isinstance(value, Mapping):
        if key == "sensitive":
            return [",".join(f"{escape(c)}:{w}" for c, w in value.items())]
        return [f"{escape(str(c))}={_setting(v)}" for c, v in value.items()]
    if isinstance(value, (list, tuple)):
        if key in ("missing", "report"):
            return [str(item) for item in value]
        return [",".join(escape(str(item)) for item in value)]
    return [os.fspath(value) if isinstance(value, os.PathLike) else str(value)]


def _setting(value: Any) -> str:
    """What stands behind COLUMN= in a flag."""
    if isinstance(value, Mapping) and set(value) <= {"level", "width", "cells"}:
        return ":".join(str(part) for part in next(iter(value.items())))
    if isinstance(value, Mapping) or (isinstance(value, list) and _is_builder(value)):
        return json.dumps(value, default=plain)
    if isinstance(value, (list, tuple)):
        return ",".join(escape(str(item)) for item in value)
    return os.fspath(value) if isinstance(value, os.PathLike) else str(value)


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
        made = _hedgerow.job_parse(json.dumps(contents, default=plain), None)
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
                if is_address(tree) or _is_builder(tree):
                    made.set(key, f"{escape(column)}={_setting(tree)}")
                else:
                    made.set_hierarchy(column, hierarchy_of(tree, column))
            continue
        for text in _texts(key, value):
            made.set(key, text)
