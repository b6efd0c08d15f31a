"""Signs: their names in codes and messages, similar characters, and kinds of characters."""

from __future__ import annotations

from collections.abc import Iterable

from abnforge.catalog import listed
from abnforge.charset import CharSet
from abnforge.explain.fixes import HEX

WHITESPACE = CharSet.from_ranges([(0x09, 0x0D), (0x2000, 0x200A), (0x2028, 0x2029)]) | CharSet.of(
    " \x85\xa0\u1680\u202f\u205f\u3000"
)
"""Unicode whitespace, including line ends."""

INVISIBLE = CharSet.from_ranges(
    [(0xAD, 0xAD), (0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x2064), (0xFEFF, 0xFEFF)]
)
"""Invisible zero-width characters: soft hyphens, joiners, direction marks, byte order marks."""

SPACES = CharSet.of(" \t")
CONTROLS = CharSet.from_ranges([(0, 0x1F), (0x7F, 0x9F)]) - WHITESPACE
ASCII = CharSet.from_ranges([(0, 0x7F)])
DIGITS = CharSet.of("0123456789")
SMALL = CharSet.from_ranges([(0x61, 0x7A)])
CAPITAL = CharSet.from_ranges([(0x41, 0x5A)])
LETTERS = SMALL | CAPITAL
VISIBLE = CharSet.from_ranges([(0x21, 0x7E)])
PUNCTUATION = VISIBLE - LETTERS - DIGITS

NAMES = {
    "!": "exclamation-mark",
    '"': "quote",
    "#": "number-sign",
    "$": "dollar-sign",
    "%": "percent-sign",
    "&": "ampersand",
    "'": "apostrophe",
    "(": "left-parenthesis",
    ")": "right-parenthesis",
    "*": "asterisk",
    "+": "plus-sign",
    ",": "comma",
    "-": "hyphen",
    ".": "dot",
    "/": "slash",
    ":": "colon",
    ";": "semicolon",
    "<": "less-than-sign",
    "=": "equals-sign",
    ">": "greater-than-sign",
    "?": "question-mark",
    "@": "at-sign",
    "[": "left-bracket",
    "\\": "backslash",
    "]": "right-bracket",
    "^": "caret",
    "_": "underscore",
    "`": "backtick",
    "{": "left-brace",
    "|": "pipe",
    "}": "right-brace",
    "~": "tilde",
}
"""The names of ASCII signs in codes: Unicode names, or shorter common names."""

_TIMES = {2: "double", 3: "triple"}

PAIRS = {"(": ")", "[": "]", "{": "}", "<": ">"}
QUOTES = frozenset("\"'`")

_LOOK_ALIKE = {
    '"': "'\u201c\u201d\u201e\u201f\u2033\xab\xbb\uff02",
    "'": '"`\u2018\u2019\u201a\u201b\u2032\xb4\uff07',
    "(": "[{<\uff08",
    ")": "]}>\uff09",
    "[": "({<\uff3b\u3010",
    "]": ")}>\uff3d\u3011",
    "{": "([<\uff5b",
    "}": ")]>\uff5d",
    "<": "([{\u2039\u27e8\uff1c",
    ">": ")]}\u203a\u27e9\uff1e",
    ",": ";\u060c\u3001\uff0c",
    ".": ",\u3002\uff0e\uff61",
    ":": ";=\u2236\ua789\uff1a",
    ";": ",\u037e\uff1b",
    "-": "_\u2010\u2011\u2012\u2013\u2014\u2015\u2212\uff0d",
    "/": "\\\u2044\u2215\u29f8\uff0f",
    "\\": "/\u2216\uff3c",
    "=": ":\uff1d",
    "_": "-\uff3f",
    "|": "\xa6\uff5c",
    "#": "\u266f\uff03",
}


def sign_name(text: str) -> str | None:
    """Return the name of a delimiter in codes (``colon``, ``double-slash``), or None."""
    if text in NAMES:
        return NAMES[text]
    if len(set(text)) == 1 and text[0] in NAMES and len(text) in _TIMES:
        return f"{_TIMES[len(text)]}-{NAMES[text[0]]}"
    if 0 < len(text) <= 3 and all(char in NAMES for char in text):
        return "-".join(NAMES[char] for char in text)
    return None


SEPARATORS = frozenset(",;|")  # list separators; users omit them even before whitespace

BETWEEN_DIGITS = {"-": CharSet.of("/."), ":": CharSet.of(".")}
"""Characters that users write instead of a sign between digits, as in dates and times."""


def look_alikes(sign: str) -> CharSet:
    """Return the characters that users or editors insert instead of a sign."""
    listed = _LOOK_ALIKE.get(sign)
    return CharSet.of(listed if listed is not None else chr(ord(sign) + 0xFEE0))  # full-width form


_FEW = 3  # the number of signs listed one by one
_FEW_OTHERS = 4
_SPACED = 8  # the maximum number of signs that spaces separate
_BRIEF = 64
_BLANKS = {" ": "space", "\t": "tab", "\n": "line feed", "\r": "carriage return"}


def few(chars: CharSet, before: str) -> str:
    """List a few characters for a message, in the case of the string before them; "" if there are many."""
    if len(chars) > 2 * _FEW or chars - VISIBLE:
        return ""
    cases: dict[str, list[str]] = {}
    for char in map(chr, chars):
        cases.setdefault(char.lower(), []).append(char)
    is_lower = before[-1:].islower()
    characters = [lower if is_lower and len(each) > 1 else each[0] for lower, each in cases.items()]
    if len(characters) > _FEW:
        return ""
    return listed(map(in_marks, characters), "or")


def in_marks(text: str) -> str:
    """Quote characters to write for a message."""
    return f'"{text}"' if "'" in text else f"'{text}'"


def briefly(charset: CharSet) -> str:
    """Return the result of ``described``, or "" if that is long, contains a character class, or is empty."""
    description = described(charset)
    is_class = any(part.startswith("[") for part in kinds(charset))
    return description if charset and not is_class and len(description) <= _BRIEF else ""


def described(charset: CharSet, several: bool = False) -> str:
    """Describe one character of a set for a message: ``a letter, a digit or one of + - . _``.

    With ``several``, describe any number of them: ``letters, digits or any of + - . _``.
    """
    parts = kinds(charset, several) or ["nothing"]
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} or {parts[-1]}"


def kinds(charset: CharSet, several: bool = False, words: Iterable[str] = ()) -> list[str]:
    """Return the parts of such a description, and words to write instead."""
    parts: list[str] = []

    def add(name: str) -> None:
        parts.append(f"{name}s" if several else f"{'an' if name[0] == 'u' else 'a'} {name}")

    remaining = charset
    for name, each in (
        ("visible character", VISIBLE),
        ("letter", LETTERS),
        ("uppercase letter", CAPITAL),
        ("lowercase letter", SMALL),
    ):
        if not each - remaining:
            add(name)
            remaining -= each
            break
    if not DIGITS - remaining:
        hexadecimal = not HEX - charset and not (charset & LETTERS) - HEX
        add("hex digit" if hexadecimal else "digit")
        remaining -= HEX if hexadecimal else DIGITS
    if CharSet.of("".join(map(chr, remaining & LETTERS)).swapcase()) == remaining & LETTERS:
        remaining -= CAPITAL  # both cases are listed as one letter
    beyond = ~ASCII
    rest = remaining & beyond
    marks = remaining & PUNCTUATION
    blanks = (remaining & WHITESPACE) - beyond
    others = remaining - beyond - marks - blanks
    if len(marks) <= _FEW:
        parts += map(in_marks, map(chr, marks))
    if len(others.ranges) <= _FEW_OTHERS and not others - VISIBLE:
        for low, high in others.ranges:
            if high - low > 1:
                parts.append(f"'{chr(low)}' to '{chr(high)}'")
            else:
                parts += [f"'{chr(code)}'" for code in range(low, high + 1)]
    else:
        parts.append(f"[{others.to_class()}]")
    if len(blanks) < len(_BLANKS) and all(chr(code) in _BLANKS for code in blanks):
        for code in blanks:
            add(_BLANKS[chr(code)])
    else:
        parts.append("whitespace")
    if rest:
        if len(rest) > 1_000:
            add("non-ASCII character")
        else:
            parts.append(f"[{rest.to_class()}]")
    parts += map(in_marks, words)
    if len(marks) > _FEW:  # last, since it can have a comma
        space = " " if len(marks) <= _SPACED else ""
        parts.append(f"{'any' if several else 'one'} of {space.join(map(chr, marks))}")
    return parts
