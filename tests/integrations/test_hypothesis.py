"""Hypothesis strategies for strings of a rule, and for near misses."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import find, given, settings
from hypothesis import strategies as st

import abnforge
from abnforge.integrations.hypothesis import from_rule, near_misses
from tests.conformance.test_near_misses import distance
from tests.law import one_in
from tests.raising import raises

URI = abnforge.load("rfc3986")
JSON = abnforge.load("rfc8259")
RULES = [URI["URI"], URI["IPv6address"], URI["port"], JSON["JSON-text"], URI["host"] - URI["IPv4address"]]


@pytest.mark.parametrize("rule", one_in(3, RULES), ids=lambda rule: rule.name)
def test_what_is_given(rule: abnforge.Rule) -> None:
    met: set[str] = set()
    missed: set[str] = set()

    @settings(max_examples=40, database=None)
    @given(from_rule(rule), near_misses(rule))
    def law(text: str, miss: str) -> None:
        met.add(text)
        missed.add(miss)
        assert rule.matches(text)
        assert not rule.matches(miss)

    law()
    assert len(met) > 10
    assert len(missed) > 15


# A property, and the smallest string that has it.
SHRUNK = [
    (URI["host"], lambda text: "[" in text, "[::]"),
    (URI["port"], lambda text: len(text) > 3, "0000"),
    (JSON["JSON-text"], lambda text: "[" in text, "[]"),
    (URI["IPv4address"], lambda text: "25" in text, "0.0.0.25"),
]


@pytest.mark.parametrize(
    ("rule", "has", "left"), one_in(2, SHRUNK), ids=lambda each: getattr(each, "name", None)
)
def test_it_shrinks_within_the_language(rule: abnforge.Rule, has: object, left: str) -> None:
    result = find(from_rule(rule), has, settings=settings(max_examples=500, database=None))  # type: ignore[arg-type]
    assert rule.matches(result)
    assert len(result) <= len(left) + 2, result


def test_near_misses_are_an_edit_away() -> None:
    rule = URI["dec-octet"]
    valid = {str(number) for number in range(256)}

    @settings(max_examples=40, database=None)
    @given(near_misses(rule))
    def law(miss: str) -> None:
        assert miss not in valid
        assert any(distance(miss, text) == 1 for text in valid)

    law()


@pytest.mark.slow
def test_they_can_be_composed() -> None:
    pair = st.tuples(from_rule(URI["scheme"]), from_rule(URI["port"], size=10))
    assert find(pair, lambda each: len(each[1]) == 2, settings=settings(max_examples=200, database=None))[
        1
    ] in ("00", "11")


def test_rules_without_strategies() -> None:
    everything = abnforge.loads("a = *%x0-10FFFF\n")["a"]
    with raises(ValueError, "near-misses-missing", rule="a"):
        near_misses(everything)
    with pytest.raises(abnforge.LimitExceeded):
        from_rule(abnforge.loads('a = "x" a\n')["a"])
    with raises(
        TypeError, "argument-type", name="rule", expected="a rule, as load(name)[rule] gives it", type="str"
    ):
        from_rule("port")  # type: ignore[arg-type]
    with raises(ValueError, "strategy-size-negative", size=-1):
        from_rule(URI["port"], size=-1)


@pytest.mark.parametrize("strategy", [from_rule, near_misses])
@pytest.mark.parametrize("text", ['a = 1*3ALPHA "-" 2DIGIT\n', 'a = "(" *a ")" / DIGIT\n'])
def test_the_first_verdict_within_a_test_compiles_nothing(strategy: Any, text: str) -> None:
    """Compiling in the first example would exceed the deadline of Hypothesis."""
    rule = abnforge.loads(text, cache=False)["a"]
    strategy(rule)
    result = set(vars(rule.grammar.compilation)) | set(vars(rule))
    assert "matches" in vars(rule)
    rule.matches("(1)")
    assert set(vars(rule.grammar.compilation)) | set(vars(rule)) == result


def test_strings_of_bytes() -> None:
    grammar = abnforge.loads(';@ alphabet bytes\nname = 1*%xE0-FF [ "-" name ]\nany = *OCTET\n')
    rule = grammar["name"]

    @settings(max_examples=40, database=None)
    @given(from_rule(rule), near_misses(rule))
    def law(octets: bytes, miss: bytes) -> None:
        assert rule.matches(octets)
        assert not rule.matches(miss)

    law()
    with raises(ValueError, "near-misses-missing"):
        near_misses(grammar["any"])
