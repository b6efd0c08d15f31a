"""Assertions that all engines give the same results for a string."""

from __future__ import annotations

import re
from functools import cache

import abnforge
from abnforge.charset import CharSet


def tokens(tree: object) -> str:
    """Return the tokens of a tree, joined."""
    if isinstance(tree, str):
        return str(tree)
    return "".join(tree.scan_values(lambda token: True))  # type: ignore[attr-defined]


@cache
def members(chars: str, charsets: tuple[CharSet, ...]) -> frozenset[int]:
    """Return the numbers of the sets whose smallest character is in a class, as written in a rejection."""
    pattern = re.compile(f"[{chars}]")
    return frozenset(n for n, charset in enumerate(charsets) if pattern.match(charset.min()))


def check_fast(rule: abnforge.Rule, text: str) -> bool:
    """Check that the pattern, the automaton and the derivatives agree; return the verdict."""
    automaton = rule.automaton
    offset, row = automaton.read(text)
    valid = offset == len(text) and row in automaton.accepting
    assert automaton.accepts(text) is valid
    assert rule.matches(text) is valid
    assert rule.matches(text, engine="automaton") is valid
    assert rule.pattern is not None
    assert bool(re.fullmatch(rule.pattern, text)) is valid
    rejection = rule.explain(text, suggest=False)
    if valid:
        assert rejection is None
        assert tokens(rule.parse(text)) == text
        return True
    assert rejection is not None
    assert (rejection.offset, rejection.found) == (offset, text[offset : offset + 1] or None)
    assert rejection.end_expected is (row in automaton.accepting)
    expected = frozenset().union(*(members(e.chars, automaton.charsets) for e in rejection.expected))
    width = automaton.width
    assert expected == {n for n in range(width) if automaton.table and automaton.table[row + n] >= 0}
    return False


def check_lark(rule: abnforge.Rule, text: str) -> None:
    """Check the verdict, tree and rejection of the engine "lark"."""
    valid = rule.matches(text)
    assert rule.matches(text, engine="lark") is valid
    if valid:
        assert rule.parse(text) == rule.parse(text, engine="lark")
    assert rule.explain(text, suggest=False) == rule.explain(text, suggest=False, engine="lark")


def check_suggestion(rule: abnforge.Rule, text: str) -> bool:
    """Check that a suggestion is valid, and the result of its ordered edits, which do not overlap."""
    rejection = rule.explain(text)
    if rejection is None or rejection.suggestion is None:
        return False
    suggestion = rejection.suggestion
    assert rule.matches(suggestion.text)
    assert all(a.end <= b.start for a, b in zip(suggestion.edits, suggestion.edits[1:], strict=False))
    assert applied(text, suggestion) == suggestion.text
    return True


def applied(text: str, suggestion: abnforge.Suggestion) -> str:
    for edit in reversed(suggestion.edits):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text
