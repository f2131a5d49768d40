"""One session of Spark for all tests, with two executors in processes of their own, and the data that
the tests share."""

import csv
import os
import sys
from pathlib import Path

import pytest

ROOT = Path(os.environ["HEDGEROW_ROOT"])
DATA = ROOT.parent / "shared" / "data"

os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")


@pytest.fixture(scope="session")
def spark():
    from pyspark.sql import SparkSession

    session = (
        SparkSession.builder.master(os.environ.get("HEDGEROW_SPARK_MASTER", "local-cluster[2,1,1024]"))
        .appName("hedgerow")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.driver.memory", "1g")
        .config("spark.sql.shuffle.partitions", "4")
        .config("spark.default.parallelism", "2")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()


def rows_of(df):
    """The rows as a CSV file has them, sorted."""
    return sorted(tuple("" if value is None else str(value) for value in row) for row in df.collect())


def rows_of_file(path, separator=","):
    with open(path, encoding="utf-8", newline="") as file:
        lines = list(csv.reader(file, delimiter=separator))
    return sorted(tuple(line) for line in lines[1:])
