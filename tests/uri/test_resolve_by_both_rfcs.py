"""What the two RFCs resolve alike, what they do not, and what neither does."""

from __future__ import annotations

import pytest

from abnforge import uri
from abnforge.errors import Rejected
from abnforge.uri import rfc2396
from tests.law import each_row
from tests.raising import raises
from tests.reference.examples import BASE

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
def test_a_relative_base_is_refused_with_what_is_allowed(base: str) -> None:
    for resolve in (uri.resolve, rfc2396.resolve):
        if resolve is rfc2396.resolve and base == "?q":
            continue  # no reference there
        with raises(ValueError, "base-relative"):
            resolve(base, "a")


@pytest.mark.parametrize(
    ("base", "ref"), [("http://a b/", "c"), ("http://a/", "c d"), ("http://a/", "\ud800")]
)
def test_texts_that_are_not_valid(base: str, ref: str) -> None:
    for resolve in (uri.resolve, rfc2396.resolve):
        with pytest.raises(Rejected):
            resolve(base, ref)
