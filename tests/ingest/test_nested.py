"""Strings within nested columns can be found, and replaced in the same places."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("numpy")
import pyarrow as pa

import abnforge
from abnforge.columns.arrays import texts_of
from abnforge.ingest import Column, JobError
from abnforge.ingest.nested import as_texts, as_words, steps_in, texts_at, with_leaves
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
    (pa.binary(2), [b"ab", None, b"cd"], "x"),
    (pa.map_(pa.string(), pa.string()), [[("k", "a"), ("l", None)], None, [], [("m", "b")]], "x[].value"),
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
def test_strings_are_found_and_changed_at_the_same_places(
    kind: Any, values: list[Any], name: str, offset: int
) -> None:
    array = pa.array(values, kind).slice(offset)
    steps = steps_in(pa.schema([("x", kind)]), Column(name, ANY))
    changed = with_leaves(array, lambda leaf: as_texts(list(map(_marked, texts_of(leaf))), leaf.type))
    assert changed.type.equals(kind, check_metadata=True)
    changed.validate(full=True)
    before, after = (texts_at(pa.table({"x": each}), steps).values.to_pylist() for each in (array, changed))
    assert any(before)
    assert after == list(map(_marked, before))


def _marked(value: Any) -> Any:
    """Return a string with another last character, of the same size."""
    return value if value is None else value[:-1] + (b"!" if isinstance(value, bytes) else "!")


@pytest.mark.parametrize("offset", [0, 1, 3])
def test_entries_of_maps(offset: int) -> None:
    maps = [[("a", "1"), ("b", "2")], None, [], [("c", None), ("d", "3")]]
    table = pa.table({"x": pa.array(maps, pa.map_(pa.string(), pa.string()))}).slice(offset)
    entries = [(row, *entry) for row, each in enumerate(maps[offset:]) for entry in each or ()]
    for place, name in (1, "x[].key"), (2, "x[].value"):
        texts = texts_at(table, steps_in(table.schema, Column(name, ANY)))
        assert texts.values.to_pylist() == [entry[place] for entry in entries]
        assert texts.rows.to_pylist() == [entry[0] for entry in entries]
        assert texts.indexes.to_pylist() == [[at] for each in maps[offset:] for at in range(len(each or ()))]
    with raises(JobError, "path-is-map", path="x"):
        steps_in(table.schema, Column("x", ANY))


@pytest.mark.parametrize("offset", [0, 1, 2])
def test_elements_of_nested_lists(offset: int) -> None:
    """Each string has its index in all lists."""
    lists = [[["a"], None, [], ["b", "c"]], None, [], [["d"]], [None, [None, "e"]]]
    kind = pa.list_(pa.struct([("k", pa.list_(pa.string()))]))
    rows = [None if each is None else [{"k": inner} for inner in each] for each in lists]
    table = pa.table({"x": pa.array(rows, kind)}).slice(offset)
    texts = texts_at(table, steps_in(table.schema, Column("x[].k[]", ANY)))
    assert list(
        zip(texts.rows.to_pylist(), texts.indexes.to_pylist(), texts.values.to_pylist(), strict=True)
    ) == [
        (row, [outer, at], text)
        for row, each in enumerate(lists[offset:])
        for outer, inner in enumerate(each or ())
        for at, text in enumerate(inner or ())
    ]


def test_a_dictionary_that_is_full() -> None:
    words = pa.DictionaryArray.from_arrays(pa.array([0, 1], pa.int8()), pa.array(["a", "b"]))
    more = pa.array([f"w{at}" for at in range(129)])
    with raises(JobError, "dictionary-full"):
        as_words(more, words.type)
