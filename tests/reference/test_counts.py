"""The number of derivations equals known numbers, and the number of enumerated derivations."""

from __future__ import annotations

import math
from random import Random

import pytest

import abnforge
from tests.law import each_row
from tests.reference.counts import count
from tests.reference.derivations import derivations
from tests.reference.random_grammars import KINDS, grammar, short_texts
from tests.reference.test_derivations import COUNTS

MOST = 50  # maximum number of derivations to enumerate

CATALAN = [1, 1, 2, 5, 14, 42, 132]


@each_row(("text", "string", "number", "trees"), COUNTS)
def test_listed(text: str, string: str, number: int, trees: object) -> None:
    """The enumeration is infinite only if a rule can contain itself over the same span."""
    core = abnforge.loads(text + "\n").core
    assert count(core, "s", string) in (number, math.inf)


@pytest.mark.parametrize("size", range(1, 8))
def test_ways_to_bracket(size: int) -> None:
    ambiguous = 's = s s / "a"\n'
    assert count(abnforge.loads(ambiguous).core, "s", "a" * size) == CATALAN[size - 1]


@each_row(
    ("text", "string", "number"),
    [
        ('s = s / "x"', "x", math.inf),
        ('s = s / "x"', "y", 0),
        ('s = a / "x"\na = s / "y"', "x", math.inf),
        ('s = "x" / "y" a\na = a / "z"', "x", 1),
        ('s = "x" / "y" a\na = a / "z"', "yz", math.inf),
        ('s = "x" a\na = a', "x", 0),
        # A cycle that leads nowhere.
        ('s = "x" / a\na = a', "x", 1),
        ('s = s s / "x" / ""', "", math.inf),
        ('s = *a "x"\na = [ a "y" ]', "yx", 1),
        ('s = 2a\na = [ "x" ]', "x", 2),
        ('s = 2a\na = [ a ] [ "x" ]', "x", math.inf),
    ],
)
def test_numbers(text: str, string: str, number: float) -> None:
    assert count(abnforge.loads(text + "\n").core, "s", string) == number


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("tries", [1, pytest.param(30, marks=pytest.mark.slow)])
def test_counted_is_listed(kind: str, tries: int) -> None:
    """Two derivations can have the same tree, as in ``"x" / [ "x" ]``: they count as two."""
    for seed in range(tries):
        text = grammar(Random(f"{kind} {seed}"), kind)
        core = abnforge.loads(text).core
        for string in short_texts(2):
            listed = derivations(core, "r0", string, MOST)
            number = count(core, "r0", string)
            assert min(number, MOST) == len(listed) or (number == math.inf and listed), text
            assert derivations(core, "r0", string, 3) == listed[:3], text
