"""Expressions made from automata, for each order of state elimination."""

from __future__ import annotations

import itertools
import random
import re

import pytest

import abnforge
from abnforge import uri
from abnforge.automata.algebra import included
from abnforge.automata.dfa import build
from abnforge.budget import DEFAULT, Budget, Meter
from abnforge.errors import LimitExceeded
from abnforge.grammar.core import Core, Node
from abnforge.regex.ast import to_core
from abnforge.regex.dialects import DIALECTS
from abnforge.regex.errors import TooLargeError
from abnforge.regex.from_rule import MAX_COVERING_STEPS, intersect, regex_tree, to_regex, uncovered
from abnforge.regex.writer import write_pattern
from tests.law import each_row, law
from tests.raising import raises
from tests.reference.small_languages import TEXTS, Expression, abnf, expressions, strings


@pytest.mark.parametrize("name", ["hostname", "domainlabel", "toplabel", "escaped", "IPv4address", "scheme"])
def test_expressions_of_automata(name: str) -> None:
    """Each order of elimination gives an expression with the same language."""
    automaton = abnforge.load("rfc2396")[name].automaton
    patterns = [write_pattern(e, DIALECTS["re2"]) for e in to_regex(automaton)]
    assert len(patterns) == automaton.states
    for pattern in set(patterns):
        fullmatch = re.compile(pattern).fullmatch
        for size in range(6):
            for text in map("".join, itertools.product("a1-.%", repeat=size)):
                assert (fullmatch(text) is not None) is automaton.accepts(text), (pattern, text)


def alternatives(*bodies: str) -> tuple[abnforge.Grammar, list[Node]]:
    grammar = abnforge.loads("".join(f"r{place} = {body}\n" for place, body in enumerate(bodies)))
    return grammar, [grammar.core.rules[f"r{place}"] for place in range(len(bodies))]


def kept(*bodies: str, meter: Meter | None = None) -> tuple[list[int], int]:
    """Return the positions that are kept, and the number of calls to find them."""
    grammar, items = alternatives(*bodies)
    asked = 0

    def covers(node: Node, other: Node, meter: Meter) -> bool:
        nonlocal asked
        asked += 1
        bodies = grammar.core.rules
        one, two = (build(grammar.core, {**bodies, "": n}, "", meter) for n in (node, other))
        return included(one, two)

    return uncovered(items, grammar.facts.language_bounds, covers, meter or DEFAULT.meter("it")), asked


KEPT = [
    ('"ab" / "cd"', [0, 1], 0),
    ('%s"ab" / "ab"', [1], 0),
    ('"ab" / %s"ab"', [0, 1], 0),
    ('"ab" / "ab" / "ab"', [2], 0),
    ('"ab" / "a" *"b"', [1], 1),
    ('"a" *"b" / "ab"', [0, 1], 0),  # a single string does not cover a part with many lengths
    ('"ab" / *"c" / 2"a"', [0, 1, 2], 1),
    ('"" / *"a" / "bb"', [1, 2], 1),
    ("1*DIGIT / 1*ALPHA / 1*(DIGIT/ALPHA)", [2], 2),
]


@each_row(("body", "places", "questions"), KEPT)
def test_kept(body: str, places: list[int], questions: int) -> None:
    result, asked = kept(*body.split(" / "))
    assert result == places
    assert asked <= questions


def test_a_thousand_words_ask_nothing() -> None:
    chance = random.Random(1)
    words = {"".join(chance.choices("abcdefgh", k=chance.randint(3, 6))) for _ in range(1_000)}
    meter = DEFAULT.meter("it")
    result, asked = kept(*(f'"{word}"' for word in sorted(words)), meter=meter)
    assert (len(result), asked) == (len(words), 0)
    assert meter.steps < MAX_COVERING_STEPS / 5


def test_what_is_not_decided_is_kept() -> None:
    """If a share of the budget is exceeded, the remaining alternatives are kept."""
    grammar, items = alternatives("1*DIGIT", *(f'*"{n}"' for n in range(400)), "*%x0-FF")

    def covers(node: Node, other: Node, meter: Meter) -> bool:
        meter.charge(1_000)
        return other is items[-1]

    result = uncovered(items, grammar.facts.language_bounds, covers, meter := Budget(steps=10**9).meter("it"))
    assert result[-1] == len(items) - 1
    assert 2 < len(result) < len(items)
    assert result == list(range(result[0], len(items)))  # the last string covers the parts of earlier ones
    assert MAX_COVERING_STEPS < meter.steps < 1.1 * MAX_COVERING_STEPS
    with raises(LimitExceeded, "limit-steps", operation="it", limit=10000):
        uncovered(items, grammar.facts.language_bounds, covers, Budget(steps=10_000).meter("it"))


@law(expressions, expressions, few=20, many=1_000)
def test_what_is_kept_has_the_same_strings(one: tuple[object, ...], two: tuple[object, ...]) -> None:
    items = (("text", "ab"), one, two, ("any", one, ("text", "b")))
    result, _ = kept(*map(abnf, items))
    assert strings(("any", *(items[place] for place in result))) == strings(("any", *items))


URI = abnforge.rule("rfc3986:URI")


@law(expressions, expressions, few=30, many=400)
def test_its_strings_are_those_of_both(first: Expression, second: Expression) -> None:
    results = abnforge.loads(f"s = {abnf(first)}\n").compilation
    by = abnforge.loads(f"t = {abnf(second)}\n")["t"].automaton
    try:
        result = intersect(regex_tree(results.bodies, "s"), by, Budget().meter("narrowing"))
    except TooLargeError:
        return
    expected = strings(first) & strings(second)
    if result is None:
        assert expected == set()
        return
    automaton = build(Core({}, {"": "s"}), {"": to_core(result)}, "")
    assert {text for text in TEXTS if automaton.accepts(text)} == expected


def test_what_is_after_a_scheme_stays_as_it_is() -> None:
    rule = uri.policy(schemes=["http", "mailto"]).rule(URI)
    for dialect in ("re2", "rust", "ecmascript", "java", "sql"):
        assert len(rule.export(dialect)) < len(URI.export(dialect)) + 50
    assert rule.pattern is not None
    for text in ("http:", "HTTP://h/", "mailto:a@b", "https:", "mail:", "http://a b", "http:\n"):
        assert (re.fullmatch(rule.pattern, text) is not None) is rule.matches(text)


def test_large_patterns_are_not_exported() -> None:
    rule = uri.policy(require_host=True).rule(URI)
    with raises(ValueError, "export-failed", rule="URI by policy", dialect="re2"):
        rule.export("re2")
    assert rule.pattern is None
    with raises(ValueError, "export-failed", rule="URI by policy", dialect="rust"):
        uri.policy(max_port=65535).rule(URI).export("rust")
