"""A pattern accepts in its own engine what the rule derives: on cases, generated texts and mutants."""

from __future__ import annotations

import pytest

import abnforge
from abnforge.regex.dialects import DIALECTS
from tests.law import one_in
from tests.laws.texts import texts
from tests.reference.engines import ENGINES, holds

GRAMMARS = ["rfc3986", "rfc2396", "rfc3987"]


def rules(grammar: str) -> list[str]:
    return [rule.name for rule in abnforge.load(grammar).own_rules]


def check(dialect: str, grammar: str, names: list[str], count: int) -> None:
    g = abnforge.load(grammar)
    expected = [[pair for pair in texts(grammar, name, count) if holds(dialect, pair[0])] for name in names]
    jobs = [
        (g[name].export(dialect), (), [text for text, _ in pairs])
        for name, pairs in zip(names, expected, strict=True)
    ]
    verdicts = ENGINES[dialect](jobs)
    wrong = [
        (name, text, valid)
        for name, pairs, found in zip(names, expected, verdicts, strict=True)
        for (text, valid), verdict in zip(pairs, found, strict=True)
        if valid is (verdict is None)
    ]
    assert wrong == []
    assert {valid for pairs in expected for _, valid in pairs} == {True, False}


@pytest.mark.parametrize("grammar", GRAMMARS)
@pytest.mark.parametrize("dialect", one_in(3, DIALECTS))
def test_verdicts(dialect: str, grammar: str) -> None:
    """Each dialect on some rules, each rule in some dialects."""
    check(dialect, grammar, rules(grammar)[list(DIALECTS).index(dialect) % 3 :: 3], 6)


@pytest.mark.slow
@pytest.mark.parametrize("grammar", GRAMMARS)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_many_verdicts(dialect: str, grammar: str) -> None:
    check(dialect, grammar, rules(grammar), 60)
