"""References built from components: the inverse of taking apart, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from abnforge import uri
from abnforge.errors import Rejected
from abnforge.uri.rfc3986.components import COMPONENTS
from tests.reference.references import references


def components(u: uri.URI | uri.RelativeRef) -> dict[str, Any]:
    return {name: getattr(u, name) for name in COMPONENTS}


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


def test_a_port_of_many_digits() -> None:
    assert uri.build(host="h", port="9" * 5000).port == "9" * 5000
    assert uri.build(host="h", port=10**999).port == "1" + "0" * 999
    with pytest.raises(ValueError, match=r"^port is an int of at most 1000 digits; give a longer"):
        uri.build(host="h", port=10**5000)


def test_misuse() -> None:
    for parts in ({"userinfo": "u"}, {"port": "80"}):
        with pytest.raises(ValueError, match="without a host"):
            uri.build(**parts)  # type: ignore[arg-type]
    wrong: list[dict[str, Any]] = [{"path": None}, {"path": b"/"}, {"host": 1}, {"host": "h", "port": 1.5}]
    for parts in wrong:
        with pytest.raises(TypeError, match="is a str"):
            uri.build(**parts)
    with pytest.raises(ValueError, match="lone surrogate"):
        uri.build(path="\ud800", encode=True)
