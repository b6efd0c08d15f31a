"""What is suggested instead of left recursion."""

from __future__ import annotations

from abnforge import lint


def test_left_recursion_is_suggested_as_a_repetition() -> None:
    [finding] = lint('sum = sum "+" DIGIT / sum "-" DIGIT / DIGIT\n')
    assert finding.fix == 'sum = DIGIT *( "+" DIGIT / "-" DIGIT )'
    assert lint(f"{finding.fix}\n") == []
