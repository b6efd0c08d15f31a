"""Maps over a slot's text, character by character: what a fix may do with what a person wrote.

``encode``: characters outside a set become the percent-encoded octets of their UTF-8 form, and a percent sign
that begins no triplet becomes ``%25`` (RFC 3986, section 2.4). ``drop``: they are left out. ``like``: they
become the characters of the set that they look like (their compatibility form of Unicode Standard Annex 15,
or one of a few marks), and decimal digits of any script those of ASCII. ``decode``: triplets of ASCII
characters become these. ``idna``: labels of a domain name that have other characters become their ASCII form
(ToASCII of RFC 3490, with Unicode 3.2), and are encoded where they have none.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from abnforge.charset import CharSet
from abnforge.late import importing
from abnforge.mistakes.model import DECODE, DROP, ENCODE, IDNA
from abnforge.once import lazy_pattern

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
