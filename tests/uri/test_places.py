"""Where the URIs of a file stand: lines scanned together, places by line and column."""

from __future__ import annotations

import sys
from typing import NamedTuple

import pytest

from abnforge.uri.scan import LineBlock, blocks, places


class Line(NamedTuple):
    source: str
    line: int
    text: str


def lines(*texts: str, source: str = "f") -> list[Line]:
    return [Line(source, number, text) for number, text in enumerate(texts, 1)]


def test_a_blank_line_and_another_file_end_a_block() -> None:
    read = [*lines("", "a", "b", " \t", "c"), *lines("d", source="g")]
    assert list(blocks(read)) == [LineBlock("f", 2, "a\nb"), LineBlock("f", 5, "c"), LineBlock("g", 1, "d")]


def test_a_long_text_is_cut_at_the_end_of_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules["abnforge.uri.scan"], "MAX_BLOCK_CHARS", 3)
    assert [block.text for block in blocks(lines("ab", "cd", "ef"))] == ["ab\ncd", "ef"]


def test_places() -> None:
    [place] = places(LineBlock("f", 7, "x <http://u:a-\n  b@h/>"))
    assert (place.source, place.found.uri) == ("f", "http://u:a-b@h/")
    assert place.pieces == ((7, 4, 15), (8, 3, 7))
    assert place.hyphens == ((7, 14),)
    assert place.masked().found.uri == "http://u:***@h/"
    assert place.masked().found.without_hyphens == "http://u:**@h/"


def test_schemes() -> None:
    block = LineBlock("f", 1, "a:b tel:1")
    assert [place.found.uri for place in places(block)] == ["tel:1"]
    assert [place.found.uri for place in places(block, None)] == ["a:b", "tel:1"]
