"""Patterns as networks: positions, lookbehind in order, and character classes."""

from __future__ import annotations

import pytest

from abnforge.budget import DEFAULT, Budget
from abnforge.conformance import pattern
from abnforge.errors import LimitExceeded
from abnforge.regex.network import FALSE, TRUE, BehindPlace, PatternLanguages, PatternNetwork, ReadPlace
from abnforge.regex.python import read
from tests.law import each_row
from tests.raising import raises


def network(text: str) -> PatternNetwork:
    meter = DEFAULT.meter("a test")
    return PatternNetwork(read(text, 0, meter), meter)


def test_classes_are_reported_by_their_sets() -> None:
    result = network("[ab][bc]")
    assert len(result.classes) == len(result.masks) == 4
    assert len(set(result.masks)) == 4
    sets = {place.number for place in result.places if isinstance(place, ReadPlace)}
    for charset, mask in zip(result.classes, result.masks, strict=True):
        inside = {number for number in sets if mask >> number & 1}
        assert len(inside) == ("a" in charset) + ("c" in charset) + 2 * ("b" in charset)


def test_equal_assertions_are_one_wherever_they_stand() -> None:
    assert len(network(r"\ba\b|\bb\b").trackers) == 1
    assert len(network("(?<=ab)c|(?<=ab)d").trackers) == 1
    assert len(network("(?<=ab)c|(?<=ac)d").trackers) == 2


def test_what_is_after_comes_after_what_is_within_it() -> None:
    results = network("(?<=(?<=(?<!a)b)c)d|(?<=(?<=x)(?=(?<=y)z))")
    for number, start in enumerate(results.trackers):
        waiting, seen = [start], set[int]()
        while waiting:
            place = waiting.pop()
            if place in seen:
                continue
            seen.add(place)
            result = results.places[place]
            if isinstance(result, BehindPlace):
                assert result.tracker < number
            waiting += [getattr(result, name) for name in ("target", "body") if hasattr(result, name)]
            waiting += getattr(result, "targets", ())


@pytest.mark.parametrize("text", ["(a{1000}){1000}", "(?:){999999999}", "(a{0,1000}){0,1000}"])
def test_work_is_charged(text: str) -> None:
    meter = Budget(steps=100_000).meter("a test")
    with pytest.raises(LimitExceeded):
        PatternNetwork(read(text, 0, meter), meter)


def test_many_sets_are_charged() -> None:
    """Each of thousands of sets contains the ends of others."""
    text = "".join(f"[^{chr(code)}]" for code in range(0x4E00, 0x4E00 + 9_000))
    meter = DEFAULT.meter("a test")
    with pytest.raises(LimitExceeded):
        PatternNetwork(read(text, 0, meter), meter)


def states(text: str) -> tuple[PatternNetwork, PatternLanguages]:
    meter = DEFAULT.meter("a test")
    network = PatternNetwork(read(text, 0, meter), meter)
    return network, PatternLanguages(network, meter)


def test_fewer_obligations_are_enough() -> None:
    _, result = states("a")
    one, two = frozenset([4]), frozenset([4, 7])
    assert result.least([(3, one), (3, two), (5, two)]) == {(3, one), (5, two)}
    assert result.least([(3, one), (3, frozenset())]) == {(3, frozenset())}


def test_all_and_nothing_have_numbers_of_their_own() -> None:
    _, result = states("a")
    assert result.language([]) == FALSE
    assert result.language([(PatternNetwork.END, frozenset()), (1, frozenset())]) == TRUE
    assert result.accepts(result.threads(TRUE))
    assert not result.accepts(result.threads(FALSE))


def test_what_contradicts_itself_is_no_thread() -> None:
    network, result = states("(?=a)(?!a)a|b")
    assert len(result.closed(network.start, ())) == 1


# Patterns that combine several assertions, and the number of states of their minimal automata.
SIZES = [
    ("(?=.*a)(?=.*b)(?=.*c)[abc]*", 8),
    ("(?!.*ab)(?!.*ba)[ab]*", 3),
    ("(?:(?=a)a|(?!a)b)*", 1),
    ("(?:(?!abc)[abc])*", 3),
    ("(?:(?!a.a)[ab])*", 4),
    ("(?:a(?=.*b)|b)*", 2),
]


@each_row(("text", "expected"), SIZES)
def test_sizes(text: str, expected: int) -> None:
    assert pattern(text).automaton.states == expected


@pytest.mark.parametrize(
    "text",
    [
        ".*a.{30}",
        "(?=(?=(?=.*a.{9}).*b.{9}).*c.{9}).*",
        "(?:(?<=a.{12})|(?<=b.{13})|c|(?=.*d.{9}).)*",
        "(?<!" + "|".join(f"(?=.*{char}.)(?=.*{char.upper()}.)" for char in "abcdefghijklmnop") + ").*",
    ],
)
def test_work_on_languages_is_charged(text: str) -> None:
    with pytest.raises(LimitExceeded):
        _ = pattern(text, budget=Budget(steps=30_000)).automaton


def test_memory_is_charged() -> None:
    with raises(LimitExceeded, "limit-exceeded"):
        _ = pattern(".*a.{30}", budget=Budget(memory=1_000_000)).automaton
