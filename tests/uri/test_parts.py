"""``parts()`` equals the single attributes, for every kind of component object."""

from __future__ import annotations

import copy
import gc
import os
import pickle
import subprocess
import sys
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import abnforge
from abnforge import uri
from abnforge._native import compiled
from abnforge.uri import URI, Authority, RelativeRef, URITransformer, rfc2396
from abnforge.uri.rfc3986.components import COMPONENTS
from abnforge.uri.rfc3986.parse import KINDS, PARTS
from tests.law import each_row
from tests.reference.references import references

SEVEN = ("scheme", "userinfo", "host", "port", "path", "query", "fragment")
TEXTS = (
    *("", "?", "#", "?#", "/", "//", "a", "http", "https/x", "a/b:c", "x://[::1]", "http://h", "file:///"),
    *("https://u:p@h:80/p?q#f", "http://@:", "http:", "HTTP:", "httpx:", "htt:", "urn:a:b", "mailto:a@b"),
)
REFERENCE = abnforge.rule("rfc3986:URI-reference")


def attributes(value: Any, names: tuple[str, ...] = SEVEN) -> tuple[str | None, ...]:
    return tuple(getattr(value, name) for name in names)


def texts() -> Iterator[str]:
    yield from TEXTS
    yield from references(11, 100)


def variants(text: str) -> Iterator[uri.Reference]:
    """Yield the objects of a string, one for each way to create them."""
    u = uri.parse(text)
    yield u
    rule = "URI" if u.scheme is not None else "relative-ref"
    yield uri.parse(text, rule=rule)
    yield u.with_rule(rule)
    yield type(u)(u.scheme, u.authority_parts, u.path, u.path_kind, u.query, u.fragment)  # type: ignore[arg-type]
    yield copy.copy(u)
    yield copy.deepcopy(u)
    yield from (pickle.loads(pickle.dumps(u, protocol)) for protocol in range(pickle.HIGHEST_PROTOCOL + 1))
    yield URITransformer().transform(REFERENCE.parse(text))


@each_row("text", TEXTS)
def test_the_seven_components(text: str) -> None:
    expected = attributes(uri.parse(text))
    for result in variants(text):
        assert type(result.parts()) is tuple
        assert result.parts() == attributes(result) == expected
        assert result == uri.parse(text)


def test_what_is_made_of_references() -> None:
    for text in texts():
        for result in (uri.resolve("http://u@h:1/a/b?c", text), uri.normalize(text)):
            assert result.parts() == attributes(result) == attributes(uri.parse(str(result)))


def test_the_order_is_that_of_the_declarations() -> None:
    declared = [name for name in vars(uri.Reference) if name in SEVEN]
    assert tuple(declared) == SEVEN == COMPONENTS == tuple(PARTS)
    assert set(KINDS) < set(SEVEN)
    fields = Authority.__match_args__
    assert uri.parse("u@h:1", "authority").parts() == ("u", "h", "1")
    assert [name for name in fields if not name.endswith("kind")] == ["userinfo", "host", "port"]


@pytest.mark.parametrize("text", ["h", "@h:", "u:p@[::1]:1", ""])
def test_authorities(text: str) -> None:
    names = ("userinfo", "host", "port")
    new = uri.parse(text, "authority")
    assert new.parts() == attributes(new, names)
    reference = uri.parse(f"x://{text}")
    assert reference.authority_parts is not None
    assert reference.authority_parts.parts() == reference.parts()[1:4] == new.parts()
    if rfc2396.is_valid(text, "authority"):
        old = rfc2396.parse(text, "authority")
        assert old.parts() == attributes(old, names)


@each_row("text", ["", "a", "mailto:a@b", "http://u@h:1/p;x?q#f", "http://$,/p", "http:///p", "#f", "//h:"])
def test_rfc_2396(text: str) -> None:
    u = rfc2396.parse(text)
    assert u.parts() == attributes(u)
    if u.reg_name is not None:
        assert u.parts()[1:4] == (None, None, None)
        assert u.authority_parts is not None
        assert u.authority_parts.parts() == (u.reg_name,)


def test_a_class_of_the_caller() -> None:
    class Noted(URI):
        pass

    u = uri.parse("https://u@h:1/p?q#f", "URI")
    result = Noted(u.scheme, u.authority_parts, u.path, u.path_kind, u.query, u.fragment)
    result.__dict__["host"] = result.__dict__["parts"] = "hidden"
    assert result.parts is result.__dict__["parts"]  # a method, like the others
    assert (result.host, uri.Reference.parts(result)) == ("h", u.parts())


def digest() -> str:
    """Return all parts of many objects as a string."""
    return "\n".join(repr(result.parts()) for text in TEXTS for result in variants(text))


def test_without_the_c_extension() -> None:
    code = "from tests.uri.test_parts import *; print(compiled is None); print(digest())"
    env = {**os.environ, "ABNFORGE_KERNEL": "python"}
    done = subprocess.run(
        [sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout == f"True\n{digest()}\n"


# ---- objects of the C extension ----

kernel = pytest.mark.skipif(compiled is None, reason="there is no kernel")
SHARED = ("https", "http", "file", "urn", "ftp", "mailto", "data", "wss", "ws", "doi")
MADE: list[Callable[[], uri.Reference]] = [
    lambda: uri.parse("http://h/a"),
    lambda: uri.parse("a/b"),
    lambda: uri.parse("http://h/a", "URI"),
    lambda: uri.parse("a:b", rule="absolute-URI"),
    lambda: uri.normalize("HTTP://h/%7e"),
    lambda: uri.normalize("http://h/"),
    lambda: uri.resolve("http://h/", "../b"),
    lambda: uri.resolve("http://h/", "a:b"),
]


@kernel
@pytest.mark.parametrize("make", MADE)
def test_the_garbage_collector_does_not_track_them(make: Callable[[], uri.Reference]) -> None:
    u = make()
    assert not gc.is_tracked(u)
    died: list[object] = []
    alive = weakref.ref(u, died.append)
    assert alive() is u
    del u
    assert alive() is None
    assert died == [alive]


@kernel
@pytest.mark.usefixtures("little_garbage")
def test_an_object_with_a_dictionary_is_tracked() -> None:
    class Noted(URI):
        pass

    u = uri.parse("https://h", "URI")
    result = Noted(u.scheme, u.authority_parts, u.path, u.path_kind, u.query, u.fragment)
    assert gc.is_tracked(result)
    result.__dict__["itself"] = result
    alive = weakref.ref(result), weakref.ref(Noted)
    with pytest.raises(TypeError, match="layout"):
        object.__setattr__(u, "__class__", Noted)
    del result, Noted
    gc.collect()
    assert [each() for each in alive] == [None, None]


@kernel
@pytest.mark.usefixtures("little_garbage")
def test_nothing_is_kept() -> None:
    rule, text = uri.parse("a:b", "URI").rule, "https://user@host.example:8080/path?query#fragment"
    shared = [uri.parse(f"{scheme}:").scheme for scheme in SHARED]
    watched = (URI, RelativeRef, rule, text, *shared, None)

    def counts() -> list[int]:
        gc.collect()
        return [sys.getrefcount(each) for each in watched]

    def use() -> None:
        kept = [make() for make in MADE * 20]
        kept += [uri.parse(text, rule="URI"), uri.parse(text, "URI"), uri.parse(text)]
        kept += [*map(copy.copy, kept)]
        for each in kept:
            attributes(each), each.parts(), each.rule, each.path_kind

    use()
    before, blocks = counts(), sys.getallocatedblocks()
    for _ in range(30):
        use()
    after = counts()
    if sys.version_info < (3, 12):  # later Python versions do not count references to immortal objects
        assert max(abs(a - b) for a, b in zip(after, before, strict=True)) < 20
    assert sys.getallocatedblocks() - blocks < 100


@kernel
@pytest.mark.parametrize("scheme", SHARED)
def test_frequent_schemes_are_shared(scheme: str) -> None:
    first, second = (uri.parse(f"{scheme}:{rest}") for rest in ("a", "//b"))
    assert first.scheme is second.scheme is first.parts()[0]
    assert first.scheme == scheme
    for near in (scheme.upper(), scheme + "x", scheme[:-1], "x" + scheme[1:]):
        assert uri.parse(f"{near}:").scheme == uri.parse(f"{near}:").parts()[0] == near
