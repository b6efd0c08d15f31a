"""Possessive and atomic parts: engines use the first alternative that matches, without lookahead."""

from __future__ import annotations

import itertools
import re

import pytest

import abnforge
from abnforge.charset import EMPTY, CharSet
from abnforge.regex.ast import EPSILON, Alternatives, CharacterClass, Concat, Iteration, Regex
from abnforge.regex.safety import deterministic
from tests.law import each_row
from tests.raising import raises

A, B, C = (CharacterClass(CharSet.of(char)) for char in "abc")

# An expression, its possible continuation, and whether the next character determines every choice in it.
DECIDED: list[tuple[Regex, str, bool]] = [
    (Alternatives((A, B)), "", True),
    (Alternatives((A, Concat((A, B)))), "", False),
    (Alternatives((A, Iteration(B, 0, 1))), "", True),
    (
        Alternatives((Iteration(B, 0, 1), C)),
        "",
        False,
    ),  # the empty match precedes "c"
    (Alternatives((EPSILON, C)), "", False),
    (Alternatives((A, EPSILON)), "a", False),
    (Iteration(A, 0, None), "b", True),
    (Iteration(A, 0, None), "ab", False),
    (Iteration(A, 3, 3), "a", True),
    (Iteration(Iteration(A, 0, 1), 0, None), "", False),
    (Concat((Iteration(A, 0, None), Iteration(B, 0, 1), A)), "", False),
    (Concat((Iteration(A, 0, None), Iteration(B, 0, 1), C)), "", True),
]


@each_row(("node", "follow", "decided"), DECIDED)
def test_deterministic(node: Regex, follow: str, decided: bool) -> None:
    assert deterministic(node, CharSet.of(follow) if follow else EMPTY) is decided


# An alternative before the last may be empty: a cut around it would remove the others.
NULLABLE_FIRST = [
    '[ %s"a" ( [%s"b"] / %s"c" ) ]',
    '*( %s"a" ( [%s"b"] / %s"c" ) )',
    '*( %s"a" ( *%s"b" / %s"c" / %s"b" %s"c" ) )',
    '1*( %s"a" ( "" / %s"c" ) ) %s"b"',
    '[ ( [%s"b"] / %s"c" ) %s"a" ] *%s"c"',
    '*( ( [%s"b"] / %s"c" ) %s"a" )',
]


@pytest.mark.parametrize("body", NULLABLE_FIRST)
def test_an_alternative_that_may_be_empty_hides_no_other(body: str) -> None:
    rule = abnforge.loads(f"r = {body}\n")["r"]
    fullmatch = re.compile(rule.pattern or "(?!)").fullmatch
    for text in ("".join(chars) for n in range(6) for chars in itertools.product("abc", repeat=n)):
        valid = rule.automaton.accepts(text)
        assert rule.matches(text) is valid, text
        assert (fullmatch(text) is not None) is valid, text


def test_nested_ambiguity_is_not_left_to_backtracking() -> None:
    """Each count is small, but together they allow a hundred million ways for a short string."""
    grammar = abnforge.loads(
        'r0 = ( %x61-62 r1 r1 ) ( *3( "b" / r1 ) %s"b" )\nr1 = *3( [ %s"aa" ] / [ "a" ] )\n'
    )
    with raises(
        ValueError, "export-failed-linear", dialects=("re2", "rust", "sql"), rule="r0", dialect="pcre2"
    ):
        grammar["r0"].export("pcre2")
    assert grammar["r0"].pattern is None
    assert [text for text in ("baa", "bab", "aaab", "b") if grammar["r0"].matches(text)] == ["bab", "aaab"]
    assert grammar["r0"].export("re2")
