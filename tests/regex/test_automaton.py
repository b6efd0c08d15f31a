"""Automata of patterns, built as a whole and state by state."""

from __future__ import annotations

import re
import sys

import pytest
from hypothesis import assume

from abnforge.automata.algebra import REGIONS, TableDFA, product_search
from abnforge.budget import DEFAULT, Budget
from abnforge.conformance import PatternError, pattern
from abnforge.errors import LimitExceeded
from tests.law import each_row, law, one_in
from tests.raising import raises
from tests.reference.written_patterns import by_re, patterns, taken

HOW = [
    ("fullmatch", "b", True),
    ("fullmatch", "ab", False),
    ("match", "ba", True),
    ("match", "ab", False),
    ("search", "aba", True),
    ("search", "a", False),
]


@each_row(("how", "text", "expected"), HOW)
def test_how_a_pattern_is_asked(how: str, text: str, expected: bool) -> None:
    assert pattern("b", how=how).automaton.accepts(text) is expected


def test_the_empty_language() -> None:
    assert pattern("(?!)").automaton.states == 0
    assert pattern("a^b").automaton.states == 0


@law(patterns, few=25, many=500)
def test_a_walk_takes_what_the_automaton_does(text: str) -> None:
    try:
        results = pattern(re.compile(text))
        automaton = results.automaton
    except (re.error, PatternError):
        assume(False)
    meter = DEFAULT.meter("a test")
    result, stopped = product_search(TableDFA(automaton), results.walk(meter), meter, REGIONS)
    assert stopped is None
    assert {one is other for one, other in result} <= {True}


def test_a_stack_that_is_almost_used_up() -> None:
    result = pattern("(?:" * 90 + "a" + ")?" * 90)

    def deeper(levels: int) -> None:
        if levels:
            deeper(levels - 1)
        else:
            _ = result.automaton

    frame, used = sys._getframe(), 0
    while frame.f_back is not None:
        frame, used = frame.f_back, used + 1
    with raises(LimitExceeded, "pattern-stack"):
        deeper(sys.getrecursionlimit() - used - 60)
    assert result.automaton.accepts("a")


CUTS = [
    "(?>a|ab)c",
    "(?>ab|a)b",
    "(?>a*b|a)*",
    "(?>a*?b)c",
    "(?>a{1,2}?b)b",
    "(?>a{1,2}b?)b",
    "(?>a{0,3}ab)c?",
    "(?>a?(?:b|bc))c",
    "(?>(?:a|ab)(?:c|bc))c?",
    "(?>(?:a|ab)+)b",
    "(?>(?:a|ab){2})b",
    "(?>(?:ab|a){1,2}b?)b",
    "(?>(?:a|ab)*?)b",
    "(?>(?:a|ab){0,2}c)",
    "(?>(?>a|ab)(?>c|))*b",
    "(?>a(?=b)|ab)c?",
    "(?=(?>a|ab)c)a.*",
    "(?!(?>a|ab)c)a.*",
    "(?>(?>(?>a+)))b",
    "(?>)a|(?>b{0})",
    "(?:a|ab){2}+c?",
    "(?:a|ab){1,2}+b?",
    "(?:ab?)?+b",
    "a++a|b*+c",
]


@each_row("how", one_in(3, ["fullmatch", "match", "search"]))
@each_row("text", CUTS)
def test_cuts(text: str, how: str) -> None:
    compiled = re.compile(text)
    assert taken(compiled, "abc", how) == by_re(compiled, "abc", how)


@pytest.mark.parametrize("text", ["(?>(?:a|ab)*c)", "(?>(?:a?)*)", "(?>(?:a?){2}b)"])
def test_unsupported_syntax_is_named(text: str) -> None:
    with pytest.raises(PatternError) as caught:
        _ = pattern(text).automaton
    assert caught.value.construct is not None
    assert caught.value.code == "pattern-construct"


@pytest.mark.parametrize("text", ["(?>(?:a|b|ab){20}c)", "(?>a{0,9}b{0,9}c{0,9}d{0,9}e{0,9}f{0,9}x)"])
def test_work_is_charged(text: str) -> None:
    with pytest.raises(LimitExceeded):
        _ = pattern(text, budget=Budget(steps=50_000)).automaton


def test_a_group_within_a_group_costs_nothing() -> None:
    assert pattern("(?>" * 90 + "a*" + ")" * 90).automaton == pattern("a*").automaton
