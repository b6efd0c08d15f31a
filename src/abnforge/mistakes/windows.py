"""Which part of a text is read with mistakes: all of it, or what lies around the place where it fails.

What stands before a window was read without a mistake by the grammar, so a window begins with the states that
this leads to; it may end in any state, as nobody knows what is behind it.
"""

from __future__ import annotations

MAX_WHOLE = 20_000
"""Characters of a text that is read as a whole, wherever it fails."""

WINDOW, NARROW = 400, 24
"""Characters before and behind the place where a longer text fails that are read with mistakes; and those of
any text, where more take too long."""

Window = tuple[int, int]
"""A part of a text: from an offset up to another one."""


def windows(size: int, around: int) -> tuple[Window, Window]:
    """The part of a text of ``size`` characters that is read, and the one where that takes too long;
    ``around`` is the length of its longest viable prefix.
    """
    narrow = max(0, around - NARROW), min(size, around + NARROW)
    if size <= MAX_WHOLE:
        return (0, size), narrow
    return (max(0, around - WINDOW), min(size, around + WINDOW)), narrow
