"""Which part of a text is read with mistakes: all of it, or what lies around the place where it fails.

What stands before a window was read without a mistake by the grammar, so a window begins with the states that
this leads to; it may end in any state, as nobody knows what is behind it.
"""

from __future__ import annotations

MAX_WHOLE = 2_000
"""Characters of a text that is read as a whole, wherever it fails."""

WINDOW, NARROW = 400, 24
"""Characters before and behind the place where a longer text fails that are read with mistakes; and those of
any text, where more take too long."""

Window = tuple[int, int]
"""A part of a text: from an offset up to another one."""


def windows(size: int, around: int | None) -> tuple[Window, ...]:
    """The parts of a text of ``size`` characters that are read, the first one that can be; ``around`` is the
    length of its longest viable prefix. Without that, all of it is.
    """
    whole = 0, size
    if around is None:
        return (whole,)
    wide, narrow = ((max(0, around - each), min(size, around + each)) for each in (WINDOW, NARROW))
    return whole if size <= MAX_WHOLE else wide, narrow
