"""Functions of RFC 2396 on strings: results, rules, and errors."""

from __future__ import annotations

import pytest

from abnforge.errors import Rejected
from abnforge.uri import rfc2396
from tests.law import each_row


@pytest.mark.parametrize(
    ("text", "rule"),
    [("a:/b", "absoluteURI"), ("a:b", "absoluteURI"), ("b?c", "relativeURI"), ("b#c", "URI-reference")],
)
def test_rule(text: str, rule: str) -> None:
    u = rfc2396.parse(text, rule)
    assert u.rule == rule
    assert u == rfc2396.parse(text)


@each_row(
    ("text", "rule"),
    [
        ("a;b", "segment"),
        ("//h/p", "net-path"),
        ("//h/p?q", "hier-part"),
        ("h:80", "hostport"),
        ("b", "param"),
    ],
)
def test_every_other_rule_gives_its_text(text: str, rule: str) -> None:
    result = rfc2396.parse(text, rule)
    assert type(result) is str
    assert result == text


def test_a_fragment_is_no_part_of_a_uri() -> None:
    assert rfc2396.is_valid("http://a/b")
    assert not rfc2396.is_valid("http://a/b#c")
    assert rfc2396.is_valid("http://a/b#c", "URI-reference")
    rejection = rfc2396.explain("http://[::1]/")
    assert rejection is not None
    assert (rejection.grammar, rejection.rule) == ("rfc2396", "absoluteURI")
    assert rfc2396.explain("http://a/b") is None


@each_row("text", ["a:", "http://[::1]/", "a b", "a|b", "%4", "x:#f", ":a"])
def test_rejected(text: str) -> None:
    with pytest.raises(Rejected):
        rfc2396.parse(text)
