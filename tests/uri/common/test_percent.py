"""Percent-encoding, and references built from components."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abnforge import uri
from abnforge.errors import Rejected
from abnforge.uri import percent, rfc2396
from tests.reference.references import references


@pytest.mark.parametrize(
    ("data", "rule", "encoded"),
    [
        (" ", "unreserved", "%20"),  # 2.1
        ("~", "unreserved", "~"),  # 2.4
        ("%", "unreserved", "%25"),  # 2.4
        ("%41", "segment", "%2541"),
        ("Laguna Beach", "segment", "Laguna%20Beach"),  # 2.5
        ("A\u00c0\u30a2", "segment", "A%C3%80%E3%82%A2"),  # 2.5
        (bytes.fromhex("d3818781"), "segment", "%D3%81%87%81"),  # 2.5: octets of any encoding
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


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_decoding_undoes_encoding_once(text: str) -> None:
    once = percent.encode(text)
    assert percent.decode(once) == text
    assert uri.is_valid(once, "segment")
    assert percent.decode(percent.encode(once)) == once
    kept = percent.encode(text, "query", keep_triplets=True)
    assert percent.encode(kept, "query", keep_triplets=True) == kept
    assert uri.is_valid(kept, "query")


@given(st.binary())
def test_octets(octets: bytes) -> None:
    assert percent.decode_octets(percent.encode(octets), "segment") == octets


@pytest.mark.requirement("2.2-2")
@pytest.mark.requirement("2.2-3")
def test_characters_are_the_rules_of_the_grammar() -> None:
    """A character may stand in a component exactly when the component's rule derives a text with it."""
    for rule in ("userinfo", "reg-name", "segment", "path", "query", "fragment"):
        stands = {chr(code) for code in range(256) if uri.is_valid(f"a{chr(code)}a", rule)}
        assert percent.characters(rule) == stands


@pytest.mark.requirement("2.3-1")
@pytest.mark.requirement("2.4-1")
@pytest.mark.requirement("2.4.1-1")
@pytest.mark.requirement("2.4.3-1")
@pytest.mark.requirement("2.4.3-2")
@pytest.mark.requirement("2.4.3-3")
def test_unreserved_of_the_two_rfcs() -> None:
    assert rfc2396.percent.characters("unreserved") - percent.characters("unreserved") == set("!*'()")
    assert percent.characters("unreserved") < rfc2396.percent.characters("unreserved")
    assert rfc2396.percent.encode("!*'() <>#%\"{}|\\^[]`") == (
        "!*'()%20%3C%3E%23%25%22%7B%7D%7C%5C%5E%5B%5D%60"
    )
    assert rfc2396.percent.encode("a;b/c", "segment") == "a;b%2Fc"


@pytest.mark.requirement("2.4.2-3")
def test_nothing_is_decoded_twice() -> None:
    assert percent.decode("%2541") == "%41"


BAD: list[tuple[Callable[[], Any], str]] = [
    (lambda: percent.encode("a\ud800"), r"U\+D800 at offset 1 is a lone surrogate"),
    (lambda: percent.encode("8x", "port"), "at octet 1 cannot stand in port"),
    (lambda: percent.decode("a%C3%28"), '"%C3" at offset 1 is not UTF-8'),
    (lambda: percent.decode("%41%ff"), '"%ff" at offset 3 is not UTF-8'),
    (lambda: percent.decode("a%4"), '"%" at offset 1 has no two hexadecimal digits'),
    (lambda: percent.decode("\u00e9"), r"U\+00E9 at offset 0 is not US-ASCII"),
    (lambda: percent.decode("/a%2fb", "path"), '"%2F" at offset 2 is data'),
    (lambda: percent.decode("a/b", "segment"), "/"),
]


@pytest.mark.parametrize(("call", "message"), BAD)
def test_errors_say_what_and_where(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


def test_misuse() -> None:
    with pytest.raises(KeyError, match="did you mean"):
        percent.encode("a", "segmnt")
    with pytest.raises(TypeError, match="str or bytes"):
        percent.encode(1)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="expected a str"):
        percent.decode(b"a")  # type: ignore[arg-type]


def components(u: uri.URI | uri.RelativeRef) -> dict[str, Any]:
    return {
        name: getattr(u, name) for name in ("scheme", "userinfo", "host", "port", "path", "query", "fragment")
    }


def test_building_is_the_inverse_of_taking_apart() -> None:
    for text in references(4, 500):
        u = uri.parse(text)
        assert uri.build(**components(u)) == u
        assert uri.build(**components(u), encode=True) == u


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        ({}, ""),
        ({"path": "a:b c"}, "a%3Ab%20c"),
        ({"path": "a/b:c"}, "a/b:c"),
        ({"path": "/a%20b c%"}, "/a%20b%20c%25"),
        ({"scheme": "s", "path": "a:b"}, "s:a:b"),
        ({"host": "h\u00e9", "port": 80}, "//h%C3%A9:80"),
        ({"host": "[::1]", "userinfo": "a@b", "path": "/?#"}, "//a%40b@[::1]/%3F%23"),
        ({"host": "", "query": "#", "fragment": "#"}, "//?%23#%23"),
    ],
)
def test_encoding_while_building(parts: dict[str, Any], text: str) -> None:
    assert str(uri.build(**parts, encode=True)) == text


REFUSED = [
    ({"path": "//a"}, "path", "authority", True),
    ({"path": "a:b"}, "path", "scheme", False),
    ({"host": "h", "path": "a"}, "path", 'begins with "/"', True),
    ({"scheme": "1a"}, "scheme", "", True),
    ({"scheme": ""}, "scheme", "", True),
    ({"host": "::1"}, "host", r"brackets: \"\[::1\]\"", True),
    ({"host": "[::g]"}, "host", "", True),
    ({"host": "a/b"}, "host", "/", False),
    ({"host": "h", "port": "8x"}, "port", "x", True),
    ({"host": "h", "port": -1}, "port", "-", True),
    ({"host": "h", "userinfo": "a@b"}, "userinfo", "@", False),
    ({"path": "/a b"}, "path", "space", False),
    ({"query": "#"}, "query", "#", False),
    ({"fragment": "\x00"}, "fragment", "", False),
]


@pytest.mark.parametrize(("parts", "component", "reason", "also_encoded"), REFUSED)
def test_what_cannot_be_is_refused(
    parts: dict[str, Any], component: str, reason: str, also_encoded: bool
) -> None:
    for encode in (False, True) if also_encoded else (False,):
        with pytest.raises(Rejected, match=f"^{component}: .*{reason}") as caught:
            uri.build(**parts, encode=encode)
        assert caught.value.rejection.input == str(parts[component])


def test_misuse_of_build() -> None:
    for parts in ({"userinfo": "u"}, {"port": "80"}):
        with pytest.raises(ValueError, match="without a host"):
            uri.build(**parts)  # type: ignore[arg-type]
    wrong: list[dict[str, Any]] = [{"path": None}, {"path": b"/"}, {"host": 1}, {"host": "h", "port": 1.5}]
    for parts in wrong:
        with pytest.raises(TypeError, match="is a str"):
            uri.build(**parts)
    with pytest.raises(ValueError, match="lone surrogate"):
        uri.build(path="\ud800", encode=True)
