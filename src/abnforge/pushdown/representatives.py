"""Characters that stand for others: a grammar tells apart a few classes, and reads one character of each."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence

from abnforge.charset import CharSet

# Characters that are known to stand for others, at most.
_MOST_KNOWN = 100_000


class Representatives(dict[int, int]):
    """A table for ``str.translate``: each character becomes the one that stands for its class.

    Classes are what a grammar tells apart, so no configuration knows more than one character of each. They
    are given as the first code points of their ranges, in order, and what stands for each.
    """

    def __init__(self, starts: Sequence[int], standing: Sequence[int]) -> None:
        super().__init__()
        self._starts = starts
        self._standing = standing

    @classmethod
    def first_of(cls, classes: Iterable[CharSet]) -> Representatives:
        """The table in which the first character of each class stands for it."""
        starts = sorted((low, ord(charset.min())) for charset in classes for low, _ in charset.ranges)
        return cls([low for low, _ in starts], [first for _, first in starts])

    def __missing__(self, code: int) -> int:
        found = self._standing[bisect_right(self._starts, code) - 1]
        if len(self) < _MOST_KNOWN:
            self[code] = found
        return found
