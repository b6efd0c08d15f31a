"""Comments that accept a finding: where they stand, and that they give a reason."""

from __future__ import annotations

import pytest

from abnforge import lint
from tests.law import each_row

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
    ("; abnforge: allow nullable-loop (on purpose)\n\na = *( *DIGIT )\n", "useless-allow-misplaced"),
    ("; abnforge: allow nullable-loop\na = *( *DIGIT )\n", "useless-allow-unexplained"),
    ("; abnforge: allow nullable-loop ()\na = *( *DIGIT )\n", "useless-allow-unexplained"),
    ("; abnforge: allow (on purpose)\na = *( *DIGIT )\n", "useless-allow-nameless"),
    ('; abnforge: allow nullable-loop (on purpose)\nb = "."\na = *( *DIGIT ) b\n', "useless-allow"),
    ('a = *( *DIGIT )\nb = a "." ; abnforge: allow nullable-loop (on purpose)\n', "useless-allow"),
    ('a = *( *DIGIT )\nb = a "; abnforge: allow nullable-loop (on purpose)"\n', None),
]


@each_row(("text", "code"), NOT_ACCEPTED)
def test_not_accepted(text: str, code: str | None) -> None:
    findings = lint(text)
    assert [f.accepted for f in findings if f.name == "nullable-loop"] == [None]
    assert [f.message.code for f in findings if f.name == "useless-allow"] == ([code] if code else [])
