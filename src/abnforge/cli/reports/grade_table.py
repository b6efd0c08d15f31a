"""Grades as CSV: a line for each answer, for a spreadsheet."""

from __future__ import annotations

import csv
import io

from abnforge.cli.common.exercises import Graded
from abnforge.cli.reports.base import Report
from abnforge.comparison.rules import quoted
from abnforge.text import escape

HEAD = ("file", "exercise", "verdict", "wrongly_accepted", "wrongly_refused", "mistake", "note")

# What a spreadsheet takes for the beginning of a formula.
_FORMULA = ("=", "+", "-", "@")


class GradeTable(Report[Graded]):
    """A head, and a row for each answer (RFC 4180, with LF). Strings are in quotes, escaped as in text;
    a cell that a spreadsheet would take for a formula has an apostrophe before it.
    """

    def begin(self) -> None:
        self._row(HEAD)

    def add(self, found: Graded) -> None:
        grade = found.grade
        if grade is None:
            self._row((found.file, "", found.verdict, "", "", "", found.problem or ""))
            return
        witnesses = (grade.wrongly_accepted, grade.wrongly_refused)
        shown = ["" if each is None else quoted(each.text) for each in witnesses]
        notes = [*(f"line {each.line}: {each.message}" for each in grade.findings), *grade.style]
        if grade.bound is not None:
            notes.append(f"tried {grade.bound}")
        self._row(
            (found.file, grade.exercise.id, grade.verdict, *shown, grade.mistake or "", "; ".join(notes))
        )

    def _row(self, cells: tuple[str, ...]) -> None:
        line = io.StringIO()
        csv.writer(line, lineterminator="\n").writerow(map(_cell, cells))
        self.write(line.getvalue())


def _cell(text: str) -> str:
    shown = escape(text)
    return f"'{shown}" if shown.startswith(_FORMULA) else shown
