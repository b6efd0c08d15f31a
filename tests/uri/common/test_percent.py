"""Percent-encoding in any component is lossless and idempotent, and its errors have positions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qsl

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abnforge import uri
from abnforge.uri import percent
from tests.law import each_row, law
from tests.raising import raises


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


@pytest.mark.requirement("2.4.2-3")
def test_nothing_is_decoded_twice() -> None:
    assert percent.decode("%2541") == "%41"


BAD: list[tuple[Callable[[], Any], str]] = [
    (lambda: percent.encode("a\ud800"), "percent-surrogate"),
    (lambda: percent.encode("8x", "port"), "percent-unencodable"),
    (lambda: percent.decode("a%C3%28"), "percent-not-utf8"),
    (lambda: percent.decode("%41%ff"), "percent-not-utf8"),
    (lambda: percent.decode("a%4"), "percent-malformed"),
    (lambda: percent.decode("\u00e9"), "percent-non-ascii"),
    (lambda: percent.decode("/a%2fb", "path"), "percent-slash"),
    (lambda: percent.decode("a/b", "segment"), "unreadable-segment"),
]


@each_row(("call", "code"), BAD)
def test_errors_say_what_and_where(call: Callable[[], Any], code: str) -> None:
    with raises(ValueError, code):
        call()


def test_misuse() -> None:
    with raises(KeyError, "rule-name-unknown"):
        percent.encode("a", "segmnt")
    with raises(TypeError, "argument-type", name="data", type="int"):
        percent.encode(1)  # type: ignore[arg-type]
    with raises(TypeError, "argument-bytes", name="text", type="bytes"):
        percent.decode(b"a")  # type: ignore[arg-type]


# query, exact parameters, decoded parameters
QUERIES: list[tuple[str | None, list[tuple[str, str | None]], list[tuple[str, str]] | None]] = [
    (None, [], []),
    ("", [], []),
    ("&&", [], []),
    ("a=1&b=2", [("a", "1"), ("b", "2")], [("a", "1"), ("b", "2")]),
    ("a&b=&=c&=", [("a", None), ("b", ""), ("", "c"), ("", "")], [("a", ""), ("b", ""), ("", "c"), ("", "")]),
    ("a=1&a=2=3", [("a", "1"), ("a", "2=3")], [("a", "1"), ("a", "2=3")]),
    ("a+b=%2B+%3d%26", [("a+b", "%2B+%3d%26")], [("a b", "+ =&")]),
    ("%C3%A9=é;x", [("%C3%A9", "é;x")], [("é", "é;x")]),
    ("a=%FF", [("a", "%FF")], None),
    ("a=100%&b=%4", [("a", "100%"), ("b", "%4")], [("a", "100%"), ("b", "%4")]),
    ("a=%00", [("a", "%00")], [("a", "\0")]),
]


@each_row("query, exact, decoded", QUERIES)
def test_parameters_of_queries(
    query: str | None, exact: list[tuple[str, str | None]], decoded: list[tuple[str, str]] | None
) -> None:
    assert list(uri.query_parameters(query)) == exact
    if decoded is None:
        with raises(ValueError, "percent-not-utf8"):
            uri.query_parameters(query, decode=True)
    else:
        assert list(uri.query_parameters(query, decode=True)) == decoded


@law(st.text("a=&+%é41", max_size=20), few=100, many=2_000)
def test_parameters_are_those_of_the_standard_library(query: str) -> None:
    try:
        found = uri.query_parameters(query, decode=True)
    except ValueError:
        return
    assert list(found) == parse_qsl(query, keep_blank_values=True)
