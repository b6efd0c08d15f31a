"""Grammars on the page: bundled ones from their text, others within a budget, and the example menu."""

from __future__ import annotations

import pytest

import abnforge
from abnforge.errors import LimitExceeded
from abnforge.teaching.playground.loaded import (
    BUDGET,
    MAX_FACTOR,
    MAX_GRAMMAR,
    MAX_MEMORY,
    SHIPPED,
    Call,
    examples,
    shipped_text,
)
from tests.law import one_in
from tests.raising import raises
from tests.teaching.playground.calls import ask, refused


@pytest.mark.parametrize("name", SHIPPED)
def test_a_string_that_ships_is_that_grammar(name: str) -> None:
    text = shipped_text(name)
    assert not text.startswith("; DO NOT EDIT")
    assert Call({"text": f"\n{text}\n"}).grammar().name == name
    assert Call({"text": f"{text}\nmore = DIGIT\n"}).grammar().name == "grammar"


def test_other_strings_have_the_budget_of_a_browser() -> None:
    question = Call({"text": "a = DIGIT"})
    assert question.grammar().compilation.budget == BUDGET
    assert question.grammar() is question.grammar()


LARGE = 's = *( "a" / "b" ) "a" 15( "a" / "b" )\n'


@pytest.mark.parametrize("factor", [1, 10, MAX_FACTOR])
@pytest.mark.parametrize("text", [LARGE, shipped_text("rfc3339")])
def test_a_call_raises_its_budget(factor: int, text: str) -> None:
    usual, raised = (Call({"text": text, **more}) for more in ({}, {"budget": factor}))
    for one, other in (
        (usual.budget(), raised.budget()),
        (usual.grammar().compilation.budget, raised.grammar().compilation.budget),
    ):
        assert (other.steps, other.seconds) == (one.steps * factor, one.seconds * factor)
        assert other.memory == min(one.memory * factor, MAX_MEMORY)


@pytest.mark.slow
def test_an_exceeded_budget_names_its_field() -> None:
    arguments = {"text": LARGE, "rule": "s", "kind": "automaton"}
    errors = [refused("picture", **arguments, budget=factor) for factor in (1, 4)]
    assert [error["setting"] for error in errors] == ["budget.steps", "MAX_STATES"]
    with raises(ValueError, "call-number", name="budget", limit=MAX_FACTOR):
        Call({"text": "a = DIGIT", "budget": MAX_FACTOR + 1}).grammar()


@pytest.mark.parametrize("value", [None, 3, ["a"], True])
def test_arguments_that_are_not_strings(value: object) -> None:
    with raises(ValueError, "call-string", name="text"):
        Call({"text": value}).text()


@pytest.mark.parametrize("value", [-1, 11, 1.5, "3", True])
def test_arguments_that_are_not_numbers(value: object) -> None:
    with raises(ValueError, "call-number", name="at", limit=10):
        Call({"at": value}).number("at", 10)


def test_a_number_that_is_missing_is_0() -> None:
    assert Call({}).number("at", 10) == 0


def test_a_long_string() -> None:
    with raises(LimitExceeded, "call-too-long", limit=MAX_GRAMMAR):
        Call({"text": "a" * (MAX_GRAMMAR + 1)}).text()


VALID = {"ipv6", "palindromes", "ambiguous"}


@pytest.mark.parametrize("example", one_in(3, examples()), ids=lambda each: each["id"])
def test_an_example(example: dict[str, str]) -> None:
    assert example["title"]
    if example["id"] == "empty":
        assert not example["grammar"]
        return
    result = ask("grammar", text=example["grammar"])
    wrong = [each["name"] for each in result["findings"] if each["severity"] != "info"]
    assert wrong == (["ambiguous"] if example["id"] == "ambiguous" else [])
    tests = ask("examples", text=example["grammar"])
    assert tests
    assert all(each["status"] == "passed" for each in tests)
    results = ask("string", text=example["grammar"], rule=example["rule"], string=example["string"])
    assert results["valid"] is (example["id"] in VALID)


def test_those_that_are_asked_for() -> None:
    ids = [each["id"] for each in examples()]
    assert set(ids) >= {"uri", "ipv6", "dates", "json", "sums", "palindromes", "ambiguous"}
    assert len(ids) == len(set(ids))
    assert [each["id"] for each in ask("menu")] == ids


def test_the_implementation_is_reported() -> None:
    result = ask("implementation")
    assert result["version"] == abnforge.__version__
    assert result["kernel"] == abnforge.KERNEL
    assert result["packed"] or abnforge.KERNEL == "python"
