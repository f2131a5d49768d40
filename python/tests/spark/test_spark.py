"""hedgerow.spark: the same release as the command, whatever the partitions."""

import datetime
import decimal
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import hedgerow
import hedgerow.spark
import pytest
from conftest import DATA, rows_of, rows_of_file
from hedgerow.spark import _release

QUICK = {"effort": "quick", "bound": "none"}


def command(tmp_path, table, job, separator=",", **keys):
    """What the command writes, and the release of the same run."""
    out = tmp_path / "masked.csv"
    made = hedgerow.anonymize(table, job, output=str(out), threads=2, **keys)
    return made, rows_of_file(out, separator)


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


@pytest.mark.parametrize("keys", [{}, {"boundaries": "count"}, {"suppression": 0.05}])
def test_incognito(spark, tmp_path, census, keys):
    """The search runs on the driver, on the combinations that the executors counted."""
    table, job = census
    local, rows = command(tmp_path, table, job, algorithm="incognito", bound="none", **keys)
    df = spark.read.csv(table, header=True)
    release = hedgerow.spark.anonymize(df.repartition(3), job, algorithm="incognito", rows_per_task=900,
                                       bound="none", **keys)
    assert_same(release, local, rows)
    assert release.report["algorithm"] == "incognito"
    release.unpersist()


PEOPLE = {"unit": "person", "model": {"k": 4, "p": 2},
          "attributes": {"person": {"role": "identifier"},
                         "age": {"role": "quasi", "hierarchy": {"intervals": [5, 10, 20], "top": 90}},
                         "town": {"role": "quasi", "hierarchy": "flat", "boundary": {"level": 0}},
                         "illness": {"role": "sensitive"}}}


def visits(rows):
    """About three rows a person; the last town has 40 rows of two people."""
    made = [(f"p{i * 7919 % (rows // 3)}", i * 31 % 90, "ABC"[i % 3], "abcd"[i * 17 % 4])
            for i in range(rows)]
    return made + [(f"q{i % 2}", 30 + i % 3, "D", "ab"[i % 2]) for i in range(40)]


@pytest.mark.parametrize("algorithm", ["hedge", "incognito"])
def test_people(spark, tmp_path, algorithm):
    """k counts people: they are counted by task, and their column is not released."""
    df = spark.createDataFrame(visits(1500), "person string, age int, town string, illness string")
    keys = {"algorithm": algorithm, "bound": "none"} | ({"effort": "quick"} if algorithm == "hedge" else {})
    local, rows = command(tmp_path, df.toArrow(), PEOPLE, **keys)
    release = hedgerow.spark.anonymize(df.repartition(4), PEOPLE, rows_per_task=600, **keys)
    assert release.table.columns == ["age", "town", "illness"]
    assert rows_of(release.table) == rows
    assert release.suppressed == local.suppressed >= 40
    assert release.report["model"]["achieved"]["k"] == local.figures["achieved_k"] >= 4
    release.unpersist()


def test_people_are_counted_in_whole_cells(spark):
    df = spark.createDataFrame(visits(600), "person string, age int, town string, illness string")
    with pytest.warns(hedgerow.HedgerowWarning, match="3 cells have more than 100 rows and are not cut"):
        hedgerow.spark.anonymize(df, PEOPLE, rows_per_task=100, **QUICK).unpersist()
    missing = df.union(spark.createDataFrame([(None, 30, "A", "a")], df.schema))
    with pytest.raises(hedgerow.InputError, match="column 'person': the unit is missing"):
        hedgerow.spark.anonymize(missing, PEOPLE, **QUICK)


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


def fars_job():
    attributes = {}
    for name in ("iage", "irace", "ideathmon", "ideathday", "isex", "ihispanic", "istatenum"):
        attributes[name] = {"role": "quasi", "hierarchy": str(DATA / "fars/hierarchies" / f"{name}.csv")}
    attributes["istatenum"]["boundary"] = {"level": 1}
    attributes["iinjury"] = {"role": "sensitive"}
    return {"model": {"k": 5, "p": 2}, "attributes": attributes}


@pytest.mark.parametrize("name, job, separator", [("adult", adult_job(), ","), ("fars", fars_job(), ";")])
def test_real_tables(spark, tmp_path, name, job, separator):
    table = DATA / name / f"{name}.csv"
    if not table.exists():
        pytest.skip(f"the data set {name} is not there")
    local, rows = command(tmp_path, str(table), job, separator, **QUICK)
    df = spark.read.csv(str(table), header=True, sep=separator)
    release = hedgerow.spark.anonymize(df.repartition(3), job, **QUICK)
    assert_same(release, local, rows)
    release.unpersist()


def test_a_cell_that_is_cut(spark, tmp_path, census):
    """One cell of 4,000 rows: every row comes back, in parts, at a higher loss."""
    table, job = census
    local, _ = command(tmp_path, table, job, boundaries="count", **QUICK)
    df = spark.read.csv(table, header=True)
    with pytest.warns(hedgerow.HedgerowWarning, match="1 cells with more than 1,200 rows are cut"):
        release = hedgerow.spark.anonymize(df, job, boundaries="count", rows_per_task=1200, **QUICK)
    again = hedgerow.spark.anonymize(df.repartition(5), job, boundaries="count", rows_per_task=1200,
                                     **QUICK)
    assert rows_of(release.table) == rows_of(again.table)
    assert release.suppressed == local.suppressed == 0
    assert release.report["cut"]["cells"] == 1 and release.report["cut"]["parts"] > 3
    assert local.loss * 0.9 < release.loss < local.loss * 1.5
    release.unpersist()


def executors():
    """Process numbers of the executors of a local cluster."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if b"CoarseGrainedExecutorBackend" in path.read_bytes():
                found.append(int(path.parent.name))
        except OSError:
            pass
    return found


def test_a_killed_executor_changes_nothing(spark, tmp_path, monkeypatch):
    """An executor dies while it searches; its cells are run again elsewhere."""
    if not spark.sparkContext.master.startswith("local-cluster"):
        pytest.skip("executors are not processes of their own")
    table, jobs = hedgerow.generate("census", tmp_path / "census", rows=20_000, seed=5)
    df = spark.read.csv(table, header=True).repartition(4)
    local, rows = command(tmp_path, table, jobs[0], **QUICK)
    search, killed = _release._run, []

    def kill():
        for number in executors()[:1]:
            os.kill(number, signal.SIGKILL)
            killed.append(number)

    def run(*arguments):
        threading.Timer(1, kill).start()
        return search(*arguments)

    monkeypatch.setattr(_release, "_run", run)
    release = hedgerow.spark.anonymize(df, jobs[0], rows_per_task=3000, **QUICK)
    assert killed, "the search ended before the executor died"
    assert_same(release, local, rows)
    release.unpersist()


def skewed(i):
    """Nine rows of ten are in town A."""
    return (i * 37 % 90, "A" if i % 10 else "BCD"[i // 10 % 3], "abcde"[i * 11 % 5])


def small_cells(i):
    """Every town has five rows."""
    return (i * 37 % 90, f"t{i // 5}", "abcde"[i % 5])


@pytest.mark.parametrize("make, rows", [(skewed, 20_000), (small_cells, 250_000)])
def test_sizes_of_cells(spark, tmp_path, make, rows):
    job = {"model": {"k": 4, "p": 2},
           "attributes": {"age": {"role": "quasi", "hierarchy": {"intervals": [5, 10, 20], "top": 90}},
                          "town": {"role": "quasi", "hierarchy": "flat", "boundary": {"level": 0}},
                          "illness": {"role": "sensitive"}}}
    import pyarrow

    columns = zip(("age", "town", "illness"), zip(*map(make, range(rows))))
    table = pyarrow.table({name: list(values) for name, values in columns})
    local, released = command(tmp_path, table, job, **QUICK)
    release = hedgerow.spark.anonymize(spark.createDataFrame(table).repartition(3), job, **QUICK)
    assert_same(release, local, released)
    release.unpersist()


def test_no_rows(spark, census):
    with pytest.raises(hedgerow.InputError, match="no rows"):
        hedgerow.spark.anonymize(spark.read.csv(census[0], header=True).limit(0), census[1])


def test_nothing_can_be_released(spark, census):
    with pytest.raises(hedgerow.InfeasibleError, match="nothing can be released"):
        hedgerow.spark.anonymize(spark.read.csv(census[0], header=True), census[1], k=3000)


@pytest.mark.parametrize("boundary", [{"boundary": {"level": 0}}, {}], ids=["cells", "one cell"])
def test_types_and_nulls(spark, boundary):
    """Decimals, dates and nulls keep their types, and the release is that of the same Arrow table."""
    import pyarrow

    job = {"model": {"k": 3, "p": 2},
           "attributes": {"age": {"role": "quasi", "type": "numeric", "on_missing": "drop"},
                          "town": {"role": "quasi", "hierarchy": "flat", **boundary},
                          "illness": {"role": "sensitive"}, "pay": {"role": "keep"},
                          "day": {"role": "keep"}}}
    made = [(None if i % 17 == 0 else i * 7 % 50, None if i % 11 == 0 else "AB"[i % 2],
             None if i % 13 == 0 else "abc"[i % 3],
             None if i % 7 == 0 else decimal.Decimal(i).scaleb(-2),
             None if i % 5 == 0 else datetime.date(2020, 1, 1 + i % 28)) for i in range(300)]
    schema = "age int, town string, illness string, pay decimal(10,2), day date"
    df = spark.createDataFrame(made, schema)
    local = hedgerow.anonymize(df.toArrow(), job, **QUICK)
    release = hedgerow.spark.anonymize(df.repartition(4), job, **QUICK)
    assert release.table.dtypes == [("age", "string"), ("town", "string"), ("illness", "string"),
                                    ("pay", "decimal(10,2)"), ("day", "date")]
    assert isinstance(local.table, pyarrow.Table)
    columns = local.table.to_pydict()
    rows = sorted(tuple("" if v is None else str(v) for v in row) for row in zip(*columns.values()))
    assert rows_of(release.table) == rows
    assert release.suppressed == local.suppressed > 0
    release.unpersist()


@pytest.fixture(scope="module")
def odd(spark):
    """Names that are syntax to Spark, and a timestamp; the one class of town C is suppressed."""
    rows = [(i % 7 * 3, "AB"[i % 2], datetime.datetime(2024, 3, 1, 0, i % 60), "klmn"[i * 7 % 4], f"p{i}")
            for i in range(200)] + [(5, "C", None, "k", "q")] * 2
    return spark.createDataFrame(rows, "`a.b` int, `home town` string, `t``s` timestamp, Ill string, name string")


ODD = {"model": {"k": 3, "p": 2},
       "attributes": {"a.b": {"role": "quasi", "type": "numeric"},
                      "home town": {"role": "quasi", "hierarchy": "flat", "boundary": {"level": 0}},
                      "t`s": {"role": "keep"}, "Ill": {"role": "sensitive"},
                      "name": {"role": "identifier"}}}


@pytest.mark.parametrize("zone", ["UTC", "Asia/Tokyo"])
def test_odd_names_and_timestamps(spark, odd, zone):
    spark.conf.set("spark.sql.session.timeZone", zone)
    try:
        local = hedgerow.anonymize(odd.toArrow(), ODD, **QUICK)
        release = hedgerow.spark.anonymize(odd.repartition(3), ODD, **QUICK)
        assert release.table.columns == ["a.b", "home town", "t`s", "Ill"]
        columns = [release.table.toArrow().column(i).to_pylist() for i in range(4)]
        assert sorted(zip(*columns)) == sorted(zip(*local.table.to_pydict().values()))
        assert release.suppressed == local.suppressed == 2
        assert hedgerow.spark.check(release.table, ODD, original=odd)
        assert hedgerow.spark.boundaries(odd, ODD, k=3, p=2).suppressed(3, 2) == 2
        release.unpersist()
    finally:
        spark.conf.unset("spark.sql.session.timeZone")


def test_check_judges_columns(odd):
    from pyspark.sql.functions import lit

    release = hedgerow.spark.anonymize(odd, ODD, **QUICK)
    masked = release.table

    def reasons(df):
        verdict = hedgerow.spark.check(df, ODD, original=odd)
        assert not verdict
        return "; ".join(verdict.reasons)

    assert "contains the identifiers 'name'" in reasons(masked.withColumn("name", lit("Ada")))
    assert "does not release: 'more'" in reasons(masked.withColumn("more", lit(1)))
    assert "lacks columns that the job releases: 'Ill'" in reasons(masked.drop("Ill"))
    assert "another number of rows" in reasons(masked.union(masked))
    release.unpersist()


def test_rows_that_need_not_be_suppressed_count(spark):
    """The models decide in the search which rows have to go."""
    df = spark.createDataFrame([(i % 5, "ab"[i % 10 == 0]) for i in range(100)], "age int, ill string")
    job = {"model": {"k": 2, "alpha": 0.6}, "attributes": {"age": {"role": "quasi", "type": "numeric"},
                                                           "ill": {"role": "sensitive"}}}
    assert hedgerow.spark.anonymize(df, job, max_suppressed=0.75, **QUICK).suppressed == 75
    with pytest.raises(hedgerow.InfeasibleError, match="75 % of the rows would be suppressed"):
        hedgerow.spark.anonymize(df, job, max_suppressed=0.7, **QUICK)


def test_messages_number_no_rows(odd):
    """The library sees counted combinations, whose numbers would mislead."""
    job = {"model": {"k": 3}, "attributes": {"home town": {"role": "quasi", "type": "numeric"}}}
    with pytest.raises(hedgerow.InputError, match="^column 'home town': 'A' is not a number; correct"):
        hedgerow.spark.anonymize(odd, job)
    job["attributes"] = {"home town": {"role": "quasi", "hierarchy": {"A": ["*"], "B": ["*"]}}}
    with pytest.raises(hedgerow.InputError, match="^column 'home town': 1 value has no leaf"):
        hedgerow.spark.anonymize(odd, job)
    holes = odd.selectExpr("nullif(`a.b`, 3) as age")
    job["attributes"] = {"age": {"role": "quasi", "type": "numeric"}}
    with pytest.raises(hedgerow.InputError, match="^column 'age': some rows have no value"):
        hedgerow.spark.anonymize(holes, job)


def test_keys_of_the_command_alone(odd):
    with pytest.warns(hedgerow.HedgerowWarning, match="not on Spark, and ignored: report, trace"):
        release = hedgerow.spark.anonymize(odd, ODD, trace="trace.csv", report="report.json", **QUICK)
    assert not Path("trace.csv").exists() and not Path("report.json").exists()
    assert release.report["risk"]["prosecutor"] == 1 / release.report["classes"]["min"]
    release.unpersist()


def test_recoded_columns(spark):
    """Kept columns with limits or levels become text; rounded ones keep their type."""
    df = spark.range(200).selectExpr("cast(20 + id % 30 as int) age", "cast(id % 5 as string) ill",
                                     "cast(id % 60 as int) pay", "cast(id % 45 as int) hours",
                                     "date'2024-01-01' + cast(id as int) as day")
    job = {"model": {"k": 4, "p": 2},
           "attributes": {"age": {"role": "quasi", "type": "numeric"}, "ill": {"role": "sensitive"},
                          "pay": {"role": "keep", "bottom": 10, "top": 50},
                          "hours": {"role": "keep", "round": 10},
                          "day": {"role": "keep", "hierarchy": {"date": ["month"]}, "level": "month"}}}
    local = hedgerow.anonymize(df.toArrow(), job, **QUICK)
    release = hedgerow.spark.anonymize(df.repartition(3), job, **QUICK)
    columns = local.table.to_pydict()
    assert rows_of(release.table) == sorted(tuple(map(str, row)) for row in zip(*columns.values()))
    assert dict(release.table.dtypes) == {"age": "string", "ill": "string", "pay": "string",
                                          "hours": "int", "day": "string"}
    assert {"<10", "50+"} < set(columns["pay"]) and "2024-07" in columns["day"]
    release.unpersist()


def test_two_columns_of_one_name(spark):
    twice = spark.createDataFrame([(1, 2)] * 9, "age int, age int")
    job = {"model": {"k": 3}, "attributes": {"age": {"role": "quasi", "type": "numeric"}}}
    with pytest.raises(hedgerow.InputError, match="several columns 'age'"):
        hedgerow.spark.anonymize(twice, job)


def test_addresses_of_the_script():
    from hedgerow.spark.submit import split_address

    assert split_address("table:lake.people") == ("table", "lake.people")
    assert split_address("parquet:hdfs://a/b") == ("parquet", "hdfs://a/b")
    assert split_address("hdfs://a/b.csv") == ("csv", "hdfs://a/b.csv")
    with pytest.raises(SystemExit, match="is not an address"):
        split_address("hdfs://a/b")


def test_the_script(spark, odd, tmp_path, capsys):
    """Exit statuses and messages of the script, in this session."""
    import json

    from hedgerow.spark.submit import run

    odd.drop("name").write.parquet(str(tmp_path / "people"))
    job = {**ODD, "input": "x.csv", "attributes": {**ODD["attributes"], "name": {"role": "drop"}}}
    (tmp_path / "job.yaml").write_text(json.dumps(job))

    def script(*words, table="people"):
        status = run(spark, [str(tmp_path / "job.yaml"), "--input", f"parquet:{tmp_path / table}",
                             "--output", f"parquet:{tmp_path / 'out'}", "--set", "effort=quick", *words])
        return status, capsys.readouterr().err

    assert script("--report", str(tmp_path / "report.json")) == (0, "")
    local = hedgerow.anonymize(odd.toArrow(), ODD, **QUICK)
    assert spark.read.parquet(str(tmp_path / "out")).count() == local.figures["released"]
    assert json.loads((tmp_path / "report.json").read_text())["rows"]["suppressed"] == 2
    assert (tmp_path / "report.json").stat().st_mode & 0o77 == 0
    status, message = script()
    assert status == 1 and "exists: give --replace" in message and "Traceback" not in message
    assert script("--replace")[0] == 0
    status, message = script("--replace", "--set", "k=300")
    assert status == 2 and message.startswith("hedgerow: nothing can be released")
    status, message = script("--replace", table="nowhere")
    assert status == 3 and "nowhere" in message and len(message.splitlines()) == 1
    assert script("--replace", "--report", str(tmp_path / "no" / "report.json"))[0] == 3
    assert script("--replace", "--set", "efort=quick")[0] == 1


def test_the_path_of_the_script():
    found = subprocess.run([sys.executable, "-m", "hedgerow.spark", "--script"], capture_output=True,
                           text=True, check=True).stdout.strip()
    assert Path(found).name == "submit.py" and Path(found).exists()


def test_wrong_pyspark(monkeypatch, spark):
    import pyspark

    df = spark.range(3)
    monkeypatch.setattr(pyspark, "__version__", "3.5.1")
    with pytest.raises(hedgerow.Error, match="needs pyspark 4.1 or newer, and this is 3.5.1"):
        hedgerow.spark.anonymize(df, {})
