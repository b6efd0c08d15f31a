"""Edits that implementations forgive: one character for another, all that are alike, and any single one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from unicodedata import lookup

from abnforge.charset import CharSet
from abnforge.conformance.acceptor import Acceptor

# Characters that distinguish implementations: the ends of classes, and characters that some library confuses
# with ASCII.

# Some library confuses each of these with another character, or removes it: digits of ``\d`` and ``isdigit``,
# letters that case folding or normalization makes ASCII, whitespace and line ends that are stripped, dots and
# ignored characters of IDNA, and the end of a string in C.

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


def mistaken(acceptor: Acceptor) -> Iterator[str]:
    """At every live state every character of ASCII and every trap that cannot stand there, and then what
    could follow one that can, as if the one were taken for the other: a comma read as a decimal point.
    First with one such end everywhere, then with the next ones.
    """
    characters = dict.fromkeys((*ASCII, *TRAPS))
    places: list[tuple[str, list[str], list[str]]] = []
    for state in acceptor.live:
        row = acceptor.rows[state]
        targets = [target for number in acceptor.order if (target := row[number]) != acceptor.dead]
        ends = dict.fromkeys(_end(acceptor, target) for target in targets)
        wrong = [char for char in characters if row[acceptor.automaton.class_of(char)] == acceptor.dead]
        places.append((acceptor.text(acceptor.cover[state]), wrong, list(ends)))
    for turn in range(max((len(others) for _, _, others in places), default=0)):
        for before, wrong, others in places:
            if turn < len(others):
                for char in wrong:
                    yield before + char + others[turn]


def _end(acceptor: Acceptor, state: int) -> str:
    behind = acceptor.completions[state]
    assert behind is not None
    return acceptor.text(behind)


def alike(texts: Iterable[str]) -> Iterator[str]:
    """Texts of which every occurrence of a character is left out or doubled, and texts in the other case."""
    for text in texts:
        for char in dict.fromkeys(text):
            if not char.isalnum():
                yield text.replace(char, "")
                yield text.replace(char, 2 * char)
        yield text.swapcase()


def neighbours(texts: Iterable[str], characters: Sequence[str]) -> Iterator[str]:
    """Every text that is one edit away: a character left out, put in, or replaced by one of some."""
    for text in texts:
        for place in range(len(text) + 1):
            before, behind = text[:place], text[place:]
            for char in characters:
                yield before + char + behind
                if behind:
                    yield before + char + behind[1:]
            if behind:
                yield before + behind[1:]
