"""Inputs: line ends, and bytes that are not UTF-8."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from abnforge.catalog import Message
from abnforge.cli.common.inputs import (
    CHUNK_BYTES,
    MAX_SHOWN_BYTES,
    Inputs,
    Options,
    Record,
    StringRecord,
    Unreadable,
    arguments,
)
from abnforge.cli.common.lines import Newline
from tests.law import each_row
from tests.raising import raises


class Slow(io.RawIOBase):
    """A pipe that returns a few bytes at a time."""

    def __init__(self, data: bytes, step: int) -> None:
        self.data, self.step = data, step

    def read(self, size: int = -1) -> bytes:
        head, self.data = self.data[: self.step], self.data[self.step :]
        return head


def read(
    data: bytes, options: Options | None = None, step: int = 1 << 16
) -> tuple[list[Record], list[Message]]:
    warnings: list[Message] = []
    stdin = Slow(data, step)
    inputs = Inputs(["-"], options or Options(), stdin=stdin, warn=warnings.append, fail=warnings.append)
    return list(inputs), warnings


LINES = [
    (b"", []),
    (b"\n", [""]),
    (b"a", ["a"]),
    (b"a\n", ["a"]),
    (b"a\nb", ["a", "b"]),
    (b"a\r\nb\r\n", ["a", "b"]),
    (b"a\r\r\n", ["a\r"]),
    (b"a\rb\n", ["a\rb"]),
    (b"a\r", ["a\r"]),  # CR is a line end only before LF
    (b"\r\n\n", ["", ""]),
    (b" a \n", [" a "]),
    ("a\u2028b\u0085c\x0bd\x0ce\n".encode(), ["a\u2028b\u0085c\x0bd\x0ce"]),
    (b"a\0b\n", ["a\0b"]),
]


@each_row("step", [1, 2, 3, 1 << 16])
@each_row(("data", "expected"), LINES)
def test_lines(data: bytes, expected: list[str], step: int) -> None:
    records, warnings = read(data, step=step)
    assert records == [StringRecord("<stdin>", n, text) for n, text in enumerate(expected, 1)]
    assert warnings == []


def test_null_separated_strings_keep_their_line_ends() -> None:
    records, _ = read(b"a\nb\r\0c\0", Options(null=True))
    assert [r.text for r in records if isinstance(r, StringRecord)] == ["a\nb\r", "c"]


@each_row("step", [1, 2, 3, 100])
@each_row(
    ("data", "places"),
    [
        (b"a\0b\0c", [(1, 1), (1, 3), (1, 5)]),
        (b"a\nb\0\nc\0\n\nd\0", [(1, 1), (2, 3), (3, 3)]),
        ("\ufeffé\0€\0\n\0x".encode(), [(1, 1), (1, 3), (1, 5), (2, 2)]),
        (b"0123456789\n1\n\0a\n\xffb\0c", [(1, 1), (3, 2), (4, 4)]),  # too long, then not UTF-8
        (b"\0" * 3, [(1, 1), (1, 2), (1, 3)]),
        (b"", []),
    ],
)
def test_where_null_separated_strings_begin(data: bytes, places: list[tuple[int, int]], step: int) -> None:
    records, _ = read(data, Options(null=True, max_bytes=9), step=step)
    assert [r.begins for r in records] == places
    assert [r.line for r in records] == [n for n, _ in enumerate(places, 1)]


def test_lines_begin_where_their_number_says() -> None:
    records, _ = read(b"a\nb\xff\n")
    assert [(r.line, r.begins) for r in records] == [(1, None), (2, None)]


def test_skipped_lines_count() -> None:
    records, _ = read(b"\na\n\r\nb\n", Options(skip_empty=True))
    assert records == [StringRecord("<stdin>", 2, "a"), StringRecord("<stdin>", 4, "b")]


@each_row("step", [1, 2, 3, 100])
@each_row(
    ("data", "texts", "warned"),
    [
        (b"\xef\xbb\xbfa\n", ["a"], True),
        (b"\xef\xbb\xbf", [], True),
        (
            b"\xef\xbb\xbf\xef\xbb\xbfa",
            ["\ufeffa"],
            True,
        ),  # only the first byte order mark is dropped
        (b"a\n\xef\xbb\xbfb", ["a", "\ufeffb"], False),
    ],
)
def test_byte_order_mark(data: bytes, texts: list[str], warned: bool, step: int) -> None:
    records, warnings = read(data, step=step)
    assert [r.text for r in records if isinstance(r, StringRecord)] == texts
    assert bool(warnings) is warned


def test_utf_16_is_named() -> None:
    records, warnings = read("http://a/\n".encode("utf-16"))
    assert isinstance(records[0], Unreadable)
    assert codes(warnings) == ["looks-like-utf16"]


BAD = [
    (b"\xff", 0, "\\xff", 0, 4),
    (b"ab\xffcd", 2, "ab\\xffcd", 2, 6),
    ("é".encode() + b"\xe9\n", 2, "é\\xe9", 1, 5),
    (b"a\xed\xa0\x80b", 1, "a\\xed\\xa0\\x80b", 1, 5),  # a surrogate, encoded like UTF-8
    (b"a\xc0\x80", 1, "a\\xc0\\x80", 1, 5),  # an overlong encoding of NUL
]


@pytest.mark.parametrize(("data", "offset", "shown", "start", "end"), BAD)
def test_undecodable_bytes(data: bytes, offset: int, shown: str, start: int, end: int) -> None:
    [record], _ = read(data)
    assert isinstance(record, Unreadable)
    assert (record.code, record.offset, record.shown, record.start, record.end) == (
        "not-utf-8",
        offset,
        shown,
        start,
        end,
    )
    assert isinstance(record.message, Message)
    assert record.message.data["offset"] == offset


@pytest.mark.parametrize("step", [1, 4, 7, 1000])
def test_the_limit_is_exact(step: int) -> None:
    options = Options(max_bytes=4)
    records, _ = read(b"1234\n12345\n1234\r\n12345\r\n123456789\nok\n1234\r", options, step)
    kinds = [r.text if isinstance(r, StringRecord) else r.code for r in records]
    long = "line-too-long"
    assert kinds == ["1234", long, "1234", long, long, "ok", long]
    assert [r.line for r in records] == [1, 2, 3, 4, 5, 6, 7]


def test_other_files_are_read_when_one_cannot_be(tmp_path: Path) -> None:
    good = tmp_path / "good"
    good.write_bytes(b"a\n")
    warnings: list[Message] = []
    inputs = Inputs(
        [str(tmp_path / "none"), str(tmp_path), "nul\0name", str(good)],
        Options(),
        stdin=None,
        warn=warnings.append,
        fail=warnings.append,
    )
    assert list(inputs) == [StringRecord(str(good), 1, "a")]
    assert inputs.failed
    assert [(warning.code, warning.data["path"]) for warning in warnings] == [
        ("file-missing", str(tmp_path / "none")),
        ("file-is-directory", str(tmp_path)),
        ("os-error-file", "nul\0name"),
    ]
    assert inputs.bytes_read == 2


def codes(warnings: list[Message]) -> list[str]:
    return [each.code for each in warnings]


def test_closed_standard_input_is_an_error() -> None:
    warnings: list[Message] = []
    inputs = Inputs(["-"], Options(), stdin=None, warn=warnings.append, fail=warnings.append)
    assert list(inputs) == []
    assert inputs.failed
    [problem] = warnings
    assert (problem.code, problem.data["path"]) == ("os-error-file", "<stdin>")


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("http://a/", "file-missing-string"),
        ("mailto:x", "file-missing-string"),
        ("s3://bucket/a", "file-missing-storage"),
    ],
)
def test_strings_for_files(name: str, hint: str) -> None:
    problems: list[Message] = []
    inputs = Inputs([name], Options(), stdin=None, warn=problems.append, fail=problems.append)
    assert list(inputs) == []
    [problem] = problems
    assert [each.code for each in problem.data["hints"]] == [hint]


def test_arguments_are_unchanged() -> None:
    assert [i.text for i in arguments(["", " a\n", "-"])] == ["", " a\n", "-"]


def test_arguments_that_lost_bytes_are_rejected() -> None:
    with raises(ValueError, "string-undecodable", number=2, byte="byte 0xFF", offset=1):
        list(arguments(["ok", "a\udcff"]))


WHOLE = Options(whole_file=True)


@each_row("step", [1, 2, 3, 1 << 16])
@each_row("text", ["", "\n", "a", "a\nb\r\n\0c\r", " \u2028é\n\n"])
def test_a_whole_file_is_one_string(text: str, step: int) -> None:
    assert read(text.encode(), WHOLE, step) == ([StringRecord("<stdin>", 1, text, whole=True)], [])


def test_empty_files_are_skipped_on_request() -> None:
    options = Options(whole_file=True, skip_empty=True)
    assert read(b"", options) == ([], [])
    assert read(b"\xef\xbb\xbf", options)[0] == []
    assert [r.line for r in read(b"\n", options)[0]] == [1]


@pytest.mark.parametrize("step", [1, 2, 100])
def test_byte_order_mark_of_a_whole_file(step: int) -> None:
    bom = b"\xef\xbb\xbf"
    records, warnings = read(bom + b"a\n" + bom, WHOLE, step)
    assert records == [StringRecord("<stdin>", 1, "a\n\ufeff", whole=True)]
    assert codes(warnings) == ["byte-order-mark-dropped"]
    [broken], _ = read(bom + b"a\n\xff", WHOLE, step)
    assert isinstance(broken, Unreadable)
    assert (broken.offset, broken.start, broken.whole) == (2, 2, True)


@pytest.mark.parametrize("newline", ["crlf", "lf", "keep"])
def test_line_ends_are_converted_aloud(newline: Newline) -> None:
    [record], warnings = read(b"a\r\nb\n", Options(whole_file=True, newline=newline))
    changed = None if newline == "keep" else newline
    text = {"crlf": "a\r\nb\r\n", "lf": "a\nb\n", "keep": "a\r\nb\n"}[newline]
    assert record == StringRecord("<stdin>", 1, text, whole=True, newline=changed)
    facts = [(warning.code, warning.data["count"], warning.data["after"]) for warning in warnings]
    assert facts == [("line-ends-converted", 1, newline.upper())] * bool(changed)


def test_nothing_is_reported_where_nothing_was_converted() -> None:
    [record], warnings = read(b"a\r\n", Options(whole_file=True, newline="crlf"))
    assert (record.newline, warnings) == (None, [])


def test_bytes_are_counted_before_line_ends_are_converted() -> None:
    [record], warnings = read(b"a\nb\n\xff\n", Options(whole_file=True, newline="crlf"))
    assert isinstance(record, Unreadable)
    assert (record.offset, record.shown, record.start) == (4, "a\nb\n\\xff\n", 4)
    assert warnings == []


def test_excerpts_after_bad_bytes_are_bounded() -> None:
    [record], _ = read(b"ab" + b"\xff" * (MAX_SHOWN_BYTES + 100), WHOLE)
    assert isinstance(record, Unreadable)
    assert len(record.shown) == len("ab") + len("\\xff") * (MAX_SHOWN_BYTES + 1)


@pytest.mark.parametrize(("size", "text"), [(9, "123456789"), (10, "1234567890"), (11, None)])
@pytest.mark.parametrize("step", [1, 4, 100])
def test_the_limit_of_whole_files_is_exact(size: int, text: str | None, step: int, tmp_path: Path) -> None:
    data = b"12345678901"[:size]
    options = Options(whole_file=True, max_bytes=10)
    path = tmp_path / "f"
    for mark in (b"", b"\xef\xbb\xbf"):
        path.write_bytes(mark + data)
        [piped], _ = read(mark + data, options, step)
        [named] = Inputs([str(path)], options, stdin=None, warn=[].append, fail=[].append)
        for record in (piped, named):
            assert (record.text if isinstance(record, StringRecord) else None) == text
            assert isinstance(record, StringRecord) or (record.code, record.offset) == ("file-too-large", 10)


def test_no_more_is_read_than_is_allowed(tmp_path: Path) -> None:
    """A file is too large by its known size. An endless pipe is read only a little beyond the limit."""

    class Endless(Slow):
        def read(self, size: int = -1) -> bytes:
            return b"a" * size

    path = tmp_path / "f"
    with path.open("wb") as file:
        file.truncate(1 << 40)
    options = Options(whole_file=True, max_bytes=100_000)
    inputs = Inputs([str(path), "-"], options, stdin=Endless(b"", 1), warn=[].append, fail=[].append)
    results = []
    for record in inputs:
        assert isinstance(record, Unreadable)
        results.append((record.source, record.code, inputs.bytes_read))
    assert results == [
        (str(path), "file-too-large", 0),
        ("<stdin>", "file-too-large", 2 * CHUNK_BYTES),
    ]


def test_valid_files_are_only_counted_when_they_are_skipped() -> None:
    ticks: list[None] = []
    for data, count in ((b"good\n", 1), (b"bad\n", 0), (b"\xff", 0)):
        inputs = Inputs(["-"], WHOLE, stdin=Slow(data, 2), warn=[].append, fail=[].append)
        inputs.skip = lambda text: text == "good\n"
        inputs.tick = lambda: ticks.append(None)
        assert (len(list(inputs)), inputs.skipped) == (1 - count, count)
    assert len(ticks) > 3
