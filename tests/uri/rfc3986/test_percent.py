"""Percent-encoding by RFC 3986: its examples, and the characters of its rules."""

from __future__ import annotations

import pytest

from abnforge import uri
from abnforge.uri import percent
from tests.law import each_row


@each_row(
    ("data", "rule", "encoded"),
    [
        (" ", "unreserved", "%20"),  # 2.1
        ("~", "unreserved", "~"),  # 2.4
        ("%", "unreserved", "%25"),  # 2.4
        ("%41", "segment", "%2541"),
        ("Laguna Beach", "segment", "Laguna%20Beach"),  # 2.5
        ("A\u00c0\u30a2", "segment", "A%C3%80%E3%82%A2"),  # 2.5
        (bytes.fromhex("d3818781"), "segment", "%D3%81%87%81"),  # 2.5: bytes of any encoding
        ("a/b?c#d", "segment", "a%2Fb%3Fc%23d"),
        ("a/b?c#d", "path", "a/b%3Fc%23d"),
        ("a/b?c#d", "query", "a/b?c%23d"),
        ("a/b?c#d", "fragment", "a/b?c%23d"),
        ("u:p@", "userinfo", "u:p%40"),
        ("a:b", "segment-nz-nc", "a%3Ab"),
        ("a:b[", "reg-name", "a%3Ab%5B"),
        ("80", "port", "80"),
        ("", "query", ""),
    ],
)
def test_encode(data: str | bytes, rule: str, encoded: str) -> None:
    assert percent.encode(data, rule) == encoded
    octets = data if isinstance(data, bytes) else data.encode()
    assert percent.decode_octets(encoded) == octets


@pytest.mark.requirement("2.2-2")
@pytest.mark.requirement("2.2-3")
def test_characters_are_the_rules_of_the_grammar() -> None:
    """A component allows a character exactly if its rule matches a string with the character."""
    for rule in ("userinfo", "reg-name", "segment", "path", "query", "fragment"):
        stands = {chr(code) for code in range(256) if uri.is_valid(f"a{chr(code)}a", rule)}
        assert percent.characters(rule) == stands
