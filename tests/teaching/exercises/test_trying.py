"""What an answer is tried on where nothing could be proved."""

from __future__ import annotations

from abnforge.budget import Budget
from abnforge.teaching.exercises.exercise import answered, exercises, reference
from abnforge.teaching.exercises.grading import TrialResult, grade, try_answer

KNOWN = {each.id: each for each in exercises()}
BALANCED = KNOWN["balanced"]
# Wrong from the 61st character on, further than all strings are tried.
LONG = 'balanced = *pair\npair = "(" *pair ")" / ' + " ".join(["pair"] * 30) + ' "x"\n'
RIGHT = 'balanced = *pair\npair = "(" *pair ")"\n'


def tried(text: str, budget: Budget | None = None) -> TrialResult:
    return try_answer(BALANCED, answered(BALANCED, text, budget), reference(BALANCED))


def test_right_and_wrong() -> None:
    assert tried(RIGHT) == (None, None, True)
    assert tried('balanced = [ "(" balanced ")" ]').refused is not None
    assert tried('balanced = *( "(" / ")" )').accepted == "("


def test_what_is_wrong_in_long_strings_alone() -> None:
    found = grade(BALANCED, LONG, advice=False)
    assert found.verdict == "wrong"
    assert found.wrongly_accepted is not None
    assert len(found.wrongly_accepted.text) == 61
    assert found.bound is not None


def test_nothing_is_right_that_was_hardly_tried() -> None:
    """However little may be spent, a wrong answer is wrong or undecided."""
    verdicts = [
        grade(BALANCED, LONG, advice=False, budget=Budget(steps=steps, per_character=1)).verdict
        for steps in (10, 100, 1000, 10_000, 100_000)
    ]
    assert verdicts == ["undecided", "undecided", "undecided", "wrong", "wrong"]
    assert not tried(LONG, Budget(steps=100, per_character=1)).complete
    assert grade(BALANCED, RIGHT, advice=False).right
