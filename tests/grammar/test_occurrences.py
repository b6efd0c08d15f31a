"""Occurrences of rule names in a source."""

from __future__ import annotations

from abnforge.grammar.annotations import Occurrence, occurrences
from abnforge.grammar.reader import read

TEXT = """\
;@ of port; except key, word
;@ match "port"
a = [ b ( "c" / 2*B ) ] ; port
a =/ ALPHA <b>
;@ except a, c
b = "b"
"""


def test_all_of_them_in_order() -> None:
    result = occurrences(read(TEXT))
    assert [(each.name, each.defines) for each in result] == [
        ("port", False),
        ("key", False),
        ("word", False),
        ("a", True),
        ("b", False),
        ("B", False),
        ("a", True),
        ("ALPHA", False),
        ("b", False),  # <b> also refers to a rule
        ("a", False),
        ("c", False),
        ("b", True),
    ]
    assert all(TEXT[each.span.start : each.span.end] == each.name for each in result)
    assert result[5].key == "b"


def test_comments_that_say_nothing_are_passed() -> None:
    result = occurrences(read(';@ except "a\na = "x"\n'))
    assert result == [Occurrence("a", result[0].span, True)]
