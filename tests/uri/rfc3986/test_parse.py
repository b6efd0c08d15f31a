"""Functions of RFC 3986 on strings: results, rules, and errors."""

from __future__ import annotations

import gc
import inspect
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abnforge import load, uri
from abnforge._native import compiled
from abnforge.errors import Rejected
from abnforge.uri import URI, RelativeRef
from tests.law import each_row, one_in


@each_row(
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
    assert u == uri.parse(text)  # equality does not depend on how the object was created
    assert hash(u) == hash(uri.parse(text))


@each_row(
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


@settings(max_examples=30, deadline=None)
@given(st.text("aA1:/?#[]@.%\\ é", max_size=12))
def test_any_text_is_parsed_unchanged_or_rejected(text: str) -> None:
    if uri.is_valid(text, "URI-reference"):
        assert str(uri.parse(text)) == text
    else:
        with pytest.raises(Rejected) as caught:
            uri.parse(text)
        assert caught.value.rejection.input == text


RULES = sorted(load("rfc3986").rules)


def outcome(call: Callable[[], object]) -> tuple[object, ...]:
    """Return everything that a caller can see of the result or the error of a call."""
    try:
        result = call()
    except Exception as error:
        return type(error), str(error)
    more = (result.rule, result._places, result._kinds) if isinstance(result, uri.Reference) else ()
    return type(result), str(result), result == call(), *more


VALUES = (
    *("http://u@h:1/p?q#f", "/a", "h", "1", "", "a b", "\ud800", b"a:b", b"\xff", bytearray(b"1"), None, 1),
    *(uri.parse("a:b"), uri.parse("a:b", "URI")),
)


class Own(str):
    """A subclass of str."""

    __slots__ = ()


def in_python(call: Any) -> Any:
    """Return the Python function that the C extension calls in unusual cases."""
    if inspect.isfunction(call):
        return call
    return next(each for each in gc.get_referents(call.__self__) if inspect.isfunction(each))


@pytest.mark.parametrize("name", one_in(4, ["parse", "is_valid"]))
@pytest.mark.parametrize(
    "rule",
    one_in(
        2,
        [
            *(spelling for rule in RULES for spelling in (rule, rule.lower())),
            *("none", "", "uri ", "\ud800", Own("URI"), Own("none"), None, 1, b"URI", ["URI"]),
        ],
    ),
)
def test_a_rule_by_position_and_by_keyword(name: str, rule: Any) -> None:
    """The first call, later calls and the Python function have equal results or errors."""
    call: Any = getattr(uri, name)
    slow = in_python(call)
    for value in (*VALUES, Own("a:b")):
        expected = outcome(lambda value=value: call(value, rule))  # type: ignore[misc]
        assert outcome(lambda value=value: call(value, rule=rule)) == expected  # type: ignore[misc]
        assert outcome(lambda value=value: call(value, **{"".join("rule"): rule})) == expected  # type: ignore[misc]
        assert outcome(lambda value=value: call(value=value, rule=rule)) == expected  # type: ignore[misc]
        assert outcome(lambda value=value: call(rule=rule, value=value)) == expected  # type: ignore[misc]
        assert outcome(lambda value=value: slow(value, rule)) == expected  # type: ignore[misc]


@each_row("name", ["parse", "is_valid"])
@each_row(
    ("values", "keywords"),
    [
        ((), {}),
        ((), {"rule": "URI"}),
        ((), {"text": "a:b"}),
        (("a:b",), {"text": "a:b"}),
        (("a:b",), {"value": "a:b"}),
        (("a:b",), {"Rule": "URI"}),
        (("a:b",), {"rule": "URI", "more": 1}),
        (("a:b", "URI"), {"rule": "URI"}),
        (("a:b", "URI", "URI"), {}),
    ],
)
def test_calls_that_are_no_calls(name: str, values: tuple[Any, ...], keywords: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match=rf"{name}\(\)"):
        getattr(uri, name)(*values, **keywords)


@pytest.mark.skipif(compiled is None, reason="there is no kernel")
@pytest.mark.parametrize(
    ("rule", "value"),
    [
        *((rule, "a:b") for rule in ("URI", "uri", "URI-reference", "absolute-URI")),
        *(("relative-ref", "/b"), ("host", "h"), ("IPv4address", "1.2.3.4"), ("DIGIT", "1")),
    ],
)
@pytest.mark.parametrize("name", ["parse", "is_valid"])
def test_the_c_extension_reads_by_a_rule_that_was_called_before(name: str, rule: str, value: str) -> None:
    call = getattr(uri, name)
    call(value, rule)
    calls: list[str] = []

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            calls.append(frame.f_code.co_name)

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        call(value, rule)
        call(value, rule=rule)
    finally:
        sys.setprofile(before)
    assert calls == []
