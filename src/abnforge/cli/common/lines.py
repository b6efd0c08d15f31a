"""Split streams of bytes into lines or NUL-separated strings; convert line endings."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator
from typing import Literal

from abnforge.catalog import Message
from abnforge.cli.common.messages import message

_CONTINUING = bytes(range(0x80, 0xC0))  # the bytes of UTF-8 that begin no character

Place = tuple[int, int]  # a line and a column in code points, from 1


def split(chunks: Iterable[bytes], end: bytes, limit: int) -> Iterator[list[bytes | None]]:
    """Cut a stream at every ``end`` (one byte); a line of more than ``limit`` bytes is None.

    Gives the lines that end in each chunk, as a list. With LF as the end, one CR before it is dropped too.
    Bytes behind the last end are a line of their own, no bytes are none. A None comes as soon as the
    limit is passed, and the rest of its line is not kept.
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
    """The same of lines that end in LF, and of a limit that no chunk passes: of each chunk the line that
    began before it, if it ends here, and then all lines that lie in it, as they are.
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
    """The chunks; before one is given, ``begins`` has where each string begins that ``split`` finds in it.

    A string that is too long is not kept, but the lines in it count.
    """
    line, column = 1, 1
    begins.append((line, column))
    for chunk in chunks:
        pieces = chunk.split(end)
        for index, piece in enumerate(pieces):
            if index:
                column += 1  # what ended the piece before
                begins.append((line, column))
            behind = piece.rpartition(b"\n")[2]
            if len(behind) < len(piece):
                line, column = line + piece.count(b"\n"), 1
            column += len(behind.translate(None, _CONTINUING))
        yield chunk


Newline = Literal["crlf", "lf", "keep"]

WORDS = {"crlf": "CRLF", "lf": "LF"}


def convert(text: str, newline: Newline) -> tuple[str, int]:
    """The text with the line ends that are wanted, and how many were others.

    A line's end is LF or CRLF; a CR alone is a character of the line. The lines, and the columns of
    what is in them, stay as they were. Cost: linear.
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
    """The conversion that gives a text what it lacks at the offset where reading stopped; None without one.

    ``admitted`` are the characters that could have stood there, as character classes without brackets.
    """
    if text.startswith("\r\n", offset):
        wanted: Newline = "lf"
    elif text.startswith("\n", offset) and not text.endswith("\r", 0, offset):
        wanted = "crlf"
    else:
        return None
    first = "\n" if wanted == "lf" else "\r"
    return wanted if any(re.match(f"[{chars}]", first) for chars in admitted) else None
