"""The strings generated for a rule match it and cover the grammar. Their number is always finite."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import strategies as st

import abnforge
from abnforge.charset import CharSet
from abnforge.grammar.core import Chars, Choice, Ref, Repeat, Seq
from abnforge.grammar.sentences import MAX_SENTENCE, SHORTEST, Sentences, Uniform
from tests.law import each_row, law
from tests.raising import raises
from tests.reference.derive import Language
from tests.reference.strategies import ALPHABET, grammars


def sentences(text: str) -> Sentences:
    grammar = abnforge.loads(text + "\n")
    return Sentences(grammar.core, grammar.facts)


# A grammar with the first rule r, and the systematic strings of r.
SYSTEMATIC = [
    ('r = "x"', {"x", "X"}),
    ("r = %x61-63 %x64", {"ad", "cd"}),
    ("r = DIGIT / ALPHA", {"0", "9", "A", "Z", "a", "z"}),
    ("r = *3%x61", {"", "a", "aaa"}),
    ("r = 2*%x61", {"aa", "aaa"}),
    ("r = 2*2%x61", {"aa"}),
    ("r = [ %x61 ] %x62", {"b", "ab"}),
    ("r = %x61.62 / %x63 / %x64.65", {"ab", "c", "de"}),
    ('r = ""', {""}),
    ('r = %x61 / "" / %x62', {"", "a", "b"}),
    ("r = %x28 r %x29 / %x78", {"x", "(x)"}),
    ("r = r %x2B t / t\nt = %x78", {"x", "x+x"}),
    ("r = s / %x61\ns = %x62 s", {"a"}),  # alternatives without strings are omitted
    ("r = %x61 / <words>", {"a"}),
    ("r = *999999999%x61", {"", "a"}),  # MAX_SENTENCE
    ('r = 999999999( *%x61 / "" )', {"", "a"}),  # an iteration is not required
]


@each_row(("grammar", "expected"), SYSTEMATIC)
def test_systematic(grammar: str, expected: set[str]) -> None:
    results = list(sentences(grammar).systematic("r"))
    assert len(results) == len(set(results))
    assert set(results) == expected


def test_readings() -> None:
    """A node derives its choice; everything else is the cheapest, by rules or by characters alone."""
    grammar = abnforge.loads("r = s %x62 / %x61\ns = *t\nt = u / %x63.63\nu = v\nv = w\nw = %x64\n")
    repeat, choice = grammar.core.rules["s"], grammar.core.rules["t"]
    assert isinstance(repeat, Repeat)
    assert isinstance(choice, Choice)
    for cost, cheapest in ((1, "cc"), (SHORTEST, "d")):
        result = Sentences(grammar.core, grammar.facts, character=cost)
        assert next(result.readings("r", repeat, ())) == "b"
        assert next(result.readings("r", repeat, (repeat.item,))) == f"{cheapest}b"
        assert next(result.readings("r", repeat, (repeat.item,) * 3)) == f"{cheapest * 3}b"
        assert set(result.readings("r", choice, choice.items[1:])) == {"ccb"}
        assert set(result.readings("r", repeat, (repeat.item,))) == {"db", "ccb"}
        assert list(result.readings("u", repeat, ())) == []  # the node does not occur below this rule


def test_readings_of_what_derives_nothing() -> None:
    grammar = abnforge.loads("r = %x61 / %x62 s\ns = %x63 s\n")
    choice = grammar.core.rules["r"]
    assert isinstance(choice, Choice)
    assert list(Sentences(grammar.core, grammar.facts).readings("r", choice, choice.items[1:])) == []


LONG_CHAIN = "".join(f"r{i or ''} = %x78 r{i + 1}\n" for i in range(5000)) + "r5000 = *r"
HOSTILE = [
    "r = r r / r r r / %x78",
    'r = r r r / ""',
    "r = *r %x78",
    "r = *( *( *( r ) ) ) / 1*r %x79",
    "r = a\na = b a / b\nb = c b / c\nc = %x28 r %x29 / r r / %x78",
    "".join(f"r{i or ''} = r{i + 1} r{i + 1} / %x78\n" for i in range(200)) + "r200 = %x79",
    LONG_CHAIN,
]


@each_row(
    ("size", "grammar"),
    [
        pytest.param(size, grammar, marks=[pytest.mark.slow] if size and grammar is LONG_CHAIN else [])
        for size in (0, 1000)
        for grammar in HOSTILE
    ],
)
def test_every_derivation_ends(size: int, grammar: str) -> None:
    strings = sentences(grammar)
    source = Random(0)
    for _ in range(5):
        assert len(strings.random("r", source, size)) <= size + 2 * MAX_SENTENCE


@each_row("grammar", ["r = r", "r = %x78 r", "r = <words>", "r = 999999999ALPHA", "r = 100s\ns = 10000ALPHA"])
def test_no_sentence(grammar: str) -> None:
    strings = sentences(grammar)
    with raises(abnforge.GrammarError, "string-size-limit", rule="r", limit=MAX_SENTENCE) as caught:
        strings.random("r", Random(0), 9)
    assert (caught.value.code, caught.value.rule) == ("no-string", "r")
    with pytest.raises(abnforge.GrammarError, match="MAX_SENTENCE"):
        next(strings.systematic("r"))


def test_a_negative_size_is_rejected() -> None:
    with raises(ValueError, "size-negative", size=-1):
        sentences("r = %x78").random("r", Random(0), -1)


def test_one_state_gives_one_sentence() -> None:
    grammar = abnforge.load("rfc3986")
    first, second = (
        [Sentences(grammar.core, grammar.facts).random("uri", source, 60) for _ in range(50)]
        for source in (Random(1), Random(1))
    )
    assert first == second
    assert len(set(first)) > 30


def test_every_alternative_and_count_has_a_chance() -> None:
    """All strings of a small language occur, the shortest ones most often."""
    result, source = sentences('r = *3( "" / %x61 / 2%x62 ) [ %x63-65 ]'), Random(0)
    results = [result.random("r", source, 40) for _ in range(3000)]
    parts = ("", "a", "bb")
    expected = {a + b + c + d for a in parts for b in parts for c in parts for d in ("", "c", "d", "e")}
    assert set(results) == expected
    assert results.count("") > results.count("bbbbbbe")


@law(grammars(recursive=True), st.integers(0, 2**32), few=4, many=30)
def test_sentences_of_random_grammars_are_derived(text: str, seed: int) -> None:
    grammar = abnforge.loads(text)
    language = Language(grammar.core, ALPHABET, 4)
    results, source = Sentences(grammar.core, grammar.facts), Random(seed)
    if "r0" not in grammar.facts.productive:
        with pytest.raises(abnforge.GrammarError):
            results.random("r0", source, 5)
        return
    result = [results.random("r0", source, 5) for _ in range(10)] + list(results.systematic("r0"))
    for sentence in result:
        if len(sentence) <= 4:
            assert sentence.lower() in language.strings["r0"]  # no rule requires an upper-case letter


A, B = Ref("a"), Seq((Chars(CharSet.of("x")), Repeat(Ref("b"), 0, None)))


def test_all_alike() -> None:
    chance = Uniform(Random(1))
    assert {chance.alternative((A, B), (1, 2)) for _ in range(50)} == {A, B}
    assert {chance.character(CharSet.of("az")) for _ in range(50)} == set("az")
    counts = set()
    for _ in range(50):
        another, count = chance.turns(), 0
        while another():
            count += 1
        counts.add(count)
    assert len(counts) > 5
