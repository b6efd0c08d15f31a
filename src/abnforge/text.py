"""Positions in strings, names in messages, and strings that are safe to show on a terminal.

A terminal has columns. A character takes one column, or two if it is wide (Unicode Standard Annex 11). It
takes no column if it combines with the character before it, and several if it becomes an escape.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable
from itertools import accumulate, islice
from typing import Any

from abnforge._lazy import lazy, lazy_pattern
from abnforge.records import NamedTuple, dataclass, field

with lazy:
    import difflib

LATIN_1 = "latin-1"  # the encoding whose characters have the codes of their bytes


LAST_BYTE = "\xff"
_AS_LETTERS = dict.fromkeys(range(0x80, 0x100), "a")


class ByteText(str):
    """A string of bytes: each character, U+0000 to U+00FF, is a byte, and ``bytes`` returns them.

    Strings of grammars of bytes have this class in results. Rules of such grammars accept it as input.
    Slices have it too. Messages and terminals show bytes beyond US-ASCII as escapes.
    """

    __slots__ = ()

    @classmethod
    def of(cls, octets: bytes | bytearray | memoryview) -> ByteText:
        """Return the string of some bytes. Complexity: linear."""
        return cls(octets, LATIN_1)

    def __bytes__(self) -> bytes:
        return self.encode(LATIN_1)

    def __getitem__(self, key: Any) -> ByteText:
        return ByteText(str.__getitem__(self, key))

    # A byte from 0x80 on is a part of a letter in UTF-8, and is not a space of Latin-1.

    def isalnum(self) -> bool:
        return self.translate(_AS_LETTERS).isalnum()

    def isalpha(self) -> bool:
        return self.translate(_AS_LETTERS).isalpha()

    def isspace(self) -> bool:
        return self.translate(_AS_LETTERS).isspace()


# Spans, lines and columns.
#
# Offsets count code points from 0; lines and columns count from 1, as editors do. Lines end at LF alone:
# CR, NEL or U+2028 do not start a new one.


@dataclass(frozen=True, slots=True)
class Span:
    """The half-open range ``start <= offset < end``."""

    start: int
    end: int


def position(text: str, offset: int) -> tuple[int, int]:
    """Return the 1-based line and column of an offset; ``len(text)`` is allowed.

    Complexity: linear; a :class:`Source` has an index for many offsets.
    """
    return text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)


def several_lines(text: str) -> bool:
    """Return whether there is text after the end of the first line. Complexity: linear."""
    return text.find("\n", 0, len(text) - 1) >= 0


def where(text: str, offset: int) -> str:
    """Return an offset as text: ``offset 7``, or ``line 3, column 5`` if there are several lines."""
    if not several_lines(text):
        return f"offset {offset}"
    return "line {}, column {}".format(*position(text, offset))


@dataclass(frozen=True)
class Source:
    """The content of a file or an argument, and its name in messages (a path, ``<string>``, ...)."""

    text: str
    name: str = "<string>"
    _starts: list[int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        starts = [0]
        position = self.text.find("\n")
        while position >= 0:
            starts.append(position + 1)
            position = self.text.find("\n", position + 1)
        object.__setattr__(self, "_starts", starts)

    def position(self, offset: int) -> tuple[int, int]:
        """Return the 1-based line and column of an offset; ``len(text)`` is allowed."""
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1

    def offset(self, line: int, column: int) -> int:
        """Return the offset of a 1-based line and column."""
        return self._starts[line - 1] + column - 1

    def line(self, number: int) -> str:
        """Return a line (1-based) without its end."""
        start = self._starts[number - 1]
        end = self._starts[number] - 1 if number < len(self._starts) else len(self.text)
        return self.text[start:end].removesuffix("\r")


# Citations of specifications and sections: ``RFC 3986, section 3.2.2``.


def specification(grammar: str) -> str:
    """Return ``RFC 3986`` for ``rfc3986`` and ``abnf:rfc3986``; the unchanged name for any other grammar."""
    match = re.fullmatch(r"(?:abnf:)?rfc(\d+)", grammar)
    return f"RFC {match[1]}" if match else grammar


def citation(grammar: str, section: str) -> str:
    """Return the citation of a rule's section.

    ``section`` is the number of a section in the specification of the grammar. For an imported rule it is
    already the whole citation.
    """
    if section.startswith("RFC "):
        return section
    if section.startswith("appendix "):
        return f"{specification(grammar)}, {section}"
    return f"{specification(grammar)}, {'appendix' if section[:1].isalpha() else 'section'} {section}"


def within(grammar: str, section: str) -> str:
    """Return the section of a citation as rules of the grammar have it: the inverse of :func:`citation`.

    ``RFC 3986, section 3.2.2`` is ``3.2.2`` in ``rfc3986``, and unchanged in any other grammar.
    """
    own = section.removeprefix(f"{specification(grammar)}, ")
    word, _, number = own.partition(" ")
    return number if own != section and word in ("section", "appendix") and " " in own else section


# Similar names, for "did you mean".


MAX_NEAR_MISS_CANDIDATES = 5_000
MAX_NEAR_MISS_LENGTH = 100
"""Limits on the number and length of the names compared for "did you mean", in quadratic time."""


def near_misses(name: str, candidates: Iterable[str], likeness: float = 0.7) -> list[str]:
    """Return at most three candidates that are similar to ``name``, the most similar first.

    A candidate with two neighboring characters swapped comes first. Case does not matter. ``likeness`` is the
    minimum similarity, from 0 to 1; for names of three characters it is at most 2/3. Names that continue
    ``name`` after a hyphen are similar, such as those with a version. Complexity: bounded by
    the two limits above.
    """
    if len(name) > MAX_NEAR_MISS_LENGTH:
        return []
    folded: dict[str, str] = {}
    for candidate in islice(candidates, MAX_NEAR_MISS_CANDIDATES):
        if len(candidate) <= MAX_NEAR_MISS_LENGTH:
            folded.setdefault(candidate.lower(), candidate)
    wrong = name.lower()
    if longer := [key for key in folded if key.startswith(f"{wrong}-")] if wrong else []:
        return [folded[key] for key in longer[:3]]
    if len(wrong) <= 3:
        likeness = min(likeness, 0.66)  # one other character
    if not any(_can_be_near(wrong, key, likeness) for key in folded):
        return []
    near = difflib.get_close_matches(wrong, folded, 3, likeness)
    near.sort(key=lambda key: not _swapped(wrong, key))
    return [folded[key] for key in near]


def _can_be_near(wrong: str, right: str, likeness: float) -> bool:
    """Return whether two names have enough common characters, in any order: the first check of difflib."""
    common = sum(min(wrong.count(char), right.count(char)) for char in set(wrong))
    length = len(wrong) + len(right)
    return not length or 2 * common / length >= likeness


def _swapped(wrong: str, right: str) -> bool:
    """Return whether two neighboring characters are swapped.

    difflib counts a swap as a missing and an additional character.
    """
    apart = [place for place, (a, b) in enumerate(zip(wrong, right, strict=False)) if a != b]
    return (
        len(wrong) == len(right)
        and len(apart) == 2
        and apart[1] == apart[0] + 1
        and wrong[apart[0]] == right[apart[1]]
        and wrong[apart[1]] == right[apart[0]]
    )


# Bidirectional controls make a terminal show characters in another order.
_BIDI = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
# Invisible characters that are not controls (Default_Ignorable_Code_Point of Unicode, without those
# that are not str.isprintable). Terminals differ in the number of columns that these characters take.
_IGNORABLE = frozenset(
    "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u3164\uffa0"
    + "".join(map(chr, (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))))
)
# Parts of emoji that some terminals combine with the emoji before them, and others do not: skin tones, and
# the letters of flags.
_EMOJI_PARTS = frozenset(map(chr, (*range(0x1F3FB, 0x1F400), *range(0x1F1E6, 0x1F200))))
_UNCERTAIN = _BIDI | _IGNORABLE | _EMOJI_PARTS
# Vowels and finals of Hangul syllables written in parts: drawn into the block that the initial begins.
_JAMO = ((0x1161, 0x11FF), (0xD7B0, 0xD7FB))
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\0": "\\0"}

UTF8 = "utf-8"  # the encoding that has all characters
COLUMNS = 76  # a drawing with its indentation fits into 80 columns
LINES_BEFORE, LINES_AFTER = 2, 1  # the lines before a line usually explain it


def escape_char(char: str) -> str:
    """Return a character in a form that is safe on a terminal.

    Controls, format and bidirectional characters, invisible characters, parts of emoji, separators other than
    the space, surrogates and unassigned code points become a backslash escape.
    """
    if char in _SHORT:
        return _SHORT[char]
    if char == " " or (char.isprintable() and char not in _UNCERTAIN):
        return char
    return _backslash(char)


def _backslash(char: str) -> str:
    code = ord(char)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def escape(text: str, *, doubled: bool = False) -> str:
    """Return a string in a form that is safe on a terminal: see :func:`escape_char`.

    A combining character also becomes an escape if it would combine with another escape, or with a quote
    before the string. A backslash is doubled in a string with escapes, so that it does not look like one, and
    with ``doubled`` in each string.
    """
    if text.isascii() and text.isprintable() and not doubled:
        return text
    cells = _cells(text)
    if "\\" in text and (doubled or cells != [*text]):
        cells = ["\\\\" if each == "\\" else each for each in cells]
    return "".join(cells)


def shortened(text: str, most: int) -> str:
    """Return a string in that form; omit the middle of a string that is longer than ``most``."""
    if len(text) > most:
        half = most // 2
        text = type(text)(f"{text[:half]}...{text[-half:]}")
    return escape(text)


def in_quotes(shown: str) -> str:
    """Return an escaped string in double quotes, or in single quotes if it has a double quote."""
    mark = "'" if '"' in shown and "'" not in shown else '"'
    return f"{mark}{shown}{mark}"


def quoted(text: str) -> str:
    """Return a string in double quotes, safe for a terminal."""
    return f'"{escape(text)}"'


def _cells(text: str, encoding: str = UTF8) -> list[str]:
    """Return the visible form of each character after the previous one, in an encoding."""
    lacking = _lacking(text, "ascii" if isinstance(text, ByteText) else encoding)
    cells = []
    base = False  # True after a character that a combining one can join
    for char in text:
        shown = escape_char(char) if base or not _combines(char) else _backslash(char)
        if char in lacking:
            shown = _backslash(char) if shown == char else shown
        base = shown == char
        cells.append(shown)
    return cells


def _lacking(text: str, encoding: str) -> frozenset[str]:
    """Return the characters that an encoding lacks; an unsupported encoding has only ASCII."""
    if encoding.lower() == UTF8:
        return frozenset()
    return frozenset(char for char in set(text) if not _has(encoding, char))


def _has(encoding: str, char: str) -> bool:
    try:
        return bool(char.encode(encoding))
    except UnicodeEncodeError:
        return False
    except LookupError:
        return char.isascii()


def _combines(char: str) -> bool:
    """Return whether a terminal combines a character with the one before it."""
    code = ord(char)
    return unicodedata.category(char) in ("Mn", "Me") or any(low <= code <= high for low, high in _JAMO)


def show_char(char: str) -> str:
    """Return a character as messages name it: in quotes, with its code point unless it is plain ASCII."""
    if isinstance(char, ByteText) and not char.isascii():
        return f"byte 0x{ord(char):02X}"
    if char == '"':
        return "'\"'"
    if " " < char <= "~":
        return f'"{char}"'
    if char == " ":
        return '" " (space)'
    name = unicodedata.name(char, {"\n": "LINE FEED", "\r": "CARRIAGE RETURN", "\t": "TAB"}.get(char, ""))
    code = f"U+{ord(char):04X}"
    label = f"{code} {name}" if name else code
    return f'"{char}" ({label})' if escape_char(char) == char and not _combines(char) else label


# A character from U+0080 to U+00FF in a message, alone or as ``show_char`` names it.
_BYTE = lazy_pattern(
    r'"[\x80-\xff]" \(U\+00(?P<shown>[0-9A-F]{2}) [A-Z -]+\)'
    r'|(?<!")U\+00(?P<named>[89A-F][0-9A-F])(?: [A-Z][A-Z-]*)*|[\x80-\xff]'
)


def with_bytes(message: str) -> str:
    r"""Return a message about a string of bytes: ``byte 0xE9`` and ``"caf\xe9"`` replace characters."""
    if message.isascii() and "U+00" not in message:
        return message

    def shown(match: re.Match[str]) -> str:
        code = match["shown"] or match["named"]
        return f"byte 0x{code}" if code else _backslash(match[0])

    return _BYTE.sub(shown, message)


def width(text: str) -> int:
    """Return the columns of an escaped string. Complexity: linear."""
    if text.isascii():
        return len(text)
    return sum(0 if _combines(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def draw(
    text: str, start: int, end: int | None = None, columns: int = COLUMNS, encoding: str = UTF8
) -> tuple[str, str]:
    """Return a line, and a second line that underlines ``start <= offset < end``.

    Both lines are safe for a terminal. A single caret marks an empty span, or the end of the line.
    A combining character is underlined together with its base. A line wider than ``columns`` is cut to a
    window around the span, marked with ``...``. Characters that the ``encoding`` of the output lacks are
    shown as escapes. Complexity: linear in the window, not in the line.
    """
    end = max(start + 1, end if end is not None else start + 1)
    # A character takes up to ten columns once escaped, so this many are enough either side.
    first, last = max(0, start - columns), min(end, start + columns)
    near = text[first : last + columns]
    plain = near.isascii() and near.isprintable()  # then each character takes one column
    cells, fitting = (list(near), _first) if plain else (_cells(near, encoding), _fitting)
    cut_left = start > columns
    cut_right = last + columns < len(text)
    while start > first and start - first < len(cells) and width(cells[start - first]) == 0:
        start -= 1
    left, middle, right = cells[: start - first], cells[start - first : last - first], cells[last - first :]
    room = columns - 6
    if len(kept := fitting(middle, room) or middle[:1]) < len(middle):
        middle, right, cut_right = kept, [], True
    spare = max(0, room - width("".join(middle)))
    left_room = max(spare * 2 // 3, spare - width("".join(right)))
    if len(kept := fitting(left[::-1], left_room)) < len(left):
        left, cut_left = kept[::-1], True
        while left and width(left[0]) == 0:  # it would combine with the dots
            del left[0]
    if len(kept := fitting(right, max(0, spare - width("".join(left))))) < len(right):
        right, cut_right = kept, True
    prefix = ("..." if cut_left else "") + "".join(left)
    body = "".join(middle)
    line = prefix + body + "".join(right) + ("..." if cut_right else "")
    return line, " " * width(prefix) + "^" * max(1, width(body))


def _fitting(cells: list[str], room: int) -> list[str]:
    """Return the first cells that fit into ``room`` columns."""
    return cells[: sum(used <= room for used in accumulate(map(width, cells)))]


def _first(cells: list[str], room: int) -> list[str]:
    """Return as many cells as fit, each one column wide."""
    return cells[:room] if room > 0 else []


class UnderlinedLines(NamedTuple):
    """Lines of a drawing; ``carets`` is the index of the line that underlines."""

    lines: tuple[str, ...]
    carets: int


def excerpt(
    text: str, start: int, end: int | None = None, columns: int = COLUMNS, encoding: str = UTF8
) -> UnderlinedLines:
    """Return the line where a span starts, underlined, with the lines around it.

    A single line is drawn as by :func:`draw`. Otherwise each line has its number, counted from 1, and up to
    ``LINES_BEFORE`` lines before and ``LINES_AFTER`` lines after it are shown. A span over several lines is
    underlined in its first line; a line end in the span is an escape. Each line is cut as by :func:`draw`.
    Complexity: linear.
    """
    if not several_lines(text):
        return UnderlinedLines(draw(text, start, end, columns, encoding), 1)
    number, column = position(text, start)
    first = start - column + 1
    line, rest = _line(text, first)
    stop = start + 1 if end is None else end
    if stop > first + len(line):  # the line's end, or a CR before it, is in the span
        line = text[first : min(stop, rest)]
    gutter = len(str(number + LINES_AFTER))
    room = columns - gutter - len(" | ")

    def numbered(index: int, shown: str) -> str:
        return f"{index:{gutter}d} | {shown}"

    def beside(index: int, start: int) -> str:
        return numbered(index, draw(_line(text, start)[0], 0, None, room, encoding)[0])

    stop = max(start, min(stop, first + len(line)))
    shown, carets = draw(line, start - first, stop - first, room, encoding)
    before: list[str] = []
    while first and len(before) < LINES_BEFORE:
        first = text.rfind("\n", 0, first - 1) + 1
        before.insert(0, beside(number - len(before) - 1, first))
    after: list[str] = []
    while rest < len(text) and len(after) < LINES_AFTER:
        after.append(beside(number + len(after) + 1, rest))
        rest = _line(text, rest)[1]
    drawn = (*before, numbered(number, shown), " " * (columns - room) + carets, *after)
    return UnderlinedLines(drawn, len(before) + 1)


def draw_line(text: str, offset: int) -> tuple[int, str]:
    """Return the number of the line of an offset, from 1, and the drawing around it. Complexity: linear."""
    number, column = position(text, offset)
    return number, draw(_line(text, offset - column + 1)[0], column - 1)[0]


def _line(text: str, start: int) -> tuple[str, int]:
    """Return the line that starts at an offset, without its end, and the start of the next one."""
    end = text.find("\n", start)
    if end < 0:
        return text[start:], len(text)
    return text[start : end - (text[start:end].endswith("\r"))], end + 1
