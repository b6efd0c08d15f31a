"""The characters that tell implementations apart: where classes end, and what is taken for ASCII."""

from __future__ import annotations

from collections.abc import Iterable
from unicodedata import lookup

from abnforge.charset import CharSet

# Each of these some library takes for something that it looks like, or throws away: digits that ``\d`` and
# ``isdigit`` know, letters that case folding makes ASCII, forms that normalization does, what is stripped as
# white space or ends a line, what IDNA takes for a dot or leaves out, and what ends a string in C.
_NAMED = (
    "LATIN SMALL LETTER LONG S",
    "KELVIN SIGN",
    "ANGSTROM SIGN",
    "LATIN CAPITAL LETTER I WITH DOT ABOVE",
    "LATIN SMALL LETTER DOTLESS I",
    "LATIN SMALL LETTER SHARP S",
    "LATIN CAPITAL LETTER SHARP S",
    "LATIN SMALL LIGATURE FF",
    "MICRO SIGN",
    "FEMININE ORDINAL INDICATOR",
    "LATIN SMALL LETTER E WITH ACUTE",
    "COMBINING ACUTE ACCENT",
    "ARABIC-INDIC DIGIT ONE",
    "EXTENDED ARABIC-INDIC DIGIT ONE",
    "DEVANAGARI DIGIT ONE",
    "FULLWIDTH DIGIT ONE",
    "MATHEMATICAL BOLD DIGIT ONE",
    "SUPERSCRIPT ONE",
    "SUPERSCRIPT TWO",
    "CIRCLED DIGIT ONE",
    "VULGAR FRACTION ONE HALF",
    "ROMAN NUMERAL ONE",
    "CJK UNIFIED IDEOGRAPH-4E00",
    "FULLWIDTH LATIN SMALL LETTER A",
    "FULLWIDTH LATIN CAPITAL LETTER A",
    "MATHEMATICAL BOLD SMALL A",
    "CYRILLIC SMALL LETTER A",
    "GREEK SMALL LETTER FINAL SIGMA",
    "FULLWIDTH COLON",
    "FULLWIDTH SOLIDUS",
    "FULLWIDTH FULL STOP",
    "FULLWIDTH COMMERCIAL AT",
    "FULLWIDTH NUMBER SIGN",
    "FULLWIDTH PERCENT SIGN",
    "FULLWIDTH LEFT SQUARE BRACKET",
    "IDEOGRAPHIC FULL STOP",
    "HALFWIDTH IDEOGRAPHIC FULL STOP",
    "MINUS SIGN",
    "HYPHEN",
    "SOFT HYPHEN",
    "FRACTION SLASH",
    "CARE OF",
    "ACCOUNT OF",
    "NO-BREAK SPACE",
    "IDEOGRAPHIC SPACE",
    "EN QUAD",
    "OGHAM SPACE MARK",
    "LINE SEPARATOR",
    "PARAGRAPH SEPARATOR",
    "ZERO WIDTH SPACE",
    "ZERO WIDTH JOINER",
    "ZERO WIDTH NON-JOINER",
    "ZERO WIDTH NO-BREAK SPACE",
    "RIGHT-TO-LEFT OVERRIDE",
    "REPLACEMENT CHARACTER",
)
_CONTROLS = "\0\t\n\x0b\x0c\r\x1a\x1b\x1c\x1d\x1e\x1f \x7f\x80\x85\x9f"
_CORNERS = (0xFF, 0x100, 0xD7FF, 0xD800, 0xDFFF, 0xE000, 0xFFFD, 0xFFFE, 0xFFFF, 0x10000, 0x10FFFF)

TRAPS = tuple(sorted({*map(lookup, _NAMED), *_CONTROLS, *map(chr, _CORNERS)}))
"""The characters of these tables, in order."""

ASCII = tuple(map(chr, range(0x80)))


def edges(classes: Iterable[CharSet]) -> list[str]:
    """The first and the last character of every range of some classes, which are a partition: so the
    neighbours of each range are among them.
    """
    return sorted({chr(code) for charset in classes for pair in charset.ranges for code in pair})


def telling(classes: Iterable[CharSet]) -> list[str]:
    """Every character that is asked at every state: edges, ASCII and traps, in order."""
    return sorted({*edges(classes), *ASCII, *TRAPS})
