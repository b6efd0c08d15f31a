"""What a mistake probably is, by the strings that show it."""

from __future__ import annotations

import pytest

import abnforge
from abnforge.comparison.rules import compare
from abnforge.teaching import guessing

CASES = [
    ("x = 1*DIGIT", "x = *DIGIT", guessing.ACCEPTS_NOTHING),
    ("x = *DIGIT", "x = 1*DIGIT", guessing.REFUSES_NOTHING),
    ('x = %s"get"', 'x = "get"', guessing.ACCEPTS_CASE),
    ('x = "get"', 'x = %s"get"', guessing.REFUSES_CASE),
    ('x = "a" "b"', 'x = "a" *SP "b"', guessing.ACCEPTS_SPACE),
    ('x = "a" [SP] "b"', 'x = "a" "b"', guessing.REFUSES_SPACE),
    ('x = "ab"', 'x = 1*"ab"', guessing.ACCEPTS_TWICE),
    ('x = 1*"ab"', 'x = "ab"', guessing.REFUSES_TWICE),
    ('x = "a"', 'x = "b"', None),
]


@pytest.mark.parametrize(("wanted", "answer", "expected"), CASES)
def test_guesses(wanted: str, answer: str, expected: str | None) -> None:
    right, given = (abnforge.loads(f"{text}\n", cache=False)["x"] for text in (wanted, answer))
    found = compare(given, right)
    assert guessing.guess(right, given, found.only_left, found.only_right) == expected
