"""Putting expressions together: what is simplified on the way."""

from __future__ import annotations

import pytest

from abnforge.backends.regex.tree import (
    EPSILON,
    Alt,
    Cat,
    Group,
    Regex,
    Rep,
    Set,
    alt,
    cat,
    has_long_turns,
    rep,
)
from abnforge.charset import CharSet
from tests.law import each_row

A, B = Set(CharSet.of("a")), Set(CharSet.of("b"))
AB = Set(CharSet.of("ab"))
MAY_BE_EMPTY = Cat((Rep(A, 0, None), Rep(B, 0, None)))

SIMPLIFIED: list[tuple[Regex, Regex]] = [
    (rep(A, 1, 1), A),
    (rep(A, 0, 0), EPSILON),
    (rep(EPSILON, 2, None), EPSILON),
    (rep(Rep(A, 0, 1), 0, None), Rep(A, 0, None)),
    (rep(Rep(A, 1, 3), 0, None), Rep(A, 0, None)),
    (rep(Rep(A, 2, 3), 0, None), Rep(Rep(A, 2, 3), 0, None)),
    (rep(Rep(A, 1, None), 0, None), Rep(A, 0, None)),
    # No turn is counted that may read nothing.
    (rep(MAY_BE_EMPTY, 2, 2), Rep(MAY_BE_EMPTY, 0, 2)),
    (rep(MAY_BE_EMPTY, 3, None), Rep(MAY_BE_EMPTY, 0, None)),
    (rep(MAY_BE_EMPTY, 0, 1), MAY_BE_EMPTY),
    (rep(Rep(A, 0, 3), 2, 3), Rep(A, 0, 9)),
    # But a group holds what its last turn does.
    (rep(Group("g", MAY_BE_EMPTY), 2, 2), Rep(Group("g", MAY_BE_EMPTY), 2, 2)),
    (rep(Group("g", Rep(A, 0, 1)), 0, None), Rep(Group("g", Rep(A, 0, 1)), 0, None)),
    (rep(Cat((A, Rep(B, 0, None))), 0, None), Rep(Cat((A, Rep(AB, 0, None))), 0, 1)),
    (alt([A, Cat((A, B)), B, Cat((A, B))]), Alt((AB, Cat((A, B))))),
    (alt([A, EPSILON]), Rep(A, 0, 1)),
    (alt([]), EPSILON),
    (cat([A, Cat((B, A))]), Cat((A, B, A))),
    (cat([A]), A),
]


@each_row(("found", "expected"), SIMPLIFIED)
def test_simplified(found: Regex, expected: Regex) -> None:
    assert found == expected


@pytest.mark.parametrize(("node", "long"), [
    (Rep(A, 0, None), False),
    (Rep(Cat((A, B)), 0, 5), False),
    (Rep(Cat((A, B)), 0, None), True),
    (Alt((A, Group("g", Cat((A, Rep(Alt((A, Cat((A, B)))), 1, None)))))), True),
])  # fmt: skip
def test_long_turns(node: Regex, long: bool) -> None:
    assert has_long_turns(node) is long
