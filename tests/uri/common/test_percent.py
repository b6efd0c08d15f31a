"""Percent-encoding whatever the component: nothing is lost, nothing is done twice, and errors say where."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abnforge import uri
from abnforge.uri import percent


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
    (lambda: percent.encode("a\ud800"), r"U\+D800 at offset 1 is a lone surrogate"),
    (lambda: percent.encode("8x", "port"), "at octet 1 cannot stand in port"),
    (lambda: percent.decode("a%C3%28"), '"%C3" at offset 1 is not UTF-8'),
    (lambda: percent.decode("%41%ff"), '"%ff" at offset 3 is not UTF-8'),
    (lambda: percent.decode("a%4"), '"%" at offset 1 has no two hexadecimal digits'),
    (lambda: percent.decode("\u00e9"), r"U\+00E9 at offset 0 is not US-ASCII"),
    (lambda: percent.decode("/a%2fb", "path"), '"%2F" at offset 2 is data'),
    (lambda: percent.decode("a/b", "segment"), "/"),
]


@pytest.mark.parametrize(("call", "message"), BAD)
def test_errors_say_what_and_where(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


def test_misuse() -> None:
    with pytest.raises(KeyError, match="did you mean"):
        percent.encode("a", "segmnt")
    with pytest.raises(TypeError, match="str or bytes"):
        percent.encode(1)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="text is a str"):
        percent.decode(b"a")  # type: ignore[arg-type]
