"""Transitions: counts, examples, and sentences for those that were not taken."""

from __future__ import annotations

import pytest

import abnforge
from abnforge.budget import Budget
from abnforge.conformance import Example, coverage, suite
from abnforge.conformance.coverage import Transitions


def test_transitions() -> None:
    rule = abnforge.loads('r = *"a" "b" / "c"\n')["r"]
    found = coverage(rule, ["aab", "b", "AB", "bb"])
    assert found.transitions is not None
    moves = {(move.source, move.chars.min(), move.target): move for move in found.transitions}
    assert {key: move.count for key, move in moves.items()} == {
        (0, "A", 1): 2,
        (0, "B", 2): 1,
        (0, "C", 2): 0,
        (1, "A", 1): 1,
        (1, "B", 2): 2,
    }
    assert moves[0, "A", 1].example == Example("AB", 0, 1)
    assert moves[1, "A", 1].example == Example("aab", 1, 2)
    assert [move.sample for move in found.never_taken] == ["c"]


@pytest.mark.slow
def test_a_suite_takes_every_transition() -> None:
    rule = abnforge.load("rfc3986")["authority"]
    found = coverage(rule, [vector.text for vector in suite(rule, "quick")])
    assert found.transitions
    assert not found.never_taken


def test_rules_without_an_automaton_that_is_small_enough() -> None:
    recursive = abnforge.loads('r = "(" r ")" / "x"\n')["r"]
    large = abnforge.loads('r = *( "a" / "b" ) "a" 40( "a" / "b" )\n', budget=Budget(steps=50_000))["r"]
    assert Transitions.of(recursive) is None
    assert Transitions.of(large) is None
    assert coverage(large, ["a" * 41]).transitions is None
