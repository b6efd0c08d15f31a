"""Whether an exercise is one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from abnforge.teaching.exercises import Exercise, Misconception, exercises
from abnforge.teaching.soundness import verify

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


@pytest.mark.parametrize("exercise", exercises(), ids=lambda each: each.id)
def test_those_that_are_shipped(exercise: Exercise) -> None:
    verify(exercise)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"reference": "digits = \n"}, "reference: "),
        (
            {"reference": "digit = DIGIT\n"},
            "reference: the exercise requires a rule named digits; the reference defines digit",
        ),
        ({"reference": "digits = <some>\n"}, "reference: "),
        ({"imports": ("rfc1",)}, "imports: "),
        ({"valid": ("1", "a")}, 'the reference refuses "a"'),
        ({"invalid": ("12",)}, 'the reference accepts "12"'),
        ({"misconceptions": (Misconception("digits = x\n", "so"),)}, "misconception 1: "),
        (
            {"misconceptions": (Misconception("digits = DIGIT *DIGIT\n", "so"),)},
            "misconception 1 is no mistake",
        ),
    ],
)
def test_errors_are_named(changes: dict[str, object], told: str) -> None:
    verify(DIGITS)
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        verify(replace(DIGITS, **changes))
    assert str(caught.value).startswith(f"exercise 'digits': {told}")


def test_misuse() -> None:
    with pytest.raises(TypeError, match="exercise is an Exercise"):
        verify("digits")
