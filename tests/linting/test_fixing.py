"""Edits made until none is left."""

from __future__ import annotations

from abnforge import Edit, Finding, lint
from abnforge.linting.finding import MAX_ROUNDS, fix, together


def test_a_text_with_several_mistakes() -> None:
    text = "; kept\na = 'x' | b_c*   ; kept, too\r\nb_c = [0-9]+, \"y\"\n"
    fixed = fix(text, lint)
    expected = '; kept\na = "x" / *b-c   ; kept, too\r\nb-c = 1*DIGIT "y"\n'
    assert fixed.text == expected
    assert fixed.corrected == 7
    assert {finding.severity for finding in fixed.findings} == {"info"}


def test_what_is_accepted_stays() -> None:
    text = '; abnforge: allow bar-notation (as RFC 2396 has it)\na = "x" | "y"\n'
    assert fix(text, lint).text == text


def test_what_cannot_be_known_stays() -> None:
    text = "a = ALPHA*DIGIT\n"
    fixed = fix(text, lint)
    assert (fixed.text, fixed.corrected, len(fixed.findings)) == (text, 0, 1)


def test_edits_in_each_others_way_are_made_one_after_the_other() -> None:
    text = "a = DIGIT\\*\n"
    findings = lint(text)
    assert [len(finding.edits) for finding in findings] == [1, 2]
    assert together(findings) == ([Edit(9, 10, "")], 1)
    assert fix(text, lint).text == "a = *DIGIT\n"


def test_rounds_have_a_limit() -> None:
    """However long a finding goes on to have edits."""
    rounds = 0

    def endless(text: str) -> list[Finding]:
        nonlocal rounds
        rounds += 1
        return lint("a = 'x'\n")

    assert fix("a = 'x'\n" * 100, endless).corrected == MAX_ROUNDS
    assert rounds == MAX_ROUNDS + 1
