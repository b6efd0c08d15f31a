"""Comparison of grammars rule by rule, and their backward compatibility."""

from __future__ import annotations

import json

import pytest

import abnforge
from abnforge.budget import Budget
from abnforge.catalog import Message
from abnforge.comparison.grammars import (
    BROKEN,
    COMPATIBLE,
    NOT_SHOWN,
    RELATIONS,
    Compatibility,
    compatibility,
    diff,
    diff_rules,
    differences,
    expression,
    translated,
    verdict,
)
from tests.law import each_row
from tests.raising import raises
from tests.reference.random_grammars import short_texts


def relations(left: str, right: str, translation: dict[str, str] | None = None) -> dict[str, str]:
    comparison = diff(abnforge.loads(left, name="left"), abnforge.loads(right, name="right"), translation)
    return {d.name: d.relation for d in comparison}


def test_every_rule_of_either_grammar_once_in_order() -> None:
    left = 'same = "x"\nless = "x"\nmore = ALPHA\nboth = "x" / "y"\nother = "x"\ngone = "x"\n'
    right = 'new = "x"\nother = "z"\nboth = "y" / "z"\nmore = "x"\nless = ALPHA\nSAME = %x78 / %x58\n'
    assert list(relations(left, right).items()) == [
        ("same", "equal"),
        ("less", "narrower"),
        ("more", "wider"),
        ("both", "overlap"),
        ("other", "disjoint"),
        ("gone", "only-left"),
        ("new", "only-right"),
    ]


def test_a_rule_changes_with_what_it_uses() -> None:
    old, new = 'a = 1*b\nb = "x"\n', 'a = 1*b\nb = "x" / "y"\n'
    assert relations(old, new) == {"a": "narrower", "b": "narrower"}


INHERITED = {
    # A, B, and for each rule that differs the rules that it inherits the difference from
    "used": ('a = 1*b\nb = "x"\n', 'a = 1*b\nb = "y"\n', {"a": ("b",), "b": ()}),
    "through another rule": (
        'a = b "!"\nb = 1*c\nc = "x"\n',
        'a = b "!"\nb = 1*c\nc = "y"\n',
        {"a": ("c",), "b": ("c",), "c": ()},
    ),
    "own difference, too": ('a = 1*b\nb = "x"\n', 'a = 2*b\nb = "y"\n', {"a": (), "b": ()}),
    "two causes": (
        'a = b / c\nb = "x"\nc = "1"\n',
        'a = b / c\nb = "y"\nc = "2"\n',
        {"a": ("b", "c"), "b": (), "c": ()},
    ),
    "recursive": (
        'a = "(" [ a ] b ")"\nb = "x" [ a ]\n',
        'a = "(" [ a ] b ")"\nb = "y" [ a ]\n',
        {"a": ("b",), "b": ()},
    ),
    "other notation": ('a = ( b )\nb = "x"\n', 'A = B\nb = "y"\n', {"a": ("b",), "b": ()}),
    "core rule": ("a = 1*DIGIT\n", "a = 1*DIGIT\nDIGIT = %x30-37\n", {"a": ("DIGIT",), "DIGIT": ()}),
    "other rules": ('a = b\nb = "x"\n', 'a = c\nc = "y"\n', {"a": (), "b": (), "c": ()}),
    "equal": ('a = b\nb = "x" / "y"\n', 'a = b\nb = "y" / "x"\n', {}),
}


@each_row(("left", "right", "expected"), INHERITED.values())
def test_rules_that_inherit_a_difference(left: str, right: str, expected: dict[str, tuple[str, ...]]) -> None:
    comparison = differences(abnforge.loads(left), abnforge.loads(right))
    assert {d.name: d.inherits for d in comparison.rules if not d.equal} == expected
    assert [bool(d.inherits) for d in comparison.rules] == sorted(bool(d.inherits) for d in comparison.rules)


def test_underscores_are_hyphens_and_core_rules_are_counterparts() -> None:
    comparison = diff(
        abnforge.loads("abs_path = digit\ndigit = %x30-39\n"),
        abnforge.loads("Abs-Path = DIGIT\nalpha = DIGIT\n"),
    )
    assert [(d.name, d.relation, d.counterpart) for d in comparison] == [
        ("abs_path", "equal", "Abs-Path"),
        ("digit", "equal", "DIGIT"),
        ("ALPHA", "disjoint", "alpha"),
    ]
    (note,) = [d.note for d in comparison if d.note is not None]
    assert isinstance(note, Message)
    assert (note.code, note.data) == ("comparison-renamed", {"left": "abs_path", "right": "Abs-Path"})


def test_translation() -> None:
    left, right = 'word = 1*ALPHA\npair = word "=" word\nhost = "x"\n', 'name = 1*ALPHA\nhost = "h"\n'
    inputs = {"WORD": "name", "pair": 'name "=" name', "host": '"x" / host'}
    assert relations(left, right, inputs) == {"word": "equal", "pair": "equal", "host": "narrower"}
    assert relations(left, right) == {
        "word": "only-left",
        "pair": "only-left",
        "host": "disjoint",
        "name": "only-right",
    }


def test_a_bad_translation_is_named() -> None:
    with raises(abnforge.UnknownNameError, "rule-name-unknown"):
        relations("word = ALPHA\n", "name = ALPHA\n", {"wrod": "name"})
    with raises(abnforge.GrammarError, "undefined-rule"):
        relations("word = ALPHA\n", "name = ALPHA\n", {"word": '"x" nmae'})


def test_incomparable_rules_have_a_reason() -> None:
    nested = 'nest = "(" [ nest ] ")"\nword = <a word>\nbig = *( "a" / "b" ) "a" 20( "a" / "b" )\n'
    other = nested.replace('"("', '"["').replace("a word", "any word").replace("20", "21")
    comparison = diff(abnforge.loads(nested), abnforge.loads(other))
    assert [d.relation for d in comparison] == ["disjoint", "not-comparable", "not-comparable"]
    assert [d.comparison is None for d in comparison] == [False, True, True]
    notes = [d.note or "" for d in comparison]
    assert "<a word>" in notes[1]
    assert (comparison[2].limit and comparison[2].limit.setting) == "budget.steps"


def test_rules_that_recurse_are_equal_where_they_are_written_the_same() -> None:
    nested = 'nest = "(" [ nest ] item ")"\nitem = ALPHA\n'
    assert relations(nested, nested) == {"nest": "equal", "item": "equal"}
    changed = nested.replace("ALPHA", "DIGIT")
    assert relations(nested, changed) == {"nest": "undecided", "item": "disjoint"}
    (result, _) = diff(abnforge.loads(nested), abnforge.loads(changed))
    assert result.limit is not None
    assert result.note


def test_expression_is_a_rule_or_abnf() -> None:
    grammar = abnforge.loads("a = ALPHA\n")
    assert expression(grammar, " A ") is grammar["a"]
    result = expression(grammar, "a DIGIT", "a")
    assert (result.name, result.grammar.name) == ("a-translated", "<string>")
    assert (result.matches("x1"), result.matches("x")) == (True, False)
    with pytest.raises(abnforge.GrammarError):
        expression(grammar, "a /")


def test_as_data() -> None:
    result = diff_rules(abnforge.load("rfc2396")["reg-name"], abnforge.load("rfc3986")["reg-name"])
    data = json.loads(json.dumps(result.to_dict()))
    assert list(data) == [
        "rule",
        "counterpart",
        "relation",
        "only_left",
        "only_right",
        "more_left",
        "more_right",
        "common",
        "inherits",
        "note",
    ]
    assert (data["only_left"]["text"], data["only_right"]["text"], data["common"]) == (":", "", "a")


@pytest.mark.slow
def test_another_transcription_of_rfc_3987_is_equal() -> None:
    comparison = diff(abnforge.load("abnf:rfc3987"), abnforge.load("rfc3987"))
    assert len(comparison) > 35
    assert {d.name: d.relation for d in comparison if not d.equal} == {}


def test_differences_are_in_the_order_an_author_looks_at_them() -> None:
    a = abnforge.loads('same = "x"\ngone = "x"\nless = "x"\nboth = "x" / "y"\n', name="old")
    b = abnforge.loads('same = "x"\nnew = "x"\nless = ALPHA\nboth = "y" / "z"\n', name="new")
    result = differences(a, b)
    assert [(rule.name, rule.relation) for rule in result.rules] == [
        ("both", "overlap"),
        ("less", "narrower"),
        ("gone", "only-left"),
        ("new", "only-right"),
        ("same", "equal"),
    ]
    assert list(result.counts) == [r for r in RELATIONS if r in result.counts]
    assert set(result.counts.values()) == {1}
    assert (result.left, result.right, result.equal) == ("old", "new", False)
    assert [rule.name for rule in result.changes().rules] == ["both", "less", "gone", "new"]
    assert differences(a, a).equal
    assert differences(a, a).changes().rules == ()


@pytest.mark.parametrize(
    ("rules", "name", "counterpart"),
    [
        (("abs_path", "x"), "abs_path", "x"),
        (("abs_path", None), "abs_path", "abs-path"),
        ((None, "abs-path"), "abs_path", "abs-path"),
    ],
)
def test_a_rule_alone(rules: tuple[str | None, str | None], name: str, counterpart: str) -> None:
    a, b = abnforge.loads('abs_path = "x"\n'), abnforge.loads('abs-path = "x"\nx = "y"\n')
    [result] = differences(a, b, rules=rules).rules
    assert (result.name, result.counterpart) == (name, counterpart)


def test_grammars_of_one_name_are_called_what_the_caller_calls_them() -> None:
    a = abnforge.loads('a = "x"\n', name="g")
    assert differences(a, a, named=("old/g", "new/g")).left == "old/g"
    same = differences(a, a, named=("g", "g"))
    assert (same.left, same.right) == ("the first", "the second")


def test_a_translation_as_it_is_written() -> None:
    assert translated(' a = b [ "=" ] ') == ("a", 'b [ "=" ]')
    for pair in ("a", "=b", "a="):
        with raises(ValueError, "translation-malformed"):
            translated(pair)


def compared(old: str, new: str, *rules: str, budget: Budget | None = None) -> Compatibility:
    a, b = (abnforge.loads(text, name=name, budget=budget) for text, name in ((old, "old"), (new, "new")))
    return compatibility(a, b, rules)


def verdicts(found: Compatibility) -> dict[str, str]:
    return {rule.name: verdict(rule) for rule in found.diff.rules}


# The rule ``a`` before and after a change, and whether the change is compatible.
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
    ('"x" a', '"y"', COMPATIBLE),  # no string was valid before
]


@each_row(("old", "new", "expected"), CHANGES)
def test_changes(old: str, new: str, expected: str) -> None:
    result = compared(f"a = {old}\n", f"a = {new}\n")
    assert verdicts(result) == {"a": expected}
    assert result.compatible is (expected == COMPATIBLE)
    assert [rule.name for rule in result.rules(expected)] == ["a"]


@each_row(("old", "new", "expected"), [each for each in CHANGES if "<" not in "".join(each[:2])])
def test_it_is_inclusion(old: str, new: str, expected: str) -> None:
    """The relation holds for all short strings."""
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


def test_comparisons_that_exceed_the_budget_are_not_shown() -> None:
    rule = 'a = *( "a" / "b" ) "a" 30( "a" / "b" ) {}\n'
    result = compared(rule.format(""), rule.format('/ "c"'), budget=Budget(steps=20_000))
    assert verdicts(result) == {"a": NOT_SHOWN}
    assert not result.compatible


@pytest.mark.slow
def test_undecided_can_be_compatible_all_the_same() -> None:
    """The structure proves that every old string is still valid. Whether others are valid is undecided."""
    old = 'a = "x" a "x" / "y" a "y" / "" \n'
    new = 'a = "x" a "x" / "y" a "y" / "" / b\nb = "x" b "x" / "y" b "y" / "xx"\n'
    result = compared(old, new)
    assert result.diff.rules[0].relation == "undecided"
    assert verdicts(result) == {"a": COMPATIBLE}


def test_plain_data() -> None:
    result = compared('a = "x"\n', 'a = "y"\n').to_dict()
    assert json.loads(json.dumps(result)) == result
    assert (result["compatible"], result["old"], result["new"]) == (False, "old", "new")
    assert result["rules"][0]["verdict"] == "broken"
    assert result["rules"][0]["only_left"]["text"] == "x"


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


def test_different_alphabets_are_not_equal() -> None:
    text = "obs = %x80-FF\n"
    a, b = abnforge.loads(text), abnforge.loads(text, alphabet="bytes")
    with raises(ValueError, "rule-alphabets"):
        diff(a, b)
    assert diff_rules(a["obs"], b["obs"]).relation == "not-comparable"
    assert diff(b, b)[0].equal
