"""Expressions of rules: what binds tighter, by what Python makes of the same, and what is refused."""

from __future__ import annotations

from hypothesis import strategies as st

import abnforge
from abnforge.engine.set_algebra import MAX_NESTING, evaluate, is_expression
from tests.law import each_row, law
from tests.raising import raises

GRAMMAR = abnforge.loads('a = *"x"\nb-c = "x" / "y"\nd = 1*2"y" / "x"\n')
NAMES = {"b-c": "q", "d": "d"}


def rule(name: str) -> abnforge.Rule:
    other, _, own = name.rpartition(":")
    return (abnforge.load(other) if other else GRAMMAR)[own]


def _wider(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        st.tuples(inner, st.sampled_from([" & ", " - ", " | ", "&", "|"]), inner).map("".join),
        inner.map(lambda text: f"({text})"),
        inner.map(lambda text: f"~{text}"),
        inner.map(lambda text: f"({text}).at_most(1)"),
    )


@law(st.recursive(st.sampled_from(sorted(NAMES)), _wider, max_leaves=6), few=20, many=1_000)
def test_what_python_makes_of_the_same(text: str) -> None:
    python = text
    for name, variable in NAMES.items():
        python = python.replace(name, variable)
    meant = eval(python, {variable: GRAMMAR[name] for name, variable in NAMES.items()})
    found = evaluate(text, rule)
    for string in ("", "x", "y", "xx", "yy", "xy", "z"):
        assert found.matches(string) == meant.matches(string)


@each_row(
    ("text", "valid", "invalid"),
    [
        ("a - b-c", ["", "xx"], ["x", "y"]),
        ("a & (b-c | d)", ["x"], ["", "y", "xx"]),
        ("~a & b-c", ["y"], ["x", "z"]),
        ("a.at_most(1)", ["", "x"], ["xx"]),
        (" ( a ) .at_most(0)", [""], ["x"]),
        ("rfc3986:port - d | a", ["80", "xx"], ["8x"]),
        ("abnf:rfc9110:token & a", ["x"], ["", "y"]),
    ],
)
def test_expressions(text: str, valid: list[str], invalid: list[str]) -> None:
    assert is_expression(text)
    found = evaluate(text, rule)
    assert [string for string in valid if not found.matches(string)] == []
    assert [string for string in invalid if found.matches(string)] == []


@each_row("text", ["a", "b-c", "rfc3986:URI-reference", "", "abnf:rfc9110:token", "x_y"])
def test_names_are_no_expressions(text: str) -> None:
    assert not is_expression(text)


@each_row(
    ("text", "code"),
    [
        ("a &", "expression-rule"),
        ("& a", "expression-rule"),
        ("(a", "expression-parenthesis"),
        ("a) & a", "expression-operator"),
        ("a d & a", "expression-operator"),
        ("a & 3", "expression-sign"),
        ("a -b & a", "expression-sign"),
        ("()", "expression-rule"),
        ("a.at_most(x) & a", "expression-sign"),
        ("a.at_most(99999999999)", "expression-length"),
        ("(" * (MAX_NESTING + 1) + "a" + ")" * (MAX_NESTING + 1), "expression-nesting"),
        ("~" * 5_000 + "a", "expression-nesting"),
    ],
)
def test_what_is_no_expression(text: str, code: str) -> None:
    with raises(ValueError, code, expression=text):
        evaluate(text, rule)


def test_rules_that_are_not_there() -> None:
    with raises(abnforge.UnknownNameError, "rule-name-unknown"):
        evaluate("a & e", rule)
