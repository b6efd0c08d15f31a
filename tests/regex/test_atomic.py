"""What gives nothing back, without it: the same texts as Python's engine, which has it."""

from __future__ import annotations

import re

import pytest

from abnforge.budget import Budget
from abnforge.conformance import PatternError, pattern
from abnforge.errors import LimitExceeded
from tests.law import each_row, one_in
from tests.reference.written_patterns import by_re, taken

CUTS = [
    "(?>a|ab)c",
    "(?>ab|a)b",
    "(?>a*b|a)*",
    "(?>a*?b)c",
    "(?>a{1,2}?b)b",
    "(?>a{1,2}b?)b",
    "(?>a{0,3}ab)c?",
    "(?>a?(?:b|bc))c",
    "(?>(?:a|ab)(?:c|bc))c?",
    "(?>(?:a|ab)+)b",
    "(?>(?:a|ab){2})b",
    "(?>(?:ab|a){1,2}b?)b",
    "(?>(?:a|ab)*?)b",
    "(?>(?:a|ab){0,2}c)",
    "(?>(?>a|ab)(?>c|))*b",
    "(?>a(?=b)|ab)c?",
    "(?=(?>a|ab)c)a.*",
    "(?!(?>a|ab)c)a.*",
    "(?>(?>(?>a+)))b",
    "(?>)a|(?>b{0})",
    "(?:a|ab){2}+c?",
    "(?:a|ab){1,2}+b?",
    "(?:ab?)?+b",
    "a++a|b*+c",
]


@each_row("how", one_in(3, ["fullmatch", "match", "search"]))
@each_row("text", CUTS)
def test_cuts(text: str, how: str) -> None:
    compiled = re.compile(text)
    assert taken(compiled, "abc", how) == by_re(compiled, "abc", how)


@pytest.mark.parametrize("text", ["(?>(?:a|ab)*c)", "(?>(?:a?)*)", "(?>(?:a?){2}b)"])
def test_what_is_not_known_is_refused_by_name(text: str) -> None:
    with pytest.raises(PatternError) as caught:
        _ = pattern(text).automaton
    assert caught.value.construct is not None
    assert caught.value.code == "pattern-construct"


@pytest.mark.parametrize("text", ["(?>(?:a|b|ab){20}c)", "(?>a{0,9}b{0,9}c{0,9}d{0,9}e{0,9}f{0,9}x)"])
def test_work_is_charged(text: str) -> None:
    with pytest.raises(LimitExceeded):
        _ = pattern(text, budget=Budget(steps=50_000)).automaton


def test_a_group_within_a_group_costs_nothing() -> None:
    assert pattern("(?>" * 90 + "a*" + ")" * 90).automaton == pattern("a*").automaton
