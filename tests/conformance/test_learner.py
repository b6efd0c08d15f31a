"""The learner: letters, characters that need a separate letter, hypotheses, and counterexamples."""

from __future__ import annotations

import sys

import pytest

import abnforge
from abnforge.automata.algebra import witnesses
from abnforge.automata.dfa import Automaton
from abnforge.budget import Budget
from abnforge.charset import ANY, CharSet
from abnforge.conformance.acceptor import Acceptor, Word
from abnforge.conformance.judges import BlackBox
from abnforge.conformance.learner import (
    BLOCKS,
    MORE_BELOW,
    NEIGHBORS,
    CounterexampleSearch,
    Letters,
    available,
    initial_letters,
    learn_automaton,
    minimize,
    refine,
)
from abnforge.errors import LimitExceeded
from tests.law import each_row
from tests.raising import raises

URI = abnforge.load("rfc3986")


def regular(text: str) -> Automaton:
    return abnforge.loads(f"a = {text}\n")["a"].automaton


def equivalence(
    judge: object, rule: Automaton, budget: Budget, further: tuple[str, ...] = ()
) -> CounterexampleSearch:
    meter = budget.meter("asking")
    letters = Letters(rule.charsets)
    box = BlackBox(judge, "no", 10**6, meter)  # type: ignore[arg-type]
    return CounterexampleSearch(box, letters, rule, 0, map(letters.word, further), meter, budget)


BIG = Budget(steps=10**8)
DIGITS = regular("*DIGIT")
# Accepted language, hypothesis, and the counterexample, or None.
WRONG = [
    ("*5DIGIT", "*DIGIT", "111111"),
    ("*5DIGIT", "*4DIGIT", "11111"),
    ("1*DIGIT", "*DIGIT", ""),
    ("*DIGIT", "*254DIGIT", "1" * 255),
    ('*DIGIT / "x"', "*DIGIT", None),  # "x" does not have a separate letter
    ("*DIGIT", "*DIGIT", None),
    ("*5DIGIT", "*5DIGIT", None),
]


@each_row(("right", "hypothesis", "text"), WRONG)
def test_counterexamples(right: str, hypothesis: str, text: str | None) -> None:
    result = equivalence(regular(right).accepts, DIGITS, BIG)
    word = result.counterexample(regular(hypothesis))
    assert (word and Letters(DIGITS.charsets).text(word)) == text or (word == () and text == "")


def test_the_own_suite_finds_what_the_rules_does_not() -> None:
    """The search allows one state more than the hypothesis, not than the rule."""
    search = equivalence(lambda text: text == "a1a" or DIGITS.accepts(text), DIGITS, BIG)
    assert search.counterexample(DIGITS) == Letters(DIGITS.charsets).word("a1a")


def test_earlier_counterexamples_are_tried_first() -> None:
    search = equivalence(DIGITS.accepts, DIGITS, BIG, ("1" * 70,))
    word = search.counterexample(regular("*66DIGIT"))
    assert word is not None
    assert len(word) == 70


def test_small_ones_are_tried_for_a_state_more() -> None:
    search = equivalence(DIGITS.accepts, DIGITS, BIG)
    assert [search.extra_states(regular(f"*{n}DIGIT")) for n in (1, MORE_BELOW - 2, MORE_BELOW - 1)] == [
        1,
        1,
        0,
    ]


def test_the_budget_holds() -> None:
    rule = URI["IPv6address"].automaton
    with pytest.raises(LimitExceeded):
        equivalence(rule.accepts, rule, Budget(steps=5_000))


def test_blocks_are_a_partition() -> None:
    assert CharSet.from_ranges(pair for block in BLOCKS for pair in block.ranges) == ANY
    assert sum(map(len, BLOCKS)) == len(ANY)


def test_words_and_strings() -> None:
    letters = Letters(URI["port"].automaton.charsets)
    assert len(letters) == 2
    assert letters.text(letters.word("a9")) == "a1"
    assert letters.word("1") == letters.word("9") != letters.word("\U0010ffff")


def test_letters_of_their_own() -> None:
    letters = Letters(URI["port"].automaton.charsets)
    digits = letters.number("1")
    more = letters.moved([(CharSet.of("65"), None), (CharSet.of("3"), None)])
    assert more.sets[digits] == CharSet.of("0124789")
    assert [str(charset) for charset in more.sets[2:]] == ["[56]", "[3]"]
    assert more.text(more.word("123456789")) == "113155111"
    assert (letters.sets[digits], len(letters)) == (CharSet.of("0123456789"), 2)


def test_representatives_of_letters_are_stable() -> None:
    """If the representative changed, cached answers would no longer apply to the letter."""
    letters = Letters([CharSet.of("159"), ~CharSet.of("159")])
    assert list(letters.characters) == ["1", "a"]
    more = letters.moved([(CharSet.of("9"), None)]).moved([(CharSet.of("b"), 2)])
    assert list(more.characters) == ["1", "a", "9"]
    assert more.sets[2] == CharSet.of("9b")


@pytest.mark.parametrize("rule", ["port", "dec-octet", "IPv6address", "URI"])
def test_an_automaton_over_more_letters_has_the_same_language(rule: str) -> None:
    automaton = URI[rule].automaton
    letters = Letters(automaton.charsets)
    at = letters.number("1")
    letters = letters.moved([(letters.sets[at] - CharSet.of("1"), None)] if len(letters.sets[at]) > 1 else [])
    wide = letters.over(automaton)
    assert wide.width == len(letters)
    assert Acceptor(wide).size == Acceptor(automaton).size
    for text in ("", "1", "22", "255", "256", "::1", "a:b", "a://h:80/?#", "%41", "é"):
        assert wide.accepts(text) is automaton.accepts(text)


PORT = URI["port"].automaton


def of(char: str, letters: Letters) -> str:
    return str(letters.sets[letters.number(char)])


@pytest.mark.parametrize("rule", ["port", "scheme", "dec-octet", "IPv4address", "IPv6address"])
def test_who_is_right_tells_nothing_else_apart(rule: str) -> None:
    automaton = URI[rule].automaton
    assert initial_letters(automaton, automaton.accepts).sets == automaton.charsets


def test_digits_of_other_scripts() -> None:
    letters = initial_letters(PORT, str.isdecimal)
    assert of("5", letters) == "[0-9]"
    # No character is the reason for rejecting the empty string; the other digits share a letter.
    assert set("٠١٩۰۹०९０９") <= set(map(chr, letters.sets[letters.number("١")]))
    assert of("a", letters) != of("²", letters) or letters.number("a") == letters.number("²")


def test_neighbors_are_asked_as_far_as_they_differ() -> None:
    result = initial_letters(PORT, lambda text: all("\u0660" <= char <= "\u06ff" for char in text))
    assert of("\u0661", result) == "[\\u0660-\\u0671\\u06E1-\\u06FF]"
    assert NEIGHBORS == 16


def test_blocks_have_a_letter_where_they_differ() -> None:
    letters = initial_letters(PORT, lambda text: text.isascii() and (not text or text.isdecimal()))
    assert len(letters) == 2
    letters = initial_letters(PORT, lambda text: not text.isascii())
    assert letters.number("\u4e01") == letters.number("\U0001f600") != letters.number("a")
    assert letters.number("\ud812") == letters.number("\u4e01")
    letters = initial_letters(PORT, lambda text: any("\ud800" <= char <= "\udfff" for char in text))
    assert letters.number("\ud812") == letters.number("\udabc") != letters.number("\u4e01")


def test_counterexamples_are_minimized() -> None:
    letters = Letters(URI["scheme"].automaton.charsets)
    text, matter = minimize("xhttpy", letters, lambda text: "http" in text)
    assert (text, matter) == ("ahttpa", {"h", "t", "p"})
    text, matter = minimize("zz9", letters, lambda text: len(text) == 3)
    assert (text, matter) == ("aa1", set())


def test_parted_by_a_hypothesis() -> None:
    letters = Letters(PORT.charsets)

    def accepts(text: str) -> bool:
        return not text or (text.isascii() and text.isdigit() and text[0] not in "07")

    result = refine(letters, PORT, PORT, ["0", "3", "7", "x"], accepts)
    assert result == [(CharSet.of("07"), None)]
    apart = letters.moved([(CharSet.of("7"), None)])
    assert refine(apart, PORT, PORT, ["0", "3", "x"], accepts) == [(CharSet.of("0"), 2)]


TEXTS = [
    '"x"',
    '*"x"',
    '*( "x" "y" )',
    '"x" a',  # nothing
    "*%x0-10FFFF",
    '1*3( "x" / "y" "z" ) [ "y" ]',
    '"" / 5"x"',
]


@pytest.mark.parametrize("text", TEXTS)
def test_an_oracle_that_knows_all(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("aalpy")
    right = abnforge.loads(f"a = {text}\n")["a"].automaton
    letters = Letters(right.charsets)
    calls: list[Word] = []

    def member(word: Word) -> bool:
        calls.append(word)
        return right.accepts(letters.text(word))

    def search(hypothesis: Automaton) -> Word | None:
        result = witnesses(hypothesis, right)
        text = result.only_left if result.only_left is not None else result.only_right
        return None if text is None else letters.word(text)

    assert learn_automaton(letters, member, search) == right
    assert calls[0] == ()
    assert all(type(word) is tuple for word in calls)
    assert capsys.readouterr() == ("", "")


def test_the_order_of_letters_does_not_matter() -> None:
    """Equal languages have equal automata."""
    pytest.importorskip("aalpy")
    right = abnforge.loads('a = *( "x" "y" ) [ DIGIT ]\n')["a"].automaton
    letters = Letters(reversed(right.charsets))

    def search(hypothesis: Automaton) -> Word | None:
        result = witnesses(hypothesis, right)
        text = result.only_left if result.only_left is not None else result.only_right
        return None if text is None else letters.word(text)

    assert learn_automaton(letters, lambda word: right.accepts(letters.text(word)), search) == right


def test_missing_aalpy_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "aalpy", None)
    with raises(ModuleNotFoundError, "learn-missing") as caught:
        available()
    assert caught.value.name == "aalpy"
