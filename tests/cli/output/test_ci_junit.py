"""JUnit XML."""

from __future__ import annotations

from hypothesis import strategies as st

from abnforge.cli.output.diagnostic import NAME_COLUMNS
from abnforge.text import escape
from tests.cli.output.outcomes import rejected, written
from tests.law import law
from tests.reference import junit


@law(st.text(min_size=1, max_size=8), st.text(max_size=8), few=20, many=2_000)
def test_what_is_read_back_is_what_was_written(source: str, text: str) -> None:
    [case] = junit.read(written("outcome", "junit", rejected(source, text, 0, 1)))
    assert case.classname == escape(source)
    assert case.name == f"line 1: {escape(text[:NAME_COLUMNS])}"
    assert case.message.startswith(escape(f"wrong: {text}") + "; ")
    assert escape(case.message) == case.message
    assert escape(f"wrong: {text}") in case.text
