"""Patterns as values: how they are given, and what is no pattern."""

from __future__ import annotations

import re
from dataclasses import FrozenInstanceError

import pytest

from abnforge import Budget
from abnforge.conformance import Pattern, PatternError, pattern
from abnforge.errors import LimitExceeded


def test_a_compiled_pattern_has_its_flags() -> None:
    compiled = re.compile("a # b", re.VERBOSE | re.IGNORECASE)
    assert pattern(compiled) == pattern("a # b", flags="ix") == pattern("a # b", flags=re.X | re.I)
    assert pattern(compiled).automaton.accepts("A")
    assert pattern(re.compile("(?s).")).automaton.accepts("\n")


def test_it_is_a_value() -> None:
    made = pattern("a+", how="search")
    assert made == pattern("a+", how="search")
    assert made != pattern("a+")
    assert str(made) == "the pattern 'a+' (python, search)"
    assert made.automaton is made.automaton
    assert len(str(pattern("a" * 100))) < 100
    with pytest.raises(FrozenInstanceError):
        made.text = "b"  # type: ignore[misc]


def test_flags_that_anchor() -> None:
    assert pattern("a", "javascript", "search", "y").how == "match"
    assert pattern("a", "pcre", "search", "A").how == "match"
    assert pattern("a", "pcre", "fullmatch", "A").how == "fullmatch"
    assert pattern("a", "java", "search").how == "search"


MISUSE = [
    ((None,), {}, TypeError, "text is a str, not NoneType"),
    ((b"a",), {}, TypeError, "text is a str, not bytes"),
    ((re.compile(b"a"),), {}, TypeError, "octets"),
    (("a", 1), {}, TypeError, "dialect is a str"),
    (("a", "perl"), {}, ValueError, "dialect is one of python, javascript, pcre, java, re2"),
    (("a",), {"how": "find"}, ValueError, "how is one of fullmatch, match, search"),
    (("a",), {"flags": None}, TypeError, "flags is letters"),
    (("a",), {"flags": "q"}, ValueError, "flags of python"),
    (("a", "re2"), {"flags": "x"}, ValueError, "flags of re2 are i, m, s, U"),
    (("a", "java"), {"flags": 2}, TypeError, "flags of java are letters, not int"),
    (("a",), {"flags": re.LOCALE}, PatternError, "LOCALE"),
    (("a",), {"budget": 3}, TypeError, "budget is a Budget"),
    ((re.compile("a"), "java"), {}, ValueError, "compiled"),
    ((re.compile("a"),), {"flags": "i"}, ValueError, "compiled"),
]


@pytest.mark.parametrize(("arguments", "named", "kind", "message"), MISUSE)
def test_misuse(arguments: tuple, named: dict, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=re.escape(message)):
        pattern(*arguments, **named)


def test_a_budget_is_kept_to() -> None:
    made = pattern("(?:a|b)*a(?:a|b){9}", budget=Budget(steps=1_000))
    with pytest.raises(LimitExceeded, match=r"budget\.steps"):
        _ = made.automaton
    assert pattern("(?:a|b)*a(?:a|b){9}").automaton.states == 1024


def test_a_subclass_of_str_is_that_str() -> None:
    class Text(str):
        def __len__(self) -> int:
            return 99

    assert pattern(Text("a")) == pattern("a")
    assert type(pattern(Text("a")).text) is str


def test_conformance_has_it() -> None:
    assert isinstance(pattern("a"), Pattern)
