"""Random strings of a regular language."""

from __future__ import annotations

from random import Random

import pytest

import abnforge
from abnforge.budget import Budget, Meter
from abnforge.conformance.acceptor import Acceptor
from abnforge.conformance.sampling import Likened, Uniform
from tests.raising import raises

URI = abnforge.load("rfc3986")


def meter() -> Meter:
    return Budget(steps=10_000_000).meter("a test")


@pytest.mark.parametrize(
    ("rule", "counts"),
    [("dec-octet", [0, 10, 90, 156, 0]), ("port", [1, 10, 100, 1_000]), ("h16", [0, 22, 484])],
)
def test_counts(rule: str, counts: list[int]) -> None:
    uniform = Uniform(Acceptor(URI[rule].automaton), meter())
    assert [uniform.count(length) for length in range(len(counts))] == counts
    with raises(ValueError, "argument-value", name="length", value=9):
        Uniform(Acceptor(URI["dec-octet"].automaton), meter()).string(9, Random(1))


def test_long_ones() -> None:
    text = Uniform(Acceptor(URI["URI"].automaton), meter()).string(400, Random(1))
    assert len(text) == 400
    assert URI["URI"].matches(text)


def test_texts_that_are_none_count_as_far_as_they_are_read() -> None:
    likened = Likened(Acceptor(URI["port"].automaton), ["80", "8080x"])
    assert likened.read == 1
    assert {likened.string(Random(seed), 6) for seed in range(30)} >= {"80", "8080"}
