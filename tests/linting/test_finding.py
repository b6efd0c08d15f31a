"""A finding as data."""

from __future__ import annotations

import pytest

import abnforge
from abnforge import lint
from abnforge.linting.finding import Linted


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
        ('a = "v"\n', False, True),
        ("a = *( *DIGIT ) ; abnforge: allow nullable-loop (on purpose)\n", False, False),
    ],
)
def test_what_fails_a_run(text: str, fails: bool, fails_strict: bool) -> None:
    [found] = lint(text)
    assert (found.is_failure(), found.counts, found.is_failure(strict=True)) == (fails, fails, fails_strict)


def test_what_the_grammar_accepts_can_be_left_out() -> None:
    findings = abnforge.load("rfc3986").lint()
    linted = Linted(findings, is_file=False)
    assert findings
    assert linted.without_accepted() == ([], False, "")


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("a = hello\n", True),
        ("a = ALPHAS\n", False),  # the message says what may have been meant
        ("a = IPv4address\n", False),  # and which grammars have it
        ("a = <hello>\nb = (\n", False),
    ],
)
def test_a_name_of_which_nothing_is_known_may_be_text(text: str, meant: bool) -> None:
    [found] = [each for each in lint(text) if each.severity == "error"]
    hints = {hint.code: hint.data for hint in found.message.data.get("hints", ())}
    assert hints.get("name-as-text") == ({"name": "hello"} if meant else None)
