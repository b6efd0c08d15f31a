"""Where a rejected input of several lines goes wrong: line and column beside the offset."""

from __future__ import annotations

import pytest

import abnforge

GRAMMAR = abnforge.loads(
    'doc = *line\nline = name ":" value LF\nname = 1*ALPHA\nvalue = *( ALPHA / %x80-FFFF )\n'
)


@pytest.mark.parametrize(
    ("text", "offset", "line", "column"),
    [
        ("a:b", 3, 1, 4),
        ("a b:c\n", 1, 1, 2),
        ("a:b\nc:d e\n", 7, 2, 4),
        ("a:b\nc:漢字9\nd:e\n", 8, 2, 5),
        ("a:b\n\nc:d\n", 4, 2, 1),
        ("a:b\nc", 5, 2, 2),
    ],
)
def test_lines_and_columns(text: str, offset: int, line: int, column: int) -> None:
    rejection = GRAMMAR["doc"].explain(text)
    assert rejection is not None
    assert (rejection.offset, rejection.line, rejection.column) == (offset, line, column)


def test_plain_data_has_the_position_in_an_input_of_several_lines() -> None:
    several, one = (GRAMMAR["doc"].explain(text) for text in ("a:b\nc d\n", "c d\n"))
    assert several is not None
    assert one is not None
    assert several.to_dict() == one.to_dict() | several.to_dict()
    assert several.to_dict()["position"] == {"line": 2, "column": 2}
    assert "position" not in one.to_dict()


def test_the_exception_says_the_line() -> None:
    with pytest.raises(abnforge.Rejected, match=r"^line 2, column 2: ") as several:
        GRAMMAR["doc"].parse("a:b\nc d\n")
    with pytest.raises(abnforge.Rejected) as one:
        GRAMMAR["doc"].parse("c d\n")
    assert str(one.value) == one.value.rejection.message
    assert str(several.value) == f"line 2, column 2: {several.value.rejection.message}"
