"""Is an exercise one: does its reference do what the task's strings say, and is each misconception wrong?"""

from __future__ import annotations

from abnforge.arguments import instance_argument
from abnforge.comparison.rules import compare, quoted
from abnforge.errors import GrammarError
from abnforge.teaching.answers import misconceived, reference
from abnforge.teaching.exercises import Exercise


def verify(exercise: Exercise) -> None:
    """Look at the grammars of an exercise, and at its strings.

    Raises ValueError, which names the exercise, for a reference that does not load, for a string that it
    takes otherwise than the exercise says, and for a misconception that does not load, or of which no string
    was found that shows it wrong. Cost: a comparison for each of these.
    """
    instance_argument(exercise, "exercise", Exercise, "an Exercise, as exercises() gives them")
    try:
        _verify(exercise)
    except ValueError as error:  # a GrammarError too
        said = error.message if isinstance(error, GrammarError) else str(error)
        raise ValueError(f"exercise {exercise.id!r}: {said}") from None


def _verify(exercise: Exercise) -> None:
    try:
        wanted = reference(exercise)
    except KeyError as error:  # UnknownNameError: no such grammar to import
        raise ValueError(f"imports: {error.args[0]}") from None
    except GrammarError as error:
        raise ValueError(f"reference: {error.message}") from None
    for text in (*exercise.valid, *exercise.invalid):
        if wanted.matches(text) is not (text in exercise.valid):
            said = "refuses" if text in exercise.valid else "accepts"
            raise ValueError(f"the reference {said} {quoted(text)}")
    for number in range(len(exercise.misconceptions)):
        try:
            found = compare(wanted, misconceived(exercise, number))
        except GrammarError as error:
            raise ValueError(f"misconception {number + 1}: {error.message}") from None
        if found.only_left is None and found.only_right is None:
            raise ValueError(f"misconception {number + 1} is no mistake: no string shows it wrong")
