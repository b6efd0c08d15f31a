"""Read strings from files and pipes: one :class:`StringRecord` or :class:`Unreadable` for each line or file.

A line ends at LF, or CRLF. Nothing else is removed, and nothing is repaired: a line that is not UTF-8 becomes
an :class:`Unreadable` with the position. Cost: linear; memory is bounded by the longest allowed line or file.
"""

from __future__ import annotations

import os
import re
import stat
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from io import FileIO, RawIOBase
from typing import BinaryIO

from abnforge.catalog import ArgumentError, Message
from abnforge.cli.common.lines import Newline, Place, blocks, convert, converted, noting_places, split
from abnforge.cli.common.messages import message
from abnforge.cli.common.output import StreamError, file_problem, print_stderr
from abnforge.errors import LimitExceeded
from abnforge.text import ByteText

# Most servers reject a URI beyond 8 kB (RFC 9110, 4.1 requires 8,000 bytes), so a list of strings does not
# contain a line of a megabyte. The limit makes a file without line endings harmless.
DEFAULT_MAX_LINE_BYTES = 1 << 20

# a whole file is held in memory, and parsing needs several times its size
DEFAULT_MAX_FILE_BYTES = 1 << 26

# bytes that are shown after the first invalid UTF-8 bytes; each takes up to four characters
MAX_SHOWN_BYTES = 1 << 20

CHUNK_BYTES = 1 << 16  # size of one read: a pipe's capacity on Linux

STDIN = "<stdin>"
ARGUMENT = "<argument>"


def in_file_system(source: str) -> bool:
    """Return whether an input is a file, not standard input or an argument."""
    return source not in (STDIN, ARGUMENT)


# a string instead of a file name: it starts with a scheme of two letters or more
_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")
_OBJECT = re.compile(r"(?:s3|gs|gcs|abfss?|hdfs)://")


def input_problem(error: OSError | ValueError, path: str) -> Message:
    """Return the message about an input that cannot be read; a NUL in its name causes a ValueError."""
    if isinstance(error, ValueError):
        return message("os-error-file", path=path, reason=str(error))
    if _OBJECT.match(path):
        return file_problem(error, path, (message("file-missing-storage"),))
    return file_problem(error, path, (message("file-missing-string"),) if _URI.match(path) else ())


_BOM = b"\xef\xbb\xbf"
_UTF16_BOMS = (b"\xff\xfe", b"\xfe\xff")

Readable = BinaryIO | RawIOBase

Warn = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class StringRecord:
    """A string to validate; ``line`` is its number within ``source``, from 1.

    ``begins`` is its line and column in the file if they differ: strings may end with NUL. ``whole`` says
    that the string is the whole file, so that lines count within it. ``newline`` names the line endings after
    conversion.
    """

    source: str
    line: int
    text: str
    begins: Place | None = None
    whole: bool = False
    newline: Newline | None = None


@dataclass(frozen=True, slots=True)
class Unreadable:
    r"""A line or file that is not a string, or whose validation exceeded the budget.

    ``code`` is ``not-utf-8``, ``line-too-long``, ``file-too-large``, or ``limit-exceeded``, where ``shown``
    is the string. For other codes, ``offset`` is the byte offset, from 0, of the first unusable byte in the
    line or file after a byte order mark. ``shown`` is the line with invalid bytes written ``\xHH``, up to
    ``MAX_SHOWN_BYTES`` after the first one; ``start`` and ``end`` are the position of the first invalid bytes
    in it. It is empty if the line is too long. ``begins``, ``whole`` and ``newline`` are as in
    :class:`StringRecord`.
    """

    source: str
    line: int
    code: str
    message: str
    offset: int
    shown: str = ""
    start: int = 0
    end: int = 0
    begins: Place | None = None
    whole: bool = False
    newline: Newline | None = None


UNDECIDED = "limit-exceeded"

Record = StringRecord | Unreadable


@dataclass(slots=True)
class Options:
    """Options for splitting inputs into strings."""

    null: bool = False  # NUL ends a string, instead of LF or CRLF
    skip_empty: bool = False
    whole_file: bool = False  # each file is one string
    newline: Newline = "keep"  # target of the conversion of line endings in a whole file
    max_bytes: int | None = None  # maximum size of a string
    of_bytes: bool = False  # strings are bytes, and not UTF-8

    @property
    def limit(self) -> int:
        """The maximum size of a string in bytes."""
        return self.max_bytes or (DEFAULT_MAX_FILE_BYTES if self.whole_file else DEFAULT_MAX_LINE_BYTES)


# Takes lines with LF, and whether to ignore empty ones. Returns the number of lines, the number of skipped
# lines, and the number, start and end of each remaining line.
Lines = Callable[[bytes, bool], tuple[int, int, list[tuple[int, int, int]]]]


class _Typed(RawIOBase):
    """The input of a terminal. If it ends within a line, messages start on a new line."""

    def __init__(self, stream: Readable) -> None:
        self._stream = stream
        self._end = b""

    def read(self, size: int = -1) -> bytes | None:
        data: bytes | None = (getattr(self._stream, "read1", None) or self._stream.read)(size)
        if data:
            self._end = data[-1:]
        elif self._end not in (b"", b"\n"):
            self._end = b""
            print_stderr("")
        return data


class Inputs:
    """All strings of the named files, in order; ``-`` is standard input.

    A file that cannot be read is reported to ``fail`` and sets ``failed``; the other files are still read.
    ``warn`` gets warnings. ``bytes_read`` and ``bytes_total`` (None if unknown, for example for a pipe) are
    for progress.

    If ``skip`` returns true for a string, the string is only counted, in ``skipped``. Most lines of a list
    are valid, and a record for each would cost more than the verdict. ``skip_lines`` does the same for blocks
    of lines, if available. ``tick`` is called regularly.
    """

    skip: Callable[[str], bool] | None = None
    skip_lines: Lines | None = None
    tick: Callable[[], None] | None = None
    is_typed = False  # the user types at a terminal

    def __init__(
        self, paths: Iterable[str], options: Options, *, stdin: Readable | None, warn: Warn, fail: Warn
    ) -> None:
        self.paths = list(paths)
        self.options = options
        self.failed = False
        self.bytes_read = 0
        self.skipped = 0
        self._stdin = stdin
        self._warn = warn
        self._fail = fail

    @property
    def bytes_total(self) -> int | None:
        """The total size of the files; None unless all are regular files."""
        total = 0
        for path in self.paths:
            try:
                status = os.stat(path) if path != "-" else None
            except (OSError, ValueError):
                continue  # reported when the file is read
            if status is None or not stat.S_ISREG(status.st_mode):
                return None
            total += status.st_size
        return total

    def __iter__(self) -> Iterator[Record]:
        for path in self.paths:
            source = STDIN if path == "-" else path
            try:
                yield from self._file(path, source)
            except BrokenPipeError:
                raise  # an error of the output, not of this file
            except (OSError, ValueError) as error:  # ValueError if the name contains a NUL
                self._fail(input_problem(error, source))
                self.failed = True

    def _file(self, path: str, source: str) -> Iterator[Record]:
        records = self._document if self.options.whole_file else self._records
        if path == "-":
            if self._stdin is None:
                raise StreamError(message("stream-closed", stream="standard input"))
            stdin = _Typed(self._stdin) if self.is_typed else self._stdin
            yield from records(stdin, source)
            return
        with open(path, "rb", buffering=0) as stream:
            yield from records(stream, source)

    def _document(self, stream: Readable, source: str) -> Iterator[Record]:
        data = self._all(stream, source)
        if data is None:
            yield _file_too_large(source, self.options.limit)
        elif data or not self.options.skip_empty:
            record = self._decode(data, source, 1, whole=True)
            del data
            if isinstance(record, StringRecord):
                record = self._converted(record)
            if not self._passed_over(record):
                yield record
        if self.tick is not None:
            self.tick()

    def _all(self, stream: Readable, source: str) -> bytearray | None:
        """Return all bytes of a stream; None if they exceed the limit. A file's size is checked first."""
        limit = self.options.limit
        if isinstance(stream, FileIO):
            status = os.fstat(stream.fileno())
            if stat.S_ISREG(status.st_mode) and status.st_size > limit + len(_BOM):
                return None
        held = bytearray()
        for chunk in self._chunks(stream, source):
            held += chunk
            if len(held) > limit:
                return None
            if self.tick is not None:
                self.tick()
        return held

    def _converted(self, item: StringRecord) -> StringRecord:
        """Return a string with converted line endings, and warn about changes."""
        newline = self.options.newline
        text, changed = convert(item.text, newline)
        if not changed:
            return item
        self._warn(converted(item.source, newline, changed))
        return replace(item, text=type(item.text)(text), newline=newline)

    def _passed_over(self, record: Record) -> bool:
        """Return whether ``skip`` is true for a string, which is then counted."""
        if self.skip is None or isinstance(record, Unreadable):
            return False
        try:
            passed = self.skip(record.text)
        except LimitExceeded:
            return False  # the reader of the string reports the error
        self.skipped += passed
        return passed

    def _records(self, stream: Readable, source: str) -> Iterator[Record]:
        options = self.options
        chunks = self._chunks(stream, source)
        if self.skip_lines is not None and not options.null and options.limit >= CHUNK_BYTES:
            yield from self._by_blocks(chunks, source, self.skip_lines)
            return
        end = b"\0" if options.null else b"\n"
        number = 0
        begins: deque[Place] = deque()
        if options.null:
            chunks = noting_places(chunks, end, begins)
        for lines in split(chunks, end, options.limit):
            for line in lines:
                number += 1
                place = begins.popleft() if options.null else None
                if line is None:
                    yield _too_long(source, number, options.limit, place)
                    continue
                if not self._line_passed_over(line):
                    yield self._decode(line, source, number, place)
            if self.tick is not None:
                self.tick()

    def _by_blocks(self, chunks: Iterable[bytes], source: str, skip_lines: Lines) -> Iterator[Record]:
        """Yield lines that end in LF, like ``_records``, but whole chunks of lines at a time."""
        options = self.options
        number = 0
        for lines, block in blocks(chunks, options.limit):
            for line in lines:
                number += 1
                if line is None:
                    yield _too_long(source, number, options.limit)
                elif not self._line_passed_over(line):
                    yield self._decode(line, source, number)
            if block:
                count, skipped, others = skip_lines(block, options.skip_empty)
                self.skipped += skipped
                for place, begin, end in others:
                    yield self._decode(block[begin:end], source, number + place)
                number += count
            if self.tick is not None:
                self.tick()

    def _line_passed_over(self, line: bytes) -> bool:
        """Return whether to skip a line, either as empty or because ``skip`` is true; count the latter."""
        if not line and self.options.skip_empty:
            return True
        if self.skip is not None:
            try:
                if self.skip(ByteText.of(line) if self.options.of_bytes else line.decode()):
                    self.skipped += 1
                    return True
            except (UnicodeDecodeError, LimitExceeded):
                pass  # the reader of the string reports the error
        return False

    def _decode(
        self,
        line: bytes | bytearray,
        source: str,
        number: int,
        begins: Place | None = None,
        *,
        whole: bool = False,
    ) -> Record:
        if self.options.of_bytes:
            return StringRecord(source, number, ByteText.of(line), begins, whole)
        return decode(line, source, number, begins, whole=whole)

    def _chunks(self, stream: Readable, source: str) -> Iterator[bytes]:
        """Yield the stream's bytes without a byte order mark at its start, unless strings are bytes."""
        # read1 returns the bytes that have arrived, so that slow lines are validated without delay.
        read: Callable[[int], bytes | None] = getattr(stream, "read1", None) or stream.read
        head = b""
        while len(head) < len(_BOM) and (chunk := read(CHUNK_BYTES)):
            self.bytes_read += len(chunk)
            head += chunk
            if not _BOM.startswith(head[: len(_BOM)]):
                break
        if self.options.of_bytes:
            pass
        elif head.startswith(_BOM):
            self._warn(message("byte-order-mark-dropped", source=source))
            head = head[len(_BOM) :]
        elif head.startswith(_UTF16_BOMS):
            self._warn(message("looks-like-utf16", source=source))
        if head:
            yield head
        while chunk := read(CHUNK_BYTES):
            self.bytes_read += len(chunk)
            yield chunk


def decode(
    line: bytes | bytearray, source: str, number: int, begins: Place | None = None, *, whole: bool = False
) -> Record:
    """Decode a line or a whole file; return an Unreadable if it is not valid UTF-8."""
    try:
        return StringRecord(source, number, line.decode(), begins, whole)
    except UnicodeDecodeError as error:
        before = line[: error.start].decode()
        bad = line[error.start : error.end].decode("utf-8", "backslashreplace")
        after = line[error.end : error.end + MAX_SHOWN_BYTES].decode("utf-8", "backslashreplace")
        return Unreadable(
            source,
            number,
            "not-utf-8",
            message(
                "byte-not-utf8", byte=f"0x{line[error.start]:02X}", offset=error.start, reason=error.reason
            ),
            error.start,
            before + bad + after,
            len(before),
            len(before) + len(bad),
            begins,
            whole,
        )


def _too_long(source: str, number: int, limit: int, begins: Place | None = None) -> Unreadable:
    problem = message("line-beyond-limit", limit=limit)
    return Unreadable(source, number, "line-too-long", problem, limit, begins=begins)


def _file_too_large(source: str, limit: int) -> Unreadable:
    problem = message("file-beyond-limit", limit=limit)
    return Unreadable(source, 1, "file-too-large", problem, limit, whole=True)


def arguments(strings: Iterable[str], *, of_bytes: bool = False) -> Iterator[StringRecord]:
    """Yield the strings of the command line, or their bytes.

    Raises ValueError for a string that was not in the terminal's encoding: Python replaced its bytes by lone
    surrogates.
    """
    for number, text in enumerate(strings, 1):
        if of_bytes:
            yield StringRecord(ARGUMENT, number, ByteText.of(os.fsencode(text)))
            continue
        for offset, char in enumerate(text):
            if "\ud800" <= char <= "\udfff":
                byte = ord(char) - 0xDC00
                what = f"byte 0x{byte:02X}" if 0x80 <= byte <= 0xFF else f"U+{ord(char):04X}"
                raise ArgumentError(message("string-undecodable", number=number, byte=what, offset=offset))
        yield StringRecord(ARGUMENT, number, text)
