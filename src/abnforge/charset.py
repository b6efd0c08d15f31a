"""Sets of code points as sorted, disjoint, non-adjacent ranges.

An automaton's alphabet, a terminal's characters and the "expected" set of a
rejection are all values of this one type. A set never holds a code point above
U+10FFFF; it may hold surrogates, since a grammar may name them.

Cost: every operation is linear in the number of ranges; membership is
logarithmic.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import pairwise

from abnforge._arguments import empty, wrong_value
from abnforge.records import dataclass

MAX_CODE_POINT = 0x10FFFF
MAX_BYTE = 0xFF
MAX_ASCII = 0x7F

UNICODE, BYTES = ALPHABETS = "unicode", "bytes"
"""The alphabets of grammars: all code points, or the bytes %x00-FF. Each byte is one character."""

Range = tuple[int, int]

# The first code points of the digits, uppercase letters and lowercase letters, and those after their last
# ones.
_BORDERS = (0x30, 0x3A, 0x41, 0x5B, 0x61, 0x7B)

_MOST = 85  # ASCII characters: a set that holds more of them holds almost everything


@dataclass(frozen=True, slots=True)
class CharSet:
    """A set of code points.

    ``ranges`` holds inclusive pairs ``(low, high)``, sorted, disjoint and not
    adjacent, so that equal sets are equal values. Build one with
    :meth:`of` or :meth:`from_ranges`, which normalize; the constructor checks.
    """

    ranges: tuple[Range, ...] = ()

    def __post_init__(self) -> None:
        previous = -2
        for low, high in self.ranges:
            if low <= previous + 1 or high < low or high > MAX_CODE_POINT:
                raise wrong_value("ranges", "sorted, disjoint and within Unicode", self.ranges)
            previous = high

    @classmethod
    def from_ranges(cls, ranges: Iterable[Range]) -> CharSet:
        """Return the union of inclusive ranges, in any order, overlapping or not."""
        merged: list[Range] = []
        for low, high in sorted(ranges):
            if merged and low <= merged[-1][1] + 1:
                if high > merged[-1][1]:
                    merged[-1] = (merged[-1][0], high)
            else:
                merged.append((low, high))
        return cls(tuple(merged))

    @classmethod
    def of(cls, characters: str) -> CharSet:
        """Return the characters of a string."""
        return cls.from_ranges((ord(c), ord(c)) for c in characters)

    def __contains__(self, char: str | int) -> bool:
        code = char if isinstance(char, int) else ord(char)
        index = bisect_right(self.ranges, (code, MAX_CODE_POINT)) - 1
        return index >= 0 and code <= self.ranges[index][1]

    def __bool__(self) -> bool:
        return bool(self.ranges)

    def __len__(self) -> int:
        return sum(high - low + 1 for low, high in self.ranges)

    def __iter__(self) -> Iterator[int]:
        for low, high in self.ranges:
            yield from range(low, high + 1)

    def __or__(self, other: CharSet) -> CharSet:
        return CharSet.from_ranges(self.ranges + other.ranges)

    def __and__(self, other: CharSet) -> CharSet:
        result: list[Range] = []
        left, right = self.ranges, other.ranges
        i = j = 0
        while i < len(left) and j < len(right):
            low = max(left[i][0], right[j][0])
            high = min(left[i][1], right[j][1])
            if low <= high:
                result.append((low, high))
            if left[i][1] < right[j][1]:
                i += 1
            else:
                j += 1
        return CharSet(tuple(result))

    def __invert__(self) -> CharSet:
        result: list[Range] = []
        next_low = 0
        for low, high in self.ranges:
            if low > next_low:
                result.append((next_low, low - 1))
            next_low = high + 1
        if next_low <= MAX_CODE_POINT:
            result.append((next_low, MAX_CODE_POINT))
        return CharSet(tuple(result))

    def __sub__(self, other: CharSet) -> CharSet:
        return self & ~other

    def min(self) -> str:
        """Return the smallest character. Raises ValueError for the empty set."""
        if not self.ranges:
            raise empty("the set of characters")
        return chr(self.ranges[0][0])

    def nth(self, number: int) -> str:
        """Return the character at a 0-based position of the set. Raises IndexError if there is none."""
        left = number
        for low, high in self.ranges if number >= 0 else ():
            if left <= high - low:
                return chr(low + left)
            left -= high - low + 1
        raise IndexError(f"number must be from 0 to {len(self) - 1}, not {number}")

    @property
    def almost_all(self) -> bool:
        """Return whether the set has too many ASCII characters for a useful list."""
        return sum(min(high, 0x7F) - low + 1 for low, high in self.ranges if low <= 0x7F) > _MOST

    def spans(self) -> list[Range]:
        """Return ranges that are easy to read.

        No range continues from signs to digits or letters, unless the set contains almost all of ASCII.
        """
        if self.almost_all:
            return list(self.ranges)
        ranges: list[Range] = []
        for low, high in self.ranges:
            for border in _BORDERS:
                if low < border <= high:
                    ranges.append((low, border - 1))
                    low = border
            ranges.append((low, high))
        return ranges

    def to_class(self) -> str:
        r"""Return the set in the notation of character classes, without the brackets.

        ``A-Za-z``, ``\-._~``, ``./0-9``: a backslash escapes ``\``, ``]``, ``^`` and ``-``; characters that
        are not printable ASCII are ``\xHH``, ``\uHHHH`` or ``\U00HHHHHH``. Character classes of Python's
        ``re`` support this notation.
        """
        return "".join(
            _class_char(low)
            if low == high
            else _class_char(low) + ("" if high == low + 1 else "-") + _class_char(high)
            for low, high in self.spans()
        )

    def __str__(self) -> str:
        return f"[{self.to_class()}]"


def _class_char(code: int) -> str:
    if 0x20 < code < 0x7F:
        char = chr(code)
        return "\\" + char if char in "\\]^-[" else char
    if code < 0x100:
        return f"\\x{code:02X}"
    return f"\\u{code:04X}" if code < 0x10000 else f"\\U{code:08X}"


EMPTY = CharSet()
ANY = CharSet(((0, MAX_CODE_POINT),))
ANY_BYTE = CharSet(((0, MAX_BYTE),))


def union(sets: Iterable[CharSet]) -> CharSet:
    """Return the union of sets. Cost: that of sorting their ranges."""
    return CharSet.from_ranges(pair for charset in sets for pair in charset.ranges)


def disjoint(sets: Collection[CharSet]) -> bool:
    """Return whether the sets are pairwise disjoint. Cost: that of their union."""
    return sum(map(len, sets)) == len(union(sets))


def partition(sets: Iterable[CharSet]) -> list[CharSet]:
    """Return the coarsest partition of Unicode whose unions include every set.

    The blocks are disjoint and not empty, cover every code point, and are sorted by
    their smallest one. Two code points share a block exactly when no
    set separates them. The blocks are the character classes of an automaton.
    Cost: O(R log R) for R ranges, times the number of sets a cut point belongs to.
    """
    blocks: dict[frozenset[int], list[Range]] = {}
    cuts = [*_cuts(sets), (MAX_CODE_POINT + 1, frozenset())]
    for (low, block), (following, _) in pairwise(cuts):
        blocks.setdefault(block, []).append((low, following - 1))
    return [CharSet(tuple(ranges)) for ranges in blocks.values()]


def _cuts(sets: Iterable[CharSet]) -> Iterator[tuple[int, frozenset[int]]]:
    """Yield the first code point of each range of a block, in order, and the numbers of the block's sets."""
    events: dict[int, list[int]] = {0: []}
    for index, charset in enumerate(dict.fromkeys(sets)):
        for low, high in charset.ranges:
            events.setdefault(low, []).append(index)
            events.setdefault(high + 1, []).append(index)
    events.pop(MAX_CODE_POINT + 1, None)
    inside: set[int] = set()
    for low in sorted(events):
        inside.symmetric_difference_update(events[low])
        yield low, frozenset(inside)


# Representatives of classes: a grammar distinguishes a few classes, and reads one character of each.


# The maximum number of characters with a known representative.
_MOST_KNOWN = 100_000


class AlphabetCompressor(dict[int, int]):
    """A table for ``str.translate``: it maps each character to the representative of its class.

    A grammar does not distinguish the characters of a class, so one character represents all of them. The
    arguments are the first code points of the ranges of classes, in order, and their representatives.
    """

    def __init__(self, starts: Sequence[int], standing: Sequence[int]) -> None:
        super().__init__()
        self._starts = starts
        self._standing = standing

    @classmethod
    def first_of(cls, sets: Iterable[CharSet]) -> AlphabetCompressor:
        """Return the table that replaces a character by the first one that is in the same sets."""
        starts: list[int] = []
        standing: list[int] = []
        first: dict[frozenset[int], int] = {}
        for low, block in _cuts(sets):
            starts.append(low)
            standing.append(first.setdefault(block, low))
        return cls(starts, standing)

    def __missing__(self, code: int) -> int:
        number = self._standing[bisect_right(self._starts, code) - 1]
        if len(self) < _MOST_KNOWN:
            self[code] = number
        return number
