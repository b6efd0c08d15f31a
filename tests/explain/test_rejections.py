"""Rejections of rules that are hard to explain."""

from __future__ import annotations

import pytest

import abnforge
from tests.work import calls

# Rules that hold themselves in every place: each state leads to as many others as there are ways to begin.
TANGLED = [
    'r = r r / [ r ] r "x" / *2r "y"',
    'r = *2( [ *2r 1*2r "x" ] ) / "y" *2r / r',
    "r = a a\na = [ b ] r / %x78\nb = *r a [ a ] / %x79",
]


CALLS = 3_000_000  # twice as many as the most expensive one makes

# These take half a second and more.
SLOW = [(TANGLED[1], "xyxxy"), (TANGLED[1], "xyxyz")]


@pytest.mark.parametrize(
    ("text", "grammar"),
    [
        pytest.param(text, grammar, marks=[pytest.mark.slow] if (grammar, text) in SLOW else [])
        for text in ("", "x", "xyxxy", "zxy", "xyxyz")
        for grammar in TANGLED
    ],
)
def test_tangled_recursion_is_explained_for_bounded_work(text: str, grammar: str) -> None:
    rule = abnforge.loads(grammar + "\n")["r"]
    calls(rule.explain, text, most=CALLS)
    rejection = rule.explain(text)
    assert (rejection is None) is rule.matches(text)
    if rejection is not None and rejection.suggestion is not None:
        assert rule.matches(rejection.suggestion.text)
