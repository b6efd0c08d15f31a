"""Comments that accept a finding: where they stand, and that they give a reason."""

from __future__ import annotations

import pytest

from abnforge import lint

ACCEPTED = [
    "; abnforge: allow nullable-loop (on purpose)\na = *( *DIGIT )\n",
    "; Section 1\n; abnforge: allow ambiguous, NULLABLE-LOOP (on purpose)\n; more\na = *( *DIGIT ) [DIGIT]\n",
    "a = *( *DIGIT ) ; abnforge: allow nullable-loop (on purpose)\n",
    "a = *( *DIGIT )\n    ; abnforge: allow nullable-loop (on purpose)\nb = a\n",
]


@pytest.mark.parametrize("text", ACCEPTED)
def test_accepted(text: str) -> None:
    findings = lint(text)
    assert {(f.accepted, f.counts) for f in findings} == {("on purpose", False)}


NOT_ACCEPTED = [
    ("; abnforge: allow nullable-loop (on purpose)\n\na = *( *DIGIT )\n", "no rule follows it"),
    ("; abnforge: allow nullable-loop\na = *( *DIGIT )\n", "no reason"),
    ("; abnforge: allow nullable-loop ()\na = *( *DIGIT )\n", "no reason"),
    ("; abnforge: allow (on purpose)\na = *( *DIGIT )\n", "names no finding"),
    ('; abnforge: allow nullable-loop (on purpose)\nb = "."\na = *( *DIGIT ) b\n', "has no finding"),
    ('a = *( *DIGIT )\nb = a "." ; abnforge: allow nullable-loop (on purpose)\n', "has no finding"),
    ('a = *( *DIGIT )\nb = a "; abnforge: allow nullable-loop (on purpose)"\n', None),
]


@pytest.mark.parametrize(("text", "why"), NOT_ACCEPTED)
def test_not_accepted(text: str, why: str | None) -> None:
    findings = lint(text)
    assert [f.accepted for f in findings if f.name == "nullable-loop"] == [None]
    assert [why in f.message for f in findings if f.name == "useless-allow" and why] == [True] * bool(why)
