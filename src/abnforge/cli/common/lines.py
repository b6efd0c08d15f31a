"""Split streams of bytes into lines or NUL-separated strings; convert line endings."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator
from typing import Literal

from abnforge.catalog import Message
from abnforge.cli.common.messages import message

_CONTINUING = bytes(range(0x80, 0xC0))  # the bytes of UTF-8 that do not begin a character

Place = tuple[int, int]  # line and column in code points, from 1


def split(chunks: Iterable[bytes], end: bytes, limit: int) -> Iterator[list[bytes | None]]:
    """Split a stream at every ``end`` (one byte); a line of more than ``limit`` bytes is None.

    Yields, for each chunk, a list of the lines that end in it. With LF as the end, a CR before it is removed
    too. Bytes after the last end form one more line. None is returned as soon as the limit is exceeded, and
    the rest of its line is discarded.
    """
    allowed = limit + 1 if end == b"\n" else limit  # the CR of a CRLF does not count
    held = bytearray()
    discarding = False
    for chunk in chunks:
        *ended, last = chunk.split(end)
        lines: list[bytes | None] = []
        if ended:
            if discarding:
                discarding = False
                del ended[0]
            else:
                ended[0] = bytes(held + ended[0])
                held.clear()
            if end == b"\n":
                ended = [line.removesuffix(b"\r") for line in ended]
            lines += ended if len(chunk) <= limit else [e if len(e) <= limit else None for e in ended]
            if ended and len(ended[0]) > limit:
                lines[0] = None
        if not discarding:
            held += last
            if len(held) > allowed:
                lines.append(None)
                held.clear()
                discarding = True
        yield lines
    if held:
        yield [bytes(held) if len(held) <= limit else None]


def blocks(chunks: Iterable[bytes], limit: int) -> Iterator[tuple[list[bytes | None], bytes]]:
    """Split a stream at LF, for a limit above the size of a chunk.

    Yields, for each chunk, the line that started before the chunk and ends in it, and the unsplit block of
    all lines within the chunk.
    """
    held = bytearray()
    discarding = False
    for chunk in chunks:
        last = chunk.rfind(b"\n") + 1
        lines: list[bytes | None] = []
        begin = 0
        if last and (held or discarding):
            begin = chunk.find(b"\n") + 1
            if not discarding:
                line = bytes(held + chunk[: begin - 1]).removesuffix(b"\r")
                lines.append(line if len(line) <= limit else None)
            held.clear()
            discarding = False
        if not discarding:
            held += chunk[last:]
            if len(held) > limit + 1:  # the CR of a CRLF does not count
                lines.append(None)
                held.clear()
                discarding = True
        yield lines, chunk[begin:last]
    if held:
        yield [bytes(held) if len(held) <= limit else None], b""


def noting_places(chunks: Iterable[bytes], end: bytes, begins: deque[Place]) -> Iterator[bytes]:
    """Yield chunks unchanged, after appending the start of each of their strings to ``begins``.

    The strings are those that ``split`` finds. Lines within a discarded string are counted.
    """
    line, column = 1, 1
    begins.append((line, column))
    for chunk in chunks:
        pieces = chunk.split(end)
        for index, piece in enumerate(pieces):
            if index:
                column += 1  # for the separator before this piece
                begins.append((line, column))
            behind = piece.rpartition(b"\n")[2]
            if len(behind) < len(piece):
                line, column = line + piece.count(b"\n"), 1
            column += len(behind.translate(None, _CONTINUING))
        yield chunk


Newline = Literal["crlf", "lf", "keep"]

WORDS = {"crlf": "CRLF", "lf": "LF"}


def convert(text: str, newline: Newline) -> tuple[str, int]:
    """Return the string with converted line endings, and the number of changes.

    A line ending is LF or CRLF; a CR alone is a character of the line. Lines and columns stay the same. Cost:
    linear.
    """
    both = text.count("\r\n")
    if newline == "crlf" and (others := text.count("\n") - both):
        return text.replace("\r\n", "\n").replace("\n", "\r\n"), others
    if newline == "lf" and both:
        return text.replace("\r\n", "\n"), both
    return text, 0


def converted(source: str, newline: Newline, changed: int) -> Message:
    """Return the message about converted line endings."""
    other = WORDS["lf" if newline == "crlf" else "crlf"]
    return message("line-ends-converted", source=source, count=changed, before=other, after=WORDS[newline])


def advice(text: str, offset: int, admitted: Iterable[str]) -> Newline | None:
    """Return the conversion of line endings that makes the next character match; None if none does.

    ``admitted`` are the characters that could follow at ``offset``, as character classes without brackets.
    """
    if text.startswith("\r\n", offset):
        newline: Newline = "lf"
    elif text.startswith("\n", offset) and not text.endswith("\r", 0, offset):
        newline = "crlf"
    else:
        return None
    first = "\n" if newline == "lf" else "\r"
    return newline if any(re.match(f"[{chars}]", first) for chars in admitted) else None
