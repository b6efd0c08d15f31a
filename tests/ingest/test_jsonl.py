"""Strings in JSON Lines: parsing lines together gives the same result as parsing them one by one."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abnforge.ingest import Column
from abnforge.ingest.sources import jsonl as json_reading
from abnforge.ingest.sources.jsonl import Reading, read
from abnforge.ingest.sources.records import lines, without_line_ends
from tests.ingest.jobs import URI

LINES = [
    '{"url":"a:b"}',
    '{"url":null,"x":1.10}',
    '{"x":[1,{"y":2}]}',
    '{"url":"\\u00e9\\/\\"","x":12345678901234567890}',
    '{"url":1}',
    '{"url":["a"]}',
    '{"url":{"a":"b"}}',
    '{"url":true}',
    '{"url":"a","url":"b"}',
    '{"x":1,"x":2,"url":"c"}',
    '{"url":"a"} {"url":"b"}',
    '{"url":"a"',
    '"url"}',
    "[1]",
    "",
    " ",
    '{"url":"a","x":NaN}',
    '{"url":"\\ud800"}',
    '{"url":"a\tb"}',
    '{"url":"a",}',
    '{"x":1e999,"url":"d"}',
    '{"x":01}',
    ' {"url":"e"} ',
    '{"u\\u0072l":"f"}',
    "{}",
    '{"a":{"b":"n"},"urls":["p","q",null],"deep":[{"u":["r"]},{"u":[]},{"u":["s","t"]}]}',
    '{"a":{"b":2},"urls":[1],"deep":[{"u":"r"}]}',
    '{"a":"b","urls":"c","deep":null}',
    '{"a":null,"urls":[],"deep":[null]}',
]
COLUMNS = [Column(name, URI) for name in ("url", "a.b", "urls[]", "deep[].u[]")]


def reading(text: str, columns: list[Column] = COLUMNS) -> Reading:
    block = text.encode()
    cut = lines(block, True)
    return read(block, cut.begins, without_line_ends(cut), np.ones(len(cut), np.bool_), columns)


def plain(found: Reading, size: int) -> list[object]:
    """Return the values of each row."""
    results: list[dict[str, list[object]]] = [{column.name: [] for column in COLUMNS} for _ in range(size)]
    for name, texts in found.texts.items():
        values = texts.values.to_pylist()
        rows = range(size) if texts.rows is None else texts.rows.to_pylist()
        places = [[]] * len(values) if texts.indexes is None else texts.indexes.to_pylist()
        for row, place, value in zip(rows, places, values, strict=True):
            results[row][name].append((place, value))
    wrong = {name: each for name, each in found.wrong.items() if each}
    return [results, wrong, found.broken]


@settings(max_examples=30)
@given(st.lists(st.sampled_from(LINES), min_size=1, max_size=200))
def test_many_at_once_are_each_by_itself(rows: list[str]) -> None:
    together = plain(reading("\n".join(rows) + "\n"), len(rows))
    results, wrong, broken = [], {}, {}
    for number, row in enumerate(rows):
        [[each], its, result] = plain(reading(row + "\n"), 1)  # type: ignore[misc, has-type]
        results.append(each)
        for name, kinds in its.items():
            wrong.setdefault(name, {})[number] = kinds[0]
        if result:
            broken[number] = result[0]
    assert together[0] == results
    assert together[1] == wrong
    assert together[2] == broken


def test_most_lines_are_read_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    alone: list[int] = []
    decode_dictionary = json_reading._Reader._one_by_one
    monkeypatch.setattr(
        json_reading._Reader,
        "_one_by_one",
        lambda self, rows: alone.append(len(rows)) or decode_dictionary(self, rows),
    )
    rows = ['{"url":"a:b"}'] * 5_000
    rows[777] = "{"
    result = reading("\n".join(rows))
    [(row, problem)] = result.broken.items()
    assert (row, problem.code, problem.data["offset"]) == (777, "row-not-json", 1)
    assert sum(alone) <= json_reading.FEW


@pytest.mark.parametrize(
    ("row", "code", "data"),
    [
        ("[1]", "row-not-object", {"kind": "a list"}),
        ("3", "row-not-object", {"kind": "a number"}),
        ("null", "row-not-object", {"kind": "null"}),
        ('"a"', "row-not-object", {"kind": "a string"}),
        ("false", "row-not-object", {"kind": "false"}),
        ('{"x":NaN}', "row-not-number", {"text": "NaN"}),
        ('{"url":"a","url":"b"}', "row-key-repeated", {"key": "url"}),
        ('{"url":"\\ud800"}', "row-surrogate", {}),
        ("[" * 100_000, "row-too-deep", {}),
        ('{"a":1}x', "row-not-json", {"problem": "Extra data", "offset": 7}),
    ],
)
def test_invalid_rows(row: str, code: str, data: dict[str, object]) -> None:
    [(number, problem)] = reading(row + "\n", COLUMNS[:1]).broken.items()
    assert (number, problem.code, problem.data) == (0, code, data)


def test_a_row_of_many_keys_next_to_one_that_is_broken() -> None:
    many = ",".join(f'"k{number}":0' for number in range(2_000))
    result = reading(f'{{"url":"a",{many}}}\n{{\n{{"url":"a",{many},"url":"b"}}\n').broken
    assert result.keys() == {1, 2}
    assert (result[2].code, result[2].data) == ("row-key-repeated", {"key": "url"})


def test_two_lines_that_are_two_objects_in_another_way() -> None:
    text = '{"url":"a"} {"url":\n"b"}\n'
    assert sorted(reading(text).broken) == [0, 1]


def test_strings_of_the_law_are_strings() -> None:
    assert sum(1 for line in LINES if _is_object(line)) > 10


def _is_object(line: str) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except ValueError:
        return False
