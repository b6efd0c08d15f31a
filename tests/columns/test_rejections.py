"""``columns.rejections`` returns the rejections of ``rule.explain``, for every layout and rule."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pyarrow as pa
import pytest

import abnforge
from abnforge import Rejection, columns, uri
from abnforge.columns.rejections import explain_restricted
from tests.columns.expected import TEXTS, TYPES, URI, broken, layouts, octets_in, rejection
from tests.law import one_in

rejections = import_module("abnforge.columns.rejections")  # the package has a function of the same name
pytestmark = pytest.mark.usefixtures("implementation")


def told_of(row: int, found: Rejection) -> dict[str, Any]:
    start, end = found.span
    results = {
        name: getattr(found, name)
        for name in ("code", "family", "component", "rule", "offset", "found", "section", "message")
    }
    suggestion = found.suggestion and found.suggestion.text
    return {**results, "row": row, "start": start, "end": end, "suggestion": suggestion}


@pytest.mark.parametrize("layout", layouts([]))
def test_rejections(layout: str) -> None:
    array = layouts(TEXTS)[layout]
    octets = octets_in(array.type)
    results = [text if text is None else rejection(text.encode() if octets else text) for text in TEXTS]
    for start in (0, 9):
        result = columns.rejections(URI, array.slice(start))
        result.validate(full=True)
        assert result.type == rejections.REJECTION
        rejected = [(row, each) for row, each in enumerate(results[start:]) if each is not None]
        assert result.to_pylist() == [told_of(row, each) for row, each in rejected]


def test_rows_count_over_all_chunks() -> None:
    array = pa.chunked_array([["a:b", "x y"], [], [None, "x y", "z"]])
    assert columns.rejections(URI, array).field("row").to_pylist() == [1, 3, 4]


def test_suggestions() -> None:
    array = pa.array(["http://example.com/a b", "a:b"])
    (result,) = columns.rejections(URI, array, suggest=True).to_pylist()
    suggestion = URI.explain("http://example.com/a b").suggestion  # type: ignore[union-attr]
    assert suggestion is not None
    assert result["suggestion"] == suggestion.text
    assert columns.rejections(URI, array).field("suggestion").to_pylist() == [None]


@pytest.mark.parametrize("kind", TYPES)
def test_bytes_that_are_not_utf_8(kind: str) -> None:
    """Invalid bytes are reported. In a column of strings, offsets count the characters before the byte."""
    array = broken(TYPES[kind])
    result = columns.rejections(URI, array)
    result.validate(full=True)
    rows = result.to_pylist()
    assert [row["row"] for row in rows] == [0, 1, 2, 3, 4]
    assert {row["code"] for row in rows[:2]} == {"not-utf-8"}
    assert [row["found"] for row in rows[:2]] == ["\\xFF", "\\xE2"]
    assert [(row["offset"], row["start"], row["end"]) for row in rows[:2]] == [(0, 0, 1), (9, 9, 10)]
    assert rows[2]["found"] == "é"
    assert rows[2]["offset"] == 7


@pytest.mark.parametrize("dictionary", [False, True])
def test_repeated_values_are_explained_once(dictionary: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[Any] = []
    tell = rejections._told
    monkeypatch.setattr(rejections, "_told", lambda *given: [calls.append(given[1]), tell(*given)][1])
    array = pa.array(["x y", "a:b", "x z", "x y", None] * 10)
    result = columns.rejections(URI, array.dictionary_encode() if dictionary else array)
    assert calls == ["x y", "x z"]
    assert result.field("row").to_pylist() == [row for row in range(50) if row % 5 in (0, 2, 3)]
    assert result.field("found").to_pylist() == [" "] * 30


def test_few_strings_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many distinct strings in a column must not fill the memory."""
    monkeypatch.setattr(rejections, "MOST_KEPT", 3)
    texts = [f"x {number}" for number in (0, 1, 0, 2, 3, 0, 1, 3)]
    rows = columns.rejections(URI, pa.array(texts)).to_pylist()
    assert [row["row"] for row in rows] == list(range(8))
    expected = [told_of(row, rejection(text)) for row, text in enumerate(texts)]  # type: ignore[arg-type]
    assert rows == expected


def test_a_policy_rejects_by_its_own_codes() -> None:
    """The rules of a policy report its codes, and so do columns."""
    policy = uri.policy(schemes=["http", "https"], require_host=True, max_port=65535)
    rule = policy.rule(URI)
    texts = [
        "javascript:x",
        "http://a b",
        "http://h:99999/",
        "http:///x",
        "x y",
        "http://host:80x/",
        "http://a/",
    ]
    values = columns.rejections(rule, pa.array(texts)).to_pylist()
    expected = [(row, rule.explain(text)) for row, text in enumerate(texts)]
    assert values == [told_of(row, each) | {"suggestion": None} for row, each in expected if each is not None]
    assert [row["code"] for row in values][:3] == ["policy-scheme", "space-in-host", "policy-port"]


@pytest.mark.parametrize("layout", layouts([]))
def test_reasons_are_reported_row_by_row(layout: str) -> None:
    array = layouts(TEXTS)[layout]
    result = columns.reasons(URI, array)
    result.validate(full=True)
    rows = {row.pop("row"): row for row in columns.rejections(URI, array).to_pylist()}
    assert result.to_pylist() == [rows.get(row) for row in range(len(TEXTS))]
    chunked = columns.reasons(URI, pa.chunked_array([array, array]))
    assert chunked.to_pylist() == result.to_pylist() * 2


@pytest.mark.parametrize("tell", [columns.reasons, columns.rejections])
def test_values_repeated_in_another_chunk_are_explained_once(
    tell: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[Any] = []
    explain = rejections._told
    monkeypatch.setattr(rejections, "_told", lambda *given: [calls.append(given[1]), explain(*given)][1])
    chunks = pa.chunked_array([["x y", "a:b"], ["a:b", None], ["x z", "x y"]])
    result = tell(URI, chunks, suggest=True)
    assert calls == ["x y", "x z"]
    assert [row["found"] for row in result.to_pylist() if row] == [" ", " ", " "]


SEVEN_BIT = abnforge.loads("seven-bit = *%x00-7F\n", name="mine")["seven-bit"]
IRI = abnforge.rule("rfc3987:IRI")
RULES = {
    "policy": uri.policy(schemes=["http", "a"], require_host=True, max_port=80, max_length=40).rule(URI),
    "of its own": uri.policy(rules=[SEVEN_BIT], max_length=12).rule(IRI),
    "plain": (IRI & SEVEN_BIT) - uri.policy(schemes=["a"]).rule(IRI),
    "of others": (URI | SEVEN_BIT.at_most(3)).at_most(9),
}
MORE = ["http:é", "http://h:81/", "http://h:080/", "a:" + 60 * "é", "javascript:alert(1)", "http:///", "a:\n"]


def explain(rule: abnforge.Rule, texts: Any) -> Any:
    """Return rejections as ``columns.rejections`` reports them, without row numbers."""
    result = columns.rejections(rule, texts)
    assert result.field("row").to_pylist() == list(range(len(texts)))
    return pa.StructArray.from_arrays(result.flatten()[1:], fields=list(result.type)[1:])


@pytest.mark.parametrize("kind", one_in(3, TYPES))
@pytest.mark.parametrize("name", RULES)
def test_as_one_by_one(name: str, kind: str) -> None:
    rule = RULES[name]
    texts = [text for text in [*TEXTS, *MORE] if text is not None and not rule.matches(text)]
    octets = octets_in(TYPES[kind])
    array = pa.array([text.encode() if octets else text for text in texts], TYPES[kind])
    result = explain_restricted(rule, array, explain)
    if name == "of others":
        assert result is None
        return
    result.validate(full=True)
    expected = [told_of(0, rule.explain(text.encode() if octets else text, suggest=False)) for text in texts]  # type: ignore[arg-type]
    assert [{**each, "row": 0} for each in result.to_pylist()] == expected
    without = explain_restricted(rule, array, explain, message=False)
    assert without.field("code").equals(result.field("code"))


def test_other_rules_are_left_to_others() -> None:
    assert explain_restricted(URI, pa.array(["a b"]), explain) is None
    assert explain_restricted(~URI, pa.array(["a:"]), explain) is None
    assert explain_restricted(URI.at_most(3), pa.array([b"a:\xff"]), explain) is None
