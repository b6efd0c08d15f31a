"""Trees of patterns: how wide they are, and boundaries of words."""

from __future__ import annotations

from abnforge.budget import DEFAULT
from abnforge.regex.ast import NEVER, possessive, width
from abnforge.regex.python import read
from tests.law import each_row
from tests.reference.written_patterns import taken

WIDTHS = [
    ("", (0, 0)),
    ("abc", (3, 3)),
    ("a|bc", (1, 2)),
    ("a*", (0, None)),
    ("(?:ab){2,3}", (4, 6)),
    ("(?:a?){0}b", (1, 1)),
    ("(?:)*a", (1, 1)),
    ("(?=abc)a", (1, 1)),
    ("(?>ab|c)", (1, 2)),
    ("a|b*", (0, None)),
    ("(?!)", (0, 0)),
]


@each_row(("text", "expected"), WIDTHS)
def test_width(text: str, expected: tuple[int, int | None]) -> None:
    assert width(read(text, 0, DEFAULT.meter("a test"))) == expected


def test_nothing_has_no_width_and_no_text() -> None:
    assert width(NEVER) == (0, 0)
    assert taken("[^\\s\\S]|(?!)", "ab") == set()


def test_boundaries_are_everywhere_or_nowhere() -> None:
    """One of the two is so at every place but in an empty text, where Python up to 3.13 knows neither."""
    texts = taken(r"a?\b-?", "a-")
    assert texts == {"a", "a-"}
    assert taken(r"(?:\b|\B).*", "a-", "match") | {""} == taken("(?s).*", "a-", "match")


def test_possessive_turns() -> None:
    """Where turns are cut one by one, the first match of each is taken."""
    item = read("a|ab", 0, DEFAULT.meter("a test"))
    assert possessive(item, 0, None, True) is not None
    assert taken("(?:a|ab){2}+", "ab", dialect="pcre") == {"aa", "aba"}
    assert taken("(?:a|ab){2}+", "ab", dialect="java") == {"aa"}
