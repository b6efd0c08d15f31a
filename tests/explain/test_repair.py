"""Suggestions: what the search for a nearby valid string finds."""

from __future__ import annotations

import abnforge


def test_a_suggestion_for_a_recursive_rule() -> None:
    mailbox = abnforge.load("abnf:rfc5322")["mailbox"]
    rejection = mailbox.explain("Joe <joe@>")
    assert rejection is not None
    assert rejection.suggestion is not None
    assert len(rejection.suggestion.edits) == 1
    assert mailbox.matches(rejection.suggestion.text)
