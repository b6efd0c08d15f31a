"""Check an exercise: its reference must agree with its strings, and each misconception must be wrong."""

from __future__ import annotations

from abnforge._arguments import instance_argument
from abnforge.catalog import ArgumentError
from abnforge.comparison.rules import compare, quoted
from abnforge.errors import GrammarError, UnknownNameError
from abnforge.teaching.exercises.exercise import Exercise
from abnforge.teaching.exercises.submission import misconceived, reference
from abnforge.teaching.messages import message


def verify(exercise: Exercise) -> None:
    """Check the grammars of an exercise, and its strings.

    Raises ArgumentError, which names the exercise, for a reference that does not load or contradicts a string
    of the exercise, and for a misconception that does not load or that no string shows to be wrong. Cost: a
    comparison for each misconception.
    """
    instance_argument(exercise, "exercise", Exercise, "an Exercise, as exercises() gives them")
    id = exercise.id
    try:
        required = reference(exercise)
    except UnknownNameError as error:  # no such grammar to import
        raise ArgumentError(message("exercise-import", id=id, error=error.message)) from None
    except GrammarError as error:
        raise ArgumentError(message("exercise-reference", id=id, error=error.message)) from None
    for text in (*exercise.valid, *exercise.invalid):
        valid = text in exercise.valid
        if required.matches(text) is not valid:
            code = "reference-rejects" if valid else "reference-accepts"
            raise ArgumentError(message(code, id=id, string=quoted(text)))
    for number in range(len(exercise.misconceptions)):
        try:
            found = compare(required, misconceived(exercise, number))
        except GrammarError as error:
            code = "misconception-broken"
            raise ArgumentError(message(code, id=id, number=number + 1, error=error.message)) from None
        if found.only_left is None and found.only_right is None:
            raise ArgumentError(message("misconception-right", id=id, number=number + 1))
