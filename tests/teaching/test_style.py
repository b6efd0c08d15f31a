"""Hints on answers that are right."""

from __future__ import annotations

import pytest

from abnforge.teaching.answers import answered
from abnforge.teaching.exercises import exercises
from abnforge.teaching.style import MOST_HINTS, size, style_hints

KNOWN = {each.id: each for each in exercises()}


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("pin", "pin = 4*6DIGIT\n", []),
        ("pin", "pin = 4DIGIT [DIGIT] [DIGIT]\n", ["[ABNF012 ambiguous]"]),
        ("pin", "pin = 4*6digits\ndigits = %x30-39\n", ["digits is the core rule DIGIT"]),
        ("greeting", 'greeting = ("h" / "h") "ello"\n', ["[ABNF013 shadowed-alternative]"]),
        (
            "pin",
            "pin = " + " / ".join(" ".join(n * ["DIGIT"]) for n in (4, 5, 6)) + "\n",
            ["15 parts; 1 would"],
        ),
        ("comma-list", 'list = [list ","] DIGIT\n', ["left-recursion-direct"]),
        ("pin", 'pin = 4*6DIGIT\nmore = "x"\n', ["unused-rule"]),
    ],
)
def test_hints(name: str, text: str, told: list[str]) -> None:
    hints = style_hints(KNOWN[name], text, answered(KNOWN[name], text))
    assert len(hints) == len(told)
    for hint, part in zip(hints, told, strict=True):
        assert part in hint


def test_no_more_than_some() -> None:
    text = "pin = 4*6DIGIT\n" + "".join(f"d{number} = %x30-39\n" for number in range(20))
    assert len(style_hints(KNOWN["pin"], text, answered(KNOWN["pin"], text))) == MOST_HINTS


def test_size() -> None:
    assert size('x = "a" / ( "b" y ) [ "c" ]\ny = 2*3DIGIT\n') == 7


def test_references_are_no_worse_than_they_ask_for() -> None:
    for each in exercises():
        hints = style_hints(each, each.reference, answered(each, each.reference))
        assert not hints, (each.id, hints)
