"""Automata of patterns, and the same state by state."""

from __future__ import annotations

import re
import sys

from hypothesis import assume

from abnforge.automata.algebra import REGIONS, TableDFA, product_search
from abnforge.budget import DEFAULT
from abnforge.conformance import PatternError, pattern
from abnforge.errors import LimitExceeded
from tests.law import each_row, law
from tests.raising import raises
from tests.reference.written_patterns import patterns

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
        made = pattern(re.compile(text))
        automaton = made.automaton
    except (re.error, PatternError):
        assume(False)
    meter = DEFAULT.meter("a test")
    found, stopped = product_search(TableDFA(automaton), made.walk(meter), meter, REGIONS)
    assert stopped is None
    assert {one is other for one, other in found} <= {True}


def test_a_stack_that_is_almost_used_up() -> None:
    made = pattern("(?:" * 90 + "a" + ")?" * 90)

    def deeper(levels: int) -> None:
        if levels:
            deeper(levels - 1)
        else:
            _ = made.automaton

    frame, used = sys._getframe(), 0
    while frame.f_back is not None:
        frame, used = frame.f_back, used + 1
    with raises(LimitExceeded, "pattern-stack"):
        deeper(sys.getrecursionlimit() - used - 60)
    assert made.automaton.accepts("a")
