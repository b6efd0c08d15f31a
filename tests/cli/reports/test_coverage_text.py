"""The grammar's text in pieces: all of it, each piece of the innermost part."""

from __future__ import annotations

import abnforge
from abnforge.cli.reports.coverage import called
from abnforge.cli.reports.coverage_text import pieces
from abnforge.conformance import coverage
from tests.cli.command import Seen

RULES = """\
; a comment
r = "a" [ s
    "b" ] ; of r
s = "c" / *"d"
t = r
s =/ "e"
"""


def test_pieces(seen: Seen) -> None:
    grammar = abnforge.loads(RULES)
    found = pieces(coverage(grammar["r"], ["a"]))
    assert "".join(piece.text for piece in found) == RULES
    seen([(piece.text, list(map(called, piece.uses))) for piece in found if piece.uses])


def test_rules_from_elsewhere_are_not_in_the_text() -> None:
    found = pieces(coverage(abnforge.loads("r = ALPHA\n")["r"], []))
    assert [(piece.text, len(piece.uses)) for piece in found] == [
        ("r", 1),
        (" = ", 0),
        ("ALPHA", 1),
        ("\n", 0),
    ]
