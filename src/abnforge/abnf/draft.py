"""A text that is being mended: what it says now, and where each of its characters stood.

What people write instead of ABNF is looked for by passes, one for each kind of mistake. A pass reads the text
as earlier ones have left it, and tells its edits in offsets of that; the author knows only his own text, so
each edit is carried back to it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from abnforge.rejection import Edit, applied


class Overlap(Exception):
    """An edit changes what an earlier one has written: the two cannot be told apart in the author's text."""


@dataclass(frozen=True, slots=True)
class Slip:
    """One place of a mistake.

    ``kind`` is the same at all places of one mistake. ``message`` says what stands there and what ABNF has;
    ``edits`` are in order and empty where it cannot be known what was meant. Offsets are those of the text
    that was read.
    """

    kind: str
    start: int
    end: int
    message: str
    edits: tuple[Edit, ...] = ()


class Draft:
    """A text with the offsets that its characters have in the author's, which begins at ``start`` there."""

    def __init__(self, text: str, start: int = 0) -> None:
        self.text = text
        self.at: Sequence[int] = range(start, start + len(text) + 1)
        """Offset in the author's text, of each character and of the end."""
        self.own: Sequence[bool] = [True] * len(text)
        """Whether a character is the author's own; one that an edit wrote has the offset of that edit."""

    def part(self, start: int, end: int) -> Draft:
        """What stands between two offsets, as a draft of its own."""
        draft = Draft(self.text[start:end])
        draft.at, draft.own = self.at[start : end + 1], self.own[start:end]
        return draft

    def original(self, edit: Edit) -> Edit:
        """An edit in offsets of the author's text. Raises Overlap."""
        start, end = self.span(edit.start, edit.end)
        if not all(self.own[edit.start : edit.end]):
            raise Overlap
        if end > start and not edit.text and edit.start and self.own[edit.start - 1]:
            # ``x\\*``: what an earlier edit took out directly before has to go with what it stood before.
            start = self.at[edit.start - 1] + 1
        return Edit(start, end, edit.text)

    def span(self, start: int, end: int) -> tuple[int, int]:
        """A span in offsets of the author's text."""
        first = self.at[start]
        if end <= start:
            return first, first
        # What was written in the place of something ends where that did.
        return first, self.at[end - 1] + 1 if self.own[end - 1] else self.at[end]

    def apply(self, edits: Iterable[Edit]) -> None:
        """Carry out edits that do not overlap. Cost: linear."""
        text: list[str] = []
        at: list[int] = []
        own: list[bool] = []
        position = 0
        for edit in in_order(edits):
            text += (self.text[position : edit.start], edit.text)
            at += [*self.at[position : edit.start], *[self.at[edit.start]] * len(edit.text)]
            own += [*self.own[position : edit.start], *[False] * len(edit.text)]
            position = edit.end
        text.append(self.text[position:])
        self.text = "".join(text)
        self.at = at + list(self.at[position:])
        self.own = own + list(self.own[position:])


def in_order(edits: Iterable[Edit]) -> list[Edit]:
    """Edits from left to right, each of them once; an insertion stands before what is replaced there."""
    return sorted(set(edits), key=lambda edit: (edit.start, edit.end, edit.text))


def disjoint(edits: Sequence[Edit]) -> bool:
    """Whether edits that are in order leave each other's text alone."""
    return all(left.end <= right.start for left, right in pairwise(edits))


def apply(text: str, edits: Iterable[Edit]) -> str:
    """The text after edits in any order that do not overlap. Cost: linear."""
    return applied(text, in_order(edits))
