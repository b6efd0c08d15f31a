"""Fixes: maps from wrong characters to valid ones, and the suggestion for an interpretation.

The maps work character by character on the string of a slot:

* ``encode``: percent-encode the UTF-8 bytes of characters outside a set; a percent sign that does not begin
  a triplet becomes ``%25`` (RFC 3986, section 2.4).

* ``drop``: remove characters outside a set.

* ``like``: replace characters by similar characters of the set, and decimal digits of any script by ASCII
  digits. A character is similar to its compatibility form (Unicode Standard Annex 15), and a few marks are
  similar to ASCII marks.

* ``decode``: replace triplets that encode ASCII characters by these characters.

* ``idna``: replace labels of a domain name by their ASCII form (ToASCII of RFC 3490, with Unicode 3.2);
  percent-encode labels that do not have one.

* ``unescape``: replace escapes of JSON and JavaScript by their characters, then ``encode``.

``Fixer`` returns a suggestion if a fix is offered for every mistake of an interpretation. Inner mistakes are
fixed first. A fix does not move text that it copies, so edits are minimal and disjoint.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from abnforge._lazy import lazy, lazy_pattern
from abnforge.charset import CharSet
from abnforge.explain.bind import BoundMistakes
from abnforge.explain.mistakes import (
    ALL,
    DECODE,
    DROP,
    ENCODE,
    IDNA,
    UNESCAPE,
    Mapped,
    Slot,
    Substituted,
    Text,
)
from abnforge.explain.reading import FoundMistake, Interpretation, SlotSpan
from abnforge.records import NamedTuple
from abnforge.rejection import Edit

with lazy:
    from encodings import idna

HEX = CharSet.of("0123456789ABCDEFabcdef")
_TRIPLET = lazy_pattern("%([0-9A-Fa-f]{2})")
_CODE = lazy_pattern("[ux]([0-9A-Fa-f]+)")
_ESCAPE = lazy_pattern(
    r"[%\\]u[Dd][89ABab][0-9A-Fa-f]{2}[%\\]u[Dd][C-Fc-f][0-9A-Fa-f]{2}|[%\\]u[0-9A-Fa-f]{4}"
    r'|\\x[0-9A-Fa-f]{2}|\\["/\\]'
)

_SIMILAR = {
    **dict.fromkeys("Oo", "0"),
    **dict.fromkeys("lI", "1"),
    **dict.fromkeys("xX", "*"),
    **dict(zip("01,;_-'`", ["O", "l", ".", ",", "-", "_", '"', "'"], strict=True)),
    **dict(zip('"\xd7\xf7', ["'", "*x", "/"], strict=True)),
}

# Marks that editors insert and whose compatibility form is not ASCII.
_MARKS = {
    **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-"),
    **dict.fromkeys("\u2018\u2019\u201a\u2032", "'"),
    **dict.fromkeys("\u201c\u201d\u201e\u2033", '"'),
    **dict.fromkeys("\u2044\u2215\u29f8", "/"),
    **dict.fromkeys("\u2236\ua789", ":"),
    **dict.fromkeys("\u3002\uff61", "."),
    "\u2217": "*",
    "\u266f": "#",
    "\u266d": "b",
}

# Characters that RFC 3490 removes or replaces and RFC 5891 keeps (Unicode Technical Standard 46, section 6).
_DEVIATIONS = frozenset("\u00df\u1e9e\u03c2\u200c\u200d")

# Dots of other scripts (RFC 3490, section 3.1).
_DOTS = frozenset(".\u3002\uff0e\uff61")

Piece = tuple[str, int, int]  # a string, and the span of the input that it replaces


def percent_encoded(char: str) -> str:
    """Percent-encode a character; a surrogate, which UTF-8 cannot encode, becomes three bytes."""
    return "".join(f"%{octet:02X}" for octet in char.encode("utf-8", "surrogatepass"))


@lru_cache(maxsize=4096)
def look_alike(char: str) -> str:
    """Return the string that a character resembles: an ASCII digit or mark, or its compatibility form."""
    if (value := unicodedata.decimal(char, None)) is not None:
        return str(value)
    return _MARKS.get(char) or unicodedata.normalize("NFKC", char)


def similar(char: str) -> Iterator[str]:
    """Yield strings that resemble a character, best first."""
    if char.isspace() and char not in " \r":
        yield " "
    if not char.isascii():
        alike = look_alike(char)
        if alike != char and alike.isascii():
            yield alike
    yield from _SIMILAR.get(char, "")


def mapped_character(how: str, char: str, charset: CharSet) -> str:
    """Map a character that is not the percent sign of a triplet."""
    if char in charset and not (how == ENCODE and char == "%"):
        return char
    if how == ENCODE:
        return percent_encoded(char)
    if how == DROP:
        return ""
    alike = look_alike(char)
    return alike if all(each in charset for each in alike) else char


def decoded(digits: str, charset: CharSet | None) -> str | None:
    """Decode a triplet's digits; None if the character is not ASCII or not in the set (None: any)."""
    code = int(digits, 16)
    return chr(code) if code < 0x80 and (charset is None or code in charset) else None


@lru_cache(maxsize=4096)
def ascii_label(label: str) -> str | None:
    """Return a domain label in ASCII (RFC 3490, section 4.1).

    The result is None if the label does not have an ASCII form, or if IDNA 2008 has a different one.
    """
    if not _DEVIATIONS.isdisjoint(label):
        return None
    try:
        return idna.ToASCII(label).decode("ascii")
    except UnicodeError:
        return None


def _labels(text: str, start: int, end: int, charset: CharSet) -> Iterator[Piece]:
    at = start
    while at < end:
        label_end = next((index for index in range(at, end) if text[index] in _DOTS), end)
        label = text[at:label_end]
        ascii_form = ascii_label(label) if any(char not in charset for char in label) else label
        if ascii_form is not None and all(char in charset for char in ascii_form):
            if label:
                yield ascii_form, at, label_end
        else:
            yield from pieces(ENCODE, text, at, label_end, charset)
        if label_end < end:
            yield ("." if "." in charset else percent_encoded(text[label_end])), label_end, label_end + 1
        at = label_end + 1


def pieces(how: str, text: str, start: int, end: int, charset: CharSet | None) -> Iterator[Piece]:
    """Yield the results of a map on ``text[start:end]``: unchanged runs, and replacements of characters.

    ``charset`` can be None only for ``decode``, which then decodes all triplets of ASCII characters.
    """
    if how == IDNA:
        assert charset is not None
        yield from _labels(text, start, end, charset)
        return
    if how == DECODE:
        yield from _decoded(text, start, end, charset)
        return
    assert charset is not None
    if how == UNESCAPE:
        yield from _unescaped(text, start, end, charset)
        return
    run = _unchanged(how == ENCODE, charset)
    at = start
    while at < end:
        run_match = run.match(text, at, end)
        assert run_match is not None
        if run_match.end() > at:
            yield run_match[0], at, run_match.end()
            at = run_match.end()
        if at < end:
            yield mapped_character(how, text[at], charset), at, at + 1
            at += 1


def _decoded(text: str, start: int, end: int, charset: CharSet | None) -> Iterator[Piece]:
    at = start
    for triplet in _TRIPLET.finditer(text, start, end):
        if (char := decoded(triplet[1], charset)) is not None:
            if at < triplet.start():
                yield text[at : triplet.start()], at, triplet.start()
            yield char, triplet.start(), triplet.end()
            at = triplet.end()
    if at < end:
        yield text[at:end], at, end


def _unescaped(text: str, start: int, end: int, charset: CharSet) -> Iterator[Piece]:
    at = start
    for escape in _ESCAPE.finditer(text, start, end):
        yield from pieces(ENCODE, text, at, escape.start(), charset)
        units = [chr(int(code, 16)) for code in _CODE.findall(escape[0])] or [escape[0][1]]
        chars = "".join(units).encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
        yield "".join([mapped_character(ENCODE, char, charset) for char in chars]), *escape.span()
        at = escape.end()
    yield from pieces(ENCODE, text, at, end, charset)


@lru_cache(maxsize=256)
def _unchanged(encode: bool, charset: CharSet) -> re.Pattern[str]:
    """Return the pattern of the longest run, possibly empty, that a map does not change."""
    if encode:
        charset -= CharSet.of("%")
    ranges = "".join([f"\\U{low:08x}-\\U{high:08x}" for low, high in charset.ranges])
    chars = f"[{ranges}]*+" if ranges else ""
    return re.compile(f"{chars}(?:{_TRIPLET.pattern}{chars})*+" if encode else chars)


_SURROGATE = lazy_pattern("[\ud800-\udfff]")
_UNLIKELY = lazy_pattern("%(?:0[0-8BCEFbcef]|1[0-9A-Fa-f]|7[Ff]|EF%BF%BD)")  # not whitespace


class FixedText(NamedTuple):
    """A fixed string and the edits, which are disjoint and from left to right."""

    text: str
    edits: tuple[Edit, ...]


class Fixer:
    """Apply the fixes for bound mistakes."""

    def __init__(self, bound: BoundMistakes) -> None:
        self._bound = bound

    def fix(self, interpretation: Interpretation, *, include_unwanted: bool = False) -> FixedText | None:
        """Return the string with its mistakes fixed, or None.

        The result is None if a mistake does not have a fix, or if a fix would replace a surrogate. Fixes that
        are unwanted, that percent-encode a control character or U+FFFD, or whose result matches a rule with
        ``withhold``, require ``include_unwanted``.
        Cost: linear in the string, for each level of nested mistakes.
        """
        for each in interpretation.all_mistakes:
            mistake = each.mistake
            if mistake is None or mistake.fix is None or (mistake.unwanted and not include_unwanted):
                return None
        output: list[Piece] = []
        self._fix_span(interpretation.text, 0, len(interpretation.text), interpretation.mistakes, output)
        text, fixed = interpretation.text, "".join([piece for piece, _, _ in output])
        # UTF-8 cannot encode half of a UTF-16 pair, so every replacement would be wrong.
        if not text.isascii() and len(_SURROGATE.findall(fixed)) < len(_SURROGATE.findall(text)):
            return None
        # Encoded control characters and U+FFFD are valid, but rarely intended and often dangerous.
        if not include_unwanted and self._bound.is_withheld(fixed):
            return None
        if not include_unwanted and len(_UNLIKELY.findall(fixed)) > len(_UNLIKELY.findall(text)):
            return None
        return FixedText(fixed, tuple(_edits(text, output)))

    def _fix_span(
        self, text: str, start: int, end: int, mistakes: tuple[FoundMistake, ...], output: list[Piece]
    ) -> None:
        """Append a span of the string, with the mistakes in it fixed, to the output."""
        at = start
        for each in mistakes:
            _copy(text, at, each.start, output)
            self._fix_mistake(text, each, output)
            at = each.end
        _copy(text, at, end, output)

    def _fix_mistake(self, text: str, mistake: FoundMistake, output: list[Piece]) -> None:
        assert mistake.mistake is not None
        assert mistake.mistake.fix is not None
        done = mistake.start  # end of the part of the mistake written so far
        for part in mistake.mistake.fix:
            count = len(output)
            match part:
                case Text(value=value):
                    output.append((value, done, done))
                case Slot():
                    if (span := mistake.slot_span(part)) is not None:
                        self._fix_span(text, *span, _within(mistake, part), output)
                case Mapped(slot=slot):
                    if (span := mistake.slot_span(slot)) is not None:
                        self._map(text, *span, _within(mistake, slot), part, output)
                case Substituted(pairs=pairs):
                    self._substitute(text, mistake, dict(pairs), output)
            for _, _, end in output[count:]:
                done = max(done, end)

    def _map(
        self,
        text: str,
        start: int,
        end: int,
        inner: tuple[FoundMistake, ...],
        part: Mapped,
        output: list[Piece],
    ) -> None:
        """Append a mapped slot, after fixing the mistakes in it."""
        charset = None if part.rule is None else self._bound.single_character_strings(part.rule)
        if not inner:
            output += pieces(part.how, text, start, end, charset)
            return
        fixed_pieces: list[Piece] = []
        self._fix_span(text, start, end, inner, fixed_pieces)
        fixed = "".join([piece for piece, _, _ in fixed_pieces])
        mapped = pieces(part.how, fixed, 0, len(fixed), charset)
        output.append(("".join([piece for piece, _, _ in mapped]), start, end))

    def _substitute(
        self, text: str, mistake: FoundMistake, strings: dict[str, str], output: list[Piece]
    ) -> None:
        """Append a mistake with some slots replaced, and the mistakes in other slots fixed."""
        parts: list[SlotSpan | FoundMistake] = [each for each in mistake.slots if each.slot.name in strings]
        parts += [each for each in mistake.inner if each.within is None or each.within.name not in strings]
        done = mistake.start
        for each in sorted(parts, key=lambda part: (part.start, part.end)):
            if each.start < done:
                continue
            _copy(text, done, each.start, output)
            if isinstance(each, FoundMistake):
                self._fix_mistake(text, each, output)
            else:
                output.append((strings[each.slot.name], each.start, each.end))
            done = each.end
        _copy(text, done, mistake.end, output)


def _within(mistake: FoundMistake, slot: Slot) -> tuple[FoundMistake, ...]:
    """Return the mistakes inside a slot."""
    return mistake.inner if slot == ALL else tuple(each for each in mistake.inner if each.within == slot)


def _copy(text: str, start: int, end: int, output: list[Piece]) -> None:
    if start < end:
        output.append((text[start:end], start, end))


def _edits(text: str, output: list[Piece]) -> Iterator[Edit]:
    """Yield the differences between a string and its pieces; merge adjacent differences."""
    at = 0
    start, replacement = 0, ""
    has_change = False
    for piece, begin, end in (*output, ("", len(text), len(text))):
        if begin < at or (begin == end and piece):  # moved or inserted text
            if not has_change:
                start, has_change = at, True
            replacement += piece
            continue
        if begin > at:  # the characters between are removed
            if not has_change:
                start, has_change = at, True
            at = begin
        if piece == text[begin:end]:
            if has_change and (begin < end or begin == len(text)):
                yield from _edit(text, start, begin, replacement)
                has_change, replacement = False, ""
        else:
            if not has_change:
                start, has_change = begin, True
            replacement += piece
        at = end
    if has_change:
        yield from _edit(text, start, len(text), replacement)


def _edit(text: str, start: int, end: int, replacement: str) -> Iterator[Edit]:
    if text[start:end] != replacement:
        yield Edit(start, end, replacement)
