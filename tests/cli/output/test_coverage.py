"""Coverage as text, and the line of totals."""

from __future__ import annotations

import json

import abnforge
from abnforge.cli.output.coverage import CoverageText, called, pieces, sample
from abnforge.cli.output.totals import covered
from abnforge.conformance import Coverage, coverage
from tests.cli.command import Seen
from tests.cli.output.outcomes import written

RULES = 'r = *"a" [ s ] / t\ns = "\\" / "b"\nt = "é"\n'.replace('"é"', "%xE9")


def found(*texts: str) -> Coverage:
    return coverage(abnforge.loads(RULES)["r"], texts)


def test_text(seen: Seen) -> None:
    lines: list[str] = []
    CoverageText(lines.append).add(found("aa", "ab", "x"))
    seen("".join(lines))


def test_all_used(seen: Seen) -> None:
    lines: list[str] = []
    CoverageText(lines.append).add(coverage(abnforge.loads('r = "a"\n')["r"], ["a"]))
    seen(lines)


def test_what_is_unsafe_on_a_terminal_is_written_out(seen: Seen) -> None:
    rule = abnforge.loads('r = %x1B / "a"\n')["r"]
    lines: list[str] = []
    CoverageText(lines.append).add(coverage(rule, []))
    assert "\x1b" not in "".join(lines)
    assert '"\\x1b"' in "".join(lines)
    seen(sample(None))
    assert called(coverage(rule, []).parts[0]) == "the rule"


def test_there_may_be_too_many_transitions(seen: Seen) -> None:
    lines: list[str] = []
    CoverageText(lines.append).add(coverage(abnforge.load("rfc3986")["URI"], []))
    seen(lines[-1])


def test_an_object() -> None:
    assert json.loads(written("coverage", "json", found("aa"))) == found("aa").to_dict()


def test_totals(seen: Seen) -> None:
    seen(covered(found("aa", "ab", "x"), 2))
    rule = abnforge.loads('r = "(" r ")" / "x"\n')["r"]
    seen(covered(coverage(rule, ["x"])))


GRAMMAR = """\
; a comment
r = "a" [ s
    "b" ] ; of r
s = "c" / *"d"
t = r
s =/ "e"
"""


def test_pieces(seen: Seen) -> None:
    grammar = abnforge.loads(GRAMMAR)
    result = pieces(coverage(grammar["r"], ["a"]))
    assert "".join(piece.text for piece in result) == GRAMMAR
    seen([(piece.text, list(map(called, piece.uses))) for piece in result if piece.uses])


def test_rules_from_elsewhere_are_not_in_the_text() -> None:
    result = pieces(coverage(abnforge.loads("r = ALPHA\n")["r"], []))
    assert [(piece.text, len(piece.uses)) for piece in result] == [
        ("r", 1),
        (" = ", 0),
        ("ALPHA", 1),
        ("\n", 0),
    ]
