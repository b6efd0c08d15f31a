"""Coverage of texts: exact cases of each construct, examples, what is never used, and what texts may be."""

from __future__ import annotations

import json
from typing import Any

import abnforge
from abnforge.budget import Budget
from abnforge.conformance import Coverage, Example, coverage
from tests.law import each_row
from tests.raising import raises

NOTE = """\
note   = title *( ";" tag ) [ "!" ] end
title  = 1*ALPHA
tag    = "a" / "b" / 2DIGIT
end    = "." / CRLF
"""


def counts(found: Coverage, rule: str) -> dict[tuple[str, str], int]:
    return {(e.part.kind, e.part.source): e.count for e in found.parts if e.part.rule == rule}


def test_an_exact_case() -> None:
    rule = abnforge.loads(NOTE)["note"]
    found = coverage(rule, ["x.", "xy;a;b!.", "xy;a;a;12.", "x", "", "yz;b."])
    assert (found.texts, found.accepted, found.rejected, found.undecided) == (6, 4, 2, 0)
    tags = '*( ";" tag )'
    assert counts(found, "note") == {
        ("rule", "note"): 4,
        ("zero", tags): 1,
        ("one", tags): 1,
        ("many", tags): 2,
        ("zero", '[ "!" ]'): 3,
        ("one", '[ "!" ]'): 1,
    }
    assert counts(found, "tag") == {
        ("rule", "tag"): 6,
        ("alternative", '"a"'): 3,
        ("alternative", '"b"'): 2,
        ("alternative", "2DIGIT"): 1,
    }
    assert counts(found, "end") == {("rule", "end"): 4, ("alternative", '"."'): 4, ("alternative", "CRLF"): 0}
    assert [(e.part.rule, e.part.kind, e.sample) for e in found.never] == [
        ("end", "alternative", "A\r\n"),
        ("ALPHA", "alternative", "A."),
        ("CR", "rule", "A\r\n"),
        ("CRLF", "rule", "A\r\n"),
        ("LF", "rule", "A\r\n"),
    ]
    examples = {(e.part.rule, e.part.kind, e.part.source): e.example for e in found.parts}
    assert examples["tag", "alternative", '"b"'] == Example("yz;b.", 3, 4)
    assert examples["note", "many", tags] == Example("xy;a;b!.", 2, 6)
    assert examples["note", "zero", tags] == Example("x.", 1, 1)
    assert examples["end", "alternative", "CRLF"] is None
    assert found.percent == 100 * (len(found.parts) - 5) / len(found.parts)


def test_sentences_cover_what_they_are_told_for() -> None:
    """With them nothing is left, and the suite of a rule takes every transition."""
    for rule in (
        abnforge.load("rfc3986")["URI"],
        abnforge.load("rfc8259").start,
        abnforge.loads(NOTE)["note"],
    ):
        before = coverage(rule, [])
        assert len(before.never) == len(before.parts)
        texts = [text for each in (*before.never, *before.never_taken) if (text := each.sample) is not None]
        after = coverage(rule, texts)
        assert (after.rejected, after.never, after.never_taken, after.percent) == (0, (), (), 100)


def test_a_rule_that_recurses_has_no_transitions() -> None:
    rule = abnforge.loads('r = "(" *r ")" / "x"\n')["r"]
    found = coverage(rule, ["x", "(x(x))", "((", "()"])
    assert found.transitions is None
    assert found.never_taken == ()
    assert counts(found, "r") == {
        ("rule", "r"): 6,
        ("alternative", '"(" *r ")"'): 3,
        ("alternative", '"x"'): 3,
        ("zero", "*r"): 1,
        ("one", "*r"): 1,
        ("many", "*r"): 1,
    }


def test_what_a_text_may_be() -> None:
    rule = abnforge.loads("r = *%x61-FFFF\n")["r"]
    found = coverage(rule, iter(["é", "éé".encode(), b"\xff", bytearray(b"a")]))
    assert (found.texts, found.rejected) == (4, 1)
    assert found.parts[-1].example == Example("éé", 0, 2)


def test_texts_that_are_not_decided() -> None:
    rule = abnforge.loads('r = "a" *r "b" / r r / "c"\n')["r"]
    found = coverage(rule, ["c", "acb" * 2000], budget=Budget(steps=20_000, per_character=0))
    assert (found.texts, found.undecided, found.rejected) == (2, 1, 0)


def test_plain_data() -> None:
    rule = abnforge.loads('r = "a" / ALPHA\n')["r"]
    found = coverage(rule, ["a"]).to_dict()
    assert json.loads(json.dumps(found)) == found
    assert list(found) == [
        *("grammar", "rule", "texts", "rejected", "undecided", "percent", "parts", "transitions"),
    ]
    assert found["parts"][1] == {
        "rule": "r",
        "kind": "alternative",
        "source": '"a"',
        "start": 4,
        "end": 7,
        "count": 1,
        "example": {"text": "a", "start": 0, "end": 1},
        "sample": None,
    }
    assert found["parts"][2]["sample"] == "Z"
    assert found["transitions"] == [
        {
            "source": 0,
            "chars": [[65, 90], [97, 122]],
            "target": 1,
            "count": 1,
            "example": {"text": "a", "start": 0, "end": 1},
            "sample": None,
        }
    ]


RULE = abnforge.loads("r = *ALPHA\n")["r"]


@each_row(
    ("arguments", "code"),
    [
        (("r", []), "argument-type"),
        ((RULE, "text"), "argument-type"),
        ((RULE, {"a"}), "argument-type"),
        ((RULE, None), "argument-type"),
        ((RULE, [1]), "argument-type"),
        ((RULE, [], 7), "argument-type"),
    ],
)
def test_misuse(arguments: tuple[Any, ...], code: str) -> None:
    with raises(TypeError, code):
        coverage(*arguments[:2], **({"budget": arguments[2]} if len(arguments) > 2 else {}))
