"""The lines of the documentation for files of other kinds; the study; the bar."""

import os
import subprocess
import sys
from pathlib import Path

import pyarrow
import pytest

import hedgerow
from conftest import ROOT

JOB = {"model": {"k": 2}, "attributes": {"age": {"role": "quasi", "type": "numeric"}, "pay": {"role": "sensitive"}}}
PEOPLE = pyarrow.table({"age": [31, 33, 52, 57], "pay": ["1", "2", "3", "4"]})


@pytest.fixture
def lines(tmp_path, monkeypatch):
    """Runs the two lines that the page shows for a format, in a folder with its input."""
    monkeypatch.chdir(tmp_path)
    page = (ROOT / "docs" / "howto" / "use-python.md").read_text(encoding="utf-8")

    def run(name):
        row = next(line for line in page.splitlines() if line.startswith(f"| {name} |"))
        code = row.split("`")[1::2]
        assert len(code) == 2
        import duckdb
        import pandas
        import pyarrow.feather
        import pyarrow.parquet

        names = {"hedgerow": hedgerow, "duckdb": duckdb, "pandas": pandas, "pyarrow": pyarrow, "job": JOB}
        exec(code[0], names)
        return eval(code[1], names)

    return run


def test_parquet(lines):
    import pyarrow.parquet

    pyarrow.parquet.write_table(PEOPLE, "in.parquet")
    lines("Parquet")
    assert pyarrow.parquet.read_table("out.parquet")["age"].to_pylist()[0] == "31..33"


def test_feather(lines):
    import pyarrow.feather

    pyarrow.feather.write_feather(PEOPLE, "in.feather")
    lines("Feather")
    assert pyarrow.feather.read_table("out.feather").num_rows == 4


def test_excel(lines):
    import pandas

    PEOPLE.to_pandas().to_excel("in.xlsx", index=False)
    lines("Excel")
    assert list(pandas.read_excel("out.xlsx", dtype=str)["age"]) == ["31..33"] * 2 + ["52..57"] * 2


def test_duckdb(lines):
    import pyarrow.parquet

    pyarrow.parquet.write_table(PEOPLE, "in.parquet")
    assert len(lines("DuckDB").fetchall()) == 4


def test_study():
    folder = Path(os.environ.get("HEDGEROW_ADULT", ROOT.parent / "shared" / "data" / "adult"))
    if not (folder / "adult.csv").exists():
        pytest.skip("there is no adult.csv")
    study = ROOT / "examples" / "python" / "adult_study.py"
    ended = subprocess.run(
        [sys.executable, study, folder, "2000"], capture_output=True, text=True, check=True
    )
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in ended.stdout.splitlines()[2:]]
    assert len(rows) == 11
    area = {(row[0], row[1]): float(row[5]) for row in rows}
    assert area["original", ""] > area["hedge", "5"] > area["mam", "5"] > 0.6


def test_bar(capsys):
    pytest.importorskip("tqdm")
    hedgerow.anonymize(PEOPLE, JOB, progress=True)
    assert "%" in capsys.readouterr().err
    hedgerow.anonymize(PEOPLE, JOB, progress=False)
    assert capsys.readouterr().err == ""


WITHOUT_PYARROW = """
import sys
sys.modules["pyarrow"] = None  # as if it were not installed
import hedgerow, polars
job = {"model": {"k": 2}, "attributes": {"age": {"role": "quasi", "type": "numeric"}}}
columns = {"age": [31, 33, 52, 57]}
print(hedgerow.anonymize(polars.DataFrame(columns), job).table["age"].to_list())
import duckdb
try:
    hedgerow.anonymize(duckdb.sql("select 31 as age from range(4)"), job).table
except ImportError as error:
    print(error)
import pandas
try:
    hedgerow.anonymize(pandas.DataFrame(columns), job)
except ImportError as error:
    print(error)
"""


def test_without_pyarrow():
    ended = subprocess.run([sys.executable, "-c", WITHOUT_PYARROW], capture_output=True, text=True)
    needs = "tables of pandas and DuckDB need pyarrow: pip install pyarrow"
    assert ended.stdout.splitlines() == ["['31..33', '31..33', '52..57', '52..57']", needs, needs], ended.stderr
