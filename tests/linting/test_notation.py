"""Texts that are read in the notation of RFC 2396 are said to be, with the edits that make ABNF of them."""

from __future__ import annotations

import abnforge
from abnforge import lint
from abnforge.grammar.source_map import apply
from tests.law import each_row
from tests.raising import raises

NAMES = {"bar-notation", "underscore-name"}

# text; name, line and column of each finding; the text after the edits of all
FOUND = [
    ('a = "x" | "y" | "z"\n', [("bar-notation", 1, 9)], 'a = "x" / "y" / "z"\n'),
    ("a_b = DIGIT\nc = a_b <a_b>\n", [("underscore-name", 1, 1)], "a-b = DIGIT\nc = a-b <a-b>\n"),
    (
        'a = b_c | "|" ; |\nb_c = 1*DIGIT\n',
        [("bar-notation", 1, 9), ("underscore-name", 1, 5)],
        'a = b-c / "|" ; |\nb-c = 1*DIGIT\n',
    ),
    (
        'a = "x"b | <"> | <US-ASCII coded characters 00-1F and 7F hexadecimal>\nb = DIGIT\n',
        [("bar-notation", 1, 10)],
        'a = "x" b / %x22 / ( %x00-1F / %x7F )\nb = DIGIT\n',
    ),
    ("a_b = DIGIT / a-b\na-b = ALPHA\n", [("underscore-name", 1, 1)], None),  # the other name is taken
]


@each_row(("text", "places", "fixed"), FOUND)
def test_found(text: str, places: list[tuple[str, int, int]], fixed: str | None) -> None:
    findings = [finding for finding in lint(text) if finding.name in NAMES]
    assert sorted((f.name, f.line, f.column) for f in findings) == sorted(places)
    edits = {edit for finding in findings for edit in finding.edits}
    assert (apply(text, edits) if edits else None) == fixed
    assert all(abnforge.loads(apply(text, finding.edits)) for finding in findings)
    if fixed is not None:
        before, after = abnforge.loads(text), abnforge.loads(fixed, dialect="abnf")
        for rule in before.own_rules:
            assert abnforge.compare(rule, after[rule.name.replace("_", "-")]).relation == "equal"


@each_row("text", [text for text, *_ in FOUND])
def test_not_where_the_text_is_said_to_be_meant_so(text: str) -> None:
    assert not NAMES & {finding.name for finding in lint(text, dialect="rfc822")}
    assert not NAMES & {finding.name for finding in abnforge.loads(text, dialect="rfc822").lint()}
    assert NAMES & {finding.name for finding in abnforge.loads(text).lint()}


def test_beside_errors_too() -> None:
    names = [finding.name for finding in lint("a = b | ( c\n")]
    assert names == ["bar-notation", "syntax-error"]


@each_row("text", ['a = "|" ; |\n', "a = <x|y>\n", 'a = "x_y" ; a_b = c\n'])
def test_not_found(text: str) -> None:
    assert not NAMES & {finding.name for finding in lint(text)}


def test_other_dialects_are_refused() -> None:
    with raises(ValueError, "argument-choice", name="dialect", value="bnf"):
        lint("a = DIGIT\n", dialect="bnf")
