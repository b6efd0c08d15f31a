"""Constructors of expressions, and their simplifications."""

from __future__ import annotations

import pytest

from abnforge.budget import DEFAULT
from abnforge.charset import CharSet
from abnforge.regex.ast import (
    EPSILON,
    NEVER,
    Alternatives,
    CharacterClass,
    Concat,
    Iteration,
    NamedGroup,
    Regex,
    alternatives,
    concat,
    has_long_turns,
    iteration,
    possessive,
    width,
)
from abnforge.regex.python import read
from tests.law import each_row
from tests.reference.written_patterns import taken

A, B = CharacterClass(CharSet.of("a")), CharacterClass(CharSet.of("b"))
AB = CharacterClass(CharSet.of("ab"))
SOME_B = Iteration(B, 0, None)
MAY_BE_EMPTY = Concat((Iteration(A, 0, None), SOME_B))
NAMED, NAMED_OPTION = NamedGroup("g", MAY_BE_EMPTY), NamedGroup("g", Iteration(A, 0, 1))
A_OR_AB = Alternatives((A, Concat((A, B))))

SIMPLIFIED: list[tuple[Regex, Regex]] = [
    (iteration(A, 1, 1), A),
    (iteration(A, 0, 0), EPSILON),
    (iteration(EPSILON, 2, None), EPSILON),
    (iteration(Iteration(A, 0, 1), 0, None), Iteration(A, 0, None)),
    (iteration(Iteration(A, 1, 3), 0, None), Iteration(A, 0, None)),
    (iteration(Iteration(A, 2, 3), 0, None), Iteration(Iteration(A, 2, 3), 0, None)),
    (iteration(Iteration(A, 1, None), 0, None), Iteration(A, 0, None)),
    # Iterations that can be empty are not counted.
    (iteration(MAY_BE_EMPTY, 2, 2), Iteration(MAY_BE_EMPTY, 0, 2)),
    (iteration(MAY_BE_EMPTY, 3, None), Iteration(MAY_BE_EMPTY, 0, None)),
    (iteration(MAY_BE_EMPTY, 0, 1), MAY_BE_EMPTY),
    (iteration(Iteration(A, 0, 3), 2, 3), Iteration(A, 0, 9)),
    # However, a group contains its last iteration.
    (iteration(NamedGroup("g", MAY_BE_EMPTY), 2, 2), Iteration(NamedGroup("g", MAY_BE_EMPTY), 2, 2)),
    (
        iteration(NamedGroup("g", Iteration(A, 0, 1)), 0, None),
        Iteration(NamedGroup("g", Iteration(A, 0, 1)), 0, None),
    ),
    (
        iteration(Concat((A, Iteration(B, 0, None))), 0, None),
        Iteration(Concat((A, Iteration(AB, 0, None))), 0, 1),
    ),
    (alternatives([A, Concat((A, B)), B, Concat((A, B))]), Alternatives((AB, Concat((A, B))))),
    (alternatives([A, EPSILON]), Iteration(A, 0, 1)),
    (alternatives([]), EPSILON),
    (concat([A, Concat((B, A))]), Concat((A, B, A))),
    (concat([A]), A),
]


@each_row(("found", "expected"), SIMPLIFIED)
def test_simplified(found: Regex, expected: Regex) -> None:
    assert found == expected


@pytest.mark.parametrize(("node", "long"), [
    (Iteration(A, 0, None), False),
    (Iteration(Concat((A, B)), 0, 5), False),
    (Iteration(Concat((A, B)), 0, None), True),
    (Alternatives((A, NamedGroup("g", Concat((A, Iteration(A_OR_AB, 1, None)))))), True),
])  # fmt: skip
def test_long_turns(node: Regex, long: bool) -> None:
    assert has_long_turns(node) is long


WIDTHS = [
    ("", (0, 0)),
    ("abc", (3, 3)),
    ("a|bc", (1, 2)),
    ("a*", (0, None)),
    ("(?:ab){2,3}", (4, 6)),
    ("(?:a?){0}b", (1, 1)),
    ("(?:)*a", (1, 1)),
    ("(?=abc)a", (1, 1)),
    ("(?>ab|c)", (1, 2)),
    ("a|b*", (0, None)),
    ("(?!)", (0, 0)),
]


@each_row(("text", "expected"), WIDTHS)
def test_width(text: str, expected: tuple[int, int | None]) -> None:
    assert width(read(text, 0, DEFAULT.meter("a test"))) == expected


def test_nothing_has_no_width_and_no_text() -> None:
    assert width(NEVER) == (0, 0)
    assert taken("[^\\s\\S]|(?!)", "ab") == set()


def test_boundaries_are_everywhere_or_nowhere() -> None:
    """Exactly one of the two matches at every position, except in an empty string before Python 3.14."""
    texts = taken(r"a?\b-?", "a-")
    assert texts == {"a", "a-"}
    assert taken(r"(?:\b|\B).*", "a-", "match") | {""} == taken("(?s).*", "a-", "match")


def test_possessive_turns() -> None:
    """If each iteration is atomic, the first match of each is used."""
    item = read("a|ab", 0, DEFAULT.meter("a test"))
    assert possessive(item, 0, None, True) is not None
    assert taken("(?:a|ab){2}+", "ab", dialect="pcre2") == {"aa", "aba"}
    assert taken("(?:a|ab){2}+", "ab", dialect="java") == {"aa"}
