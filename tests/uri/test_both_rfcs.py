"""Functions that exist for both RFCs: objects of the other RFC, common results, and common errors."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

import pytest

from abnforge import uri
from abnforge.errors import Rejected
from abnforge.uri import rfc2396
from tests.law import each_row
from tests.raising import raises
from tests.reference.examples import BASE


def test_component_objects_are_taken_where_strings_are() -> None:
    u = uri.parse("http://u@h:80/p")
    assert uri.parse(u) == u
    assert uri.is_valid(u)
    assert uri.explain(u) is None
    assert u.authority_parts is not None
    assert uri.parse(u.authority_parts, "authority") == u.authority_parts
    assert rfc2396.parse(u).host == "h"
    assert uri.parse(rfc2396.parse("http://u@h:80/p")) == u


@each_row("module", [uri, rfc2396])
@each_row("kind", [bytes, bytearray, memoryview])
def test_bytes_are_validated_as_the_text_they_spell(
    module: ModuleType, kind: Callable[[bytes], object]
) -> None:
    assert module.parse(kind(b"http://h/a")) == module.parse("http://h/a")
    assert module.is_valid(kind(b"http://h/a"))
    assert not module.is_valid(kind(b"http://h/\xff"))
    for octets, offset in ((b"http://h/\xff", 9), ("http://h/é".encode(), 9), (b"http:// h", 7)):
        with pytest.raises(Rejected) as caught:
            module.parse(kind(octets))
        assert (caught.value.rejection.offset, caught.value.rejection.offset_unit) == (offset, "bytes")
        assert module.explain(kind(octets), "URI-reference") == caught.value.rejection


@pytest.mark.parametrize("module", [uri, rfc2396])
@pytest.mark.parametrize("verb", ["parse", "is_valid", "explain"])
class TestMisuse:
    """Invalid arguments of functions that exist for both RFCs."""

    @pytest.mark.parametrize("value", [None, 1, ["http://h"], uri.URI])
    def test_other_types(self, module: object, verb: str, value: object) -> None:
        with raises(TypeError, "argument-type", name="value"):
            getattr(module, verb)(value)

    def test_unknown_rule(self, module: object, verb: str) -> None:
        with raises(KeyError, "rule-name-unknown"):
            getattr(module, verb)("http://h", "URI-refrence")

    def test_rule_that_is_no_name(self, module: object, verb: str) -> None:
        with raises(TypeError, "argument-type", name="rule", type="int"):
            getattr(module, verb)("http://h", 3986)


DIFFERENT = [  # base, reference, target by RFC 2396 and by RFC 3986
    (BASE, "?y", "http://a/b/c/?y", "http://a/b/c/d;p?y"),
    (BASE, "../../../g", "http://a/../g", "http://a/g"),
    (BASE, "/./g", "http://a/./g", "http://a/g"),
    (BASE, "http:/../g", "http:/../g", "http:/g"),
    (BASE, "", "http://a/b/c/d;p?q", "http://a/b/c/d;p?q"),
    (BASE, "#s", "http://a/b/c/d;p?q#s", "http://a/b/c/d;p?q#s"),
    ("http://a", "g", "http://a/g", "http://a/g"),
    ("a:/x/b", "..//c", "a:/.//c", "a:/.//c"),
]


@each_row(("base", "ref", "old", "new"), DIFFERENT)
def test_the_two_algorithms(base: str, ref: str, old: str, new: str) -> None:
    assert (str(rfc2396.resolve(base, ref)), str(uri.resolve(base, ref))) == (old, new)


@each_row("base", ["", "/a", "a/b", "//h/", "?q", "#f"])
def test_a_relative_base_is_rejected_with_what_is_allowed(base: str) -> None:
    for resolve in (uri.resolve, rfc2396.resolve):
        if resolve is rfc2396.resolve and base == "?q":
            continue  # not a reference in this RFC
        with raises(ValueError, "base-relative"):
            resolve(base, "a")


@pytest.mark.parametrize(
    ("base", "ref"), [("http://a b/", "c"), ("http://a/", "c d"), ("http://a/", "\ud800")]
)
def test_strings_that_are_not_valid(base: str, ref: str) -> None:
    for resolve in (uri.resolve, rfc2396.resolve):
        with pytest.raises(Rejected):
            resolve(base, ref)
