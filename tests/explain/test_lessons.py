"""Explanations as a sequence of steps."""

from __future__ import annotations

import pytest

import abnforge
from tests.explain.endpoints import ENDPOINT
from tests.raising import raises

GRAMMAR = abnforge.loads(ENDPOINT, name="endpoint")
ENDPOINTS = GRAMMAR["endpoint"]


def test_the_steps() -> None:
    lesson = ENDPOINTS.lesson("a.b:80x")
    assert lesson is not None
    assert [(part.start, part.end, part.rule_path) for part in lesson.parts] == [
        (0, 1, ("endpoint", "host", "label")),
        (1, 2, ("endpoint", "host")),
        (2, 3, ("endpoint", "host", "label")),
        (3, 4, ("endpoint",)),
        (4, 6, ("endpoint", "port")),
    ]
    assert [part.rule for part in lesson.parts] == ["label", "host", "label", "endpoint", "port"]
    assert lesson.rejection == ENDPOINTS.explain("a.b:80x")
    assert lesson.code == GRAMMAR.codes["port-junk"]
    assert [(part.start, part.end, part.rule) for part in lesson.slots] == [
        (4, 6, "digits"),
        (6, 7, "junk"),
    ]


def test_a_mistake_that_nobody_declared() -> None:
    lesson = abnforge.loads('a = 2( "x" / "yz" )\n')["a"].lesson("xq")
    assert lesson is not None
    assert [(part.start, part.end, part.rule) for part in lesson.parts] == [(0, 1, "a")]
    assert (lesson.code, lesson.slots) == (None, ())


def test_valid_strings_and_bytes() -> None:
    assert ENDPOINTS.lesson("a:80") is None
    assert ENDPOINTS.lesson(b"a:80") is None
    result, spelt = ENDPOINTS.lesson(b"a:80x"), ENDPOINTS.lesson("a:80x")
    assert result == spelt
    with raises(ValueError, "lesson-not-utf8"):
        ENDPOINTS.lesson(b"a:\xff")


@pytest.mark.parametrize("engine", ["general", "lark"])
def test_every_engine_reports_the_same(engine: str) -> None:
    assert ENDPOINTS.lesson("a.b:80x", engine=engine) == ENDPOINTS.lesson("a.b:80x")


def test_left_recursive_rules_have_lessons() -> None:
    rule = abnforge.loads('a = b "x" / "z"\nb = a "y" / "w"\n')["a"]
    lesson = rule.lesson("q")
    assert lesson is not None
    assert (lesson.parts, lesson.rejection.code) == ((), "first-character-in-a")
