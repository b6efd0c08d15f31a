"""Pieces of HTML: safe, of limited size, and with a marked position."""

from __future__ import annotations

from hypothesis import strategies as st

from abnforge.teaching.notebook import (
    AROUND,
    MAX_PICTURE,
    MAX_TEXT,
    code,
    folded,
    marked,
    picture,
    pre,
    table,
)
from abnforge.text import escape
from tests.law import law
from tests.teaching.html_output import read


@law(st.text(max_size=400), st.integers(0, 400), st.integers(0, 400), few=40, many=2_000)
def test_any_place_of_any_text_is_marked(text: str, start: int, length: int) -> None:
    start = min(start, len(text))
    end = min(start + length, len(text))
    reader = read(marked(text, start, end))
    assert len(reader.text) <= 10 * (3 * AROUND + 20)
    if len(text) <= AROUND:
        parts = (text[:start], text[start:end], text[end:])
        assert reader.text == "".join([escape(parts[0]), escape(parts[1]) or "\xa0", escape(parts[2])])


@law(st.text(min_size=1, max_size=50), few=40, many=2_000)
def test_text_stays_text(text: str) -> None:
    shown = code(text)
    html = shown + pre([shown]) + table([(shown, shown)], (text,)) + folded(text, shown)
    assert read(html).text == 7 * escape(text)


def test_long_output_is_truncated() -> None:
    assert read(code("x" * (MAX_TEXT + 7))).text.endswith(" ... 7 more characters")
    assert read(pre(["a"], 1_234)).text == "a\n... 1,234 more lines"
    assert read(table([["a"]], left=3)).text == "a... 3 more"
    assert "too large" in read(picture("x" * (MAX_PICTURE + 1), "a")).text


def test_nothing_is_folded_around_nothing() -> None:
    assert folded("more", "") == ""
