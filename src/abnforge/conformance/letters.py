"""The alphabet that an implementation is learnt over: sets of characters, each asked by one of them.

A rule's classes are where it begins. An implementation may tell characters of a class apart: those get a
letter of their own. Of the others one is asked, and the rest is taken to be like it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence

from abnforge.automata.algebra import preference
from abnforge.automata.dfa import DEAD, Automaton
from abnforge.charset import CharSet
from abnforge.conformance.acceptor import Word

# Where implementations change what they do with characters that a rule treats alike.
BLOCKS = tuple(
    CharSet.from_ranges(ranges)
    for ranges in ([(0, 0x7F)], [(0xD800, 0xDFFF)], [(0x80, 0xD7FF), (0xE000, 0x10FFFF)])
)
"""ASCII, surrogates, and all else."""


class Letters:
    """A partition of Unicode. ``characters`` are the ones that stand for the sets: those that read best,
    unless they are given.
    """

    def __init__(self, sets: Iterable[CharSet], characters: Sequence[str] | None = None) -> None:
        self.sets = tuple(sets)
        self.characters = characters or [preference(charset)[1] for charset in self.sets]
        ranges = sorted((low, number) for number, each in enumerate(self.sets) for low, _ in each.ranges)
        self._starts = tuple(low for low, _ in ranges)
        self._numbers = tuple(number for _, number in ranges)

    def __len__(self) -> int:
        return len(self.sets)

    def number(self, char: str) -> int:
        """The letter of a character."""
        return self._numbers[bisect_right(self._starts, ord(char)) - 1]

    def word(self, text: str) -> Word:
        """The letters of a text."""
        return tuple(map(self.number, text))

    def text(self, word: Sequence[int]) -> str:
        """The text that a word stands for."""
        return "".join([self.characters[number] for number in word])

    def moved(self, groups: Iterable[tuple[CharSet, int | None]]) -> Letters:
        """The same where characters stand for others than before: each group, which is a part of one letter
        without the character that stands for it, goes to the letter of a number, or has one of its own.
        """
        sets, characters = list(self.sets), list(self.characters)
        for group, to in groups:
            sets[self.number(group.min())] -= group
            if to is None:
                sets.append(group)
                characters.append(preference(group)[1])
            else:
                sets[to] |= group
        return Letters(sets, characters)

    def over(self, automaton: Automaton) -> Automaton:
        """An automaton of the same language with a column for each letter, of which none may be in two of its
        classes. It is not minimal in its classes, and so equal to no other one.
        """
        columns = [automaton.class_of(char) for char in self.characters]
        width = automaton.width
        return Automaton(
            width=len(self.sets),
            table=[
                DEAD if (target := automaton.table[row + column]) == DEAD else target // width * len(columns)
                for row in range(0, len(automaton.table), width)
                for column in columns
            ],
            accepting=frozenset(row // width * len(columns) for row in automaton.accepting),
            starts=self._starts,
            classes=self._numbers,
        )
