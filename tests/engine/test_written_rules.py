"""Rules of automata: like any other rule."""

from __future__ import annotations

import pickle

import pytest

import abnforge
from abnforge.automata.dfa import Automaton, minimal
from abnforge.charset import CharSet
from abnforge.engine.writing import rule_of
from tests.raising import raises

URI = abnforge.load("rfc3986")


def ring(size: int) -> Automaton:
    """Strings of x and y in which the y are a multiple of a number, minus the x: one large group."""
    x, y = CharSet.of("x"), CharSet.of("y")
    rows = [[(state + 2) % size, (state + 3) % size, -1] for state in range(size)]
    return minimal(rows, frozenset((0,)), [x, y, ~(x | y)])


RULES = ["port", "dec-octet", "IPv4address", "IPv6address"]


@pytest.mark.parametrize("name", RULES)
def test_a_rule_like_the_one_that_it_is_of(name: str) -> None:
    rule = rule_of(URI[name].automaton, "a", "mine")
    assert rule.automaton == URI[name].automaton
    assert rule.regular
    assert abnforge.compare(rule, URI[name]).relation == "equal"
    for text in ("", "1", "255", "1.2.3.4", "::1", "a:b", "a://b:80?c#d", "!", "256"):
        assert rule.matches(text) is URI[name].matches(text)
        rejection, other = rule.explain(text), URI[name].explain(text)
        assert (rejection and rejection.offset) == (other and other.offset)


@pytest.mark.parametrize("size", [5, 7, 13, 29])
def test_large_groups_of_states(size: int) -> None:
    """More than a grammar's recursive rules are solved for."""
    automaton = ring(size)
    rule = rule_of(automaton, "a", "mine")
    assert rule.regular
    assert rule.automaton == automaton
    for text in ("", "x" * size, "xy", "x" * (size - 1), "xyx" * size, "xz"):
        assert rule.matches(text) is automaton.accepts(text)
        assert rule.matches(text, engine="lark") is automaton.accepts(text)
        rejection = rule.explain(text)
        assert (rejection is None) is automaton.accepts(text)
    assert (rule & URI["scheme"]).matches("x" * size)
    if size > 13:
        assert rule.pattern is None
        with raises(ValueError, "export-failed", rule="a", dialect="re2"):
            rule.export("re2")


def test_it_travels() -> None:
    for automaton in (ring(13), URI["port"].automaton):
        rule = rule_of(automaton, "a", "mine")
        again = pickle.loads(pickle.dumps(rule))
        assert again == rule
        assert again.automaton == automaton


def test_other_rules_are_compiled() -> None:
    rule = rule_of(URI["IPv4address"].automaton, "a", "mine")
    assert rule.grammar["a-1"].automaton == URI["dec-octet"].automaton
    assert rule_of(ring(29), "a", "mine").grammar["a-1"].regular is False
