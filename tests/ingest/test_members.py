"""Places in objects of JSON: what is cut out or changed is read as such, and all else stays."""

from __future__ import annotations

import json
from typing import Any

import pytest

pytest.importorskip("numpy")
from hypothesis import strategies as st

from abnforge.ingest.sources.rejects import members, without
from tests.law import law

KEYS = st.sampled_from(["a", "b", "_x", "é", 'q"', ""])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 10**20) | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=6,
)
OBJECTS = st.dictionaries(KEYS, VALUES, max_size=5)
STYLES = st.sampled_from([(",", ":"), (", ", ": "), (" ,\t", "\r:\n ")])


def written(value: Any, style: tuple[str, str]) -> str:
    return json.dumps(value, separators=style, ensure_ascii=False)


@law(OBJECTS, STYLES, few=25, many=1_500)
def test_members_are_what_json_reads(value: dict[str, Any], style: tuple[str, str]) -> None:
    text = written(value, style)
    found = members(text)
    assert [key for key, _, _, _ in found] == list(value)
    assert json.loads(f"{{{','.join(text[begin:end] for _, _, begin, end in found)}}}") == value


@law(OBJECTS, STYLES, st.sets(KEYS), few=25, many=1_500)
def test_without_some(value: dict[str, Any], style: tuple[str, str], names: set[str]) -> None:
    text = written(value, style)
    left = without(text, members(text), list(names))
    assert json.loads(left) == {key: each for key, each in value.items() if key not in names}
    assert without(text, members(text), ()) == text


@law(OBJECTS, STYLES, VALUES, few=25, many=1_500)
def test_what_is_added_behind_goes_without_a_trace(
    value: dict[str, Any], style: tuple[str, str], more: Any
) -> None:
    """As rejects are written: behind the row's own keys, and before its last brace."""
    begun = written(value, style)[:-1]
    comma = "" if begun == "{" else ","
    text = f'{begun}{comma}"_errors":{json.dumps(more)},"_source":{{}}}}'
    assert without(text, members(text), ["_errors", "_source"]) == begun + "}"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "1",
        "[]",
        "{",
        '{"a"',
        '{"a":',
        '{"a":1',
        '{"a":1,}',
        '{"a":1}}',
        "{a:1}",
        '{"a":1,"b"}',
        "{" * 9_999,
        '{"a":' + "[" * 99_999,
    ],
)
def test_no_object(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        members(text)
