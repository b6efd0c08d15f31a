"""Grammars that ship are known by their text; others are loaded within a budget of their own."""

from __future__ import annotations

import pytest

from abnforge.errors import LimitExceeded
from abnforge.teaching.playground.loaded import BUDGET, MAX_GRAMMAR, SHIPPED, Question, shipped_text
from tests.raising import raises


@pytest.mark.parametrize("name", SHIPPED)
def test_a_text_that_ships_is_that_grammar(name: str) -> None:
    text = shipped_text(name)
    assert not text.startswith("; DO NOT EDIT")
    assert Question({"text": f"\n{text}\n"}).grammar().name == name
    assert Question({"text": f"{text}\nmore = DIGIT\n"}).grammar().name == "grammar"


def test_other_texts_have_the_budget_of_a_browser() -> None:
    question = Question({"text": "a = DIGIT"})
    assert question.grammar().compilation.budget == BUDGET
    assert question.grammar() is question.grammar()


@pytest.mark.parametrize("value", [None, 3, ["a"], True])
def test_what_is_no_text(value: object) -> None:
    with raises(ValueError, "call-string", name="text"):
        Question({"text": value}).text()


@pytest.mark.parametrize("value", [-1, 11, 1.5, "3", True])
def test_what_is_no_number(value: object) -> None:
    with raises(ValueError, "call-number", name="at", limit=10):
        Question({"at": value}).number("at", 10)


def test_a_number_that_is_missing_is_0() -> None:
    assert Question({}).number("at", 10) == 0


def test_a_long_text() -> None:
    with raises(LimitExceeded, "call-too-long", limit=MAX_GRAMMAR):
        Question({"text": "a" * (MAX_GRAMMAR + 1)}).text()
