"""Grades as CSV."""

from __future__ import annotations

import csv

from abnforge.cli.common.exercises import Graded
from abnforge.cli.reports.grade_table import HEAD, GradeTable
from abnforge.teaching.exercises.exercise import exercises
from abnforge.teaching.exercises.grading import grade

KNOWN = {each.id: each for each in exercises()}


def rows(*values: Graded) -> list[list[str]]:
    found: list[str] = []
    GradeTable(found.append).feed(values)
    return list(csv.reader(found))


def test_a_row_each() -> None:
    head, right, wrong, unreadable, none = rows(
        Graded("a.abnf", grade(KNOWN["pin"], "pin = 4*6DIGIT")),
        Graded("b.abnf", grade(KNOWN["some-digits"], "number = *DIGIT")),
        Graded("c.abnf", grade(KNOWN["pin"], "pin = 4*6DIGTI")),
        Graded("d.abnf", None, "gone"),
    )
    assert tuple(head) == HEAD
    assert right == ["a.abnf", "pin", "right", "", "", "", ""]
    assert wrong[:5] == ["b.abnf", "some-digits", "wrong", '""', ""]
    assert wrong[5] == KNOWN["some-digits"].misconceptions[0].why
    assert unreadable[2] == "unreadable"
    assert unreadable[6].startswith("line 1: ")
    assert none == ["d.abnf", "", "not-graded", "", "", "", "gone"]


def test_no_cell_is_a_formula() -> None:
    _, named, witness = rows(
        Graded("=HYPERLINK(1)/a.abnf", None, "@x"),
        Graded("-x\r\n.abnf", grade(KNOWN["pin"], 'pin = 4*6DIGIT / "=1+1"')),
    )
    assert (named[0], named[6]) == ("'=HYPERLINK(1)/a.abnf", "'@x")
    assert witness[0] == "'-x\\r\\n.abnf"
    assert witness[3] == '"=1+1"'
