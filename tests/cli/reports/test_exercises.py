"""Exercises, tasks and grades as text."""

from __future__ import annotations

from dataclasses import replace

import pytest

from abnforge.cli.common import output
from abnforge.cli.common.exercises import Graded, Task
from abnforge.cli.reports.exercises import ExerciseText, GradeText, TaskText
from abnforge.teaching.exercises import exercises
from abnforge.teaching.grading import grade

KNOWN = {each.id: each for each in exercises()}
PIN = KNOWN["pin"]


def written(report: type, *values: object) -> str:
    found: list[str] = []
    report(found.append).feed(values)
    return "".join(found)


def graded(name: str, text: str) -> str:
    return written(GradeText, Graded("x.abnf", grade(KNOWN[name], text)))


def test_a_list() -> None:
    assert written(ExerciseText, KNOWN["greeting"], KNOWN["room"], KNOWN["yes-no"]) == (
        "rules and concatenation\n  greeting         1  A greeting\n  room             2  Rooms\n\n"
        "alternatives and groups\n  yes-no           1  Yes or no\n"
    )


def test_a_task() -> None:
    assert written(TaskText, Task(KNOWN["link"], 1)) == (
        "A link (link, level 2, names across documents)\n\n"
        "Match a URI in angle brackets, such as <http://a/>. The rule URI of RFC 3986 is imported for you."
        "\n\n"
        '  rule     link\n  valid    "<http://a/>"  "<urn:a>"\n  invalid  "<a>"  "http://a/"  "<>"\n'
        "  imports  rfc3986\n\n"
        "Hint 1 of 2: Use the name URI without defining it: the grammar is imported.\n"
        "(hint 2 of 2: --hint 2)\n"
    )
    assert written(TaskText, Task(PIN, 9, True)).endswith(
        "Hint 2 of 2: The least stands before the star, the most behind it: 2*3DIGIT is two or three digits."
        "\n\n  pin = 4*6DIGIT\n"
    )
    bare = replace(PIN, hints=(), valid=(), invalid=())
    assert written(TaskText, Task(bare, 1)).endswith("\n\n  rule     pin\n")


def test_grades() -> None:
    assert graded("pin", "pin = 4*6DIGIT") == "x.abnf: right (pin: PIN codes)\n"
    assert graded("pin", "pin = 4*DIGIT") == (
        "x.abnf: wrong (pin: PIN codes)\n"
        '  wrongly accepts "1234567": "1234567" is too long: pin has at most 6 digits here\n'
        "  the mistake: Without a number behind the star there is no end.\n"
    )
    both = graded("pin", "pin = 3*5DIGIT").splitlines()
    assert [line.split(":")[0] for line in both[1:3]] == [
        '  wrongly refuses "123456"',  # which the task shows
        '  wrongly accepts "123"',
    ]
    assert both[1].endswith('": by the answer, "123456" is too long: pin has at most 5 digits here')
    assert "by the answer" not in both[2]
    other = graded("pin", 'pin = "abcdef"').splitlines()
    assert other[1].startswith('  wrongly refuses "1234"')
    assert "tried: all strings of up to" in graded("sums", 'sum = sum "+" sum / DIGIT / "(" sum ")"')
    assert "right, as far as was tried (sums" in graded("sums", 'sum = sum "+" sum / DIGIT / "(" sum ")"')
    assert "\n  style: line 1: " in graded("pin", "pin = 4DIGIT [DIGIT] [DIGIT]")


def test_unreadable_answers() -> None:
    assert graded("pin", "pin = 4*6DIGTI") == (
        "x.abnf: unreadable (pin: PIN codes)\n"
        '  line 1, column 10: the rule "DIGTI" is not defined; did you mean "DIGIT"? '
        "[ABNF002 undefined-rule]\n"
        "    pin = 4*6DIGTI\n"
        '    probably: replace "DIGTI" by "DIGIT" at offset 9\n'
    )
    assert 'if the word itself is meant, it is written "hello"' in graded("greeting", "greeting = hello\n")
    assert written(GradeText, Graded("\x1b.abnf", None, "gone\n")) == "\\x1b.abnf: not graded: gone\\n\n"


@pytest.mark.parametrize("width", [40, 80, 300])
def test_lines_are_as_wide_as_the_terminal(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(output, "is_terminal", lambda stream: True)
    monkeypatch.setenv("COLUMNS", str(width))
    lines = written(TaskText, Task(KNOWN["flight"], 2)).splitlines()
    long = [len(line) for line in lines if not line.startswith(("  valid ", "  invalid "))]
    assert max(long[1:]) <= min(width, 100)
    assert max(long[1:]) > min(width, 100) - 15


@pytest.mark.xfail(strict=True, reason="TE B10: reports of rejections and grades do not wrap")
def test_reasons_are_as_wide_as_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(output, "is_terminal", lambda stream: True)
    monkeypatch.setenv("COLUMNS", "60")
    assert max(map(len, graded("pin", "pin = 3*5DIGIT\n").splitlines())) <= 60
