"""Tables walked in C and in Python give the automaton's verdicts and offsets and the derivation's places."""

from __future__ import annotations

import pytest

import abnforge
from abnforge.automata.tables import TableTooLargeError
from abnforge.automata.tagged import tagged
from abnforge.budget import Budget
from abnforge.errors import LimitExceeded
from tests.laws.kernel import check_components, check_verdicts
from tests.reference.regular_grammars import grammar, texts

# What the tagged automata of random grammars may take: some of them are as large as they like.
SMALL = Budget(steps=60_000)


def check(seed: int, short: int) -> bool:
    """Whether the places of parts were checked, too."""
    loaded = abnforge.loads(grammar(seed))
    rule = loaded["r0"]
    read = texts(seed, short)
    try:
        check_verdicts(rule, read, least_loop=(1, 2, 16)[seed % 3])
    except LimitExceeded:
        return False
    names = [other.name for other in loaded.own_rules[1:]]
    parts = {name: (name,) for name in names}
    made = loaded.compilation
    try:
        points = tagged(made.core, made.bodies, "r0", parts, {}, SMALL.meter("it"))
        check_components(rule, names, points, read)
    except (LimitExceeded, TableTooLargeError):
        return False
    return True


MANY = [pytest.param(100 * number, marks=pytest.mark.slow) for number in range(1, 4)]


@pytest.mark.parametrize("first", [0, *MANY])
def test_random_grammars(first: int) -> None:
    seeds = range(first, first + (12 if first == 0 else 60))
    checked = sum(check(seed, 3 if first == 0 else 4) for seed in seeds)
    assert checked > len(seeds) * 0.8
