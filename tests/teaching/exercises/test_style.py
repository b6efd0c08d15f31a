"""Hints on answers that are right."""

from __future__ import annotations

from abnforge.teaching.exercises.exercise import answered, exercises
from abnforge.teaching.exercises.grading import MOST_HINTS, size, style_hints
from tests.law import each_row

KNOWN = {each.id: each for each in exercises()}


@each_row(
    ("name", "text", "codes"),
    [
        ("pin", "pin = 4*6DIGIT\n", []),
        ("pin", "pin = 4DIGIT [DIGIT] [DIGIT]\n", ["ambiguous"]),
        ("pin", "pin = 4*6digits\ndigits = %x30-39\n", ["style-core-rule"]),
        ("greeting", 'greeting = ("h" / "h") "ello"\n', ["shadowed-alternative"]),
        (
            "pin",
            "pin = " + " / ".join(" ".join(n * ["DIGIT"]) for n in (4, 5, 6)) + "\n",
            ["style-long"],
        ),
        ("comma-list", 'list = [list ","] DIGIT\n', ["left-recursion-direct"]),
        ("pin", 'pin = 4*6DIGIT\nmore = "x"\n', ["unused-rule"]),
    ],
)
def test_hints(name: str, text: str, codes: list[str]) -> None:
    hints = style_hints(KNOWN[name], text, answered(KNOWN[name], text))
    assert len(hints) == len(codes)
    for hint, code in zip(hints, codes, strict=True):
        assert code == getattr(hint, "code", None) or hint.endswith(f"{code}]")


def test_hints_have_data() -> None:
    long = "pin = " + " / ".join(" ".join(n * ["DIGIT"]) for n in (4, 5, 6)) + "\n"
    texts = (long, "pin = 4*6digits\ndigits = %x30-39\n")
    hints = [style_hints(KNOWN["pin"], text, answered(KNOWN["pin"], text))[0] for text in texts]
    data = [{"own": 15, "enough": 1}, {"name": "digits", "core": "DIGIT"}]
    assert [hint.data for hint in hints] == data


def test_no_more_than_some() -> None:
    text = "pin = 4*6DIGIT\n" + "".join(f"d{number} = %x30-39\n" for number in range(20))
    assert len(style_hints(KNOWN["pin"], text, answered(KNOWN["pin"], text))) == MOST_HINTS


def test_size() -> None:
    grammar = 'x = "a" / ( "b" y ) [ "c" ]\ny = 2*3DIGIT\n'
    assert size(grammar) == 7


def test_references_are_no_worse_than_they_ask_for() -> None:
    for each in exercises():
        hints = style_hints(each, each.reference, answered(each, each.reference))
        assert not hints, (each.id, hints)
