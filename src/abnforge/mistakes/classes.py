"""The characters that a grammar and its mistakes tell apart."""

from __future__ import annotations

from bisect import bisect_right

from abnforge.analysis.facts import terminals
from abnforge.charset import CharSet, partition
from abnforge.mistakes.augmented import Augmented
from abnforge.pushdown.representatives import Representatives


class Classes:
    """The characters that no terminal of a grammar and its mistakes tells apart.

    ``representatives`` is a table for ``str.translate``, by which one character of each class stands for all.
    """

    def __init__(self, augmented: Augmented) -> None:
        blocks = partition(terminals((*augmented.core.rules.values(), *augmented.bound.marked.values())))
        ranges = sorted((low, number) for number, block in enumerate(blocks) for low, _ in block.ranges)
        self._starts = [low for low, _ in ranges]
        self._numbers = [number for _, number in ranges]
        self._samples = [block.min() for block in blocks]
        self._members: dict[CharSet, frozenset[int]] = {}
        self.representatives = Representatives.first_of(blocks)

    def number(self, char: str) -> int:
        """The class of a character."""
        return self._numbers[bisect_right(self._starts, ord(char)) - 1]

    def members(self, charset: CharSet) -> frozenset[int]:
        """The classes that a set of characters is made of."""
        found = self._members.get(charset)
        if found is None:
            numbers = (number for number, char in enumerate(self._samples) if char in charset)
            found = self._members[charset] = frozenset(numbers)
        return found
