"""Strings of a rule that recurses outside of a regular language: a shortest one, if there is any."""

from __future__ import annotations

import re

import pytest
from hypothesis import strategies as st

import abnforge
from abnforge import Budget
from abnforge.budget import DEFAULT
from abnforge.conformance import pattern
from abnforge.conformance.proof import shortest_outside
from abnforge.engine.rule import Rule
from abnforge.errors import LimitExceeded
from tests.law import each_row, law
from tests.reference.written_patterns import texts

LISTS = abnforge.loads('list = "[" [ item *( "," item ) ] "]"\nitem = 1*DIGIT / list\n')["list"]
PAIRS = abnforge.loads('s = "(" s ")" s / ""\n')["s"]
MIDDLE = abnforge.loads('s = %s"a" s %s"b" / %s"ab" / t\nt = 2*3( %s"b" ) / t %s"a"\n')["s"]


def outside(rule: Rule, text: str) -> str | None:
    core = rule.grammar.compilation.core
    return shortest_outside(core, rule.key, pattern(text).automaton, DEFAULT.meter("a test"))


CASES = [
    (LISTS, r"\[.*\]", None),
    (LISTS, r"[\[\],0-9]*", None),
    (LISTS, r"\[(\d+(,\d+)*)?\]", "[[]]"),
    (LISTS, r"\[[0-9]?\]", "[11]"),
    (LISTS, "(?!)", "[]"),
    (LISTS, r"(?s:.){0,6}", "[11111]"),
    (PAIRS, r"[()]*", None),
    (PAIRS, r"(\(\))*", "(())"),
    (PAIRS, r"(?!.*\({3}).*", "((()))"),
    (PAIRS, ".+", ""),
    (MIDDLE, "a*b+a*b*", None),
    (MIDDLE, "a*b{1,3}a*", "abbbb"),
]


@each_row(("rule", "text", "expected"), CASES)
def test_a_shortest_string(rule: Rule, text: str, expected: str | None) -> None:
    found = outside(rule, text)
    assert (found is None) is (expected is None)
    if found is not None and expected is not None:
        assert len(found) == len(expected)
        assert rule.matches(found)
        assert not re.fullmatch(text, found)


_REGULAR = st.recursive(
    st.sampled_from(["a", "b", "[ab]", "aa", "bb"]),
    lambda part: st.one_of(
        st.builds("{}{}".format, part, part),
        st.builds("(?:{}|{})".format, part, part),
        st.builds("(?:{})*".format, part),
    ),
    max_leaves=6,
)


@law(_REGULAR, few=25, many=1_000)
def test_it_is_the_shortest_of_all(text: str) -> None:
    found = outside(MIDDLE, text)
    others = [each for each in texts("ab", range(7)) if MIDDLE.matches(each) and not re.fullmatch(text, each)]
    if others:
        assert found is not None
        assert len(found) == len(others[0])
        assert found in others
    else:
        assert found is None or len(found) > 6


def test_work_is_charged() -> None:
    automaton = pattern("(?:a|b){200}").automaton
    with pytest.raises(LimitExceeded):
        shortest_outside(MIDDLE.grammar.compilation.core, "s", automaton, Budget(steps=500).meter("a test"))
