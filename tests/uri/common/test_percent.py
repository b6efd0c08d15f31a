"""Percent-encoding in any component is lossless and idempotent, and its errors have positions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abnforge import uri
from abnforge.uri import percent
from tests.law import each_row
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
    (lambda: percent.decode("a/b", "segment"), "unreadable-pchar"),
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
