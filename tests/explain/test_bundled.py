"""Every rule of every bundled grammar explains wrong characters."""

from __future__ import annotations

import pytest

import abnforge
from tests.places import ROOT

NAMES = sorted(path.stem for path in (ROOT / "grammars").glob("*.abnf") if ".mistakes" not in path.name)
STRINGS = ("<", "", "\x00\xe9")


def check(name: str, rules: list[str]) -> None:
    grammar = abnforge.load(name)
    for rule in rules:
        for string in STRINGS:
            rejection = grammar[rule].explain(string)
            assert (rejection is None) == grammar[rule].matches(string)
            assert rejection is None or rejection.code in grammar.codes


def test_a_rule_with_the_name_of_a_word() -> None:
    check("rfc9535", ["start", "end"])


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_every_rule(name: str) -> None:
    check(name, [rule.name for rule in abnforge.load(name).own_rules])
