"""Which characters does an implementation tell apart? Found by asking, and only of characters that are asked.

First, before anything is learnt: at every state of the rule's automaton every character that tells, and one
of each block of Unicode (``letters.BLOCKS``). What is answered alike throughout is one letter. Later, where a
string is answered otherwise than what was learnt says: by putting the characters that stand for letters in
its place, one after the other, until only those are left that matter.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from abnforge.automata.algebra import preference
from abnforge.automata.dfa import Automaton
from abnforge.charset import CharSet, union
from abnforge.conformance.acceptor import Acceptor
from abnforge.conformance.characters import telling
from abnforge.conformance.letters import BLOCKS, Letters
from abnforge.conformance.passes import ended

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
