"""The comparison ladder (section 6.2): the rung on which each pair is equal, and unsupported comparisons."""

from __future__ import annotations

import pytest

from abnforge import uri
from abnforge.errors import Rejected
from abnforge.uri import Step
from tests.law import each_row
from tests.raising import raises

NOT_LICENSED = [
    ("http://example.com/?", "http://example.com/"),  # 6.2.3
    ("http://example.com/#", "http://example.com/"),
    ("http://@h/", "http://h/"),
    ("http://u:@h/", "http://u@h/"),
    ("http://u@h/", "http://U@h/"),
    ("http://h/a", "http://h/A"),
    ("http://h/a/", "http://h/a"),
    ("http://h/%2F", "http://h//"),
    ("http://h/%2B", "http://h/+"),  # 2.2: reserved characters
    ("http://h.", "http://h"),
    ("http://h:443/", "https://h/"),
    ("a://[::1]", "a://[0:0:0:0:0:0:0:1]"),
    ("mailto:a@h", "mailto:A@h"),
    ("http://0x7f.1/", "http://127.0.0.1/"),
]


@each_row(("left", "right"), NOT_LICENSED)
def test_unlicensed_normalizations_are_not_applied(left: str, right: str) -> None:
    assert not uri.equivalent(left, right)
    assert uri.equivalent(left, right).differences


def test_the_protocol_is_the_caller_s() -> None:
    def directory(u: uri.URI) -> str:
        return str(u) if u.path.endswith("/") else f"{u}/"

    left, right = "http://example.com/data", "HTTP://example.com/data/"  # 6.2.4
    assert not uri.equivalent(left, right)
    result = uri.equivalent(left, right, protocol=directory)
    assert (result.step, result.section, result.needed) == ("protocol", "6.2.4", (Step.CASE, Step.PROTOCOL))
    assert str(uri.normalize(left, protocol=directory)) == left + "/"
    for call in (
        lambda: uri.equivalent("a:", "b:", "protocol"),
        lambda: uri.normalize("a:", steps=["protocol"]),
    ):
        with raises(ValueError, "protocol-missing"):
            call()


LADDER: list[tuple[str, str, str | None, str | None]] = [
    ("http://a/", "http://a/", "string", "6.2.1"),
    ("http://a/", "HTTP://a/", "case", "6.2.2.1"),
    ("http://a/%3a", "http://a/%3A", "case", "6.2.2.1"),
    ("http://a/%7E", "http://a/~", "percent-encoding", "6.2.2.2"),
    ("eXAMPLE://a/./b/../b/%63/%7bfoo%7d", "example://a/b/c/%7Bfoo%7D", "dot-segments", "6.2.2.3"),
    ("http://a:/", "http://a/", "empty-port", "3.2"),
    ("http://a:80/", "http://a", "scheme", "6.2.3"),
    ("http://a/b", "http://a/c", None, None),
]


@pytest.mark.requirement("6-2")
@pytest.mark.requirement("6-3")
@pytest.mark.parametrize(("left", "right", "step", "section"), LADDER)
def test_the_rung_that_shows_it(left: str, right: str, step: str | None, section: str | None) -> None:
    result = uri.equivalent(left, right)
    assert (result.step, result.section, bool(result)) == (step, section, step is not None)
    assert bool(result.differences) is not bool(result)
    assert (result.normal_left == result.normal_right) is bool(result)
    turned = uri.equivalent(right, left)
    assert (turned.step, turned.needed) == (result.step, result.needed)
    reached = False
    for level in ("string", *uri.SYNTAX_BASED, "scheme"):
        reached |= level == step
        assert bool(uri.equivalent(left, right, level)) is reached
    assert result.to_dict()["equivalent"] is bool(result)


def test_needed_steps() -> None:
    result = uri.equivalent("eXAMPLE://a/./b/../b/%63/%7bfoo%7d", "example://a/b/c/%7Bfoo%7D")
    assert result.needed == (Step.CASE, Step.PERCENT_ENCODING, Step.DOT_SEGMENTS)


def test_differences_are_of_the_normal_forms() -> None:
    result = uri.equivalent("HTTP://u:secret@a/?", "http://u:other@a/#f")
    assert [d.component for d in result.differences] == ["userinfo", "query", "fragment"]
    assert result.differences[1][1:] == ("", None)
    assert "secret" not in result.message
    assert "secret" not in repr(result)


def test_relative_references_and_fragments() -> None:
    assert uri.equivalent("a", "a").same_base
    assert not uri.equivalent("a", "./a")
    assert uri.equivalent("a", "./a", base="http://h/")
    assert not uri.equivalent("a", "./a", base="http://h/").same_base
    assert uri.equivalent("http://h/#a", "http://h/", fragment=False)
    assert not uri.equivalent("http://h/", "//h/")


def test_misuse() -> None:
    with raises(ValueError, "argument-choice", name="level", value="all"):
        uri.equivalent("a:b", "a:b", "all")
    with pytest.raises(Rejected):
        uri.equivalent("a:b", "a b")
