"""Every transition of a rule's minimal automaton is taken by the pattern's own engine, to both verdicts."""

from __future__ import annotations

import pytest

import abnforge
from abnforge.regex.dialects import DIALECTS
from tests.laws.texts import transitions
from tests.reference.engines import ENGINES, holds

# Faults of engines that no proof of a pattern sees were found in such rules.
SMALL = {
    "an optional group before what it begins with": '[ %s"c" ] [ %s"ab" ] %s"c"',
    "turns that end before a character that may be absent": '[ %s"a" *%s"b" %s"c" ] *( %s"a" [%s"b"] %s"c" )',
    "an empty alternative before others": '[ %s"a" ( [%s"b"] / %s"c" ) ]',
    "line ends": "*( %x61 / %xD.A ) [ %xA ]",
}


def check(dialect: str, rules: list[abnforge.Rule]) -> None:
    jobs, expected = [], []
    for rule in rules:
        pairs = [(text, valid) for text, valid in transitions(rule.automaton) if holds(dialect, text)]
        jobs.append((rule.export(dialect), (), [text for text, _ in pairs]))
        expected.append(pairs)
    for rule, pairs, answers in zip(rules, expected, ENGINES[dialect](jobs), strict=True):
        wrong = [
            text for (text, valid), found in zip(pairs, answers, strict=True) if valid is (found is None)
        ]
        assert wrong == [], rule.name
    assert {valid for pairs in expected for _, valid in pairs} == {True, False}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_small_rules(dialect: str) -> None:
    rules = [abnforge.loads(f"r = {body}\n")["r"] for body in SMALL.values()]
    check(dialect, [*rules, abnforge.load("rfc3986")["authority"]])


# Grammars of which every regular rule has a pattern in every dialect.
WHOLE = ("rfc2396", "rfc2396bis-07", "rfc3339", "rfc3986", "rfc3987", "rfc5234", "rfc5321", "rfc6874")


@pytest.mark.slow
@pytest.mark.parametrize("grammar", abnforge.grammar_names())
@pytest.mark.parametrize("dialect", DIALECTS)
def test_all_rules(dialect: str, grammar: str) -> None:
    rules = [rule for rule in abnforge.load(grammar).values() if has_pattern(rule, dialect)]
    assert rules
    if grammar in WHOLE:
        assert rules == [
            rule for rule in abnforge.load(grammar).values() if rule.regular and rule.automaton.table
        ]
    check(dialect, rules)


def has_pattern(rule: abnforge.Rule, dialect: str) -> bool:
    """Whether a rule is its grammar's own, within the budget, and has a pattern in a dialect."""
    if rule.origin == "import" or not rule.regular:
        return False
    try:
        return bool(rule.automaton.table) and rule.export(dialect) is not None
    except (abnforge.LimitExceeded, ValueError):
        return False
