"""Types and layouts of other libraries that were met in practice."""

import datetime
import decimal

import pyarrow
import pytest

import hedgerow

JOB = {
    "model": {"k": 2},
    "attributes": {
        "age": {"role": "quasi", "type": "numeric"},
        "town": {"role": "quasi", "hierarchy": "flat"},
        "value": {"role": "keep"},
    },
}
AGES, TOWNS = [31, 33, 52, 57], ["Ulm", "Ulm", "Bonn", "Bonn"]


def table(value, **others):
    return pyarrow.table({"age": AGES, "town": TOWNS, "value": value, **others})


def texts(release, tmp_path):
    release._made.table.write(str(tmp_path / "out.csv"))
    return [line.split(",")[-1] for line in (tmp_path / "out.csv").read_text().splitlines()[1:]]


def test_string_views_and_dictionaries_of_polars():
    import polars

    frame = polars.DataFrame(table(["a", "b", "c", "a string that is longer than a view holds inline"]))
    frame = frame.with_columns(polars.col("town").cast(polars.Categorical))
    release = hedgerow.anonymize(frame, JOB).table
    assert release["value"].dtype == polars.String
    assert sorted(release["value"].to_list()) == sorted(frame["value"].to_list())
    assert release["town"].to_list() == ["Ulm", "Ulm", "Bonn", "Bonn"] or set(release["town"]) == {"Ulm", "Bonn"}


def test_large_strings():
    large = pyarrow.array(["a", None, "c", "d"], pyarrow.large_string())
    release = hedgerow.anonymize(table(large), JOB).table
    assert release.schema.field("value").type == pyarrow.large_string()
    assert sorted(map(str, release["value"].to_pylist())) == ["None", "a", "c", "d"]


def test_decimals_and_dates_of_duckdb():
    import duckdb

    relation = duckdb.sql(
        "select 31 + i as age, 'Ulm' as town, i::hugeint::decimal(38,0) as value, "
        "date '2024-02-28' + i::int as day from range(4) t(i)"
    )
    job = {**JOB, "attributes": {**JOB["attributes"], "day": {"role": "keep"}}}
    release = hedgerow.anonymize(relation, job).table
    assert release.schema.field("value").type == pyarrow.decimal128(38, 0)
    assert sorted(release["value"].to_pylist()) == [decimal.Decimal(i) for i in range(4)]
    assert max(release["day"].to_pylist()) == datetime.date(2024, 3, 2)


def test_offsets_of_struct_and_child():
    whole = table(["no", "a", "b", "c"]).combine_chunks()
    pair = pyarrow.concat_tables([whole, whole]).combine_chunks().slice(1, 4)
    assert sorted(hedgerow.anonymize(pair, JOB).table["value"].to_pylist()) == ["a", "b", "c", "no"]
    child = pyarrow.array(["x", "y", "p", "q", "r", "s", "z"]).slice(2, 4)
    columns = [pyarrow.array(AGES), pyarrow.array(TOWNS), child]
    batch = pyarrow.RecordBatch.from_arrays(columns, ["age", "town", "value"])
    assert sorted(hedgerow.anonymize(batch, JOB).table["value"].to_pylist()) == ["p", "q", "r", "s"]
    part = batch.slice(2, 2)
    assert sorted(hedgerow.anonymize(part, JOB).table["value"].to_pylist()) == ["r", "s"]


def test_floats_are_the_shortest_text(tmp_path):
    release = hedgerow.anonymize(table([0.1, 1e22, 3.0, 2.5e-7]), JOB)
    written = texts(release, tmp_path)
    assert "0.1" in written
    assert sorted(map(float, written)) == sorted([0.1, 1e22, 3.0, 2.5e-7])
    assert all(digits(text) <= digits(repr(float(text))) for text in written), written


def test_streams_are_released_in_any_thread():
    import gc
    import threading
    import weakref

    class Owner(list):
        pass

    owner = Owner(["a", "b", "c", "d"])
    gone = weakref.ref(owner)

    def batches(held):
        yield table(list(held)).to_batches()[0]

    reader = pyarrow.RecordBatchReader.from_batches(table(["a"] * 4).schema, batches(owner))
    del owner
    released = []
    thread = threading.Thread(target=lambda: released.append(hedgerow.anonymize(reader, JOB).table))
    thread.start()
    thread.join()
    assert sorted(released[0]["value"].to_pylist()) == ["a", "b", "c", "d"]
    del reader, thread
    gc.collect()
    assert gone() is None


def test_a_stream_is_read_once():
    reader = table(["a"] * 4).to_reader()
    hedgerow.anonymize(reader, JOB)
    with pytest.raises((ValueError, hedgerow.Error, pyarrow.ArrowInvalid)):
        hedgerow.anonymize(reader, JOB)


def test_types_that_are_no_values():
    with pytest.raises(hedgerow.InputError, match="value"):
        hedgerow.anonymize(table([[1], [2], [3], [4]]), JOB)


@pytest.mark.parametrize("algorithm", ["hedge", "mam", "incognito"])
@pytest.mark.parametrize("order", ["canonical", "input", "shuffle"])
def test_dictionaries_have_no_suppressed_value(order, algorithm):
    """A town that is alone is suppressed, and with it an age and a value that nobody else has."""
    import polars

    town = pyarrow.array(["Ulm"] * 4 + ["Secretville"]).dictionary_encode()
    value = pyarrow.array(["a", "b", "c", "d", "secret"]).dictionary_encode()
    data = pyarrow.table({"age": [31, 33, 52, 57, 99], "town": town, "value": value})
    job = {**JOB, "attributes": {**JOB["attributes"]}}
    job["attributes"]["town"] = {"role": "quasi", "hierarchy": "flat", "boundary": {"level": 0}}
    if algorithm != "hedge":
        job["attributes"]["age"] = {"role": "quasi", "hierarchy": "flat"}
    for given in (data, polars.DataFrame(data), data.to_pandas()):
        release = hedgerow.anonymize(given, job, order=order, algorithm=algorithm)
        assert release.suppressed == 1
        for column in pyarrow.table(release._made.table).columns:
            for chunk in column.chunks:
                held = chunk.dictionary if pyarrow.types.is_dictionary(chunk.type) else chunk
                # Also look at the bytes: the buffer of a slice may hold more than the slice shows.
                assert not any("ecret" in str(text) or "99" in str(text) for text in held.to_pylist())
                assert not any(b"ecret" in buffer.to_pybytes() for buffer in held.buffers() if buffer)
        if type(given).__module__.startswith("pandas"):
            assert not any("ecret" in str(c) for name in release.table for c in categories(release.table[name]))


def categories(series):
    return series.cat.categories if hasattr(series, "cat") else series


def digits(text):
    """Number of significant digits of a number as text."""
    return len(decimal.Decimal(text).normalize().as_tuple().digits)


def pandas_release(values):
    import pandas

    frame = pandas.DataFrame({"age": AGES, "town": TOWNS, "value": values})
    return frame["value"], hedgerow.anonymize(frame, JOB).table["value"]


def test_pandas_dtypes_are_kept():
    import pandas

    large = 2**53 + 1  # no float has this value
    for values in (
        pandas.array([large, None, 3, 4], dtype="Int64"),
        pandas.array([True, None, False, True], dtype="boolean"),
        pandas.array(["a", None, "b", "c"], dtype="string"),
        pandas.array([large, None, 3, 4], dtype="int64[pyarrow]"),
        pandas.period_range("2020-01", periods=4, freq="M"),
        pandas.date_range("2020-01-01", periods=4, tz="Europe/Berlin"),
    ):
        given, released = pandas_release(values)
        assert released.dtype == given.dtype
        assert sorted(map(str, released)) == sorted(map(str, given))


def test_kept_categories_keep_their_order():
    import pandas
    import polars

    sizes = ["small", "secret", "large"]
    given = pandas.Categorical(["large", "small", "large", None], categories=sizes, ordered=True)
    released = pandas_release(given)[1]
    assert released.cat.ordered and list(released.cat.categories) == ["small", "large"]
    series = polars.Series(["large", "small", "large", None], dtype=polars.Enum(sizes))
    frame = polars.DataFrame({"age": AGES, "town": TOWNS, "value": series})
    assert hedgerow.anonymize(frame, JOB).table["value"].dtype == polars.Enum(["small", "large"])


def test_objects_of_pandas_stay_objects():
    import pandas

    for values in ([2**60 + 1, None, 3, 4], [True, False, True, True], ["a", None, "b", "c"]):
        given, released = pandas_release(pandas.Series(values, dtype=object))
        assert released.dtype == object
        assert sorted(map(str, released)) == sorted(map(str, given))


def test_dictionaries_keep_their_type_and_order():
    import pandas

    sizes = pyarrow.DictionaryArray.from_arrays(
        pyarrow.array([2, 0, None, 2], pyarrow.int32()), ["small", "secret", "large"], ordered=True
    )
    data = table(sizes)
    for given in (data, pyarrow.record_batch(data.to_batches()[0].columns, data.column_names)):
        released = hedgerow.anonymize(given, JOB).table["value"]
        assert released.type == sizes.type
        chunk = released.chunk(0) if isinstance(given, pyarrow.Table) else released
        assert chunk.dictionary.to_pylist() == ["small", "large"]
        assert sorted(map(str, released.to_pylist())) == ["None", "large", "large", "small"]
    # Once a reader is read, only its schema is left, which lacks the order of the categories.
    released = hedgerow.anonymize(data.to_reader(), JOB).table["value"]
    assert released.type == pyarrow.dictionary(pyarrow.int32(), pyarrow.string())
    dtype = pandas.ArrowDtype(pyarrow.dictionary(pyarrow.int32(), pyarrow.string()))
    given, released = pandas_release(pandas.array(["a", "b", None, "a"], dtype=dtype))
    assert released.dtype == given.dtype and sorted(map(str, released)) == sorted(map(str, given))


def test_extension_types_are_kept():
    flags = pyarrow.ExtensionArray.from_storage(pyarrow.bool8(), pyarrow.array([0, 1, 1, None], pyarrow.int8()))
    released = hedgerow.anonymize(table(flags), JOB).table["value"]
    assert released.type == pyarrow.bool8()
    assert sorted(map(str, released.to_pylist())) == ["False", "None", "True", "True"]


def test_intervals_of_pandas_are_refused():
    import pandas

    with pytest.raises(hedgerow.InputError, match="column 'value': structs"):
        pandas_release(pandas.cut(AGES, 2))


def test_an_index_is_no_column():
    import pandas

    frame = pandas.DataFrame({"age": AGES, "town": TOWNS, "value": AGES})
    for indexed in (frame.set_index("age"), frame.set_index(["town", "age", "value"])):
        with pytest.raises(hedgerow.InputError, match=r"is the index .* \.reset_index\(\)"):
            hedgerow.anonymize(indexed, JOB)
        assert len(hedgerow.anonymize(indexed.reset_index(), JOB).table) == 4


def test_names_that_are_no_text():
    import pandas

    frame = pandas.DataFrame({0: AGES, 1: TOWNS, "value": AGES})
    release = hedgerow.anonymize(frame, quasi=[0], numeric=[0], keep=[1], drop=["value"], k=2)
    assert list(release.table.columns) == [0, 1]
    frame.columns = pandas.MultiIndex.from_tuples([("a", "x"), ("a", "y"), ("b", "z")])
    release = hedgerow.anonymize(frame, quasi=[("a", "x")], numeric=[("a", "x")], k=2)
    assert list(release.table.columns) == [("a", "x")]
    job = {"model": {"k": 2}, "attributes": {("a", "x"): {"role": "quasi", "type": "numeric"}}}
    assert list(hedgerow.anonymize(frame, job).table.columns) == [("a", "x")]


def test_a_message_repeats_no_value():
    with pytest.raises(hedgerow.InputError, match="column 'value'") as caught:
        pandas_release([1, "secret", None, 2.5])
    assert "secret" not in str(caught.value) and caught.value.__suppress_context__


def test_columns_without_a_role_are_not_read():
    import pandas
    import polars

    mixed, lists = [1, "a", None, 2.5], [[1], [2], [3], [4]]
    for data in (
        pandas.DataFrame({"age": AGES, "mixed": mixed, "town": TOWNS, "value": AGES}),
        polars.DataFrame({"age": AGES, "mixed": lists, "town": TOWNS, "value": AGES}),
        table(AGES, mixed=lists),
        table(AGES, mixed=lists).to_reader(),
    ):
        with pytest.warns(hedgerow.HedgerowWarning, match="column 'mixed' has no role and is dropped"):
            release = hedgerow.anonymize(data, JOB)
        assert release._made.table.column_names == ["age", "town", "value"]
    with pytest.warns(hedgerow.HedgerowWarning, match="mixed"):
        assert hedgerow.check(release.table, JOB, original=table(AGES, mixed=lists))


def test_the_unit_is_read():
    people = table(AGES, person=["a", "a", "b", "c"])
    job = {**JOB, "unit": "person", "model": {"k": 3}}
    job["attributes"] = {**JOB["attributes"], "person": {"role": "identifier"}}
    assert hedgerow.anonymize(people, job).classes == 1
    with pytest.raises(hedgerow.InfeasibleError):
        hedgerow.anonymize(people, job, k=4)


def test_columns_of_nulls_and_no_rows_of_polars():
    import polars

    frame = polars.DataFrame({"age": AGES, "town": TOWNS, "value": [None] * 4})
    assert hedgerow.anonymize(frame, JOB).table["value"].to_list() == [None] * 4
    with pytest.raises(hedgerow.InputError, match="no rows"):
        hedgerow.anonymize(polars.DataFrame({"age": [], "town": [], "value": []}), JOB)
