"""Line ends: conversion and advice."""

from __future__ import annotations

import re
from itertools import chain, islice

from hypothesis import given
from hypothesis import strategies as st

from abnforge.cli.common.lines import Newline, advice, blocks, convert, converted, split
from tests.law import each_row, law


def test_an_endless_line_is_reported_before_it_ends() -> None:
    def endless():  # type: ignore[no-untyped-def]
        while True:
            yield b"a" * 1000

    assert [None] in islice(split(endless(), b"\n", 10_000), 12)


@given(st.binary(max_size=40), st.integers(1, 9), st.integers(1, 12), st.booleans())
def test_chunks_do_not_matter(data: bytes, step: int, limit: int, null: bool) -> None:
    end = b"\0" if null else b"\n"
    chunks = [data[i : i + step] for i in range(0, len(data), step)]
    whole = data.split(end)
    last = whole.pop()
    lines = [line if null else line.removesuffix(b"\r") for line in whole] + ([last] if last else [])
    assert list(chain.from_iterable(split(chunks, end, limit))) == [
        line if len(line) <= limit else None for line in lines
    ]


@given(
    st.lists(st.sampled_from([b"a", b"bb", b"\r", b"\n", b"\r\n", b"ccc"]), max_size=30),
    st.integers(1, 12),
    st.integers(1, 9),
)
def test_blocks_have_the_same_lines(pieces: list[bytes], step: int, limit: int) -> None:
    """A block has whole lines; neighboring blocks began in an earlier chunk."""
    data = b"".join(pieces)
    step = min(step, limit)  # no chunk exceeds the limit
    chunks = [data[i : i + step] for i in range(0, len(data), step)]
    results: list[bytes | None] = []
    for lines, block in blocks(chunks, limit):
        results += lines
        assert not block or block.endswith(b"\n")
        results += [line.removesuffix(b"\r") for line in block.split(b"\n")[:-1]]
    assert results == list(chain.from_iterable(split(chunks, b"\n", limit)))


def test_an_endless_line_takes_no_memory_in_blocks() -> None:
    def endless():  # type: ignore[no-untyped-def]
        while True:
            yield b"a" * 1000

    assert ([None], b"") in islice(blocks(endless(), 10_000), 12)


# Input, conversion, result, number of other line ends.
CONVERTED: list[tuple[str, Newline, str, int]] = [
    ("", "crlf", "", 0),
    ("a\nb\r\nc\r\n", "keep", "a\nb\r\nc\r\n", 0),
    ("a\nb\r\nc", "crlf", "a\r\nb\r\nc", 1),
    ("a\nb\r\nc", "lf", "a\nb\nc", 1),
    ("\n\n", "crlf", "\r\n\r\n", 2),
    ("\r\n\r\n", "lf", "\n\n", 2),
    ("\r\n", "crlf", "\r\n", 0),
    ("\n", "lf", "\n", 0),
    # A single CR does not end a line.
    ("a\rb", "crlf", "a\rb", 0),
    ("a\rb", "lf", "a\rb", 0),
    ("a\r\r\nb\r", "crlf", "a\r\r\nb\r", 0),
    ("a\r\r\nb\r", "lf", "a\r\nb\r", 1),
    ("a\u2028b\x85\n", "crlf", "a\u2028b\x85\r\n", 1),
]


@each_row(("text", "newline", "expected", "changed"), CONVERTED)
def test_conversion(text: str, newline: Newline, expected: str, changed: int) -> None:
    assert convert(text, newline) == (expected, changed)


LINED = st.text(st.sampled_from("ab\n\r"), max_size=20)


@law(LINED, st.sampled_from(["\r\n", "\n"]), few=40, many=2_000)
def test_lines_and_columns_stay(text: str, end: str) -> None:
    result, changed = convert(text, "crlf" if end == "\r\n" else "lf")
    ends = re.findall(r"\r?\n", text)
    assert changed == len(ends) - ends.count(end)
    lines = re.split(r"\r?\n", text)
    assert result == end.join(lines)
    before = zip(lines, text.split("\n"), result.split("\n"), strict=True)
    assert all(old.startswith(line) and new.startswith(line) for line, old, new in before)


def test_a_conversion_is_reported() -> None:
    assert converted("f", "crlf", 1).data == {"source": "f", "count": 1, "before": "LF", "after": "CRLF"}
    assert converted("f", "lf", 1200).data == {"source": "f", "count": 1200, "before": "CRLF", "after": "LF"}


# Input, offset of the error, characters allowed there, advice.
ADVICE: list[tuple[str, int, list[str], Newline | None]] = [
    ("a\nb", 1, ["\\x0D"], "crlf"),
    ("\n", 0, ["a-z", "\\x0D"], "crlf"),
    ("a\nb", 1, ["\\x00-\\x7F"], "crlf"),
    ("a\nb", 1, ["a-z"], None),
    ("a\nb", 1, [], None),
    ("a\nb", 0, ["\\x0D"], None),  # not a line end
    ("ab", 2, ["\\x0D"], None),  # the end
    ("a\r\nb", 2, ["\\x0D"], None),  # the CR is already there
    ("a\r\nb", 1, ["\\x0A"], "lf"),
    ("a\r\nb", 1, ["a-z"], None),
    ("a\rb", 1, ["\\x0A"], None),  # not a line end
    ("a\n", 1, ["r", "\\\\"], None),
]


@each_row(("text", "offset", "admitted", "expected"), ADVICE)
def test_advice(text: str, offset: int, admitted: list[str], expected: Newline | None) -> None:
    assert advice(text, offset, admitted) == expected
