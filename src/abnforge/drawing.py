"""Text made safe for a terminal, and a line drawn with a caret under the place that matters."""

from __future__ import annotations

import unicodedata

# Bidirectional controls can make a terminal show a text in another order than it is in.
_BIDI = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\0": "\\0"}


def escape_char(char: str) -> str:
    """A character as it may be shown on a terminal.

    Controls, format and bidirectional characters, separators other than the
    space, surrogates and unassigned code points become a backslash escape.
    """
    if char in _SHORT:
        return _SHORT[char]
    if char == " " or (char.isprintable() and char not in _BIDI):
        return char
    code = ord(char)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def escape(text: str) -> str:
    """A text as it may be shown on a terminal: see :func:`escape_char`."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(map(escape_char, text))


def show_char(char: str) -> str:
    """A character named for a message: quoted, with its code point if it is not plain ASCII."""
    if char == '"':
        return "'\"'"
    if " " < char <= "~":
        return f'"{char}"'
    if char == " ":
        return '" " (space)'
    name = unicodedata.name(char, {"\n": "LINE FEED", "\r": "CARRIAGE RETURN", "\t": "TAB"}.get(char, ""))
    code = f"U+{ord(char):04X}"
    label = f"{code} {name}" if name else code
    return f'"{char}" ({label})' if escape_char(char) == char and not unicodedata.combining(char) else label


def width(text: str) -> int:
    """Columns a terminal uses for a text that :func:`escape` has made safe."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text
    )


def draw(text: str, start: int, end: int | None = None, columns: int = 76) -> tuple[str, str]:
    """A line of text and, below it, a line that underlines ``start <= offset < end``.

    Returns both lines, already safe for a terminal. An empty span, and the
    place behind the last character, are shown by a single caret. A text wider
    than ``columns`` is cut to a window around the span, marked with ``...``.
    Cost: linear in the window, not in the text.
    """
    end = max(start + 1, end if end is not None else start + 1)
    # A character takes up to ten columns once escaped, so this many are enough either side.
    before = text[max(0, start - columns) : start]
    marked = text[start : min(end, start + columns)]
    after = text[start + len(marked) : start + len(marked) + columns]
    cut_left = start > columns
    cut_right = start + len(marked) + len(after) < len(text)
    left = [escape_char(c) for c in before]
    middle = [escape_char(c) for c in marked]
    right = [escape_char(c) for c in after]
    room = columns - 6
    while width("".join(middle)) > room and len(middle) > 1:
        middle.pop()
        right, cut_right = [], True
    spare = room - width("".join(middle))
    left_room = max(spare * 2 // 3, spare - width("".join(right)))
    while left and width("".join(left)) > left_room:
        left.pop(0)
        cut_left = True
    right_room = max(0, spare - width("".join(left)))
    while right and width("".join(right)) > right_room:
        right.pop()
        cut_right = True
    prefix = ("..." if cut_left else "") + "".join(left)
    body = "".join(middle)
    line = prefix + body + "".join(right) + ("..." if cut_right else "")
    return line, " " * width(prefix) + "^" * max(1, width(body))
