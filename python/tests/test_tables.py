"""Tables of other libraries, in and out."""

import subprocess
import sys

import pyarrow
import pytest

import hedgerow
from conftest import containers


def command(*arguments, cwd=None):
    return subprocess.run(
        [sys.executable, "-m", "hedgerow", *map(str, arguments)], cwd=cwd, check=True, capture_output=True, text=True
    )


@pytest.mark.parametrize("kind", sorted(containers()))
def test_release_equals_that_of_the_command(kind, census, tmp_path):
    table, job = census
    command("anonymize", job, "-o", tmp_path / "expected.csv", "--effort", "quick", "--quiet")
    data = containers()[kind](table)
    with pytest.warns(UserWarning, match="ignored: a table was given"):
        release = hedgerow.anonymize(data, job, effort="quick")
    release._made.table.write(str(tmp_path / "actual.csv"))
    assert (tmp_path / "actual.csv").read_bytes() == (tmp_path / "expected.csv").read_bytes()
    assert len(release.table) == len(release._made.table) == release.figures["released"]


def test_a_table_is_written_to_a_path(patients, tmp_path):
    table = hedgerow.read(patients / "patients.csv")
    table.write(tmp_path / "a.csv")
    table.write(str(tmp_path / "b.csv"))
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()
    for wrong in (7, b"a.csv", "a\0b"):
        with pytest.raises((TypeError, ValueError)):
            table.write(wrong)


def test_path_gives_a_table(patients):
    release = hedgerow.anonymize(patients / "patients.csv", patients / "patients.yaml")
    assert isinstance(release.table, hedgerow.Table)
    assert pyarrow.table(release.table).column_names == ["Marital-Status", "Gender", "Age", "Diagnosis"]


JOB = {
    "model": {"k": 2},
    "attributes": {
        "age": {"role": "quasi", "type": "numeric"},
        "zip": {"role": "quasi", "hierarchy": {"prefix": [3]}},
        "income": {"role": "sensitive"},
        "day": {"role": "keep"},
        "name": {"role": "identifier"},
    },
}


def people():
    import datetime

    return pyarrow.table(
        {
            "name": ["a", "b", "c", "d"],
            "age": [31, 33, 52, 57],
            "zip": ["80331", "80335", "20095", "20099"],
            "income": [1.5, 0.1, None, 3.25],
            "day": [datetime.date(2024, 2, 29)] * 4,
        }
    )


def test_types_are_kept_and_containers_come_back():
    import duckdb
    import pandas
    import polars

    table = people()
    result = hedgerow.anonymize(table, JOB).table
    assert isinstance(result, pyarrow.Table)
    assert result.schema.field("income").type == pyarrow.float64()
    assert result.schema.field("day").type == pyarrow.date32()
    assert sorted(x for x in result["income"].to_pylist() if x is not None) == [0.1, 1.5, 3.25]
    batch = hedgerow.anonymize(table.combine_chunks().to_batches()[0], JOB).table
    assert isinstance(batch, pyarrow.RecordBatch) and batch.to_pydict() == result.to_pydict()
    assert isinstance(hedgerow.anonymize(table.to_reader(), JOB).table, pyarrow.Table)
    assert isinstance(hedgerow.anonymize(table.to_pandas(), JOB).table, pandas.DataFrame)
    frame = hedgerow.anonymize(polars.DataFrame(table), JOB).table
    assert isinstance(frame, polars.DataFrame)
    assert frame["income"].dtype == polars.Float64
    assert isinstance(hedgerow.anonymize(duckdb.from_arrow(table), JOB).table, pyarrow.Table)


def test_pandas_index_is_no_column():
    frame = people().to_pandas().set_index("name", drop=False)
    assert "name" not in hedgerow.anonymize(frame, JOB).table.columns


def test_no_dictionary_contains_suppressed_values():
    job = {**JOB, "attributes": {**JOB["attributes"]}}
    job["attributes"]["zip"] = {"role": "quasi", "hierarchy": {"prefix": [3]}, "boundary": {"level": 1}}
    table = pyarrow.concat_tables([people(), people().slice(0, 1).set_column(2, "zip", [["99999"]])])
    for order in ("canonical", "input", "shuffle"):
        release = hedgerow.anonymize(table, job, order=order)
        assert release.suppressed == 1
        for column in release.table.columns:
            if pyarrow.types.is_dictionary(column.type):
                for chunk in column.chunks:
                    assert not any("999" in str(value) for value in chunk.dictionary.to_pylist())


@pytest.mark.parametrize(
    "data, message",
    [
        ({"age": [1]}, "a dict is not a table here"),
        (3, "is not a table"),
    ],
)
def test_other_things_are_refused(data, message):
    with pytest.raises(TypeError, match=message):
        hedgerow.anonymize(data, JOB)


def test_lazy_tables_say_what_to_call():
    import duckdb
    import polars

    with pytest.raises(TypeError, match=r"\.collect\(\)"):
        hedgerow.anonymize(polars.LazyFrame({"age": [1]}), JOB)
    with pytest.raises(TypeError, match="relation"):
        hedgerow.anonymize(duckdb.connect(), JOB)


def test_empty_tables():
    empty = people().slice(0, 0)
    with pytest.raises(hedgerow.Error):
        hedgerow.anonymize(empty, JOB)
    with pytest.raises(hedgerow.InputError):
        hedgerow.anonymize(pyarrow.table({}), JOB)


def test_all_nulls():
    table = pyarrow.table({"age": [1, 2], "note": pyarrow.array([None, None], pyarrow.string())})
    release = hedgerow.anonymize(table, quasi=["age"], numeric=["age"], keep=["note"], k=2)
    assert release.table["note"].to_pylist() == [None, None]


def test_table_survives_its_release():
    import gc

    table = hedgerow.anonymize(people(), JOB).table
    gc.collect()
    assert table["age"].to_pylist()[0] in ("31..33", "52..57")
    raw = pyarrow.table(hedgerow.anonymize(people(), JOB)._made.table)
    gc.collect()
    assert raw.num_rows == 4
