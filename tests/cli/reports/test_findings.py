"""Findings about grammars, drawn."""

from __future__ import annotations

import pytest

import abnforge
from abnforge.cli.common.output import PLAIN, Style
from abnforge.cli.reports.findings import finding_lines, kind_text
from abnforge.linting.registry import KINDS
from tests.cli.command import Seen


def test_a_finding_is_underlined() -> None:
    [found] = abnforge.lint("a = *( *DIGIT )\n")
    head, *drawn = finding_lines(found, PLAIN)
    assert head == f"<string>:1:5: warning: {found.message} [ABNF017 nullable-loop]"
    assert drawn[:2] == ["    a = *( *DIGIT )", "        ^^^^^^^^^^^"]


def test_an_accepted_one_says_why() -> None:
    [found] = abnforge.lint("a = *( *DIGIT ) ; abnforge: allow nullable-loop (on purpose)\n")
    head, *_, last = finding_lines(found, PLAIN)
    assert ": accepted: " in head
    assert last == "  because  on purpose"


def test_both_derivations_are_told() -> None:
    [found] = abnforge.lint("a = b / c\nb = 1*2DIGIT\nc = 2*DIGIT\n", ["a"])
    told = [line for line in finding_lines(found, PLAIN) if line.startswith(("  either", "  or"))]
    assert [line[11:] for line in told] == list(found.derivations)


def test_a_kind_is_told_with_its_examples(seen: Seen) -> None:
    text = kind_text(KINDS["empty-range"])
    seen(text)
    assert "\nReported:\n\n    digit-char = %x39-30\n" in text
    assert text.endswith("\nNot reported:\n\n    digit-char = %x30-39\n")
    assert "\nReported:" not in kind_text(KINDS["file-too-large"])


@pytest.mark.parametrize(
    ("grammar", "severity", "color"),
    [
        ("a = ( \n", "error", "\x1b[31m"),
        ("a = *( *DIGIT )\n", "warning", "\x1b[33m"),
        ('a = "b"\n', "info", "\x1b[2m"),
        ("a = *( *DIGIT ) ; abnforge: allow nullable-loop (on purpose)\n", "accepted", "\x1b[2m"),
    ],
)
def test_a_severity_has_its_color(grammar: str, severity: str, color: str) -> None:
    """Else nobody sees at a glance whether a grammar can be used."""
    found = next(iter(abnforge.lint(grammar)))
    drawn = "\n".join(finding_lines(found, Style(colour=True)))
    assert f"{severity}\x1b[0m: " in drawn
    assert color in drawn
    assert ("\x1b[31m" in drawn) is (severity == "error")
