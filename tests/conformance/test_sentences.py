"""Strings of a rule: strings that cover its parts, and random strings."""

from __future__ import annotations

import pytest

import abnforge
from abnforge.conformance.acceptor import Acceptor
from abnforge.conformance.sentences import COVERING, OF_AUTOMATA, sentences
from tests.law import one_in
from tests.raising import raises

URI = abnforge.load("rfc3986")
JSON = abnforge.load("rfc8259")


def texts(rule: abnforge.Rule, how: str = "alternatives", **more: object) -> list[str]:
    return [vector.text for vector in sentences(rule, how, **more)]  # type: ignore[arg-type]


@pytest.mark.parametrize("how", one_in(3, [*COVERING, "random"]))
@pytest.mark.parametrize("rule", [URI["authority"], JSON["JSON-text"], URI["host"] - URI["IPv4address"]])
def test_they_are_of_the_rule(rule: abnforge.Rule, how: str) -> None:
    if how in OF_AUTOMATA and not rule.regular:
        with raises(ValueError, "regular-required", rule="JSON-text"):
            sentences(rule, how)
        return
    result = texts(rule, how, seed=3)
    assert result == texts(rule, how, seed=3)
    assert all(map(rule.matches, result))
    assert all(each.valid and each.why == how for each in sentences(rule, how))
    if how in COVERING:
        assert len(set(result)) == len(result)
        assert texts(rule, how, count=2) == result[:2]
    else:
        assert len(result) == 10


def test_every_rule_below_is_in_one() -> None:
    result = texts(URI["URI"], "rules")
    read = {name for text in result for name, _, _ in URI["URI"].events(text)}
    # Later alternatives, which the preferred derivation never uses.
    assert {rule.name for rule in URI.own_rules} & below(URI["URI"]) - read <= {"dec-octet"}


def below(rule: abnforge.Rule) -> set[str]:
    results = {rule.name}
    queue = [rule]
    for each in queue:
        for name in each.uses:
            if name not in results:
                results.add(name)
                queue.append(rule.grammar[name])
    return results


@pytest.mark.parametrize("name", ["scheme", "IPv4address", "authority"])
def test_every_transition_and_pair_is_gone_through(name: str) -> None:
    acceptor = Acceptor(URI[name].automaton)
    singles, pairs = set(), set()
    for result, length in ((singles, 1), (pairs, 2)):
        for text in texts(URI[name], "transitions" if length == 1 else "pairs"):
            path = [0]
            for char in text:
                path.append(acceptor.rows[path[-1]][acceptor.automaton.class_of(char)])
            numbers = [acceptor.automaton.class_of(char) for char in text]
            for place in range(len(text) - length + 1):
                result.add((path[place], *numbers[place : place + length]))
    live = [
        (state, number)
        for state in acceptor.live
        for number in range(acceptor.classes)
        if acceptor.rows[state][number] != acceptor.dead
    ]
    assert set(live) == singles
    assert pairs == {
        (state, first, second)
        for state, first in live
        for second in range(acceptor.classes)
        if acceptor.rows[acceptor.rows[state][first]][second] != acceptor.dead
    }


def test_invalid_arguments() -> None:
    with raises(TypeError, "argument-type", name="rule", type="str"):
        sentences("port")  # type: ignore[arg-type]
    with raises(ValueError, "argument-choice", name="how", value="all"):
        sentences(URI["port"], "all")
    with raises(ValueError, "argument-value", name="count", value=-1):
        sentences(URI["port"], count=-1)
    budget = abnforge.Budget(steps=1_000)
    with raises(abnforge.LimitExceeded, "limit-exceeded"):
        list(sentences(URI["URI"], "pairs", budget=budget))
