"""Expressions of automata: one for each order in which states can be eliminated."""

from __future__ import annotations

import itertools
import re

import pytest

import abnforge
from abnforge.regex.dialects import DIALECTS
from abnforge.regex.from_rule import to_regex
from abnforge.regex.writer import write_pattern


@pytest.mark.parametrize("name", ["hostname", "domainlabel", "toplabel", "escaped", "IPv4address", "scheme"])
def test_expressions_of_automata(name: str) -> None:
    """Each order of elimination gives an expression of the same language."""
    automaton = abnforge.load("rfc2396")[name].automaton
    patterns = [write_pattern(e, DIALECTS["re2"]) for e in to_regex(automaton)]
    assert len(patterns) == automaton.states
    for pattern in set(patterns):
        fullmatch = re.compile(pattern).fullmatch
        for size in range(6):
            for text in map("".join, itertools.product("a1-.%", repeat=size)):
                assert (fullmatch(text) is not None) is automaton.accepts(text), (pattern, text)
