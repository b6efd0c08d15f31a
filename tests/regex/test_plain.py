"""Patterns without cuts beside the expressions they were written from."""

from __future__ import annotations

import abnforge
from abnforge.charset import CharSet
from abnforge.regex.ast import Alternatives, CharacterClass, Concat, Iteration, NamedGroup, Regex
from abnforge.regex.dialects import DIALECTS
from abnforge.regex.from_rule import regex_tree
from abnforge.regex.proof import is_rendering_of
from abnforge.regex.writer import write_pattern
from tests.law import each_row, law
from tests.reference.small_languages import abnf, expressions

A, B, C = (CharacterClass(CharSet.of(char)) for char in "abc")

SAID: list[tuple[str, Regex, bool]] = [
    ("a", A, True),
    ("b", A, False),
    ("", Concat(()), True),
    ("ab", Concat((A, B)), True),
    ("ba", Concat((A, B)), False),
    ("(?:ab|c)", Alternatives((C, Concat((A, B)))), True),  # without cuts, the order is not heard
    ("a{2}a{1,3}", Iteration(A, 3, 5), True),
    ("a{2}a{1,3}", Iteration(A, 3, 6), False),
    ("a{2}a*", Iteration(A, 2, None), True),
    ("aa", Iteration(A, 2, 2), True),
    ("a*(?:ba*)*", Iteration(Alternatives((A, B)), 0, None), True),
    ("a*(?:(?:b|c)a*)*", Iteration(Alternatives((B, A, C)), 0, None), True),
    ("a*(?:ba*)*", Iteration(Alternatives((A, C)), 0, None), False),
    ("a*(?:ba+)*", Iteration(Alternatives((A, B)), 0, None), False),
    ("a?", Iteration(A, 0, 2), False),
    ("(?P<x>a)b", Concat((NamedGroup("x", A), B)), True),
    ("a++", Iteration(A, 1, None), False),  # a cut, whatever it would change
    ("(?>a)", A, False),
    ("a(?=b)", A, False),
]


@each_row(("pattern", "node", "same"), SAID)
def test_says(pattern: str, node: Regex, same: bool) -> None:
    assert is_rendering_of(pattern, node, DIALECTS["python"], anchored=False) is same


def test_an_end_that_lets_a_newline_pass_says_more() -> None:
    assert is_rendering_of(r"\A(?:a)\Z", A, DIALECTS["python"], anchored=True)
    assert not is_rendering_of(r"\A(?:a)$", A, DIALECTS["python"], anchored=True)
    assert not is_rendering_of(r"\A(?:a)\Z", A, DIALECTS["pcre2"], anchored=True)


@law(expressions, few=60, many=2_000)
def test_what_is_written_is_said(expression: tuple[object, ...]) -> None:
    grammar = abnforge.loads(f"r = {abnf(expression)}\n")
    node = regex_tree(grammar.core.rules, "r")
    for name in ("re2", "rust", "sql"):
        dialect = DIALECTS[name]
        assert is_rendering_of(write_pattern(node, dialect, anchored=True), node, dialect, anchored=True)
