"""Data for the tests: the folders of the project, and a table in every container."""

import os
from pathlib import Path

import pytest

# The tests of hedgerow.spark need Java and an environment of their own: tests/spark.sh.
collect_ignore = [] if os.environ.get("HEDGEROW_SPARK") else ["spark"]

ROOT = Path(os.environ.get("HEDGEROW_ROOT", Path(__file__).resolve().parents[2]))


@pytest.fixture
def patients():
    return ROOT / "examples" / "patients"


@pytest.fixture
def census(tmp_path):
    import hedgerow

    table, jobs = hedgerow.generate("census", tmp_path / "census", rows=2000, seed=3)
    return table, jobs[0]


def containers():
    """Name and function from a CSV file to a container."""
    import duckdb
    import pandas
    import polars
    import pyarrow.csv

    text = {"dtype": str, "keep_default_na": False}
    return {
        "pandas": lambda path: pandas.read_csv(path, **text),
        "polars": lambda path: polars.read_csv(path, infer_schema=False),
        "pyarrow": lambda path: _arrow_text(pyarrow.csv, path),
        "batches": lambda path: _arrow_text(pyarrow.csv, path).combine_chunks().to_batches()[0],
        "reader": lambda path: _arrow_text(pyarrow.csv, path).to_reader(max_chunksize=64),
        "duckdb": lambda path: duckdb.read_csv(str(path), all_varchar=True),
    }


def _arrow_text(csv, path):
    import pyarrow

    with open(path, encoding="utf-8") as file:
        names = next(__import__("csv").reader(file))
    types = {name: pyarrow.string() for name in names}
    return csv.read_csv(path, convert_options=csv.ConvertOptions(column_types=types))
