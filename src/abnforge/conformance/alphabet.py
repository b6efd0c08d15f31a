"""Which characters does an implementation tell apart? Found by asking, and only of characters that are asked.

First, before anything is learnt: at every state of the rule's automaton every character that tells, and one
of each block of Unicode (``letters.BLOCKS``). What is answered alike throughout is one letter. Later, where a
string is answered otherwise than what was learnt says: by putting the characters that stand for letters in
its place, one after the other, until only those are left that matter.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence

from abnforge.automata.algebra import preference
from abnforge.automata.dfa import DEAD, Automaton
from abnforge.charset import CharSet, union
from abnforge.conformance.acceptor import Acceptor, Word
from abnforge.conformance.edits import telling
from abnforge.conformance.passes import ended

# The alphabet of a learned automaton: sets of characters, each with one representative. At first, a letter
# is a class of the rule. Characters of a class that the implementation distinguishes become letters.

# Blocks of characters that many implementations distinguish.
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


Accepts = Callable[[str], bool]
Answers = tuple[bool, ...]

NEIGHBOURS = 16
"""Characters on either side of one that is answered otherwise that are asked, too: digits come in tens, and
controls, of which some are asked anyway, in 32.
"""


def letters_of(automaton: Automaton, accepts: Accepts) -> Letters:
    """The classes of a rule's automaton, parted by what is answered at each of its states.

    Cost: a question for each state and each of some 250 characters.
    """
    acceptor = Acceptor(automaton)
    characters = telling(automaton.charsets)

    def answers(char: str) -> Answers:
        return _answers(acceptor, char, accepts)

    sets: list[CharSet] = []
    for charset in automaton.charsets:
        alike: dict[Answers, list[CharSet]] = {}
        for part in (part for block in BLOCKS if (part := charset & block)):
            usual = answers(preference(part)[1])
            found = _unusual(part, characters, usual, answers)
            found[usual] = part - union(found.values())
            for key, members in found.items():
                alike.setdefault(key, []).append(members)
        sets += map(union, alike.values())
    return Letters(sets)


def parted(
    letters: Letters, reference: Automaton, hypothesis: Automaton, characters: Sequence[str], accepts: Accepts
) -> list[tuple[CharSet, int | None]]:
    """Those of some characters, and of their neighbours, that are answered at some state of a hypothesis
    otherwise than what stands for them, each with the number of a letter that is answered as they are, if
    there is one. Letters stay within the rule's classes. Cost: as above, for the hypothesis' states.
    """
    acceptor = Acceptor(letters.over(hypothesis))

    def answers(char: str) -> Answers:
        return _answers(acceptor, char, accepts)

    usual = [answers(char) for char in letters.characters]
    classes = [reference.class_of(char) for char in letters.characters]
    known = {pair: number for number, pair in reversed(list(enumerate(zip(classes, usual, strict=True))))}
    found: list[tuple[CharSet, int | None]] = []
    for number, charset in enumerate(letters.sets):
        own = letters.characters[number]
        for part in (part for block in BLOCKS if (part := charset & block)):
            # What was not asked is like the one that reads best, of a block of its own.
            standing = usual[number] if own in part else answers(preference(part)[1])
            groups = _unusual(part, characters, standing, answers)
            groups[standing] = part - union(groups.values())
            groups.pop(usual[number], None)
            found += [(group, known.get((classes[number], key))) for key, group in groups.items() if group]
    return found


def needed(text: str, letters: Letters, accepts: Accepts) -> tuple[str, set[str]]:
    """A text of which all characters that may are those that stand for their letters, answered as the text
    is; and the characters that may not. Cost: a question a character.
    """
    answer = accepts(text)
    matter: set[str] = set()
    for place, char in enumerate(text):
        standing = letters.characters[letters.number(char)]
        if char == standing:
            continue
        other = text[:place] + standing + text[place + 1 :]
        if accepts(other) is answer:
            text = other
        else:
            matter.add(char)
    return text, matter


def _unusual(
    charset: CharSet, characters: Sequence[str], usual: Answers, answers: Callable[[str], Answers]
) -> dict[Answers, CharSet]:
    """Those of a set that are answered otherwise, by what is answered: of some characters, and of those
    beside them for as long as they are answered otherwise, too.
    """
    codes: dict[Answers, set[int]] = {}
    asked: set[int] = set()

    def unusual(code: int) -> bool:
        asked.add(code)
        found = answers(chr(code))
        if found != usual:
            codes.setdefault(found, set()).add(code)
        return found != usual

    for char in characters:
        if char in charset and ord(char) not in asked and unusual(ord(char)):
            for step in (-1, 1):
                for beside in range(ord(char) + step, ord(char) + step * (NEIGHBOURS + 1), step):
                    if beside not in charset or beside in asked or not unusual(beside):
                        break
    return {key: CharSet.from_ranges((code, code) for code in found) for key, found in codes.items()}


def _answers(acceptor: Acceptor, char: str, accepts: Accepts) -> Answers:
    """What is answered where a character stands at each live state, with a shortest end."""
    return tuple(accepts(ended(acceptor, state, char)) for state in acceptor.live)
