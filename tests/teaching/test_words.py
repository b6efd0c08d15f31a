"""Rules in words: what is said is exact, and what is shown is what the rule derives and what it does not."""

from __future__ import annotations

from itertools import product

import pytest

import abnforge
from abnforge.teaching.words import UP_TO, About, about, how_many, read_aloud, shortest
from tests.law import one_in

ALOUD = [
    ("1*3DIGIT", "one to three DIGITs"),
    ('*DIGIT "."', 'any number of DIGITs, then "."'),
    ("2( DIGIT / ALPHA )", "two times (either DIGIT, or ALPHA)"),
    ('[ "x" ] %s"Y"', 'optionally "x" in any case, then "Y" in just this case'),
    ('[ DIGIT "-" ]', 'optionally (DIGIT, then "-")'),
    ('DIGIT / ( "-" / "." ) ALPHA', 'either DIGIT, or ((either "-", or "."), then ALPHA)'),
    ("%x30-39", 'a character from "0" to "9"'),
    ("%x0D.0A", "U+000D CARRIAGE RETURN and U+000A LINE FEED (%x0D.0A)"),
    ('""', "nothing"),
    ("0DIGIT", "nothing"),
    ("*5DIGIT 20*DIGIT", "at most five DIGITs, then 20 or more DIGITs"),
    ("<a date>", "what is described as <a date>"),
    ("*1ALPHA", "optionally ALPHA"),
    ('*( [ "a" ] )', 'any number of times (optionally "a" in any case)'),
]


@pytest.mark.parametrize(("abnf", "words"), ALOUD)
def test_read_aloud(abnf: str, words: str) -> None:
    assert read_aloud(abnforge.loads(f"a = {abnf}\n")["a"]) == f"a is {words}."


def test_of_long_choices_the_first_are_read() -> None:
    words = " / ".join(f'"w{n}"' for n in range(1_000))
    said = read_aloud(abnforge.loads(f"a = {words}\n")["a"])
    assert said.endswith(', or "w29" in any case, or one of 970 others.')


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
    told = about(rule)
    assert told.words.startswith(f"{rule.name} is ")
    assert told.sentences
    assert all(map(rule.matches, told.sentences))
    assert not any(map(rule.matches, told.misses))
    assert told.nullable is rule.matches("")
    assert all(text[0] in told.first for text in told.sentences if text)
    assert told.exact is (told.states is not None) is rule.regular


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
    told = about(rule)
    assert told.count == len(derived)
    assert told.finite is ("*" not in text)
    found = shortest(rule.automaton, 2, rule.grammar.compilation.budget.meter("a test"))
    assert list(map(len, found)) == list(map(len, derived[:2]))
    assert set(found) <= set(derived)
    assert len(set(found)) == len(found)


def test_prose_has_words_and_nothing_else() -> None:
    told = about(abnforge.loads("a = <a date>\n")["a"])
    assert (told.sentences, told.misses, told.states, told.count, told.finite) == ((), (), None, None, None)


def test_nothing_is_derived() -> None:
    told = about(abnforge.loads("a = DIGIT a\n")["a"])
    assert (told.sentences, told.count, told.finite) == ((), 0, True)


def test_misuse() -> None:
    for ask in (about, read_aloud):
        with pytest.raises(TypeError, match="rule is a Rule, not str"):
            ask("port")  # type: ignore[operator]
    assert isinstance(about(abnforge.load("rfc3986")["port"]), About)
