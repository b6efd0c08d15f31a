"""The smallest change that makes an answer right, and the probable misconception."""

from __future__ import annotations

from itertools import islice

import pytest

import abnforge
from abnforge.catalog import Message
from abnforge.comparison.rules import compare
from abnforge.teaching.exercises import exercises, load_answer, reference
from abnforge.teaching.fixes import LONGEST, changes, guess, repair
from abnforge.teaching.grading import grade
from abnforge.teaching.messages import message
from tests.law import each_row, one_in

KNOWN = {each.id: each for each in exercises()}
TOO_MANY = 'light = "red" / "amber" / "green" / "blue"'
TICKET = 'ticket = ("F" / "B") DIGIT / "E" 2DIGIT ["R"]'


def found(name: str, text: str) -> Message | None:
    exercise = KNOWN[name]
    expected = reference(exercise)
    compared = compare(load_answer(exercise, text), expected)
    return repair(exercise, expected, text, compared.only_left, compared.only_right)


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    one_in(
        3,
        [
            ("pin", "pin = 3*5DIGIT", ("change-count", 1, "3*5DIGIT")),
            ("pin", "pin = digits\ndigits = 3*6DIGIT", ("change-count", 2, "3*6DIGIT")),
            ("pin", "pin = 4*6HEXDIG", ("change-name", 1, "HEXDIG")),
            ("method", 'method = %s"GET" / "POST"', ("change-case", 1, '"POST"')),
            ("signed-digit", 'number = ("+" / "-") DIGIT', ("change-brackets", 1, '("+" / "-")')),
            ("octal-digit", "octal = %x30-38", ("change-range", 1, "%x30-38")),
            ("traffic-light", TOO_MANY, ("change-extra", 1, TOO_MANY.removeprefix("light = "))),
            ("greeting", 'greeting = "hello" "!"', ("change-extra", 1, '"!"')),
            ("flight", TICKET, ("change-group", 1, TICKET.removeprefix("ticket = "))),
            ("good-day", 'greeting = "hello" / "good" SP "morning" / "evening"', None),
            ("room", 'room = ALPHA 2DIGIT ["-"] ALPHA', ("change-brackets", 1, '["-"]')),
            ("greeting", 'greeting = "goodbye"', None),
            ("pin", "pin = 3*5DIGIT ;" + "x" * LONGEST, None),
            ("balanced", 'balanced = ["(" balanced ")"]', None),  # an automaton cannot prove it
        ],
    ),
)
def test_where_the_mistake_is(name: str, text: str, expected: tuple[str, int, str] | None) -> None:
    change = found(name, text)
    assert (change and (change.code, change.data["line"], change.data["part"])) == expected


def test_changes_are_grammars() -> None:
    """Each change is a different answer, and nearly all of them can be parsed."""
    text = 'x = "a" *y / [ 2*3%x30-39 ( "b" / %s"c" ) ] 1*2( y )\ny = DIGIT ["e" / "f" "g"]\n'
    tried = list(changes(text))
    assert len(tried) > 60
    for each in tried:
        changed = text[: each.span.start] + each.text + text[each.span.end :]
        assert changed != text
        assert abnforge.loads(changed, cache=False)
    kinds = {each.code for each in islice(changes(text), 1000)}
    assert len(kinds) == 7


def test_grades_report_it_next_to_what_the_strings_suggest() -> None:
    result = grade(KNOWN["lower-word"], "word = *%x61-7A")
    guess = message("accepts-empty")
    assert result.mistake == f"{guess}; {message('change-count', line=1, part='*%x61-7A')}"
    assert not result.recognized
    assert grade(KNOWN["lower-word"], "word = *%x61-7A", advice=False).mistake == guess


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


@each_row(("expected", "answer", "code"), CASES)
def test_guesses(expected: str, answer: str, code: str | None) -> None:
    right, value = (abnforge.loads(f"{text}\n", cache=False)["x"] for text in (expected, answer))
    result = compare(value, right)
    guessed = guess(right, value, result.only_left, result.only_right)
    assert (None if guessed is None else guessed.code) == code
