"""A parse tree as lines of text, with lines drawn between them: for terminals, notebooks, plain pages.

What stands in a line is what a box of the other pictures has (:mod:`abnforge.teaching.pictures.compact`). Up
to ``MAX_LEVEL`` levels are drawn by their margin; what is deeper is numbered, and stands in one row below its
ancestor of that level: else the margins alone would be quadratic in the text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from abnforge.teaching.nodes import Node
from abnforge.teaching.pictures.compact import Box, boxes
from abnforge.teaching.pictures.drawing import shown
from abnforge.text import escape

TEXT_COLUMNS = 60
MAX_LEVEL = 20
MAX_NAMES = 8  # of rules that have one child each over the same text; of more, the first and the last


@dataclass(frozen=True, slots=True)
class Strokes:
    """What trees are drawn with: before a child that others follow, before the last; below either; between
    names; before a number of times.
    """

    child: str
    last: str
    beside: str
    below: str
    within: str
    times: str

    def encoded_by(self, encoding: str) -> bool:
        """Whether an encoding has all of them; one that Python does not know has not."""
        try:
            "".join((self.child, self.last, self.beside, self.within, self.times)).encode(encoding)
        except (UnicodeEncodeError, LookupError):
            return False
        return True


BOXES = Strokes("├─ ", "└─ ", "│  ", "   ", " › ", "×")
ASCII = Strokes("|- ", "`- ", "|  ", "   ", " > ", "x")


@dataclass(frozen=True, slots=True)
class Line:
    """A line: ``margin`` is what is drawn before it, ``level`` how deep it is in the drawing.

    ``names`` are those of its rules, empty for text alone; ``told`` is the text that they match, quoted; and
    ``span`` its offsets in code points.
    """

    level: int
    margin: str
    names: str
    told: str
    span: str

    def __str__(self) -> str:
        return self.margin + "  ".join(filter(None, (self.names, self.told, self.span)))


def tree_lines(
    nodes: Sequence[Node], text: str, *, full: bool = False, strokes: Strokes = BOXES
) -> Iterator[Line]:
    """The lines of a tree, from the top down; ``full``: one for each node. Cost: linear in the nodes."""
    found = boxes(nodes, full=full)
    drawn = margins([box.depth for box in found], strokes)
    for box, (level, margin) in zip(found, drawn, strict=True):
        told = shown(text, box.start, box.end, TEXT_COLUMNS)
        yield Line(level, margin, _names(box, strokes), told, f"{box.start}-{box.end}")


def margins(depths: Sequence[int], strokes: Strokes = BOXES) -> Iterator[tuple[int, str]]:
    """Of the lines of a tree in preorder, by how deep each is: its level, and what is drawn before it. Cost:
    linear.
    """
    above = [""] * (MAX_LEVEL + 1)  # of what stands below the line that was written last at each level
    for depth, is_last in zip(depths, _last_ones(depths), strict=True):
        level = min(depth, MAX_LEVEL)
        margin = ""
        if level:
            margin = above[level - 1] + (strokes.last if is_last else strokes.child)
            above[level] = above[level - 1] + (strokes.below if is_last else strokes.beside)
        if depth > MAX_LEVEL:
            margin += f"(level {depth:,}) "
        yield level, margin


def _last_ones(depths: Sequence[int]) -> list[bool]:
    """Of each line whether no other follows at its level before one above it."""
    last = [False] * len(depths)
    follows = [False] * (MAX_LEVEL + 1)
    for index in range(len(depths) - 1, -1, -1):
        level = min(depths[index], MAX_LEVEL)
        last[index] = not follows[level]
        follows[level] = True
        follows[level + 1 :] = [False] * (MAX_LEVEL - level)
    return last


def _names(box: Box, strokes: Strokes) -> str:
    names = list(map(escape, box.names[:MAX_NAMES]))
    if len(box.names) > MAX_NAMES:
        left = f"... {len(box.names) - MAX_NAMES:,} more ..."
        names = [*names[:-1], left, escape(box.names[-1])]
    told = strokes.within.join(names)
    return f"{told} {strokes.times}{box.times:,}" if box.times > 1 else told
