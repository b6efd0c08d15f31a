"""Near misses: an edit away from a sentence, and none; each with its rejection."""

from __future__ import annotations

import pytest

import abnforge
from abnforge.conformance import near_misses
from tests.raising import raises

URI = abnforge.load("rfc3986")
NESTED = abnforge.loads('v = "[" [ v *( "," v ) ] "]" / 1*DIGIT\nw = <words>\n')

# rule, and how many there are
COUNTS = [("port", 1), ("scheme", 4), ("dec-octet", 14), ("IPv4address", 62)]


def distance(one: str, other: str) -> int:
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        row, before = [i], row
        for j, b in enumerate(other, 1):
            row.append(min(before[j] + 1, row[-1] + 1, before[j - 1] + (a != b)))
    return row[-1]


@pytest.mark.parametrize(("rule", "count"), COUNTS)
def test_regular_rules(rule: str, count: int) -> None:
    found = list(near_misses(URI[rule]))
    assert len(found) == count
    check(URI[rule], found)


def test_rules_that_recurse() -> None:
    found = list(near_misses(NESTED["v"]))
    assert len(found) > 50
    check(NESTED["v"], found)


def check(rule: abnforge.Rule, found: list) -> None:  # type: ignore[type-arg]
    texts = [each.text for each in found]
    assert texts == sorted(set(texts), key=lambda text: (len(text), text))
    for each in found:
        assert not rule.matches(each.text)
        assert rule.matches(each.sample)
        assert distance(each.text, each.sample) == 1
        assert each.valid is False
        assert each.code in rule.grammar.codes
        assert 0 <= each.offset <= len(each.text)


def test_sections_are_told() -> None:
    assert {each.section for each in near_misses(URI["port"])} == {"3.2.3"}


def test_what_is_no_rule() -> None:
    with raises(TypeError, "argument-type", name="rule", type="str"):
        next(near_misses("rfc3986:URI"))  # type: ignore[arg-type]
    with raises(abnforge.GrammarError, "prose-val"):
        next(near_misses(NESTED["w"]))
