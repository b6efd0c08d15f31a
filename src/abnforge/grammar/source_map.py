"""Keep drafts of a grammar during fixes: the current text and the origin of each character.

Each pass of ``grammar.repair`` reads the draft that earlier passes produced, and its edits use offsets in
that draft. A :class:`SourceMap` maps these edits to the author's text. A grammar extracted from a document is
also a draft (:class:`ExtractedSource`), whose errors have positions in the document. Offsets are 0-based.
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
from abnforge.text import Source, Span

_WORD = lazy_pattern("[A-Za-z0-9_-]")
_ENDS = frozenset('])"_-ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789')
_MARKUP = frozenset("<&>")
_REPEAT = lazy_pattern(r"[0-9]*\*?[0-9]*")


class OverlapError(Exception):
    """Raised if an edit changes the result of an earlier edit, so the author's text cannot have both."""


@dataclass(frozen=True, slots=True)
class NotationError:
    """A mistake of another notation at one place.

    All places of one mistake have the same ``kind``. ``message`` states the problem and the correction;
    ``edits`` are in order, and empty if the intention is unclear. Offsets refer to the parsed text.
    """

    kind: str
    start: int
    end: int
    message: Message
    edits: tuple[Edit, ...] = ()


def replacement(kind: str, span: tuple[int, int], problem: Message, text: str) -> NotationError:
    """Return a mistake whose fix replaces the whole span."""
    return NotationError(kind, *span, problem, (Edit(*span, text),))


class SourceMap:
    """A string and each character's offset in the author's text; the first offset is ``start``."""

    def __init__(self, text: str, start: int = 0) -> None:
        self.text = text
        self.at: Sequence[int] = range(start, start + len(text) + 1)
        """The offsets in the author's text of each character and of the end."""
        self.own: Sequence[bool] = [True] * len(text)
        """False for each inserted character, whose offset is the start of the edit that inserted it."""

    def part(self, start: int, end: int) -> SourceMap:
        """Return the part between two offsets as a draft."""
        draft = SourceMap(self.text[start:end])
        draft.at, draft.own = self.at[start : end + 1], self.own[start:end]
        return draft

    def original(self, edit: Edit) -> Edit:
        """Return an edit with offsets in the author's text. Raises OverlapError."""
        start, end = self.span(edit.start, edit.end)
        if not all(self.own[edit.start : edit.end]):
            raise OverlapError
        if end > start and not edit.text and edit.start and self.own[edit.start - 1]:
            # ``x\\*``: this edit also removes the characters directly before it that an earlier edit removed.
            start = self.at[edit.start - 1] + 1
        return Edit(start, end, edit.text)

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return a span in offsets of the author's text."""
        first = self.at[start]
        if end <= start:
            return first, first
        # A replacement ends where the replaced text ends.
        return first, self.at[end - 1] + 1 if self.own[end - 1] else self.at[end]

    def place(self, span: Span) -> Span:
        """Return a span in offsets of the author's text."""
        return Span(*self.span(span.start, span.end))

    def apply(self, edits: Iterable[Edit]) -> None:
        """Apply edits that do not overlap. Cost: linear."""
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
    """Return inserted text as a draft to join; ``at`` is the offset of the next original character."""
    draft = SourceMap(text)
    draft.at, draft.own = [at] * (len(text) + 1), [False] * len(text)
    return draft


def joined(parts: Iterable[SourceMap]) -> SourceMap:
    """Join drafts of one grammar. Cost: linear."""
    parts = list(parts)
    draft = SourceMap("".join(part.text for part in parts))
    at = [offset for part in parts for offset in part.at[:-1]]
    draft.at = [*at, parts[-1].at[-1] if parts else 0]
    draft.own = [own for part in parts for own in part.own]
    return draft


@dataclass(frozen=True)
class ExtractedSource(Source):
    """The ABNF of a document, with positions and lines in the document."""

    draft: SourceMap = field(default_factory=lambda: SourceMap(""), repr=False, compare=False)
    document: Source = field(default=Source(""), repr=False, compare=False)
    plain: bool = field(default=True, compare=False)  # false for a markup language, where "<" must be escaped

    def position(self, offset: int) -> tuple[int, int]:
        return self.document.position(self.draft.at[offset])

    def offset(self, line: int, column: int) -> int:
        return bisect_left(self.draft.at, self.document.offset(line, column))

    def line(self, number: int) -> str:
        return self.document.line(number)

    def carried(self, edits: Iterable[Edit]) -> tuple[Edit, ...]:
        """Return edits with offsets in the document, or no edits if one cannot be applied to the document."""
        document_edits = []
        for edit in edits:
            try:
                document_edit = self.draft.original(edit)
            except OverlapError:
                return ()
            document_text = self.document.text[document_edit.start : document_edit.end]
            # A new line would need the document's indentation.
            if (
                document_text != self.text[edit.start : edit.end]
                or "\n" in edit.text
                or not (self.plain or _MARKUP.isdisjoint(edit.text))
            ):
                return ()
            document_edits.append(document_edit)
        return tuple(document_edits)


def carried(source: Source | None, edits: Iterable[Edit]) -> tuple[Edit, ...]:
    """Return edits of a grammar with offsets in its document or file."""
    return source.carried(edits) if isinstance(source, ExtractedSource) else tuple(edits)


def separate(draft: SourceMap, mistakes: Sequence[NotationError]) -> list[NotationError]:
    """Return mistakes whose edits keep a space between new text and the elements around it.

    A mistake gets no edit if a number directly follows its new text: the number could repeat either element.
    Cost: linear.
    """
    edits = edits_in_order(edit for mistake in mistakes for edit in mistake.edits)
    spaced: dict[Edit, tuple[Edit, ...]] = {}
    for index, edit in enumerate(edits):
        previous = edits[index - 1] if index and edits[index - 1].end == edit.start else None
        follows = draft.text[edit.end : edit.end + 1]
        if index + 1 < len(edits) and edits[index + 1].start == edit.end:
            follows = ""  # the next edit decides
        opens_string = edit.text.count('"') % 2 == 1
        element = edit.text[-1:] in _ENDS and not opens_string and not _REPEAT.fullmatch(edit.text)
        if element and follows.isdigit():
            spaced[edit] = ()
            continue
        before, after = Edit(edit.start, edit.start, " "), Edit(edit.end, edit.end, " ")
        joins = _WORD.match(edit.text) and (
            ends_element(previous.text, len(previous.text))
            if previous and previous.text
            else _touches(draft, edit.start)
        )
        joined = element and _WORD.match(edit.text[-1]) and _WORD.match(follows)
        # Spaces are separate insertions: another mistake may insert text at the same place, after the space.
        spaced[edit] = (*([before] if joins else []), edit, *([after] if joined else []))
    return [
        replace(mistake, edits=tuple(part for edit in mistake.edits for part in spaced[edit]))
        if all(spaced[edit] for edit in mistake.edits)
        else replace(
            mistake,
            message=mistake.message.reworded(message("followed-by-space", problem=mistake.message)),
            edits=(),
        )
        for mistake in mistakes
    ]


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
    """Return distinct edits from left to right; an insertion comes before a replacement at the same place."""
    return sorted(set(edits), key=lambda edit: (edit.start, edit.end, edit.text))


def disjoint(edits: Sequence[Edit]) -> bool:
    """Return whether ordered edits do not overlap."""
    return all(left.end <= right.start for left, right in pairwise(edits))


def apply(text: str, edits: Iterable[Edit]) -> str:
    """Apply edits that do not overlap, in any order, to a string. Cost: linear."""
    return applied(text, edits_in_order(edits))
