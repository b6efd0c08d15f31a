"""Words in lines. What rules look like in the end is told by the tests of the printer and of formatting."""

from __future__ import annotations

import pytest

from abnforge.grammar.printer import MAX_HEAD, OutputLine, Style, Word, content_column, drawn, lay
from tests.law import each_row


def words(text: str) -> list[Word]:
    """Words between spaces; a ``+`` before one begins a line."""
    kinds = {"(": "open", ")": "close", "/": "/", ";": ";"}
    found = []
    for piece in text.split():
        word = piece.lstrip("+")
        found.append(Word(word, kinds.get(word[0], "element"), broken=piece != word))
    return found


def code(lines: list[OutputLine]) -> list[str]:
    return [line.code for line in lines]


@each_row(
    ("text", "nested", "expected"),
    [
        ("a b", True, ["r = a b"]),
        ("a +b +/ c", True, ["r = a", "    b", "  / c"]),
        ("a +b +/ c", False, ["r = a", "      b", "  / c"]),
        ("a +( b +/ c +)", True, ["r = a", "    ( b", "    / c", "    )"]),
        ("a ( b +/ c +)", False, ["r = a ( b", "      / c", "      )"]),
        ("aaaaaa bbbbbb / cccccc", True, ["r = aaaaaa bbbbbb", "  / cccccc"]),
        ("aaaaaa / bbbbbb / cccccc", True, ["r = aaaaaa / bbbbbb", "  / cccccc"]),
        ("aaaaaa bbbbbb cccccc", True, ["r = aaaaaa bbbbbb", "    cccccc"]),
        ("aaaaaa bbbbbb cccccc", False, ["r = aaaaaa bbbbbb", "      cccccc"]),
        ("a ( bbbbbb ccccc / ddddd )", True, ["r = a", "    ( bbbbbb ccccc", "    / ddddd )"]),
        (f"a {'w' * 30} b", True, ["r = a", f"    {'w' * 30}", "    b"]),
        ("a b / " + " / ".join("ccccccccc"), True, ["r = a b / c / c / c", "  / c / c / c / c", "  / c / c"]),
    ],
)
def test_lines(text: str, nested: bool, expected: list[str]) -> None:
    assert code(lay("r =", words(text), Style(20, nested=nested))) == expected


def test_gaps_that_are_kept() -> None:
    given = words("aa bb +/ cc dd")
    given[1].gap = given[4].gap = 5
    lines = lay("r =", given, Style(10, kept=True))
    assert code(lines) == ["r = aa     bb", "  / cc     dd"]
    assert [line.marks for line in lines] == [[(4, 1), (11, 5)], [(2, 0), (4, 1), (11, 5)]]


def test_below_a_long_head() -> None:
    head = "n" * (MAX_HEAD - 2) + " ="
    assert content_column(head) == 6
    assert code(lay(head, words("a / b"), Style(50))) == [f"{head} a / b"]
    assert code(lay(head, words("a +/ b"), Style(50))) == [head, "      a", "    / b"]
    assert content_column(head[1:]) == MAX_HEAD


@pytest.mark.parametrize(
    ("width", "expected"),
    [
        (14, ["a         ;one", "bbbb      ;two", "c", "dddddddd  ;3", "e         ;4", "", "; own"]),
        (13, ["a     ;one", "bbbb  ;two", "c", "dddddddd  ;3", "e         ;4", "", "; own"]),
        (11, ["a     ;one", "bbbb  ;two", "c", "dddddddd  ;3", "e  ;4", "", "; own"]),
        (9, ["a  ;one", "bbbb  ;two", "c", "dddddddd  ;3", "e  ;4", "", "; own"]),
    ],
)
def test_columns_of_comments(width: int, expected: list[str]) -> None:
    """One column where all of them fit, else of rules, of neighbouring lines, or none."""
    first = [OutputLine("a", Word(";one", ";")), OutputLine("bbbb", Word(";two", ";", 1)), OutputLine("c")]
    second = [OutputLine("dddddddd", Word(";3", ";")), OutputLine("e", Word(";4", ";", 1)), OutputLine("")]
    assert drawn([first, second, [OutputLine("; own")]], 2, width) == expected


def test_a_comment_that_goes_on() -> None:
    more = OutputLine("", Word(";more", ";", follows=True), 7)
    assert drawn([[OutputLine("a", Word(";one", ";")), more, OutputLine("", Word(";x", ";"), 3)]], 2, 72) == [
        "a  ;one",
        "   ;more",
        "   ;x",
    ]
