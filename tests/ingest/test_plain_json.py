"""Values of every type, in any nesting, are written as docs/ingest.md says, and can be read back."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

pytest.importorskip("numpy")
import pyarrow as pa
import pyarrow.compute as pc
from hypothesis import given
from hypothesis import strategies as st

from abnforge.columns.arrays import kept, taken
from abnforge.ingest import jsonable as plain_json
from abnforge.ingest.nested import with_leaves
from abnforge.ingest.sinks.rejects import hidden_in_column
from tests.ingest.arrow_types import LEAVES, NESTINGS, all_types, build, nests, read, same

TYPES = all_types()
DAY = 86_400


def assert_can_be_read_back(kind: Any, raws: list[Any]) -> None:
    array = build(kind, raws)
    for start in (0, 1):
        some, old = array.slice(start), raws[start:]
        found = plain_json.values(some)
        assert same([read(value, kind, raw) for value, raw in zip(found, old, strict=True)], old)
        told = plain_json.texts(some)
        assert [json.loads(text) for text in told] == found
        size = len(old)
        assert plain_json.texts(taken(some, pa.array(range(size)[::-1], pa.int64()))) == told[::-1]
        assert (
            plain_json.texts(kept(some, pa.array([at % 2 == 0 for at in range(size)], pa.bool_())))
            == told[::2]
        )


def test_every_type_can_be_read_back() -> None:
    assert len(TYPES) > 700
    for name, kind, raws in TYPES:
        try:
            assert_can_be_read_back(kind, raws)
        except Exception as error:
            raise AssertionError(name) from error


@st.composite
def nested(draw: st.DrawFn) -> tuple[Any, list[Any]]:
    kind, raws = draw(st.sampled_from(LEAVES))
    raws = draw(st.lists(st.sampled_from(raws), min_size=1, max_size=4))
    for name, wrap, values in draw(st.lists(st.sampled_from(NESTINGS), max_size=4)):
        if nests(name, kind):
            kind, raws = wrap(kind), values(raws)[:6]
    return kind, raws


@given(nested())
def test_types_within_types_can_be_read_back(made: tuple[Any, list[Any]]) -> None:
    assert_can_be_read_back(*made)
    array = build(*made)
    assert with_leaves(array, lambda texts: texts) is array
    changed = with_leaves(array, lambda texts: pc.take(texts, pa.array(range(len(texts)), pa.int64())))
    assert changed.type == array.type
    assert plain_json.texts(changed) == plain_json.texts(array)


@pytest.mark.parametrize(
    ("kind", "number", "text"),
    [
        (pa.date32(), -719_162, "0001-01-01"),
        (pa.date32(), -719_164, "0000-12-30"),
        (pa.date32(), -719_529, "-0001-12-31"),
        (pa.date32(), 2_932_897, "+10000-01-01"),
        (pa.date32(), 2**31 - 1, "+5881580-07-11"),
        (pa.date64(), DAY * 1000, "1970-01-02"),
        (pa.date64(), 1, "1970-01-01 00:00:00.001"),
        (pa.time32("s"), DAY - 1, "23:59:59"),
        (pa.time32("s"), DAY, "24:00:00"),
        (pa.time64("ns"), 1, "00:00:00.000000001"),
        (pa.time64("us"), -1, "-00:00:00.000001"),
        (pa.timestamp("s"), 0, "1970-01-01 00:00:00"),
        (pa.timestamp("us", "UTC"), 2**62, "+148108-07-06 14:00:27.387904Z"),
        (pa.timestamp("ns", "Europe/Berlin"), 1, "1970-01-01 00:00:00.000000001Z"),
        (pa.timestamp("s", "no such zone"), -(2**63), "-292277022657-01-27 08:29:52Z"),
        (pa.duration("ms"), -1_500, "-PT1.500S"),
        (pa.duration("s"), 2**63 - 1, "PT9223372036854775807S"),
    ],
    ids=str,
)
def test_moments(kind: Any, number: int, text: str) -> None:
    assert plain_json.values(build(kind, [number])) == [text]


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
@given(numbers=st.lists(st.integers(-(2**55), 2**55), min_size=1))
def test_timestamps_are_written_as_arrow_does(unit: str, numbers: list[int]) -> None:
    """In the years that Arrow's own conversion knows."""
    array = build(pa.timestamp(unit), numbers)
    wanted = array.cast(pa.string()).to_pylist()
    ours = plain_json.values(array)
    for text, other in zip(ours, wanted, strict=True):
        if text[0] not in "+-":
            assert text == other


def test_what_is_written_how() -> None:
    month = pa.array([(1, -2, -3)], pa.month_day_nano_interval())
    assert plain_json.values(month) == ["P1M-2DT-0.000000003S"]
    assert plain_json.values(pa.array([float("nan"), float("-inf"), 0.1])) == ["nan", "-inf", 0.1]
    assert plain_json.values(build(pa.uuid(), [bytes(16)])) == ["00000000-0000-0000-0000-000000000000"]
    assert plain_json.values(build(pa.map_(pa.int8(), pa.bool_()), [[(1, True), (1, None)]])) == [
        [[1, True], [1, None]]
    ]
    assert plain_json.values(build(pa.string(), [b"\xff"])) == [{"base64": "/w=="}]


@pytest.mark.parametrize("name", ["", *(each for each, _, _ in NESTINGS if each != "no elements")])
def test_texts_are_hidden_in_every_nesting(name: str) -> None:
    """And what has nothing to hide stays the same array."""
    for leaf, kind, raws in TYPES:
        if (leaf.partition(" of ")[0] if " of " in leaf else "") != name:
            continue
        array = build(kind, raws)
        assert hidden_in_column(array, lambda text: text) is array
        hidden = hidden_in_column(array, lambda text: text.replace("b", "*"))
        assert hidden.type == kind
        old, new = (plain_json.texts(each) for each in (array, hidden))
        if not leaf.endswith(("arrow.uuid>", "arrow.json>")):
            data = [base64.b64encode(each).decode() for each in (b"ab", b"a*")]
            assert new == [text.replace("b c", "* c").replace('"ab"', '"a*"').replace(*data) for text in old]
