"""Edited strings in a test suite: the strings of each pass, and the bugs that they detect."""

from __future__ import annotations

import re

import pytest

import abnforge
from abnforge.charset import CharSet, partition
from abnforge.conformance.acceptor import Acceptor
from abnforge.conformance.edits import (
    ASCII,
    TRAPS,
    TURNS,
    WORDS,
    boundaries,
    distinguishing_characters,
    edges,
    edit_all_occurrences,
    fuzz,
    insert_words,
    repeat_cycles,
    single_edits,
    with_character,
    wrong_characters,
)
from tests.law import each_row

DATES = abnforge.load("rfc3339")


def test_one_character_is_taken_for_another() -> None:
    results = list(wrong_characters(Acceptor(DATES["partial-time"].automaton)))
    assert "11:11:11,1" in results
    assert "11-11:11" in results
    assert not any(map(DATES["partial-time"].matches, results))
    assert len(set(results)) > 1_000


def test_universal_and_empty_rules_have_no_wrong_characters() -> None:
    assert list(wrong_characters(Acceptor(abnforge.loads("a = *%x0-10FFFF\n")["a"].automaton))) == []
    assert list(wrong_characters(Acceptor(abnforge.loads('a = "x" a\n')["a"].automaton))) == []


def test_all_that_are_alike() -> None:
    assert list(edit_all_occurrences(["a-b-c"])) == ["abc", "a--b--c", "A-B-C"]


def test_any_single_edit() -> None:
    results = set(single_edits(["ab"], "x"))
    assert results == {"xab", "axb", "abx", "xb", "ax", "b", "a"}
    assert set(single_edits([""], "xy")) == {"x", "y"}


def test_edges_have_the_neighbors() -> None:
    classes = partition([CharSet.from_ranges([(0x30, 0x39), (0x41, 0x5A)])])
    assert set(edges(classes)) == set("\0/09:@AZ[\U0010ffff")


def test_traps_are_what_is_taken_for_something_else() -> None:
    assert len(TRAPS) == len(set(TRAPS)) > 70
    assert list(TRAPS) == sorted(TRAPS)
    for char in "ſ\u212aİ\n\u2028\u200d。１\ud800\0":
        assert char in TRAPS
    assert set(distinguishing_characters([CharSet()])) == {*ASCII, *TRAPS}


URI = abnforge.load("rfc3986")


@pytest.mark.parametrize("rule", ["scheme", "IPv4address", "authority"])
def test_boundaries_ask_every_state_for_every_character(rule: str) -> None:
    acceptor = Acceptor(URI[rule].automaton)
    texts = list(boundaries(acceptor))
    assert len(texts) == len(acceptor.live) * len(distinguishing_characters(acceptor.automaton.charsets))
    met = set()
    for text in texts:
        state = 0
        for char in text:
            met.add((state, char))
            state = acceptor.rows[state][acceptor.automaton.class_of(char)]
    for state in acceptor.live:
        for char in "1aſ\n%é":
            assert (state, char) in met


def test_loops_are_gone_through() -> None:
    texts = set(repeat_cycles(Acceptor(URI["port"].automaton)))
    assert texts == {"1" * count for count in TURNS}
    assert list(repeat_cycles(Acceptor(URI["dec-octet"].automaton))) == []


def test_words_stand_at_every_state() -> None:
    acceptor = Acceptor(URI["scheme"].automaton)
    texts = list(insert_words(acceptor))
    assert len(texts) == len(WORDS) * len(acceptor.live)
    assert "http" in texts


def test_fuzz_is_the_same_for_the_same_seed() -> None:
    acceptor = Acceptor(URI["authority"].automaton)
    texts = list(fuzz(acceptor, 500, 1))
    assert texts == list(fuzz(acceptor, 500, 1)) != list(fuzz(acceptor, 500, 2))
    valid = sum(map(acceptor.automaton.accepts, texts))
    assert 100 < valid < 450


# An implementation with a bug, its rule, and the pass that detects the bug. The complete suite does not
# detect these bugs.
BUGS = [
    (lambda text: re.match(r"^[0-9]*$", text), "port", boundaries),
    (lambda text: re.fullmatch(r"\d*", text), "port", boundaries),
    (lambda text: re.fullmatch(r"[a-z][a-z0-9+.-]*", text, re.IGNORECASE), "scheme", boundaries),
    (lambda text: re.fullmatch(r"[0-9]{0,5}", text), "port", repeat_cycles),
    (lambda text: re.fullmatch(r"[0-9]*", text) and int(text or 0) < 65536, "port", repeat_cycles),
    (lambda text: re.fullmatch(r"[A-Za-z][A-Za-z0-9+.-]{0,62}", text), "scheme", repeat_cycles),
    (lambda text: re.fullmatch(r"(?!javascript)[A-Za-z][A-Za-z0-9+.-]*", text), "scheme", insert_words),
]


@each_row(("judge", "rule", "of"), BUGS)
def test_bugs_that_representatives_do_not_show(judge: object, rule: str, of: object) -> None:
    acceptor = Acceptor(URI[rule].automaton)
    assert any(bool(judge(text)) is not acceptor.automaton.accepts(text) for text in of(acceptor))  # type: ignore[operator]


def test_fuzz_of_selected_characters() -> None:
    acceptor = Acceptor(abnforge.load("rfc3986")["port"].automaton)
    assert set("".join(fuzz(acceptor, 200, 1, ["7", "z"]))) == {"7", "z"}


def test_a_character_at_a_state_with_an_end() -> None:
    acceptor = Acceptor(abnforge.load("rfc3986")["IPv4address"].automaton)
    assert acceptor.automaton.accepts(with_character(acceptor, 0, "1"))
    assert with_character(acceptor, 0, "1").startswith("1")
    assert not acceptor.automaton.accepts(with_character(acceptor, 0, "x"))


def test_other_words_than_those_known_by_heart() -> None:
    acceptor = Acceptor(abnforge.load("rfc3986")["port"].automaton)
    assert list(insert_words(acceptor, ["80", "x"])) == ["80", "x"]
