"""Places in a text: spans, lines and columns.

Offsets count code points from 0; lines and columns count from 1, as editors do.
Lines end at LF alone: CR, NEL or U+2028 do not start a new one.
"""

from __future__ import annotations

from bisect import bisect_right

from abnforge.records import dataclass, field


@dataclass(frozen=True, slots=True)
class Span:
    """The half-open range ``start <= offset < end`` of a text."""

    start: int
    end: int


def position(text: str, offset: int) -> tuple[int, int]:
    """1-based line and column of an offset; ``len(text)`` is allowed.

    Cost: linear; a :class:`Source` has an index for many offsets.
    """
    return text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)


def several_lines(text: str) -> bool:
    """Whether a text goes on behind the end of its first line. Cost: linear."""
    return text.find("\n", 0, len(text) - 1) >= 0


def where(text: str, offset: int) -> str:
    """An offset in words: ``offset 7``, or ``line 3, column 5`` in a text of several lines. Cost: linear."""
    if not several_lines(text):
        return f"offset {offset}"
    return "line {}, column {}".format(*position(text, offset))


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

    def offset(self, line: int, column: int) -> int:
        """The offset of a 1-based line and column."""
        return self._starts[line - 1] + column - 1

    def line(self, number: int) -> str:
        """The text of a line (1-based) without its end."""
        start = self._starts[number - 1]
        end = self._starts[number] - 1 if number < len(self._starts) else len(self.text)
        return self.text[start:end].removesuffix("\r")
