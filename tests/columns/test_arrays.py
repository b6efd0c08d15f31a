"""Columns accept arrays in every Arrow layout, arrays of other libraries, and selected rows."""

from __future__ import annotations

import struct
import subprocess
import sys
from itertools import pairwise
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest

import abnforge
from abnforge import columns
from abnforge.columns.arrays import filter_array, filter_table, take
from tests.columns.expected import TEXTS, TYPES, URI, Tagged, layouts, wanted_matches
from tests.law import one_in
from tests.raising import raises


def plain(answer: Any) -> list[Any]:
    answer.validate(full=True)
    return list(answer.to_pylist())


@pytest.mark.usefixtures("implementation")
@pytest.mark.parametrize("layout", layouts([]))
def test_every_layout(layout: str) -> None:
    assert plain(columns.matches(URI, layouts(TEXTS)[layout])) == wanted_matches(TEXTS)
    assert plain(columns.matches(URI, layouts([])[layout])) == []
    assert plain(columns.matches(URI, layouts([None] * 9)[layout])) == [None] * 9
    assert plain(columns.matches(URI, layouts(["a:b"] * 9)[layout])) == [True] * 9


@pytest.mark.usefixtures("implementation")
@pytest.mark.parametrize("layout", layouts([]))
def test_slices(layout: str) -> None:
    """A slice can start and end anywhere, also within a byte of validity bits or result bits."""
    array, expected = layouts(TEXTS)[layout], wanted_matches(TEXTS)
    for start in range(10):
        for length in (0, 1, 8, 9, len(TEXTS)):
            assert plain(columns.matches(URI, array.slice(start, length))) == expected[start:][:length]


def test_all_missing_of_no_type() -> None:
    assert columns.matches(URI, pa.nulls(3)).to_pylist() == [None] * 3
    assert columns.offsets(URI, pa.nulls(3)).to_pylist() == [None] * 3
    assert columns.components("URI-reference", pa.nulls(3)).to_pylist() == [None] * 3
    assert len(columns.rejections(URI, pa.nulls(3))) == 0


@pytest.mark.parametrize("kind", TYPES)
def test_chunks_in_chunks_out(kind: str) -> None:
    array, expected = pa.array(TEXTS).cast(TYPES[kind]), wanted_matches(TEXTS)
    cuts = [0, 3, 3, 20, len(TEXTS)]
    chunks = [array.slice(a, b - a) for a, b in pairwise(cuts)]
    chunked = pa.chunked_array(chunks)
    verdict = columns.matches(URI, chunked)
    assert [len(chunk) for chunk in verdict.chunks] == [len(chunk) for chunk in chunks]
    assert plain(verdict) == expected
    assert columns.rejections(URI, chunked) == columns.rejections(URI, array)
    none = columns.matches(URI, pa.chunked_array([], TYPES[kind]))
    assert (none.num_chunks, none.type) == (0, pa.bool_())
    none = columns.components("URI-reference", pa.chunked_array([], TYPES[kind]))
    assert none.type == columns.components("URI-reference", array).type


def buffers(count: int, offsets: bytes | None, data: bytes | None, valid: bytes | None = None) -> Any:
    inputs = [None if each is None else pa.py_buffer(each) for each in (valid, offsets, data)]
    return pa.Array.from_buffers(pa.string(), count, inputs, null_count=-1)


def test_buffers_as_they_may_be() -> None:
    """The validity buffer and the data buffer can be missing; without rows, also the offsets."""
    both = struct.pack("<3i", 0, 3, 6)
    assert columns.matches(URI, buffers(2, both, b"a:bx y")).to_pylist() == [True, False]
    assert columns.matches(URI, buffers(2, both, b"a:bx y", b"\x02")).to_pylist() == [None, False]
    assert columns.matches(URI, buffers(2, bytes(12), b"")).to_pylist() == [False, False]
    assert columns.matches(URI, buffers(0, None, b"")).to_pylist() == []
    assert columns.offsets(URI, buffers(0, b"", b"")).to_pylist() == []
    assert columns.components("URI-reference", buffers(0, None, b"")).to_pylist() == []


@pytest.mark.parametrize("length", one_in(8, range(71)))
def test_a_string_at_the_end_of_its_buffer(length: int) -> None:
    """No byte after the end of the buffer is read. A memory checker would report such a read."""
    text = ("a:" + "b" * length)[:length]
    array = buffers(1, struct.pack("<2i", 0, length), text.encode())
    assert columns.matches(URI, array).to_pylist() == [length >= 2]
    values = columns.components("URI", array).to_pylist()
    assert values == [columns.components("URI", pa.array([text, "x:"])).to_pylist()[0]]


def test_a_table_of_one_column_is_that_column() -> None:
    table, expected = pa.table({"url": TEXTS}), wanted_matches(TEXTS)
    assert columns.matches(URI, table).to_pylist() == expected
    verdict = columns.matches(URI, table.to_batches()[0])
    assert isinstance(verdict, pa.BooleanArray)
    assert verdict.to_pylist() == expected
    with raises(TypeError, "arrow-column", columns=("a", "b")):
        columns.matches(URI, pa.table({"a": ["x"], "b": ["y"]}))
    with raises(TypeError, "arrow-type", type="struct<a: string>"):
        columns.matches(URI, pa.array([{"a": "x"}]))


class Handed:
    """An array from another library, which has only the Arrow PyCapsule interface."""

    def __init__(self, array: Any) -> None:
        self.array = array

    def __arrow_c_array__(self, requested_schema: object = None) -> Any:
        return self.array.__arrow_c_array__(requested_schema)


@pytest.mark.parametrize("kind", TYPES)
def test_other_libraries_arrays(kind: str) -> None:
    verdict = columns.matches(URI, Handed(pa.array(TEXTS).cast(TYPES[kind])))
    assert isinstance(verdict, pa.BooleanArray)
    assert verdict.to_pylist() == wanted_matches(TEXTS)


def test_duckdb() -> None:
    duckdb = pytest.importorskip("duckdb")
    connection = duckdb.connect()
    connection.register("t", pa.table({"url": TEXTS, "n": range(len(TEXTS))}))
    verdict = columns.matches(URI, connection.sql("select url from t order by n"))
    assert verdict.to_pylist() == wanted_matches(TEXTS)
    accepted, rejects = columns.split(URI, connection.sql("select * from t"), "url")
    assert len(accepted) + len(rejects) == len(TEXTS)


def test_nanoarrow() -> None:
    nanoarrow = pytest.importorskip("nanoarrow")
    value = nanoarrow.Array(TEXTS, nanoarrow.string())
    assert columns.matches(URI, value).to_pylist() == wanted_matches(TEXTS)
    value = nanoarrow.c_array(TEXTS, nanoarrow.large_string())
    assert columns.matches(URI, value).to_pylist() == wanted_matches(TEXTS)


def test_numpy() -> None:
    numpy = pytest.importorskip("numpy")
    expected = wanted_matches(TEXTS)
    assert columns.matches(URI, numpy.array(TEXTS, object)).to_pylist() == expected
    there = [text for text in TEXTS if text is not None]
    assert columns.matches(URI, numpy.array(there)).to_pylist() == wanted_matches(there)
    octets = numpy.array([text.encode() for text in there], object)
    assert columns.matches(URI, octets).to_pylist() == wanted_matches(there)
    missing = numpy.array(["a:b", float("nan"), None, "a b"], object)
    assert columns.matches(URI, missing).to_pylist() == [True, None, None, False]
    if hasattr(numpy.dtypes, "StringDType"):
        kind = numpy.dtypes.StringDType(na_object=None)
        assert columns.matches(URI, numpy.array(TEXTS, kind)).to_pylist() == expected
    with pytest.raises(ValueError, match="surrogates not allowed"):
        columns.matches(URI, numpy.array(["a:\ud800"], object))


@pytest.mark.parametrize(
    ("array", "code"),
    [
        (["a:b"], "argument-type"),
        ("a:b", "argument-type"),
        (None, "argument-type"),
        (7, "argument-type"),
        (pa.scalar("a:b"), "argument-type"),
        (pa.array([1, 2]), "arrow-type"),
        (pa.array([["a:b"]]), "arrow-type"),
        (pa.chunked_array([], pa.float64()), "arrow-type"),
    ],
)
def test_invalid_columns(array: object, code: str) -> None:
    for ask in (
        lambda: columns.matches(URI, array),
        lambda: columns.offsets(URI, array),
        lambda: columns.rejections(URI, array),
        lambda: columns.components("URI-reference", array),
    ):
        with raises(TypeError, code):
            ask()


def test_fixed_size() -> None:
    texts = [b"a:b", None, b"a b", b"x:y"]
    fixed, plain_octets = pa.array(texts, pa.binary(3)).slice(1), pa.array(texts[1:])
    for ask in (columns.matches, columns.offsets, columns.rejections):
        assert ask(URI, fixed) == ask(URI, plain_octets)
    assert columns.components("URI-reference", fixed) == columns.components("URI-reference", plain_octets)
    assert columns.matches(URI, pa.chunked_array([], pa.binary(3))).type == pa.bool_()


def test_missing_pyarrow_is_named() -> None:
    script = """
import sys
sys.modules["pyarrow"] = None
try:
    import abnforge.columns
except ModuleNotFoundError as error:
    print(error.code, error.name)
"""
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert run.stdout.split() == ["arrow-missing", "pyarrow"], run.stderr


@pytest.mark.usefixtures("implementation")
@pytest.mark.parametrize(
    "array",
    [
        pa.array([None, None]).dictionary_encode(),
        pa.array([None, None], pa.float64()),
        pa.array([None, None], pa.dictionary(pa.int32(), pa.float64())),
        pa.chunked_array([], pa.run_end_encoded(pa.int32(), pa.string())),
        pa.chunked_array([], pa.dictionary(pa.int8(), pa.null())),
        pa.chunked_array([], pa.json_()),
    ],
    ids=lambda array: f"{len(array)} of {array.type}",
)
def test_columns_without_a_string_are_columns(array: Any) -> None:
    """Libraries create such columns for partitions that are empty or contain only missing values."""
    assert columns.matches(URI, array).to_pylist() == [None] * len(array)
    assert columns.offsets(URI, array).to_pylist() == [None] * len(array)
    assert columns.components(URI, array).to_pylist() == [None] * len(array)
    assert len(columns.rejections(URI, array)) == 0
    assert columns.reasons(URI, array).to_pylist() == [None] * len(array)
    accepted, rejects = columns.split(URI, pa.table({"text": array}), "text")
    assert (len(accepted), len(rejects)) == (len(array), 0)


@pytest.mark.usefixtures("implementation")
def test_views_that_lead_outside_are_rejected() -> None:
    """Rules without a table in the C extension and the Python implementation also reject such views."""
    views = struct.pack("<8i", 50, 0, 7, 0, 0, 0, 0, 0)
    bad = pa.Array.from_buffers(pa.string_view(), 2, [None, pa.py_buffer(views), pa.py_buffer(b"a:b")])
    recursive = abnforge.loads('r = "(" [ r ] ")" / 1*DIGIT\n')["r"]
    for rule in (URI, recursive):
        with pytest.raises(ValueError):  # noqa: PT011 (the kernel's own, or with a code)
            columns.matches(rule, bad)


VIEWS = pa.array(["x", None, "y" * 30, "z" * 13, "q"]).cast(pa.string_view())
NESTED = pa.struct([("a", pa.list_(pa.struct([("b", pa.string_view())])))])
RUNS = pa.RunEndEncodedArray.from_arrays(pa.array([2, 3, 5], pa.int16()), VIEWS.slice(0, 3))
MISSING = pa.array([False, True, False, False, False])
ARRAYS = {
    "no views": pa.array(["x", None, "y", "z", "q"]),
    "numbers": pa.array([1, None, 2, 3, 4]),
    "views": VIEWS,
    "views of octets": VIEWS.cast(pa.binary_view()),
    "struct": pa.StructArray.from_arrays([VIEWS, pa.array(range(5))], ["a", "b"], mask=MISSING),
    "list": pa.ListArray.from_arrays(pa.array([0, 1, 3, 3, 4, 5], pa.int32()), VIEWS),
    "dictionary": pa.DictionaryArray.from_arrays(pa.array([0, 2, None, 3, 1]), VIEWS),
    "nested": pa.array([{"a": [{"b": "x" * 20}]}, None, {"a": []}, {"a": None}, {"a": [None]}], NESTED),
    "runs": pc.run_end_encode(pa.array(["x", "x", None, None, "y"])),
    "runs of views": RUNS,
    "runs in a struct": pa.StructArray.from_arrays([RUNS], ["a"], mask=MISSING),
    "runs in lists": pa.ListArray.from_arrays(pa.array([0, 1, 3, 3, 4, 5], pa.int32()), RUNS),
    "extension": pa.ExtensionArray.from_storage(Tagged(pa.string_view()), VIEWS),
}


@pytest.mark.parametrize("name", ARRAYS)
@pytest.mark.parametrize("start", [0, 1])
def test_rows_by_number(name: str, start: int) -> None:
    array = ARRAYS[name].slice(start)
    rows = array.to_pylist()
    for numbers in ([2, 0, 1, 2], [3, None, 0, None], [], [0]):
        result = take(array, pa.array(numbers, pa.int64()))
        result.validate(full=True)
        assert result.type == array.type
        assert result.to_pylist() == [None if number is None else rows[number] for number in numbers]


@pytest.mark.parametrize("name", ARRAYS)
@pytest.mark.parametrize("start", [0, 1])
def test_rows_by_mask(name: str, start: int) -> None:
    array = ARRAYS[name].slice(start)
    for pattern in ([True, False, False, True, True], [False] * 5, [True] * 5):
        mask = pattern[start:]
        result = filter_array(array, pa.array(mask))
        result.validate(full=True)
        assert result.to_pylist() == [
            row for row, there in zip(array.to_pylist(), mask, strict=True) if there
        ]


@pytest.mark.parametrize("as_table", [False, True])
def test_rows_of_tables(as_table: bool) -> None:
    batch: Any = pa.record_batch(list(ARRAYS.values()), names=list(ARRAYS))
    batch = batch.replace_schema_metadata({"made": "here"})
    table = pa.Table.from_batches([batch.slice(0, 2), batch.slice(2)]) if as_table else batch
    mask = pa.array([True, False, True, True, False])
    result = filter_table(table, mask)
    result.validate(full=True)
    assert isinstance(result, type(table))
    assert result.schema.equals(table.schema, check_metadata=True)
    rows = table.to_pylist()
    assert result.to_pylist() == [rows[0], rows[2], rows[3]]
