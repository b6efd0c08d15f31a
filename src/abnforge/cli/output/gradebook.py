"""The answers of a class: a table of students and exercises, and a page for each student.

The first directory of a file's path is the student. A right answer has as many points as its exercise has
levels. Answers of several students are similar if they differ only in names of rules, case and whitespace,
and are not the reference.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING

from abnforge.cli.common.exercises import Graded, stem_of
from abnforge.cli.common.output import aligned
from abnforge.cli.output.exercises import GradeText
from abnforge.cli.output.formats import ResultReport
from abnforge.cli.output.pages import render
from abnforge.text import escape

if TYPE_CHECKING:
    from abnforge.teaching.exercises import Exercise

SIMILAR = 30  # shorter answers are equal by chance; in characters, without comments and whitespace

_COMMENT = re.compile(r';[^\n]*|"[^"\n]*"')
_RULE = re.compile(r"^([A-Za-z][\w-]*)[ \t]*=", re.MULTILINE)
_NAME = re.compile(r'"[^"\n]*"|[A-Za-z][\w-]*')

LEGEND = (
    "points; -: missing  ?: not graded or undecided  !: late  "
    "+: several answers, the best counts  =: similar to another answer"
)


@dataclass(frozen=True, slots=True)
class Cell:
    """The answers of a student to an exercise, the best one last."""

    exercise: Exercise
    answers: tuple[Graded, ...] = ()
    similar_to: tuple[str, ...] = ()

    @property
    def points(self) -> int:
        """The level of the exercise if an answer is right."""
        return self.exercise.level if any(each.verdict == "right" for each in self.answers) else 0

    @property
    def text(self) -> str:
        """The points, and the signs of the legend."""
        if not self.answers:
            return "-"
        best, several = self.answers[-1], len(self.answers) > 1
        unknown = best.verdict in ("not-graded", "undecided")
        return f"{self.points}{'?' * unknown}{'!' * best.late}{'+' * several}{'=' * bool(self.similar_to)}"


def gradebook(
    answers: Iterable[Graded], students: Iterable[str], exercises: Iterable[Exercise]
) -> dict[str, list[Cell]]:
    """Return the cells of each student, for expected students and exercises, and for those with an answer.

    A file without a directory is only an answer if it is graded.
    """
    found: dict[tuple[str, str], list[Graded]] = defaultdict(list)
    columns = {each.id: each for each in exercises}
    names = dict.fromkeys(students)
    authors: dict[tuple[str, str], set[str]] = defaultdict(set)
    for each in answers:
        if each.grade is not None or student(each.file) != each.file:
            names[student(each.file)] = None
        if each.grade is not None:
            exercise = each.grade.exercise
            columns.setdefault(exercise.id, exercise)
            found[student(each.file), exercise.id].append(each)
            authors[exercise.id, plain(each.grade.answer)].add(student(each.file))
        else:
            found[student(each.file), stem_of(each.file).lower()].append(each)

    def cell(name: str, exercise: Exercise) -> Cell:
        own = sorted(found[name, exercise.id], key=_rank)
        texts = {plain(each.grade.answer) for each in own if each.grade is not None}
        texts = {each for each in texts if len(each) >= SIMILAR and each != plain(exercise.reference)}
        others = {other for text in texts for other in authors[exercise.id, text]}
        return Cell(exercise, tuple(own), tuple(sorted(others - {name})))

    return {name: [cell(name, exercise) for exercise in columns.values()] for name in sorted(names)}


def _rank(answer: Graded) -> tuple[bool, bool, bool]:
    return answer.verdict == "right", answer.grade is not None, not answer.late


def student(file: str) -> str:
    """Return the first directory of a path; the name of a file without a directory."""
    return PurePath(file).parts[0] if file else ""


def plain(answer: str) -> str:
    """Return an answer without comments, whitespace and case, with numbers for the names of its rules."""
    text = _COMMENT.sub(lambda match: "" if match[0].startswith(";") else match[0], answer)
    numbers = {name.lower(): f"#{number}" for number, name in enumerate(_RULE.findall(text))}
    numbered = _NAME.sub(lambda match: numbers.get(match[0].lower(), match[0]), text)
    return "".join(numbered.lower().split())


class ClassTable(ResultReport[Graded]):
    """A row for each student, a column for each exercise, and the sum of the points."""

    students: Iterable[str] = ()
    exercises: Iterable[Exercise] = ()

    def begin(self) -> None:
        self._answers: list[Graded] = []

    def add(self, graded: Graded) -> None:
        self._answers.append(graded)

    def finish(self) -> None:
        book = gradebook(self._answers, self.students, self.exercises)
        heads = [cell.exercise.id for cell in next(iter(book.values()), [])]
        rows = [["student", *heads, "points"]]
        for name, cells in book.items():
            points = str(sum(cell.points for cell in cells))
            rows.append([escape(name), *(cell.text for cell in cells), points])
        lines = [*aligned(rows, numbers=True), LEGEND, *self._notes(book)]
        self.write("".join(f"{line}\n" for line in lines))

    def _notes(self, book: dict[str, list[Cell]]) -> Iterator[str]:
        """Yield the similar answers, once for each group, and the files that are not graded."""
        groups = {
            (cell.exercise.id, tuple(sorted({name, *cell.similar_to})))
            for name, cells in book.items()
            for cell in cells
            if cell.similar_to
        }
        for exercise, names in sorted(groups):
            yield f"similar answers to {exercise}: {escape(', '.join(names))}"
        for each in self._answers:
            if each.grade is None:
                yield f"not graded: {escape(each.file)}: {escape(each.problem or '')}"


def student_pages(
    answers: Iterable[Graded], students: Iterable[str], exercises: Iterable[Exercise]
) -> Iterator[tuple[str, Iterator[str]]]:
    """Yield the name of each student and the pieces of an HTML page, which names no other student."""
    pieces: list[str] = []
    report = GradeText(pieces.append)
    answers = list(answers)
    for name, cells in gradebook(answers, students, exercises).items():
        shown = []
        in_cells = {each.file for cell in cells for each in cell.answers}
        others = [
            f"{each.file}: {each.problem}"
            for each in answers
            if student(each.file) == name and each.file not in in_cells
        ]
        for cell in cells:
            pieces.clear()
            report.feed(cell.answers)
            texts = [each.grade.answer.strip() for each in cell.answers if each.grade is not None]
            shown.append((cell, texts, "".join(pieces).strip()))
        yield (
            name,
            render(
                "student",
                title=name,
                cells=shown,
                others=others,
                points=sum(cell.points for cell in cells),
                most=sum(cell.exercise.level for cell in cells),
            ),
        )
