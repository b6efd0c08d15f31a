"""Findings as data, and their fixes."""

from __future__ import annotations

import pytest

import abnforge
from abnforge import Edit, Finding, lint
from abnforge.linting.finding import MAX_ROUNDS, Linted, fix, from_error, together


def test_to_dict_has_stable_keys() -> None:
    [finding] = lint("a = *( *DIGIT )\n")
    assert list(finding.to_dict()) == [
        *("code", "name", "severity", "path", "line", "column", "end_line", "end_column", "rule"),
        *("message", "witness", "derivations", "related", "fix", "edits", "accepted"),
    ]


@pytest.mark.parametrize(
    ("text", "fails", "fails_strict"),
    [
        ("a = *( *DIGIT )\n", True, True),
        ('a = %s"u" / "v"\n', False, True),
        ("a = *( *DIGIT ) ; abnforge: allow nullable-loop (on purpose)\n", False, False),
    ],
)
def test_findings_that_fail_a_run(text: str, fails: bool, fails_strict: bool) -> None:
    [result] = lint(text)
    assert (result.is_failure(), result.counts, result.is_failure(strict=True)) == (
        fails,
        fails,
        fails_strict,
    )


def test_allowed_findings_can_be_omitted() -> None:
    findings = abnforge.load("rfc3986").lint()
    linted = Linted(findings, is_file=False)
    assert findings
    assert linted.without_accepted() == ([], False, "")


@pytest.mark.parametrize(
    ("code", "kind"),
    [("alphabet-directive", "alphabet-directive"), ("other-directive", "syntax-error")],
)
def test_an_error_with_a_code_that_is_no_kind_is_a_syntax_error(code: str, kind: str) -> None:
    assert from_error(abnforge.GrammarError("not allowed", code=code)).name == kind


@pytest.mark.parametrize(
    ("text", "intended"),
    [
        ("a = hello\n", True),
        ("a = ALPHAS\n", False),  # the message names the likely intention
        ("a = IPv4address\n", False),  # and the grammars that define this rule
        ("a = <hello>\nb = (\n", False),
    ],
)
def test_a_name_of_which_nothing_is_known_may_be_text(text: str, intended: bool) -> None:
    [result] = [each for each in lint(text) if each.severity == "error"]
    hints = {hint.code: hint.data for hint in result.message.data.get("hints", ())}
    assert hints.get("name-as-text") == ({"name": "hello"} if intended else None)


def test_a_string_with_several_mistakes() -> None:
    text = "; kept\na = 'x' | b_c*   ; kept, too\r\nb_c = [0-9]+, \"y\"\n"
    fixed = fix(text, lint)
    expected = '; kept\na = "x" / *b-c   ; kept, too\r\nb-c = 1*DIGIT "y"\n'
    assert fixed.text == expected
    assert fixed.corrected == 7
    assert fixed.findings == []


def test_allowed_findings_are_not_fixed() -> None:
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
    """This applies even to findings that always have edits."""
    rounds = 0

    def endless(text: str) -> list[Finding]:
        nonlocal rounds
        rounds += 1
        return lint("a = 'x'\n")

    assert fix("a = 'x'\n" * 100, endless).corrected == MAX_ROUNDS
    assert rounds == MAX_ROUNDS + 1
