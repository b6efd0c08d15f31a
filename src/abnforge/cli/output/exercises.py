"""Exercises, tasks and grades as text."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from textwrap import wrap
from typing import TYPE_CHECKING

from abnforge.cli.common.exercises import Graded, Task
from abnforge.cli.common.output import columns
from abnforge.cli.output.diagnostic import fix_text
from abnforge.cli.output.formats import LineReport, ResultReport
from abnforge.cli.output.rejection import edit
from abnforge.comparison.rules import quoted
from abnforge.text import escape

if TYPE_CHECKING:
    from abnforge.linting.finding import Finding
    from abnforge.teaching.exercises import Exercise
    from abnforge.teaching.grading import Grade, Witness

COLUMNS = 100  # maximum width; less on a narrower terminal

HEAD = ("file", "exercise", "verdict", "wrongly_accepted", "wrongly_rejected", "mistake", "note", "late")

# characters that start a formula in a spreadsheet
_FORMULA = ("=", "+", "-", "@")

_ACCEPTS, _REJECTS = "wrongly accepts", "wrongly rejects"


def _wrapped(text: str) -> Iterator[str]:
    for paragraph in text.splitlines():
        yield from wrap(escape(paragraph), columns(COLUMNS)) or [""]


class ExerciseText(LineReport["Exercise"]):
    """A heading for each lesson, and a line for each exercise."""

    def begin(self) -> None:
        self.lesson: str | None = None

    def lines(self, exercise: Exercise) -> Iterator[str]:
        if exercise.lesson != self.lesson:
            yield from [] if self.lesson is None else [""]
            yield self.style.strong(escape(exercise.lesson))
            self.lesson = exercise.lesson
        yield f"  {exercise.id.ljust(16)} {exercise.level}  {escape(exercise.title)}"


class TaskText(LineReport[Task]):
    """The task, with its hints."""

    def lines(self, task: Task) -> Iterator[str]:
        from abnforge.teaching.exercises import ALLOWED

        exercise = task.exercise
        head = f"{exercise.title} ({exercise.id}, level {exercise.level}, {exercise.lesson})"
        yield self.style.strong(escape(head))
        yield ""
        yield from _wrapped(exercise.task)
        yield ""
        if exercise.page is not None:
            yield f"  lesson   {exercise.page}"
        yield f"  rule     {escape(exercise.rule)}"
        for label, texts in (("valid", exercise.valid), ("invalid", exercise.invalid)):
            if texts:
                yield f"  {label:<8} {'  '.join(map(quoted, texts))}"
        if exercise.imports:
            yield f"  imports  {escape(', '.join(exercise.imports))}"
        if exercise.allow != ALLOWED:
            yield f"  allowed  {', '.join(exercise.allow) or 'custom rules only'}"
        shown = exercise.hints[: task.hints]
        if exercise.hints:
            yield ""
        for number, hint in enumerate(shown, 1):
            yield from _hanging(f"Hint {number} of {len(exercise.hints)}: {hint}", indent="")
        if len(shown) < len(exercise.hints):
            yield self.style.faint(
                f"(hint {len(shown) + 1} of {len(exercise.hints)}: --hint {len(shown) + 1})"
            )
        if task.solution:
            yield ""
            yield from (f"  {escape(line)}" for line in exercise.reference.splitlines())


class GradeText(LineReport[Graded]):
    """A line with the verdict, and the reasons below."""

    def lines(self, graded: Graded) -> Iterator[str]:
        file, grade = self.style.strong(escape(graded.file)), graded.grade
        if grade is None:
            yield f"{file}: {self.style.error('not graded')}: {escape(graded.problem or '')}"
            return
        paint = self.style.good if grade.right else self.style.error
        bounded = " for all tried strings" if grade.right and grade.bound is not None else ""
        yield f"{file}: {paint(grade.verdict)}{bounded} ({grade.exercise.id}: {escape(grade.exercise.title)})"
        from abnforge.teaching.grading import BY_THE_ANSWER

        witnesses: list[tuple[str, Witness | None]] = [
            (_ACCEPTS, grade.wrongly_accepted),
            (_REJECTS, grade.wrongly_rejected),
        ]
        if grade.key_example == "refused":
            witnesses.reverse()
        for label, witness in witnesses:
            if witness is not None:
                whose = BY_THE_ANSWER if label == _REJECTS else ""
                yield f"  {label} {quoted(witness.text)}: {whose}{escape(witness.reason)}"
        yield from self._more(grade)

    def _more(self, grade: Grade) -> Iterator[str]:
        if grade.mistake is not None:
            sure = "mistake" if grade.recognized else "probable mistake"
            yield from _hanging(f"{sure}: {grade.mistake}")
        for finding in grade.findings:
            yield from _finding_rows(finding, grade.answer)
        if grade.verdict in ("wrong", "unreadable") and grade.exercise.page is not None:
            yield f"  lesson: {grade.exercise.page}"
        for hint in grade.style:
            yield from _hanging(f"style: {hint}")
        if grade.bound is not None and grade.verdict != "wrong":
            yield from _hanging(f"tried: {grade.bound}")


def _finding_rows(finding: Finding, answer: str) -> Iterator[str]:
    place = f"line {finding.line}, column {finding.column}: " if finding.line else ""
    yield f"  {place}{escape(finding.message)} [{finding.code} {finding.name}]"
    if finding.excerpt:
        yield f"    {escape(finding.excerpt)}"
    for each in finding.edits:
        yield f"    probable fix: {edit(each, answer)}"
    if finding.fix is not None and not finding.edits:
        yield f"    probable fix: {escape(fix_text(finding.fix))}"


def _hanging(text: str, indent: str = "  ") -> list[str]:
    return wrap(escape(text), columns(COLUMNS), initial_indent=indent, subsequent_indent=f"{indent}  ")


class GradeTable(ResultReport[Graded]):
    """A row for each answer (RFC 4180, with LF); an apostrophe precedes cells that look like a formula."""

    def begin(self) -> None:
        self._row(HEAD)

    def add(self, graded: Graded) -> None:
        grade, late = graded.grade, "late" if graded.late else ""
        if grade is None:
            self._row((graded.file, "", graded.verdict, "", "", "", graded.problem or "", late))
            return
        witnesses = (grade.wrongly_accepted, grade.wrongly_rejected)
        shown = ["" if each is None else quoted(each.text) for each in witnesses]
        notes = [f"line {each.line}: " * bool(each.line) + each.message for each in grade.findings]
        notes += grade.style
        if grade.bound is not None and grade.verdict != "wrong":
            notes.append(f"tried {grade.bound}")
        self._row(
            (
                *(graded.file, grade.exercise.id, grade.verdict, *shown),
                *(grade.mistake or "", "; ".join(notes), late),
            )
        )

    def _row(self, cells: tuple[str, ...]) -> None:
        csv.writer(self, lineterminator="\n").writerow(map(cell, cells))


def cell(text: str) -> str:
    """Return a string as a cell of a table, which is not a formula in a spreadsheet."""
    shown = escape(text)
    return f"'{shown}" if shown.startswith(_FORMULA) else shown
