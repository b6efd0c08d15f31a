"""The probable mistake, by the strings that show it."""

from __future__ import annotations

import abnforge
from abnforge.comparison.rules import compare
from abnforge.teaching.exercises.fixes import guess
from tests.law import each_row

CASES = [
    ("x = 1*DIGIT", "x = *DIGIT", "accepts-empty"),
    ("x = *DIGIT", "x = 1*DIGIT", "rejects-empty"),
    ('x = %s"get"', 'x = "get"', "accepts-case"),
    ('x = "get"', 'x = %s"get"', "rejects-case"),
    ('x = "a" "b"', 'x = "a" *SP "b"', "accepts-space"),
    ('x = "a" [SP] "b"', 'x = "a" "b"', "rejects-space"),
    ('x = "ab"', 'x = 1*"ab"', "accepts-repetition"),
    ('x = 1*"ab"', 'x = "ab"', "rejects-repetition"),
    ('x = "a"', 'x = "b"', None),
]


@each_row(("wanted", "answer", "code"), CASES)
def test_guesses(wanted: str, answer: str, code: str | None) -> None:
    right, given = (abnforge.loads(f"{text}\n", cache=False)["x"] for text in (wanted, answer))
    found = compare(given, right)
    guessed = guess(right, given, found.only_left, found.only_right)
    assert (None if guessed is None else guessed.code) == code
