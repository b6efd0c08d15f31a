"""Differences between RFC 2396 and RFC 3986: validity, components, and targets."""

from __future__ import annotations

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from abnforge import uri
from abnforge.uri import compare_editions, rfc2396
from abnforge.uri.rfc_differences import COMPONENTS, components_of
from tests.law import each_row
from tests.raising import raises
from tests.reference.examples import BASE

TABLE = [
    # validity
    ("http://[::1]/", [("valid", "no", "yes"), ("target", None, "http://[::1]/")]),
    ("dav:", [("valid", "no", "yes"), ("target", None, "dav:")]),
    ("//a@b@c", [("valid", "yes", "no"), ("target", "http://a@b@c", None)]),
    ("http://h:80x/", [("valid", "yes", "no"), ("target", "http://h:80x/", None)]),
    # components
    ("mailto:a?b", [("path", "a?b", "a"), ("query", None, "b")]),
    ("http://a_b/", [("host", None, "a_b"), ("host_kind", None, "reg-name")]),
    ("http://1.2.3.4.5/", [("host", None, "1.2.3.4.5"), ("host_kind", None, "reg-name")]),
    ("http://999.1.1.1/", [("host_kind", "IPv4address", "reg-name")]),
    ("http://u@a_b:1/", [("userinfo", None, "u"), ("host", None, "a_b"), ("host_kind", None, "reg-name"),
                         ("port", None, "1")]),
    # Targets (section 5.4 of RFC 3986, appendix C of RFC 2396).
    ("?y", [("valid", "no", "yes"), ("target", "http://a/b/c/?y", "http://a/b/c/d;p?y")]),
    ("../../../g", [("target", "http://a/../g", "http://a/g")]),
    ("/./g", [("target", "http://a/./g", "http://a/g")]),
    ("/../g", [("target", "http://a/../g", "http://a/g")]),
    # nothing
    ("g;x=1/../y", []),
    ("", []),
    ("#s", []),
    ("file:///a", []),
    ("http://www.example.com:80/a;b?c#d", []),
    ("a|b", []),  # for neither
]  # fmt: skip


@each_row(("text", "changes"), TABLE)
def test_between(text: str, changes: list[tuple[str, str | None, str | None]]) -> None:
    result = compare_editions(text, BASE)
    assert list(result.changes) == changes
    assert bool(result) is bool(changes)
    without_base = [change for change in changes if change[0] != "target"]
    assert list(compare_editions(text).changes) == without_base
    assert json.loads(json.dumps(result.to_dict()))["changes"] == [c._asdict() for c in result.changes]


@given(
    st.lists(st.sampled_from(["a", "http:", "//", "/", "..", "@", ":", "1", ".", "?", "#", ";", "_", "|"]))
)
@example(["http:", "//", "a", "@", "a", ":", "1"])
def test_nothing_changes_where_both_say_the_same(parts: list[str]) -> None:
    text = "".join(parts)
    result = compare_editions(text)
    valid = [rfc2396.is_valid(text, "URI-reference"), uri.is_valid(text, "URI-reference")]
    assert [rejection is None for rejection in result.rejections] == valid
    if valid == [True, True] and not result:
        old, new = rfc2396.parse(text), uri.parse(text)
        for name in set(COMPONENTS) - {"host", "host_kind"}:
            assert getattr(old, name) == getattr(new, name)
    back = compare_editions(text, old="rfc3986", new="rfc2396")
    assert [(c.aspect, c.new, c.old) for c in back.changes] == list(result.changes)


def test_reasons_are_given() -> None:
    result = compare_editions("http://[::1]/", BASE)
    assert result.rejections[0] is not None
    assert result.rejections[0].grammar == "rfc2396"
    assert result.errors[0]
    assert result.errors[1] is None
    assert compare_editions("a", "mailto:b").errors[0]  # this base does not have a hierarchy
    assert compare_editions("a", "mailto:b").changes == (("target", None, "mailto:a"),)


def test_repr_hides_the_password() -> None:
    assert (
        repr(compare_editions("ftp://u:secret@a_b/"))
        == "EditionDiff('ftp://u:***@a_b/': userinfo, host, host_kind)"
    )
    assert repr(compare_editions("a")) == "EditionDiff('a': nothing)"


def test_only_two_editions_are_known() -> None:
    with raises(ValueError, "argument-choice", name="old", value="rfc1738"):
        compare_editions("a", old="rfc1738")
    with raises(TypeError, "argument-bytes", name="value", type="bytes"):
        compare_editions(b"a")  # type: ignore[arg-type]


def test_components_as_plain_data() -> None:
    reference = uri.parse("//u@h:1", "relative-ref")
    assert components_of("rfc3986", "relative-ref", str(reference)) == reference.to_dict()
    assert components_of("rfc2396", "URI-reference", "a:b") == rfc2396.parse("a:b").to_dict()
    assert components_of("rfc3986", "port", "1") is None
    with pytest.raises(KeyError):
        components_of("rfc3987", "IRI", "a:b")


def test_changes_can_be_shown_without_passwords() -> None:
    result = compare_editions("//u:secret@a_b/", BASE)
    assert "secret" not in repr([change.masked() for change in result.changes])
    assert "***" in repr([change.masked() for change in result.changes])
    assert not result.quotable
    assert compare_editions("//u@a_b/", BASE).quotable
