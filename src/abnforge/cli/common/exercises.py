"""Load exercises, find the exercise that a file answers, and grade answers."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from abnforge.cli.common.errors import UsageError, usage_errors
from abnforge.cli.common.groups import option
from abnforge.errors import GrammarError
from abnforge.teaching.messages import message
from abnforge.text import near_misses

if TYPE_CHECKING:
    from abnforge.budget import Budget
    from abnforge.teaching.exercises import Exercise
    from abnforge.teaching.grading import Grade

# Matches the line of an answer that names its exercise.
_NAMED = re.compile(r"^[ \t]*;[ \t]*exercise:[ \t]*(\S+)[ \t\r]*$", re.IGNORECASE | re.MULTILINE)

# Matches the endings of answers; some systems hide ".txt".
_ENDING = re.compile(r"\.abnf(\.txt)?$|\.txt$", re.IGNORECASE)

own_option = option(
    "--file",
    "own",
    metavar="FILE",
    is_eager=True,  # so that ids can be completed from the file
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Use the exercises of this TOML file instead of the built-in ones.",
)


@dataclass(frozen=True, slots=True)
class Task:
    """An exercise with its first ``hints`` hints, and optionally its solution."""

    exercise: Exercise
    hints: int = 0
    solution: bool = False

    def to_dict(self) -> dict[str, Any]:
        solution = {"solution": self.exercise.reference} if self.solution else {}
        return {**self.exercise.to_dict(), "hints_shown": list(self.exercise.hints[: self.hints]), **solution}


@dataclass(frozen=True, slots=True)
class Graded:
    """A file and its grade, or the ``problem`` that prevents grading; ``late`` after the due date."""

    file: str
    grade: Grade | None = None
    problem: str | None = None
    late: bool = False

    @property
    def verdict(self) -> str:
        """The verdict of the grade, or ``not-graded``."""
        return "not-graded" if self.grade is None else self.grade.verdict

    def to_dict(self) -> dict[str, Any]:
        plain = {"exercise": None, "verdict": self.verdict} if self.grade is None else self.grade.to_dict()
        return {"file": self.file, **plain, "problem": self.problem, "late": self.late}


def exercises(own: Path | None) -> dict[str, Exercise]:
    """Return the exercises of a file, or the built-in ones, by id. Raises UsageError."""
    from abnforge.teaching.exercises import exercises as shipped
    from abnforge.teaching.exercises import read_exercises, verify

    if own is None:
        loaded = shipped()
    else:
        try:
            text = own.read_text(encoding="utf-8-sig")
        except UnicodeDecodeError as error:
            raise UsageError(
                message("exercises-not-utf8", path=own, offset=error.start, reason=error.reason)
            ) from None
        with usage_errors():
            loaded = read_exercises(text, str(own))
            for each in loaded:
                verify(each)
    return {each.id: each for each in loaded}


def exercise_named(by_id: dict[str, Exercise], name: str) -> Exercise:
    """Return an exercise by its id. Raises UsageError with near misses."""
    if name.lower() not in by_id:
        raise UsageError(message("exercise-unknown", name=name, near=tuple(near_misses(name, by_id))))
    return by_id[name.lower()]


def complete_exercise(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete ids of the file on the command line, or of the shipped exercises."""
    try:
        by_id = exercises(ctx.params.get("own"))
    except (UsageError, OSError):
        return []  # the command reports the error
    return [
        CompletionItem(name, help=each.title) for name, each in by_id.items() if name.startswith(incomplete)
    ]


def graded(
    by_id: dict[str, Exercise], file: str, text: str, name: str | None, budget: Budget | None, *, advice: bool
) -> Graded:
    """Grade an answer to the exercise ``name``; by default, its text or file name says which exercise."""
    from abnforge.teaching.grading import grade

    if name is None:
        match = _NAMED.search(text)
        stem = stem_of(file)
        name = match[1] if match else stem
        if name.lower() != stem.lower() in by_id:
            return Graded(file, None, message("answer-two-exercises", file=stem, line=name))
    if name.lower() not in by_id:
        near = tuple(near_misses(name, by_id))
        return Graded(file, None, message("answer-without-exercise", name=name, near=near))
    if not by_id[name.lower()].reference:
        return Graded(file, None, message("exercise-ungraded", id=name))
    return Graded(file, grade(by_id[name.lower()], text, advice=advice, budget=budget))


def stem_of(file: str) -> str:
    """Return the name of a file without its ending, which can name an exercise."""
    name = Path(file).name
    return _ENDING.sub("", name) if _ENDING.search(name) else Path(name).stem


def answers(folder: Path, ids: Container[str] = ()) -> Iterator[Path]:
    """Yield the answers below a directory, and symbolic links, sorted by path.

    An answer ends in ``.abnf`` or ``.abnf.txt``, or has the name of an exercise and ends in ``.txt``. The
    caller does not follow links, because students must not choose other files to read.
    """
    for path in sorted(folder.rglob("*")):
        within = (parent for parent in path.parents if folder in parent.parents)
        if any(parent.is_symlink() for parent in within):
            continue
        is_text = _ENDING.search(path.name) is not None
        is_answer = is_text and (".abnf" in path.name.lower() or stem_of(path.name).lower() in ids)
        if path.is_symlink() or (is_answer and path.is_file()):
            yield path


def read_answer(path: Path) -> str:
    """Return the contents of a file. Raises OSError, or ValueError if it is not UTF-8."""
    from abnforge.grammar.reader import read_file

    try:
        return read_file(path)
    except GrammarError as error:
        raise ValueError(error.message) from None
