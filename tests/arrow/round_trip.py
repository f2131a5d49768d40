"""Arrow tables from pyarrow, pandas, polars and DuckDB into a Hedgerow table and back, through the
shared library's public functions alone. Called by run.sh; the first argument is the library."""

import ctypes
import datetime
import decimal
import math
import random
import sys

import duckdb
import pandas
import polars
import pyarrow as pa

LIBRARY = ctypes.CDLL(sys.argv[1])


class Error(ctypes.Structure):
    _fields_ = [("code", ctypes.c_int), ("message", ctypes.c_char * 512)]


class Stream(ctypes.Structure):
    """struct ArrowArrayStream: four functions and a pointer."""

    _fields_ = [(name, ctypes.c_void_p) for name in ("schema", "next", "error", "release", "private")]


LIBRARY.hr_table_text.restype = ctypes.c_char_p
LIBRARY.hr_table_rows.restype = ctypes.c_size_t
LIBRARY.hr_table_text.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t]
LIBRARY.hr_table_rows.argtypes = [ctypes.c_void_p]
LIBRARY.hr_table_free.argtypes = [ctypes.c_void_p]
LIBRARY.hr_table_from_arrow.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_size_t] + [ctypes.c_void_p] * 3
LIBRARY.hr_table_to_arrow.argtypes = [ctypes.c_void_p] * 3
POINTER = ctypes.pythonapi.PyCapsule_GetPointer
POINTER.restype = ctypes.c_void_p
POINTER.argtypes = [ctypes.py_object, ctypes.c_char_p]


def read(source):
    """A Hedgerow table of anything with the Arrow stream protocol."""
    capsule = source.__arrow_c_stream__()
    table, error = ctypes.c_void_p(), Error()
    stream = POINTER(capsule, b"arrow_array_stream")
    status = LIBRARY.hr_table_from_arrow(stream, None, 0, None, ctypes.byref(table), ctypes.byref(error))
    if status:
        raise ValueError(error.message.decode())
    return table


def write(table):
    """The Hedgerow table as a pyarrow table. The Hedgerow table is freed first, on purpose."""
    stream, error = Stream(), Error()
    assert not LIBRARY.hr_table_to_arrow(table, ctypes.byref(stream), ctypes.byref(error)), error.message
    LIBRARY.hr_table_free(table)
    reader = pa.RecordBatchReader._import_from_c(ctypes.addressof(stream))
    result = reader.read_all()
    result.validate(full=True)
    return result


def texts(source, column=0):
    table = read(source)
    result = [LIBRARY.hr_table_text(table, row, column).decode() for row in range(LIBRARY.hr_table_rows(table))]
    LIBRARY.hr_table_free(table)
    return result


def same(a, b):
    return a == b or (isinstance(a, float) and isinstance(b, float) and math.isnan(a) and math.isnan(b))


def keeps(array):
    """The column comes back with its type and its values, whole, sliced and in several batches."""
    table = pa.table({"x": array})
    for form in (table, table.slice(1, max(0, len(array) - 2)), pa.concat_tables([table, table.slice(2), table])):
        back = write(read(form)).column("x")
        want = form.column("x")
        if pa.types.is_dictionary(want.type):
            assert back.type.value_type == want.type.value_type, (back.type, want.type)
        else:
            assert back.type == want.type, (back.type, want.type)
        for a, b in zip(want.to_pylist(), back.to_pylist(), strict=True):
            assert same(a, b), (want.type, a, b)


def random_values(kind, count, draw):
    bits = {"int8": 8, "int16": 16, "int32": 32, "int64": 64}
    if kind in bits:
        limit = 2 ** (bits[kind] - 1)
        return [draw.choice([0, 1, -1, limit - 1, -limit, draw.randrange(-limit, limit)]) for _ in range(count)]
    if kind[1:] in bits:
        limit = 2 ** bits[kind[1:]]
        return [draw.choice([0, 1, limit - 1, draw.randrange(limit)]) for _ in range(count)]
    return [draw.choice(["", "a", "Zürich", "x" * 12, "y" * 13, "long text " * 9, str(draw.random())]) for _ in range(count)]


def with_nulls(values, draw):
    return [None if draw.random() < 0.2 else value for value in values]


def test_integers_and_texts():
    draw = random.Random(1)
    kinds = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "string", "large_string", "string_view"]
    for kind in kinds:
        for count in (0, 1, 3, 1500):
            values = with_nulls(random_values(kind, count, draw), draw)
            keeps(pa.array(values, type=getattr(pa, kind)()))


def test_floats():
    draw = random.Random(2)
    odd = [0.0, -0.0, 39.0, 0.1, 1 / 3, 5e-324, 2.2250738585072014e-308, 1.7976931348623157e308, math.inf, -math.inf, math.nan, 1e22, 123456789012345678.0]
    values = odd + [draw.uniform(-1e6, 1e6) for _ in range(800)] + [round(draw.uniform(0, 100), 2) for _ in range(800)]
    values += [math.ldexp(draw.random(), draw.randrange(-1070, 1020)) for _ in range(2000)]
    keeps(pa.array(with_nulls(values, draw), type=pa.float64()))
    single = pa.array([v for v in values if abs(v) < 1e38 or not math.isfinite(v)], type=pa.float32())
    keeps(single)
    halves = pa.array(range(2**16), type=pa.uint16()).view(pa.float16())
    keeps(halves)
    assert texts(pa.table({"x": pa.array([39.0, 0.1, -2.5, 1e-7, 100.25, 5e-324])})) == ["39", "0.1", "-2.5", "0.0000001", "100.25", "5e-324"]
    assert texts(pa.table({"x": pa.array([39.0, 0.1, 16777216.0], type=pa.float32())})) == ["39", "0.1", "16777216"]
    for a, b in zip(values, texts(pa.table({"x": pa.array(values)}))):
        assert same(float(b), a) and len(b) <= max(len(repr(a)), 24), (a, b)


def test_dates_and_times():
    draw = random.Random(3)
    days = [0, -1, 1, 11016, -719468, 2932896, 2**31 - 1, -(2**31)] + [draw.randrange(-800000, 800000) for _ in range(500)]
    keeps(pa.array([d for d in days if -719162 <= d <= 2932896], type=pa.date32()))
    keeps(pa.array([datetime.date(2024, 2, 29), None], type=pa.date64()))
    assert texts(pa.table({"x": pa.array([0, 11016, 19782, 2932897], type=pa.int32()).view(pa.date32())})) == ["1970-01-01", "2000-02-29", "2024-02-29", "+010000-01-01"]
    for unit in ("s", "ms", "us", "ns"):
        numbers = [0, 1, -1, 2**62, -(2**62), 2**63 - 1, -(2**63), 1_700_000_000] + [draw.randrange(-(2**60), 2**60) for _ in range(300)]
        for zone in (None, "UTC", "Europe/Vienna"):
            column = pa.array(numbers, type=pa.int64()).cast(pa.int64()).view(pa.timestamp(unit, zone))
            back = write(read(pa.table({"x": column}))).column("x")
            assert back.type == column.type
            assert pa.concat_arrays(back.chunks).view(pa.int64()).to_pylist() == numbers, unit
    for unit, width in (("s", 32), ("ms", 32), ("us", 64), ("ns", 64)):
        kind = getattr(pa, f"time{width}")(unit)
        number = pa.int32() if width == 32 else pa.int64()
        scale = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[unit]
        numbers = [0, 1, 86400 * scale - 1] + [draw.randrange(86400 * scale) for _ in range(200)]
        back = write(read(pa.table({"x": pa.array(numbers, type=number).view(kind)}))).column("x")
        assert pa.concat_arrays(back.chunks).view(number).to_pylist() == numbers
    when = datetime.datetime(2024, 2, 29, 23, 59, 59, 125000)
    assert texts(pa.table({"x": pa.array([when], type=pa.timestamp("us"))})) == ["2024-02-29T23:59:59.125000"]
    assert texts(pa.table({"x": pa.array([when], type=pa.timestamp("us", "UTC"))})) == ["2024-02-29T23:59:59.125000Z"]


def test_decimals_and_booleans():
    draw = random.Random(4)
    for kind, digits, scale in ((pa.decimal128, 38, 10), (pa.decimal256, 76, 20), (pa.decimal128, 5, 0), (pa.decimal32, 9, 2), (pa.decimal64, 18, 4)):
        limit = 10 ** (digits - 1)
        values = [decimal.Decimal(draw.randrange(-limit, limit)).scaleb(-scale, decimal.Context(prec=80)) for _ in range(200)]
        values += [decimal.Decimal(0), decimal.Decimal(-1), decimal.Decimal(limit - 1).scaleb(-scale, decimal.Context(prec=80)), None]
        keeps(pa.array(values, type=kind(digits, scale)))
    assert texts(pa.table({"x": pa.array([decimal.Decimal("12.50"), decimal.Decimal("-0.05")], type=pa.decimal128(10, 2))})) == ["12.50", "-0.05"]
    keeps(pa.array([True, None, False] * 400))
    assert texts(pa.table({"x": pa.array([True, False])})) == ["true", "false"]
    keeps(pa.nulls(5))


def test_dictionaries():
    draw = random.Random(5)
    for index in (pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()):
        for values in (pa.array(["a", "", None, "Zürich", "unused"]), pa.array(["x" * 20, "y", "z"], type=pa.string_view()), pa.array([3, 1, 2, 9], type=pa.int64())):
            used = [draw.choice([None, 0, 1, 2]) for _ in range(1200)]
            keeps(pa.DictionaryArray.from_arrays(pa.array(used, type=index), values))
    back = write(read(pa.table({"x": pa.array(["b", "a", "b", "c"]).dictionary_encode().slice(0, 3)})))
    assert back.column("x").chunk(0).dictionary.to_pylist() == ["b", "a"], "only values of rows are kept"
    many = pa.array([str(i) for i in range(40000)]).dictionary_encode()
    keeps(many)


def test_validity_of_the_batch():
    inner = pa.array([1, 2, 3, 4], type=pa.int64())
    batch = pa.StructArray.from_arrays([inner], names=["x"], mask=pa.array([False, True, False, False]))
    reader = pa.RecordBatchReader.from_batches(pa.schema([("x", pa.int64())]), [pa.RecordBatch.from_struct_array(batch)])
    assert write(read(reader)).column("x").to_pylist() == [1, None, 3, 4]


def test_refused():
    for column in (pa.array([[1], [2]]), pa.array([{"a": 1}]), pa.array([b"bytes"]), pa.array([datetime.timedelta(1)])):
        try:
            read(pa.table({"good": pa.nulls(len(column)), "nested one": column}))
        except ValueError as error:
            assert "nested one" in str(error), error
        else:
            raise AssertionError(f"{column.type} was taken")
    for text in ("zero\0byte",):
        try:
            read(pa.table({"x": ["fine", text]}))
        except ValueError as error:
            assert "row 2, column 'x'" in str(error), error
        else:
            raise AssertionError("a zero byte was taken")


def test_other_libraries():
    columns = {"age": [31, None, 50], "name": ["Ann", "Bo", None], "when": [datetime.date(2020, 1, 1)] * 3, "share": [0.5, 1.0, None]}
    frame = pandas.DataFrame(columns)
    frame["grade"] = pandas.Categorical(["a", "b", "a"])
    back = write(read(frame)).to_pandas()
    assert list(back["name"])[:2] == ["Ann", "Bo"] and list(back["grade"]) == ["a", "b", "a"]
    assert back["grade"].dtype == "category"
    eager = polars.DataFrame(columns)
    assert polars.from_arrow(write(read(eager))).equals(eager)
    relation = duckdb.sql("select i, i / 4 as quarter, 'text ' || i as name, date '2024-01-01' + i::int as d from range(5000) t(i)")
    arrow = relation.to_arrow_table()
    assert write(read(arrow)).to_pylist() == arrow.to_pylist()
    assert duckdb.from_arrow(write(read(arrow))).fetchall() == relation.fetchall()


if __name__ == "__main__":
    tests = [function for name, function in sorted(globals().items()) if name.startswith("test_")]
    for test in tests:
        test()
        print("ok", test.__name__)
    print(f"{len(tests)} passed, 0 failed")
