"""Identifiers: any two states share a word that tells them apart."""

from __future__ import annotations

from itertools import combinations

import pytest

import abnforge
from abnforge.budget import DEFAULT
from abnforge.conformance import complete
from abnforge.conformance.acceptor import Acceptor
from abnforge.conformance.complete import identifiers
from tests.law import law
from tests.reference.strategies import grammars


def check(acceptor: Acceptor) -> list[int]:
    found = identifiers(acceptor, DEFAULT.meter("a test"))
    assert len(found) == acceptor.size
    for one, other in combinations(range(acceptor.size), 2):
        shared = set(found[one]) & set(found[other])
        verdicts = ((acceptor.run(word, one), acceptor.run(word, other)) for word in shared)
        assert any(acceptor.accepting[a] is not acceptor.accepting[b] for a, b in verdicts)
    return [len(words) for words in found]


@pytest.mark.parametrize(("rule", "dead"), [("scheme", 1), ("dec-octet", 2), ("IPv4address", 8)])
def test_rules_of_uris(rule: str, dead: int) -> None:
    acceptor = Acceptor(abnforge.load("rfc3986")[rule].automaton)
    assert acceptor.dead is not None
    assert check(acceptor)[acceptor.dead] >= dead


@law(grammars(recursive=False), few=6, many=100)
def test_any_rule(text: str) -> None:
    try:
        automaton = abnforge.loads(text)["r0"].automaton
    except abnforge.LimitExceeded:
        return  # the rule is regular, and its automaton larger than the budget allows
    if automaton.states < 60:
        check(Acceptor(automaton))


def test_with_few_candidates_they_are_still_right(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(complete, "MAX_CANDIDATES", 1)
    check(Acceptor(abnforge.load("rfc3986")["IPv4address"].automaton))
