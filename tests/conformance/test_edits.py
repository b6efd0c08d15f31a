"""Edits that implementations forgive."""

from __future__ import annotations

import abnforge
from abnforge.conformance.acceptor import Acceptor
from abnforge.conformance.edits import alike, mistaken, neighbours

DATES = abnforge.load("rfc3339")


def test_one_character_is_taken_for_another() -> None:
    found = list(mistaken(Acceptor(DATES["partial-time"].automaton)))
    assert "11:11:11,1" in found
    assert "11-11:11" in found
    assert not any(map(DATES["partial-time"].matches, found))
    assert len(set(found)) > 1_000


def test_what_takes_everything_has_none() -> None:
    assert list(mistaken(Acceptor(abnforge.loads("a = *%x0-10FFFF\n")["a"].automaton))) == []
    assert list(mistaken(Acceptor(abnforge.loads('a = "x" a\n')["a"].automaton))) == []


def test_all_that_are_alike() -> None:
    assert list(alike(["a-b-c"])) == ["abc", "a--b--c", "A-B-C"]


def test_any_single_edit() -> None:
    found = set(neighbours(["ab"], "x"))
    assert found == {"xab", "axb", "abx", "xb", "ax", "b", "a"}
    assert set(neighbours([""], "xy")) == {"x", "y"}
