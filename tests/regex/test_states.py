"""Threads with obligations: what is kept of them, and how many there are."""

from __future__ import annotations

import pytest

from abnforge.budget import DEFAULT, Budget
from abnforge.conformance import pattern
from abnforge.errors import LimitExceeded
from abnforge.regex.network import FALSE, TRUE, Languages, PatternNetwork
from abnforge.regex.python import read
from tests.law import each_row
from tests.raising import raises


def states(text: str) -> tuple[PatternNetwork, Languages]:
    meter = DEFAULT.meter("a test")
    network = PatternNetwork(read(text, 0, meter), meter)
    return network, Languages(network, meter)


def test_fewer_obligations_are_enough() -> None:
    _, made = states("a")
    one, two = frozenset([4]), frozenset([4, 7])
    assert made.least([(3, one), (3, two), (5, two)]) == {(3, one), (5, two)}
    assert made.least([(3, one), (3, frozenset())]) == {(3, frozenset())}


def test_all_and_nothing_have_numbers_of_their_own() -> None:
    _, made = states("a")
    assert made.language([]) == FALSE
    assert made.language([(PatternNetwork.END, frozenset()), (1, frozenset())]) == TRUE
    assert made.accepts(made.threads(TRUE))
    assert not made.accepts(made.threads(FALSE))


def test_what_contradicts_itself_is_no_thread() -> None:
    network, made = states("(?=a)(?!a)a|b")
    assert len(made.closed(network.start, ())) == 1


# Languages that need several obligations at once, and the number of states of their minimal automata.
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
def test_work_is_charged(text: str) -> None:
    with pytest.raises(LimitExceeded):
        _ = pattern(text, budget=Budget(steps=30_000)).automaton


def test_memory_is_charged() -> None:
    with raises(LimitExceeded, "limit-exceeded"):
        _ = pattern(".*a.{30}", budget=Budget(memory=1_000_000)).automaton
