"""References built from components: the inverse of parsing, and its errors."""

from __future__ import annotations

from typing import Any

import pytest

from abnforge import uri
from abnforge.errors import ArgumentTypeError, Rejected
from abnforge.uri.rfc3986.components import COMPONENTS
from tests.law import each_row
from tests.raising import raises
from tests.reference.references import references


def components(u: uri.URI | uri.RelativeRef) -> dict[str, Any]:
    return {name: getattr(u, name) for name in COMPONENTS}


def test_building_is_the_inverse_of_taking_apart() -> None:
    for text in references(4, 500):
        u = uri.parse(text)
        assert uri.build(**components(u)) == u
        assert uri.build(**components(u), encode=True) == u


@each_row(
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
    ({"path": "//a"}, "path", "unreadable-path-absolute", True),
    ({"path": "a:b"}, "path", "unreadable-path-noscheme", False),
    ({"host": "h", "path": "a"}, "path", "unreadable-path-abempty", True),
    ({"scheme": "1a"}, "scheme", "scheme-first-character", True),
    ({"scheme": ""}, "scheme", "unreadable-scheme", True),
    ({"host": "::1"}, "host", "ipv6-without-brackets", True),
    ({"host": "[::g]"}, "host", "ipv6-group-not-hexadecimal", True),
    ({"host": "a/b"}, "host", "unreadable-reg-name", False),
    ({"host": "h", "port": "8x"}, "port", "port-not-digits", True),
    ({"host": "h", "port": -1}, "port", "port-not-digits", True),
    ({"host": "h", "userinfo": "a@b"}, "userinfo", "at-in-userinfo", False),
    ({"path": "/a b"}, "path", "space-in-path", False),
    ({"query": "#"}, "query", "unreadable-query", False),
    ({"fragment": "\x00"}, "fragment", "control-in-fragment", False),
]


@each_row(("parts", "component", "code", "also_encoded"), REFUSED)
def test_invalid_arguments(parts: dict[str, Any], component: str, code: str, also_encoded: bool) -> None:
    for encode in (False, True) if also_encoded else (False,):
        with raises(Rejected, code) as caught:
            uri.build(**parts, encode=encode)
        assert caught.value.rejection.input == str(parts[component])
        assert caught.value.rejection.message.startswith(f"{component}: ")


def test_a_port_of_many_digits() -> None:
    assert uri.build(host="h", port="9" * 5000).port == "9" * 5000
    assert uri.build(host="h", port=10**999).port == "1" + "0" * 999
    with raises(ValueError, "port-too-long", most=1000):
        uri.build(host="h", port=10**5000)


def test_misuse() -> None:
    for parts in ({"userinfo": "u"}, {"port": "80"}):
        with raises(ValueError, "build-without-host"):
            uri.build(**parts)  # type: ignore[arg-type]
    wrong: list[dict[str, Any]] = [{"path": None}, {"path": b"/"}, {"host": 1}, {"host": "h", "port": 1.5}]
    for parts in wrong:
        with pytest.raises(TypeError) as caught:
            uri.build(**parts)
        assert isinstance(caught.value, ArgumentTypeError)
    with raises(ValueError, "percent-surrogate", codepoint=55296, offset=0):
        uri.build(path="\ud800", encode=True)
