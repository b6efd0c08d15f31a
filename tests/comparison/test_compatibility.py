"""Backward compatible or not: verdicts of every relation, which rules are asked, what is not shown."""

from __future__ import annotations

import json

import pytest

import abnforge
from abnforge.budget import Budget
from abnforge.comparison.grammars import (
    BROKEN,
    COMPATIBLE,
    NOT_SHOWN,
    Compatibility,
    compatibility,
    verdict,
)
from tests.law import each_row
from tests.raising import raises
from tests.reference.random_grammars import short_texts


def compared(old: str, new: str, *rules: str, budget: Budget | None = None) -> Compatibility:
    a, b = (abnforge.loads(text, name=name, budget=budget) for text, name in ((old, "old"), (new, "new")))
    return compatibility(a, b, rules)


def verdicts(found: Compatibility) -> dict[str, str]:
    return {rule.name: verdict(rule) for rule in found.diff.rules}


# The rule a before and after, and whether that is compatible.
CHANGES = [
    ('"x" / "y"', '"y" / "x"', COMPATIBLE),
    ('"x"', '"x" / "y"', COMPATIBLE),
    ('"x" / "y"', '"x"', BROKEN),
    ('"x" / "y"', '"y" / "z"', BROKEN),
    ('"x"', '"y"', BROKEN),
    ("*ALPHA", "1*ALPHA", BROKEN),
    ('"(" [ a ] ")"', '"(" *a ")"', COMPATIBLE),
    ('"(" *a ")"', '"(" [ a ] ")"', BROKEN),
    ("<words>", "<words>", COMPATIBLE),
    ("<words>", "<other words>", NOT_SHOWN),
    ('"x"', "<words>", NOT_SHOWN),
    ('"x" a', '"y"', COMPATIBLE),  # nothing was valid
]


@each_row(("old", "new", "expected"), CHANGES)
def test_changes(old: str, new: str, expected: str) -> None:
    found = compared(f"a = {old}\n", f"a = {new}\n")
    assert verdicts(found) == {"a": expected}
    assert found.compatible is (expected == COMPATIBLE)
    assert [rule.name for rule in found.rules(expected)] == ["a"]


@each_row(("old", "new", "expected"), [each for each in CHANGES if "<" not in "".join(each[:2])])
def test_it_is_inclusion(old: str, new: str, expected: str) -> None:
    """Of short texts, too."""
    a, b = abnforge.loads(f"a = {old}\n")["a"], abnforge.loads(f"a = {new}\n")["a"]
    texts = (*short_texts(4, "xyz()"), *short_texts(6, "()"))
    lost = [text for text in texts if a.matches(text) and not b.matches(text)]
    assert bool(lost) is (expected == BROKEN)


def test_the_rules_that_are_exported() -> None:
    old = (
        'top = part\npart = "x" / "y"\nother = part\n'
        'loop = "(" hoop\nhoop = ")" / loop\nself = "s" [ self ]\n'
    )
    assert [rule.name for rule in abnforge.loads(old).exported] == ["top", "other", "loop", "self"]
    cycle = 'a = b\nb = "x" / "y" a\n'
    assert [rule.name for rule in abnforge.loads(cycle).exported] == ["a"]
    assert [rule.name for rule in abnforge.load("rfc3339").exported] == [
        "date-time",
        "full-time-strict",
        "date-time-strict",
    ]
    new = old.replace('part = "x" / "y"', 'part = "x"').replace("top = part", 'top = part / "y"')
    assert verdicts(compared(old, new)) == {
        "other": BROKEN,
        "top": COMPATIBLE,
        "loop": COMPATIBLE,
        "self": COMPATIBLE,
    }
    assert verdicts(compared(old, new, "PART", "top"))["part"] == BROKEN


def test_a_rule_that_is_gone_or_has_another_name() -> None:
    old, new = abnforge.loads('a = "x"\nb_c = "y"\n'), abnforge.loads('d = "x" / "z"\nB-C = "y"\n')
    assert verdicts(compatibility(old, new)) == {"a": BROKEN, "b_c": COMPATIBLE}
    assert verdicts(compatibility(old, new, translation={"A": "d"})) == {"a": COMPATIBLE, "b_c": COMPATIBLE}
    assert verdicts(compatibility(old, new, translation={"a": '"y" / d'}, alone=True)) == {}
    assert verdicts(compatibility(old, new, ["a"], {"a": '"y" / d'}, alone=True)) == {"a": COMPATIBLE}


def test_what_the_budget_does_not_suffice_for_is_not_shown() -> None:
    rule = 'a = *( "a" / "b" ) "a" 30( "a" / "b" ) {}\n'
    found = compared(rule.format(""), rule.format('/ "c"'), budget=Budget(steps=20_000))
    assert verdicts(found) == {"a": NOT_SHOWN}
    assert not found.compatible


@pytest.mark.slow
def test_undecided_can_be_compatible_all_the_same() -> None:
    """By how the rules are built, every old string is new; whether there are others nobody knows."""
    old = 'a = "x" a "x" / "y" a "y" / "" \n'
    new = 'a = "x" a "x" / "y" a "y" / "" / b\nb = "x" b "x" / "y" b "y" / "xx"\n'
    found = compared(old, new)
    assert found.diff.rules[0].relation == "undecided"
    assert verdicts(found) == {"a": COMPATIBLE}


def test_plain_data() -> None:
    found = compared('a = "x"\n', 'a = "y"\n').to_dict()
    assert json.loads(json.dumps(found)) == found
    assert (found["compatible"], found["old"], found["new"]) == (False, "old", "new")
    assert found["rules"][0]["verdict"] == "broken"
    assert found["rules"][0]["only_left"]["text"] == "x"


def test_misuse() -> None:
    grammar = abnforge.loads('a = "x"\n')
    with raises(TypeError, "argument-type", name="old", type="str"):
        compatibility("a", grammar)  # type: ignore[arg-type]
    with raises(TypeError, "argument-type", name="rules", type="str"):
        compatibility(grammar, grammar, "a")
    with pytest.raises(abnforge.UnknownNameError):
        compatibility(grammar, grammar, ["b"])
    with pytest.raises(abnforge.UnknownNameError):
        compatibility(grammar, grammar, translation={"b": "a"})
