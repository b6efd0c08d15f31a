"""The fixes of a reading applied to its text: a suggestion, and the edits that lead there.

A suggestion is made where every mistake of the reading has a fix that is wanted. What a fix copies stays
where it is; so edits are as small as the fix says, and disjoint. Nested mistakes are mended first.
"""

from __future__ import annotations

from collections.abc import Iterator

from abnforge.charset import CharSet
from abnforge.mistakes.bound import BoundMistakes
from abnforge.mistakes.maps import Piece, pieces
from abnforge.mistakes.model import ALL, Mapped, Slot, Substituted, Text
from abnforge.mistakes.readings import Found, Reading, SlotSpan
from abnforge.once import lazy_pattern
from abnforge.records import NamedTuple
from abnforge.rejection import Edit

_SURROGATE = lazy_pattern("[\ud800-\udfff]")


class Mended(NamedTuple):
    """A text without its mistakes, and the edits that lead there, left to right and disjoint."""

    text: str
    edits: tuple[Edit, ...]


class Fixer:
    """Applies fixes. It knows the sets that they name."""

    def __init__(self, bound: BoundMistakes) -> None:
        self._bound = bound
        self._sets: dict[str, CharSet] = {}

    def mend(self, reading: Reading, *, unwanted: bool = False) -> Mended | None:
        """The text without its mistakes; None where one of them has no fix, or one that is not offered, and
        where a fix would be in the place of a surrogate.

        With ``unwanted`` such fixes count, too. Cost: linear in the text, times how deep mistakes nest.
        """
        fixable = all(
            each.mistake is not None
            and each.mistake.fix is not None
            and (unwanted or not each.mistake.unwanted)
            for each in reading.all_found
        )
        if not fixable:
            return None
        made: list[Piece] = []
        self._mend(reading.text, 0, len(reading.text), reading.found, made)
        mended = "".join([piece for piece, _, _ in made])
        # UTF-8 has no octets for half of a character in UTF-16: nothing would be right in its place.
        if len(_SURROGATE.findall(mended)) < len(_SURROGATE.findall(reading.text)):
            return None
        return Mended(mended, tuple(_edits(reading.text, made)))

    def _mend(self, text: str, start: int, end: int, found: tuple[Found, ...], made: list[Piece]) -> None:
        """Part of a text with the mistakes in it mended, put behind what is made of the text before it."""
        at = start
        for each in found:
            _keep(text, at, each.start, made)
            self._fix(text, each, made)
            at = each.end
        _keep(text, at, end, made)

    def _fix(self, text: str, found: Found, made: list[Piece]) -> None:
        assert found.mistake is not None
        assert found.mistake.fix is not None
        at = found.start  # up to here the mistake's text is accounted for
        for part in found.mistake.fix:
            before = len(made)
            match part:
                case Text(value=value):
                    made.append((value, at, at))
                case Slot():
                    if (span := found.slot_span(part)) is not None:
                        self._mend(text, *span, _within(found, part), made)
                case Mapped(slot=slot):
                    if (span := found.slot_span(slot)) is not None:
                        self._map(text, *span, _within(found, slot), part, made)
                case Substituted(pairs=pairs):
                    self._substitute(text, found, dict(pairs), made)
            at = max([at, *[end for _, _, end in made[before:]]])

    def _map(
        self, text: str, start: int, end: int, inner: tuple[Found, ...], part: Mapped, made: list[Piece]
    ) -> None:
        """A slot mapped; of one with mistakes in it, what they are mended to."""
        charset = None if part.rule is None else self._set(part.rule)
        if not inner:
            made += pieces(part.how, text, start, end, charset)
            return
        within: list[Piece] = []
        self._mend(text, start, end, inner, within)
        mended = "".join([piece for piece, _, _ in within])
        mapped = pieces(part.how, mended, 0, len(mended), charset)
        made.append(("".join([piece for piece, _, _ in mapped]), start, end))

    def _substitute(self, text: str, found: Found, texts: dict[str, str], made: list[Piece]) -> None:
        """All of a mistake with some slots replaced, and the mistakes in others mended."""
        parts: list[SlotSpan | Found] = [each for each in found.slots if each.slot.name in texts]
        parts += [each for each in found.inner if each.within is None or each.within.name not in texts]
        at = found.start
        for each in sorted(parts, key=lambda part: (part.start, part.end)):
            if each.start < at:
                continue
            _keep(text, at, each.start, made)
            if isinstance(each, Found):
                self._fix(text, each, made)
            else:
                made.append((texts[each.slot.name], each.start, each.end))
            at = each.end
        _keep(text, at, found.end, made)

    def _set(self, rule: str) -> CharSet:
        found = self._sets.get(rule)
        if found is None:
            found = self._sets[rule] = self._bound.characters(rule)
        return found


def _within(found: Found, slot: Slot) -> tuple[Found, ...]:
    """The mistakes within a slot."""
    return found.inner if slot.name == ALL else tuple(each for each in found.inner if each.within == slot)


def _keep(text: str, start: int, end: int, made: list[Piece]) -> None:
    if start < end:
        made.append((text[start:end], start, end))


def _edits(text: str, made: list[Piece]) -> Iterator[Edit]:
    """The differences between a text and its pieces, neighbouring ones as one."""
    at = 0
    start, new = 0, ""
    changed = False
    for piece, begin, end in (*made, ("", len(text), len(text))):
        if begin < at or (begin == end and piece):  # text out of its order, or text that is new
            if not changed:
                start, changed = at, True
            new += piece
            continue
        if begin > at:  # something in between was left out
            if not changed:
                start, changed = at, True
            at = begin
        if piece == text[begin:end]:
            if changed and (begin < end or begin == len(text)):
                yield from _edit(text, start, begin, new)
                changed, new = False, ""
        else:
            if not changed:
                start, changed = begin, True
            new += piece
        at = end
    if changed:
        yield from _edit(text, start, len(text), new)


def _edit(text: str, start: int, end: int, new: str) -> Iterator[Edit]:
    if text[start:end] != new:
        yield Edit(start, end, new)
