"""Strings that a rule derives: how many, which, and when none can be had."""

from __future__ import annotations

import abnforge
from abnforge.engine.grammar import sentences
from tests.raising import raises


def test_as_many_as_wanted_and_all_valid() -> None:
    rule = abnforge.load("rfc3986")["authority"]
    found = list(sentences(rule, count=30, seed=1))
    assert len(found) == 30
    assert all(map(rule.matches, found))
    assert found == list(sentences(rule, count=30, seed=1))
    assert found != list(sentences(rule, count=30, seed=2))


def test_systematic() -> None:
    assert list(sentences(abnforge.load("rfc3986")["port"], count=1, systematic=True)) == ["", "0", "9"]


def test_rules_that_are_made_of_others() -> None:
    uris = abnforge.load("rfc3986")
    rule = uris["host"] - uris["IPv4address"] - uris["reg-name"]
    found = list(sentences(rule, count=20, seed=1))
    assert len(set(found)) > 10
    assert all(map(rule.matches, found))
    short = uris["port"].at_most(2)
    assert list(sentences(short, systematic=True)) == ["0", "", "9", "00", "09"]
    with raises(abnforge.LimitExceeded, "string-size-limit"):
        next(sentences(short - short))


def test_refusals() -> None:
    loop = abnforge.loads('loop = "x" loop\n')["loop"]
    with raises(abnforge.LimitExceeded, "string-size-limit"):
        next(sentences(loop))
    with raises(ValueError, "size-negative"):
        next(sentences(abnforge.load("rfc3986")["port"], size=-1))
