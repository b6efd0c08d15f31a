"""Suggested replacements for left recursion."""

from __future__ import annotations

import pytest

import abnforge
from abnforge import lint


def test_left_recursion_is_suggested_as_a_repetition() -> None:
    [finding] = lint('sum = sum "+" DIGIT / sum "-" DIGIT / DIGIT\n')
    assert finding.fix == 'sum = DIGIT *( "+" DIGIT / "-" DIGIT )'
    assert lint(f"{finding.fix}\n") == []


@pytest.mark.parametrize(
    ("text", "fix"),
    [
        ('sum = sum "+" sum / DIGIT\n', 'sum = DIGIT *( "+" DIGIT )'),
        ('a = a a / "xy" / "z"\n', 'a = ( "xy" / "z" ) *( "xy" / "z" )'),
        ('a = a "+" a / a "!" / a "(" a ")" / DIGIT\n', 'a = DIGIT *( "+" DIGIT / "!" / "(" a ")" )'),
    ],
)
def test_what_is_suggested_for_recursion_on_both_sides_is_not_ambiguous(text: str, fix: str) -> None:
    [finding] = [each for each in lint(text) if each.name == "left-recursion-direct"]
    assert finding.fix == fix
    assert "ambiguous" not in {each.name for each in lint(f"{fix}\n")}
    comparison = abnforge.compare(abnforge.loads(text).start, abnforge.loads(f"{fix}\n").start)
    assert (comparison.only_left, comparison.only_right) == (None, None)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('Host = "Host:" host\n', (1, 16)),
        ("a = b\nb = b\nb =/ [ *B ] c\nc = B a\n", (3, 9)),
        ("Host = Host\n", None),
    ],
)
def test_a_rule_that_refers_to_itself_in_another_case(text: str, place: tuple[int, int] | None) -> None:
    """The reference often means a rule in another document, as in ``Host = "Host" ":" host`` (RFC 2616)."""
    results = [each for each in lint(text) if each.name == "never-terminates" and each.related]
    assert [(each.related[0].line, each.related[0].column) for each in results] == ([place] if place else [])
    assert all("case" in each.fix for each in results if each.fix is not None)
