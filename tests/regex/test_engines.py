"""What is said of engines is about the letters and places that they have."""

from __future__ import annotations

import pytest

from abnforge.conformance.pattern import DIALECTS
from abnforge.regex.ast import CharacterClass
from abnforge.regex.engines import ENGINES, UNIX_LINES


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
