"""hedgerow.spark: the same release as the command, whatever the partitions."""

import datetime
import decimal
import subprocess
import sys
from pathlib import Path

import hedgerow
import hedgerow.spark
import pytest
from conftest import DATA, rows_of, rows_of_file

QUICK = {"effort": "quick", "bound": "none"}


def command(tmp_path, table, job, **keys):
    """What the command writes, and the release of the same run."""
    out = tmp_path / "masked.csv"
    made = hedgerow.anonymize(table, job, output=str(out), threads=2, **keys)
    return made, rows_of_file(out)


def assert_same(release, local, rows):
    assert rows_of(release.table) == rows
    assert release.classes == local.classes
    assert release.suppressed == local.suppressed
    assert release.loss == pytest.approx(local.loss, abs=1e-12)
    assert release.report["model"]["verified"] is True
    assert release.report["model"]["achieved"]["k"] == local.figures["achieved_k"]
    assert release.report["loss"]["dm"] == pytest.approx(local.figures["dm"])


@pytest.fixture(scope="module")
def census(tmp_path_factory):
    folder = tmp_path_factory.mktemp("census")
    table, jobs = hedgerow.generate("census", folder / "census", rows=4000, seed=3)
    return table, jobs[0]


def test_census_in_any_partitions(spark, tmp_path, census):
    table, job = census
    local, rows = command(tmp_path, table, job, **QUICK)
    df = spark.read.csv(table, header=True)
    release = hedgerow.spark.anonymize(df.repartition(5), job, rows_per_task=700, **QUICK)
    assert_same(release, local, rows)
    assert release.report["cells"]["groups"] > 4
    assert hedgerow.spark.check(release.table, job, original=df)
    release.unpersist()


def test_boundaries(spark, census):
    table, job = census
    df = spark.read.csv(table, header=True).repartition(3)
    counted = hedgerow.spark.boundaries(df, job, k=[4, 8], p=[1, 3])
    local = hedgerow.boundaries(table, job, k=[4, 8], p=[1, 3])
    assert counted.rows == local.rows and counted.cells == local.cells
    for a, b in zip(counted, local):
        assert {**a} == {name: value for name, value in b.items() if name != "lost"}


def adult_job():
    attributes = {}
    for name in ("age", "workclass", "marital-status", "race", "sex", "native-country"):
        attributes[name] = {"role": "quasi", "hierarchy": str(DATA / "adult/hierarchies" / f"{name}.csv")}
    attributes["age"]["boundary"] = attributes["native-country"]["boundary"] = {"level": 1}
    attributes["education"] = {"role": "sensitive", "weight": 0.3}
    attributes["occupation"] = {"role": "sensitive", "weight": 0.7}
    return {"model": {"k": 10, "p": 3}, "attributes": attributes}


@pytest.mark.skipif(not (DATA / "adult/adult.csv").exists(), reason="the Adult data is not there")
def test_adult(spark, tmp_path):
    table = str(DATA / "adult/adult.csv")
    local, rows = command(tmp_path, table, adult_job(), **QUICK)
    df = spark.read.csv(table, header=True)
    release = hedgerow.spark.anonymize(df.repartition(3), adult_job(), **QUICK)
    assert_same(release, local, rows)
    release.unpersist()


def test_wrong_pyspark(monkeypatch, spark):
    import pyspark

    df = spark.range(3)
    monkeypatch.setattr(pyspark, "__version__", "3.5.1")
    with pytest.raises(hedgerow.Error, match="needs pyspark 4.1 or newer, and this is 3.5.1"):
        hedgerow.spark.anonymize(df, {})
