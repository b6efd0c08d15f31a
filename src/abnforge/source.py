"""Places in a text: spans, lines and columns.

Offsets count code points from 0; lines and columns count from 1, as editors do.
Lines end at LF alone: CR, NEL or U+2028 do not start a new one.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Span:
    """The half-open range ``start <= offset < end`` of a text."""

    start: int
    end: int


@dataclass(frozen=True)
class Source:
    """A text and the name it goes by in messages (a path, ``<string>``, ...)."""

    text: str
    name: str = "<string>"
    _starts: list[int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        starts = [0]
        position = self.text.find("\n")
        while position >= 0:
            starts.append(position + 1)
            position = self.text.find("\n", position + 1)
        object.__setattr__(self, "_starts", starts)

    def position(self, offset: int) -> tuple[int, int]:
        """1-based line and column of an offset; ``len(text)`` is allowed."""
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1

    def line(self, number: int) -> str:
        """The text of a line (1-based) without its end."""
        start = self._starts[number - 1]
        end = self._starts[number] - 1 if number < len(self._starts) else len(self.text)
        return self.text[start:end].removesuffix("\r")
