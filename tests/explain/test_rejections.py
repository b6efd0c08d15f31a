"""Rejections of rules that are hard to explain."""

from __future__ import annotations

import pytest

import abnforge

# Rules that hold themselves in every place: each state leads to as many others as there are ways to begin.
TANGLED = [
    'r = r r / [ r ] r "x" / *2r "y"',
    'r = *2( [ *2r 1*2r "x" ] ) / "y" *2r / r',
    "r = a a\na = [ b ] r / %x78\nb = *r a [ a ] / %x79",
]


@pytest.mark.parametrize("grammar", TANGLED)
@pytest.mark.parametrize("text", ["", "x", "xyxxy", "zxy", "xyxyz"])
def test_tangled_recursion_is_explained_in_bounded_time(grammar: str, text: str) -> None:
    rule = abnforge.loads(grammar + "\n")["r"]
    rejection = rule.explain(text)
    assert (rejection is None) is rule.matches(text)
    if rejection is not None and rejection.suggestion is not None:
        assert rule.matches(rejection.suggestion.text)
