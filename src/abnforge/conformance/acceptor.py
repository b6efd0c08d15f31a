"""The automaton of a rule as suites need it: complete, with a dead state, over class numbers.

A word is a tuple of class numbers. It represents a string: the most readable character of each class
(``algebra.preference``).
"""

from __future__ import annotations

from collections import deque

from abnforge._lazy import cached_property
from abnforge.automata.algebra import preference
from abnforge.automata.dfa import Automaton

Word = tuple[int, ...]


class Acceptor:
    """A complete minimal automaton. Equal automata have equal acceptors.

    States are numbers; the start is 0. ``dead`` is the last state if it accepts no continuation, else None.
    """

    def __init__(self, automaton: Automaton) -> None:
        self.automaton = automaton
        self.classes = automaton.width
        width, live = automaton.width, automaton.states
        rows = [
            [target // width if target >= 0 else live for target in automaton.table[row : row + width]]
            for row in range(0, len(automaton.table), width)
        ]
        self.dead: int | None = None
        if not rows or any(live in row for row in rows):
            self.dead = live
            rows.append([live] * width)
        self.rows = rows
        self.size = len(rows)
        self.accepting = [state * width in automaton.accepting for state in range(self.size)]
        self.representatives = [preference(charset)[1] for charset in automaton.charsets]
        # Classes, the most readable first, so that searches prefer readable words of the same length.
        self.order = sorted(range(width), key=lambda number: preference(automaton.charsets[number]))

    @property
    def live(self) -> range:
        """The states that accept some continuation."""
        return range(self.size if self.dead is None else self.dead)

    def run(self, word: Word, state: int = 0) -> int:
        for number in word:
            state = self.rows[state][number]
        return state

    def text(self, word: Word) -> str:
        return "".join([self.representatives[number] for number in word])

    @cached_property
    def cover(self) -> list[Word]:
        """A shortest word to each state: a state cover (Chow 1978)."""
        words: dict[int, Word] = {0: ()}
        queue = deque([0])
        while queue:
            state = queue.popleft()
            for number in self.order:
                target = self.rows[state][number]
                if target not in words:
                    words[target] = (*words[state], number)
                    queue.append(target)
        return [words[state] for state in range(self.size)]

    @cached_property
    def completions(self) -> list[Word | None]:
        """A shortest word from each state to an accepting one; None for the dead state."""
        sources: list[list[tuple[int, int]]] = [[] for _ in range(self.size)]
        for state, row in enumerate(self.rows):
            for number in self.order:
                sources[row[number]].append((state, number))
        words: list[Word | None] = [() if accepts else None for accepts in self.accepting]
        queue = deque(state for state in range(self.size) if self.accepting[state])
        while queue:
            target = queue.popleft()
            behind = words[target]
            assert behind is not None
            for state, number in sources[target]:
                if words[state] is None:
                    words[state] = (number, *behind)
                    queue.append(state)
        return words
