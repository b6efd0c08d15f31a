"""The fixes of a reading applied to its text: a suggestion, and the edits that lead there.

A suggestion is made where every mistake of the reading has a fix that is wanted. What a fix copies stays
where it is; so edits are as small as the fix says, and disjoint. Nested mistakes are mended first.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from abnforge._lazy import importing, lazy_pattern
from abnforge.charset import CharSet
from abnforge.explain.bind import BoundMistakes
from abnforge.explain.mistakes import ALL, DECODE, DROP, ENCODE, IDNA, Mapped, Slot, Substituted, Text
from abnforge.explain.reading import FoundMistake, Interpretation, SlotSpan
from abnforge.records import NamedTuple
from abnforge.rejection import Edit

# Maps over a slot's text, character by character: what a fix may do with what a person wrote.
#
# ``encode``: characters outside a set become the percent-encoded octets of their UTF-8 form, and a percent
# sign that begins no triplet becomes ``%25`` (RFC 3986, section 2.4). ``drop``: they are left out.
# ``like``: they become the characters of the set that they look like (their compatibility form of Unicode
# Standard Annex 15, or one of a few marks), and decimal digits of any script those of ASCII. ``decode``:
# triplets of ASCII characters become these. ``idna``: labels of a domain name that have other characters
# become their ASCII form (ToASCII of RFC 3490, with Unicode 3.2), and are encoded where they have none.


HEX = CharSet.of("0123456789ABCDEFabcdef")
_TRIPLET = lazy_pattern("%([0-9A-Fa-f]{2})")

# Marks that editors put in the place of what was typed, and that no compatibility form leads back from.
_MARKS = {
    **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-"),
    **dict.fromkeys("\u2018\u2019\u201a\u2032", "'"),
    **dict.fromkeys("\u201c\u201d\u201e\u2033", '"'),
    **dict.fromkeys("\u2044\u2215\u29f8", "/"),
    **dict.fromkeys("\u2236\ua789", ":"),
    **dict.fromkeys("\u3002\uff61", "."),
    "\u2217": "*",
}

# What RFC 3490 maps away and RFC 5891 keeps (Unicode Technical Standard 46, section 6): another name.
_DEVIATIONS = frozenset("\u00df\u1e9e\u03c2\u200c\u200d")

# Full stops as they are written in other scripts (RFC 3490, section 3.1).
_DOTS = frozenset(".\u3002\uff0e\uff61")

Piece = tuple[str, int, int]
"""A text, and the part of the input that it is in the place of."""


def percent_encoded(char: str) -> str:
    """A character as triplets. A surrogate, which UTF-8 does not have, as its three octets would be."""
    return "".join(f"%{octet:02X}" for octet in char.encode("utf-8", "surrogatepass"))


@lru_cache(maxsize=4096)
def look_alike(char: str) -> str:
    """The text that a character looks like; itself if there is none. Decimal digits look like their value."""
    if (value := unicodedata.decimal(char, None)) is not None:
        return str(value)
    return _MARKS.get(char) or unicodedata.normalize("NFKC", char)


def mapped_character(how: str, char: str, charset: CharSet) -> str:
    """What a map makes of one character, which is no triplet's percent sign."""
    if char in charset and not (how == ENCODE and char == "%"):
        return char
    if how == ENCODE:
        return percent_encoded(char)
    if how == DROP:
        return ""
    alike = look_alike(char)
    return alike if all(each in charset for each in alike) else char


def decoded(digits: str, charset: CharSet | None) -> str | None:
    """The character of a triplet's two digits, if it is ASCII and in the set (None: any)."""
    code = int(digits, 16)
    return chr(code) if code < 0x80 and (charset is None or code in charset) else None


@lru_cache(maxsize=4096)
def ascii_label(label: str) -> str | None:
    """A label of a domain name in ASCII (RFC 3490, section 4.1); None if it has no such form, or another one
    in IDNA 2008.
    """
    if not _DEVIATIONS.isdisjoint(label):
        return None
    with importing:
        from encodings.idna import ToASCII  # which takes longer to import than most texts to be mended

    try:
        return ToASCII(label).decode("ascii")
    except UnicodeError:
        return None


def _labels(text: str, start: int, end: int, charset: CharSet) -> Iterator[Piece]:
    at = start
    while at < end:
        stop = next((here for here in range(at, end) if text[here] in _DOTS), end)
        label = text[at:stop]
        made = ascii_label(label) if any(char not in charset for char in label) else label
        if made is not None and all(char in charset for char in made):
            if label:
                yield made, at, stop
        else:
            yield from pieces(ENCODE, text, at, stop, charset)
        if stop < end:
            yield ("." if "." in charset else percent_encoded(text[stop])), stop, stop + 1
        at = stop + 1


def pieces(how: str, text: str, start: int, end: int, charset: CharSet | None) -> Iterator[Piece]:
    """What a map makes of ``text[start:end]``: what stays as it is, and what each other character becomes.

    ``charset`` is None for ``decode`` alone: then all triplets of ASCII characters are decoded.
    """
    if how == IDNA:
        assert charset is not None
        yield from _labels(text, start, end, charset)
        return
    if how == DECODE:
        yield from _decoded(text, start, end, charset)
        return
    assert charset is not None
    run = _stays(how == ENCODE, charset)
    at = start
    while at < end:
        found = run.match(text, at, end)
        assert found is not None
        if found.end() > at:
            yield found[0], at, found.end()
            at = found.end()
        if at < end:
            yield mapped_character(how, text[at], charset), at, at + 1
            at += 1


def _decoded(text: str, start: int, end: int, charset: CharSet | None) -> Iterator[Piece]:
    at = start
    for found in _TRIPLET.finditer(text, start, end):
        if (made := decoded(found[1], charset)) is not None:
            if at < found.start():
                yield text[at : found.start()], at, found.start()
            yield made, found.start(), found.end()
            at = found.end()
    if at < end:
        yield text[at:end], at, end


@lru_cache(maxsize=256)
def _stays(encode: bool, charset: CharSet) -> re.Pattern[str]:
    """What a map leaves as it is, as far as that goes; maybe nothing."""
    if encode:
        charset -= CharSet.of("%")
    ranges = "".join([f"\\U{low:08x}-\\U{high:08x}" for low, high in charset.ranges])
    chars = f"[{ranges}]*+" if ranges else ""
    return re.compile(f"{chars}(?:{_TRIPLET.pattern}{chars})*+" if encode else chars)


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

    def mend(self, reading: Interpretation, *, unwanted: bool = False) -> Mended | None:
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

    def _mend(
        self, text: str, start: int, end: int, found: tuple[FoundMistake, ...], made: list[Piece]
    ) -> None:
        """Part of a text with the mistakes in it mended, put behind what is made of the text before it."""
        at = start
        for each in found:
            _keep(text, at, each.start, made)
            self._fix(text, each, made)
            at = each.end
        _keep(text, at, end, made)

    def _fix(self, text: str, found: FoundMistake, made: list[Piece]) -> None:
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
        self,
        text: str,
        start: int,
        end: int,
        inner: tuple[FoundMistake, ...],
        part: Mapped,
        made: list[Piece],
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

    def _substitute(self, text: str, found: FoundMistake, texts: dict[str, str], made: list[Piece]) -> None:
        """All of a mistake with some slots replaced, and the mistakes in others mended."""
        parts: list[SlotSpan | FoundMistake] = [each for each in found.slots if each.slot.name in texts]
        parts += [each for each in found.inner if each.within is None or each.within.name not in texts]
        at = found.start
        for each in sorted(parts, key=lambda part: (part.start, part.end)):
            if each.start < at:
                continue
            _keep(text, at, each.start, made)
            if isinstance(each, FoundMistake):
                self._fix(text, each, made)
            else:
                made.append((texts[each.slot.name], each.start, each.end))
            at = each.end
        _keep(text, at, found.end, made)

    def _set(self, rule: str) -> CharSet:
        found = self._sets.get(rule)
        if found is None:
            found = self._sets[rule] = self._bound.single_character_strings(rule)
        return found


def _within(found: FoundMistake, slot: Slot) -> tuple[FoundMistake, ...]:
    """The mistakes within a slot."""
    return found.inner if slot == ALL else tuple(each for each in found.inner if each.within == slot)


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
