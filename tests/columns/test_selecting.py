"""Rows of arrays in which views of texts lie, or runs, at any depth: as Arrow itself would take them."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from abnforge.columns.arrays import kept, kept_rows, taken
from tests.columns.answers import Tagged

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
        told = taken(array, pa.array(numbers, pa.int64()))
        told.validate(full=True)
        assert told.type == array.type
        assert told.to_pylist() == [None if number is None else rows[number] for number in numbers]


@pytest.mark.parametrize("name", ARRAYS)
@pytest.mark.parametrize("start", [0, 1])
def test_rows_by_mask(name: str, start: int) -> None:
    array = ARRAYS[name].slice(start)
    for pattern in ([True, False, False, True, True], [False] * 5, [True] * 5):
        mask = pattern[start:]
        told = kept(array, pa.array(mask))
        told.validate(full=True)
        assert told.to_pylist() == [row for row, there in zip(array.to_pylist(), mask, strict=True) if there]


@pytest.mark.parametrize("as_table", [False, True])
def test_rows_of_tables(as_table: bool) -> None:
    batch: Any = pa.record_batch(list(ARRAYS.values()), names=list(ARRAYS))
    batch = batch.replace_schema_metadata({"made": "here"})
    table = pa.Table.from_batches([batch.slice(0, 2), batch.slice(2)]) if as_table else batch
    mask = pa.array([True, False, True, True, False])
    told = kept_rows(table, mask)
    told.validate(full=True)
    assert isinstance(told, type(table))
    assert told.schema.equals(table.schema, check_metadata=True)
    rows = table.to_pylist()
    assert told.to_pylist() == [rows[0], rows[2], rows[3]]
