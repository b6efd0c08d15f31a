"""attrs: a validator of fields."""

from __future__ import annotations

import pickle

import pytest

import abnforge
from tests.raising import raises

attrs = pytest.importorskip("attrs")

from abnforge.integrations.attrs import abnf  # noqa: E402


@attrs.define
class Row:
    url: str = attrs.field(validator=abnf("rfc3986:URI"))
    other: str | None = attrs.field(default=None, validator=abnf("rfc3986:URI", optional=True))


def test_fields_are_judged() -> None:
    row = Row("http://a/")
    assert Row("http://a/", "b:").other == "b:"
    with pytest.raises(abnforge.Rejected) as caught:
        Row("http://h:80x/")
    assert caught.value.rejection.code == "port-not-digits"
    with pytest.raises(abnforge.Rejected):
        row.url = "a b"
    with pytest.raises(abnforge.Rejected):
        Row("a:", "b")
    with raises(
        TypeError,
        "argument-type",
        name="text",
        expected="a str, UTF-8 bytes or a component object",
        type="NoneType",
    ):
        Row(None)


def test_a_validator_is_a_value() -> None:
    assert abnf("rfc3986:URI") == abnf(abnforge.rule("rfc3986:URI"))
    assert pickle.loads(pickle.dumps(abnf("rfc3986:URI"))) == abnf("rfc3986:URI")
    with pytest.raises(abnforge.UnknownNameError):
        abnf("rfc3986:UIR")
