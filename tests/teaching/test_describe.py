"""Rules in plain English: exact statements, with strings that match and strings that do not."""

from __future__ import annotations

from itertools import product

import pytest
from syrupy.assertion import SnapshotAssertion

import abnforge
from abnforge.teaching.describe import (
    MAX_ALTERNATIVES,
    UP_TO,
    RuleFacts,
    facts_about,
    how_many,
    in_english,
    shortest,
)
from tests.law import one_in
from tests.raising import raises

ALOUD = [
    "1*3DIGIT",
    '*DIGIT "."',
    "2( DIGIT / ALPHA )",
    '[ "x" ] %s"Y"',
    '[ DIGIT "-" ]',
    'DIGIT / ( "-" / "." ) ALPHA',
    "%x30-39",
    "%x0D.0A",
    '""',
    "0DIGIT",
    "*5DIGIT 20*DIGIT",
    "<a date>",
    "*1ALPHA",
    '*( [ "a" ] )',
]


def test_read_aloud(snapshot: SnapshotAssertion) -> None:
    assert {abnf: in_english(abnforge.loads(f"a = {abnf}\n")["a"]) for abnf in ALOUD} == snapshot


def test_of_long_choices_the_first_are_read() -> None:
    words = " / ".join(f'"w{n}"' for n in range(1_000))
    result = in_english(abnforge.loads(f"a = {words}\n")["a"])
    assert result.count('"w') == MAX_ALTERNATIVES
    assert f" {1_000 - MAX_ALTERNATIVES} " in result


def test_how_many() -> None:
    assert [how_many(*each) for each in ((0, None), (1, None), (3, 3), (0, 2), (2, 11))] == [
        "any number of",
        "one or more",
        "three",
        "at most two",
        "two to 11",
    ]


RULES = [("rfc3986", rule.name) for rule in abnforge.load("rfc3986").own_rules]
RULES += [("rfc8259", "value"), ("rfc8259", "number"), ("rfc3339", "date-time"), ("rfc5322", "date-time")]


@pytest.mark.parametrize(("grammar", "name"), one_in(3, RULES))
def test_examples_are_what_they_are_said_to_be(grammar: str, name: str) -> None:
    rule = abnforge.load(grammar)[name]
    result = facts_about(rule)
    assert result.words.startswith(f"{rule.name} is ")
    assert result.sentences
    assert all(map(rule.matches, result.sentences))
    assert not any(map(rule.matches, result.misses))
    assert result.nullable is rule.matches("")
    assert all(text[0] in result.first for text in result.sentences if text)
    assert result.exact is (result.states is not None) is rule.regular


SMALL = [
    'a = *"-" "."\n',
    'a = "-" / ".-" / 2"."\n',
    'a = *( "-" ".." )\n',
    'a = ""\n',
    'a = 3*5"." / *"-"\n',
]


@pytest.mark.parametrize("text", SMALL)
def test_against_all_strings(text: str) -> None:
    rule = abnforge.loads(text)["a"]
    every = ["".join(word) for length in range(UP_TO + 1) for word in product("-.", repeat=length)]
    derived = [each for each in every if rule.matches(each)]
    results = facts_about(rule)
    assert results.count == len(derived)
    assert results.finite is ("*" not in text)
    result = shortest(rule.automaton, 2, rule.grammar.compilation.budget.meter("a test"))
    assert list(map(len, result)) == list(map(len, derived[:2]))
    assert set(result) <= set(derived)
    assert len(set(result)) == len(result)


def test_prose_has_words_and_nothing_else() -> None:
    result = facts_about(abnforge.loads("a = <a date>\n")["a"])
    assert (result.sentences, result.misses, result.states, result.count, result.finite) == (
        (),
        (),
        None,
        None,
        None,
    )


def test_nothing_is_derived() -> None:
    result = facts_about(abnforge.loads("a = DIGIT a\n")["a"])
    assert (result.sentences, result.count, result.finite) == ((), 0, True)


def test_misuse() -> None:
    for ask in (facts_about, in_english):
        with raises(TypeError, "argument-type", name="rule"):
            ask("port")  # type: ignore[operator]
    assert isinstance(facts_about(abnforge.load("rfc3986")["port"]), RuleFacts)
