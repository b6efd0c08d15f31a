"""Facts about engines concern only letters and positions that the engine supports."""

from __future__ import annotations

import re
import sys
from unicodedata import category

import pytest

from abnforge.charset import CharSet
from abnforge.conformance.proof import DIALECTS
from abnforge.regex.ast import CharacterClass
from abnforge.regex.engines import (
    ENGINES,
    POSIX,
    UNIX_LINES,
    cased,
    general_category,
    in_either_case,
    matching,
)
from tests.law import each_row


def test_every_dialect_but_pythons_is_known() -> None:
    assert {"python", *ENGINES} == set(DIALECTS)


@pytest.mark.parametrize("name", ENGINES)
def test_a_dialect(name: str) -> None:
    dialect = ENGINES[name]
    assert set(dialect.inline) <= set(dialect.flags)
    assert isinstance(dialect.dot, CharacterClass)
    assert "\n" not in dialect.dot.charset
    assert set("\t\n\f\r ") <= {chr(code) for code in dialect.blanks}
    assert all(not letter.isdigit() for letter in (*dialect.escapes, *dialect.controls))


def test_lines_of_unix_have_every_kind_of_place() -> None:
    assert UNIX_LINES.keys() == {"dot", "dollar", "line_start", "line_end"}
    assert all(hasattr(ENGINES["java"], name) for name in UNIX_LINES)


def test_general_categories() -> None:
    letters = general_category("L")
    assert letters is not None
    every = [general_category(name) for name in ("Lu", "Ll", "Lt", "Lm", "Lo")]
    assert sum(len(each) for each in every if each) == len(letters)
    assert all(category(chr(low))[0] == category(chr(high))[0] == "L" for low, high in letters.ranges)
    for name in ("L&", "LC"):
        assert len(general_category(name) or ()) == sum(len(each) for each in every[:3] if each)
    assert general_category("Xx") is None


def test_posix_classes_are_those_of_ascii() -> None:
    assert POSIX["punct"] == POSIX["graph"] - POSIX["alnum"]
    assert POSIX["print"] - POSIX["graph"] == CharSet.of(" ")
    assert POSIX["cntrl"] | POSIX["print"] == POSIX["ascii"]


ALIKE = [
    ("k", "unicode", "kK\u212a"),
    ("k", "ecmascript", "kK"),
    ("k", "ascii", "kK"),
    ("s", "unicode", "sS\u017f"),
    ("\xe9", "unicode", "\xe9\xc9"),
    ("\xe9", "ascii", "\xe9"),
    ("\xdf", "unicode", "\xdf\u1e9e"),
    ("\xdf", "ecmascript", "\xdf"),
    ("\ufb05", "unicode", "\ufb05\ufb06"),
    ("1", "unicode", "1"),
]


@each_row(("char", "folding", "expected"), ALIKE)
def test_either_case(char: str, folding: str, expected: str) -> None:
    assert in_either_case(CharSet.of(char), folding) == CharSet.of(expected)


def test_either_case_of_large_sets_is_that_of_their_members() -> None:
    large = CharSet.from_ranges([(0x61, 0x7000)])
    result = in_either_case(large, "unicode")
    assert large - result == CharSet()
    assert "A" in result
    assert "B" in result
    assert "[" not in result


def test_what_python_matches_regardless_of_case_has_a_case() -> None:
    """Only such characters are tested (``python``)."""
    for char in ("k", "\u0130", "\xb5"):
        every = matching(char, re.IGNORECASE)
        assert every - CharSet.of(cased()) == CharSet()
    assert matching(r"\d", 0) == CharSet.of(
        "".join(c for c in map(chr, range(sys.maxunicode + 1)) if c.isdecimal())
    )
