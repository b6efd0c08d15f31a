"""The characters that rules derive as single-character strings."""

from __future__ import annotations

import abnforge
from abnforge.charset import CharSet
from abnforge.explain.bind import single_character_strings
from tests.law import each_row

# Definitions, with the start rule first, and the characters of the start rule.
SETS = [
    ('x = %s"a" / %s"b"', "ab"),
    ('x = %s"a" %s"b"', ""),
    ('x = [ %s"a" ] %s"b"', "b"),
    ('x = *%s"a" *%s"b"', "ab"),
    ('x = 2%s"a" / %s"c"', "c"),
    ('x = 2( [ %s"a" ] )', "a"),
    ('x = %s"ab" / ""', ""),
    ('x = y / "%" y y\ny = %x30-32', "012"),
    ('x = %s"a" / "(" x ")" / [ x ] %s"b"', "ab"),
    ('x = 1*%s"a"', "a"),
    ('x = "(" a / c\na = b / %s"a"\nb = c / %s"b"\nc = a / %s"c"', "abc"),
    ("x = <any word>", ""),
]


@each_row(("rules", "expected"), SETS)
def test_characters(rules: str, expected: str) -> None:
    grammar = abnforge.loads(f"{rules}\n")
    assert single_character_strings(grammar.compilation.facts, "x") == CharSet.of(expected)


def test_a_triplet_is_no_character() -> None:
    grammar = abnforge.load("rfc3986")
    assert "%" not in single_character_strings(grammar.compilation.facts, "pchar")
    assert len(single_character_strings(grammar.compilation.facts, "pchar")) == 66 + 11 + 2
