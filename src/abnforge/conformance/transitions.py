"""Which moves of a rule's minimal automaton texts take."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any, Self

from abnforge.automata.dfa import Automaton
from abnforge.charset import CharSet
from abnforge.conformance.acceptor import Acceptor
from abnforge.conformance.usage import Example, told
from abnforge.engine.rule import Rule
from abnforge.errors import LimitExceeded


@dataclass(frozen=True, slots=True)
class TransitionUse:
    """A move of the rule's minimal automaton, from state ``source`` to ``target`` with one of ``chars``.

    States are numbered breadth first, and 0 is the start. ``example`` is a shortest text that took it, and
    the first character that did. ``sample`` is a shortest string that would, of one that no text took.
    """

    source: int
    chars: CharSet
    target: int
    count: int
    example: Example | None
    sample: str | None

    def to_dict(self) -> dict[str, Any]:
        """As plain data, ready for ``json.dumps``. Its keys are stable."""
        return {
            "source": self.source,
            "chars": [list(pair) for pair in self.chars.ranges],
            "target": self.target,
            **told(self.count, self.example, self.sample),
        }


class Transitions:
    """Counts of an automaton's moves. A move is the index of its entry in the table."""

    def __init__(self, automaton: Automaton) -> None:
        self._automaton = automaton
        self._counts: Counter[int] = Counter()
        self._examples: dict[int, Example] = {}

    @classmethod
    def of(cls, rule: Rule) -> Self | None:
        """Those of a rule; None for one that is not known to be regular, or whose automaton is too large."""
        try:
            return cls(rule.automaton) if rule.regular else None
        except LimitExceeded:
            return None

    def add(self, text: str) -> None:
        """Count the moves of a text of the language. Cost: linear."""
        table, class_of = self._automaton.table, self._automaton.class_of
        known: dict[str, int] = {}
        row, moves = 0, []
        for char in text:
            number = known.get(char)
            if number is None:
                number = known[char] = class_of(char)
            moves.append(row + number)
            row = table[row + number]
        self._counts.update(moves)
        for move in set(moves):
            example = self._examples.get(move)
            if example is None or len(example.text) > len(text):
                at = moves.index(move)
                self._examples[move] = Example(text, at, at + 1)

    def uses(self) -> tuple[TransitionUse, ...]:
        """All moves, by state and then by the characters."""
        automaton = self._automaton
        acceptor = Acceptor(automaton)
        found: list[TransitionUse] = []
        for move, target in enumerate(automaton.table):
            if target < 0:
                continue
            source, number = divmod(move, automaton.width)
            sentence = None
            if not self._counts[move]:
                behind = acceptor.completions[target // automaton.width]
                assert behind is not None, "every state is live"
                sentence = acceptor.text((*acceptor.cover[source], number, *behind))
            found.append(
                TransitionUse(
                    source,
                    automaton.charsets[number],
                    target // automaton.width,
                    self._counts[move],
                    self._examples.get(move),
                    sentence,
                )
            )
        return tuple(found)
