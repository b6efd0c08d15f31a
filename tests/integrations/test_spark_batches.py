"""Batches as Spark passes them to workers, tested without Spark."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

pa = pytest.importorskip("pyarrow")

import abnforge  # noqa: E402
from abnforge import columns  # noqa: E402
from abnforge.integrations.spark_batches import (  # noqa: E402
    marked_rows,
    received,
    rejected_rows,
    shipped,
    valid_rows,
)

URLS = ["a:b", "a b", None, "", "urn:x", "http://[::1", "é:", "x:y"]
TIMES = ["2026-11-22T16:00:00Z", None, "soon", "2026-11-22", None, "2026-11-22T16:00:00Z", "", None]
RULES = {"url": abnforge.rule("rfc3986:URI"), "seen": abnforge.rule("rfc3339:date-time")}
VALID, REJECTED = [0, 4, 7], [1, 2, 3, 5, 6]


def batches(text: Any, each: int = 3) -> list[Any]:
    """Return batches of rows with an id, a column without a rule, and two with rules. The last is empty."""
    size = len(URLS)
    rows = pa.table(
        {
            "id": pa.array(range(size), pa.int32()),
            "url": pa.array(URLS, text),
            "seen": pa.array(TIMES, text),
            "more": [{"a": [n]} for n in range(size)],
        }
    )
    return [*rows.to_batches(each), rows.to_batches()[0].slice(0, 0)]


def of(answer: Any) -> list[dict[str, Any]]:
    return [row for batch in answer for row in batch.to_pylist()]


@pytest.fixture(params=[pa.string(), pa.large_string()], ids=str)
def text(request: pytest.FixtureRequest) -> Any:
    return request.param


def test_every_row_goes_one_way(text: Any) -> None:
    octets = shipped(RULES, False)
    value = batches(text)
    valid = list(valid_rows(octets, value))
    rejected = list(rejected_rows(octets, value))
    assert [len(batch) for batch in (*valid, *rejected)] == [1, 1, 1, 0, 2, 2, 1, 0]
    assert [row["id"] for row in of(valid)] == VALID
    assert [row["id"] for row in of(rejected)] == REJECTED
    assert all(batch.schema == value[0].schema for batch in valid)
    assert [batch.schema.names[-2:] for batch in rejected] == [["_errors", "_source"]] * len(value)
    rows = of(value)
    without = [
        {name: row[name] for name in row if name not in ("_errors", "_source")} for row in of(rejected)
    ]
    assert sorted([*of(valid), *without], key=lambda row: row["id"]) == rows


def test_reasons_are_those_of_columns(text: Any) -> None:
    value = batches(text)
    _, expected = columns.split(RULES, pa.Table.from_batches(value))
    reasons = expected["_errors"].to_pylist()
    octets = shipped(RULES, False)
    assert [row["_errors"] for row in of(rejected_rows(octets, value))] == reasons
    for rows in (rejected_rows, marked_rows):
        assert {each.schema.field("_errors").type for each in rows(octets, value)} == {
            expected["_errors"].type
        }
    assert [
        (row["_errors"][0]["column"], row["_errors"][0]["code"]) for row in of(rejected_rows(octets, value))
    ][:2] == [("url", "scheme-missing"), ("seen", "no-date-time")]


def test_marked_rows_stay_where_they_are(text: Any) -> None:
    value = batches(text)
    octets = shipped(RULES, True)
    marked = list(marked_rows(octets, value))
    assert [len(batch) for batch in marked] == [len(batch) for batch in value]
    assert [row["id"] for row in of(marked) if row["_errors"] is None] == VALID
    rejects = of(rejected_rows(octets, value))
    assert [row | {"_source": None} for row in of(marked) if row["_errors"] is not None] == rejects
    assert any(each["suggestion"] for row in of(marked) for each in row["_errors"] or [])


def test_octets_that_are_no_text() -> None:
    rows = pa.record_batch({"url": pa.array([b"a:b", b"\xff", None], pa.binary())})
    [rejected] = rejected_rows(shipped({"url": RULES["url"]}, False), [rows])
    assert [each["code"] for row in rejected.to_pylist() for each in row["_errors"]] == ["not-utf-8"]


def test_rules_travel_as_what_they_are_made_from() -> None:
    """Compiled rules are not pickled, since every task would include them."""
    own = abnforge.loads("pair = 1*ALPHA %x3D 1*DIGIT\n", mistakes="; none\n")["pair"]
    octets = shipped({"pair": own}, False)
    assert b"1*ALPHA" in octets
    assert len(octets) < 500
    rules, _ = pickle.loads(octets)
    assert rules["pair"] == own


def test_rules_are_made_once_in_a_process() -> None:
    own = abnforge.loads("once = 1*ALPHA %x3B\n")["once"]
    octets = shipped({"url": own}, False)
    before = received.cache_info().misses
    for _ in range(3):
        assert of(valid_rows(bytes(bytearray(octets)), batches(pa.string())))
    assert received.cache_info().misses == before + 1
