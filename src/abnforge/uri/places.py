"""Where the URIs of a file stand: lines are scanned together, since a URI may reach over some."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Protocol

from abnforge.source import Source
from abnforge.uri.common.password import mask_userinfo
from abnforge.uri.scan import PLAIN_SCHEMES, Found, scan

# Lines of text are scanned together up to the next blank one, which no URI reaches across, so that memory
# does not grow with the file. A text without blank lines is cut at a line's end behind this many characters.
MAX_BLOCK_CHARS = 1 << 20


class Line(Protocol):
    """A line of a text without its end; ``line`` is its number in ``source``, from 1."""

    @property
    def source(self) -> str: ...
    @property
    def line(self) -> int: ...
    @property
    def text(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Block:
    """Lines of a source that are scanned together; ``line`` is the number of the first one."""

    source: str
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Place:
    """A URI and where it stands; lines and columns count from 1, an end is behind the last column."""

    source: str
    found: Found
    pieces: tuple[tuple[int, int, int], ...]  # line, column, end column: a piece has no line end in it
    hyphens: tuple[tuple[int, int], ...]

    def masked(self) -> Place:
        """The same with a ``*`` for each character of a password."""
        return replace(self, found=replace(self.found, uri=mask_userinfo(self.found.uri)))


def blocks(lines: Iterable[Line]) -> Iterator[Block]:
    """Lines put together up to the next blank one. A blank one ends them too where no text could be read."""
    held: list[str] = []
    source, first, size = "", 0, 0
    for line in lines:
        text = line.text
        if held and (line.source != source or not text.strip() or size > MAX_BLOCK_CHARS):
            yield Block(source, first, "\n".join(held))
            held, size = [], 0
        if text.strip():
            if not held:
                source, first = line.source, line.line
            held.append(text)
            size += len(text)
    if held:
        yield Block(source, first, "\n".join(held))


def places(block: Block, schemes: Collection[str] | None = PLAIN_SCHEMES) -> Iterator[Place]:
    """Every URI of a block with its lines and columns; ``schemes`` as for :func:`scan`. Cost: linear."""
    lines = Source(block.text)

    def at(offset: int) -> tuple[int, int]:
        line, column = lines.position(offset)
        return block.line + line - 1, column

    for found in scan(block.text, schemes):
        pieces = tuple((*at(piece.start), at(piece.end)[1]) for piece in found.pieces)
        yield Place(block.source, found, pieces, tuple(map(at, found.hyphens)))
