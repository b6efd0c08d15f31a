"""Alphabets: sets of characters, each with one that stands for it."""

from __future__ import annotations

import pytest

import abnforge
from abnforge.charset import ANY, CharSet
from abnforge.conformance.acceptor import Acceptor
from abnforge.conformance.learner import BLOCKS, Letters

URI = abnforge.load("rfc3986")


def test_blocks_are_a_partition() -> None:
    assert CharSet.from_ranges(pair for block in BLOCKS for pair in block.ranges) == ANY
    assert sum(map(len, BLOCKS)) == len(ANY)


def test_words_and_texts() -> None:
    letters = Letters(URI["port"].automaton.charsets)
    assert len(letters) == 2
    assert letters.text(letters.word("a9")) == "a1"
    assert letters.word("1") == letters.word("9") != letters.word("\U0010ffff")


def test_letters_of_their_own() -> None:
    letters = Letters(URI["port"].automaton.charsets)
    digits = letters.number("1")
    more = letters.moved([(CharSet.of("65"), None), (CharSet.of("3"), None)])
    assert more.sets[digits] == CharSet.of("0124789")
    assert [str(charset) for charset in more.sets[2:]] == ["[56]", "[3]"]
    assert more.text(more.word("123456789")) == "113155111"
    assert (letters.sets[digits], len(letters)) == (CharSet.of("0123456789"), 2)


def test_who_stands_for_a_letter_stays() -> None:
    """Else answers that are known would say nothing about it any more."""
    letters = Letters([CharSet.of("159"), ~CharSet.of("159")])
    assert list(letters.characters) == ["1", "a"]
    more = letters.moved([(CharSet.of("9"), None)]).moved([(CharSet.of("b"), 2)])
    assert list(more.characters) == ["1", "a", "9"]
    assert more.sets[2] == CharSet.of("9b")


@pytest.mark.parametrize("rule", ["port", "dec-octet", "IPv6address", "URI"])
def test_an_automaton_over_more_letters_has_the_same_language(rule: str) -> None:
    automaton = URI[rule].automaton
    letters = Letters(automaton.charsets)
    at = letters.number("1")
    letters = letters.moved([(letters.sets[at] - CharSet.of("1"), None)] if len(letters.sets[at]) > 1 else [])
    wide = letters.over(automaton)
    assert wide.width == len(letters)
    assert Acceptor(wide).size == Acceptor(automaton).size
    for text in ("", "1", "22", "255", "256", "::1", "a:b", "a://h:80/?#", "%41", "é"):
        assert wide.accepts(text) is automaton.accepts(text)
