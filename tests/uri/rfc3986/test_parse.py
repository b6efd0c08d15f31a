"""The verbs of RFC 3986 on texts: what they read, by which rule, and what they reject."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abnforge import uri
from abnforge.errors import Rejected
from abnforge.uri import URI, RelativeRef


@pytest.mark.parametrize(
    ("text", "rule", "valid"),
    [
        ("http://h/", "URI", True),
        ("/a", "URI", False),
        ("/a", "URI-reference", True),
        ("/a", "relative-ref", True),
        ("a:b#c", "absolute-URI", False),
        ("a:b\n", "URI", False),
        (" a:b", "URI", False),
        ("[::1]", "host", True),
        ("::1", "host", False),
    ],
)
def test_is_valid_and_explain(text: str, rule: str, valid: bool) -> None:
    assert uri.is_valid(text, rule) is valid
    rejection = uri.explain(text, rule)
    assert (rejection is None) is valid
    if rejection is None:
        assert str(uri.parse(text, rule)) == text
    else:
        assert (rejection.grammar, rejection.rule, rejection.input) == ("rfc3986", rule, text)
        with pytest.raises(Rejected) as caught:
            uri.parse(text, rule)
        assert caught.value.rejection == rejection


def test_default_rules() -> None:
    assert uri.parse("a").rule == "URI-reference"
    assert not uri.is_valid("a")
    rejection = uri.explain("a")
    assert rejection is not None
    assert rejection.rule == "URI"


@pytest.mark.parametrize(
    ("text", "rule", "kind"),
    [
        ("a:b", "URI", URI),
        ("a:b", "absolute-URI", URI),
        ("a:b", "URI-reference", URI),
        ("b", "relative-ref", RelativeRef),
        ("b", "URI-reference", RelativeRef),
    ],
)
def test_rule(text: str, rule: str, kind: type) -> None:
    u = uri.parse(text, rule)
    assert type(u) is kind
    assert u.rule == rule
    assert u == uri.parse(text)  # where it came from does not matter
    assert hash(u) == hash(uri.parse(text))


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("http", "scheme"),
        ("//h/p", "hier-part"),
        ("//h/p", "relative-part"),
        ("u:p", "userinfo"),
        ("[::1]", "host"),
        ("[::1]", "IP-literal"),
        ("::1.2.3.4", "IPv6address"),
        ("1.2.3.4", "IPv4address"),
        ("", "reg-name"),
        ("80", "port"),
        ("a/b", "path-rootless"),
        ("/a", "path"),
        ("q", "query"),
        ("%41", "pct-encoded"),
    ],
)
def test_every_other_rule_gives_its_text(text: str, rule: str) -> None:
    result = uri.parse(text, rule)
    assert type(result) is str
    assert result == text


@settings(max_examples=60, deadline=None)
@given(st.text("aA1:/?#[]@.%\\ é", max_size=12))
def test_any_text_is_parsed_unchanged_or_rejected(text: str) -> None:
    if uri.is_valid(text, "URI-reference"):
        assert str(uri.parse(text)) == text
    else:
        with pytest.raises(Rejected) as caught:
            uri.parse(text)
        assert caught.value.rejection.input == text
