"""Complements and bounds on lengths: by distances as by automata that count."""

from __future__ import annotations

import abnforge
from abnforge.automata import algebra
from abnforge.automata.algebra import Bounded
from abnforge.automata.dfa import Automaton
from abnforge.budget import Budget
from abnforge.charset import CharSet
from abnforge.errors import LimitExceeded
from tests.law import law
from tests.raising import raises
from tests.reference.small_languages import LENGTH, TEXTS, Expression, abnf, expressions, strings
from tests.work import steps


def automaton(expression: Expression) -> Automaton:
    return of(abnf(expression))


def of(text: str) -> Automaton:
    return abnforge.loads(f"s = {text}\n")["s"].automaton


@law(expressions, few=15, many=100)
def test_complements(expression: Expression) -> None:
    a = automaton(expression)
    other = algebra.complement(a)
    assert {text for text in TEXTS if other.accepts(text)} == set(TEXTS) - strings(expression)
    assert other.accepts("\U0010ffff")
    assert algebra.complement(other) == a
    assert algebra.union(a, other) == algebra.everything()


@law(expressions, few=10, many=60)
def test_bounds(expression: Expression) -> None:
    """What reads by distances is what counts says, of every text and for each bound."""
    a = automaton(expression)
    for longest in range(LENGTH + 1):
        counting = algebra.at_most(a, longest, Budget().meter("counting"))
        reading = Bounded(a, longest)
        assert reading.is_empty == (not counting.table)
        for text in TEXTS:
            offset, row = counting.read(text)
            assert counting.accepts(text) == (len(text) <= longest and text in strings(expression))
            assert reading.read(text) == (offset, counting.expected(row), row in counting.accepting)
            assert reading.accepts([text[:1], "", text[1:]]) == counting.accepts(text)


def test_without_a_bound() -> None:
    reading = Bounded(of('"ab" / "b"'))
    assert reading.read("ac") == (1, CharSet.of("bB"), False)
    assert (reading.furthest, reading.is_empty) == (1, False)
    assert Bounded(of('s "x"')).is_empty
    assert not Bounded(of('s "x"')).accepts([""])


def test_distances_are_of_shortest_texts() -> None:
    a = of('"abc" / "b" / *"x"')
    assert algebra.distances(a)[0] == 0
    _, row = a.read("a")
    assert algebra.distances(a)[row] == 2


def test_what_counts_too_far_is_refused_at_once() -> None:
    a = of("*%x61-62")
    meter = Budget().meter("counting")
    with raises(LimitExceeded, "limit-steps", operation="counting", limit=1200000):
        algebra.at_most(a, 10**9, meter)
    assert algebra.at_most(a, 1000, Budget().meter("counting")).states == 1001
    finite = of('"a" / "bc"')
    assert steps(lambda: algebra.at_most(finite, 10**9, Budget().meter("counting"))) < 1_000
    assert algebra.at_most(finite, 10**9, Budget().meter("counting")) == finite
