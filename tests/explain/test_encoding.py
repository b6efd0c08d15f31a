"""Percent-encoding is suggested where a rule reads triplets, and only there."""

from __future__ import annotations

import pytest

import abnforge

CASES = [
    # grammar, rule, text, what the suggestion makes of it
    ("rfc3986", "URI", "http://a/b{c}d", "http://a/b%7Bc%7Dd"),
    (
        "rfc3986",
        "URI",
        "http://example.com/\u00e9\U0001f600/\u00e9",
        "http://example.com/%C3%A9%F0%9F%98%80/%C3%A9",
    ),
    ("rfc6874", "URI", "http://[fe80::1%25\u00e9]/", "http://[fe80::1%25%C3%A9]/"),
    # "%25" before a zone is no triplet: nothing can be encoded there.
    ("rfc6874", "URI", "http://[fe80::1{]/", "http://[fe80::1]/"),
    ("rfc6874", "IP-literal", "[fe80::1{%25a]", "[fe80::1%25a]"),
]


@pytest.mark.parametrize(("grammar", "rule", "text", "suggested"), CASES)
def test_suggestion(grammar: str, rule: str, text: str, suggested: str) -> None:
    judge = abnforge.load(grammar)[rule]
    rejection = judge.explain(text)
    assert rejection is not None
    assert rejection.suggestion is not None
    assert rejection.suggestion.text == suggested
    assert judge.matches(suggested)


def test_a_percent_sign_that_stands_for_itself_encodes_nothing() -> None:
    """RFC 5322's atext has "%" as a character like any other."""
    rejection = abnforge.load("abnf:rfc5322")["dot-atom-text"].explain("abcdefghij.(k)")
    assert rejection is not None
    assert all("percent-encoded" not in hypothesis.message for hypothesis in rejection.hypotheses)


def test_a_long_word_is_one_edit() -> None:
    rejection = abnforge.load("rfc3986")["URI"].explain("http://example.com/" + "\u0431" * 1000)
    assert rejection is not None
    assert rejection.suggestion is not None
    assert len(rejection.suggestion.edits) == 1
    assert len(rejection.message) < 300
