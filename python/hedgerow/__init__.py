"""Anonymize a table of people for release, from Python.

>>> import hedgerow, pyarrow
>>> people = pyarrow.table({"age": [31, 34, 36, 38], "town": ["Ulm", "Ulm", "Bonn", "Bonn"],
...                         "diagnosis": ["flu", "asthma", "flu", "asthma"]})
>>> job = {"model": {"k": 2, "p": 2},
...        "attributes": {"age": {"role": "quasi", "type": "numeric"},
...                       "town": {"role": "quasi", "hierarchy": "flat"},
...                       "diagnosis": {"role": "sensitive"}}}
>>> release = hedgerow.anonymize(people, job)
>>> release.table["age"].to_pylist()
['31..34', '31..34', '36..38', '36..38']

Everything is done by the C library; `hedgerow.list()` and the manual describe what a job can say.
"""

from __future__ import annotations

import array
import json
import operator
import os
import warnings
from typing import Any, Callable, Iterable, Mapping, Optional, Sequence, SupportsIndex, Union, overload

from . import _hedgerow, _html
from ._containers import frame_of, index_names_of, is_address, like, names_of, table_of
from ._hedgerow import (
    Cancelled,
    Error,
    InfeasibleError,
    InputError,
    InputOutputError,
    Table,
)
from ._jobs import HedgerowWarning, as_json, hierarchy_of, is_builder, make_job, setting

__version__: str = _hedgerow.version
__all__ = [
    "anonymize", "boundaries", "check", "compare", "generate", "hierarchy", "init", "keys", "list",
    "read", "Boundaries", "Comparison", "Draft", "Hierarchy", "Release", "Suggestion", "Table",
    "Verdict",
    "Cancelled", "Error", "HedgerowWarning", "InfeasibleError", "InputError", "InputOutputError",
]

Numbers = Union[SupportsIndex, Iterable[SupportsIndex], None]


def _notice(message: str) -> None:
    warnings.warn(message, HedgerowWarning, stacklevel=3)


def _numbers(given: Numbers) -> Any:
    if given is None:
        return None
    numbers = given if isinstance(given, Iterable) else [given]
    return [operator.index(number) for number in numbers]


class _Bar:
    """A tqdm bar, if tqdm is there and standard error is a terminal; or the caller's function."""

    def __init__(self, progress: Union[bool, Callable[..., None], None]):
        self.function = progress if callable(progress) else None
        self.bar: Any = None
        self.wanted = progress is True or (progress is None and _is_terminal())

    def __enter__(self) -> Optional[Callable[..., None]]:
        if self.function or not self.wanted:
            return self.function
        try:
            from tqdm.auto import tqdm
        except ImportError:
            return None
        self.bar = tqdm(total=1, leave=False, bar_format="{desc} {percentage:3.0f}%|{bar}|")
        return self._update

    def _update(self, stage: str, done: int, total: int, loss: Any, least: Any) -> None:
        self.bar.set_description_str(stage if loss is None else f"{stage}, loss {loss:.4f}")
        self.bar.total = max(total, 1)
        self.bar.n = done
        self.bar.refresh()

    def __exit__(self, *_: Any) -> None:
        if self.bar is not None:
            self.bar.close()


def _is_terminal() -> bool:
    import sys

    return sys.stderr is not None and sys.stderr.isatty()


def _prepare(data: Any, job: Any, keys: dict[str, Any], progress: Any) -> _hedgerow.Job:
    """The job with its input: a table, an address, or what the job says."""
    if data is None or is_address(data):
        made = make_job(job, keys, given=False)
        if data is not None:
            made.set("input", os.fspath(data))
        return made
    made = make_job(job, keys, given=True)
    made.set_input(table_of(data, _wanted(data, made), progress))
    return made


def _wanted(data: Any, job: Any) -> Any:
    """The columns that the job reads; all, if the container does not tell its columns."""
    names = None if isinstance(data, Table) else names_of(data)
    if names is None:
        return None
    for name in job.reads(index_names_of(data)):
        if name not in names:
            raise InputError(
                f"column '{name}' is the index of the DataFrame, which is not read: call "
                ".reset_index() first"
            )
    return job.reads(names)


class Release:
    """A verified release: its table, its figures and its report."""

    def __init__(self, made: _hedgerow.Release, model: Any, job: _hedgerow.Job):
        self._made = made
        self._job = job
        self._model = model
        self._table: Any = None

    @property
    def table(self) -> Any:
        """The released rows, in the kind of container that the data came in."""
        if self._table is None:
            kept = {name for name, role in self._job.columns() if role in ("sensitive", "keep")}
            self._table = like(self._made.table, self._model, kept)
        return self._table

    @property
    def figures(self) -> dict[str, Any]:
        """Rows, classes, losses and the like, by name."""
        return dict(self._made.figures)

    def _figure(self, name: str) -> Optional[float]:
        value: Optional[float] = self._made.figures[name]
        return value

    @property
    def loss(self) -> Optional[float]:
        """Information loss (NTIL): 0 if nothing was generalized, 1 if nothing is left."""
        return self._figure("ntil")

    @property
    def bound(self) -> Optional[float]:
        """No release of these rows loses less; None: not computed."""
        return self._figure("ntil_bound")

    @property
    def classes(self) -> int:
        """Number of classes: groups of rows that are published alike."""
        return int(self.figures["classes"])

    @property
    def suppressed(self) -> int:
        """Number of input rows that are not released."""
        return int(self.figures["suppressed"])

    @property
    def report(self) -> dict[str, Any]:
        """The owner's report, as the command writes it. Not for release."""
        report: dict[str, Any] = json.loads(self._made.report)
        return report

    @property
    def warnings(self) -> Any:
        return self._made.warnings

    @property
    def summary(self) -> str:
        return self._made.summary

    @property
    def row_classes(self) -> Any:
        """The class of every input row, from 0; 4294967295: suppressed. For the owner alone."""
        return array.array("I", self._made.row_classes)

    @property
    def row_places(self) -> Any:
        """The released row of every input row, from 0; 4294967295: suppressed."""
        return array.array("I", self._made.row_places)

    @property
    def lost(self) -> Any:
        """Whose rows are suppressed: a mapping for each value, with its rows and those lost."""
        return self._made.lost

    @property
    def trace(self) -> Any:
        """What became of every input row, as a table; check(trace=...) takes it. For the owner."""
        return like(self._made.trace, self._model)

    @property
    def resolved(self) -> str:
        """The text of a job file with everything explicit that was derived from the data: built
        hierarchies, cut points, ranges, weights. It has values of the data: for the owner alone.
        The input is read again for it."""
        return self._job.resolve()

    def to_html(self, public: bool = False) -> str:
        """The report as a page that loads nothing else: what `hedgerow anonymize --report FILE.html`
        writes, for the owner. With `public` the part that may be published beside the release."""
        return self._made.public_page if public else self._made.page

    def measure(self, name: str) -> Optional[float]:
        """The value of a measure of `hedgerow.list("measures")`."""
        return self._made.measure(name)

    def achieved(self, parameter: str) -> Optional[float]:
        """What the worst class achieves of a model: achieved("k"), achieved("alpha")."""
        return self._made.achieved(parameter)

    @property
    def attributes(self) -> Any:
        """What each sensitive attribute achieves of p and of every model asked of it: mappings with
        attribute, parameter, asked, achieved, worst_class, worst_rows and worst_row."""
        return self._made.attributes

    @property
    def keys(self) -> Any:
        """For each set of columns in the job's `keys`: columns, groups, least, small_groups,
        small_rows, and whether they count people."""
        return self._made.keys

    def __repr__(self) -> str:
        figures = self.figures
        return (
            f"<hedgerow.Release: {figures['released']:,} of {figures['rows']:,} rows in "
            f"{figures['classes']:,} classes, loss {figures['ntil']:.4f}>"
            if figures["ntil"] is not None
            else f"<hedgerow.Release: {figures['released']:,} of {figures['rows']:,} rows>"
        )

    def _repr_html_(self) -> str:
        return self._made.part


class Verdict:
    """The answer of check(): truthy if the table is what the job promises. `reasons` say what fails,
    `unjudged` what could not be judged without the original, `warnings` what may be overlooked."""

    def __init__(self, result: Mapping[str, Any]):
        self.holds: bool = result["holds"]
        self.reasons: Any = result["reasons"]
        self.unjudged: Any = result["unjudged"]
        self.warnings: Any = result["warnings"]
        self.attributes: Any = result["attributes"]
        self.keys: Any = result["keys"]
        self.figures: dict[str, Any] = dict(result["figures"])
        self.summary: str = result["summary"]

    def __bool__(self) -> bool:
        return self.holds

    def __repr__(self) -> str:
        answer = "yes" if self.holds else "no: " + "; ".join(self.reasons)
        return f"<hedgerow.Verdict: {answer}>"

    def _repr_html_(self) -> str:
        return _html.block(
            _html.heading("yes" if self.holds else "no"), _html.preformatted(self.summary)
        )


class Boundaries(Sequence[Mapping[str, Any]]):
    """What the boundaries cost: a mapping for every k and p, with the rows to be suppressed."""

    def __init__(self, result: Mapping[str, Any]):
        self.rows: int = result["rows"]
        self.cells: int = result["cells"]
        self.text: str = result["text"]
        self._prices = result["prices"]

    def __len__(self) -> int:
        return len(self._prices)

    def __getitem__(self, i: Any) -> Any:
        return self._prices[i]

    def suppressed(self, k: int, p: int = 1) -> int:
        """The rows that every release with this k and p must suppress."""
        for price in self._prices:
            if price["k"] == k and price["p"] == p:
                return int(price["suppressed"])
        raise KeyError(f"k = {k}, p = {p} was not asked for")

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        ks = sorted({price["k"] for price in self._prices})
        ps = sorted({price["p"] for price in self._prices})
        most = max((price["suppressed"] for price in self._prices), default=0)
        rows = [[f"k = {k}"] + [_html.heat(self.suppressed(k, p), most) for p in ps] for k in ks]
        return _html.block(
            _html.heading(f"Rows that must be suppressed, of {self.rows:,}"),
            _html.table([""] + [f"p = {p}" for p in ps], rows),
        )


class Suggestion(Sequence[Mapping[str, Any]]):
    """Boundaries within a budget of suppressed rows: a mapping for each combination of levels of
    which none can be lowered, the recommended one first."""

    def __init__(self, result: Mapping[str, Any]):
        self.figures: dict[str, Any] = {
            name: value for name, value in result.items() if not isinstance(value, (str, Sequence))
        }
        self.attributes: Any = result["attributes"]
        self.frontier: Any = result["frontier"]
        self.text: str = result["text"]
        self._combinations = result["combinations"]

    def __len__(self) -> int:
        return len(self._combinations)

    def __getitem__(self, i: Any) -> Any:
        return self._combinations[i]

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        names = [attribute["name"] for attribute in self.attributes]
        rows = [
            [one["suppressed"], f"{one['loss_at_most']:.4f}"]
            + ["" if one["levels"][name] is None else one["levels"][name] for name in names]
            for one in self._combinations
        ]
        return _html.block(
            _html.heading(f"Boundary levels that suppress at most {self.figures['budget']:,} rows"),
            _html.table(["suppressed", "loss at most"] + names, rows),
        )


class Comparison(Sequence[Mapping[str, Any]]):
    """The runs of compare(): a mapping for each, with its figures."""

    def __init__(self, runs: Any, page: str):
        self._runs = runs
        self._page = page

    def __len__(self) -> int:
        return len(self._runs)

    def __getitem__(self, i: Any) -> Any:
        return self._runs[i]

    def to_html(self) -> str:
        """One page with curves, which loads nothing else."""
        return self._page

    def __repr__(self) -> str:
        return f"<hedgerow.Comparison: {len(self)} runs>"

    def _repr_html_(self) -> str:
        def figure(run: Mapping[str, Any], name: str, form: str) -> str:
            return "" if run.get(name) is None else format(run[name], form)

        rows = [
            ("★" if run["best"] else "", run["algorithm"], run["k"], run["p"],
             figure(run, "ntil", ".4f"), figure(run, "classes", ",d"), figure(run, "suppressed", ",d"),
             run["note"] or "")
            for run in self._runs
        ]
        header = ["", "algorithm", "k", "p", "loss", "classes", "suppressed", "note"]
        legend = "<p><small>★: worth choosing; no other run is better</small></p>"
        return _html.block(_html.table(header, rows), legend)


def _values(data: Any, column: Optional[str]) -> Optional[Table]:
    """The table with the values of a hierarchy."""
    return None if data is None else table_of(frame_of(data), None if column is None else [column])


class Hierarchy:
    """A value tree. hierarchy() makes one; a job takes it in place of a file."""

    def __init__(self, tree: _hedgerow.Hierarchy):
        self._tree = tree

    @property
    def leaves(self) -> int:
        return self._tree.leaves

    @property
    def levels(self) -> Any:
        """Names of the levels, leaves first; None where there is none."""
        return self._tree.levels

    def rows(self) -> Any:
        """The path of every leaf to the root."""
        return self._tree.rows()

    def write(self, path: Union[str, os.PathLike[str]]) -> None:
        """Write a hierarchy file: leaf;level1;...;root."""
        self._tree.write(os.fspath(path))

    def show(self, boundary: Any = None, data: Any = None, column: Optional[str] = None,
             depth: Optional[int] = None) -> str:
        """A drawing. `boundary`: {"level": 2} or a list of nodes, as in a job, or text: "level:2",
        "NODE,NODE". Rows of `data` are counted."""
        drawing: str = self._shown(boundary, data, column, -1 if depth is None else depth)[0]
        return drawing

    def nodes(self, boundary: Any = None, data: Any = None, column: Optional[str] = None) -> Any:
        """The nodes that show() draws, each before its children."""
        return self._shown(boundary, data, column, -1)[1]

    def _shown(self, boundary: Any, data: Any, column: Optional[str], depth: int) -> Any:
        drawn = None if boundary is None else setting(boundary)
        return self._tree._show(drawn, _values(data, column), column, depth)

    def __repr__(self) -> str:
        return f"<hedgerow.Hierarchy: {self.leaves:,} leaves, {len(self.levels)} levels>"

    def _repr_html_(self) -> str:
        return _html.block(_html.tree(self.nodes()))


class Draft(dict[str, Any]):
    """A drafted job: a dict with the keys of a job file, to be read and corrected."""

    def __init__(self, job: Mapping[str, Any], columns: Any, text: str):
        super().__init__(job)
        self.columns = columns
        self.text = text

    def write(self, path: Union[str, os.PathLike[str]]) -> None:
        """Write the draft as a job file, with a comment on every guess."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.text)

    def _repr_html_(self) -> str:
        rows = [(c["name"], c["role"], c["type"], c["values"], c["reason"]) for c in self.columns]
        return _html.block(_html.table(["column", "role", "type", "values", "reason"], rows))


def anonymize(data: Any = None, job: Any = None, *,
              progress: Union[bool, Callable[..., None], None] = None, **keys: Any) -> Release:
    """Make a release of a table that keeps the job's promises.

    data: a pandas or polars DataFrame, a pyarrow Table, a DuckDB relation, anything else with
    __arrow_c_stream__, a path, or an address; None: the job's input. job: a dict with the keys of a
    job file, or the path of one. Keyword arguments override keys: k=5, algorithm="mam",
    quasi=["age", "sex"]. progress: a function (stage, done, total, loss, least); True: a bar.

    >>> import pyarrow
    >>> people = pyarrow.table({"age": [31, 34, 36, 38], "flu": ["yes", "no", "no", "yes"]})
    >>> anonymize(people, quasi=["age"], numeric=["age"], sensitive=["flu"], k=2, p=2).classes
    2
    """
    with _Bar(progress) as report:
        made = _prepare(data, job, keys, report)
        return Release(made.run(report, _notice), data, made)


def check(masked: Any, job: Any = None, *, original: Any = None, trace: Any = None,
          certificate: Any = None, suppressed_as: Optional[str] = None,
          progress: Union[bool, Callable[..., None], None] = None, **keys: Any) -> Verdict:
    """Is this table what the job promises? Works on any tool's output.

    original: the table that it was made of. Rows are paired by `trace`, the trace of the release, or
    else by position, and a release is sorted unless the job says order="input".

    >>> import pyarrow
    >>> people = pyarrow.table({"age": [36, 31, 38, 34], "flu": ["no", "yes", "yes", "no"]})
    >>> job = {"model": {"k": 2, "p": 2}, "attributes": {
    ...     "age": {"role": "quasi", "type": "numeric"}, "flu": {"role": "sensitive"}}}
    >>> release = anonymize(people, job)
    >>> check(release.table, job, original=people, trace=release.trace)
    <hedgerow.Verdict: yes>
    """
    with _Bar(progress) as report:
        made = make_job(job, keys, given=False)
        return Verdict(
            made.check(_given(masked), _given(original, made), _given(trace), _path(certificate),
                       suppressed_as, report, _notice)
        )


def _given(data: Any, job: Any = None) -> Any:
    """The text of an address, a hedgerow.Table of a table, or None. `job`: the table is its input."""
    if data is None or is_address(data):
        return data if data is None else os.fspath(data)
    return table_of(data, None if job is None else _wanted(data, job))


def _path(given: Any) -> Optional[str]:
    return None if given is None else os.fspath(given)


@overload
def boundaries(data: Any = None, job: Any = None, *, k: Numbers = None, p: Numbers = None,
               suggest: None = None, progress: Union[bool, Callable[..., None], None] = None,
               **keys: Any) -> Boundaries: ...
@overload
def boundaries(data: Any = None, job: Any = None, *, k: Optional[int] = None,
               p: Optional[int] = None, suggest: float,
               progress: Union[bool, Callable[..., None], None] = None,
               **keys: Any) -> Suggestion: ...
def boundaries(data: Any = None, job: Any = None, *, k: Numbers = None, p: Numbers = None,
               suggest: Optional[float] = None,
               progress: Union[bool, Callable[..., None], None] = None,
               **keys: Any) -> Union[Boundaries, Suggestion]:
    """Count the rows that must be suppressed because of the boundaries, for every k and p.

    Each entry has `lost`: whose rows these are. With suggest=0.02: which boundaries, and which k
    and p, suppress at most 2 % of the rows; k and p are then numbers, as in anonymize().
    """
    with _Bar(progress) as report:
        if suggest is not None:
            made = _prepare(data, job, {**keys, "k": k, "p": p}, report)
            return Suggestion(made.suggest(suggest, report, _notice))
        made = _prepare(data, job, keys, report)
        return Boundaries(made.boundaries(_numbers(k), _numbers(p), report, _notice))


def compare(data: Any = None, job: Any = None, *, algorithms: Union[str, Iterable[str], None] = None,
            k: Numbers = None, p: Numbers = None, output: Any = None, resume: Any = None,
            progress: Union[bool, Callable[..., None], None] = None, **keys: Any) -> Comparison:
    """Run every algorithm with every k and p; no release is written."""
    if isinstance(algorithms, str):
        algorithms = algorithms.split(",")
    names = None if algorithms is None else [name.strip() for name in algorithms]
    with _Bar(progress) as report:
        made = _prepare(data, job, keys, report)
        return Comparison(
            *made.compare(names, _numbers(k), _numbers(p), _path(output), _path(resume), report,
                          _notice)
        )


def init(data: Any, *, k: Optional[int] = None,
         progress: Union[bool, Callable[..., None], None] = None) -> Draft:
    """Draft a job that runs as it is: every role is a guess, which `columns` explains.

    >>> import pyarrow
    >>> people = pyarrow.table({"age": [31, 34, 36, 38, 39], "sex": ["f", "m", "f", "m", "f"],
    ...                         "diagnosis": ["flu", "cough", "flu", "flu", "cough"]})
    >>> draft = init(people)
    >>> {column: described["role"] for column, described in draft["attributes"].items()}
    {'age': 'quasi', 'sex': 'quasi', 'diagnosis': 'sensitive'}
    >>> anonymize(people, draft).suppressed
    0
    """
    with _Bar(progress) as report:
        path = os.fspath(data) if is_address(data) else None
        table = None if path is not None else table_of(data, None, report)
        made, columns, text = _hedgerow.draft(path or "table.csv", table, k or 0, report, _notice)
        return Draft({"input": path, **made} if path is not None else made, columns, text)


def hierarchy(source: Any, data: Any = None, column: Optional[str] = None, *,
              missing: Union[str, Iterable[str], None] = None, folder: Any = None) -> Hierarchy:
    """A hierarchy: from a file, a builder, a mapping or a table.

    A builder ({"prefix": [3, 2]} or its text) needs the values of `column` of `data`, or as `data`
    a pandas or polars Series or a pyarrow array. A mapping has the ancestors of each leaf; a table
    has a row for each leaf and a column for each level.

    >>> hierarchy({"Ulm": ["South", "*"], "Bonn": ["West", "*"]}).leaves
    2
    """
    if data is not None:
        spec = source if isinstance(source, str) else as_json(source)
        table = table_of(frame_of(data), None if column is None else [column])
        names = table.column_names
        if column is None and len(names) != 1:
            raise InputError(f"hierarchy: the table has {len(names)} columns: give column=NAME")
        chosen = column if column is not None else names[0]
        if isinstance(missing, str):
            missing = [missing]
        texts = None if missing is None else [text for text in missing]
        return Hierarchy(_hedgerow.hierarchy_make(spec, table, chosen, texts, True, _path(folder)))
    if is_builder(source):
        raise InputError("hierarchy: a builder needs the values of a column: give data=")
    if is_address(source):
        return Hierarchy(_hedgerow.hierarchy_read(os.fspath(source)))
    return Hierarchy(hierarchy_of(source, "hierarchy"))


def generate(kind: str, folder: Any, *, rows: int = 10000, seed: int = 1, replace: bool = False,
             visits: bool = False, language: Optional[str] = None,
             progress: Union[bool, Callable[..., None], None] = None) -> tuple[str, Any]:
    """Write a made-up data set; returns the path of its table and the paths of its jobs.

    Existing files are an error unless `replace` is true. For "patients", `visits` gives several
    rows per patient, and language "de" German headers, names and dates.
    """
    with _Bar(progress) as report:
        return _hedgerow.generate(kind, os.fspath(folder), rows, seed, replace, visits, language,
                                  report)


def read(address: Union[str, os.PathLike[str]]) -> Table:
    """Read a table: a CSV file, or a table or query of a database."""
    return table_of(os.fspath(address))


def list(section: Optional[str] = None) -> Any:
    """The algorithms, models, measures, formats and builders there are, with their options."""
    return _hedgerow.list(section)


def keys() -> Any:
    """The keys of a job, with help, type and default."""
    return _hedgerow.keys()
