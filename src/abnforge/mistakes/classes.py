"""The characters that a grammar and its mistakes tell apart."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from abnforge.charset import CharSet, partition
from abnforge.grammar.facts import terminals
from abnforge.late import importing
from abnforge.mistakes.bound import BoundMistakes
from abnforge.once import once
from abnforge.pushdown.representatives import Representatives


class Classes:
    """The characters that no terminal of a grammar and its mistakes tells apart.

    ``representatives`` is a table for ``str.translate``, by which one character of each stands for all.
    """

    def __init__(self, ranges: Sequence[tuple[int, int]]) -> None:
        """``ranges`` are the first code points of ranges, in order, and the number of the class of each."""
        self.ranges = ranges
        self._starts = [low for low, _ in ranges]
        self._numbers = [number for _, number in ranges]
        samples: dict[int, int] = {}
        for low, number in ranges:
            samples.setdefault(number, low)
        self._count = len(samples)
        self._members: dict[CharSet, frozenset[int]] = {}
        self.representatives = Representatives(self._starts, [samples[number] for number in self._numbers])

    def __len__(self) -> int:
        return self._count

    @classmethod
    def of(cls, bound: BoundMistakes) -> Classes:
        """The classes of a grammar and its mistakes."""
        if bound.known is not None:
            return cls(bound.known.class_ranges)
        blocks = partition(terminals((*bound.core.rules.values(), *bound.marked.values())))
        return cls(sorted((low, number) for number, block in enumerate(blocks) for low, _ in block.ranges))

    @once
    def pages(self) -> tuple[array[int], bytes]:
        """The page of each 256 code points, and the classes of each page, as the kernel reads them."""
        with importing:
            from abnforge.tables.packing import pages_of

        pages, page_of = pages_of(self._starts, self._numbers)
        return array("H", page_of), pages

    def number(self, char: str) -> int:
        """The class of a character."""
        return self._numbers[bisect_right(self._starts, ord(char)) - 1]

    def bits(self, charset: CharSet) -> int:
        """The classes that a set of characters is made of: a bit for each, by its number."""
        found = 0
        for low, high in charset.ranges:
            for number in self._numbers[bisect_left(self._starts, low) : bisect_right(self._starts, high)]:
                found |= 1 << number
        return found

    def members(self, charset: CharSet) -> frozenset[int]:
        """The classes that a set of characters is made of."""
        found = self._members.get(charset)
        if found is None:
            bits = self.bits(charset)
            found = self._members[charset] = frozenset([n for n in range(len(self)) if bits >> n & 1])
        return found
