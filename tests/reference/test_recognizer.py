"""The recognizer agrees with brute force on short strings, and with known results on long ones."""

from __future__ import annotations

from functools import cache
from random import Random

import pytest

import abnforge
from abnforge.charset import CharSet
from tests.law import each_row, one_in
from tests.reference.derive import Language
from tests.reference.random_grammars import ALPHABET, BRACKETS, KINDS, grammar, short_texts
from tests.reference.recognizer import Reading, Recognizer

LENGTH = 4


def read(text: str, string: str) -> Reading:
    return Recognizer(abnforge.loads(text).core, "r0").read(string)


def differences(text: str, alphabet: str = ALPHABET) -> list[str]:
    """Return the short strings on which the recognizer and brute force differ."""
    core = abnforge.loads(text).core
    language = Language(core, alphabet, LENGTH + 1)
    recognizer = Recognizer(core, "r0")
    strings, wrong = language.strings["r0"], []
    for string in short_texts(LENGTH, alphabet + "c"):
        offset = language.longest_viable_prefix("r0", string)
        following = CharSet.of("".join(language.following("r0", string[:offset])))
        result = recognizer.read(string)
        # Brute force does not use upper-case letters.
        shown = (result.valid, result.offset, result.following & CharSet.of(alphabet), result.end)
        if shown != (string in strings, offset, following, string[:offset] in strings):
            wrong.append(string)
    return wrong


@pytest.mark.parametrize("kind", one_in(3, KINDS))
@pytest.mark.parametrize("count", [3, pytest.param(50, marks=pytest.mark.slow)])
def test_short_strings(kind: str, count: int) -> None:
    for seed in range(count):
        text = grammar(Random(f"{kind} {seed}"), kind)
        result = differences(text, ALPHABET + BRACKETS if kind == "bracketed" else ALPHABET)
        assert result == [], text


# Grammars with dead ends, empty parts and cycles, which algorithms often get wrong.
HARD = [
    'r0 = r0 / "a"',
    'r0 = r1 / "a"\nr1 = r0 "b" / r1',
    'r0 = [ r1 ] r0 "a" / "b"\nr1 = *r0',
    "r0 = r0",
    'r0 = "a" r1 / "b"\nr1 = r1 "a"',
    'r0 = "a" ( "b" <prose> / "a" )',
    'r0 = 2*3( [ "a" ] r1 )\nr1 = "b" / ""',
    'r0 = *2( r0 / "a" ) "b"',
    "r0 = 3r1\nr1 = [ r1 r1 ] [ %x61 ]",
    'r0 = r0 r0 / "" / "ab"',
    'r0 = 2( "a" / 2*( r0 "b" ) )',
    'r0 = 0*0"a" r1\nr1 = *1r0 "b"',
]


@each_row("text", HARD)
def test_hard_grammars(text: str) -> None:
    assert differences(text + "\n") == []


@cache
def recognizer(text: str) -> Recognizer:
    return Recognizer(abnforge.loads(text + "\n").core, "r0")


A_OR_B = 'r0 = ra / rb\nra = "x" r0 "a" / "x"\nrb = "x" r0 "b" / "x"'
PALINDROME = 'r0 = "a" r0 "a" / "b" r0 "b" / [ "a" / "b" ]'
LONG = [
    ('r0 = "(" *r0 ")"', "(" * 150 + ")" * 150, True, 300),
    ('r0 = "(" *r0 ")"', "(" * 150 + ")" * 151, False, 300),
    ('r0 = "(" *r0 ")"', "(" * 150 + ")" * 149, False, 299),
    ('r0 = r0 r0 / "a"', "a" * 120, True, 120),
    ('r0 = r0 r0 / "a"', "a" * 120 + "b", False, 120),
    ('r0 = "a" r0 / "a"', "a" * 250, True, 250),
    ('r0 = r0 "," "a" / "a"', "a,a" * 50, False, 3),
    (A_OR_B, "x" * 80 + "ab" * 39 + "a", True, 159),
    (A_OR_B, "x" * 80 + "ab" * 40 + "a", False, 159),
    (PALINDROME, "ab" * 50 + "ba" * 50, True, 200),
    (PALINDROME, "ab" * 50, False, 100),
    ('r0 = *30( [ "a" ] [ "b" ] )', "ab" * 30, True, 60),
    ('r0 = *30( [ "a" ] [ "b" ] )', "ab" * 30 + "a", False, 60),
    ('r0 = "if " r0 [ " else " r0 ] / "x"', "if " * 40 + "x" + " else x" * 40, True, 401),
    ("r0 = %x1F600 [ r0 ] %x10FFFF", "\U0001f600" * 60 + "\U0010ffff" * 60, True, 120),
]


@each_row(("text", "string", "valid", "offset"), LONG)
def test_long_texts(text: str, string: str, valid: bool, offset: int) -> None:
    result = recognizer(text).read(string)
    assert (result.valid, result.offset) == (valid, offset)


def test_counts_that_are_too_large() -> None:
    for text in ('r0 = 999999999( r0 / "" )\n', 'r0 = *999999999"a"\n'):
        with pytest.raises(ValueError, match="more than"):
            read(text, "")
