# pyright: reportMissingImports=false
"""spark-submit submit.py JOB.yaml --input ADDRESS --output ADDRESS: run a job file on a cluster.

An address is table:NAME, or FORMAT:PATH for a format of Spark, such as parquet:hdfs://data/people,
delta:s3://lake/people or csv:/data/people.csv (with a header); a path that ends in .parquet, .orc or
.csv needs no format. The exit status is that of the command: 1 bad input, 2 nothing can be released,
3 reading or writing failed.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import warnings
from typing import Any, Optional, Sequence

_ENDINGS = {".parquet": "parquet", ".orc": "orc", ".csv": "csv"}


def split_address(address: str) -> tuple[str, str]:
    """Format and path of an address."""
    kind, colon, path = address.partition(":")
    if colon and path and not path.startswith("//") and len(kind) > 1:
        return kind, path
    for ending, format in _ENDINGS.items():
        if address.rstrip("/").endswith(ending):
            return format, address
    raise SystemExit(f"'{address}' is not an address: write table:NAME or FORMAT:PATH, for one "
                     "parquet:hdfs://data/people")


def read(spark: Any, address: str) -> Any:
    kind, path = split_address(address)
    if kind == "table":
        return spark.table(path)
    reader = spark.read.format(kind)
    return (reader.option("header", True) if kind == "csv" else reader).load(path)


def write(df: Any, address: str, replace: bool) -> None:
    kind, path = split_address(address)
    writer = df.write.mode("overwrite" if replace else "errorifexists")
    if kind == "table":
        writer.saveAsTable(path)
    else:
        (writer.option("header", True) if kind == "csv" else writer).format(kind).save(path)


def exists(spark: Any, address: str) -> bool:
    """Is there an output already? Asked before the run, which may take long."""
    kind, path = split_address(address)
    if kind == "table":
        return bool(spark.catalog.tableExists(path))
    try:
        place = spark._jvm.org.apache.hadoop.fs.Path(path)
        return bool(place.getFileSystem(spark._jsc.hadoopConfiguration()).exists(place))
    except Exception:  # not an address of a file system: Spark refuses it when it writes
        return False


def _arguments(words: Optional[Sequence[str]]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="submit.py", description="Run a job file on a cluster.")
    parser.add_argument("job", help="the job file, on the driver")
    parser.add_argument("--input", required=True, help="address of the table")
    parser.add_argument("--output", required=True, help="address of the release")
    parser.add_argument("--replace", action="store_true", help="replace an output that exists")
    parser.add_argument("--report", help="write the owner's report to this file of the driver")
    parser.add_argument("--rows-per-task", type=int, default=500_000)
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE",
                        help="a key of the job, such as k=5")
    return parser.parse_args(words)


def _note(message: Any, *_: Any, **__: Any) -> None:
    print(f"hedgerow: {message}", file=sys.stderr)


def _run(spark: Any, given: argparse.Namespace) -> None:
    import hedgerow
    import hedgerow.spark

    if not given.replace and exists(spark, given.output):
        raise hedgerow.InputError(f"{given.output} exists: give --replace, or another address")
    keys = dict(pair.partition("=")[::2] for pair in given.set)
    release = hedgerow.spark.anonymize(read(spark, given.input), given.job,
                                       rows_per_task=given.rows_per_task, **keys)
    if given.report:
        # The report is for the owner alone.
        file = os.open(given.report, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with open(file, "w", encoding="utf-8") as out:
            json.dump(release.report, out, indent=2)
    write(release.table, given.output, given.replace)
    print(release)
    release.unpersist()


def run(spark: Any, words: Optional[Sequence[str]] = None) -> int:
    """Does what the arguments say; returns the exit status."""
    from pyspark.errors import PySparkException

    import hedgerow

    given = _arguments(words)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("always", hedgerow.HedgerowWarning)
            # The arguments replace these keys of the job.
            warnings.filterwarnings("ignore", "the job's (input|output) is ignored")
            warnings.showwarning = _note
            _run(spark, given)
    except hedgerow.Error as error:
        _note(error)
        return (2 if isinstance(error, hedgerow.InfeasibleError)
                else 3 if isinstance(error, hedgerow.InputOutputError) else 1)
    except OSError as error:
        _note(f"cannot write {given.report}: {error.strerror}")
        return 3
    except PySparkException as error:
        _note(str(error).partition("\n")[0])
        return 3
    return 0


def main() -> None:
    from pyspark.sql import SparkSession

    spark = SparkSession.builder.appName("hedgerow").getOrCreate()
    try:
        status = run(spark)
    finally:
        spark.stop()
    sys.exit(status)


if __name__ == "__main__":
    main()
