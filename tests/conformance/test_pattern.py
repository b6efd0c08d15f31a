"""Patterns as implementations: arguments, and values that are not patterns."""

from __future__ import annotations

import re
from dataclasses import FrozenInstanceError

import pytest
from syrupy.assertion import SnapshotAssertion

from abnforge import Budget
from abnforge.conformance import Pattern, PatternError, pattern
from abnforge.errors import LimitExceeded
from tests.law import each_row
from tests.raising import raises


def test_a_compiled_pattern_has_its_flags() -> None:
    compiled = re.compile("a # b", re.VERBOSE | re.IGNORECASE)
    assert pattern(compiled) == pattern("a # b", flags="ix") == pattern("a # b", flags=re.X | re.I)
    assert pattern(compiled).automaton.accepts("A")
    assert pattern(re.compile("(?s).")).automaton.accepts("\n")


def test_it_is_a_value(snapshot: SnapshotAssertion) -> None:
    implementation = pattern("a+", how="search")
    assert implementation == pattern("a+", how="search")
    assert implementation != pattern("a+")
    assert str(implementation) == snapshot
    assert implementation.automaton is implementation.automaton
    assert len(str(pattern("a" * 100))) < 100
    with pytest.raises(FrozenInstanceError):
        implementation.text = "b"  # type: ignore[misc]


def test_flags_that_anchor() -> None:
    assert pattern("a", "ecmascript", "search", "y").how == "match"
    assert pattern("a", "pcre2", "search", "A").how == "match"
    assert pattern("a", "pcre2", "fullmatch", "A").how == "fullmatch"
    assert pattern("a", "java", "search").how == "search"


MISUSE = [
    ((None,), {}, TypeError, "argument-type"),
    ((b"a",), {}, TypeError, "argument-bytes"),
    ((re.compile(b"a"),), {}, TypeError, "argument-bytes"),
    (("a", 1), {}, TypeError, "argument-type"),
    (("a", "perl"), {}, ValueError, "argument-choice"),
    (("a",), {"how": "find"}, ValueError, "argument-choice"),
    (("a",), {"flags": None}, TypeError, "argument-type"),
    (("a",), {"flags": "q"}, ValueError, "flag-unknown"),
    (("a", "re2"), {"flags": "x"}, ValueError, "flag-unknown"),
    (("a", "java"), {"flags": 2}, TypeError, "argument-type"),
    (("a",), {"flags": re.LOCALE}, PatternError, "pattern-locale"),
    (("a",), {"budget": 3}, TypeError, "argument-type"),
    ((re.compile("a"), "java"), {}, ValueError, "pattern-compiled"),
    ((re.compile("a"),), {"flags": "i"}, ValueError, "pattern-compiled"),
]


@each_row(("arguments", "named", "kind", "code"), MISUSE)
def test_misuse(arguments: tuple, named: dict, kind: type[Exception], code: str) -> None:
    with raises(kind, code):
        pattern(*arguments, **named)


def test_a_budget_is_kept_to() -> None:
    implementation = pattern("(?:a|b)*a(?:a|b){9}", budget=Budget(steps=1_000))
    with raises(LimitExceeded, "limit-exceeded"):
        _ = implementation.automaton
    assert pattern("(?:a|b)*a(?:a|b){9}").automaton.states == 1024


def test_a_subclass_of_str_is_that_str() -> None:
    class Text(str):
        def __len__(self) -> int:
            return 99

    assert pattern(Text("a")) == pattern("a")
    assert type(pattern(Text("a")).text) is str


def test_conformance_has_it() -> None:
    assert isinstance(pattern("a"), Pattern)
