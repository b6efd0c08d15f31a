"""Ambiguities are shown by two derivations of one string."""

from __future__ import annotations

import pytest

from abnforge import lint

DERIVATIONS = [
    ("a = b / c\nb = DIGIT\nc = 1*DIGIT\n", ('(a (b "1"))', '(a (c "1"))')),
    ("a = *DIGIT *DIGIT\n", ('(a (*DIGIT "1") (*DIGIT ""))', '(a (*DIGIT "") (*DIGIT "1"))')),
    ('a = *( "." / ".." )\n', None),
]


@pytest.mark.parametrize(("text", "derivations"), DERIVATIONS)
def test_an_ambiguity_shows_two_derivations(text: str, derivations: tuple[str, str] | None) -> None:
    [finding] = [f for f in lint(text) if f.name == "ambiguous"]
    assert len(set(finding.derivations)) == 2
    assert derivations is None or finding.derivations == derivations
