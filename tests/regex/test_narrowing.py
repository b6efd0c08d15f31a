"""Expressions made narrower by automata have the strings of both, and patterns that are proved."""

from __future__ import annotations

import re

import abnforge
from abnforge import uri
from abnforge.automata.dfa import build
from abnforge.budget import Budget
from abnforge.grammar.core import Core
from abnforge.regex.ast import to_core
from abnforge.regex.errors import TooLargeError
from abnforge.regex.from_rule import regex_tree
from abnforge.regex.narrowing import intersect
from tests.law import law
from tests.raising import raises
from tests.reference.small_languages import TEXTS, Expression, abnf, expressions, strings

URI = abnforge.rule("rfc3986:URI")


@law(expressions, expressions, few=30, many=400)
def test_its_strings_are_those_of_both(first: Expression, second: Expression) -> None:
    made = abnforge.loads(f"s = {abnf(first)}\n").compilation
    by = abnforge.loads(f"t = {abnf(second)}\n")["t"].automaton
    try:
        found = intersect(regex_tree(made.bodies, "s"), by, Budget().meter("narrowing"))
    except TooLargeError:
        return
    wanted = strings(first) & strings(second)
    if found is None:
        assert wanted == set()
        return
    automaton = build(Core({}, {"": "s"}), {"": to_core(found)}, "")
    assert {text for text in TEXTS if automaton.accepts(text)} == wanted


def test_what_is_behind_a_scheme_stays_as_it_is() -> None:
    rule = uri.policy(schemes=["http", "mailto"]).rule(URI)
    for dialect in ("re2", "rust", "ecmascript", "java", "sql"):
        assert len(rule.export(dialect)) < len(URI.export(dialect)) + 50
    assert rule.pattern is not None
    for text in ("http:", "HTTP://h/", "mailto:a@b", "https:", "mail:", "http://a b", "http:\n"):
        assert (re.fullmatch(rule.pattern, text) is not None) is rule.matches(text)


def test_what_grows_too_much_is_refused() -> None:
    rule = uri.policy(require_host=True).rule(URI)
    with raises(ValueError, "export-failed", rule="URI by policy", dialect="re2"):
        rule.export("re2")
    assert rule.pattern is None
    with raises(ValueError, "export-failed", rule="URI by policy", dialect="rust"):
        uri.policy(max_port=65535).rule(URI).export("rust")
