"""Calls on small grammars that need much work end in bounded time and memory.

Each call runs in a process with a memory limit. It returns a value, or raises an error whose code names the
exceeded limit.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import strategies as st

import abnforge
from abnforge.engine.grammar import sentences
from tests.law import law
from tests.limits import Overdue, isolated, within
from tests.reference.hostile_grammars import FAMILIES

SECONDS = 20.0  # limit of processor time
OCTETS = 700_000_000

STRINGS: list[Callable[[int], str]] = [
    *(lambda m: "a" * m, lambda m: "a" * m + "!", lambda m: "ab" * m, lambda m: "b" * m, lambda m: "!" * m),
    *(lambda m: "ab" * m + "a!", lambda m: "(" * m + ")" * m, lambda m: "a" + "+a" * m),
    lambda m: "word1" * m,
]  # fmt: skip
CALLS: dict[str, Callable[[abnforge.Rule, str], Any]] = {
    "load": lambda rule, text: None,
    "matches": lambda rule, text: rule.matches(text),
    "matches by Lark": lambda rule, text: rule.matches(text, engine="lark"),
    "parse": lambda rule, text: rule.parse(text),
    "check": lambda rule, text: rule.check(text),
    "explain": lambda rule, text: rule.explain(text, suggest=False),
    "suggest": lambda rule, text: rule.explain(text),
    "automaton": lambda rule, text: rule.automaton,
    "pattern": lambda rule, text: rule.pattern,
    "export": lambda rule, text: (rule.export("re2"), rule.export("java")),
    "compare": lambda rule, text: abnforge.compare(rule, rule),
    "definition": lambda rule, text: rule.definition,
    "lark text": lambda rule, text: rule.lark_text,
    "sentences": lambda rule, text: list(sentences(rule, count=3, seed=1)),
    "lint": lambda rule, text: None,
}
WITHOUT_PATTERN = ("export-failed", "export-failed-linear", "rule-not-regular")


def outcome(grammar: str, call: str, text: str) -> str:
    """Return the error code of a call, its undocumented error, or "" if it succeeds."""
    try:
        with within(SECONDS):
            if call == "lint":
                abnforge.lint(grammar)
                return ""
            rule = abnforge.loads(grammar).start
            try:
                CALLS[call](rule, text)
            except abnforge.Rejected:
                return "rejected and matches" if rule.matches(text) else ""
    except abnforge.GrammarError as error:
        return "" if str(error) else repr(error)
    except (Exception, Overdue) as error:
        return str(getattr(error, "code", repr(error)))
    return ""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes do not fork here")
@law(
    st.sampled_from(sorted(FAMILIES)),
    st.floats(0.2, 1),
    st.sampled_from(sorted(CALLS)),
    st.sampled_from(STRINGS),
    st.floats(0, 1),
    few=6,
    many=100,
)
def test_every_call_ends(
    family: str, size: float, call: str, string: Callable[[int], str], length: float
) -> None:
    """Sizes are drawn by their number of digits, so that small and large ones are equally likely."""
    make, greatest = FAMILIES[family]
    grammar, text = make(max(1, round(greatest**size))), string(round(3_000**length))
    code = isolated(lambda: outcome(grammar, call, text), SECONDS, OCTETS)
    assert code in ("", *WITHOUT_PATTERN)
