"""Coverage of strings: constructs, transitions, examples, and strings that cover the rest."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest

import abnforge
from abnforge.budget import DEFAULT, Budget
from abnforge.conformance import Coverage, Example, coverage, suite
from abnforge.conformance.coverage import Transitions, covering
from abnforge.conformance.usage import marked_rules
from tests.law import each_row, one_in
from tests.raising import raises
from tests.reference.random_grammars import KINDS, grammar, short_texts
from tests.reference.uses import uses

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
    result = coverage(rule, ["x.", "xy;a;b!.", "xy;a;a;12.", "x", "", "yz;b."])
    assert (result.texts, result.accepted, result.rejected, result.undecided) == (6, 4, 2, 0)
    tags = '*( ";" tag )'
    assert counts(result, "note") == {
        ("rule", "note"): 4,
        ("zero", tags): 1,
        ("one", tags): 1,
        ("many", tags): 2,
        ("zero", '[ "!" ]'): 3,
        ("one", '[ "!" ]'): 1,
    }
    assert counts(result, "tag") == {
        ("rule", "tag"): 6,
        ("alternative", '"a"'): 3,
        ("alternative", '"b"'): 2,
        ("alternative", "2DIGIT"): 1,
    }
    assert counts(result, "end") == {
        ("rule", "end"): 4,
        ("alternative", '"."'): 4,
        ("alternative", "CRLF"): 0,
    }
    assert [(e.part.rule, e.part.kind, e.sample) for e in result.never] == [
        ("end", "alternative", "A\r\n"),
        ("ALPHA", "alternative", "A."),
        ("CR", "rule", "A\r\n"),
        ("CRLF", "rule", "A\r\n"),
        ("LF", "rule", "A\r\n"),
    ]
    examples = {(e.part.rule, e.part.kind, e.part.source): e.example for e in result.parts}
    assert examples["tag", "alternative", '"b"'] == Example("yz;b.", 3, 4)
    assert examples["note", "many", tags] == Example("xy;a;b!.", 2, 6)
    assert examples["note", "zero", tags] == Example("x.", 1, 1)
    assert examples["end", "alternative", "CRLF"] is None
    assert result.percent == 100 * (len(result.parts) - 5) / len(result.parts)


def test_sentences_cover_what_they_are_told_for() -> None:
    """The strings cover all remaining parts, and a test suite takes every transition."""
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
    result = coverage(rule, ["x", "(x(x))", "((", "()"])
    assert result.transitions is None
    assert result.never_taken == ()
    assert counts(result, "r") == {
        ("rule", "r"): 6,
        ("alternative", '"(" *r ")"'): 3,
        ("alternative", '"x"'): 3,
        ("zero", "*r"): 1,
        ("one", "*r"): 1,
        ("many", "*r"): 1,
    }


def test_types_of_strings() -> None:
    rule = abnforge.loads("r = *%x61-FFFF\n")["r"]
    result = coverage(rule, iter(["é", "éé".encode(), b"\xff", bytearray(b"a")]))
    assert (result.texts, result.rejected) == (4, 1)
    assert result.parts[-1].example == Example("éé", 0, 2)


def test_strings_that_are_not_decided() -> None:
    rule = abnforge.loads('r = "a" *r "b" / r r / "c"\n')["r"]
    result = coverage(rule, ["c", "acb" * 2000], budget=Budget(steps=20_000, per_character=0))
    assert (result.texts, result.undecided, result.rejected) == (2, 1, 0)


def test_plain_data() -> None:
    rule = abnforge.loads('r = "a" / ALPHA\n')["r"]
    result = coverage(rule, ["a"]).to_dict()
    assert json.loads(json.dumps(result)) == result
    assert list(result) == [
        *("grammar", "rule", "texts", "rejected", "undecided", "percent", "parts", "transitions"),
    ]
    assert result["parts"][1] == {
        "rule": "r",
        "kind": "alternative",
        "source": '"a"',
        "start": 4,
        "end": 7,
        "count": 1,
        "example": {"text": "a", "start": 0, "end": 1},
        "sample": None,
    }
    assert result["parts"][2]["sample"] == "Z"
    assert result["transitions"] == [
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


def test_transitions() -> None:
    rule = abnforge.loads('r = *"a" "b" / "c"\n')["r"]
    result = coverage(rule, ["aab", "b", "AB", "bb"])
    assert result.transitions is not None
    moves = {(move.source, move.chars.min(), move.target): move for move in result.transitions}
    assert {key: move.count for key, move in moves.items()} == {
        (0, "A", 1): 2,
        (0, "B", 2): 1,
        (0, "C", 2): 0,
        (1, "A", 1): 1,
        (1, "B", 2): 2,
    }
    assert moves[0, "A", 1].example == Example("AB", 0, 1)
    assert moves[1, "A", 1].example == Example("aab", 1, 2)
    assert [move.sample for move in result.never_taken] == ["c"]


@pytest.mark.slow
def test_a_suite_takes_every_transition() -> None:
    rule = abnforge.load("rfc3986")["authority"]
    result = coverage(rule, [vector.text for vector in suite(rule, "quick")])
    assert result.transitions
    assert not result.never_taken


def test_rules_without_an_automaton_that_is_small_enough() -> None:
    recursive = abnforge.loads('r = "(" r ")" / "x"\n')["r"]
    large = abnforge.loads('r = *( "a" / "b" ) "a" 40( "a" / "b" )\n', budget=Budget(steps=50_000))["r"]
    assert Transitions.of(recursive) is None
    assert Transitions.of(large) is None
    assert coverage(large, ["a" * 41]).transitions is None


TEXTS = list(short_texts(5))


def covered(text: str) -> list[tuple[str, str | None, int | None]]:
    """Return each part, its covering string, and the length of a shortest string that uses it, if known."""
    rule = abnforge.loads(text)["r0"]
    marked = marked_rules(rule)
    sentences = covering(marked, "r0", range(len(marked.parts)), DEFAULT)
    shortest: dict[int, int] = {}
    for each in TEXTS:
        for part, _, _ in uses(marked, "r0", each) or ():
            shortest.setdefault(part, len(each))
    for part, sentence in enumerate(sentences):
        if sentence is not None:
            assert part in {number for number, _, _ in uses(marked, "r0", sentence) or ()}
    names = (f"{each.part.kind} {each.part.source}" for each in marked.parts)
    return [
        (name, text, shortest.get(n)) for n, (name, text) in enumerate(zip(names, sentences, strict=True))
    ]


BY_HAND = [
    'r0 = "a" / "b" / "ab"\n',
    "r0 = r1 / %x61 %x62\nr1 = r2\nr2 = r3\nr3 = %x62\n",  # shortest in characters, not in rules
    'r0 = *"a" [ "b" ] 1*2"a"\n',
    'r0 = 1*( ["a"] ) 2*( ["b"] )\n',
    'r0 = "a" r0 "b" / *r1\nr1 = "b" [ r0 "b" ]\n',
    'r0 = r0 "a" / r0 "b" / "a"\n',
    'r0 = "a" / 1*"a"\n',  # "a" uses only the first alternative
]


@pytest.mark.parametrize("text", BY_HAND)
def test_shortest(text: str) -> None:
    for name, sentence, shortest in covered(text):
        assert (None if sentence is None else len(sentence)) == shortest, name


@pytest.mark.parametrize("text", ['r0 = "a" / "a"\n', 'r0 = "a" / "b" r1\nr1 = "a" r1\n', 'r0 = [ *"a" ]\n'])
def test_alternatives_that_no_string_covers(text: str) -> None:
    """Repeated alternatives, rules without strings, and options that are always empty are never used."""
    result = covered(text)
    assert any(sentence is None for _, sentence, _ in result)
    assert all((sentence is None) is (shortest is None) for _, sentence, shortest in result)


def test_a_rule_without_strings() -> None:
    assert {sentence for _, sentence, _ in covered('r0 = "a" r0\n')} == {None}


@pytest.mark.parametrize(("kind", "seed"), one_in(20, [(kind, seed) for seed in range(6) for kind in KINDS]))
def test_random_grammars(kind: str, seed: int) -> None:
    """A covering string uses its part. If a part does not have one, none of many strings uses the part."""
    source = Random(f"covering {kind} {seed}")
    while True:
        text = grammar(source, kind)
        facts = abnforge.loads(text).facts
        if facts.cyclic.isdisjoint(facts.reachable("r0")):
            break
    result = covered(text)
    derives = "r0" in abnforge.loads(text).facts.productive
    assert any(sentence is not None for _, sentence, _ in result) is derives


def test_it_ends_with_the_budget() -> None:
    rule = abnforge.load("rfc3986")["URI"]
    marked = marked_rules(rule)
    assert covering(marked, rule.key, [0, 5], Budget(steps=10)) == [None, None]
