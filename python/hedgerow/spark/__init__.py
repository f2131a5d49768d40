# pyright: reportMissingImports=false
"""The same job on a Spark cluster: `hedgerow.spark.anonymize(df, job)`.

Boundaries cut a table into cells of which no class reaches over two. Executors run the cells with
the C library; the driver only sees what was counted. pyspark 4.1 or newer, with pyarrow; the package
must be installed on the executors, too.
"""

from __future__ import annotations

from typing import Any, Mapping, Optional

from .. import Boundaries, Numbers, _notice, _numbers
from .._jobs import make_job
from ._base import need_spark, translated
from ._facts import Facts
from ._release import Release, Verdict, check_release, make_release

__all__ = ["anonymize", "boundaries", "check", "Release", "Verdict"]

#: Keys of a job for files and figures that the command alone makes.
_IGNORED = ("report", "public-report", "trace", "minimal", "certificate", "resolved", "keys", "study",
            "order")


def anonymize(df: Any, job: Any = None, *, rows_per_task: int = 500_000, tasks: Optional[int] = None,
              **keys: Any) -> Release:
    """Make a release of a Spark DataFrame that keeps the job's promises.

    job: a dict with the keys of a job file, or the path of one on the driver. Keyword arguments
    override keys. rows_per_task: the most rows that one task is given at once; small cells are
    packed together up to that number. tasks: how many groups of cells there should be at least; by
    default twice the parallelism of the session.

    The release is kept on the executors' disks, or in the checkpoint directory if the session has
    one, and was verified there as a whole. release.unpersist() frees it.
    """
    need_spark(df)
    made = make_job(job, keys, given=True)
    ignored = [key for key in _IGNORED if made.get(key) not in (None, "canonical")]
    if ignored:
        _notice(f"not on Spark, and ignored: {', '.join(ignored)}")
    with translated():
        return make_release(df, made, rows_per_task, tasks, _notice)


def check(masked: Any, job: Any = None, *, original: Any, **keys: Any) -> Verdict:
    """Is this DataFrame what the job promises for the original DataFrame?

    Every class is judged by every model. Boundaries are judged by counting: each published row must
    belong to a cell of the original, and no cell may have more rows than the original has. Rows have
    no order in Spark, so they are not compared one by one.
    """
    need_spark(masked)
    need_spark(original)
    with translated():
        return check_release(masked, original, make_job(job, keys, given=True), _notice)


def boundaries(df: Any, job: Any = None, *, k: Numbers = None, p: Numbers = None,
               **keys: Any) -> Boundaries:
    """Count the rows that must be suppressed because of the boundaries, for every k and p."""
    need_spark(df)
    with translated():
        facts = Facts(df, make_job(job, keys, given=True))
        made = facts.job()
        result: dict[str, Any] = dict(made.boundaries(_numbers(k), _numbers(p), None, _notice))
        result["text"] = result["text"].split("\nwho is lost")[0]
        result["prices"] = [_without_lost(price) for price in result["prices"]]
        return Boundaries(result)


def _without_lost(price: Mapping[str, Any]) -> dict[str, Any]:
    """Counted rows do not tell whose rows are lost."""
    return {name: value for name, value in price.items() if name != "lost"}
