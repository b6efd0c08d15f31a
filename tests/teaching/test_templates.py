"""Starter grammars."""

from __future__ import annotations

import pytest

import abnforge
from abnforge.teaching.templates import TEMPLATES, grammar_from, new_grammar, rule_name
from tests.law import each_row, one_in
from tests.raising import raises


@pytest.mark.parametrize("like", TEMPLATES)
@pytest.mark.parametrize("name", ["x", "a-longer-name-than-all-others"])
def test_all_is_as_it_should_be(like: str, name: str) -> None:
    """Each loads with right examples and without findings, and ``format`` does not change it."""
    result = new_grammar(name, like)
    grammar = abnforge.loads(result.text)
    assert grammar.start.name == result.rule == name
    results = grammar.test()
    assert len(results) >= 10
    assert all(each.passed for each in results)
    assert abnforge.lint(result.text) == []
    assert abnforge.format_abnf(result.text) == result.text
    assert max(map(len, result.text.splitlines())) <= 110


@pytest.mark.parametrize("like", TEMPLATES)
def test_the_first_rule_has_examples_of_both_kinds(like: str) -> None:
    examples = abnforge.loads(new_grammar("x", like).text).examples["x"]
    assert {each.valid for each in examples} == {True, False}


@pytest.mark.parametrize(
    ("name", "like", "called"),
    [
        ("pair", "key-value", "pair-text"),
        ("Digit", "list", "Digit-text"),
        ("host", "uri", "host-text"),
        ("host", "date", "host"),
    ],
)
def test_a_name_that_is_taken(name: str, like: str, called: str) -> None:
    result = new_grammar(name, like)
    assert result.rule == called
    assert abnforge.loads(result.text).start.name == called
    assert abnforge.lint(result.text) == []


@pytest.mark.parametrize(
    "rule",
    one_in(3, ["rfc3986:URI", "rfc3986:host", "rfc5234:DIGIT", "toml-1.0.0:toml", "abnf:rfc3986:port"]),
)
@pytest.mark.parametrize("name", ["x", "host"])
def test_from_another_grammar(rule: str, name: str) -> None:
    source, _, _ = rule.rpartition(":")
    result = grammar_from(name, abnforge.rule(rule), source)
    grammar = abnforge.loads(result.text)
    assert grammar.start.name == result.rule
    results = grammar.test()
    assert {each.example.valid for each in results} == {True, False}
    assert all(each.passed for each in results)
    assert [finding.name for finding in abnforge.lint(result.text) if finding.severity == "error"] == []


@pytest.mark.parametrize(
    ("text", "name"),
    [("dates", "dates"), ("my dates", "my-dates"), ("a_b.c", "a-b-c"), ("-x-", "x"), ("Maß", "Ma")],
)
def test_names_of_rules(text: str, name: str) -> None:
    assert rule_name(text) == name


@pytest.mark.parametrize("text", ["", "1st", "-", "日付", "."])
def test_strings_without_a_name(text: str) -> None:
    with raises(ValueError, "rule-name-impossible", text=text):
        rule_name(text)


@each_row("name", ["", "1", "a b", "a_b", "a\n", "é"])
def test_names_that_no_rule_has(name: str) -> None:
    with raises(ValueError, "rule-name-invalid"):
        new_grammar(name)
    with raises(ValueError, "rule-name-invalid"):
        grammar_from(name, abnforge.rule("rfc3986:URI"), "rfc3986")


def test_a_beginning_that_there_is_not() -> None:
    with raises(ValueError, "template-unknown", near=("date",), known=tuple(TEMPLATES)):
        new_grammar("x", "dat")
