"""Texts within columns: what is found at a place is what is put in another's stead there."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("numpy")
import pyarrow as pa

import abnforge
from abnforge.ingest import Column, JobError, plain_json
from abnforge.ingest.nested import steps_in, texts_at, with_texts
from tests.raising import raises

ANY = abnforge.loads("any = *%x0-7F")["any"]
TEXTS = ["a", None, "b", "a", "c"]
LISTS = [["a", None], None, [], ["b", "a"], ["c", "d"]]
PAIRS = [each if each else None for each in LISTS]

KINDS = [
    *[(kind, TEXTS, "x") for kind in (pa.string(), pa.large_string(), pa.string_view())],
    *[(kind, TEXTS, "x") for kind in (pa.binary(), pa.large_binary(), pa.binary_view())],
    (pa.dictionary(pa.int8(), pa.string()), TEXTS, "x"),
    (pa.run_end_encoded(pa.int32(), pa.string()), TEXTS, "x"),
    (pa.list_(pa.string()), LISTS, "x[]"),
    (pa.large_list(pa.field("e", pa.binary())), LISTS, "x[]"),
    (pa.list_(pa.string(), 2), PAIRS, "x[]"),
    (
        pa.struct([("n", pa.timestamp("ns")), ("t", pa.string())]),
        [{"n": 1, "t": "a"}, None, {"n": 2}] * 2,
        "x.t",
    ),
    (
        pa.list_(pa.struct([pa.field("t", pa.list_(pa.string()), metadata={"k": "v"}), ("n", pa.int8())])),
        [None, [{"t": ["a", "b"], "n": 1}, None], [{"t": None, "n": 2}, {"t": ["c"]}], []],
        "x[].t[]",
    ),
]


@pytest.mark.parametrize(("kind", "values", "name"), KINDS, ids=lambda each: str(each)[:40])
@pytest.mark.parametrize("offset", [0, 1])
def test_other_texts(kind: Any, values: list[Any], name: str, offset: int) -> None:
    array = pa.array(values, kind).slice(offset)
    table = pa.table({"x": array})
    steps = steps_in(table.schema, Column(name, ANY))
    found = texts_at(table, steps).values
    size = len(found)
    places = [at for at in range(0, size, 2) if found[at].is_valid]
    assert places
    made = with_texts(array, steps[1:], {at: f"new {at}" for at in places})
    assert made.type.equals(kind, check_metadata=True)
    made.validate(full=True)
    now = texts_at(pa.table({"x": made}), steps).values
    before, after = found.to_pylist(), now.to_pylist()
    octets = any(isinstance(each, bytes) for each in before)
    wanted = {at: f"new {at}".encode() if octets else f"new {at}" for at in places}
    assert after == [wanted.get(at, each) for at, each in enumerate(before)]
    back = with_texts(made, steps[1:], {at: _text(before[at]) for at in places})
    assert plain_json.values(back) == plain_json.values(array)  # to_pylist needs pandas for nanoseconds


def _text(value: str | bytes) -> str:
    return value.decode() if isinstance(value, bytes) else value


def test_a_dictionary_that_is_full() -> None:
    words = [f"w{at}" for at in range(128)]
    array = pa.array([*words, "w0"], pa.dictionary(pa.int8(), pa.string()))
    with raises(JobError, "dictionary-full"):
        with_texts(array, (), {128: "new"})
