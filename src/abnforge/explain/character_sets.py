"""Character sets: the classes of a grammar, and the single characters that a rule matches.

Two characters are in the same class if no terminal of a grammar and its mistakes contains only one of them.
The search for mistakes uses classes.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from abnforge._lazy import cached_property, lazy
from abnforge.charset import AlphabetCompressor, CharSet, union
from abnforge.grammar.core import Chars, Choice, Core, Node, Ref, Repeat, Seq
from abnforge.grammar.facts import Facts

with lazy:
    from abnforge.automata import tables


class Classes:
    """The character classes that the terminals of a grammar and its mistakes distinguish.

    ``representatives`` is a table for ``str.translate`` that maps each character to the representative of its
    class.
    """

    def __init__(self, ranges: Sequence[tuple[int, int]]) -> None:
        """``ranges`` are the first code points of ranges, in order, each with the number of its class."""
        self.ranges = ranges
        self._starts = [low for low, _ in ranges]
        self._numbers = [number for _, number in ranges]
        samples: dict[int, int] = {}
        for low, number in ranges:
            samples.setdefault(number, low)
        self._count = len(samples)
        self._members: dict[CharSet, frozenset[int]] = {}
        self.representatives = AlphabetCompressor(self._starts, [samples[number] for number in self._numbers])

    def __len__(self) -> int:
        return self._count

    @cached_property
    def pages(self) -> tuple[array[int], bytes]:
        """The page number of each 256 code points, and the classes of each page, for the C extension."""
        pages, page_of = tables.pages_of(self._starts, self._numbers)
        return array("H", page_of), pages

    def number(self, char: str) -> int:
        """Return the number of a character's class."""
        return self._numbers[bisect_right(self._starts, ord(char)) - 1]

    def bits(self, charset: CharSet) -> int:
        """Return the classes in a character set, with one bit per number."""
        result = 0
        for low, high in charset.ranges:
            for number in self._numbers[bisect_left(self._starts, low) : bisect_right(self._starts, high)]:
                result |= 1 << number
        return result

    def members(self, charset: CharSet) -> frozenset[int]:
        """Return the numbers of the classes in a character set."""
        members = self._members.get(charset)
        if members is None:
            bits = self.bits(charset)
            members = self._members[charset] = frozenset([n for n in range(len(self)) if bits >> n & 1])
        return members


def single_character_strings(core: Core, key: str) -> CharSet:
    """Return the strings of exactly one character that a rule derives, as a set.

    For ``pchar`` of RFC 3986 these are the unreserved characters, sub-delims, ``:`` and ``@``; the percent
    sign of a triplet is not such a string. Cost: linear in the rules that the rule needs.
    """
    return _Solver(core, key).sets[key]


class _Solver:
    """The sets of all rules that one rule needs, as the least solution of their definitions."""

    def __init__(self, core: Core, start: str) -> None:
        self._facts = Facts(core)
        self.sets = dict.fromkeys(reversed(self._facts.reachable(start)), CharSet())
        has_grown = True
        while has_grown:
            has_grown = False
            for key, before in self.sets.items():
                charset = self._node(core.rules[key])
                if charset != before:
                    self.sets[key] = charset
                    has_grown = True

    def _node(self, node: Node) -> CharSet:
        match node:
            case Chars(charset=charset):
                return charset
            case Ref(key=key):
                return self.sets[key]
            case Seq(items=items):
                required = [item for item in items if not self._facts.is_nullable(item)]
                if len(required) > 1:
                    return CharSet()
                return union(map(self._node, required or items))
            case Choice(items=items):
                return union(map(self._node, items))
            case Repeat(item=item, min=low):
                return self._node(item) if low <= 1 or self._facts.is_nullable(item) else CharSet()
            case _:
                return CharSet()
