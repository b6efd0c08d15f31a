"""Characters that implementations tell apart."""

from __future__ import annotations

import pytest

import abnforge
from abnforge.charset import CharSet
from abnforge.conformance.learner import NEIGHBOURS, Letters, letters_of, needed, parted

URI = abnforge.load("rfc3986")
PORT = URI["port"].automaton


def of(char: str, letters: Letters) -> str:
    return str(letters.sets[letters.number(char)])


@pytest.mark.parametrize("rule", ["port", "scheme", "dec-octet", "IPv4address", "IPv6address"])
def test_who_is_right_tells_nothing_else_apart(rule: str) -> None:
    automaton = URI[rule].automaton
    assert letters_of(automaton, automaton.accepts).sets == automaton.charsets


def test_digits_of_other_scripts() -> None:
    letters = letters_of(PORT, str.isdecimal)
    assert of("5", letters) == "[0-9]"
    # the empty string is refused, which is no character's doing; the other digits are one letter
    assert set("٠١٩۰۹०९０９") <= set(map(chr, letters.sets[letters.number("١")]))
    assert of("a", letters) != of("²", letters) or letters.number("a") == letters.number("²")


def test_neighbours_are_asked_as_far_as_they_differ() -> None:
    found = letters_of(PORT, lambda text: all("\u0660" <= char <= "\u06ff" for char in text))
    assert of("\u0661", found) == "[\\u0660-\\u0671\\u06E1-\\u06FF]"
    assert NEIGHBOURS == 16


def test_blocks_have_a_letter_where_they_differ() -> None:
    letters = letters_of(PORT, lambda text: text.isascii() and (not text or text.isdecimal()))
    assert len(letters) == 2
    letters = letters_of(PORT, lambda text: not text.isascii())
    assert letters.number("\u4e01") == letters.number("\U0001f600") != letters.number("a")
    assert letters.number("\ud812") == letters.number("\u4e01")
    letters = letters_of(PORT, lambda text: any("\ud800" <= char <= "\udfff" for char in text))
    assert letters.number("\ud812") == letters.number("\udabc") != letters.number("\u4e01")


def test_only_what_matters_is_needed() -> None:
    letters = Letters(URI["scheme"].automaton.charsets)
    text, matter = needed("xhttpy", letters, lambda text: "http" in text)
    assert (text, matter) == ("ahttpa", {"h", "t", "p"})
    text, matter = needed("zz9", letters, lambda text: len(text) == 3)
    assert (text, matter) == ("aa1", set())


def test_parted_by_a_hypothesis() -> None:
    letters = Letters(PORT.charsets)

    def accepts(text: str) -> bool:
        return not text or (text.isascii() and text.isdigit() and text[0] not in "07")

    found = parted(letters, PORT, PORT, ["0", "3", "7", "x"], accepts)
    assert found == [(CharSet.of("07"), None)]
    apart = letters.moved([(CharSet.of("7"), None)])
    assert parted(apart, PORT, PORT, ["0", "3", "x"], accepts) == [(CharSet.of("0"), 2)]
