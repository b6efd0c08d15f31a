"""A text that is being fixed: what it says now, and where each of its characters stood.

What people write instead of ABNF is looked for by passes, one for each kind of mistake. A pass reads the text
as earlier ones have left it, and tells its edits in offsets of that; the author knows only his own text, so
each edit is carried back to it. A grammar that is extracted from a document is a draft, too: what is found in
it has its place in the document.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import pairwise

from abnforge._lazy import lazy_pattern
from abnforge.catalog import Message
from abnforge.grammar.messages import message
from abnforge.records import dataclass, field, replace
from abnforge.rejection import Edit, applied
from abnforge.text import Source

_WORD = lazy_pattern("[A-Za-z0-9_-]")
_ENDS = frozenset('])"_-ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789')
_MARKUP = frozenset("<&>")
_REPEAT = lazy_pattern(r"[0-9]*\*?[0-9]*")


class OverlapError(Exception):
    """An edit changes what an earlier one has written: the two cannot be told apart in the author's text."""


@dataclass(frozen=True, slots=True)
class NotationError:
    """One place of a mistake.

    ``kind`` is the same at all places of one mistake. ``message`` has the problem and the correction;
    ``edits`` are in order, and empty if the intention is unclear. Offsets are those of the parsed text.
    """

    kind: str
    start: int
    end: int
    message: Message
    edits: tuple[Edit, ...] = ()


class SourceMap:
    """A text with the offsets that its characters have in the author's, which begins at ``start`` there."""

    def __init__(self, text: str, start: int = 0) -> None:
        self.text = text
        self.at: Sequence[int] = range(start, start + len(text) + 1)
        """Offset in the author's text, of each character and of the end."""
        self.own: Sequence[bool] = [True] * len(text)
        """Whether a character is the author's own; one that an edit wrote has the offset of that edit."""

    def part(self, start: int, end: int) -> SourceMap:
        """What stands between two offsets, as a draft of its own."""
        draft = SourceMap(self.text[start:end])
        draft.at, draft.own = self.at[start : end + 1], self.own[start:end]
        return draft

    def original(self, edit: Edit) -> Edit:
        """Return an edit in offsets of the author's text. Raises OverlapError."""
        start, end = self.span(edit.start, edit.end)
        if not all(self.own[edit.start : edit.end]):
            raise OverlapError
        if end > start and not edit.text and edit.start and self.own[edit.start - 1]:
            # ``x\\*``: what an earlier edit took out directly before has to go with what it stood before.
            start = self.at[edit.start - 1] + 1
        return Edit(start, end, edit.text)

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return a span in offsets of the author's text."""
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
        for edit in edits_in_order(edits):
            text += (self.text[position : edit.start], edit.text)
            at += [*self.at[position : edit.start], *[self.at[edit.start]] * len(edit.text)]
            own += [*self.own[position : edit.start], *[False] * len(edit.text)]
            position = edit.end
        text.append(self.text[position:])
        self.text = "".join(text)
        self.at = at + list(self.at[position:])
        self.own = own + list(self.own[position:])


def written(text: str, at: int) -> SourceMap:
    """A text that stands nowhere, as a draft to join: it has the offset of what it is written before."""
    draft = SourceMap(text)
    draft.at, draft.own = [at] * (len(text) + 1), [False] * len(text)
    return draft


def joined(parts: Iterable[SourceMap]) -> SourceMap:
    """Drafts of one text, one after the other. Cost: linear."""
    parts = list(parts)
    draft = SourceMap("".join(part.text for part in parts))
    at = [offset for part in parts for offset in part.at[:-1]]
    draft.at = [*at, parts[-1].at[-1] if parts else 0]
    draft.own = [own for part in parts for own in part.own]
    return draft


@dataclass(frozen=True)
class ExtractedSource(Source):
    """The ABNF of a document as one text: its places, and the lines shown, are those of the document."""

    draft: SourceMap = field(default_factory=lambda: SourceMap(""), repr=False, compare=False)
    document: Source = field(default=Source(""), repr=False, compare=False)
    plain: bool = field(default=True, compare=False)
    """Whether what is written into the document means itself: in a markup language, "<" does not."""

    def position(self, offset: int) -> tuple[int, int]:
        return self.document.position(self.draft.at[offset])

    def offset(self, line: int, column: int) -> int:
        return bisect_left(self.draft.at, self.document.offset(line, column))

    def line(self, number: int) -> str:
        return self.document.line(number)

    def carried(self, edits: Iterable[Edit]) -> tuple[Edit, ...]:
        """Edits as they are made in the document; none of them if one cannot be."""
        found = []
        for edit in edits:
            try:
                moved = self.draft.original(edit)
            except OverlapError:
                return ()
            same = self.document.text[moved.start : moved.end] == self.text[edit.start : edit.end]
            # A new line would have to be indented there, which an edit of the grammar knows nothing of.
            if not same or "\n" in edit.text or not (self.plain or _MARKUP.isdisjoint(edit.text)):
                return ()
            found.append(moved)
        return tuple(found)


def carried(source: Source | None, edits: Iterable[Edit]) -> tuple[Edit, ...]:
    """Edits of a grammar's text as they are made in the file that it stands in."""
    return source.carried(edits) if isinstance(source, ExtractedSource) else tuple(edits)


def separate(draft: SourceMap, slips: Sequence[NotationError]) -> list[NotationError]:
    """Slips with a blank where what an edit writes would become one word with an element before or after it.

    Where a count follows an element at once, it is unknown what it counts: there is no edit. Cost: linear.
    """
    edits = edits_in_order(edit for slip in slips for edit in slip.edits)
    made: dict[Edit, tuple[Edit, ...]] = {}
    for index, edit in enumerate(edits):
        last = edits[index - 1] if index and edits[index - 1].end == edit.start else None
        follows = draft.text[edit.end : edit.end + 1]
        if index + 1 < len(edits) and edits[index + 1].start == edit.end:
            follows = ""  # the other one sees to it
        element = edit.text[-1:] in _ENDS and not _REPEAT.fullmatch(edit.text)
        if element and follows.isdigit():
            made[edit] = ()
            continue
        before, behind = Edit(edit.start, edit.start, " "), Edit(edit.end, edit.end, " ")
        joins = _WORD.match(edit.text) and (
            ends_element(last.text, len(last.text)) if last and last.text else _touches(draft, edit.start)
        )
        joined = element and _WORD.match(edit.text[-1]) and _WORD.match(follows)
        # Insertions of their own: another finding may make one in the same place, which comes after a blank.
        made[edit] = (*([before] if joins else []), edit, *([behind] if joined else []))
    return [
        replace(slip, edits=tuple(one for edit in slip.edits for one in made[edit]))
        if all(made[edit] for edit in slip.edits)
        else replace(slip, message=_followed_by_space(slip.message), edits=())
        for slip in slips
    ]


def _followed_by_space(problem: Message) -> Message:
    return Message(message("followed-by-space", problem=problem), problem.code, problem.data)


def _touches(draft: SourceMap, at: int) -> bool:
    """Return whether a name or a value ends at an offset in the author's text."""
    while at and draft.text[at - 1] == " " and not draft.own[at - 1]:
        at -= 1
    return ends_element(draft.text, at)


def ends_element(text: str, at: int) -> bool:
    """Return whether a name or a value ends at an offset, so that a letter there would belong to it."""
    start = at
    while start and (_WORD.match(text[start - 1]) or text[start - 1] in "%."):
        start -= 1
    return start < at and text[at - 1] != "." and not _REPEAT.fullmatch(text, start, at)


def edits_in_order(edits: Iterable[Edit]) -> list[Edit]:
    """Edits from left to right, each of them once; an insertion stands before what is replaced there."""
    return sorted(set(edits), key=lambda edit: (edit.start, edit.end, edit.text))


def disjoint(edits: Sequence[Edit]) -> bool:
    """Return whether edits that are in order leave each other's text alone."""
    return all(left.end <= right.start for left, right in pairwise(edits))


def apply(text: str, edits: Iterable[Edit]) -> str:
    """Return the text after edits in any order that do not overlap. Cost: linear."""
    return applied(text, edits_in_order(edits))
