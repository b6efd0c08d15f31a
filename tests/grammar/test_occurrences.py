"""Occurrences of rule names."""

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
    found = occurrences(read(TEXT))
    assert [(each.name, each.defines) for each in found] == [
        ("port", False),
        ("key", False),
        ("word", False),
        ("a", True),
        ("b", False),
        ("B", False),
        ("a", True),
        ("ALPHA", False),
        ("b", False),  # <b> names a rule, too
        ("a", False),
        ("c", False),
        ("b", True),
    ]
    assert all(TEXT[each.span.start : each.span.end] == each.name for each in found)
    assert found[5].key == "b"


def test_comments_that_say_nothing_are_passed() -> None:
    found = occurrences(read(';@ except "a\na = "x"\n'))
    assert found == [Occurrence("a", found[0].span, True)]
