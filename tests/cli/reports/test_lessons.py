"""``explain --teach``."""

from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

import abnforge
from abnforge.cli.common.output import Style
from abnforge.cli.reports.lessons import PARTS, lesson_lines
from tests.explain.endpoints import ENDPOINT

RULE = abnforge.loads(ENDPOINT, name="endpoint")["endpoint"]


def lines(text: str, style: Style | None = None) -> str:
    lesson = RULE.lesson(text)
    assert lesson is not None
    return "\n".join(lesson_lines(lesson) if style is None else lesson_lines(lesson, style))


@pytest.mark.parametrize("text", ["a.b:80x", ""])
def test_steps(text: str, snapshot: SnapshotAssertion) -> None:
    assert lines(text) == snapshot


def test_the_place_where_no_rule_goes_on_is_the_exact_offset() -> None:
    grammar = abnforge.loads('a = b / c\nb = "x"\nc = "xy!"\n;@ of b; blame all; fix none\nw = "xy"\n')
    lesson = grammar["a"].lesson("xy")
    assert lesson is not None
    assert lesson.rejection.span == (0, 2)
    assert lesson.rejection.offset == 2
    assert any(line.endswith(" (offset 2)") for line in lesson_lines(lesson))


def test_a_doubled_sign_is_not_said_to_be_possible() -> None:
    lesson = abnforge.loads('e = n *( "-" n )\nn = 1*DIGIT\n')["e"].lesson("9--1")
    assert lesson is not None
    told = lesson_lines(lesson)
    assert any(line.endswith(" (offset 2)") for line in told)
    assert "      DIGIT  [0-9]" in told


def test_of_a_long_text_the_last_parts_are_told() -> None:
    told = lines(".".join("abcdefghijklmnop") + ":80x")
    assert told.count(" endpoint > host") == PARTS - 2
    assert '"aaaaaaaaaaaaaaaaaaaa...aaaaaaaaaaaaaaaaaaaa"' in lines("a" * 50 + ":x")


def test_a_mistake_without_a_name(snapshot: SnapshotAssertion) -> None:
    lesson = abnforge.loads('a = 2( "x" / "yz" )\n')["a"].lesson("xq")
    assert lesson is not None
    assert lesson_lines(lesson) == snapshot


def test_what_comes_from_the_text_is_escaped() -> None:
    assert "\x1b" not in lines("a:\x1b")


def test_further_mistakes_are_told(snapshot: SnapshotAssertion) -> None:
    lesson = abnforge.loads('list = item *( "," item )\nitem = 1*DIGIT\n')["list"].lesson("1,,2,,3")
    assert lesson is not None
    assert lesson_lines(lesson) == snapshot
