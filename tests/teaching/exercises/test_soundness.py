"""Whether an exercise is one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from abnforge.teaching.exercises.exercise import Exercise, Misconception, exercises, verify
from tests.law import each_row, one_in
from tests.raising import raises

DIGITS = Exercise(
    "digits",
    "Digits",
    1,
    "my own",
    "Match digits.",
    "digits",
    "digits = 1*DIGIT\n",
    valid=("1",),
    invalid=("",),
)


@pytest.mark.parametrize("exercise", one_in(3, exercises()), ids=lambda each: each.id)
def test_those_that_are_shipped(exercise: Exercise) -> None:
    verify(exercise)


@each_row(
    ("changes", "code", "data"),
    [
        ({"reference": "digits = \n"}, "exercise-reference", {}),
        ({"reference": "digit = DIGIT\n"}, "exercise-reference", {}),
        ({"reference": "digits = <some>\n"}, "exercise-reference", {}),
        ({"imports": ("rfc1",)}, "exercise-import", {}),
        ({"valid": ("1", "a")}, "reference-rejects", {"string": '"a"'}),
        ({"invalid": ("12",)}, "reference-accepts", {"string": '"12"'}),
        ({"misconceptions": (Misconception("digits = x\n", "so"),)}, "misconception-broken", {"number": 1}),
        (
            {"misconceptions": (Misconception("digits = DIGIT *DIGIT\n", "so"),)},
            "misconception-right",
            {"number": 1},
        ),
    ],
)
def test_errors_are_named(changes: dict[str, object], code: str, data: dict[str, object]) -> None:
    verify(DIGITS)
    with raises(ValueError, code, id="digits", **data):
        verify(replace(DIGITS, **changes))


def test_the_error_of_a_reference_has_a_code() -> None:
    with raises(ValueError, "exercise-reference") as caught:
        verify(replace(DIGITS, reference="digit = DIGIT\n"))
    assert caught.value.error.code == "rule-missing"


def test_misuse() -> None:
    with raises(TypeError, "argument-type", name="exercise"):
        verify("digits")
