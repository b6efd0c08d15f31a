"""Places in a text."""

from __future__ import annotations

from hypothesis import strategies as st

from abnforge.text import Source, position, several_lines, where
from tests.law import each_row, law


@each_row(
    ("text", "several"),
    [
        ("", False),
        ("a", False),
        ("a\n", False),
        ("\n", False),
        ("\n\n", True),
        ("a\nb", True),
        ("a\rb", False),
    ],
)
def test_a_text_of_several_lines_goes_on_behind_the_first(text: str, several: bool) -> None:
    assert several_lines(text) is several


@law(st.text("ab\n\r\u2028", max_size=12), few=100, many=2_000)
def test_a_position_is_what_the_lines_before_it_make(text: str) -> None:
    for offset in range(len(text) + 1):
        before = text[:offset].split("\n")
        assert position(text, offset) == (len(before), len(before[-1]) + 1)
        assert Source(text).position(offset) == position(text, offset)


def test_an_offset_in_words() -> None:
    assert where("abc", 2) == "offset 2"
    assert where("abc\n", 4) == "offset 4"
    assert where("abc\nd", 4) == "line 2, column 1"
