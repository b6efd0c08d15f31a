"""Every rule of the URI grammars is tested on every short string over its character classes.

One character represents each class that the rule distinguishes, and one represents all others. Strings are
extended while they are prefixes of valid strings, so that every way to leave the language occurs. Their
length grows as long as their number is within the budget.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import abnforge
from abnforge.automata.derivatives import Derivatives
from abnforge.automata.dfa import character_classes
from tests.law import each_row, one_in
from tests.laws.engines import check_fast, check_lark

GRAMMARS = ("rfc3986", "rfc2396")
RULES = [(name, rule.name) for name in GRAMMARS for rule in abnforge.load(name).own_rules]


# If there are only a few strings of each length, as for digits, longer strings do not add cases.
LONGEST = 24


def short_strings(rule: abnforge.Rule, budget: int) -> Iterator[str]:
    """Return all such strings up to the greatest length with at most ``budget`` strings."""
    grammar, key = rule.grammar, rule.name.lower()
    states = Derivatives(grammar.facts)
    reachable = grammar.facts.reachable(key)
    alphabet = [c.min() for c in character_classes(grammar.core.rules[key] for key in reachable)]
    level = [""]
    for _ in range(LONGEST + 1):
        if len(level) > budget:
            return
        yield from level
        budget -= len(level)
        viable = (text for text in level if len(states.read(key, text)) > len(text))
        level = [text + char for text in viable for char in alphabet]


def check(name: str, rule: str, fast: int, lark: int) -> None:
    judge = abnforge.load(name)[rule]
    assert judge.regular
    tried = 0
    for text in short_strings(judge, fast):
        check_fast(judge, text)
        tried += 1
    for text in short_strings(judge, lark):
        check_lark(judge, text)
    assert tried > 1


@each_row(("name", "rule"), one_in(5, RULES))
def test_short_strings(name: str, rule: str) -> None:
    check(name, rule, 25, 2)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "rule"), RULES)
def test_longer_strings(name: str, rule: str) -> None:
    check(name, rule, 2_500, 80)
