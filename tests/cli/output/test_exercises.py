"""Exercises, tasks and grades as text."""

from __future__ import annotations

import csv
from dataclasses import replace

import pytest
from syrupy.assertion import SnapshotAssertion

from abnforge.cli.common import output
from abnforge.cli.common.exercises import Graded, Task
from abnforge.cli.output.exercises import HEAD, ExerciseText, GradeTable, GradeText, TaskText
from abnforge.teaching.exercises import exercises
from abnforge.teaching.grading import grade

KNOWN = {each.id: each for each in exercises()}
PIN = KNOWN["pin"]


def written(report: type, *values: object) -> str:
    results: list[str] = []
    report(results.append).feed(values)
    return "".join(results)


def graded(name: str, text: str) -> str:
    return written(GradeText, Graded("x.abnf", grade(KNOWN[name], text)))


def test_a_list(snapshot: SnapshotAssertion) -> None:
    assert written(ExerciseText, KNOWN["greeting"], KNOWN["room"], KNOWN["yes-no"]) == snapshot


def test_a_task(snapshot: SnapshotAssertion) -> None:
    bare = replace(PIN, hints=(), valid=(), invalid=())
    tasks = [Task(KNOWN["link"], 1), Task(PIN, 9, True), Task(bare, 1)]
    assert [written(TaskText, each) for each in tasks] == snapshot


ANSWERS = [
    ("pin", "pin = 4*6DIGIT"),
    ("pin", "pin = 4*DIGIT"),
    ("pin", "pin = 3*5DIGIT"),  # the string from the task comes first
    ("pin", 'pin = "abcdef"'),
    ("sums", 'sum = sum "+" sum / DIGIT / "(" sum ")"'),
    ("pin", "pin = 4DIGIT [DIGIT] [DIGIT]"),
    ("pin", "pin = 4*6DIGTI"),
    ("greeting", "greeting = hello\n"),
]


@pytest.mark.parametrize(("name", "text"), ANSWERS)
def test_grades(name: str, text: str, snapshot: SnapshotAssertion) -> None:
    assert graded(name, text) == snapshot


def test_a_file_without_a_grade(snapshot: SnapshotAssertion) -> None:
    assert written(GradeText, Graded("\x1b.abnf", None, "gone\n")) == snapshot


@pytest.mark.parametrize("width", [40, 80, 300])
def test_lines_are_as_wide_as_the_terminal(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(output, "is_terminal", lambda stream: True)
    monkeypatch.setenv("COLUMNS", str(width))
    lines = written(TaskText, Task(KNOWN["flight"], 2)).splitlines()
    long = [len(line) for line in lines if not line.startswith(("  valid ", "  invalid ", "  lesson "))]
    assert max(long[1:]) <= min(width, 100)
    assert max(long[1:]) > min(width, 100) - 15


@pytest.mark.xfail(strict=True, reason="TE B10: reports of rejections and grades do not wrap")
def test_reasons_are_as_wide_as_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(output, "is_terminal", lambda stream: True)
    monkeypatch.setenv("COLUMNS", "60")
    assert max(map(len, graded("pin", "pin = 3*5DIGIT\n").splitlines())) <= 60


KNOWN = {each.id: each for each in exercises()}


def rows(*values: Graded) -> list[list[str]]:
    results: list[str] = []
    GradeTable(results.append).feed(values)
    return list(csv.reader(results))


def test_a_row_each() -> None:
    head, right, wrong, unreadable, none = rows(
        Graded("a.abnf", grade(KNOWN["pin"], "pin = 4*6DIGIT")),
        Graded("b.abnf", grade(KNOWN["some-digits"], "number = *DIGIT")),
        Graded("c.abnf", grade(KNOWN["pin"], "pin = 4*6DIGTI")),
        Graded("d.abnf", None, "gone"),
    )
    assert tuple(head) == HEAD
    assert right == ["a.abnf", "pin", "right", "", "", "", "", ""]
    assert wrong[:5] == ["b.abnf", "some-digits", "wrong", '""', ""]
    assert wrong[5] == KNOWN["some-digits"].misconceptions[0].why
    assert unreadable[2] == "unreadable"
    assert unreadable[6].startswith("line 1: ")
    assert none == ["d.abnf", "", "not-graded", "", "", "", "gone", ""]


def test_no_cell_is_a_formula() -> None:
    _, named, witness = rows(
        Graded("=HYPERLINK(1)/a.abnf", None, "@x"),
        Graded("-x\r\n.abnf", grade(KNOWN["pin"], 'pin = 4*6DIGIT / "=1+1"')),
    )
    assert (named[0], named[6]) == ("'=HYPERLINK(1)/a.abnf", "'@x")
    assert witness[0] == "'-x\\r\\n.abnf"
    assert witness[3] == '"=1+1"'
