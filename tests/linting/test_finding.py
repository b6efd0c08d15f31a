"""A finding as data."""

from __future__ import annotations

from abnforge import lint


def test_to_dict_has_stable_keys() -> None:
    [finding] = lint("a = *( *DIGIT )\n")
    assert list(finding.to_dict()) == [
        *("code", "name", "severity", "path", "line", "column", "end_line", "end_column", "rule"),
        *("message", "witness", "derivations", "related", "fix", "accepted"),
    ]
