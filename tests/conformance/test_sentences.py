"""Sentences: what they cover, and how random ones are drawn."""

from __future__ import annotations

from collections import Counter

import pytest

import abnforge
from abnforge.conformance.acceptor import Acceptor
from abnforge.conformance.sentences import COVERING, OF_AUTOMATA, RANDOM, sentences
from tests.law import one_in
from tests.raising import raises

URI = abnforge.load("rfc3986")
JSON = abnforge.load("rfc8259")


def texts(rule: abnforge.Rule, how: str = "alternatives", **more: object) -> list[str]:
    return [vector.text for vector in sentences(rule, how, **more)]  # type: ignore[arg-type]


@pytest.mark.parametrize("how", one_in(3, [*COVERING, *RANDOM]))
@pytest.mark.parametrize("rule", [URI["authority"], JSON["JSON-text"], URI["host"] - URI["IPv4address"]])
def test_they_are_of_the_rule(rule: abnforge.Rule, how: str) -> None:
    if how in OF_AUTOMATA and not rule.regular:
        with raises(ValueError, "regular-required", rule="JSON-text"):
            sentences(rule, how)
        return
    corpus = texts(rule) if how == "corpus" else None
    found = texts(rule, how, seed=3, corpus=corpus)
    assert found == texts(rule, how, seed=3, corpus=corpus)
    assert all(map(rule.matches, found))
    assert all(each.valid and each.why == how for each in sentences(rule, how, corpus=corpus))
    if how in COVERING:
        assert len(set(found)) == len(found)
        assert texts(rule, how, count=2) == found[:2]
    else:
        assert len(found) == 10


def test_every_rule_below_is_in_one() -> None:
    found = texts(URI["URI"], "rules")
    read = {name for text in found for name, _, _ in URI["URI"].events(text)}
    # What another alternative comes before: preferred derivations never have these.
    assert {rule.name for rule in URI.own_rules} & below(URI["URI"]) - read <= {"dec-octet"}


def below(rule: abnforge.Rule) -> set[str]:
    found = {rule.name}
    queue = [rule]
    for each in queue:
        for name in each.uses:
            if name not in found:
                found.add(name)
                queue.append(rule.grammar[name])
    return found


@pytest.mark.parametrize("name", ["scheme", "IPv4address", "authority"])
def test_every_transition_and_pair_is_gone_through(name: str) -> None:
    acceptor = Acceptor(URI[name].automaton)
    singles, pairs = set(), set()
    for found, length in ((singles, 1), (pairs, 2)):
        for text in texts(URI[name], "transitions" if length == 1 else "pairs"):
            path = [0]
            for char in text:
                path.append(acceptor.rows[path[-1]][acceptor.automaton.class_of(char)])
            numbers = [acceptor.automaton.class_of(char) for char in text]
            for place in range(len(text) - length + 1):
                found.add((path[place], *numbers[place : place + length]))
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


def test_each_of_a_length_has_the_same_chance() -> None:
    octet = URI["dec-octet"]
    found = Counter(texts(octet, "uniform", length=2, count=9_000, seed=1))
    assert found.keys() == {str(number) for number in range(10, 100)}
    assert all(50 < count < 160 for count in found.values())
    lengths = Counter(map(len, texts(octet, "uniform", count=900, seed=1)))
    assert all(lengths[length] > 200 for length in (1, 2, 3))


def test_counts_are_those_of_the_language() -> None:
    grammar = abnforge.loads("a = %x61-64 / 2*3%x30-31\n")
    assert set(texts(grammar["a"], "uniform", length=1, count=200, seed=1)) == set("abcd")
    assert len(set(texts(grammar["a"], "uniform", length=3, count=200, seed=1))) == 8
    with raises(ValueError, "length-unmatched", rule="a", length=4):
        sentences(grammar["a"], "uniform", length=4)


def test_weights_make_rules_likelier() -> None:
    def share(weights: dict[str, float] | None) -> int:
        found = texts(URI["host"], "random", count=300, seed=1, weights=weights)
        return sum(text.startswith("[") for text in found)

    assert share({"IP-literal": 0}) == 0
    assert share({"IP-literal": 50}) > 2 * share(None)
    assert share({"IP-literal": 0, "IPv4address": 0, "reg-name": 0}) > 0  # nothing is left but chance
    with raises(abnforge.UnknownNameError, "rule-name-unknown"):
        sentences(URI["host"], "random", weights={"nothing": 1})
    with raises(ValueError, "argument-value", name="each of weights", value=-1):
        sentences(URI["host"], "random", weights={"reg-name": -1})


def test_a_corpus_says_what_is_likely() -> None:
    corpus = ["http://www.example.com/", "http://example.org/?q=1", "<none>"]
    found = texts(URI["URI"], "corpus", corpus=corpus, count=50, seed=1)
    assert {text[:7] for text in found} == {"http://"}
    assert "http://www.example.org/?q=1" in found
    with raises(ValueError, "corpus-unmatched", rule="URI"):
        sentences(URI["URI"], "corpus", corpus=["a b"])
    with raises(ValueError, "corpus-missing", rule="URI"):
        sentences(URI["URI"], "corpus")


def test_what_makes_no_sense() -> None:
    with raises(TypeError, "argument-type", name="rule", type="str"):
        sentences("port")  # type: ignore[arg-type]
    with raises(ValueError, "argument-choice", name="how", value="all"):
        sentences(URI["port"], "all")
    with raises(ValueError, "argument-value", name="count", value=-1):
        sentences(URI["port"], count=-1)
    with raises(ValueError, "argument-value", name="length", value=-1):
        sentences(URI["port"], "uniform", length=-1)
    with raises(ValueError, "rule-unmatched", rule="a"):
        sentences(abnforge.loads('a = "x" a\n')["a"], "uniform")
    budget = abnforge.Budget(steps=1_000)
    with raises(abnforge.LimitExceeded, "limit-exceeded"):
        list(sentences(URI["URI"], "uniform", length=500, budget=budget))
