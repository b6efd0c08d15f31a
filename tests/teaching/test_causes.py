"""The causes of wrong answers: notation that is misunderstood, changes, and what two strings suggest."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

import abnforge
from abnforge.comparison.rules import compare
from abnforge.teaching.causes import guess, misread
from abnforge.teaching.exercises import exercises, load_answer, read_exercises, reference
from abnforge.teaching.fixes import repair
from tests.law import each_row, one_in

TEXT = Path(__file__).with_name("causes.toml").read_text("utf-8")
ANSWERS: list[list[str]] = tomllib.loads(TEXT)["answers"]
OWN = read_exercises(TEXT[TEXT.index("[[exercise]]") :])
KNOWN = {each.id: each for each in (*exercises(), *OWN)}


def codes(name: str, text: str) -> list[str]:
    """Return the codes of the causes, without the misconceptions that an exercise lists."""
    required = reference(KNOWN[name])
    compared = compare(load_answer(KNOWN[name], text), required)
    cause = misread(required, text, compared.only_left)
    if cause is not None:
        return [cause.code]
    change = repair(KNOWN[name], required, text, compared.only_left, compared.only_right)
    if change is None:
        return []
    if "change" not in change.data and "changes" not in change.data:
        return [change.code]
    changes = change.data["changes"] if change.code == "change-several" else [change.data["change"]]
    return [each.code.removeprefix("change-") for each in changes]


@pytest.mark.parametrize(("name", "text", "expected"), one_in(15, map(tuple, ANSWERS)))
def test_causes_of_wrong_answers(name: str, text: str, expected: str) -> None:
    assert codes(name, text) == expected.split()


@each_row(
    ("name", "text"),
    [
        ("hello-world", 'phrase = "hello world"'),  # words that the task mentions, without a comma
        ("plate", 'plate = 2*3%x61-7A "-" 3DIGIT'),
        ("point", 'point = "(a,b)"'),  # parentheses that required strings have
        ("path", 'path = "/usr" / "/lib"'),
        ("lower-word", "word = 1*%x41-5A"),  # letters, but not those of the task
        ("octal-digit", "octal = %x30-39"),
        ("line", "line = *(VCHAR / SP) %x0D %x0A"),
        ("octal-digit", "octal = %x30-36 / %x45"),  # the answer has a right number
        ("method", 'method = %s"GET" / %s"PUT"'),
    ],
)
def test_notation_that_is_not_misread(name: str, text: str) -> None:
    required = reference(KNOWN[name])
    cause = misread(required, text, compare(load_answer(KNOWN[name], text), required).only_left)
    misreadings = {"notation-quoted", "name-quoted", "numbers-of-characters", "numbers-of-base"}
    assert cause is None or cause.code not in misreadings


def test_examples_are_a_cause_only_of_many_strings() -> None:
    assert codes("room", 'room = "B12-a"') == ["examples-listed"]
    assert codes("traffic-light", 'light = "red"') != ["examples-listed"]
    assert codes("pairs-of-a", 'even = *"aaaa"') != ["examples-listed"]


@each_row(
    ("name", "text", "expected"),
    [
        ("balanced", 'balanced = "()"', "answer-not-nested"),
        ("balanced", 'balanced = ["(" balanced]', "answer-not-nested"),
        ("balanced", 'balanced = *("[" balanced "]")', ""),  # two changes
        ("balanced", 'balanced = *("(" balanced ")") / "()" ")"', "extra"),
        ("balanced", 'balanced = *("[" balanced ")")', "literal"),
        ("sums", 'sum = term *("+" term)\nterm = DIGIT / "(" term ")"', "name"),
        ("sums", 'sum = term *("+" term)\nterm = DIGIT', "answer-not-nested"),
        ("sums", 'sum = term *("+" term)\nterm = DIGIT / "(" sum', "missing"),
        ("sums", 'sum = term *(["+"] term)\nterm = DIGIT / "(" sum ")"', "brackets"),
        ("sums", 'sum = [sum "+"] term\nterm = DIGIT / ["("] sum [")"]', "together"),
        ("balanced", 'balanced = "" / "(" balanced ")" / balanced "()"', "missing"),
        ("sums", 'sum = term 1*("+" term)\nterm = DIGIT / "(" sum ")"', "count"),
    ],
)
@pytest.mark.slow
def test_causes_of_wrong_recursive_answers(name: str, text: str, expected: str) -> None:
    assert codes(name, text) == expected.split()


@pytest.mark.slow
def test_case_is_a_cause_only_if_case_matters() -> None:
    for text in ('ticket = "F" / "B" DIGIT', 'ticket = ("F" / "B") / "E" 2DIGIT'):
        assert "case" not in codes("flight", text)


CASES = [
    ("x = 1*DIGIT", "x = *DIGIT", "accepts-empty"),
    ("x = *DIGIT", "x = 1*DIGIT", "rejects-empty"),
    ('x = %s"get"', 'x = "get"', "accepts-case"),
    ('x = "get"', 'x = %s"get"', "rejects-case"),
    ('x = "a" "b"', 'x = "a" *SP "b"', "accepts-space"),
    ('x = "a" [SP] "b"', 'x = "a" "b"', "rejects-space"),
    ('x = "a"', 'x = "b"', None),
]


@each_row(("expected", "answer", "code"), CASES)
def test_guesses(expected: str, answer: str, code: str | None) -> None:
    right, value = (abnforge.loads(f"{text}\n", cache=False)["x"] for text in (expected, answer))
    result = compare(value, right)
    guessed = guess(right, value, result.only_left, result.only_right)
    assert (None if guessed is None else guessed.code) == code
