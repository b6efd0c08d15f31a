"""Is this what the implementation accepts? Strings on which a hypothesis is wrong, shortest first.

Random strings find next to nothing: they stop at 1 of the 180 states of URI. So the rule's own suite is asked
first, with its loops, and then the suite of the hypothesis, which is complete up to a number of states.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from abnforge.automaton.dfa import Automaton
from abnforge.budget import Meter
from abnforge.conformance.acceptor import Acceptor, Word
from abnforge.conformance.black_box import BlackBox
from abnforge.conformance.complete import complete_words
from abnforge.conformance.letters import Letters
from abnforge.conformance.passes import loops

MORE_BELOW = 60
"""States below which a hypothesis is tried for one state more than it has."""


class Equivalence:
    """What tells hypotheses over some letters from the implementation. ``extra`` is the number of states more
    than the rule's for which its suite is complete; ``further`` are words that are asked first of all.
    """

    def __init__(
        self,
        box: BlackBox,
        letters: Letters,
        reference: Automaton,
        extra: int,
        further: Iterable[Word],
        meter: Meter,
    ) -> None:
        self._box = box
        self._letters = letters
        self._meter = meter
        acceptor = Acceptor(letters.over(reference))
        words = dict.fromkeys(word for word, _ in complete_words(acceptor, extra, meter))
        words |= dict.fromkeys(map(letters.word, loops(acceptor)))
        self._words = [*further, *sorted(words, key=_by_length)]

    def extra_states(self, hypothesis: Automaton) -> int:
        """How many states more than it has a hypothesis is tried for."""
        return int(hypothesis.states < MORE_BELOW)

    def counterexample(self, hypothesis: Automaton) -> Word | None:
        """A word that the hypothesis is wrong about; None where none is found. Raises LimitExceeded.

        Then every automaton over the letters that has ``extra_states`` more than the hypothesis, at most, and
        accepts what the implementation does of the words asked, is equal to it.
        """
        acceptor = Acceptor(self._letters.over(hypothesis))
        for word in self._words:
            self._meter.charge(1 + len(word) // 20)
            if acceptor.accepting[acceptor.run(word)] is not self._box.accepts(self._letters.text(word)):
                return word
        for extra in range(self.extra_states(hypothesis) + 1):
            for word, accepted in _shortest_first(complete_words(acceptor, extra, self._meter)):
                if self._box.accepts(self._letters.text(word)) is not accepted:
                    return word
        return None


def _shortest_first(words: Iterator[tuple[Word, bool]]) -> list[tuple[Word, bool]]:
    return sorted(words, key=lambda pair: _by_length(pair[0]))


def _by_length(word: Word) -> tuple[int, Word]:
    return len(word), word
