"""A definition made from an automaton has the same language. Automata that are too large raise an error."""

from __future__ import annotations

from contextlib import suppress

import pytest

import abnforge
from abnforge.automata.dfa import Automaton, build
from abnforge.automata.expressions import to_node
from abnforge.budget import DEFAULT, Budget
from abnforge.grammar.core import Core
from tests.law import law
from tests.raising import raises
from tests.reference.strategies import grammars


def again(automaton: Automaton) -> Automaton:
    node = to_node(automaton, DEFAULT.meter("a test"))
    assert node is not None
    return build(Core({"a": node}, {"a": "a"}), {"a": node}, "a")


@law(grammars(recursive=False), few=10, many=60)
def test_the_language_stays(text: str) -> None:
    for rule in abnforge.loads(text).own_rules:
        with suppress(abnforge.LimitExceeded):  # some are too large in one of the directions
            if rule.automaton.table and rule.automaton.states < 60:
                assert again(rule.automaton) == rule.automaton


@pytest.mark.parametrize(
    "rule", ["scheme", "port", "IPv4address", "h16", "path-abempty", "reg-name", "authority"]
)
def test_rules_of_uris(rule: str) -> None:
    automaton = abnforge.load("rfc3986")[rule].automaton
    assert again(automaton) == automaton


def test_the_empty_language_has_no_expression() -> None:
    rule = abnforge.loads('a = "x" a\n')["a"]
    assert to_node(rule.automaton, DEFAULT.meter("a test")) is None


def test_the_empty_string() -> None:
    automaton = abnforge.loads('a = ""\n')["a"].automaton
    assert again(automaton) == automaton


def test_large_expressions_exceed_a_limit() -> None:
    # The ninth character from the end is an "a". This requires a state for each string of nine characters.
    automaton = abnforge.loads('a = *( "a" / "b" ) "a" 8( "a" / "b" )\n')["a"].automaton
    with raises(abnforge.LimitExceeded, "limit-steps", operation="a test"):
        to_node(automaton, Budget(steps=200_000).meter("a test"))
